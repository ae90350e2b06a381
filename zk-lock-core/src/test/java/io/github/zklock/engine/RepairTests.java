package io.github.zklock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What happens between an error in a caller's thread and the repair: others go on, and
 * neither they nor the repair may grant what is being given up.
 */
class RepairTests extends LockTestSupport {

	private final FaultAt fault = new FaultAt();

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks here = closing(
			with(builder(this.proxy.connectString(), LONG_SESSION).handOverWait(Duration.ZERO),
					(options) -> options.faults(this.fault))
				.build());

	private final ZooKeeperLocks there = registry();

	RepairTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * An error in one thread, at the n-th time that it passes a place.
	 */
	private static final class FaultAt implements Faults {

		private final AtomicInteger left = new AtomicInteger();

		private volatile @Nullable Thread thread;

		private volatile String place = "";

		private volatile Runnable before = () -> {
		};

		void arm(String place, int n) {
			this.place = place;
			this.left.set(n);
			this.thread = Thread.currentThread();
		}

		@Override
		public void pass(String passed) {
			if (Thread.currentThread() == this.thread && passed.equals(this.place)
					&& this.left.decrementAndGet() == 0) {
				this.thread = null;
				this.before.run();
				throw new StackOverflowError();
			}
		}

	}

	private void assertThrownOut(Runnable call) {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(call::run);
	}

	private void awaitRepair() {
		EventLoop loop = keeper(this.here).loop();
		await().atMost(PATIENCE).until(() -> !loop.troubled);
		CountDownLatch done = new CountDownLatch(1);
		loop.execute(done::countDown);
		awaitQuietly(done);
	}

	private void awaitWaiting(int count) {
		await().atMost(PATIENCE).until(() -> this.here.waiting().size() == count);
	}

	private static boolean leads(LeaderElection election) {
		return election.leadership().isLeader();
	}

	private static void assertNotBoth(LeaderElection one, LeaderElection two) {
		assertThat(leads(one) && leads(two) && leads(one)).as("both lead").isFalse();
	}

	/**
	 * The repair looks at a lock just when its caller is being told that it has it.
	 */
	@Test
	void lockThatIsDeliveredMeanwhileStaysWithItsCaller() throws Exception {
		CountDownLatch granted = new CountDownLatch(1);
		CountDownLatch looking = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(1);
		ZooKeeperLocks slow = closing(with(builder(), (options) -> options.faults((place) -> {
			if (place.equals("deliver")) {
				granted.countDown();
				awaitQuietly(looking);
			}
			else if (place.equals("decided?")) {
				looking.countDown();
				awaitQuietly(told);
			}
		})).build());
		CompletableFuture<LockLease> delivered = call(() -> {
			LockLease lease = slow.lock("lock").acquire();
			told.countDown();
			return lease;
		});
		awaitQuietly(granted);
		keeper(slow).loop().troubled = true;
		LockLease lease = get(delivered);
		EventLoop loop = keeper(slow).loop();
		await().atMost(PATIENCE).until(() -> !loop.troubled);
		settle(slow);
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.there.lock("lock").tryAcquire(Duration.ZERO)).isEmpty();
		lease.close();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void lockIsNotGrantedByANodeWhoseDeleteIsSent() throws Exception {
		NamedLock lock = this.here.lock("lock");
		LockLease first = lock.acquire();
		CompletableFuture<LockLease> second = acquire(lock);
		awaitWaiting(1);
		settle(this.here);
		first.close();
		LockLease passedOn = get(second);
		this.fault.before = () -> this.proxy.hold(Direction.TO_CLIENT);
		this.fault.arm("sent", 1);
		assertThrownOut(passedOn::close);
		LockLease other = get(acquire(this.there.lock("lock")));
		CompletableFuture<LockLease> third = acquire(lock);
		awaitRepair();
		assertThat(third).isNotDone();
		assertThat(passedOn.isHeld()).isFalse();
		assertThat(other.isHeld()).isTrue();
		this.proxy.heal();
		other.close();
		get(third).close();
		awaitNodes("lock", 0);
	}

	@Test
	void leadershipIsNotGrantedByANodeWhoseDeleteIsSent() throws Exception {
		LeaderElection one = this.here.election("role");
		LeaderElection two = this.there.election("role");
		one.join();
		await().atMost(PATIENCE).until(() -> leads(one));
		settle(this.here);
		this.fault.before = () -> this.proxy.hold(Direction.TO_CLIENT);
		this.fault.arm("sent", 1);
		assertThrownOut(one::leave);
		one.join();
		two.join();
		await().atMost(PATIENCE).until(() -> leads(two));
		assertNotBoth(one, two);
		awaitRepair();
		assertNotBoth(one, two);
		this.proxy.heal();
		two.leave();
		await().atMost(PATIENCE).until(() -> leads(one));
	}

