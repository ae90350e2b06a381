package io.github.zklock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockUnavailableException;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Remembers what it has heard of locks, such as "acquired a", and notices what does not
 * fit.
 */
public final class LockRecorder implements LockListener {

	/**
	 * A request that has timed out.
	 */
	public record Refusal(String name, Duration waited) {

	}

	private final Duration leastTime;

	private final List<String> events = new ArrayList<>();

	private final List<String> granted = new ArrayList<>();

	private final List<Refusal> refused = new ArrayList<>();

	public LockRecorder() {
		this(Duration.ZERO);
	}

	/**
	 * Make a recorder that is told of no shorter times.
	 */
	public LockRecorder(Duration leastTime) {
		this.leastTime = leastTime;
	}

	@Override
	public synchronized void acquired(LockLease lease, Duration waited) {
		record("acquired", lease.name(), waited, true);
		this.granted.add(lease.name());
	}

	@Override
	public void released(LockLease lease, Duration held) {
		record("released", lease.name(), held, !lease.isHeld());
	}

	@Override
	public void lost(LockLease lease, Duration held) {
		record("lost", lease.name(), held, !lease.isHeld());
	}

	@Override
	public synchronized void timedOut(String name, Duration waited) {
		record("timedOut", name, waited, true);
		this.refused.add(new Refusal(name, waited));
	}

	@Override
	public void failed(String name, Duration waited, LockException cause) {
		record("failed", name, waited, cause instanceof LockUnavailableException);
	}

	private synchronized void record(String event, String name, Duration time, boolean fits) {
		this.events.add((fits && time.compareTo(this.leastTime) >= 0) ? event + " " + name : "unexpected " + event);
	}

	public synchronized List<String> events() {
		return List.copyOf(this.events);
	}

	public synchronized void clear() {
		this.events.clear();
	}

	public void await(String... expected) {
		Patience.awaitClosely().untilAsserted(() -> assertThat(events()).containsExactly(expected));
	}

	/**
	 * Return the names of the locks that were granted.
	 */
	public synchronized List<String> granted() {
		return List.copyOf(this.granted);
	}

	public List<String> awaitGranted(int count) {
		Awaitility.await().atMost(Patience.PATIENCE).until(() -> granted().size() >= count);
		return granted();
	}

	public synchronized List<Refusal> refused() {
		return List.copyOf(this.refused);
	}

	public Refusal awaitRefusal() {
		Awaitility.await().atMost(Patience.PATIENCE).until(() -> !refused().isEmpty());
		return refused().get(0);
	}

}
