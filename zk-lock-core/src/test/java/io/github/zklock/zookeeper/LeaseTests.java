package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	// near the overflow of the nano clock
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SECOND);

	private final List<Integer> ended = new ArrayList<>();

	private final Lease lease = new Lease(this.now::get, this.ended::add);

	LeaseTests() {
		this.lease.timeout(Duration.ofSeconds(10));
	}

	private void pass(long nanos) {
		this.now.addAndGet(nanos);
	}

	@Test
	void beginsWithTheFirstAcknowledgement() {
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		this.lease.acknowledge(this.now.get());
		assertThat(this.lease.currentTerm()).isNotEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	@Test
	void endsHalfATimeoutAfterTheSending() {
		long sent = this.now.get();
		pass(2 * SECOND);
		this.lease.acknowledge(sent);
		int term = this.lease.currentTerm();
		assertThat(this.lease.remaining()).isEqualTo(3 * SECOND);
		pass(3 * SECOND - 1);
		assertThat(this.lease.isValid(term)).isTrue();
		pass(1);
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.lease.remaining()).isZero();
		assertThat(this.ended).containsExactly(term);
	}

	@Test
	void isProlongedByLaterSendingsOnly() {
		long first = this.now.get();
		pass(SECOND);
		long second = this.now.get();
		this.lease.acknowledge(second);
		this.lease.acknowledge(first);
		assertThat(this.lease.remaining()).isEqualTo(5 * SECOND);
	}

	@Test
	void acknowledgementAfterTheEndBeginsANewTerm() {
		this.lease.acknowledge(this.now.get());
		int term = this.lease.currentTerm();
		pass(4 * SECOND);
		long sent = this.now.get();
		pass(SECOND);
		this.lease.acknowledge(sent);
		assertThat(this.ended).as("noticed before it is prolonged").containsExactly(term);
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.lease.currentTerm()).isGreaterThan(term);
	}

	@Test
	void acknowledgementThatIsTooOldChangesNothing() {
		long sent = this.now.get();
		pass(5 * SECOND);
		this.lease.acknowledge(sent);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	@Test
	void shorterTimeoutShortensARunningLease() {
		this.lease.acknowledge(this.now.get());
		int term = this.lease.currentTerm();
		this.lease.timeout(Duration.ofSeconds(20));
		assertThat(this.lease.remaining()).isEqualTo(5 * SECOND);
		pass(2 * SECOND);
		this.lease.timeout(Duration.ofSeconds(3));
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.ended).containsExactly(term);
	}

	@Test
	void lapsesBeforeItsTimeIfTold() {
		this.lease.acknowledge(this.now.get());
		int term = this.lease.currentTerm();
		this.lease.lapse();
		this.lease.lapse();
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.ended).containsExactly(term);
		this.lease.acknowledge(this.now.get());
		assertThat(this.lease.currentTerm()).isEqualTo(term + 1);
	}

	@Test
	void whatWasSentBeforeALapseCountsNoMore() {
		long before = this.now.get();
		this.lease.acknowledge(before);
		pass(SECOND);
		this.lease.lapse();
		this.lease.acknowledge(before + SECOND / 2);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		this.lease.acknowledge(this.now.get());
		assertThat(this.lease.currentTerm()).isNotEqualTo(Lease.NONE);
	}

	/**
	 * Whoever has seen the end has ended the term, even if it is prolonged before the
	 * others see it.
	 */
	@Test
	void endThatWasSeenIsTheEnd() {
		AtomicLong time = new AtomicLong();
		AtomicReference<@Nullable Lease> prolonged = new AtomicReference<>();
		Lease racing = new Lease(() -> {
			long read = time.get();
			Lease other = (read == 5 * SECOND) ? prolonged.getAndSet(null) : null;
			if (other != null) {
				// between the look at the clock and the answer
				time.set(5 * SECOND - 1);
				other.acknowledge(4 * SECOND);
				time.set(5 * SECOND);
			}
			return read;
		}, this.ended::add);
		racing.timeout(Duration.ofSeconds(10));
		racing.acknowledge(0);
		int term = racing.currentTerm();
		time.set(5 * SECOND);
		prolonged.set(racing);
		assertThat(racing.isValid(term)).isFalse();
		assertThat(racing.isValid(term)).as("once false, it stays false").isFalse();
		assertThat(this.ended).containsExactly(term);
	}

	@Test
	void deadLeaseStaysDead() {
		this.lease.acknowledge(this.now.get());
		this.lease.kill();
		this.lease.acknowledge(this.now.get());
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).hasSize(1);
	}

}
