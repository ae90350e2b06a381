package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many readers of one process: what one has read, the others need not read again.
 */
@Tag("H63")
class SharedReadTests extends LockTestSupport {

	private static final int READERS = 300;

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = closing(
			builder(this.proxy.connectString(), SESSION_WITHOUT_TICKS).curatorReadWrite(true).build());

	private final ZooKeeperLocks others = closing(builder().curatorReadWrite(true).build());

	SharedReadTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws Exception {
		super(server, connectString);
		warmUp(this.locks, "lock");
		this.proxy.resetCounts();
	}

	private long sent(Operation operation) {
		return this.proxy.frames(Direction.TO_SERVER, operation);
	}

	private List<CompletableFuture<LockLease>> read(int count) {
		List<CompletableFuture<LockLease>> readers = new ArrayList<>();
		for (int reader = 0; reader < count; reader++) {
			readers.add(this.locks.readLock("lock").acquireAsync(PATIENCE));
		}
		return readers;
	}

	/**
	 * Let all ask before any of them has an answer.
	 */
	private List<CompletableFuture<LockLease>> readTogether() {
		this.proxy.hold(Direction.TO_CLIENT);
		long before = sent(Operation.CREATE);
		List<CompletableFuture<LockLease>> readers = read(READERS);
		await().atMost(PATIENCE).until(() -> sent(Operation.CREATE) == before + READERS);
		this.proxy.heal();
		return readers;
	}

