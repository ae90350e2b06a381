package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Leadership;
import io.github.zklock.local.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leadership that is lost when a test says so, thousands of times, and had again at once.
 */
final class LosableLeadership implements AutoCloseable {

	static final String ROLE = "losable";

	private final LocalLocks locks = LocalLocks.builder().handOverWait(Duration.ofHours(1)).build();

	private final LeaderElection election = this.locks.election(ROLE);

	private final ExecutorService loser = Executors.newSingleThreadExecutor();

	LosableLeadership() {
		lead();
	}

	/**
	 * Join, and wait until that is won, on a thread that does not look at interrupts.
	 */
	private void lead() {
		this.election.join();
		long start = System.nanoTime();
		while (!leadership().isLeader() && System.nanoTime() - start < LeaderTestSupport.PATIENCE.toNanos()) {
			Thread.onSpinWait();
		}
		assertThat(leadership().isLeader()).isTrue();
	}

	Leadership leadership() {
		return this.election.leadership();
	}

	/**
	 * Lose the leadership in which all present work began. By another thread, which does
	 * not know what this one does, and without a wait that an interrupt could end.
	 */
	void lose() {
		CompletableFuture<Void> lost = CompletableFuture.runAsync(this::loseHere, this.loser);
		long start = System.nanoTime();
		while (!lost.isDone() && System.nanoTime() - start < LeaderTestSupport.PATIENCE.toNanos()) {
			Thread.onSpinWait();
		}
		assertThat(lost).isCompleted();
	}

	/**
	 * Lose the leadership, on a thread that does no work.
	 */
	void loseHere() {
		// Whoever is interrupted leaves without waiting
		Thread.currentThread().interrupt();
		this.election.leave();
		Thread.interrupted();
		lead();
	}

	/**
	 * Wait until all work has ended.
	 */
	void awaitNoWork() {
		await().atMost(LeaderTestSupport.PATIENCE).until(this.election.leaveAsync()::isDone);
		lead();
	}

	@Override
	public void close() {
		loseHere();
		this.loser.shutdownNow();
		this.locks.close();
	}

}
