package io.github.zklock.embedded;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileHeader;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.util.ServiceUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class EmbeddedZooKeeperTests {

	@Test
	void servesClients() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			client.create("/node", CreateMode.PERSISTENT);
			assertThat(client.zooKeeper().getChildren("/", false)).contains("node");
			assertThat(server.isRunning()).isTrue();
		}
	}

	@Test
	void listensOnLoopbackOnly() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew(); ServerSocket other = new ServerSocket()) {
			assertThat(server.connectString()).isEqualTo("127.0.0.1:" + server.port());
			other.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.2"), server.port()));
			assertThat(other.isBound()).isTrue();
		}
	}

	@Test
	void restartKeepsPortDataAndSessions() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			String node = client.create("/node", CreateMode.EPHEMERAL);
			long session = client.zooKeeper().getSessionId();
			int port = server.port();
			server.stop();
			client.awaitState(KeeperState.Disconnected);
			assertThat(server.isRunning()).isFalse();
			server.start();
			client.awaitState(KeeperState.SyncConnected);
			assertThat(server.port()).isEqualTo(port);
			assertThat(client.zooKeeper().getSessionId()).isEqualTo(session);
			assertThat(server.view().ephemerals(session)).containsExactly(node);
		}
	}

	@Test
	void restartIsStopAndStart() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			client.create("/node", CreateMode.PERSISTENT);
			server.restart();
			assertThat(server.view().children("/")).contains("node");
			client.awaitSeen(KeeperState.Disconnected);
			client.awaitState(KeeperState.SyncConnected);
		}
	}

	@Test
	void givenPortAndDirectoryAreUsedAndKept(@TempDir Path directory) throws Exception {
		int port = Loopback.freePort();
		Path data = directory.resolve("not/there/yet");
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().port(port).dataDirectory(data).start();
				TestClient client = TestClient.connect("127.0.0.1:" + port)) {
			client.create("/node", CreateMode.PERSISTENT);
			assertThat(server.dataDirectory()).isEqualTo(data);
		}
		try (EmbeddedZooKeeper second = EmbeddedZooKeeper.builder().dataDirectory(data).start()) {
			assertThat(second.view().children("/")).contains("node");
		}
		assertThat(data).isNotEmptyDirectory();
	}

	@Test
	void closeDeletesTemporaryDirectoryAndEndsForGood() {
		EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
		assertThat(server.dataDirectory()).exists();
		server.close();
		server.close();
		assertThat(server.dataDirectory()).doesNotExist();
		assertThat(server.isRunning()).isFalse();
		assertThatIllegalStateException().isThrownBy(server::start).withMessageContaining("closed");
	}

	@Test
	void portInUseIsNamedAndNothingIsLeft() throws Exception {
		try (ServerSocket taken = Loopback.listen()) {
			EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().port(taken.getLocalPort()).build();
			Set<Thread> before = Thread.getAllStackTraces().keySet();
			assertThatExceptionOfType(ZooKeeperStartException.class).isThrownBy(server::start)
				.withMessageContaining("Port " + taken.getLocalPort() + " on 127.0.0.1");
			assertThat(server.isRunning()).isFalse();
			awaitNoThreadsBut(before);
			taken.close();
			server.start();
			assertThat(server.isRunning()).isTrue();
			server.close();
		}
	}

	@Test
	void failedStartOfBuilderLeavesNoDirectory(@TempDir Path directory) throws Exception {
		try (ServerSocket taken = Loopback.listen()) {
			Set<Path> before = temporaryDirectories();
			assertThatExceptionOfType(ZooKeeperStartException.class)
				.isThrownBy(() -> EmbeddedZooKeeper.builder().port(taken.getLocalPort()).start());
			assertThat(temporaryDirectories()).isSubsetOf(before);
		}
	}

	private static Set<Path> temporaryDirectories() throws IOException {
		Path parent = DataDirectory.createTemporary();
		Files.delete(parent);
		try (var files = Files.list(parent.resolveSibling("."))) {
			return files.map(Path::getFileName)
				.filter((name) -> name.toString().startsWith(DataDirectory.TEMPORARY_PREFIX))
				.collect(Collectors.toSet());
		}
	}

	@Test
	void directoryThatCannotBeWrittenIsNamed(@TempDir Path directory) throws Exception {
		Path file = Files.createFile(directory.resolve("file"));
		Path below = file.resolve("data");
		int port = Loopback.freePort();
		assertThatExceptionOfType(ZooKeeperStartException.class)
			.isThrownBy(() -> EmbeddedZooKeeper.builder().port(port).dataDirectory(below).start())
			.withMessageContaining(below.toString());
		assertNothingListensOn(port);
	}

	@Test
	void directoryWithUnusableDataIsNamedAndNothingIsLeft(@TempDir Path directory) throws Exception {
		Files.createFile(directory.resolve("version-2"));
		int port = Loopback.freePort();
		assertThatExceptionOfType(ZooKeeperStartException.class)
			.isThrownBy(() -> EmbeddedZooKeeper.builder().port(port).dataDirectory(directory).start())
			.withMessageContaining(directory.toString());
		assertNothingListensOn(port);
		Files.delete(directory.resolve("version-2"));
		EmbeddedZooKeeper.builder().port(port).dataDirectory(directory).start().close();
	}

	@Test
	void damagedSnapshotIsNamedAndNothingIsLeft(@TempDir Path directory) throws Exception {
		writeDamagedSnapshot(directory);
		int port = Loopback.freePort();
		EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().port(port).dataDirectory(directory).build();
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		assertThatExceptionOfType(ZooKeeperStartException.class).isThrownBy(server::start)
			.withMessageContaining("port " + port)
			.withMessageContaining(directory.toString())
			.withMessageContaining("missing acls");
		assertThat(server.isRunning()).isFalse();
		assertNothingListensOn(port);
		awaitNoThreadsBut(before);
	}

	/**
	 * Write a snapshot that looks sound from outside and makes ZooKeeper throw a
	 * RuntimeException.
	 */
	static void writeDamagedSnapshot(Path directory) throws IOException {
		Path file = Files.createDirectories(directory.resolve("version-2")).resolve("snapshot.0");
		try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
			new FileHeader(FileSnap.SNAP_MAGIC, 2, -1).serialize(BinaryOutputArchive.getArchive(out), "fileheader");
			int sessions = 0;
			out.writeInt(sessions);
			int accessControlLists = 1;
			out.writeInt(accessControlLists);
			out.writeLong(1);
			int noList = -1;
			out.writeInt(noList);
			out.writeInt(1);
			out.write('/');
		}
	}

	@Test
	void directoryOfAnotherServerIsRefused(@TempDir Path directory) {
		try (EmbeddedZooKeeper first = EmbeddedZooKeeper.builder().dataDirectory(directory).start()) {
			assertThatExceptionOfType(ZooKeeperStartException.class)
				.isThrownBy(() -> EmbeddedZooKeeper.builder().dataDirectory(directory).start())
				.withMessageContaining(directory.toString())
				.withMessageContaining("in use");
			assertThat(first.isRunning()).isTrue();
		}
	}

	@Test
	void secondStartIsRefused() {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			assertThatIllegalStateException().isThrownBy(server::start)
				.withMessageContaining("already running on port " + server.port());
			assertThat(server.isRunning()).isTrue();
		}
	}

	@Test
	void badOptionsAreNamed() {
		EmbeddedZooKeeper.Builder builder = EmbeddedZooKeeper.builder();
		assertThatIllegalArgumentException().isThrownBy(() -> builder.port(-1)).withMessageContaining("'port'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.port(65_536)).withMessageContaining("65536");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.tickTime(Duration.ZERO))
			.withMessageContaining("'tickTime'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.containerCheckInterval(Duration.ofDays(100)))
			.withMessageContaining("'containerCheckInterval'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.containersPerMinute(0))
			.withMessageContaining("'containersPerMinute'");
	}

	@Test
	void laterChangesOfTheBuilderDoNotMatter() {
		EmbeddedZooKeeper.Builder builder = EmbeddedZooKeeper.builder().tickTime(Duration.ofMillis(123));
		try (EmbeddedZooKeeper server = builder.build()) {
			builder.tickTime(Duration.ofMillis(456));
			server.start();
			assertThat(server.server().getTickTime()).isEqualTo(123);
		}
	}

	@Test
	void unstartedServerHasNoPortAndNoView() {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().build()) {
			assertThatIllegalStateException().isThrownBy(server::connectString);
			assertThatIllegalStateException().isThrownBy(() -> server.view().watchCount());
		}
	}

	@Test
	void closeLeavesNoThread() throws Exception {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			client.create("/node", CreateMode.PERSISTENT);
			server.restart();
		}
		awaitNoThreadsBut(before);
	}

	@Test
	void interruptedThreadStopsTheServerAndStaysInterrupted() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			ZooKeeperServer stopped = server.server();
			Thread.currentThread().interrupt();
			server.stop();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(stopped.getServerCnxnFactory().getNumAliveConnections()).isZero();
			server.start();
			client.awaitSeen(KeeperState.Disconnected);
			client.awaitState(KeeperState.SyncConnected);
		}
	}

	@Test
	void emptyContainersAreRemoved() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder()
			.containerCheckInterval(Duration.ofMillis(20))
			.start(); TestClient client = TestClient.connect(server.connectString())) {
			client.create("/container", CreateMode.CONTAINER);
			client.create("/container/child", CreateMode.PERSISTENT);
			client.zooKeeper().delete("/container/child", -1);
			await().atMost(TestClient.PATIENCE)
				.untilAsserted(() -> assertThat(server.view().children("/")).doesNotContain("container"));
		}
	}

	/**
	 * The limit of 10,000 a minute lets one of them go in 6 ms, which ZooKeeper measures
	 * in whole milliseconds. That it takes so long is certain, however fast the machine
	 * is.
	 */
	@Test
	void emptyContainersAreRemovedAsSlowlyAsByAnyServer() throws Exception {
		int containers = 300;
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder()
			.containerCheckInterval(Duration.ofMillis(20))
			.start(); TestClient client = TestClient.connect(server.connectString())) {
			client.create("/containers", CreateMode.PERSISTENT);
			List<Op> makeAll = new ArrayList<>();
			List<Op> emptyAll = new ArrayList<>();
			for (int index = 0; index < containers; index++) {
				String container = "/containers/" + index;
				makeAll.add(Op.create(container, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER));
				makeAll.add(Op.create(container + "/child", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
				emptyAll.add(Op.delete(container + "/child", -1));
			}
			client.zooKeeper().multi(makeAll);
			long start = System.nanoTime();
			client.zooKeeper().multi(emptyAll);
			await().atMost(TestClient.PATIENCE)
				.untilAsserted(() -> assertThat(server.view().children("/containers")).isEmpty());
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(4L * containers));
		}
	}

	@Test
	void usualSessionTimeoutsAreGranted() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew();
				TestClient usual = TestClient.connect(server.connectString(), Duration.ofSeconds(15));
				TestClient shortest = TestClient.connectOnce(server.connectString(), Duration.ofMillis(500))) {
			assertThat(usual.zooKeeper().getSessionTimeout()).isEqualTo(15_000);
			assertThat(shortest.zooKeeper().getSessionTimeout()).isEqualTo(1_000);
		}
	}

	@Test
	void leavesTheJvmAlone() {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			ServiceUtils.requestSystemExit(1);
			assertThat(server.isRunning()).isTrue();
			assertThat(Thread.getDefaultUncaughtExceptionHandler()).isNull();
		}
	}

	private static void awaitNoThreadsBut(Set<Thread> expected) {
		await().atMost(TestClient.PATIENCE)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !expected.contains(thread) && !thread.getName().startsWith("awaitility"))
				.isEmpty());
	}

	private static void assertNothingListensOn(int port) {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			try (Socket socket = new Socket()) {
				socket.connect(Loopback.address(port), 1_000);
			}
		});
	}

}
