package io.github.zklock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

/**
 * Joining, leaving, working and closing at the same time, and at the wrong moment.
 */
class ElectionRaceTests extends ElectionTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = closing(
			builder(this.proxy.connectString(), SHORT_SESSION).handOverWait(FOR_EVER).build());

	private final LeaderElection election = this.locks.election(ROLE);

	private final CountDownLatch loopMayGoOn = new CountDownLatch(1);

	ElectionRaceTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private CompletableFuture<Void> leave() {
		return call(() -> {
			this.election.leave();
			return null;
		});
	}

	private CompletableFuture<Void> close(ZooKeeperLocks closed) {
		return call(() -> {
			closed.close();
			return null;
		});
	}

	private void setPermissionsOfParent(int permissions) throws Exception {
		registry().zooKeeper()
			.setACL(parentOfRole(ROLE), Arrays.asList(new ACL(permissions, new Id("world", "anyone"))), -1);
	}

	private static CompletableFuture<Thread> starting(CompletableFuture<Thread> thread) {
		thread.complete(Thread.currentThread());
		return thread;
	}

	private static void awaitWaiting(Thread thread) {
		await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.WAITING);
	}

	/**
	 * Let the lease end without anybody hearing of it, until the loop may go on.
	 */
	private void endLeaseInSilence() {
		keeper(this.locks).loop().execute(() -> {
			try {
				assertThat(Patience.await(this.loopMayGoOn)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		awaitLeaseEnd(this.locks);
	}

	// Leaving

	@Test
	void leavingReturnsWhenTheDeleteIsRefused() throws Exception {
		lead(this.locks);
		setPermissionsOfParent(ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE);
		get(leave());
		assertThat(leaderNodes()).hasSize(1);
		get(leave());
		this.election.join();
		setPermissionsOfParent(ZooDefs.Perms.ALL);
		awaitLeader(this.election);
		assertThat(leaderNodes()).as("h94: the old node has gone first").hasSize(1);
	}

	@Test
	void leavingReturnsWhenSomebodyJoinsBeforeTheCreateIsAnswered() throws Exception {
		lead(this.locks);
		this.election.leave();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		this.election.join();
		assertThat(held.await(PATIENCE)).isTrue();
		CompletableFuture<Thread> leaver = new CompletableFuture<>();
		CompletableFuture<Void> leaving = call(() -> {
			starting(leaver);
			this.election.leave();
			return null;
		});
		awaitWaiting(get(leaver));
		this.election.join();
		this.proxy.heal();
		awaitLeader(this.election);
		get(leaving);
		assertThat(this.election.leadership().isLeader()).isTrue();
	}

	/**
	 * A thread that leaves is interrupted too late: somebody has joined again since.
	 */
	@Test
	void leavingEndsNoLaterPart() throws Exception {
		LeadershipRecorder recorder = new LeadershipRecorder(this.election);
		lead(this.locks);
		Candidacy candidacy = ((ElectionHandle) this.election).candidacy();
		LeaveRequest request = candidacy.leave();
		lead(this.locks);
		assertThat(this.election.leadership().run(() -> {
			candidacy.departure().stopWaiting(request.contender());
			assertThat(this.election.leadership().isLeader()).isTrue();
		})).isTrue();
		recorder.awaitEvents("granted", "revoked", "granted");
	}

	@Test
	void leavingIsNoExcuseForWorkWhoseLeadershipWasLostBefore() throws Exception {
		lead(this.locks);
		CompletableFuture<Thread> leaver = new CompletableFuture<>();
		CompletableFuture<Boolean> worker = call(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.election.leadership().run(() -> {
				endLeaseInSilence();
				assertThat(this.election.leadership().isLeader()).isFalse();
				starting(leaver);
				this.election.leave();
			})).withNoCause();
			return Thread.currentThread().isInterrupted();
		});
		awaitWaiting(get(leaver));
		this.loopMayGoOn.countDown();
		assertThat(get(worker)).as("interrupt that was ours is taken back").isFalse();
	}

	@Test
	void leavingWaitsForWorkThatItsThreadHasBegunForOthers() throws Exception {
		LeaderElection leader = lead(registry());
		CompletableFuture<LeaderWork> begun = new CompletableFuture<>();
		CompletableFuture<Void> leaving = call(() -> {
			begun.complete(leader.leadership().begin().orElseThrow());
			leader.leave();
			return null;
		});
		LeaderWork work = get(begun);
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		await().atMost(PATIENCE)
			.during(Duration.ofMillis(100))
			.until(() -> work.isLeader() && leaderNodes().size() == 1);
		work.close();
		get(leaving);
		assertThat(leaderNodes()).isEmpty();
	}

	// Closing

	@Test
	void closingInWorkWaitsForOtherWorkNoLongerThanItTakes() throws Exception {
		ZooKeeperLocks patient = closing(builder().closeWait(FOR_EVER).build());
		LeaderElection leader = lead(patient);
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Boolean> closing = call(() -> leader.leadership().run(patient::close));
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		work.close();
		assertThat(get(closing)).isTrue();
	}

	@Test
	void closingWithoutAConnectionWaitsForWorkNoLongerThanItTakes() throws Exception {
		ZooKeeperLocks patient = closing(
				builder(this.proxy.connectString(), SHORT_SESSION).closeWait(FOR_EVER).build());
		LeaderElection leader = lead(patient);
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Void> closing = close(patient);
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		this.proxy.refuse();
		this.proxy.cut();
		awaitDisconnected(patient);
		work.close();
		get(closing);
	}

	@Test
	void closingDoesNotWaitForWorkThatHasLostItsLeadership() throws Exception {
		ZooKeeperLocks patient = closing(
				builder(this.proxy.connectString(), SHORT_SESSION).closeWait(FOR_EVER).build());
		LeaderElection leader = lead(patient);
		LeaderWork work = leader.leadership().begin().orElseThrow();
		CompletableFuture<Void> closing = close(patient);
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		this.proxy.swallow();
		get(closing);
		assertThat(work.isLeader()).isFalse();
	}

	// Working

	@Test
	void lossThatIsFoundOutAtTheEndIsALoss() throws Exception {
		lead(this.locks);
		LeaderWork work = this.election.leadership().begin().orElseThrow();
		CompletableFuture<Void> told = new CompletableFuture<>();
		work.onLost(() -> told.complete(null));
		endLeaseInSilence();
		work.close();
		this.loopMayGoOn.countDown();
		get(told);
	}

	@Test
	void workInsideLostWorkIsNotDone() throws Exception {
		lead(this.locks);
		long token = this.election.leadership().fencingToken();
		AtomicInteger runs = new AtomicInteger();
		LeadershipRecorder recorder = new LeadershipRecorder(this.election);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.election.leadership().run(() -> {
			CompletableFuture<Void> deleted = call(() -> {
				registry().zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
				return null;
			});
			while (!deleted.isDone() || recorder.tokens().stream().noneMatch((later) -> later > token)) {
				LockSupport.parkNanos(100_000);
			}
			assertThat(this.election.leadership().isLeader()).isFalse();
			assertThat(this.election.leadership().run(runs::incrementAndGet)).isFalse();
			assertThat(this.election.leadership().begin()).isEmpty();
		})).withNoCause();
		assertThat(runs).hasValue(0);
		assertThat(this.election.leadership().run(runs::incrementAndGet)).isTrue();
	}

	@Test
	void interruptOfSomebodyElseStays() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> worker = call(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.election.leadership().run(() -> {
				Thread.currentThread().interrupt();
				LeaderElection same = this.election;
				call(() -> {
					registry().zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
					return null;
				});
				while (same.leadership().isLeader()) {
					Thread.onSpinWait();
				}
			})).withNoCause();
			return Thread.interrupted();
		});
		assertThat(get(worker)).isTrue();
	}

	@Test
	void nothingIsNoLossAction() throws Exception {
		lead(this.locks);
		LeaderWork work = this.election.leadership().begin().orElseThrow();
		assertThatNullPointerException().isThrownBy(() -> work.onLost(nothing()));
		work.close();
		this.election.leave();
		assertThat(leaderNodes()).isEmpty();
	}

	@SuppressWarnings("NullAway")
	private static Runnable nothing() {
		return null;
	}

	// Listeners

	@Test
	void listenerThatIsAddedTwiceIsToldOnce() throws Exception {
		LeadershipRecorder recorder = new LeadershipRecorder(this.election);
		this.election.addListener(recorder);
		LeadershipListener other = new LeadershipListener() {
		};
		this.election.addListener(other);
		this.election.removeListener(other);
		this.election.removeListener(other);
		lead(this.locks);
		this.election.addListener(recorder);
		this.election.leave();
		LeadershipRecorder last = new LeadershipRecorder(this.election);
		lead(this.locks);
		last.awaitEvents("granted");
		recorder.awaitEvents("granted", "revoked", "granted");
	}

}
