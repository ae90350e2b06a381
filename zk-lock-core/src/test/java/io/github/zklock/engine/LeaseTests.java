package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	// near the overflow of the nano clock
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SECOND);

	private final AtomicLong wall = new AtomicLong(1_000_000);

	private final List<Integer> ended = new ArrayList<>();

	private final Lease lease = new Lease(this.now::get, this.wall::get, this.ended::add);

	LeaseTests() {
		this.lease.timeout(Duration.ofSeconds(10));
	}

	private void pass(long nanos) {
		this.now.addAndGet(nanos);
		sleep(nanos);
	}

	/**
	 * Let time pass on the servers and on the wall, but not by the nano clock.
	 */
	private void sleep(long nanos) {
		this.wall.addAndGet(nanos / 1_000_000);
	}

	private Operation send() {
		return new Operation(this.now.get(), this.wall.get());
	}

	private void acknowledge(Operation operation) {
		this.lease.acknowledge(operation.sent(), operation.sentWall());
	}

	@Test
	void beginsWithTheFirstAcknowledgement() {
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		acknowledge(send());
		assertThat(this.lease.currentTerm()).isNotEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	@Test
	@Tag("H04")
	void endsHalfATimeoutAfterTheSending() {
		Operation sent = send();
		pass(2 * SECOND);
		acknowledge(sent);
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
		Operation first = send();
		pass(SECOND);
		Operation second = send();
		acknowledge(second);
		acknowledge(first);
		assertThat(this.lease.remaining()).isEqualTo(5 * SECOND);
	}

	@Test
	@Tag("H14")
	void acknowledgementAfterTheEndBeginsANewTerm() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		pass(4 * SECOND);
		Operation sent = send();
		pass(SECOND);
		acknowledge(sent);
		assertThat(this.ended).as("noticed before it is prolonged").containsExactly(term);
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.lease.currentTerm()).isGreaterThan(term);
	}

	@Test
	void acknowledgementThatIsTooOldChangesNothing() {
		Operation sent = send();
		pass(5 * SECOND);
		acknowledge(sent);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	@Test
	@Tag("H70")
	void shorterTimeoutShortensARunningLease() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		this.lease.timeout(Duration.ofSeconds(20));
		assertThat(this.lease.remaining()).isEqualTo(5 * SECOND);
		pass(2 * SECOND);
		this.lease.timeout(Duration.ofSeconds(3));
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.ended).containsExactly(term);
	}

	/**
	 * A thread that was kept from running between its looks at the end and at the clock
	 * finds the term prolonged. It is told so: nobody has ever been told that the term is
	 * over, and the time never was.
	 */
	@Test
	void prolongedInTimeIsProlongedForAll() {
		AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
		Lease racing = racingWith(meanwhile);
		racing.acknowledge(this.now.get(), this.wall.get());
		int term = racing.currentTerm();
		meanwhile.set(() -> {
			pass(4 * SECOND);
			racing.acknowledge(this.now.get(), this.wall.get());
			pass(2 * SECOND);
		});
		assertThat(racing.isValid(term)).isTrue();
		assertThat(this.ended).isEmpty();
		pass(3 * SECOND);
		assertThat(racing.isValid(term)).isFalse();
		assertThat(this.ended).containsExactly(term);
	}

	/**
	 * Whoever has seen the end has ended the term, even if an acknowledgement comes
	 * before the others see it.
	 */
	@Test
	@Tag("H14")
	void endThatWasSeenIsTheEnd() {
		AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
		Lease racing = racingWith(meanwhile);
		racing.acknowledge(this.now.get(), this.wall.get());
		int term = racing.currentTerm();
		pass(4 * SECOND);
		Operation sent = send();
		pass(SECOND);
		meanwhile.set(() -> racing.acknowledge(sent.sent(), sent.sentWall()));
		assertThat(racing.isValid(term)).isFalse();
		assertThat(racing.isValid(term)).as("once false, it stays false").isFalse();
		assertThat(racing.currentTerm()).isGreaterThan(term);
		assertThat(this.ended).containsExactly(term);
	}

	/**
	 * A lease in which something happens between the looks at the end and at the clock.
	 */
	private Lease racingWith(AtomicReference<@Nullable Runnable> meanwhile) {
		Lease racing = new Lease(() -> {
			Runnable event = meanwhile.getAndSet(null);
			if (event != null) {
				event.run();
			}
			return this.now.get();
		}, this.wall::get, this.ended::add);
		racing.timeout(Duration.ofSeconds(10));
		return racing;
	}

	// The wall clock

	@Test
	@Tag("H84")
	void hostThatSleptHasLostItsTerm() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		sleep(6 * SECOND + SECOND / 4);
		assertThat(this.lease.isValid(term)).as("five eighths of the timeout").isTrue();
		sleep(1_000_000);
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).containsExactly(term);
		assertThat(this.lease.lastEnd()).isEqualTo(new Lease.End(term, 0, 6251));
	}

	@Test
	void endByTheNanoClockIsNoSleep() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		assertThat(this.lease.lastEnd()).isNull();
		pass(20 * SECOND);
		this.lease.check();
		assertThat(this.lease.lastEnd()).isEqualTo(new Lease.End(term, 20_000, 0));
	}

	@Test
	@Tag("H84")
	void everyQuestionLooksAtTheWallClock() {
		List<Runnable> questions = List.of(this.lease::currentTerm, this.lease::check,
				() -> acknowledge(new Operation(this.now.get() - 1, this.wall.get())));
		for (Runnable question : questions) {
			acknowledge(send());
			int term = this.lease.currentTerm();
			this.ended.clear();
			sleep(10 * SECOND);
			question.run();
			assertThat(this.ended).containsExactly(term);
			assertThat(this.lease.isValid(term)).isFalse();
			pass(1);
		}
	}

	@Test
	@Tag("H84")
	void shortSleepsAddUp() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		for (int nap = 0; nap < 6; nap++) {
			pass(SECOND / 100);
			sleep(SECOND);
			assertThat(this.lease.isValid(term)).isTrue();
		}
		pass(SECOND / 100);
		sleep(SECOND);
		assertThat(this.lease.isValid(term)).isFalse();
	}

	@Test
	void shortSleepsDoNotAddUpOverAcknowledgements() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		for (int nap = 0; nap < 20; nap++) {
			sleep(SECOND);
			pass(1);
			acknowledge(send());
		}
		assertThat(this.lease.isValid(term)).isTrue();
	}

	@Test
	@Tag("H84")
	void wallClockThatIsSetBackEndsNothing() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		pass(SECOND);
		Operation sentBefore = send();
		this.wall.addAndGet(-Duration.ofHours(1).toMillis());
		assertThat(this.lease.isValid(term)).isTrue();
		acknowledge(sentBefore);
		pass(SECOND);
		acknowledge(send());
		assertThat(this.lease.isValid(term)).isTrue();
		assertThat(this.ended).isEmpty();
		sleep(7 * SECOND);
		assertThat(this.lease.isValid(term)).as("counted from the new time").isFalse();
	}

	@Test
	void answerThatWaitedWhileTheHostSleptDoesNotCount() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		pass(SECOND);
		Operation sent = send();
		sleep(20 * SECOND);
		acknowledge(sent);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).containsExactly(term);
		acknowledge(send());
		assertThat(this.lease.currentTerm()).as("what was sent after waking").isGreaterThan(term);
	}

	/**
	 * The clock was set back before the sending and forward after it, which hides a sleep
	 * from the acknowledgement before.
	 */
	@Test
	void answerThatIsOldByTheWallClockEndsTheTerm() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		pass(SECOND);
		this.wall.addAndGet(-Duration.ofSeconds(20).toMillis());
		Operation sent = send();
		sleep(20 * SECOND);
		assertThat(this.lease.isValid(term)).isTrue();
		acknowledge(sent);
		assertThat(this.ended).containsExactly(term);
		assertThat(this.lease.isValid(term)).isFalse();
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
	}

	/**
	 * A thread may be kept from running between its look at the clocks and the sending.
	 */
	@Test
	void answerToWhatIsOlderThanTheLastAcknowledgementEndsNothing() {
		Operation late = send();
		pass(8 * SECOND);
		acknowledge(send());
		acknowledge(late);
		assertThat(this.lease.currentTerm()).isNotEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	// Late answers

	/**
	 * Answers that come later than three eighths of the timeout would give a lock only to
	 * take it away again.
	 */
	@Test
	void lateAnswersBeginNoTerm() {
		Operation late = send();
		pass(3 * SECOND + SECOND * 3 / 4 + 1);
		acknowledge(late);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		Operation inTime = send();
		pass(3 * SECOND + SECOND * 3 / 4);
		acknowledge(inTime);
		assertThat(this.lease.currentTerm()).isNotEqualTo(Lease.NONE);
		assertThat(this.ended).isEmpty();
	}

	@Test
	void lateAnswersByTheWallClockBeginNoTerm() {
		Operation late = send();
		sleep(4 * SECOND);
		acknowledge(late);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
	}

	@Test
	void lateAnswersDoNotMakeLocksComeAndGo() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		for (int round = 0; round < 10; round++) {
			Operation sent = send();
			pass(4 * SECOND + SECOND / 2);
			acknowledge(sent);
			pass(SECOND);
			this.lease.check();
		}
		assertThat(this.ended).as("lost once").containsExactly(term);
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
	}

	@Test
	void lateAnswersProlongATerm() {
		acknowledge(send());
		int term = this.lease.currentTerm();
		Deque<Operation> unanswered = new ArrayDeque<>();
		for (int tick = 0; tick < 30; tick++) {
			unanswered.add(send());
			if (unanswered.size() > 3) {
				acknowledge(unanswered.remove());
			}
			pass(SECOND + SECOND / 5);
			assertThat(this.lease.isValid(term)).isTrue();
		}
	}

	@Test
	void deadLeaseStaysDead() {
		acknowledge(send());
		this.lease.end();
		acknowledge(send());
		assertThat(this.lease.currentTerm()).isEqualTo(Lease.NONE);
		assertThat(this.ended).hasSize(1);
	}

	private record Operation(long sent, long sentWall) {

	}

}
