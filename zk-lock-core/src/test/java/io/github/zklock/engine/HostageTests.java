package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import io.github.zklock.LockContender;
import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Nodes of one lock that are too much for a client to read: each time it tries, it loses
 * the connection, and with it the answers for all other locks. The client accepts 4 KB.
 */
@Tag("H62")
class HostageTests extends LockTestSupport {

	private static final int MOST_BYTES = 4_096;

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks stranger = registry();

	private final ZooKeeperLocks locks;

	private final LockLease held;

	private final long session;

	HostageTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws Exception {
		super(server, connectString);
		warmUp(this.stranger, "poison");
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKConfig.JUTE_MAXBUFFER, String.valueOf(MOST_BYTES));
		this.locks = closing(builder(this.proxy.connectString(), LONG_SESSION).clientConfig(config).build());
		this.held = this.locks.lock("held").acquire();
		this.session = this.locks.zooKeeper().getSessionId();
	}

	private String create(String name, byte[] data) throws Exception {
		return this.stranger.zooKeeper()
			.create(parent("poison") + "/" + name, data, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
	}

	/**
	 * Few names, but long ones: their number looks harmless.
	 */
	private void createLongNames() throws Exception {
		for (int index = 0; index < 10; index++) {
			create("x".repeat(500) + "-lock-%010d".formatted(index), new byte[0]);
		}
	}

	private void assertOtherLocksWork() throws Exception {
		assertThat(this.held.isHeld()).isTrue();
		for (int index = 0; index < 5; index++) {
			this.locks.lock("other-" + index).acquire().close();
		}
		assertThat(this.locks.zooKeeper().getSessionId()).isEqualTo(this.session);
	}

	private long sent(Operation operation) {
		return this.proxy.frames(Direction.TO_SERVER, operation);
	}

	@Test
	void longNamesFailTheirLockOnly() throws Exception {
		createLongNames();
		CompletableFuture<LockLease> reading = this.locks.readLock("poison").acquireAsync(PATIENCE);
		CompletableFuture<LockLease> writing = this.locks.lock("poison").acquireAsync(PATIENCE);
		assertOtherLocksWork();
		for (CompletableFuture<LockLease> poisoned : List.of(reading, writing)) {
			assertThat(poisoned).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("'poison'")
				.withMessageContaining("jute.maxbuffer");
		}
		awaitConnected(this.locks);
		assertOtherLocksWork();
		awaitNodes("poison", 10);
	}

	@Test
	void nobodyReadsOnceMoreWhatHasCostTheConnectionThreeTimes() throws Exception {
		createLongNames();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.locks.lock("poison").tryAcquire(PATIENCE));
		awaitConnected(this.locks);
		settle(this.locks);
		this.proxy.resetCounts();
		for (int attempt = 0; attempt < 5; attempt++) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.locks.lock("poison").tryAcquire(PATIENCE))
				.withMessageContaining("jute.maxbuffer");
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.locks.readLock("poison").tryAcquire(Duration.ZERO))
				.withMessageContaining("jute.maxbuffer");
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.locks.queue("poison"));
		}
		assertThat(sent(Operation.GET_CHILDREN)).isZero();
		assertThat(sent(Operation.CREATE)).isZero();
		assertOtherLocksWork();
	}

	@Test
	void longNamesBehindAHolderTakeNothingFromIt() throws Exception {
		LockLease lease = this.locks.lock("poison").acquire();
		createLongNames();
		CompletableFuture<LockLease> waiting = this.locks.lock("poison").acquireAsync(PATIENCE);
		settle(this.stranger);
		assertOtherLocksWork();
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		assertThat(waiting).failsWithin(PATIENCE);
		assertOtherLocksWork();
	}

	/**
	 * The list of all who wait is the poison itself, so the lost node is not looked for
	 * in it.
	 */
	@Test
	void lostCreateAmongLongNamesLeavesNoNode() throws Exception {
		createLongNames();
		FaultProxy.Trigger cut = this.proxy.cutAfter(Operation.CREATE, 1);
		CompletableFuture<Optional<LockLease>> poisoned = call(() -> this.locks.lock("poison").tryAcquire(PATIENCE));
		assertThat(cut.await(PATIENCE)).isTrue();
		assertThat(poisoned).failsWithin(PATIENCE);
		awaitNodes("poison", 10);
		assertOtherLocksWork();
	}

	@Test
	void fatPredecessorIsWaitedForWithoutItsData() throws Exception {
		String fat = create("x-lock-0000000000", new byte[2 * MOST_BYTES]);
		CompletableFuture<LockLease> waiting = this.locks.lock("poison").acquireAsync(PATIENCE);
		CompletableFuture<LockLease> reading = this.locks.readLock("poison").acquireAsync(PATIENCE);
		awaitNodes("poison", 3);
		assertOtherLocksWork();
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.EXISTS) > 0);
		assertOtherLocksWork();
		assertThat(waiting).isNotDone();
		this.stranger.zooKeeper().delete(fat, -1);
		get(waiting).close();
		get(reading).close();
	}

	/**
	 * Whoever may write to a node needs no right to create one.
	 */
	@Test
	void holderKeepsALockWhoseNodeWasFattened() throws Exception {
		LockLease lease = this.locks.lock("poison").acquire();
		ZooKeeper writer = this.stranger.zooKeeper();
		String node = parent("poison") + "/" + nodes("poison").get(0);
		watchOwnNodes(this.locks);
		byte[] data = new byte[2 * MOST_BYTES];
		ThreadLocalRandom.current().nextBytes(data);
		writer.setData(node, data, -1);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.EXISTS) > 0);
		assertOtherLocksWork();
		assertThat(lease.isHeld()).isTrue();
		writer.delete(node, -1);
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
	}

	@Test
	void inspectorShowsAFatNodeWithoutItsText() throws Exception {
		create("x-lock-0000000000", new byte[2 * MOST_BYTES]);
		assertThat(this.locks.queue("poison")).singleElement().satisfies((contender) -> {
			assertThat(contender.node()).isEqualTo("x-lock-0000000000");
			assertThat(contender.text()).isEmpty();
			assertThat(contender.origin()).isEqualTo(LockContender.Origin.FOREIGN);
		});
		this.proxy.resetCounts();
		assertThat(this.locks.queue("poison")).hasSize(1);
		assertThat(sent(Operation.GET_DATA)).as("once is enough").isZero();
		assertOtherLocksWork();
	}

}
