package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Errors that hit an election while it gives up a leadership: whoever leaves has left in
 * the end, listeners hear of each end once, and there is one node at most.
 */
class ElectionErrorTests extends ElectionTestSupport {

	private static final String NOWHERE = "";

	private final AtomicReference<String> place = new AtomicReference<>(NOWHERE);

	private final CountDownLatch thrown = new CountDownLatch(1);

	ElectionErrorTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks failing(Duration handOverWait) {
		return closing(with(builder().handOverWait(handOverWait), (options) -> options.faults(this::pass)).build());
	}

	/**
	 * Throw once, at the place that the test has chosen.
	 */
	private void pass(String passed) {
		if (this.place.compareAndSet(passed, NOWHERE)) {
			this.thrown.countDown();
			throw new StackOverflowError("on purpose");
		}
	}

	private void awaitRepair(ZooKeeperLocks locks) {
		EventLoop loop = keeper(locks).loop();
		await().atMost(PATIENCE).until(() -> !loop.troubled);
		CountDownLatch done = new CountDownLatch(1);
		loop.execute(done::countDown);
		awaitQuietly(done);
	}

	/**
	 * The error hits the timer that ends the wait for work, so the session goes with it.
	 */
	@Test
	void revocationThatAnErrorHitsIsMadeUpFor() throws Exception {
		ZooKeeperLocks locks = failing(Duration.ofMillis(50));
		LeadershipRecorder recorder = new LeadershipRecorder(lead(locks));
		LeaderElection election = locks.election(ROLE);
		LeaderWork work = election.leadership().begin().orElseThrow();
		CompletableFuture<Void> lost = new CompletableFuture<>();
		work.onLost(() -> lost.complete(null));
		this.place.set("revoke");
		CompletableFuture<Void> left = election.leaveAsync();
		awaitQuietly(this.thrown);
		get(left);
		get(lost);
		recorder.awaitEvents("granted", "revoked");
		awaitLeaderNodes(0);
	}

	@Test
	void leadershipWhoseNodeIsDeletedIsRevokedDespiteAnError() throws Exception {
		ZooKeeperLocks locks = closing(with(builder(), (options) -> options.faults(this::pass)).build());
		LeadershipRecorder recorder = new LeadershipRecorder(lead(locks));
		watchOwnNodes(locks);
		this.place.set("revoke");
		registry().zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
		awaitQuietly(this.thrown);
		recorder.awaitEvents("granted", "revoked", "granted");
		awaitLeaderNodes(1);
	}

	@Test
	void listenerIsToldAfterAnErrorInTheTelling() throws Exception {
		ZooKeeperLocks locks = failing(Duration.ofMillis(50));
		LeaderElection election = lead(locks);
		LeadershipRecorder recorder = new LeadershipRecorder(election);
		recorder.awaitEvents("granted");
		assertThat(election.leadership().begin()).isPresent();
		this.place.set("user task");
		CompletableFuture<Void> left = election.leaveAsync();
		awaitQuietly(this.thrown);
		get(left);
		recorder.awaitEvents("granted", "revoked");
		lead(locks);
		recorder.awaitEvents("granted", "revoked", "granted");
	}

	/**
	 * Whoever closes the work is thrown out by the clock, before anything is noted.
	 */
	@Test
	void workWhoseEndFailsIsNotWaitedFor() throws Exception {
		AtomicReference<@Nullable Thread> failing = new AtomicReference<>();
		ZooKeeperLocks locks = closing(
				with(builder().handOverWait(Duration.ofHours(1)), (options) -> options.platform(new SystemPlatform() {

					@Override
					public long nanoTime() {
						if (failing.compareAndSet(Thread.currentThread(), null)) {
							throw new StackOverflowError("on purpose");
						}
						return super.nanoTime();
					}

				})).build());
		LeaderElection election = lead(locks);
		LeaderWork work = election.leadership().begin().orElseThrow();
		failing.set(Thread.currentThread());
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(work::close);
		get(election.leaveAsync());
		awaitLeaderNodes(0);
	}

	@Test
	void errorElsewhereCostsNoLeadership() throws Exception {
		ZooKeeperLocks locks = failing(Duration.ZERO);
		LeaderElection election = lead(locks);
		LeadershipRecorder recorder = new LeadershipRecorder(election);
		LeaderWork work = election.leadership().begin().orElseThrow();
		locks.lock("lock").lock();
		this.place.set("end hold");
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(locks.lock("lock")::unlock);
		awaitRepair(locks);
		assertThat(work.isLeader()).isTrue();
		recorder.awaitEvents("granted");
	}

	@Test
	void whoJoinsAgainAfterAnErrorHasOneNode() throws Exception {
		ZooKeeperLocks locks = failing(Duration.ZERO);
		LeaderElection election = lead(locks);
		election.leave();
		this.place.set("send");
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(election::join);
		CompletableFuture<Void> left = election.leaveAsync();
		election.join();
		get(left);
		awaitLeader(election);
		awaitLeaderNodes(1);
	}

	@Test
	void workIsToldOfAYieldThatAnErrorHits() throws Exception {
		ZooKeeperLocks locks = failing(Duration.ofHours(1));
		LeaderElection election = lead(locks);
		LeaderWork work = election.leadership().begin().orElseThrow();
		work.onLeaving(work::close);
		this.place.set("user task");
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(election.leadership()::yield);
		await().atMost(PATIENCE).until(() -> !work.isLeader());
		awaitLeader(election);
		awaitLeaderNodes(1);
	}

}
