package io.github.zklock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockContender;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.leader.Participant;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What one process can rely on when it takes part in an election, whichever type of
 * registry it has.
 */
abstract class LeaderElectionContract extends RegistryTestSupport {

	private static final String ROLE = "role";

	private final CountDownLatch started = new CountDownLatch(1);

	private final CountDownLatch mayEnd = new CountDownLatch(1);

	private LockRegistry locks;

	private LeaderElection election;

	private Leadership leadership;

	@BeforeEach
	void createRegistry() {
		this.locks = registry(PATIENCE);
		this.election = this.locks.election(ROLE);
		this.leadership = this.election.leadership();
	}

	private static void awaitLeader(LeaderElection joined) {
		awaitClosely().until(joined.leadership()::isLeader);
	}

	private static LeaderElection lead(LeaderElection election) {
		election.join();
		awaitLeader(election);
		return election;
	}

	private void awaitNoLeader() {
		awaitClosely().until(() -> !this.leadership.isLeader());
	}

	/**
	 * Work until told to end, deaf to interrupts.
	 * @return whether it was interrupted
	 */
	private boolean workPatiently() {
		boolean interrupted = false;
		this.started.countDown();
		while (true) {
			try {
				assertThat(Patience.await(this.mayEnd)).isTrue();
				return interrupted;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
	}

	private void workUntilInterrupted() {
		this.started.countDown();
		try {
			assertThat(Patience.await(this.mayEnd)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted", ex);
		}
	}

	private void awaitStart() throws InterruptedException {
		assertThat(Patience.await(this.started)).isTrue();
	}

	private static void assertLost(LeaderElection election, Runnable work) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> election.leadership().run(work))
			.withMessageContaining("'role'")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo(ROLE));
	}

	@Nested
	class JoiningAndLeaving {

		@Test
		void nobodyTakesPartBeforeJoining() {
			assertThat(election.role()).isEqualTo(ROLE);
			assertThat(leadership.role()).isEqualTo(ROLE);
			assertThat(leadership.isLeader()).isFalse();
			assertThat(leadership.since()).isEmpty();
			assertThatIllegalStateException().isThrownBy(leadership::fencingToken).withMessageContaining(ROLE);
			assertThat(leadership.begin()).isEmpty();
			assertThat(election.leader()).isEmpty();
			assertThat(election.participants()).isEmpty();
			assertThat(inspector(locks).queueOfRole(ROLE)).isEmpty();
			election.leave();
		}

		@Test
		void electionOfARoleIsOneObject() {
			assertThat(locks.election(ROLE)).isSameAs(election);
			assertThat(locks.election(ROLE).leadership()).isSameAs(leadership);
			assertThat(locks.election("other")).isNotSameAs(election);
			assertThatIllegalArgumentException().isThrownBy(() -> locks.election(""));
		}

		@Test
		void whoJoinsAloneLeads() {
			Instant before = Instant.now().minusMillis(1);
			lead(election);
			assertThat(leadership.since().orElseThrow()).isBetween(before, Instant.now());
			assertThat(leadership.fencingToken()).isPositive();
			assertThat(election.participants()).containsExactly(election.leader().orElseThrow())
				.extracting(Participant::leading, Participant::self)
				.containsExactly(tuple(true, true));
			assertThat(election.leader().orElseThrow().instance()).isNotEmpty();
			assertThat(election.leader().orElseThrow().host()).isNotEmpty();
			assertThat(inspector(locks).queueOfRole(ROLE))
				.extracting(LockContender::holding, LockContender::origin, LockContender::token)
				.containsExactly(tuple(true, LockContender.Origin.SELF, leadership.fencingToken()));
			assertThat(inspector(locks).queue(ROLE)).as("a lock of the same name").isEmpty();
			assertThat(inspector(locks).held()).isEmpty();
			election.leave();
			assertThat(election.participants()).isEmpty();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(leadership.since()).isEmpty();
		}