	@Test
	void readersWhoComeTogetherShareAList() throws Exception {
		List<CompletableFuture<LockLease>> readers = readTogether();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader);
		}
		assertThat(sent(Operation.GET_CHILDREN)).as("one for the first, one for all the others").isEqualTo(2);
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
	}

	@Test
	void readersBehindTwoWritersReadEachOnceForAll() throws Exception {
		LockLease first = this.others.lock("lock").acquire();
		CompletableFuture<LockLease> second = registry().lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		List<CompletableFuture<LockLease>> readers = readTogether();
		awaitNodes("lock", 2 + READERS);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) > 0);
		settle(this.locks);
		this.proxy.resetCounts();
		first.close();
		get(second).close();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader);
		}
		assertThat(sent(Operation.GET_DATA)).as("is the first writer gone, too?").isEqualTo(1);
		assertThat(sent(Operation.GET_CHILDREN)).isZero();
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isEqualTo(1);
	}

	/**
	 * A list is as long as the queue: if each of them had one, all together would have
	 * the square of it.
	 */
	@Test
	void readersWhoComeOneAfterTheOtherNeedNoList() throws Exception {
		LockLease first = this.others.lock("lock").acquire();
		List<CompletableFuture<LockLease>> readers = new ArrayList<>(read(1));
		awaitWatch();
		for (int reader = 1; reader < 20; reader++) {
			readers.addAll(read(1));
			awaitNodes("lock", 2 + reader);
			settle(this.locks);
		}
		assertThat(sent(Operation.GET_CHILDREN)).as("they know for whom to wait").isZero();
		assertThat(sent(Operation.GET_DATA)).isZero();
		CompletableFuture<LockLease> second = registry().lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 22);
		readers.addAll(read(1));
		awaitNodes("lock", 23);
		settle(this.locks);
		this.proxy.resetCounts();
		first.close();
		for (CompletableFuture<LockLease> reader : readers.subList(0, 20)) {
			get(reader);
		}
		CompletableFuture<LockLease> last = readers.get(20);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) > 0);
		settle(this.locks);
		assertThat(last).as("a writer is before it of whom it did not know").isNotDone();
		assertThat(sent(Operation.GET_CHILDREN)).as("one for the first, one for all the others").isEqualTo(2);
		for (CompletableFuture<LockLease> reader : readers.subList(0, 20)) {
			get(reader).close();
		}
		get(second).close();
		get(last).close();
		assertThat(keeper(this.locks).awaitSession().blockers().isEmpty()).isTrue();
	}

	private void awaitWatch() throws Exception {
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) > 0);
		settle(this.locks);
		this.proxy.resetCounts();
	}

	@Test
	void readerWhoComesWhenTheWriterGoesIsGranted() throws Exception {
		LockLease writing = this.others.lock("lock").acquire();
		List<CompletableFuture<LockLease>> readers = new ArrayList<>(read(1));
		awaitWatch();
		this.proxy.hold(Direction.TO_CLIENT);
		readers.addAll(read(1));
		awaitNodes("lock", 3);
		writing.close();
		this.proxy.heal();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader);
		}
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
		assertThat(keeper(this.locks).awaitSession().blockers().isEmpty()).isTrue();
	}

	@Test
	@Tag("H61")
	void readersWhoGiveUpLeaveNothingToKnow() throws Exception {
		LockLease writing = this.others.lock("lock").acquire();
		List<CompletableFuture<LockLease>> readers = read(2);
		awaitNodes("lock", 3);
		awaitWatch();
		readers.forEach((reader) -> reader.cancel(false));
		awaitNodes("lock", 1);
		settle(this.locks);
		assertThat(keeper(this.locks).awaitSession().blockers().isEmpty()).isTrue();
		writing.close();
	}

	/**
	 * The node of a writer of the same process is watched by the writer itself, too.
	 */
	@Test
	@Tag("H61")
	void readerWhoGivesUpBehindAWriterOfItsProcessLeavesNothingToKnow() throws Exception {
		LockLease writing = this.locks.writeLock("lock").acquire();
		watchOwnNodes(this.locks);
		CompletableFuture<LockLease> reader = read(1).get(0);
		awaitNodes("lock", 2);
		settle(this.locks);
		reader.cancel(false);
		awaitNodes("lock", 1);
		settle(this.locks);
		writing.close();
		settle(this.locks);
		assertThat(keeper(this.locks).awaitSession().blockers().isEmpty()).isTrue();
	}

	@Test
	void changeOfAWritersDataIsReadOnceForAll() throws Exception {
		LockLease writing = this.others.lock("lock").acquire();
		List<CompletableFuture<LockLease>> readers = read(READERS);
		awaitNodes("lock", 1 + READERS);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) > 0);
		settle(this.locks);
		this.proxy.resetCounts();
		ZooKeeper writer = this.others.zooKeeper();
		String node = nodes("lock").stream().filter((name) -> name.contains("-lock-")).findFirst().orElseThrow();
		writer.setData(parent("lock") + "/" + node, new byte[0], -1);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) > 0);
		settle(this.locks);
		assertThat(sent(Operation.GET_DATA)).isEqualTo(1);
		writing.close();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
	}

	/**
	 * The list that a reader waits for belongs to a connection that is lost, its create
	 * to the next one.
	 */
	@Test
	void readerListsItselfIfTheOthersListIsLost() throws Exception {
		ZooKeeper handle = this.locks.zooKeeper();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<LockLease> first = this.locks.readLock("lock").acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> sent(Operation.GET_CHILDREN) == 1);
		CountDownLatch free = new CountDownLatch(1);
		keeper(this.locks).loop().execute(() -> awaitQuietly(free));
		this.proxy.cut();
		await().atMost(PATIENCE).until(() -> handle.getState() != ZooKeeper.States.CONNECTED);
		this.proxy.heal();
		await().atMost(PATIENCE).until(() -> handle.getState() == ZooKeeper.States.CONNECTED);
		CompletableFuture<LockLease> second = this.locks.readLock("lock").acquireAsync(PATIENCE);
		free.countDown();
		get(first).close();
		get(second).close();
	}

	@Test
	void readersFindTheirWayAfterADisconnect() throws Exception {
		LockLease first = this.others.lock("lock").acquire();
		CompletableFuture<LockLease> second = registry().lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		List<CompletableFuture<LockLease>> readers = readTogether();
		awaitNodes("lock", 2 + READERS);
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		first.close();
		get(second).close();
		this.proxy.heal();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
		awaitNodes("lock", 0);
	}

	/**
	 * Curator's write lock becomes a read lock under the same number. Whoever goes
	 * through the list that it knows would find nobody.
	 */
	@Test
	@Tag("H15")
	void writerListsAgainWhenAWriteNodeOfAnotherClientMayHaveComeBack() throws Exception {
		ZooKeeper curator = this.others.zooKeeper();
		String writeNode = curator.create(parent("lock") + "/_c_1-__WRIT__", new byte[0], Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL);
		CompletableFuture<LockLease> second = this.others.writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		settle(this.others);
		CompletableFuture<LockLease> own = this.locks.writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		settle(this.locks);
		String readNode = curator.create(writeNode.replace("__WRIT__", "__READ__"), new byte[0], Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL);
		curator.delete(writeNode, -1);
		second.cancel(false);
		awaitNodes("lock", 2);
		settle(this.others);
		settle(this.locks);
		assertThat(own).isNotDone();
		curator.delete(readNode, -1);
		get(own).close();
	}

}
