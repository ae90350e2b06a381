package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who makes the nodes above those of the locks, who may touch them, and who is told.
 */
class AccessTests extends LockTestSupport {

	private static final List<ACL> READ_ONLY = Ids.READ_ACL_UNSAFE;

	private final LogRecorder access = new LogRecorder(AccessCheck.class, Level.INFO);

	AccessTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void detach() {
		this.access.close();
	}

	private ZooKeeperLocks.Builder app() {
		return builder().acl(Ids.CREATOR_ALL_ACL).authInfo("digest", "app:secret");
	}

	private static ACL of(String credentials, int permissions) throws Exception {
		return new ACL(permissions, new Id("digest", DigestAuthenticationProvider.generateDigest(credentials)));
	}

	/**
	 * A client that belongs to nobody.
	 */
	private ZooKeeper stranger() {
		return registry().zooKeeper();
	}

	private static void make(ZooKeeper client, List<ACL> acl, String... paths) throws Exception {
		for (String path : paths) {
			// The client asks whether the list contains null, which others do not like
			client.create(path, new byte[0], new ArrayList<>(acl), CreateMode.PERSISTENT);
		}
	}

	private void use(ZooKeeperLocks locks, String name) throws Exception {
		locks.lock(name).acquire().close();
		settle(locks);
	}

	// Who may touch the nodes

	@Test
	void strangerWhoWasFirstIsWarnedOf() throws Exception {
		make(stranger(), Ids.OPEN_ACL_UNSAFE, "/zk-lock", "/zk-lock/locks", "/zk-lock/locks/pay");
		ZooKeeperLocks locks = closing(app().build());
		use(locks, "pay");
		use(locks, "pay");
		use(locks, "mine");
		assertThat(this.access.texts(Level.WARN)).hasSize(3)
			.allSatisfy((text) -> assertThat(text).contains("world:anyone may create, delete, change the list",
					"zk.lock.acl", "'acl'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock/locks'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock/locks/pay'"));
		assertThat(locks.accessProblems()).hasSize(2);
	}

