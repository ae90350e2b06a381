package io.github.zklock.embedded;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Members that soon give up a leader, or followers, of whom they do not hear.
 */
class EnsembleElectionIT {

	private final ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.builder()
		.tickTime(Duration.ofMillis(400))
		.syncLimit(16)
		.start();

	@AfterEach
	void close() {
		this.ensemble.close();
	}

	@Test
	void pausedLeaderLeadsToAnElectionAndFollowsAfterwards() {
		EnsembleMember paused = this.ensemble.leader();
		paused.pause();
		assertThat(paused.isPaused()).isTrue();
		assertThat(paused.isRunning()).isTrue();
		EnsembleMember successor = this.ensemble.leader();
		assertThat(successor).isNotEqualTo(paused);
		paused.resume();
		await().atMost(TestClient.PATIENCE).until(() -> paused.isServing() && !paused.isLeader());
		assertThat(this.ensemble.leader()).isEqualTo(successor);
	}

	@Test
	void isolatedLeaderIsReplacedByTheOthers() {
		EnsembleMember isolated = this.ensemble.leader();
		this.ensemble.isolate(isolated);
		await().atMost(TestClient.PATIENCE)
			.until(() -> this.ensemble.members()
				.stream()
				.anyMatch((member) -> member != isolated && member.isLeader()));
		await().atMost(TestClient.PATIENCE).until(() -> !isolated.isServing());
		this.ensemble.heal();
		this.ensemble.awaitServing();
		assertThat(isolated.isServing()).isTrue();
		assertThat(isolated.isLeader()).isFalse();
	}

	@Test
	void memberThatIsCutOffCannotVote() {
		EnsembleMember isolated = this.ensemble.followers().get(0);
		EnsembleMember other = this.ensemble.followers().get(1);
		this.ensemble.isolate(isolated);
		await().atMost(TestClient.PATIENCE).until(() -> !isolated.isServing());
		other.kill();
		await().atMost(TestClient.PATIENCE)
			.until(() -> this.ensemble.members().stream().noneMatch(EnsembleMember::isServing));
		this.ensemble.heal();
		this.ensemble.awaitServing();
	}

}
