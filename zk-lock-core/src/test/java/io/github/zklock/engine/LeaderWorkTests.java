package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Work that only a leader does.
 */
class LeaderWorkTests extends ElectionTestSupport {

	private final ZooKeeperLocks locks = registry();

	private final LeaderElection election = this.locks.election(ROLE);

	private final CountDownLatch mayEnd = new CountDownLatch(1);

	private final CountDownLatch started = new CountDownLatch(1);

	LeaderWorkTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
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

	private void deleteLeaderNode() throws Exception {
		registry().zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
	}

	private void awaitLeadershipAfter(long token) {
		LeadershipRecorder recorder = new LeadershipRecorder(this.election);
		await().atMost(PATIENCE).until(() -> recorder.tokens().stream().anyMatch((later) -> later > token));
	}

	@Test
	void workIsInterruptedWhenLeadershipIsLost() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> worker = call(() -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.election.leadership().run(this::workUntilInterrupted))
				.withMessageContaining("'role'")
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo(ROLE))
				.withCauseInstanceOf(IllegalStateException.class);
			return Thread.currentThread().isInterrupted();
		});
		awaitStart();
		deleteLeaderNode();
		assertThat(get(worker)).as("interrupt that was ours is taken back").isFalse();
	}

	@Test
	void workThatIgnoresTheInterruptIsToldInTheEnd() throws Exception {
		lead(this.locks);
		AtomicBoolean interrupted = new AtomicBoolean();
		CompletableFuture<Void> worker = call(() -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.election.leadership().run(() -> interrupted.set(workPatiently())));
			return null;
		});
		awaitStart();
		long token = this.election.leadership().fencingToken();
		deleteLeaderNode();
		awaitLeadershipAfter(token);
		this.mayEnd.countDown();
		get(worker);
		assertThat(interrupted).isTrue();
		assertThat(this.election.leadership().isLeader()).as("the later leadership goes on").isTrue();
	}

	@Test
	void workKnowsItsOwnLeadershipOnly() throws Exception {
		lead(this.locks);
		long token = this.election.leadership().fencingToken();
		CompletableFuture<Void> worker = call(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.election.leadership().run(() -> {
				assertThat(this.election.leadership().isLeader()).isTrue();
				assertThat(this.election.leadership().fencingToken()).isEqualTo(token);
				assertThat(this.election.leadership().since()).isPresent();
				workPatiently();
				assertThat(this.election.leadership().isLeader()).isFalse();
				assertThat(this.election.leadership().since()).isEmpty();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(this.election.leadership()::fencingToken);
			})).withNoCause();
			assertThat(this.election.leadership().isLeader()).as("outside of the work").isTrue();
			return null;
		});
		awaitStart();
		deleteLeaderNode();
		await().atMost(PATIENCE)
			.until(() -> this.election.leadership().isLeader() && this.election.leadership().fencingToken() > token);
		this.mayEnd.countDown();
		get(worker);
	}

	@Test
	void successorDoesNotOverlapAnOrderlyPredecessor() throws Exception {
		lead(this.locks);
		LeaderElection successor = registry().election(ROLE);
		successor.join();
		awaitLeaderNodes(2);
		CompletableFuture<Boolean> overlap = new CompletableFuture<>();
		CompletableFuture<Boolean> worker = call(() -> this.election.leadership().run(() -> {
			assertThat(workPatiently()).as("interrupted").isFalse();
			overlap.complete(successor.leadership().isLeader());
		}));
		awaitStart();
		CompletableFuture<Void> leaving = call(() -> {
			this.election.leave();
			return null;
		});
		await().atMost(PATIENCE).until(() -> !this.election.leadership().isLeader());
		assertThat(this.election.leadership().run(() -> {
		})).as("new work while leaving").isFalse();
		assertThat(this.election.leadership().begin()).isEmpty();
		assertThat(leaving).isNotDone();
		assertThat(leaderNodes()).hasSize(2);
		this.mayEnd.countDown();
		assertThat(get(worker)).isTrue();
		assertThat(get(overlap)).isFalse();
		get(leaving);
		awaitLeader(successor);
	}

	@Test
	void workMayBeDoneInsideWork() {
		lead(this.locks);
		AtomicInteger runs = new AtomicInteger();
		assertThat(this.election.leadership().run(() -> {
			assertThat(this.election.leadership().run(runs::incrementAndGet)).isTrue();
			assertThat(this.election.leadership().isLeader()).isTrue();
		})).isTrue();
		assertThat(runs).hasValue(1);
	}

	@Test
	void closingTheRegistryWaitsForWork() throws Exception {
		ZooKeeperLocks patient = closing(builder().closeWait(PATIENCE).build());
		LeaderElection leader = lead(patient);
		CompletableFuture<Boolean> worker = call(
				() -> leader.leadership().run(() -> assertThat(workPatiently()).isFalse()));
		awaitStart();
		CompletableFuture<Void> closed = call(() -> {
			patient.close();
			return null;
		});
		await().atMost(PATIENCE).until(() -> !leader.leadership().isLeader());
		assertThat(leaderNodes()).hasSize(1);
		assertThat(closed).isNotDone();
		this.mayEnd.countDown();
		assertThat(get(worker)).isTrue();
		get(closed);
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void workNeedsNoThread() throws Exception {
		lead(this.locks);
		LeaderWork work = this.election.leadership().begin().orElseThrow();
		LeaderWork other = this.election.leadership().begin().orElseThrow();
		assertThat(work.fencingToken()).isEqualTo(this.election.leadership().fencingToken());
		AtomicInteger losses = new AtomicInteger();
		work.onLost(losses::incrementAndGet);
		other.onLost(() -> losses.addAndGet(100));
		other.close();
		other.close();
		deleteLeaderNode();
		await().atMost(PATIENCE).until(() -> !work.isLeader());
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(losses).hasValue(1));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(work::fencingToken);
		awaitLeader(this.election);
		assertThat(work.isLeader()).isFalse();
		CompletableFuture<Void> late = new CompletableFuture<>();
		work.onLost(() -> late.complete(null));
		get(late);
		work.close();
	}

}
