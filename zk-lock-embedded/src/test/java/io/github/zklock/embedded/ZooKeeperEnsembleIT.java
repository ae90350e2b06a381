package io.github.zklock.embedded;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class ZooKeeperEnsembleIT {

	private final ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.builder()
		.syncLimit(40)
		.property("maxSessionTimeout", "60000")
		.start();

	@AfterEach
	void close() {
		List<Long> processes = this.ensemble.members()
			.stream()
			.filter(EnsembleMember::isRunning)
			.map(EnsembleMember::pid)
			.toList();
		this.ensemble.close();
		assertThat(processes).allSatisfy((pid) -> assertThat(ProcessHandle.of(pid)).isEmpty());
	}

	@Test
	void membersFormAQuorumAndShowTheirOwnView() throws Exception {
		EnsembleMember leader = this.ensemble.leader();
		List<EnsembleMember> followers = this.ensemble.followers();
		assertThat(followers).hasSize(2).doesNotContain(leader);
		EnsembleMember follower = followers.get(0);
		try (TestClient client = TestClient.connect(follower.connectString())) {
			long session = client.zooKeeper().getSessionId();
			client.create("/node", CreateMode.EPHEMERAL);
			client.zooKeeper().getData("/node", true, null);
			assertThat(follower.view().watchCount()).isEqualTo(1);
			assertThat(leader.view().watchCount()).isZero();
			assertThat(follower.view().packetsReceived()).isGreaterThanOrEqualTo(3);
			assertThat(follower.view().packetsSent()).isGreaterThanOrEqualTo(3);
			assertThat(follower.view().connectionCount()).isPositive();
			assertThat(follower.view().children("/")).contains("node");
			for (EnsembleMember member : List.of(leader, follower)) {
				assertThat(member.view().ephemeralCount()).isEqualTo(1);
				assertThat(member.view().ephemerals(session)).containsExactly("/node");
				assertThat(member.view().sessions()).contains(session);
			}
			assertThat(leader.view().ephemerals(1)).isEmpty();
			assertThat(leader.view().children("/missing")).isEmpty();
			Sessions.expire(client.zooKeeper());
			assertThat(leader.view().sessions()).doesNotContain(session);
		}
	}

	@Test
	void killedLeaderIsReplacedAndReturnsWithItsData() throws Exception {
		EnsembleMember killed = this.ensemble.leader();
		// Long enough for the election
		try (TestClient client = TestClient.connect(this.ensemble.connectString(), Duration.ofSeconds(30))) {
			long session = client.zooKeeper().getSessionId();
			client.create("/before", CreateMode.PERSISTENT);
			killed.kill();
			assertThat(killed.isRunning()).isFalse();
			assertThat(killed.isServing()).isFalse();
			assertThat(this.ensemble.leader()).isNotEqualTo(killed);
			await().atMost(TestClient.PATIENCE)
				.until(() -> client.createAsync("/after", CreateMode.PERSISTENT).get() == Code.OK
						|| client.existsAsync("/after").get() == Code.OK);
			assertThat(client.zooKeeper().getSessionId()).isEqualTo(session);
			killed.start();
			this.ensemble.awaitServing();
			assertThat(killed.isServing()).isTrue();
			assertThat(killed.view().children("/")).contains("before", "after");
		}
	}

	@Test
	void stoppedMemberReturnsWithItsData() throws Exception {
		EnsembleMember stopped = this.ensemble.followers().get(0);
		try (TestClient client = TestClient.connect(this.ensemble.leader().connectString())) {
			stopped.stop();
			assertThat(stopped.isRunning()).isFalse();
			client.create("/meanwhile", CreateMode.PERSISTENT);
			stopped.start();
			this.ensemble.awaitServing();
			assertThat(stopped.view().children("/")).contains("meanwhile");
		}
	}

	@Test
	void swallowedFollowerLinkKeepsThatFollowerAnsweringReads() throws Exception {
		EnsembleMember leader = this.ensemble.leader();
		EnsembleMember follower = this.ensemble.followers().get(0);
		try (TestClient cutOff = TestClient.connect(follower.connectString());
				TestClient other = TestClient.connect(leader.connectString())) {
			cutOff.create("/node", CreateMode.PERSISTENT);
			this.ensemble.cut(follower, leader);
			other.zooKeeper().setData("/node", "new".getBytes(StandardCharsets.UTF_8), -1);
			assertThat(other.zooKeeper().getData("/node", false, null)).asString().isEqualTo("new");
			assertThat(cutOff.zooKeeper().getData("/node", false, null)).as("the old value").isEmpty();
			assertThat(cutOff.state()).isEqualTo(KeeperState.SyncConnected);
			assertThat(follower.isServing()).isTrue();
			this.ensemble.heal();
			await().atMost(TestClient.PATIENCE).untilAsserted(() -> {
				try (TestClient healed = TestClient.connect(follower.connectString())) {
					assertThat(healed.zooKeeper().getData("/node", false, null)).asString().isEqualTo("new");
				}
			});
		}
	}

	@Test
	void heldAcknowledgementsDelayACommit() throws Exception {
		EnsembleMember leader = this.ensemble.leader();
		try (TestClient client = TestClient.connect(leader.connectString())) {
			List<MemberLink> toLeader = this.ensemble.followers()
				.stream()
				.map((follower) -> this.ensemble.link(follower, leader))
				.toList();
			toLeader.forEach(MemberLink::hold);
			CompletableFuture<Code> created = client.createAsync("/held", CreateMode.PERSISTENT);
			await().atMost(TestClient.PATIENCE)
				.until(() -> ((FourLetterView) leader.view()).ask("mntr").contains("zk_outstanding_requests\t1"));
			assertThat(created).isNotDone();
			assertThat(leader.view().ephemeralCount()).isZero();
			toLeader.forEach(MemberLink::release);
			assertThat(created.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
		}
	}

	@Test
	void killEndsAPausedMember() {
		EnsembleMember member = this.ensemble.followers().get(0);
		long pid = member.pid();
		member.pause();
		member.kill();
		assertThat(ProcessHandle.of(pid)).isEmpty();
		assertThat(member.isPaused()).isFalse();
	}

	@Test
	void badInputIsNamed() {
		EnsembleMember member = this.ensemble.member(1);
		assertThatIllegalArgumentException().isThrownBy(() -> this.ensemble.member(4)).withMessageContaining("4");
		assertThatIllegalArgumentException().isThrownBy(() -> this.ensemble.link(member, member));
		assertThatIllegalArgumentException().isThrownBy(() -> ZooKeeperEnsemble.builder().size(0))
			.withMessageContaining("'size'");
		assertThatIllegalStateException().isThrownBy(member::start).withMessageContaining("Member 1");
		member.kill();
		assertThatIllegalStateException().isThrownBy(member::pause).withMessageContaining("Member 1");
	}

	@Test
	void memberOfAClosedEnsembleDoesNotStart() {
		EnsembleMember member = this.ensemble.member(1);
		this.ensemble.close();
		assertThatIllegalStateException().isThrownBy(member::start).withMessageContaining("closed");
		assertThat(member.isRunning()).isFalse();
	}

	@Test
	void failedTestShowsTheLogsOfTheMembers() {
		String[] logs = ServerLogsExtensionTests.logsOfAFailedTest().split("The log of ");
		for (EnsembleMember member : this.ensemble.members()) {
			assertThat(logs).filteredOn((log) -> log.startsWith(member + " ends with:\n"))
				.singleElement()
				.asString()
				.contains(" INFO ");
		}
	}

}
