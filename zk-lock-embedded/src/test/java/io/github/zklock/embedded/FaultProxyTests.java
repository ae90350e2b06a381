package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

@EmbeddedZooKeeperTest
class FaultProxyTests {

	private static final Duration SESSION = Duration.ofSeconds(12);

	private final EmbeddedZooKeeper server;

	private final String root;

	private final FaultProxy proxy;

	private TestClient client;

	FaultProxyTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws IOException {
		this.server = server;
		this.root = connectString.substring(connectString.indexOf('/'));
		this.proxy = FaultProxy.to(server.connectString());
		this.client = connect();
	}

	private TestClient connect() throws IOException {
		return TestClient.connect(TestClient.twice(this.proxy.connectString()) + this.root, SESSION);
	}

	@BeforeEach
	void countFromHere() {
		this.proxy.resetCounts();
	}

	@AfterEach
	void close() throws InterruptedException {
		this.proxy.heal();
		this.client.close();
		this.proxy.close();
	}

	private List<String> nodes() {
		return this.server.view().children(this.root);
	}

	private Code create(String path) throws Exception {
		return this.client.createAsync(path, CreateMode.PERSISTENT).get(30, TimeUnit.SECONDS);
	}

	@Test
	void withoutFaultEverythingPasses() throws Exception {
		assertThat(create("/a")).isEqualTo(Code.OK);
		assertThat(nodes()).containsExactly("a");
		assertThat(this.proxy.connectionCount()).isEqualTo(1);
	}