	@Test
	void roleIsNotLedByANodeThatIsGivenUp() throws Exception {
		LeaderElection one = this.here.election("role");
		LeaderElection two = this.there.election("role");
		one.join();
		await().atMost(PATIENCE).until(() -> leads(one));
		one.leave();
		settle(this.here);
		this.fault.arm("sent", 2);
		assertThrownOut(one::join);
		one.join();
		await().atMost(PATIENCE).until(() -> leads(one));
		two.join();
		awaitRepair();
		for (ZooKeeperLocks locks : List.of(this.here, this.there)) {
			settle(locks);
		}
		assertNotBoth(one, two);
		one.leave();
		await().atMost(PATIENCE).until(() -> leads(two));
		assertThat(leads(one)).isFalse();
	}

	@Test
	void roleIsNotLedByOneWhoWasThrownOut() throws Exception {
		LeaderElection one = this.here.election("role");
		warmUp(this.here, "lock");
		this.fault.arm("sent", 2);
		assertThrownOut(one::join);
		awaitRepair();
		LeaderElection two = this.there.election("role");
		two.join();
		await().atMost(PATIENCE).until(() -> leads(two));
		assertThat(leads(one)).isFalse();
		await().atMost(PATIENCE).until(() -> two.participants().size() == 1);
	}

	/**
	 * The one who unlocks is thrown out after the node of the next one is on its way.
	 */
	@Test
	void holdOfAnotherCallerIsKept() throws Exception {
		NamedLock lock = this.here.lock("lock");
		LockLease first = lock.acquire();
		CompletableFuture<LockLease> elsewhere = acquire(this.there.lock("lock"));
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> second = acquire(lock);
		awaitWaiting(1);
		settle(this.here);
		this.fault.arm("sent", 3);
		assertThrownOut(first::close);
		get(elsewhere).close();
		LockLease next = get(second);
		CountDownLatch lost = new CountDownLatch(1);
		next.onLost(lost::countDown);
		awaitRepair();
		assertThat(next.isHeld()).isTrue();
		assertThat(lost.getCount()).isOne();
		next.close();
		awaitNodes("lock", 0);
	}

	/**
	 * A lock for which one caller has looked, and another one waits, when their session
	 * ends, and an error keeps all queues from hearing of it.
	 */
	@Test
	void waiterIsServedAlthoughAProbeIsNeverAnswered() throws Exception {
		warmUp(this.here, "lock");
		EventLoop loop = keeper(this.here).loop();
		NamedLock lock = this.here.lock("lock");
		CompletableFuture<CompletableFuture<LockLease>> asked = new CompletableFuture<>();
		loop.execute(() -> {
			lock.acquireAsync(Duration.ZERO).thenAccept(LockLease::close);
			asked.complete(lock.acquireAsync(PATIENCE.multipliedBy(10)));
			this.fault.arm("notify", 1);
			Objects.requireNonNull(keeper(this.here).session()).end(Loss.INTERNAL_ERROR);
		});
		try (LockLease lease = get(get(asked))) {
			assertThat(lease.isHeld()).isTrue();
		}
		awaitNodes("lock", 0);
	}

