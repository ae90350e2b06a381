package io.github.zklock.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import com.sun.management.ThreadMXBean;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What it costs to be refused. Some ask again and again, without a pause.
 */
class RefusalTests extends LockTestSupport {

	private static final int REFUSALS = 2_000;

	// What two exceptions need, with text and stack, is three times as much
	private static final int BYTES_OF_TWO_REFUSALS = 3_000;

	RefusalTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void refusalBuildsNoException() throws Exception {
		NamedLock lock = registry().lock("lock");
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		try (LockLease lease = lock.acquire()) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int refusal = 0; refusal < REFUSALS; refusal++) {
				assertRefusedTwice(lock);
			}
			long bytes = threads.getCurrentThreadAllocatedBytes() - before;
			assertThat(bytes / REFUSALS).isLessThan(BYTES_OF_TWO_REFUSALS);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	private static void assertRefusedTwice(NamedLock lock) throws InterruptedException {
		if (lock.tryLock() || lock.tryAcquire(Duration.ZERO).isPresent()) {
			throw new AssertionError("It is not free");
		}
	}

	@Test
	void listenersAreToldOfRefusals() throws Exception {
		BlockingQueue<String> told = new LinkedBlockingQueue<>();
		ZooKeeperLocks locks = closing(builder().listener(new LockListener() {

			@Override
			public void timedOut(String name, Duration waited) {
				told.add(name);
			}

		}).build());
		NamedLock lock = locks.lock("lock");
		try (LockLease lease = lock.acquire()) {
			assertThat(lock.tryLock()).isFalse();
			assertThat(lock.tryAcquire(Duration.ofMillis(1))).isEmpty();
			assertThat(Patience.poll(told)).isEqualTo("lock");
			assertThat(Patience.poll(told)).isEqualTo("lock");
			assertThat(lease.isHeld()).isTrue();
		}
	}

}
