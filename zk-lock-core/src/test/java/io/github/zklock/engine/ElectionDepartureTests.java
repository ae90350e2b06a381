package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.LossReason;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Leaders that leave without waiting, that yield, and that tell their work before.
 */
class ElectionDepartureTests extends ElectionTestSupport {

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private final ZooKeeperLocks locks = closing(builder().handOverWait(FOR_EVER).build());

	private final LeaderElection election = this.locks.election(ROLE);

	private final Leadership leadership = this.election.leadership();

	private final LeaderElection successor = registry().election(ROLE);

	ElectionDepartureTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void queueSuccessor() {
		int before = leaderNodes().size();
		this.successor.join();
		awaitLeaderNodes(before + 1);
	}

	private LeaderWork work() {
		return this.leadership.begin().orElseThrow();
	}

	private CompletableFuture<Boolean> yielding() {
		return call(this.leadership::yield);
	}

	private void awaitClosedToWork() {
		await().atMost(PATIENCE).until(() -> !this.leadership.isLeader());
	}

	// Leaving without waiting

	@Test
	void leavesWithoutAThreadThatWaits() throws Exception {
		lead(this.locks);
		queueSuccessor();
		LeaderWork work = work();
		CompletableFuture<Void> left = this.election.leaveAsync();
		assertThat(this.leadership.isLeader()).as("for new work").isFalse();
		assertThat(work.isLeader()).isTrue();
		settle(this.locks);
		assertThat(left).isNotDone();
		assertThat(leaderNodes()).hasSize(2);
		CompletableFuture<String> thread = left.thenApply((nothing) -> Thread.currentThread().getName());
		work.close();
		assertThat(get(thread)).as("no thread that others need").doesNotContain("EventThread").contains("user");
		assertThat(leaderNodes()).hasSize(1);
		awaitLeader(this.successor);
	}

	@Test
	void workIsNotWaitedForForEver() throws Exception {
		ZooKeeperLocks impatient = closing(builder().handOverWait(Duration.ofMillis(50)).build());
		LeaderElection leader = lead(impatient);
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Void> lost = new CompletableFuture<>();
		work.onLost(() -> lost.complete(null));
		get(leader.leaveAsync());
		get(lost);
		assertThat(leaderNodes()).isEmpty();
		assertThat(work.loss()).containsInstanceOf(LockLostException.class)
			.hasValueSatisfying(
					(loss) -> assertThat(((LockLostException) loss).reason()).isEqualTo(LossReason.GIVEN_UP));
	}

