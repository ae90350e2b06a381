package io.github.zklock.autoconfigure;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.LockNames;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.leader.Participant;
import org.jspecify.annotations.Nullable;

/**
 * An election that outlives the runs of the application: each call goes to the current
 * run. Its listeners stay; but nobody takes part in a new run before {@link #join()} is
 * called again.
 */
final class RestartableElection implements LeaderElection, Leadership {

	private final Runs<?> runs;

	private final String role;

	private final Set<LeadershipListener> listeners = new LinkedHashSet<>();

	// Work belongs to the run in which it began
	private final Map<Thread, Leadership> workOfThreads = new ConcurrentHashMap<>();

	RestartableElection(Runs<?> runs, String role) {
		this.runs = runs;
		this.role = role;
	}

	@Override
	public String role() {
		return this.role;
	}

	private LeaderElection currentOrThrow() {
		Run run = this.runs.current();
		if (run == null) {
			throw this.runs.stopped("Role", this.role);
		}
		return run.registry().election(this.role);
	}

	/**
	 * Return the election in the current run, null if there is none: then nobody takes
	 * part.
	 */
	private @Nullable LeaderElection begun() {
		Run run = this.runs.begun();
		return (run != null) ? run.registry().election(this.role) : null;
	}

	// Taking part

	@Override
	public void join() {
		LeaderElection election = currentOrThrow();
		synchronized (this.listeners) {
			this.listeners.forEach(election::addListener);
			election.join();
		}
	}

	@Override
	public void leave() {
		LeaderElection election = begun();
		if (election != null) {
			election.leave();
		}
	}

	@Override
	public CompletableFuture<Void> leaveAsync() {
		LeaderElection election = begun();
		return (election != null) ? election.leaveAsync() : CompletableFuture.completedFuture(null);
	}

	@Override
	public Leadership leadership() {
		return this;
	}

	@Override
	public Optional<Participant> leader() {
		return currentOrThrow().leader();
	}

	@Override
	public List<Participant> participants() {
		return currentOrThrow().participants();
	}

	@Override
	public void addListener(LeadershipListener listener) {
		Objects.requireNonNull(listener, "'listener' must not be null");
		synchronized (this.listeners) {
			this.listeners.add(listener);
			LeaderElection election = begun();
			if (election != null) {
				election.addListener(listener);
			}
		}
	}

	@Override
	public void removeListener(LeadershipListener listener) {
		synchronized (this.listeners) {
			this.listeners.remove(listener);
			LeaderElection election = begun();
			if (election != null) {
				election.removeListener(listener);
			}
		}
	}

	// Leading

	private @Nullable Leadership ofThread() {
		Leadership work = this.workOfThreads.get(Thread.currentThread());
		if (work != null) {
			return work;
		}
		LeaderElection election = begun();
		return (election != null) ? election.leadership() : null;
	}

	@Override
	public boolean isLeader() {
		Leadership leadership = ofThread();
		return leadership != null && leadership.isLeader();
	}

	@Override
	public long fencingToken() {
		Leadership leadership = ofThread();
		if (leadership == null) {
			throw new IllegalStateException(
					"This process does not lead role '%s'".formatted(LockNames.shown(this.role)));
		}
		return leadership.fencingToken();
	}

	@Override
	public Optional<Instant> since() {
		Leadership leadership = ofThread();
		return (leadership != null) ? leadership.since() : Optional.empty();
	}

	@Override
	public boolean run(Runnable work) {
		Objects.requireNonNull(work, "'work' must not be null");
		Leadership leadership = ofThread();
		return leadership != null && leadership.run(() -> runIn(leadership, work));
	}

	private void runIn(Leadership leadership, Runnable work) {
		Thread thread = Thread.currentThread();
		Leadership outer = this.workOfThreads.put(thread, leadership);
		try {
			work.run();
		}
		finally {
			this.workOfThreads.compute(thread, (key, inner) -> outer);
		}
	}

	@Override
	public Optional<LeaderWork> begin() {
		Leadership leadership = ofThread();
		return (leadership != null) ? leadership.begin() : Optional.empty();
	}

	@Override
	public boolean yield() {
		Leadership leadership = ofThread();
		return leadership != null && leadership.yield();
	}

	@Override
	public String toString() {
		return "election of role '%s'".formatted(LockNames.shown(this.role));
	}

}
