package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A leader that leaves lets its listeners hear of it before the next one leads, though
 * not for ever, and not if it has lost its leadership.
 */
class ElectionHandOverTests extends ElectionTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = closing(
			builder(this.proxy.connectString(), LONG_SESSION).handOverWait(FOR_EVER).build());

	private final LeaderElection election = this.locks.election(ROLE);

	private final SlowListener slow = new SlowListener();

	private final ZooKeeperLocks others = registry();

	private final LeaderElection successor = this.others.election(ROLE);

	ElectionHandOverTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void letListenersReturn() {
		this.slow.mayReturn.countDown();
	}

	private ZooKeeperLocks patientWithShortSession() {
		return closing(builder(this.proxy.connectString(), SHORT_SESSION).handOverWait(FOR_EVER).build());
	}

	private CompletableFuture<Void> leave(LeaderElection left) {
		return call(() -> {
			left.leave();
			return null;
		});
	}

	/**
	 * Let a leader leave, as far as to its slow listener.
	 */
	private CompletableFuture<Void> leaveSlowly(LeaderElection left) throws Exception {
		left.addListener(this.slow);
		CompletableFuture<Void> leaving = leave(left);
		get(this.slow.revoked);
		return leaving;
	}

	/**
	 * Whatever was on its way by now has been heard: had the node been deleted, it were
	 * gone.
	 */
	private void assertWaiting(CompletableFuture<Void> leaving) throws Exception {
		settle(this.locks);
		settle(this.others);
		assertThat(leaving).isNotDone();
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	/**
	 * Join with the one who leads next.
	 * @return whether the slow listener had returned when it began to lead
	 */
	private CompletableFuture<Boolean> queueSuccessor() {
		CompletableFuture<Boolean> ledAfterwards = new CompletableFuture<>();
		this.successor.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				ledAfterwards.complete(ElectionHandOverTests.this.slow.mayReturn.getCount() == 0);
			}

		});
		this.successor.join();
		awaitLeaderNodes(2);
		return ledAfterwards;
	}

	// Waiting

	@Test
	void successorLeadsWhenTheListenersHaveHeard() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> ledAfterwards = queueSuccessor();
		CompletableFuture<Void> leaving = leaveSlowly(this.election);
		assertWaiting(leaving);
		assertThat(this.election.leadership().isLeader()).isFalse();
		assertThat(leaderNodes()).hasSize(2);
		this.slow.mayReturn.countDown();
		assertThat(get(ledAfterwards)).isTrue();
		get(leaving);
		assertThat(leaderNodes()).hasSize(1);
	}

	@Test
	void closingWaitsForListeners() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> ledAfterwards = queueSuccessor();
		this.election.addListener(this.slow);
		CompletableFuture<Void> closing = call(() -> {
			this.locks.close();
			return null;
		});
		get(this.slow.revoked);
		settle(this.others);
		assertThat(closing).isNotDone();
		assertThat(leaderNodes()).hasSize(2);
		this.slow.mayReturn.countDown();
		assertThat(get(ledAfterwards)).isTrue();
		get(closing);
	}

	/**
	 * Nobody waits in a thread that has done its work.
	 */
	@Test
	void workThatEndsLastDoesNotWaitForListeners() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> ledAfterwards = queueSuccessor();
		this.election.addListener(this.slow);
		LeaderWork work = this.election.leadership().begin().orElseThrow();
		CompletableFuture<Void> leaving = leave(this.election);
		await().atMost(PATIENCE).until(() -> !this.election.leadership().isLeader());
		assertThat(this.slow.revoked).as("work goes on").isNotDone();
		work.close();
		get(this.slow.revoked);
		assertWaiting(leaving);
		assertThat(leaderNodes()).hasSize(2);
		this.slow.mayReturn.countDown();
		assertThat(get(ledAfterwards)).isTrue();
		get(leaving);
	}

	@Test
	void whoJoinsMeanwhileGetsANewNodeAfterwards() throws Exception {
		lead(this.locks);
		List<String> old = leaderNodes();
		CompletableFuture<Boolean> ledAfterwards = queueSuccessor();
		CompletableFuture<Void> leaving = leaveSlowly(this.election);
		this.election.join();
		assertWaiting(leaving);
		assertThat(leaderNodes()).hasSize(2).containsAll(old);
		assertThat(this.election.leadership().isLeader()).isFalse();
		this.slow.mayReturn.countDown();
		get(leaving);
		assertThat(get(ledAfterwards)).isTrue();
		awaitLeaderNodes(2);
		assertThat(leaderNodes()).doesNotContainAnyElementsOf(old);
		assertThat(this.election.leadership().isLeader()).as("behind all others").isFalse();
		this.successor.leave();
		awaitLeader(this.election);
	}

	@Test
	void rolesAreLeftAtTheSameTimeWhenTheRegistryIsClosed() throws Exception {
		CyclicBarrier together = new CyclicBarrier(2);
		CompletableFuture<Void> first = new CompletableFuture<>();
		CompletableFuture<Void> second = new CompletableFuture<>();
		lead(this.locks).addListener(meeting(together, first));
		LeaderElection other = this.locks.election("other");
		other.join();
		awaitLeader(other);
		other.addListener(meeting(together, second));
		this.locks.close();
		assertThat(first).isCompleted();
		assertThat(second).isCompleted();
	}

	private static LeadershipListener meeting(CyclicBarrier together, CompletableFuture<Void> met) {
		return new LeadershipListener() {

			@Override
			public void revoked(String role, long fencingToken) {
				try {
					together.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
					met.complete(null);
				}
				catch (Exception ex) {
					met.completeExceptionally(ex);
				}
			}

		};
	}

	@Test
	void lostConnectionIsNoReasonNotToWait() throws Exception {
		lead(this.locks);
		CompletableFuture<Void> leaving = leaveSlowly(this.election);
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		this.proxy.heal();
		awaitConnected(this.locks);
		assertWaiting(leaving);
		assertThat(leaderNodes()).hasSize(1);
		this.slow.mayReturn.countDown();
		get(leaving);
		awaitLeaderNodes(0);
	}

	// Not for ever

	@Test
	void listenerThatDoesNotReturnIsNotWaitedForForEver() throws Exception {
		ZooKeeperLocks impatient = closing(builder().handOverWait(Duration.ofMillis(1)).build());
		LeaderElection leader = lead(impatient);
		assertThat(leader.leadership().begin()).as("work that uses up the time").isPresent();
		leader.addListener(this.slow);
		long start = System.nanoTime();
		leader.leave();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("listeners have at least half a second")
			.isGreaterThanOrEqualTo(Duration.ofMillis(499));
		assertThat(leaderNodes()).isEmpty();
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	@Test
	void closingDoesNotWaitForEverForAnyListener() throws Exception {
		ZooKeeperLocks impatient = closing(builder().handOverWait(Duration.ofMillis(1)).build());
		lead(impatient).addListener(this.slow);
		impatient.close();
		assertThat(leaderNodes()).isEmpty();
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	@Test
	void nobodyIsWaitedForIfThatIsWanted() throws Exception {
		ZooKeeperLocks hasty = closing(builder().handOverWait(Duration.ZERO).build());
		LeaderElection leader = lead(hasty);
		CompletableFuture<Void> leaving = leaveSlowly(leader);
		get(leaving);
		assertThat(leaderNodes()).isEmpty();
		lead(hasty).leave();
	}

	@Test
	void interruptEndsTheWait() throws Exception {
		lead(this.locks);
		this.election.addListener(this.slow);
		CompletableFuture<Thread> leaver = new CompletableFuture<>();
		CompletableFuture<Boolean> leaving = call(() -> {
			leaver.complete(Thread.currentThread());
			this.election.leave();
			return Thread.interrupted();
		});
		get(this.slow.revoked);
		get(leaver).interrupt();
		assertThat(get(leaving)).as("interrupt stays set").isTrue();
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void interruptEndsTheWaitOfClosing() throws Exception {
		lead(this.locks);
		this.election.addListener(this.slow);
		CompletableFuture<Thread> closer = new CompletableFuture<>();
		CompletableFuture<Boolean> closing = call(() -> {
			closer.complete(Thread.currentThread());
			this.locks.close();
			return Thread.interrupted();
		});
		get(this.slow.revoked);
		get(closer).interrupt();
		assertThat(get(closing)).as("interrupt stays set").isTrue();
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void removedListenerIsNotWaitedFor() throws Exception {
		lead(this.locks);
		CompletableFuture<Void> leaving = leaveSlowly(this.election);
		assertWaiting(leaving);
		this.election.removeListener(this.slow);
		get(leaving);
		assertThat(leaderNodes()).isEmpty();
	}

	// Not for the caller

	@Test
	void listenerThatLeavesIsNotWaitedFor() throws Exception {
		CompletableFuture<Integer> nodes = new CompletableFuture<>();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				ElectionHandOverTests.this.election.leave();
				nodes.complete(leaderNodes().size());
			}

		});
		LeadershipRecorder recorder = new LeadershipRecorder(this.election);
		this.election.join();
		assertThat(get(nodes)).isZero();
		recorder.awaitEvents("granted", "revoked");
	}

	@Test
	void listenerThatLeavesWhileOthersWorkIsNotWaitedFor() throws Exception {
		CountDownLatch mayLeave = new CountDownLatch(1);
		CompletableFuture<Integer> nodes = new CompletableFuture<>();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				awaitQuietly(mayLeave);
				ElectionHandOverTests.this.election.leave();
				nodes.complete(leaderNodes().size());
			}

		});
		lead(this.locks);
		LeaderWork work = this.election.leadership().begin().orElseThrow();
		mayLeave.countDown();
		await().atMost(PATIENCE).until(() -> !this.election.leadership().isLeader());
		work.close();
		assertThat(get(nodes)).isZero();
	}

	@Test
	void listenerThatLeavesOnceMoreIsNotWaitedFor() throws Exception {
		CompletableFuture<Integer> nodes = new CompletableFuture<>();
		lead(this.locks).addListener(new LeadershipListener() {

			@Override
			public void revoked(String role, long fencingToken) {
				ElectionHandOverTests.this.election.leave();
				nodes.complete(leaderNodes().size());
			}

		});
		get(leave(this.election));
		assertThat(get(nodes)).isZero();
	}

	@Test
	void listenerThatClosesTheRegistryIsNotWaitedFor() throws Exception {
		CompletableFuture<Integer> nodes = new CompletableFuture<>();
		this.election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				ElectionHandOverTests.this.locks.close();
				nodes.complete(leaderNodes().size());
			}

		});
		this.election.join();
		assertThat(get(nodes)).isZero();
	}

	// Losing

	@Test
	void lossEndsTheWait() throws Exception {
		ZooKeeperLocks patient = patientWithShortSession();
		LeaderElection leader = lead(patient);
		CompletableFuture<Void> leaving = leaveSlowly(leader);
		this.proxy.swallow();
		get(leaving);
		assertThat(this.slow.mayReturn.getCount()).isOne();
		this.proxy.heal();
		awaitLeaderNodes(0);
	}

	@Test
	void endOfTheSessionEndsTheWait() throws Exception {
		lead(this.locks);
		CompletableFuture<Void> leaving = leaveSlowly(this.election);
		Sessions.expire(this.locks.zooKeeper(), server().connectString());
		get(leaving);
		assertThat(leaderNodes()).isEmpty();
		lead(this.locks);
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	@Test
	void nodeThatIsDeletedByHandEndsTheWait() throws Exception {
		ZooKeeperLocks patient = patientWithShortSession();
		LeaderElection leader = lead(patient);
		// the own node is watched from the first heartbeat on
		String node = parentOfRole(ROLE) + "/" + leaderNodes().get(0);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() > 0);
		CompletableFuture<Void> leaving = leaveSlowly(leader);
		this.others.zooKeeper().delete(node, -1);
		get(leaving);
		lead(patient);
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	@Test
	void nobodyIsWaitedForAfterALoss() throws Exception {
		ZooKeeperLocks patient = patientWithShortSession();
		LeaderElection leader = lead(patient);
		leader.addListener(this.slow);
		long token = leader.leadership().fencingToken();
		await().atMost(PATIENCE).until(() -> server().view().watchCount() > 0);
		this.others.zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
		get(this.slow.revoked);
		await().atMost(PATIENCE)
			.until(() -> leader.leadership().isLeader() && leader.leadership().fencingToken() > token);
	}

	/**
	 * The lease is over, and who leaves is the first to notice.
	 */
	@Test
	void nobodyIsWaitedForAfterALossThatNobodyHasHeardOf() throws Exception {
		ZooKeeperLocks patient = patientWithShortSession();
		LeaderElection leader = lead(patient);
		leader.addListener(this.slow);
		CountDownLatch loopMayGoOn = new CountDownLatch(1);
		keeper(patient).loop().execute(() -> awaitQuietly(loopMayGoOn));
		awaitLeaseEnd(patient);
		CompletableFuture<Void> leaving = leave(leader);
		get(this.slow.revoked);
		loopMayGoOn.countDown();
		get(leaving);
		assertThat(this.slow.mayReturn.getCount()).isOne();
	}

	/**
	 * Takes its time to hear that it does not lead any more.
	 */
	private static final class SlowListener implements LeadershipListener {

		private final CompletableFuture<Void> revoked = new CompletableFuture<>();

		private final CountDownLatch mayReturn = new CountDownLatch(1);

		@Override
		public void revoked(String role, long fencingToken) {
			this.revoked.complete(null);
			boolean interrupted = false;
			while (true) {
				try {
					this.mayReturn.await();
					break;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