	@Test
	void nothingIsWaitedForIfThatIsWanted() throws Exception {
		ZooKeeperLocks hasty = closing(builder().handOverWait(Duration.ZERO).build());
		LeaderElection leader = lead(hasty);
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Void> left = leader.leaveAsync();
		assertThat(work.isLeader()).isFalse();
		get(left);
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void whoTakesNoPartHasLeft() {
		assertThat(this.election.leaveAsync()).isCompleted();
	}

	@Test
	void whoOnlyWaitsLeavesToo() throws Exception {
		this.successor.join();
		awaitLeader(this.successor);
		this.election.join();
		awaitLeaderNodes(2);
		get(this.election.leaveAsync());
		assertThat(leaderNodes()).hasSize(1);
		assertThat(this.successor.leadership().isLeader()).isTrue();
	}

	@Test
	void ownWorkIsNotWaitedForEvenIfItGoesOn() throws Exception {
		lead(this.locks);
		assertThat(this.leadership.run(() -> {
			LeaderWork other = work();
			CompletableFuture<Void> left = this.election.leaveAsync();
			assertThat(left).as("for other work").isNotDone();
			other.close();
			await().atMost(PATIENCE).until(left::isDone);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		})).as("given up, not lost").isTrue();
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void listenerMayWaitUntilItHasLeft() throws Exception {
		CompletableFuture<Integer> nodes = new CompletableFuture<>();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				await().atMost(PATIENCE).until(ElectionDepartureTests.this.election.leaveAsync()::isDone);
				nodes.complete(leaderNodes().size());
			}

		});
		this.election.join();
		assertThat(get(nodes)).isZero();
	}

	/**
	 * A listener that does not wait is told, and waited for, as all others are.
	 */
	@Test
	void listenerThatHasReturnedIsWaitedFor() throws Exception {
		CountDownLatch mayReturn = new CountDownLatch(1);
		CompletableFuture<CompletableFuture<Void>> leaving = new CompletableFuture<>();
		CompletableFuture<Void> revoked = new CompletableFuture<>();
		queueSuccessor();
		LeaderWork[] work = new LeaderWork[1];
		Thread[] caller = new Thread[1];
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				work[0] = work();
				caller[0] = Thread.currentThread();
				leaving.complete(ElectionDepartureTests.this.election.leaveAsync());
			}

			@Override
			public void revoked(String role, long fencingToken) {
				revoked.complete(null);
				awaitQuietly(mayReturn);
			}

		});
		this.election.join();
		awaitLeaderNodes(2);
		this.successor.leave();
		CompletableFuture<Void> left = get(leaving);
		awaitIdle(caller[0]);
		work[0].close();
		get(revoked);
		settle(this.locks);
		assertThat(left).isNotDone();
		assertThat(leaderNodes()).hasSize(1);
		mayReturn.countDown();
		get(left);
		assertThat(leaderNodes()).isEmpty();
	}

	/**
	 * Wait until a thread has nothing to do: its listener has returned.
	 */
	private static void awaitIdle(Thread thread) {
		await().atMost(PATIENCE)
			.until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING
					|| !thread.isAlive());
	}

	/**
	 * An excuse ends with the leadership that it was given for.
	 */
	@Test
	void listenerThatHasYieldedIsWaitedForInALaterTerm() throws Exception {
		CountDownLatch mayReturn = new CountDownLatch(1);
		CompletableFuture<Void> yielded = new CompletableFuture<>();
		AtomicInteger revoked = new AtomicInteger();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				if (!yielded.isDone()) {
					ElectionDepartureTests.this.leadership.yield();
					yielded.complete(null);
					awaitQuietly(mayReturn);
				}
			}

			@Override
			public void revoked(String role, long fencingToken) {
				revoked.incrementAndGet();
			}

		});
		this.election.join();
		get(yielded);
		awaitLeader(this.election);
		CompletableFuture<Void> left = this.election.leaveAsync();
		settle(this.locks);
		assertThat(left).isNotDone();
		assertThat(leaderNodes()).hasSize(1);
		mayReturn.countDown();
		get(left);
		assertThat(revoked).hasValue(2);
	}

	@Test
	void interruptOfOneCallOfAListenerIsNotThatOfTheNext() throws Exception {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				assertThat(ElectionDepartureTests.this.election.leaveAsync()).isNotNull();
				Thread.currentThread().interrupt();
			}

			@Override
			public void revoked(String role, long fencingToken) {
				interrupted.complete(Thread.currentThread().isInterrupted());
			}

		});
		this.election.join();
		assertThat(get(interrupted)).isFalse();
	}

	@Test
	void lostConnectionIsNotWaitedFor() throws Exception {
		FaultProxy proxy = proxy();
		LeaderElection leader = lead(registry(proxy));
		proxy.refuse();
		await().atMost(PATIENCE).until(() -> {
			CompletableFuture<Void> left = leader.leaveAsync();
			return left.isDone() || get(left) == null;
		});
		proxy.heal();
		awaitLeaderNodes(0);
	}

	// Yielding

	@Test
	void whoYieldsIsTheLastInTheQueue() throws Exception {
		LeadershipRecorder recorder = new LeadershipRecorder(lead(this.locks));
		List<String> old = leaderNodes();
		queueSuccessor();
		assertThat(this.leadership.yield()).isTrue();
		assertThat(leaderNodes()).doesNotContainAnyElementsOf(old);
		awaitLeader(this.successor);
		awaitLeaderNodes(2);
		assertThat(this.leadership.isLeader()).isFalse();
		this.successor.leave();
		awaitLeader(this.election);
		recorder.awaitEvents("granted", "revoked", "granted");
	}

	@Test
	void whoYieldsAloneLeadsAgainWithANewToken() {
		LeadershipRecorder recorder = new LeadershipRecorder(lead(this.locks));
		List<String> old = leaderNodes();
		long token = this.leadership.fencingToken();
		assertThat(this.leadership.yield()).isTrue();
		awaitLeader(this.election);
		assertThat(this.leadership.fencingToken()).isGreaterThan(token);
		assertThat(leaderNodes()).hasSize(1).doesNotContainAnyElementsOf(old);
		recorder.awaitEvents("granted", "revoked", "granted");
	}

	@Test
	void whoDoesNotLeadHasNothingToYield() throws Exception {
		assertThat(this.leadership.yield()).isFalse();
		this.successor.join();
		awaitLeader(this.successor);
		this.election.join();
		awaitLeaderNodes(2);
		List<String> nodes = leaderNodes();
		assertThat(this.leadership.yield()).isFalse();
		assertThat(leaderNodes()).isEqualTo(nodes);
		this.successor.leave();
		awaitLeader(this.election);
		LeaderWork work = work();
		CompletableFuture<Void> left = this.election.leaveAsync();
		assertThat(this.leadership.yield()).as("while leaving").isFalse();
		work.close();
		get(left);
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void yieldingWaitsForWork() throws Exception {
		lead(this.locks);
		queueSuccessor();
		LeaderWork work = work();
		CompletableFuture<Boolean> yielding = yielding();
		awaitClosedToWork();
		assertThat(work.isLeader()).isTrue();
		assertThat(yielding).isNotDone();
		assertThat(this.successor.leadership().isLeader()).isFalse();
		work.close();
		assertThat(get(yielding)).isTrue();
		awaitLeader(this.successor);
	}

	@Test
	void workThatYieldsIsNotLost() {
		lead(this.locks);
		queueSuccessor();
		assertThat(this.leadership.run(() -> {
			assertThat(this.leadership.yield()).isTrue();
			awaitLeader(this.successor);
			assertThat(this.leadership.isLeader()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		})).isTrue();
	}

	@Test
	void workDoesNotYieldALaterLeadership() {
		lead(this.locks);
		assertThat(this.leadership.run(() -> {
			assertThat(this.leadership.yield()).isTrue();
			awaitLeaderOutside();
			List<String> nodes = leaderNodes();
			assertThat(this.leadership.yield()).isFalse();
			assertThat(leaderNodes()).isEqualTo(nodes);
		})).isTrue();
	}

	/**
	 * Work without a thread may yield, too.
	 */
	@Test
	void workThatYieldsByItselfIsNotWaitedForAndNotLost() throws Exception {
		lead(this.locks);
		LeaderWork work = work();
		AtomicInteger told = new AtomicInteger();
		work.onLost(told::incrementAndGet);
		work.onLeaving(told::incrementAndGet);
		long token = work.fencingToken();
		assertThat(work.yield()).isTrue();
		assertThat(work.isLeader()).isFalse();
		awaitLeader(this.election);
		assertThat(this.leadership.fencingToken()).isGreaterThan(token);
		assertThat(work.yield()).as("a later term").isFalse();
		work.close();
		assertThat(this.leadership.isLeader()).isTrue();
		this.election.leave();
		assertThat(told).hasValue(0);
	}

	/**
	 * Wait for a later leadership than that of the current thread's work.
	 */
	private void awaitLeaderOutside() {
		CompletableFuture<Void> leads = call(() -> {
			awaitLeader(this.election);
			return null;
		});
		await().atMost(PATIENCE.multipliedBy(2)).until(leads::isDone);
	}

	/**
	 * Who is about to yield and loses its lease must not have it confirmed: the others
	 * have been promised the role.
	 */
	@Test
	void lossWhileYieldingLeavesTheOldNodeToNobody() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks shaky = closing(
				builder(proxy.connectString(), Duration.ofSeconds(6)).handOverWait(FOR_EVER).build());
		LeaderElection leader = lead(shaky);
		List<String> old = leaderNodes();
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Boolean> yielding = call(leader.leadership()::yield);
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		proxy.swallow();
		await().atMost(PATIENCE).until(() -> !work.isLeader());
		proxy.heal();
		assertThat(get(yielding)).isTrue();
		awaitLeader(leader);
		assertThat(leaderNodes()).hasSize(1).doesNotContainAnyElementsOf(old);
		work.close();
	}

	@Test
	void interruptEndsTheWaitForWork() throws Exception {
		lead(this.locks);
		queueSuccessor();
		LeaderWork work = work();
		assertThat(get(call(() -> {
			Thread.currentThread().interrupt();
			assertThat(this.leadership.yield()).isTrue();
			return Thread.interrupted();
		}))).as("interrupt stays set").isTrue();
		assertThat(work.isLeader()).isFalse();
		awaitLeader(this.successor);
	}

	@Test
	void whoYieldsMayLeaveMeanwhile() throws Exception {
		lead(this.locks);
		LeaderWork work = work();
		CompletableFuture<Boolean> yielding = yielding();
		awaitClosedToWork();
		CompletableFuture<Void> left = this.election.leaveAsync();
		work.close();
		assertThat(get(yielding)).isTrue();
		get(left);
		settle(this.locks);
		assertThat(leaderNodes()).isEmpty();
		assertThat(this.leadership.isLeader()).isFalse();
	}

	// Told before

	@Test
	void workIsToldBeforeItIsWaitedFor() throws Exception {
		lead(this.locks);
		queueSuccessor();
		LeaderWork work = work();
		CompletableFuture<Boolean> told = new CompletableFuture<>();
		work.onLeaving(() -> {
			told.complete(work.isLeader());
			work.close();
		});
		this.election.leave();
		assertThat(get(told)).as("leads until it has ended").isTrue();
		awaitLeader(this.successor);
	}

	@Test
	void workIsToldWhenTheRegistryIsClosed() throws Exception {
		lead(this.locks);
		LeaderWork work = work();
		work.onLeaving(work::close);
		this.locks.close();
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void whoAsksLaterIsToldAtOnce() throws Exception {
		lead(this.locks);
		LeaderWork work = work();
		CompletableFuture<Void> left = this.election.leaveAsync();
		work.onLeaving(work::close);
		get(left);
	}

	@Test
	void nobodyIsToldOfALossOrTwice() throws Exception {
		AtomicInteger told = new AtomicInteger();
		lead(this.locks);
		LeaderWork ended = work();
		ended.onLeaving(told::incrementAndGet);
		ended.close();
		LeaderWork lost = work();
		lost.onLeaving(() -> told.addAndGet(100));
		CompletableFuture<Void> heard = new CompletableFuture<>();
		lost.onLost(() -> heard.complete(null));
		registry().zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
		get(heard);
		awaitLeader(this.election);
		LeaderWork last = work();
		last.onLeaving(() -> told.addAndGet(10_000));
		CompletableFuture<Void> left = this.election.leaveAsync();
		CompletableFuture<Void> leftAgain = this.election.leaveAsync();
		CompletableFuture<Void> after = new CompletableFuture<>();
		last.onLeaving(() -> after.complete(null));
		get(after);
		last.close();
		get(left);
		get(leftAgain);
		assertThat(told).hasValue(10_000);
		lost.close();
	}

	@Test
	void workThatAsksItselfIsNotTold() {
		AtomicInteger told = new AtomicInteger();
		lead(this.locks);
		assertThat(this.leadership.run(() -> {
			LeaderWork other = work();
			other.onLeaving(() -> {
				told.incrementAndGet();
				other.close();
			});
			this.election.leave();
		})).isTrue();
		assertThat(told).hasValue(1);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.leadership::fencingToken);
	}

}