	@Test
	void countsFramesByDirectionAndOperation() throws Exception {
		create("/a");
		create("/b");
		this.client.zooKeeper().getData("/a", true, null);
		this.client.zooKeeper().setData("/a", new byte[10], -1);
		await().atMost(TestClient.PATIENCE)
			.untilAsserted(
					() -> assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isEqualTo(1));
		for (Direction direction : Direction.values()) {
			assertThat(this.proxy.frames(direction, Operation.CREATE)).isEqualTo(2);
			assertThat(this.proxy.frames(direction, Operation.GET_DATA)).isEqualTo(1);
			assertThat(this.proxy.frames(direction, Operation.SET_DATA)).isEqualTo(1);
			assertThat(this.proxy.frames(direction, Operation.DELETE)).isZero();
			assertThat(this.proxy.frames(direction, Operation.ANY)).isEqualTo(4);
			assertThat(this.proxy.frames(direction)).isGreaterThanOrEqualTo(4);
			assertThat(this.proxy.bytes(direction)).isGreaterThan(50);
		}
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.NOTIFICATION)).isZero();
	}

	@Test
	void repliesToRequestsWithTheSameNumberKeepTheirOperation() throws Exception {
		this.proxy.hold(Direction.TO_SERVER);
		this.client.zooKeeper().addAuthInfo("digest", new byte[] { 'a' });
		this.client.zooKeeper().addAuthInfo("digest", new byte[] { 'b' });
		await().atMost(TestClient.PATIENCE).until(() -> this.proxy.frames(Direction.TO_SERVER, Operation.AUTH) == 2);
		this.proxy.heal();
		this.client.zooKeeper().exists("/", false);
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.AUTH)).isEqualTo(2);
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.OTHER)).isZero();
	}

	@Test
	void cutAfterCreateLeavesTheNodeWhileTheClientSeesConnectionLoss() throws Exception {
		FaultProxy.Trigger cut = this.proxy.cutAfter(Operation.CREATE, 1);
		assertThat(create("/a")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(cut.await(TestClient.PATIENCE)).isTrue();
		assertThat(nodes()).containsExactly("a");
		this.client.awaitSeen(KeeperState.Disconnected);
		this.client.awaitState(KeeperState.SyncConnected);
		assertThat(create("/b")).isEqualTo(Code.OK);
	}

	@Test
	void cutBeforeCreateKeepsItFromTheServer() throws Exception {
		FaultProxy.Trigger cut = this.proxy.cutBefore(Operation.CREATE, 1);
		assertThat(cut.hasFired()).isFalse();
		assertThat(create("/a")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(cut.await(TestClient.PATIENCE)).isTrue();
		this.client.awaitState(KeeperState.SyncConnected);
		assertThat(nodes()).isEmpty();
	}

	@Test
	void rulesCountFramesOfTheirOperationFromNowOn() throws Exception {
		create("/a");
		FaultProxy.Trigger cut = this.proxy.cutBefore(Operation.CREATE, 2);
		this.client.zooKeeper().exists("/a", false);
		assertThat(create("/b")).isEqualTo(Code.OK);
		assertThat(cut.hasFired()).isFalse();
		assertThat(create("/c")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(cut.await(TestClient.PATIENCE)).isTrue();
	}

	@Test
	void rulesCountFramesOnWhichOthersAct() throws Exception {
		FaultProxy.Trigger first = this.proxy.cutBefore(Operation.CREATE, 1);
		FaultProxy.Trigger second = this.proxy.cutAfter(Operation.CREATE, 1);
		FaultProxy.Trigger third = this.proxy.cutBefore(Operation.CREATE, 2);
		assertThat(create("/a")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(first.await(TestClient.PATIENCE)).isTrue();
		assertThat(third.hasFired()).isFalse();
		this.client.awaitSeen(KeeperState.Disconnected);
		this.client.awaitState(KeeperState.SyncConnected);
		assertThat(create("/b")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(third.await(TestClient.PATIENCE)).isTrue();
		this.client.awaitState(KeeperState.SyncConnected);
		assertThat(second.hasFired()).as("no create was answered").isFalse();
		assertThat(nodes()).isEmpty();
	}

	@Test
	void oldestOfTheRulesForAFrameDecidesAndAllAreDone() throws Exception {
		FaultProxy.Trigger cut = this.proxy.cutBefore(Operation.CREATE, 1);
		FaultProxy.Trigger hold = this.proxy.hold(Direction.TO_SERVER, Operation.ANY, 1);
		assertThat(create("/a")).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(cut.await(TestClient.PATIENCE)).isTrue();
		assertThat(hold.await(TestClient.PATIENCE)).isTrue();
		this.client.awaitSeen(KeeperState.Disconnected);
		this.client.awaitState(KeeperState.SyncConnected);
		assertThat(create("/b")).isEqualTo(Code.OK);
	}

	@Test
	void anyStandsForEveryRequest() throws Exception {
		this.proxy.cutBefore(Operation.ANY, 3);
		assertThat(create("/a")).isEqualTo(Code.OK);
		this.client.zooKeeper().exists("/a", false);
		assertThat(create("/b")).isEqualTo(Code.CONNECTIONLOSS);
	}

	@Test
	void passThenCutDeliversTheReplyFirst() throws Exception {
		this.proxy.passThenCut(Direction.TO_CLIENT, Operation.CREATE, 1);
		assertThat(create("/a")).isEqualTo(Code.OK);
		this.client.awaitSeen(KeeperState.Disconnected);
	}

	@Test
	void droppedRequestNeverArrivesAndTheClientNoticesAtTheNextReply() throws Exception {
		this.proxy.drop(Direction.TO_SERVER, Operation.CREATE, 1);
		CompletableFuture<Code> created = this.client.createAsync("/a", CreateMode.PERSISTENT);
		CompletableFuture<Code> behind = this.client.existsAsync("/");
		assertThat(created.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(nodes()).isEmpty();
	}

	@Test
	void droppedReplyLeavesTheNode() throws Exception {
		this.proxy.drop(Direction.TO_CLIENT, Operation.CREATE, 1);
		CompletableFuture<Code> created = this.client.createAsync("/a", CreateMode.PERSISTENT);
		CompletableFuture<Code> behind = this.client.existsAsync("/");
		assertThat(created.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(behind.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
		assertThat(nodes()).containsExactly("a");
	}

	@Test
	void heldTrafficArrivesInOrderAfterHealing() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<Code> first = this.client.createAsync("/a", CreateMode.PERSISTENT);
		CompletableFuture<Code> second = this.client.existsAsync("/a");
		await().atMost(TestClient.PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.EXISTS) == 1);
		assertThat(nodes()).containsExactly("a");
		assertThat(first).isNotDone();
		this.proxy.heal();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
	}

	@Test
	void releaseInOneDirectionLeavesTheOtherAsItIs() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<Code> first = this.client.existsAsync("/");
		await().atMost(TestClient.PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.EXISTS) == 1);
		this.proxy.hold(Direction.TO_SERVER);
		CompletableFuture<Code> second = this.client.existsAsync("/");
		this.proxy.release(Direction.TO_CLIENT);
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
		assertThat(second).isNotDone();
		this.proxy.heal();
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
	}

	@Test
	void holdFromOneFrameOnLetsEarlierOnesPass() throws Exception {
		this.proxy.delay(Duration.ofMillis(100));
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_SERVER, Operation.CREATE, 2);
		CompletableFuture<Code> first = this.client.createAsync("/a", CreateMode.PERSISTENT);
		CompletableFuture<Code> second = this.client.createAsync("/b", CreateMode.PERSISTENT);
		assertThat(held.await(TestClient.PATIENCE)).isTrue();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
		assertThat(second).isNotDone();
		assertThat(nodes()).containsExactly("a");
		this.proxy.heal();
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
	}

	@Test
	void delayIsAddedToARoundTripAndNotToEachFrame() throws Exception {
		Duration delay = Duration.ofMillis(100);
		int requests = 200;
		this.proxy.delay(delay);
		long start = System.nanoTime();
		List<CompletableFuture<Code>> answers = IntStream.range(0, requests)
			.mapToObj((index) -> this.client.existsAsync("/"))
			.toList();
		for (CompletableFuture<Code> answer : answers) {
			assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(Code.OK);
		}
		Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
		assertThat(elapsed).isBetween(delay, delay.multipliedBy(requests / 2));
	}

	@Test
	void refusedClientsReturnAfterHealing() throws Exception {
		try (TestClient patient = TestClient.connect(TestClient.twice(this.proxy.connectString()))) {
			this.proxy.refuse();
			patient.awaitState(KeeperState.Disconnected);
			assertThat(patient.existsAsync("/").get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
			this.proxy.heal();
			patient.awaitState(KeeperState.SyncConnected);
		}
	}

	@Test
	void healForgetsRules() throws Exception {
		this.proxy.cutBefore(Operation.CREATE, 1);
		this.proxy.heal();
		assertThat(create("/a")).isEqualTo(Code.OK);
	}

	@Test
	void retargetSendsNewConnectionsElsewhere() throws Exception {
		try (EmbeddedZooKeeper other = EmbeddedZooKeeper.startNew();
				TestClient direct = TestClient.connect(other.connectString())) {
			direct.create("/elsewhere", CreateMode.PERSISTENT);
			this.proxy.retarget(other.connectString());
			assertThat(create("/a")).as("the old connection stays").isEqualTo(Code.OK);
			try (TestClient moved = TestClient.connect(this.proxy.connectString())) {
				assertThat(moved.zooKeeper().exists("/elsewhere", false)).isNotNull();
			}
		}
	}

	@Test
	void serverThatIsGoneClosesTheConnection() throws Exception {
		try (EmbeddedZooKeeper other = EmbeddedZooKeeper.startNew();
				FaultProxy inFront = FaultProxy.to(other.connectString());
				TestClient beyond = TestClient.connect(inFront.connectString())) {
			other.stop();
			beyond.awaitState(KeeperState.Disconnected);
			await().atMost(TestClient.PATIENCE).untilAsserted(() -> assertThat(inFront.connectionCount()).isZero());
			other.start();
			beyond.awaitState(KeeperState.SyncConnected);
		}
	}

	@Test
	void badInputIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> FaultProxy.to("localhost"))
			.withMessageContaining("'localhost'");
		assertThatIllegalArgumentException().isThrownBy(() -> FaultProxy.to("localhost:x"));
		assertThatIllegalArgumentException().isThrownBy(() -> FaultProxy.to("a:1,b:2"))
			.withMessageContaining("one server")
			.withMessageContaining("'a:1,b:2'");
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.cutAfter(Operation.CREATE, 0))
			.withMessageContaining("'n'");
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.delay(Duration.ofMillis(-1)))
			.withMessageContaining("'roundTrip'");
	}

}