	/**
	 * A thread waits until its node is deleted when the session ends, and an error keeps
	 * everybody from hearing of that.
	 */
	@Test
	void sessionWhoseEndWasNotToldEndsOnceMore() throws Exception {
		LockLease lease = this.here.lock("lock").acquire();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.DELETE, 1);
		CompletableFuture<Void> closing = call(() -> {
			lease.close();
			return null;
		});
		assertThat(held.await(PATIENCE)).isTrue();
		Session session = keeper(this.here).awaitSession();
		keeper(this.here).loop().execute(() -> {
			this.fault.arm("end session", 1);
			session.end(Loss.INTERNAL_ERROR);
		});
		get(closing);
		this.proxy.heal();
		this.here.lock("lock").acquire().close();
		awaitNodes("lock", 0);
	}

	/**
	 * Two threads want the token of one hold, and an error throws out the one that asks.
	 */
	@Test
	void tokenIsAskedForAgainByWhoeverWaitsForIt() throws Exception {
		NamedLock lock = this.here.lock("lock");
		LockLease first = lock.acquire();
		CompletableFuture<LockLease> second = acquire(lock);
		awaitWaiting(1);
		first.close();
		LockLease lease = get(second);
		CompletableFuture<Thread> waiter = new CompletableFuture<>();
		CountDownLatch asking = new CountDownLatch(1);
		CompletableFuture<Long> token = call(() -> {
			waiter.complete(Thread.currentThread());
			awaitQuietly(asking);
			return lease.fencingToken();
		});
		Thread waiting = get(waiter);
		this.fault.before = () -> {
			asking.countDown();
			await().atMost(PATIENCE).until(() -> isIn(waiting, FencingToken.class));
		};
		this.fault.arm("send", 1);
		assertThrownOut(lease::fencingToken);
		assertThat(get(token)).isEqualTo(lease.fencingToken());
		lease.close();
	}

	/**
	 * Return whether a thread waits in a method of a class.
	 */
	private static boolean isIn(Thread thread, Class<?> type) {
		return thread.getState() == Thread.State.TIMED_WAITING && Arrays.stream(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(type.getName()));
	}

	@Test
	void futureThatNobodyHasDoesNotAskAgain() throws Exception {
		ZooKeeperLocks slow = closing(with(builder(), (options) -> options.faults(this.fault)).userExecutor((task) -> {
			// a second later the registry runs it
		}).build());
		warmUp(slow, "lock");
		this.fault.arm("sent", 2);
		assertThrownOut(() -> slow.lock("lock").acquireAsync(PATIENCE.multipliedBy(10)));
		await().atMost(PATIENCE).until(() -> keeper(slow).dependents().isEmpty());
		assertThat(this.there.lock("lock").tryAcquire(PATIENCE)).isPresent();
	}

	/**
	 * The last one leaves the queue while another one waits to enter it, who is thrown
	 * out as soon as it is in.
	 */
	@Test
	void whoEntersWhileTheLastOneLeavesIsFound() throws Exception {
		CompletableFuture<Thread> entering = new CompletableFuture<>();
		CountDownLatch mayEnter = new CountDownLatch(1);
		AtomicBoolean thrown = new AtomicBoolean();
		Thread leaving = Thread.currentThread();
		ZooKeeperLocks busy = closing(with(builder(), (options) -> options.faults((place) -> {
			Thread current = Thread.currentThread();
			if (place.equals("start over") && current == leaving && mayEnter.getCount() > 0) {
				mayEnter.countDown();
				Thread other = entering.join();
				await().atMost(PATIENCE).until(() -> isBlockedIn(other, LockQueue.class));
			}
			else if (place.equals("enqueued") && current == entering.getNow(null)
					&& thrown.compareAndSet(false, true)) {
				throw new StackOverflowError();
			}
		})).build());
		NamedLock lock = busy.lock("lock");
		LockLease first = lock.acquire();
		CompletableFuture<LockLease> thrownOut = call(() -> {
			entering.complete(Thread.currentThread());
			awaitQuietly(mayEnter);
			return lock.acquire();
		});
		first.close();
		assertThat(thrownOut).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(StackOverflowError.class);
		EventLoop loop = keeper(busy).loop();
		await().atMost(PATIENCE).until(() -> !loop.troubled);
		get(acquire(lock)).close();
	}

	private static boolean isBlockedIn(Thread thread, Class<?> type) {
		StackTraceElement[] frames = thread.getStackTrace();
		return thread.getState() == Thread.State.BLOCKED && frames.length > 0
				&& frames[0].getClassName().equals(type.getName());
	}

	/**
	 * A reader is about to enter its queue when all queues hear that the connection is
	 * lost, and those in which nobody waits are left.
	 */
	@Test
	void readerWhoEntersDuringADisconnectHearsOfTheEnd() throws Exception {
		CompletableFuture<Thread> entering = new CompletableFuture<>();
		CompletableFuture<SessionKeeper> keeper = new CompletableFuture<>();
		ZooKeeperLocks cut = closing(
				with(builder(this.proxy.connectString(), LONG_SESSION), (options) -> options.faults((place) -> {
					if (place.equals("enter") && Thread.currentThread() == entering.getNow(null)) {
						CountDownLatch told = new CountDownLatch(1);
						keeper.join().loop().execute(() -> {
							keeper.join().dependents().forEach(Dependent::disconnected);
							told.countDown();
						});
						awaitQuietly(told);
					}
				})).build());
		warmUp(cut, "lock");
		keeper.complete(keeper(cut));
		this.proxy.refuse();
		awaitDisconnected(cut);
		CompletableFuture<LockLease> reader = call(() -> {
			entering.complete(Thread.currentThread());
			return cut.readLock("lock").acquire();
		});
		await().atMost(PATIENCE).until(() -> cut.waiting().size() == 1);
		cut.close();
		assertThat(reader).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		this.proxy.heal();
	}

	@Test
	void minHoldIsKeptAlthoughItCouldNotBeBegun() throws Exception {
		LockLease lease = this.here.lock("lock").acquire();
		this.fault.arm("end hold", 1);
		assertThrownOut(() -> lease.close(PATIENCE.multipliedBy(10)));
		assertThat(lease.isHeld()).isFalse();
		awaitRepair();
		assertThat(this.there.lock("lock").tryAcquire(Duration.ZERO)).isEmpty();
	}

}