		@Test
		void rolesAreIndependent() {
			lead(election);
			assertThat(locks.election("other").leadership().isLeader()).isFalse();
			lead(locks.election("other")).leave();
			assertThat(leadership.isLeader()).isTrue();
		}

		@Test
		void joinAndLeaveMayBeRepeated() {
			long token = 0;
			for (int round = 0; round < 20; round++) {
				election.join();
				election.join();
				awaitLeader(election);
				assertThat(leadership.fencingToken()).isGreaterThan(token);
				token = leadership.fencingToken();
				election.leave();
				election.leave();
				assertThat(leadership.isLeader()).isFalse();
			}
		}

		@Test
		void racesOfJoinAndLeaveEndAsTheLastOneSaid() throws Exception {
			LeadershipRecorder events = new LeadershipRecorder(election);
			List<CompletableFuture<Boolean>> racers = List.of(run(this::joinAndLeave), run(this::joinAndLeave),
					run(this::joinAndLeave));
			for (CompletableFuture<Boolean> racer : racers) {
				get(racer);
			}
			election.leave();
			assertThat(leadership.isLeader()).isFalse();
			lead(election);
			await().atMost(PATIENCE).until(() -> events.lastTerm().equals("granted " + leadership.fencingToken()));
			events.assertAlternating();
		}

		private void joinAndLeave() {
			for (int round = 0; round < 50; round++) {
				election.join();
				leadership.run(Thread::onSpinWait);
				election.leave();
			}
		}

	}

	@Nested
	@Tag("H88")
	@Tag("H89")
	class Listeners {

		@Test
		void listenersHearOfEachGrantAndItsEnd() {
			LeadershipRecorder events = new LeadershipRecorder(election);
			election.addListener(events);
			lead(election);
			long first = leadership.fencingToken();
			events.awaitTerms("granted " + first);
			LeadershipRecorder late = new LeadershipRecorder(election);
			late.awaitTerms("granted " + first);
			election.removeListener(late);
			election.leave();
			events.awaitTerms("granted " + first, "revoked " + first);
			lead(election);
			long second = leadership.fencingToken();
			election.leave();
			events.awaitTerms("granted " + first, "revoked " + first, "granted " + second, "revoked " + second);
			late.awaitTerms("granted " + first);
		}

		@Test
		void stateIsSetBeforeListenersAreCalled() throws Exception {
			CompletableFuture<Boolean> whenGranted = new CompletableFuture<>();
			CompletableFuture<Boolean> whenRevoked = new CompletableFuture<>();
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			election.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					whenGranted.complete(leadership.isLeader());
				}

