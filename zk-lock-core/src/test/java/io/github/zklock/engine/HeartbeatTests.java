package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How the leader is asked for signs of life.
 */
class HeartbeatTests extends LockTestSupport {

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy);

	HeartbeatTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private long heartbeats() {
		return this.proxy.frames(Direction.TO_SERVER, Operation.SYNC);
	}

	/**
	 * The next one does not wait for an answer: the lease would bear answers that take
	 * three eighths of the timeout, but not two such answers one after the other.
	 */
	@Test
	void goOnWhileAnswersAreLate() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		this.proxy.hold(Direction.TO_CLIENT);
		long before = heartbeats();
		await().atMost(PATIENCE).until(() -> heartbeats() >= before + 2 || !lease.isHeld());
		assertThat(heartbeats()).isGreaterThanOrEqualTo(before + 2);
		this.proxy.heal();
		settle(this.locks);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	@Tag("soak")
	void serverThatTakesAThirdOfTheTimeoutToAnswerKeepsTheLock() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		this.proxy.delay(LONG_SESSION.multipliedBy(3).dividedBy(10));
		long before = this.proxy.frames(Direction.TO_CLIENT, Operation.SYNC);
		await().atMost(LONG_SESSION.multipliedBy(4))
			.until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.SYNC) >= before + 8 || lost.getCount() == 0);
		assertThat(lost.getCount()).isEqualTo(1);
		assertThat(lease.isHeld()).isTrue();
		this.proxy.delay(Duration.ZERO);
		lease.close();
	}

}