	@Test
	void strangerWhoComesBetweenConnectionAndFirstLockIsWarnedOf() throws Exception {
		ZooKeeperLocks locks = closing(app().build());
		locks.zooKeeper();
		settle(locks);
		make(stranger(), Ids.OPEN_ACL_UNSAFE, "/zk-lock", "/zk-lock/leaders", "/zk-lock/leaders/boss");
		locks.election("boss").join();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.access.texts(Level.WARN)).hasSize(3));
		assertThat(this.access.texts(Level.WARN)).anySatisfy((text) -> assertThat(text).contains("'/zk-lock'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock/leaders'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock/leaders/boss'"));
		locks.election("boss").leave();
	}

	@Test
	void rootThatIsMadeAgainByAStrangerIsWarnedOf() throws Exception {
		ZooKeeperLocks locks = closing(app().build());
		use(locks, "lock");
		ZooKeeper own = locks.zooKeeper();
		for (String path : List.of("/zk-lock/locks/lock", "/zk-lock/locks", "/zk-lock")) {
			own.delete(path, -1);
		}
		make(stranger(), Ids.OPEN_ACL_UNSAFE, "/zk-lock");
		assertThat(this.access.texts(Level.WARN)).isEmpty();
		use(locks, "lock");
		assertThat(this.access.texts(Level.WARN)).singleElement().asString().contains("'/zk-lock'");
	}

	@Test
	void ownNodesAreNotWarnedOf() throws Exception {
		ZooKeeperLocks locks = closing(app().build());
		use(locks, "lock");
		FaultProxy proxy = proxy();
		ZooKeeperLocks second = closing(
				builder(proxy.connectString(), LONG_SESSION).authInfo("digest", "app:secret").build());
		second.zooKeeper();
		settle(second);
		use(second, "lock");
		// Four levels, one of which does not exist, and twice who this is
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_CLIENT, Operation.OTHER) == 6);
		assertThat(second.accessProblems()).isEmpty();
		settle(second);
		assertThat(this.access.texts(Level.INFO)).isEmpty();
	}

	@Test
	void whatWasAskedForIsNotWarnedOf() throws Exception {
		List<ACL> acl = List.of(of("app:secret", Perms.ALL), new ACL(Perms.ALL, new Id("ip", "127.0.0.0/8")),
				new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE));
		ZooKeeperLocks locks = closing(app().acl(acl).build());
		use(locks, "lock");
		use(closing(app().acl(acl).build()), "lock");
		assertThat(locks.accessProblems()).isEmpty();
		assertThat(this.access.texts(Level.INFO)).isEmpty();
		ZooKeeperLocks strict = closing(app().build());
		use(strict, "lock");
		assertThat(this.access.texts(Level.WARN)).hasSize(3)
			.allSatisfy((text) -> assertThat(text).contains("ip:127.0.0.0/8").doesNotContain("world"));
	}

	@Test
	void otherApplicationsAreNamedOnceWithoutTheirDigests() throws Exception {
		ZooKeeperLocks ops = closing(builder().acl(Ids.OPEN_ACL_UNSAFE).authInfo("digest", "ops:secret").build());
		make(ops.zooKeeper(), List.of(of("app:secret", Perms.ALL), of("ops:secret", Perms.ALL)), "/zk-lock",
				"/zk-lock/leaders");
		ZooKeeperLocks locks = closing(app().build());
		use(locks, "lock");
		use(locks, "other");
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.access.texts(Level.INFO)).hasSize(2));
		assertThat(this.access.texts(Level.WARN)).isEmpty();
		assertThat(this.access.texts(Level.INFO))
			.allSatisfy((text) -> assertThat(text).contains("digest:ops may create, delete, change the list")
				.doesNotContain("digest:app", DigestAuthenticationProvider.generateDigest("ops:secret")))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock'"))
			.anySatisfy((text) -> assertThat(text).contains("'/zk-lock/leaders'"));
	}

	@Test
	void listThatMustNotBeReadIsWarnedOf() throws Exception {
		make(stranger(), List.of(of("ops:secret", Perms.ALL)), "/zk-lock");
		ZooKeeperLocks locks = closing(app().build());
		locks.zooKeeper();
		settle(locks);
		assertThat(this.access.texts(Level.WARN)).singleElement()
			.asString()
			.contains("'/zk-lock'", "zk.lock.auth", "zk.lock.acl", "zk.lock.create-root");
		assertThat(locks.accessProblems()).singleElement().asString().contains("'/zk-lock'", "NoAuth");
	}

	/**
	 * What is above matters only while the root could be removed.
	 */
	@Test
	void openNodeAboveAnEmptyRootIsWarnedOf() throws Exception {
		make(stranger(), List.of(of("app:secret", Perms.ALL)), "/zk-lock");
		ZooKeeperLocks locks = closing(app().build());
		locks.zooKeeper();
		settle(locks);
		assertThat(this.access.texts(Level.WARN)).singleElement()
			.asString()
			.contains("Node '/' is above '/zk-lock'", "zk.lock.root");
		assertThat(locks.accessProblems()).isEmpty();
		use(locks, "lock");
		use(closing(app().build()), "lock");
		assertThat(this.access.texts(Level.WARN)).hasSize(1);
	}

	@Test
	void openNodesCostNoPacket() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks open = registry(proxy);
		use(open, "lock");
		open.election("role").join();
		await().atMost(PATIENCE).until(open.election("role").leadership()::isLeader);
		assertThat(open.accessProblems()).isEmpty();
		settle(open);
		assertThat(proxy.frames(Direction.TO_SERVER, Operation.OTHER)).isZero();
		open.close();
		FaultProxy other = proxy();
		ZooKeeperLocks closed = closing(builder(other.connectString(), LONG_SESSION).root("/closed")
			.authInfo("digest", "app:secret")
			.acl(List.of(of("app:secret", Perms.ALL)))
			.build());
		use(closed, "lock");
		assertThat(other.frames(Direction.TO_SERVER, Operation.OTHER))
			.as("three levels with the first connection, and three when they exist")
			.isEqualTo(6);
		use(closed, "lock");
		assertThat(other.frames(Direction.TO_SERVER, Operation.OTHER)).as("once for each name").isEqualTo(6);
		use(closed, "other");
		assertThat(other.frames(Direction.TO_SERVER, Operation.OTHER)).as("one for another name").isEqualTo(7);
	}

	@Test
	void credentialsWithoutAListMeanTheCreator() throws Exception {
		ZooKeeperLocks locks = closing(builder().authInfo("digest", "app:secret").build());
		try (LockLease lease = locks.lock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			for (String path : List.of("/zk-lock", "/zk-lock/locks", "/zk-lock/locks/lock",
					"/zk-lock/locks/lock/" + nodes("lock").get(0))) {
				assertThat(locks.zooKeeper().getACL(path, null)).containsExactly(of("app:secret", Perms.ALL));
			}
		}
		ZooKeeperLocks open = closing(
				builder().root("/open").authInfo("digest", "app:secret").acl(Ids.OPEN_ACL_UNSAFE).build());
		use(open, "lock");
		assertThat(open.zooKeeper().getACL("/open", null)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
	}

	@Test
	void refusalsNameWhatToChange() throws Exception {
		use(closing(app().build()), "lock");
		ZooKeeperLocks other = registry();
		for (String name : List.of("lock", "new")) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> other.lock(name).lock())
				.withMessageContainingAll("'" + name + "'", "zk.lock.acl", "zk.lock.auth", "zk.lock.create-root",
						"docs/security.md", "NoAuth");
		}
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> other.lock("lock").tryLock())
			.withMessageContainingAll("zk.lock.acl", "NoAuth");
		ZooKeeperLocks nobody = closing(builder().root("/nobody").acl(Ids.CREATOR_ALL_ACL).build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> nobody.lock("lock").lock())
			.withMessageContainingAll("zk.lock.auth", "InvalidACL");
	}

	/**
	 * The recipe of docs/security.md.
	 */
	@Test
	void credentialsCanBeChangedWhileLocksAreInUse() throws Exception {
		ZooKeeperLocks old = closing(builder().authInfo("digest", "app:old").build());
		use(old, "lock");
		ZooKeeperLocks both = closing(builder().authInfo("digest", "app:old").authInfo("digest", "app:new").build());
		use(both, "lock");
		use(both, "other");
		use(old, "other");
		ZooKeeperLocks fresh = closing(builder().authInfo("digest", "app:new").build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> fresh.lock("lock").lock())
			.withMessageContaining("NoAuth");
		try (LockLease lease = both.lock("lock").acquire()) {
			for (String path : List.of("/zk-lock", "/zk-lock/locks", "/zk-lock/locks/lock",
					"/zk-lock/locks/lock/" + nodes("lock").get(0), "/zk-lock/locks/other")) {
				both.zooKeeper().setACL(path, Ids.CREATOR_ALL_ACL, -1);
			}
			CompletableFuture<LockLease> waiting = acquire(fresh.lock("lock"));
			awaitNodes("lock", 2);
			assertThat(lease.isHeld()).isTrue();
			lease.close();
			get(waiting).close();
		}
		for (String name : List.of("lock", "other", "third")) {
			use(fresh, name);
			use(both, name);
		}
	}

	// Who makes the nodes

	@Test
	void rootStaysWhenParentsAreReaped() throws Exception {
		try (EmbeddedZooKeeper reaping = EmbeddedZooKeeper.builder()
			.containerCheckInterval(Duration.ofMillis(1))
			.start(); ZooKeeperLocks locks = ZooKeeperLocks.builder(reaping.connectString()).build()) {
			locks.lock("lock").acquire().close();
			locks.election("role").join();
			await().atMost(PATIENCE).until(locks.election("role").leadership()::isLeader);
			locks.election("role").leave();
			await().atMost(PATIENCE).until(() -> reaping.view().children("/zk-lock/locks").isEmpty());
			await().atMost(PATIENCE).until(() -> reaping.view().children("/zk-lock/leaders").isEmpty());
			// Whatever the server wants to remove now, it has found out by the next round
			locks.lock("other").acquire().close();
			await().atMost(PATIENCE).until(() -> reaping.view().children("/zk-lock/locks").isEmpty());
			assertThat(reaping.view().children("/zk-lock")).containsExactlyInAnyOrder("leaders", "locks");
			assertThat(reaping.server().getZKDatabase().getDataTree().getContainers()).doesNotContain("/zk-lock",
					"/zk-lock/locks", "/zk-lock/leaders");
		}
	}

	@Test
	void rootThatIsAContainerKeepsWorking() throws Exception {
		ZooKeeper earlier = stranger();
		for (String path : List.of("/zk-lock", "/zk-lock/locks")) {
			earlier.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
		}
		ZooKeeperLocks locks = registry();
		try (LockLease lease = locks.lock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1);
		}
		earlier.delete("/zk-lock/locks/lock", -1);
		earlier.delete("/zk-lock/locks", -1);
		use(locks, "lock");
		assertThat(server().server().getZKDatabase().getDataTree().getContainers()).contains(chroot() + "/zk-lock")
			.doesNotContain(chroot() + "/zk-lock/locks");
	}

	@Test
	void levelsAboveTheRootAreLikeTheirParent() throws Exception {
		List<ACL> list = List.of(of("ops:secret", Perms.ALL), of("app:secret", Perms.ALL),
				new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE));
		make(stranger(), list, "/top");
		ZooKeeperLocks locks = closing(app().root("/top/a/b/root").build());
		ZooKeeper client = locks.zooKeeper();
		List<CompletableFuture<LockLease>> leases = new ArrayList<>();
		for (int name = 0; name < 20; name++) {
			leases.add(locks.lock("lock-" + name).acquireAsync(PATIENCE));
		}
		for (CompletableFuture<LockLease> lease : leases) {
			get(lease).close();
		}
		for (String path : List.of("/top/a", "/top/a/b")) {
			assertThat(client.getACL(path, null)).as(path).isEqualTo(list);
		}
		for (String path : List.of("/top/a/b/root", "/top/a/b/root/locks")) {
			assertThat(client.getACL(path, null)).as(path).containsExactly(of("app:secret", Perms.ALL));
		}
		assertThat(server().server().getZKDatabase().getDataTree().getContainers())
			.contains(chroot() + "/top/a/b/root/locks/lock-0")
			.doesNotContain(chroot() + "/top/a", chroot() + "/top/a/b", chroot() + "/top/a/b/root",
					chroot() + "/top/a/b/root/locks");
	}

	@Test
	void levelsAboveTheRootAreMadeInSpiteOfLostAnswers() throws Exception {
		for (int answer = 1; answer <= 8; answer++) {
			FaultProxy proxy = proxy();
			ZooKeeperLocks locks = closing(
					builder(proxy.connectString(), LONG_SESSION).root("/lost-" + answer + "/a/root").build());
			locks.zooKeeper();
			settle(locks);
			proxy.cutAfter(Operation.ANY, answer);
			try (LockLease lease = locks.lock("lock").acquire()) {
				assertThat(lease.isHeld()).isTrue();
			}
		}
	}

	/**
	 * A server shows digests only to those who may change the list. A copy of such a list
	 * would let in nobody.
	 */
	@Test
	void listThatIsNotShownIsNotCopied() throws Exception {
		make(stranger(), List.of(of("ops:secret", Perms.ALL), new ACL(Perms.READ | Perms.CREATE, Ids.ANYONE_ID_UNSAFE)),
				"/top");
		ZooKeeperLocks locks = closing(app().root("/top/a/root").build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.lock("lock").lock())
			.withMessageContainingAll("'/top/a'", "'/top'");
		assertThat(server().view().children(chroot() + "/top")).isEmpty();
	}

	@Test
	void levelsThatMustNotBeMadeAreRefusedWithARecipe() throws Exception {
		make(stranger(), READ_ONLY, "/top");
		ZooKeeperLocks locks = closing(builder().root("/top/a/root").build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.lock("lock").lock())
			.withMessageContainingAll("/top/a", "NoAuth", "zk.lock.create-root");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/given", "/given/root" })
	void rootThatIsNotToBeCreatedMustExist(String root) throws Exception {
		ZooKeeper client = stranger();
		ZooKeeperLocks locks = closing(builder().root(root).createRoot(false).build());
		assertThat(locks.accessProblems()).singleElement().asString().contains(root, "zk.lock.create-root");
		for (boolean waits : List.of(true, false)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> locks.lock("lock").tryAcquire(waits ? PATIENCE : Duration.ZERO))
				.withMessageContainingAll("'lock'", "'" + root + "'", "createRoot", "zk.lock.create-root");
		}
		assertThat(server().view().children(chroot())).isEmpty();
		make(client, Ids.OPEN_ACL_UNSAFE, "/given");
		if (!root.equals("/given")) {
			make(client, Ids.OPEN_ACL_UNSAFE, root);
		}
		assertThat(locks.accessProblems()).isEmpty();
		use(locks, "lock");
		assertThat(server().view().children(chroot() + root)).containsExactly("locks");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void topMayBeTheRoot(boolean createRoot) throws Exception {
		ZooKeeperLocks locks = closing(app().root("/").createRoot(createRoot).build());
		use(locks, "lock");
		assertThat(server().view().children(chroot())).containsExactly("locks");
		assertThat(this.access.texts(Level.WARN)).singleElement().asString().contains("Node '/' is open");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/zk-lock", "/a/b" })
	void missingEndOfTheConnectStringIsNamed(String root) {
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder(server().connectString() + "/nowhere")
			.root(root)
			.sessionTimeout(LONG_SESSION)
			.closeWait(Duration.ZERO)
			.build());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("lock").tryAcquire(PATIENCE))
			.withMessageContainingAll("'lock'", "connect string");
	}

}