				@Override
				public void revoked(String role, long fencingToken) {
					whenRevoked.complete(leadership.isLeader());
					thread.complete(Thread.currentThread());
				}

			});
			election.join();
			assertThat(get(whenGranted)).isTrue();
			election.leave();
			assertThat(get(whenRevoked)).isFalse();
			assertThat(get(thread).isDaemon()).isTrue();
			assertThat(get(thread).getName()).startsWith("zk-lock-");
		}

		@Test
		void throwingAndSlowListenersHurtNobody() throws Exception {
			AtomicBoolean left = new AtomicBoolean();
			LeaderElection impatient = registry(Duration.ofMillis(1)).election(ROLE);
			impatient.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					throw new IllegalStateException("on purpose");
				}

			});
			impatient.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					workPatiently();
				}

			});
			impatient.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					if (left.compareAndSet(false, true)) {
						impatient.leave();
						impatient.join();
					}
				}

			});
			LeadershipRecorder events = new LeadershipRecorder(impatient);
			impatient.join();
			await().atMost(PATIENCE).until(() -> events.terms().size() == 3);
			events.assertAlternating();
			awaitLeader(impatient);
			mayEnd.countDown();
		}

	}

	@Nested
	class HandingOver {

		/**
		 * Let a leader leave, as far as to a listener that takes its time.
		 */
		private CompletableFuture<Boolean> leaveSlowly(LeaderElection left, LeadershipListener slow) throws Exception {
			lead(left).addListener(slow);
			CompletableFuture<Boolean> leaving = run(left::leave);
			awaitStart();
			return leaving;
		}

		private LeadershipListener slowListener() {
			return new LeadershipListener() {

				@Override
				public void revoked(String role, long fencingToken) {
					workPatiently();
				}

			};
		}

		@Test
		void leavingWaitsForListeners() throws Exception {
			CompletableFuture<Boolean> leaving = leaveSlowly(election, slowListener());
			assertThat(leadership.isLeader()).isFalse();
			assertThat(election.leader()).as("nobody else leads yet").isPresent();
			election.join();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(leaving).isNotDone();
			mayEnd.countDown();
			get(leaving);
			awaitLeader(election);
		}

		@Test
		void closingWaitsForListeners() throws Exception {
			lead(election).addListener(slowListener());
			CompletableFuture<Boolean> closing = run(() -> close(locks));
			awaitStart();
			assertThat(closing).isNotDone();
			mayEnd.countDown();
			get(closing);
		}

		@Test
		void listenerThatDoesNotReturnIsNotWaitedForForEver() throws Exception {
			LeaderElection impatient = registry(Duration.ofMillis(1)).election(ROLE);
			get(leaveSlowly(impatient, slowListener()));
			assertThat(impatient.leader()).isEmpty();
			lead(impatient);
			close(locks);
			mayEnd.countDown();
		}

		@Test
		void listenersAreNotWaitedForIfThatIsWanted() throws Exception {
			LeaderElection hasty = registry(Duration.ZERO).election(ROLE);
			get(leaveSlowly(hasty, slowListener()));
			assertThat(hasty.leader()).isEmpty();
			mayEnd.countDown();
		}

		@Test
		void removedListenerIsNotWaitedFor() throws Exception {
			LeadershipListener slow = slowListener();
			CompletableFuture<Boolean> leaving = leaveSlowly(election, slow);
			assertThat(leaving).isNotDone();
			election.removeListener(slow);
			get(leaving);
			mayEnd.countDown();
		}

		@Test
		void listenerThatLeavesIsNotWaitedFor() throws Exception {
			LeaderElection patient = registry(Duration.ofHours(1)).election(ROLE);
			CompletableFuture<Boolean> left = new CompletableFuture<>();
			CompletableFuture<Boolean> leftOnceMore = new CompletableFuture<>();
			patient.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					patient.leave();
					left.complete(patient.leader().isEmpty());
				}

				@Override
				public void revoked(String role, long fencingToken) {
					patient.leave();
					leftOnceMore.complete(patient.leader().isEmpty());
				}

			});
			patient.join();
			assertThat(get(left)).isTrue();
			assertThat(get(leftOnceMore)).isTrue();
		}

		@Test
		void interruptEndsTheWaitForListeners() throws Exception {
			lead(election).addListener(slowListener());
			CompletableFuture<Thread> leaver = new CompletableFuture<>();
			CompletableFuture<Boolean> leaving = call(() -> {
				leaver.complete(Thread.currentThread());
				election.leave();
				return Thread.interrupted();
			});
			awaitStart();
			get(leaver).interrupt();
			assertThat(get(leaving)).as("interrupt stays set").isTrue();
			assertThat(election.leader()).isEmpty();
			mayEnd.countDown();
		}

	}

	@Nested
	class Work {

		@Test
		void onlyTheLeaderWorks() {
			AtomicInteger runs = new AtomicInteger();
			assertThat(leadership.run(runs::incrementAndGet)).isFalse();
			lead(election);
			assertThat(leadership.run(() -> {
				assertThat(leadership.run(runs::incrementAndGet)).as("work inside work").isTrue();
				assertThat(leadership.isLeader()).isTrue();
				assertThat(leadership.since()).isPresent();
			})).isTrue();
			election.leave();
			assertThat(leadership.run(runs::incrementAndGet)).isFalse();
			assertThat(runs).hasValue(1);
		}

		@Test
		void failureOfTheWorkGoesToTheCaller() {
			lead(election);
			assertThatIllegalStateException().isThrownBy(() -> leadership.run(() -> {
				throw new IllegalStateException("own");
			})).withMessage("own");
			election.leave();
			assertThat(election.leader()).as("nobody waited for work that has failed").isEmpty();
		}

		@Test
		void leavingWaitsForWork() throws Exception {
			lead(election);
			long token = leadership.fencingToken();
			LeadershipRecorder events = new LeadershipRecorder(election);
			CompletableFuture<Boolean> worker = call(() -> leadership.run(() -> {
				assertThat(workPatiently()).as("interrupted").isFalse();
				assertThat(leadership.isLeader()).as("its own term goes on").isTrue();
				assertThat(leadership.fencingToken()).isEqualTo(token);
				assertThat(leadership.run(() -> {
				})).as("a part of it").isTrue();
				assertThat(leadership.begin()).as("new work while leaving").isEmpty();
				assertThat(leadership.enter()).as("new work while leaving").isEmpty();
			}));
			awaitStart();
			CompletableFuture<Boolean> leaving = run(election::leave);
			awaitNoLeader();
			assertThat(leadership.run(() -> {
			})).as("new work while leaving").isFalse();
			assertThat(leadership.begin()).isEmpty();
			assertThat(leadership.enter()).isEmpty();
			assertThat(election.leader()).isPresent();
			assertThat(leaving).isNotDone();
			events.awaitTerms("granted " + token);
			mayEnd.countDown();
			assertThat(get(worker)).isTrue();
			get(leaving);
			assertThat(election.leader()).isEmpty();
			events.awaitTerms("granted " + token, "revoked " + token);
		}

		@Test
		void whoJoinsWhileLeavingLeadsAgainAfterwards() throws Exception {
			lead(election);
			long token = leadership.fencingToken();
			CompletableFuture<Boolean> worker = call(() -> leadership.run(() -> workPatiently()));
			awaitStart();
			CompletableFuture<Boolean> leaving = run(election::leave);
			awaitNoLeader();
			election.join();
			assertThat(leadership.isLeader()).isFalse();
			mayEnd.countDown();
			assertThat(get(worker)).isTrue();
			get(leaving);
			awaitLeader(election);
			assertThat(leadership.fencingToken()).isGreaterThan(token);
		}

		@Test
		void leavingDoesNotWaitForEver() throws Exception {
			LeaderElection impatient = lead(registry(Duration.ofMillis(50)).election(ROLE));
			CompletableFuture<Boolean> worker = call(() -> {
				assertLost(impatient, () -> {
					assertThat(workPatiently()).as("interrupted").isTrue();
					assertThat(impatient.leadership().isLeader()).isFalse();
					assertThat(impatient.leadership().since()).isEmpty();
					assertThatExceptionOfType(LockLostException.class).isThrownBy(impatient.leadership()::fencingToken);
				});
				return Thread.currentThread().isInterrupted();
			});
			awaitStart();
			impatient.leave();
			assertThat(impatient.leader()).isEmpty();
			lead(impatient);
			mayEnd.countDown();
			assertThat(get(worker)).isFalse();
			assertThat(impatient.leadership().isLeader()).as("the later leadership goes on").isTrue();
		}

		@Test
		void interruptEndsTheWaitForWork() throws Exception {
			lead(election);
			CompletableFuture<Boolean> worker = call(() -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> leadership.run(() -> workUntilInterrupted()))
					.withCauseInstanceOf(IllegalStateException.class);
				return Thread.currentThread().isInterrupted();
			});
			awaitStart();
			assertThat(get(call(() -> {
				Thread.currentThread().interrupt();
				election.leave();
				return Thread.interrupted();
			}))).as("interrupt stays set").isTrue();
			assertThat(get(worker)).as("interrupt that was ours is taken back").isFalse();
			assertThat(election.leader()).isEmpty();
		}

		@Test
		void leaderMayLeaveInTheMiddleOfItsWork() {
			lead(election);
			assertThat(leadership.run(() -> leadership.run(() -> {
				election.leave();
				assertThat(leadership.isLeader()).isFalse();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				assertThat(election.leader()).isEmpty();
			}))).isTrue();
		}

		@Test
		void workNeedsNoThread() throws Exception {
			LeaderElection impatient = lead(registry(Duration.ofMillis(20)).election(ROLE));
			LeaderWork work = impatient.leadership().begin().orElseThrow();
			LeaderWork other = impatient.leadership().begin().orElseThrow();
			assertThat(work.fencingToken()).isEqualTo(impatient.leadership().fencingToken());
			AtomicInteger losses = new AtomicInteger();
			work.onLost(losses::incrementAndGet);
			other.onLost(() -> losses.addAndGet(100));
			other.close();
			other.close();
			impatient.leave();
			assertThat(work.isLeader()).isFalse();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(losses).hasValue(1));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(work::fencingToken);
			lead(impatient);
			assertThat(work.isLeader()).isFalse();
			CompletableFuture<Boolean> late = new CompletableFuture<>();
			work.onLost(() -> late.complete(true));
			get(late);
			work.close();
			assertThat(losses).hasValue(1);
			assertThat(impatient.leadership().isLeader()).isTrue();
		}

		@Test
		void leavingWaitsForWorkWithoutAThread() throws Exception {
			lead(election);
			LeaderWork work = leadership.begin().orElseThrow();
			CompletableFuture<Boolean> leaving = run(election::leave);
			awaitNoLeader();
			assertThat(work.isLeader()).isTrue();
			assertThat(leaving).isNotDone();
			work.close();
			get(leaving);
			assertThat(work.isLeader()).isFalse();
		}

		@Test
		void leavesWithoutAThreadThatWaits() throws Exception {
			lead(election);
			LeaderWork work = leadership.begin().orElseThrow();
			CompletableFuture<Void> left = election.leaveAsync();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(work.isLeader()).isTrue();
			assertThat(left).isNotDone();
			work.close();
			get(left);
			assertThat(election.participants()).isEmpty();
			get(election.leaveAsync());
		}

		@Test
		void leavingWithoutAThreadDoesNotWaitForEver() throws Exception {
			LeaderElection hasty = lead(registry(Duration.ofMillis(20)).election(ROLE));
			CompletableFuture<Void> lost = new CompletableFuture<>();
			LeaderWork work = hasty.leadership().begin().orElseThrow();
			work.onLost(() -> lost.complete(null));
			get(hasty.leaveAsync());
			get(lost);
			assertThat(work.isLeader()).isFalse();
		}

		@Test
		void whoYieldsAloneLeadsAgainWithANewToken() {
			LeadershipRecorder events = new LeadershipRecorder(lead(election));
			long token = leadership.fencingToken();
			assertThat(leadership.yield()).isTrue();
			awaitLeader(election);
			long later = leadership.fencingToken();
			assertThat(later).isGreaterThan(token);
			events.awaitTerms("granted " + token, "revoked " + token, "granted " + later);
		}

		@Test
		void whoDoesNotLeadHasNothingToYield() {
			assertThat(leadership.yield()).isFalse();
			lead(election);
			LeaderWork work = leadership.begin().orElseThrow();
			CompletableFuture<Void> left = election.leaveAsync();
			assertThat(leadership.yield()).as("while leaving").isFalse();
			work.close();
			await().atMost(PATIENCE).until(left::isDone);
			assertThat(leadership.isLeader()).isFalse();
		}

		@Test
		void workThatYieldsIsNotLost() {
			lead(election);
			assertThat(leadership.run(() -> {
				assertThat(leadership.yield()).isTrue();
				assertThat(leadership.isLeader()).as("in the old term").isFalse();
				assertThat(leadership.yield()).as("a later term").isFalse();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			})).isTrue();
			awaitLeader(election);
		}

		@Test
		void workIsToldBeforeItIsWaitedFor() throws Exception {
			lead(election);
			AtomicInteger told = new AtomicInteger();
			LeaderWork ended = leadership.begin().orElseThrow();
			ended.onLeaving(told::incrementAndGet);
			ended.close();
			LeaderWork work = leadership.begin().orElseThrow();
			CompletableFuture<Boolean> leads = new CompletableFuture<>();
			work.onLeaving(() -> {
				leads.complete(work.isLeader());
				work.close();
			});
			election.leave();
			assertThat(get(leads)).as("leads until it has ended").isTrue();
			assertThat(told).hasValue(0);
		}

		/**
		 * A pooled thread is never interrupted for work that it has done before.
		 */
		@Test
		void interruptNeverComesAfterTheWork() throws Exception {
			AtomicBoolean stray = new AtomicBoolean();
			AtomicInteger lost = new AtomicInteger();
			AtomicBoolean over = new AtomicBoolean();
			AtomicBoolean staying = new AtomicBoolean();
			AtomicBoolean inside = new AtomicBoolean();
			LeaderElection impatient = registry(Duration.ZERO).election(ROLE);
			CompletableFuture<Boolean> worker = run(() -> {
				while (!over.get()) {
					try {
						impatient.leadership().run(() -> {
							do {
								inside.set(staying.get());
								Thread.onSpinWait();
							}
							while (staying.get() && impatient.leadership().isLeader());
						});
					}
					catch (LockLostException ex) {
						lost.incrementAndGet();
					}
					if (Thread.interrupted()) {
						stray.set(true);
					}
				}
			});
			for (int round = 0; round < 50; round++) {
				// How the other rounds end may depend on who gets a processor
				boolean certain = round % 10 == 0;
				inside.set(false);
				staying.set(certain);
				impatient.join();
				while (!impatient.leadership().isLeader() || (certain && !inside.get())) {
					Thread.onSpinWait();
				}
				impatient.leave();
			}
			staying.set(false);
			over.set(true);
			get(worker);
			assertThat(stray).isFalse();
			assertThat(lost).as("work that was interrupted").hasPositiveValue();
		}

	}

	/**
	 * Work that the current thread enters, and ends when it likes.
	 */
	@Nested
	class EnteredWork {

		private LeaderWork enter() {
			return leadership.enter().orElseThrow();
		}

		/**
		 * Lose the leadership by another thread, which waits for nobody.
		 */
		private void lose() throws Exception {
			get(beginToLose());
		}

		private CompletableFuture<Boolean> beginToLose() {
			return run(() -> {
				Thread.currentThread().interrupt();
				election.leave();
			});
		}

		private void loseAndLeadAgain() throws Exception {
			lose();
			get(run(() -> lead(election)));
		}

		@Test
		void onlyTheLeaderEnters() {
			assertThat(leadership.enter()).isEmpty();
			assertThat(leadership.current()).isEmpty();
			lead(election);
			assertThat(leadership.current()).isEmpty();
			try (LeaderWork work = enter()) {
				assertThat(leadership.current()).containsSame(work);
				assertThat(work.isLeader()).isTrue();
				assertThat(work.isLost()).isFalse();
				assertThat(work.fencingToken()).isEqualTo(leadership.fencingToken());
			}
			assertThat(leadership.current()).isEmpty();
			assertThat(leadership.isLeader()).isTrue();
		}

		/**
		 * The threads of a pool live on.
		 */
		@Test
		void workThatNobodyClosesEndsWithTheWorkAroundItForItsThread() throws Exception {
			lead(election);
			assertThat(leadership.run(() -> {
				LeaderWork outer = enter();
				enter();
				outer.close();
				enter();
			})).isTrue();
			assertThat(leadership.current()).isEmpty();
			loseAndLeadAgain();
			assertThat(leadership.isLeader()).isTrue();
			assertThat(leadership.run(() -> {
			})).isTrue();
		}

		@Test
		void leavingWaitsForIt() throws Exception {
			lead(election);
			LeaderWork work = enter();
			CompletableFuture<Boolean> leaving = run(election::leave);
			get(run(LeaderElectionContract.this::awaitNoLeader));
			assertThat(leadership.isLeader()).as("in its own term").isTrue();
			assertThat(leadership.current()).containsSame(work);
			assertThat(leaving).isNotDone();
			work.close();
			get(leaving);
			assertThat(work.isLost()).isFalse();
			assertThat(leadership.isLeader()).isFalse();
		}

		@Test
		void answersAreAboutItsOwnTerm() throws Exception {
			lead(election);
			LeaderWork work = enter();
			loseAndLeadAgain();
			assertThat(work.isLost()).isTrue();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(leadership.since()).isEmpty();
			assertThat(leadership.current()).isEmpty();
			assertThat(leadership.enter()).isEmpty();
			assertThat(leadership.begin()).isEmpty();
			assertThat(leadership.yield()).isFalse();
			assertThat(leadership.run(() -> {
			})).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(leadership::fencingToken);
			work.close();
			assertThat(work.isLost()).as("also when it has ended").isTrue();
			assertThat(leadership.isLeader()).as("outside").isTrue();
		}

		@Test
		void nothingIsLostThatHasEndedBefore() throws Exception {
			lead(election);
			LeaderWork work = enter();
			work.close();
			lose();
			assertThat(work.isLeader()).isFalse();
			assertThat(work.isLost()).isFalse();
		}

		@Test
		void whoEntersDecidesAboutALoss() throws Exception {
			lead(election);
			LeaderWork work = enter();
			assertThat(leadership.run(() -> {
				assertThat(leadership.current()).containsSame(work);
				assertThatCode(this::lose).doesNotThrowAnyException();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			})).as("a part of it").isTrue();
			assertThat(work.isLost()).isTrue();
			work.close();
		}

		@Test
		void outermostRunThrowsInCaseOfALossAndSoDoRunsWithin() {
			lead(election);
			AtomicBoolean thrownWithin = new AtomicBoolean();
			assertLost(election, () -> {
				try {
					leadership.run(this::loseUntilInterrupted);
				}
				catch (LockLostException ex) {
					thrownWithin.set(Thread.currentThread().isInterrupted());
				}
			});
			assertThat(thrownWithin).as("interrupted until the outermost ends").isTrue();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		private void loseUntilInterrupted() {
			assertThat(beginToLose()).isNotNull();
			long start = System.nanoTime();
			while (!Thread.currentThread().isInterrupted()) {
				assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
				Thread.onSpinWait();
			}
		}

		@Test
		void threadThatLeavesLosesNothing() {
			lead(election);
			LeaderWork outer = enter();
			LeaderWork inner = enter();
			AtomicInteger told = new AtomicInteger();
			for (LeaderWork work : List.of(outer, inner)) {
				work.onLost(told::incrementAndGet);
				work.onLeaving(told::incrementAndGet);
			}
			election.leave();
			assertThat(election.participants()).isEmpty();
			assertThat(List.of(outer, inner)).noneMatch(LeaderWork::isLeader).noneMatch(LeaderWork::isLost);
			inner.close();
			outer.close();
			assertThat(List.of(outer, inner)).noneMatch(LeaderWork::isLost);
			assertThat(told).hasValue(0);
		}

		@Test
		void threadThatYieldsLosesNothing() throws Exception {
			lead(election);
			LeaderWork outer = enter();
			LeaderWork inner = enter();
			assertThat(leadership.yield()).isTrue();
			get(run(() -> awaitLeader(election)));
			assertThat(List.of(outer, inner)).noneMatch(LeaderWork::isLeader).noneMatch(LeaderWork::isLost);
			inner.close();
			outer.close();
			assertThat(leadership.isLeader()).isTrue();
		}

		/**
		 * What is refused changes nothing, for the work around neither.
		 */
		@Test
		void refusedYieldEndsNothing() throws Exception {
			lead(election);
			LeaderWork outer = enter();
			LeaderWork inner = enter();
			CompletableFuture<Boolean> leaving = run(election::leave);
			get(run(LeaderElectionContract.this::awaitNoLeader));
			assertThat(leadership.yield()).isFalse();
			assertThat(outer.yield()).isFalse();
			inner.close();
			assertThat(outer.isLeader()).as("waited for").isTrue();
			assertThat(leaving).isNotDone();
			outer.close();
			get(leaving);
		}

		@Test
		void threadThatIsAboutToLeaveMayDoNoMore() throws Exception {
			lead(election);
			LeaderWork other = get(call(() -> leadership.begin().orElseThrow()));
			LeaderWork work = enter();
			CompletableFuture<Void> left = election.leaveAsync();
			assertThat(leadership.isLeader()).as("until the other work has ended").isTrue();
			assertThat(leadership.current()).isEmpty();
			assertThat(leadership.run(() -> {
			})).isFalse();
			other.close();
			get(left);
			work.close();
		}

		@Test
		void detachedWorkGoesOnWithoutTheThread() throws Exception {
			lead(election);
			LeaderWork outer = enter();
			LeaderWork work = enter();
			work.detach();
			assertThat(leadership.current()).containsSame(outer);
			outer.close();
			assertThat(leadership.current()).isEmpty();
			CompletableFuture<Void> left = election.leaveAsync();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(work.isLeader()).as("waited for, since no thread does it any more").isTrue();
			assertThat(left).isNotDone();
			work.detach();
			work.close();
			get(left);
			assertThat(work.isLost()).isFalse();
		}

		@Test
		void detachedWorkCanBeLost() throws Exception {
			lead(election);
			LeaderWork work = enter();
			CompletableFuture<Void> lost = new CompletableFuture<>();
			work.onLost(() -> lost.complete(null));
			work.detach();
			loseAndLeadAgain();
			get(lost);
			assertThat(work.isLost()).isTrue();
			assertThat(leadership.isLeader()).as("of the thread").isTrue();
			work.close();
			assertThat(leadership.isLeader()).isTrue();
		}

		@Test
		void anotherThreadMayEndItInAnyOrder() throws Exception {
			lead(election);
			LeaderWork outer = enter();
			LeaderWork middle = enter();
			LeaderWork inner = enter();
			get(run(middle::close));
			assertThat(leadership.current()).containsSame(inner);
			inner.close();
			assertThat(leadership.current()).containsSame(outer);
			get(run(outer::close));
			assertThat(leadership.current()).isEmpty();
			election.leave();
			assertThat(leadership.isLeader()).isFalse();
		}

		@Test
		void workThatNoThreadDoesIsNoThreadsOwn() {
			lead(election);
			LeaderWork work = leadership.begin().orElseThrow();
			assertThat(leadership.current()).isEmpty();
			work.detach();
			work.close();
		}

	}

	@Nested
	class Closing {

		@Test
		void closingTheRegistryEndsAllLeadership() throws Exception {
			lead(election);
			LeadershipRecorder events = new LeadershipRecorder(election);
			long token = leadership.fencingToken();
			CompletableFuture<Boolean> worker = run(
					() -> assertLost(election, () -> assertThat(workPatiently()).as("interrupted").isTrue()));
			awaitStart();
			close(locks);
			assertThat(leadership.isLeader()).isFalse();
			events.awaitTerms("granted " + token, "revoked " + token);
			mayEnd.countDown();
			get(worker);
			for (LeaderElection any : List.of(election, locks.election("other"))) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(any::join)
					.withMessageContaining("'%s'".formatted(any.role()))
					.withMessageContaining("closed");
				any.leave();
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(any::leader);
			}
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> inspector(locks).queueOfRole(ROLE));
		}

	}

}
