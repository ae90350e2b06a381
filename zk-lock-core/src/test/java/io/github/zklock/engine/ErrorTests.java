package io.github.zklock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.zookeeper.ZooKeeperFactory;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Errors that most applications survive: no memory, no thread, answers without a body.
 */
class ErrorTests extends LockTestSupport {

	private final String address;

	ErrorTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		this.address = connectString;
	}

	private ZooKeeperLocks registry(ZooKeeperFactory factory) {
		return closing(ZooKeeperLocks.builder(factory)
			.sessionTimeout(LONG_SESSION)
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO)
			.build());
	}

	private ZooKeeper connect(Watcher watcher) throws Exception {
		return new ZooKeeper(this.address, Math.toIntExact(LONG_SESSION.toMillis()), watcher);
	}

	@Test
	void sessionIsOpenedWhenThereAreThreadsAgain() throws Exception {
		AtomicInteger failures = new AtomicInteger();
		ZooKeeperLocks locks = registry((watcher) -> {
			if (failures.incrementAndGet() <= 2) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return open(watcher);
		});
		locks.lock("lock").acquire().close();
		assertThat(failures).hasValue(3);
	}

	@Test
	void sessionIsOpenedAgainAlthoughTheFirstAttemptHasNoThread() throws Exception {
		AtomicInteger opened = new AtomicInteger();
		ZooKeeperLocks locks = registry((watcher) -> {
			if (opened.incrementAndGet() == 2) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return open(watcher);
		});
		LockLease lease = locks.lock("lock").acquire();
		Sessions.expire(locks.zooKeeper());
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		locks.lock("lock").acquire().close();
		assertThat(opened).hasValue(3);
	}

	private ZooKeeper open(Watcher watcher) {
		try {
			return connect(watcher);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The client reports an answer that it could not read as done, without a result.
	 */
	@Test
	void createThatIsDoneWithoutABodyIsFoundAgain() throws Exception {
		AtomicInteger empty = new AtomicInteger(1);
		ZooKeeperLocks locks = registry((watcher) -> new Bodiless(this.address, watcher, empty));
		LockLease lease = locks.lock("lock").acquire();
		assertThat(lease.isHeld()).isTrue();
		awaitNodes("lock", 1);
		assertThat(empty).as("it has happened").hasValueLessThanOrEqualTo(0);
		lease.close();
		awaitNodes("lock", 0);
	}

	@Test
	@Tag("H40")
	void errorInATransitionFailsTheAttemptOnly() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(), "lock");
		LockLease other = locks.lock("other").acquire();
		Session session = keeper(locks).awaitSession();
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		CountDownLatch told = new CountDownLatch(1);
		ContenderOwner owner = new ContenderOwner() {

			@Override
			public LockPath path() {
				return LockPath.of("/zk-lock", "locks", "lock");
			}

			@Override
			public void granted(Contender contender) {
				throw new StackOverflowError();
			}

			@Override
			public void queued(Contender contender) {
			}

			@Override
			public void vanished(Contender contender) {
			}

			@Override
			public void abandoned(Contender contender) {
			}

			@Override
			public void failed(Contender contender, Failure failed) {
				failure.set(failed.cause());
				told.countDown();
			}

		};
		Contender contender = new Contender(engine(locks).context().settings(), session, NodeKind.LOCK, owner,
				engine(locks).context().nodeData().of("thread"));
		synchronized (owner) {
			contender.start(null);
		}
		get(CompletableFuture.runAsync(() -> awaitQuietly(told)));
		assertThat(failure.get()).isInstanceOf(StackOverflowError.class);
		awaitNodes("lock", 0);
		assertThat(other.isHeld()).isTrue();
		locks.lock("lock").acquire().close();
	}

	/**
	 * A caller whose stack comes to its end while the first flight is sent.
	 */
	@Test
	void errorWhileAskingLeavesNothingBehind() throws Exception {
		AtomicInteger failures = new AtomicInteger();
		ZooKeeperLocks locks = registry((watcher) -> new Overflowing(this.address, watcher, failures));
		warmUp(locks, "lock");
		ZooKeeperLocks others = registry();
		for (Callable<?> asking : List.<Callable<?>>of(() -> {
			locks.lock("lock").lock();
			return null;
		}, () -> locks.lock("lock").acquireAsync(PATIENCE), () -> locks.readLock("lock").acquire())) {
			for (int failure : new int[] { Overflowing.IN_CREATE, Overflowing.IN_LIST }) {
				failures.set(failure);
				assertThatExceptionOfType(StackOverflowError.class).isThrownBy(asking::call);
				await().atMost(PATIENCE).until(() -> keeper(locks).dependents().isEmpty());
			}
		}
		others.lock("lock").acquire().close();
		locks.lock("lock").acquire().close();
		locks.readLock("lock").acquire().close();
		awaitNodes("lock", 0);
		assertThat(locks.waiting()).isEmpty();
		assertThat(locks.held()).isEmpty();
	}

	@Test
	void threadsThatEndWithoutUnlockingAreForgotten() throws Exception {
		ZooKeeperLocks locks = registry();
		CompletableFuture<Integer> holds = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			locks.lock("lock").lock();
			holds.complete(engine(locks).context().threadHolds().size());
		});
		thread.start();
		assertThat(get(holds)).isEqualTo(1);
		await().atMost(PATIENCE).until(() -> engine(locks).context().threadHolds().size() == 0);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> locks.lock("lock").unlock());
		assertThat(locks.lock("lock").tryLock()).as("nobody has said that the work is done").isFalse();
	}

	/**
	 * Has no stack left for a create, or for the list behind it.
	 */
	private static final class Overflowing extends ZooKeeper {

		static final int IN_CREATE = 1;

		static final int IN_LIST = 2;

		private final AtomicInteger failures;

		Overflowing(String address, Watcher watcher, AtomicInteger failures) throws IOException {
			super(address, Math.toIntExact(LONG_SESSION.toMillis()), watcher);
			this.failures = failures;
		}

		@Override
		public void getChildren(String path, @Nullable Watcher watcher, Children2Callback callback,
				@Nullable Object context) {
			overflow(IN_LIST);
			super.getChildren(path, watcher, callback, context);
		}

		@Override
		public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback,
				Object context) {
			overflow(IN_CREATE);
			super.create(path, data, acl, mode, callback, context);
		}

		private void overflow(int place) {
			if (this.failures.compareAndSet(place, 0)) {
				throw new StackOverflowError();
			}
		}

	}

	/**
	 * Loses the body of the first answers to a create of a contender.
	 */
	private static final class Bodiless extends ZooKeeper {

		private final AtomicInteger empty;

		Bodiless(String address, Watcher watcher, AtomicInteger empty) throws IOException {
			super(address, Math.toIntExact(LONG_SESSION.toMillis()), watcher);
			this.empty = empty;
		}

		@Override
		public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback,
				Object context) {
			super.create(path, data, acl, mode, (code, requested, ctx, name, stat) -> {
				if (code == 0 && this.empty.getAndDecrement() > 0) {
					callback.processResult(code, requested, ctx, null, null);
				}
				else {
					callback.processResult(code, requested, ctx, name, stat);
				}
			}, context);
		}

	}

}
