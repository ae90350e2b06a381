package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every fault at every frame of a conversation. Whatever happens, nobody is told a lie,
 * the lock is free in the end, and nothing is left behind.
 */
class EveryFrameTests extends LockTestSupport {

	private static final int MORE_FRAMES_THAN_ANY_CONVERSATION_HAS = 15;

	private final ZooKeeperLocks others = registry();

	EveryFrameTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private enum Fault {

		REQUEST_LOST {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.drop(Direction.TO_SERVER, Operation.ANY, frame);
			}

		},

		REPLY_LOST {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.drop(Direction.TO_CLIENT, Operation.ANY, frame);
			}

		},

		CUT_BEFORE {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.cutBefore(Operation.ANY, frame);
			}

		},

		CUT_AFTER {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.cutAfter(Operation.ANY, frame);
			}

		},

		EXPIRED_BEFORE {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.hold(Direction.TO_SERVER, Operation.ANY, frame);
			}

		},

		EXPIRED_AFTER {

			@Override
			FaultProxy.Trigger inject(FaultProxy proxy, int frame) {
				return proxy.hold(Direction.TO_CLIENT, Operation.ANY, frame);
			}

		};

		abstract FaultProxy.Trigger inject(FaultProxy proxy, int frame);

		boolean expires() {
			return this == EXPIRED_BEFORE || this == EXPIRED_AFTER;
		}

	}

	private interface Conversation {

		void run(NamedLock lock, NamedLock other, Oracle oracle) throws Exception;

	}

	/**
	 * Notices two holders at once, and tokens that go back.
	 */
	private static final class Oracle {

		private final AtomicInteger holders = new AtomicInteger();

		private long lastToken;

		void use(LockLease lease) {
			if (!lease.isHeld()) {
				return;
			}
			assertThat(this.holders.incrementAndGet()).as("holders").isEqualTo(1);
			try {
				long token = lease.fencingToken();
				assertThat(token).isGreaterThan(this.lastToken);
				this.lastToken = token;
			}
			catch (LockLostException ex) {
				assertThat(lease.isHeld()).isFalse();
			}
			this.holders.decrementAndGet();
		}

		void useAndClose(LockLease lease) {
			try (lease) {
				use(lease);
			}
		}

	}

	@Test
	void freeLock() throws Exception {
		everyFaultAtEveryFrame("free", (lock, other, oracle) -> oracle.useAndClose(lock.acquire()));
	}

	@Test
	void firstLockOfAName() throws Exception {
		everyFaultAtEveryFrame("first", (lock, other, oracle) -> {
			oracle.useAndClose(lock.acquire());
			oracle.useAndClose(other.acquire());
		});
	}

	@Test
	void contendedLock() throws Exception {
		everyFaultAtEveryFrame("contended", (lock, other, oracle) -> {
			LockLease holder = other.acquire();
			CompletableFuture<LockLease> waiting = lock.acquireAsync(PATIENCE);
			oracle.use(holder);
			holder.close();
			oracle.useAndClose(get(waiting));
		});
	}

	@Test
	void localHandOver() throws Exception {
		everyFaultAtEveryFrame("local", (lock, other, oracle) -> {
			LockLease first = lock.acquire();
			CompletableFuture<LockLease> second = lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> remote = other.acquireAsync(PATIENCE);
			CompletableFuture<Void> secondDone = second.thenAccept(oracle::useAndClose);
			CompletableFuture<Void> remoteDone = remote.thenAccept(oracle::useAndClose);
			oracle.useAndClose(first);
			get(secondDone);
			get(remoteDone);
		});
	}

	@Test
	void waiterThatGivesUp() throws Exception {
		everyFaultAtEveryFrame("give-up", (lock, other, oracle) -> {
			try (LockLease holder = other.acquire()) {
				CompletableFuture<LockLease> waiting = lock.acquireAsync(PATIENCE);
				oracle.use(holder);
				waiting.cancel(false);
			}
			oracle.useAndClose(other.acquire());
		});
	}

	@Test
	void zeroWait() throws Exception {
		everyFaultAtEveryFrame("zero", (lock, other, oracle) -> {
			try {
				Optional<LockLease> lease = lock.tryAcquire(Duration.ZERO);
				lease.ifPresent(oracle::useAndClose);
			}
			catch (LockUnavailableException ex) {
				assertThat(ex.name()).startsWith("zero");
			}
		});
	}

	private void everyFaultAtEveryFrame(String name, Conversation conversation) throws Exception {
		List<CompletableFuture<Boolean>> runs = new ArrayList<>();
		for (Fault fault : Fault.values()) {
			for (int frame = 1; frame <= MORE_FRAMES_THAN_ANY_CONVERSATION_HAS; frame++) {
				int number = frame;
				runs.add(call(() -> run(name + "-" + fault + "-" + number, fault, number, conversation)));
			}
		}
		int fired = 0;
		for (CompletableFuture<Boolean> run : runs) {
			fired += get(run) ? 1 : 0;
		}
		assertThat(fired).as("faults that happened").isBetween(2 * Fault.values().length, runs.size() - 1);
	}

	private boolean run(String name, Fault fault, int frame, Conversation conversation) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(server().connectString());
				ZooKeeperLocks locks = builder(proxy.connectString(), Duration.ofSeconds(4)).build()) {
			locks.zooKeeper();
			if (!name.startsWith("first")) {
				this.others.lock(name).acquire().close();
			}
			FaultProxy.Trigger trigger = fault.inject(proxy, frame);
			if (fault.expires()) {
				expireWhenFired(trigger, proxy, locks);
			}
			conversation.run(locks.lock(name), this.others.lock(name), new Oracle());
			proxy.heal();
			locks.lock(name).acquire().close();
			this.others.lock(name).acquire().close();
			awaitNodes(name, 0);
			return trigger.hasFired();
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError(name, ex);
		}
	}

	/**
	 * No server expires a session before the lease of all that it has acknowledged has
	 * ended.
	 */
	private void expireWhenFired(FaultProxy.Trigger trigger, FaultProxy proxy, ZooKeeperLocks locks)
			throws InterruptedException {
		ZooKeeper victim = locks.zooKeeper();
		call(() -> {
			if (trigger.await(PATIENCE)) {
				proxy.hold(Direction.TO_SERVER);
				awaitLeaseEnd(locks);
				Sessions.expire(victim, server().connectString());
				proxy.release(Direction.TO_CLIENT);
				awaitDisconnected(locks);
				proxy.heal();
			}
			return null;
		});
	}

}
