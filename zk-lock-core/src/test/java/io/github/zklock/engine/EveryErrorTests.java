package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Participant;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An error at every place that is passed by those who use locks and elections. Whatever
 * it hits, nobody believes to hold a lock that somebody else has, every caller has an
 * outcome, every lock can be had again, here and elsewhere, and nothing is left behind.
 */
class EveryErrorTests extends LockTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(4);

	private static final int AT_A_TIME = 64;

	private final ZooKeeperLocks others = registry();

	EveryErrorTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Wait behind another process, hand over to each other, and read.
	 */
	@Test
	void errorsDoNoHarmWhileLocksAreUsed() throws Exception {
		errorsEverywhere((users) -> {
			LockLease other = users.elsewhere.acquire();
			users.use(users.lock);
			users.useAsync(users.lock);
			users.begin(() -> users.lock.tryLock() ? users.unlock(users.lock) : null);
			users.use(users.reader);
			users.useAsync(users.reader);
			users.begin(users.here::zooKeeper);
			other.close();
			users.use(users.elsewhere);
			users.finish();
			users.begin(() -> {
				users.lock.lock();
				users.lock.lock();
				try {
					users.lock.lease().orElseThrow().fencingToken();
				}
				finally {
					users.lock.unlock();
					users.lock.unlock();
				}
				return null;
			});
			users.finish();
		});
	}

	/**
	 * Lose a lock and a leadership with the session.
	 */
	@Test
	void errorsDoNoHarmWhileASessionIsLost() throws Exception {
		errorsEverywhere((users) -> {
			users.begin(() -> {
				users.election.join();
				return null;
			});
			users.begin(() -> {
				LockLease lease = users.entered(users.lock.tryAcquire(PATIENCE).orElseThrow());
				Sessions.expire(users.here.zooKeeper());
				await().atMost(PATIENCE).until(() -> !lease.isHeld());
				lease.close();
				return null;
			});
			users.finish();
			users.use(users.lock);
			users.finish();
			users.begin(() -> {
				users.election.leave();
				return null;
			});
			users.finish();
		});
	}

	/**
	 * Lose the answer to a create, and the connection of those who wait and lead.
	 */
	@Test
	void errorsDoNoHarmWhileConnectionsAreLost() throws Exception {
		errorsEverywhere((users) -> {
			users.begin(() -> {
				users.election.join();
				return null;
			});
			users.use(users.lock);
			users.finish();
			users.proxy.cutAfter(Operation.CREATE, 1);
			users.use(users.lock);
			users.useAsync(users.reader);
			users.finish();
			LockLease other = users.elsewhere.acquire();
			users.use(users.lock);
			users.useAsync(users.lock);
			users.proxy.cut();
			other.close();
			users.finish();
			users.begin(() -> {
				users.election.leave();
				return null;
			});
			users.finish();
		});
	}

	/**
	 * Lead in turn with another process, and insist on it.
	 */
	@Test
	void errorsDoNoHarmWhileLeadersChange() throws Exception {
		errorsEverywhere((users) -> {
			users.insist(users.election::join);
			users.awaitLeader(users.election);
			users.electionElsewhere.join();
			users.insist(users.election::leave);
			users.awaitLeader(users.electionElsewhere);
			users.insist(users.election::join);
			users.electionElsewhere.leave();
			users.awaitLeader(users.election);
			users.insist(users.election::leave);
		});
	}

	/**
	 * Yield to another process while work goes on, and lead again.
	 */
	@Test
	void errorsDoNoHarmWhileALeaderYields() throws Exception {
		errorsEverywhere((users) -> {
			users.insist(users.election::join);
			users.awaitLeader(users.election);
			users.electionElsewhere.join();
			await().atMost(PATIENCE)
				.until(() -> users.electionElsewhere.participants().stream().anyMatch(Participant::self));
			List<LeaderWork> works = new ArrayList<>();
			users.insist(() -> users.election.leadership().begin().ifPresent(works::add));
			users.begin(users.election.leadership()::yield);
			works.forEach((work) -> users.insist(work::close));
			users.finish();
			// If the first one was hit before it had begun
			users.insist(() -> users.election.leadership().yield());
			users.awaitLeader(users.electionElsewhere);
			users.electionElsewhere.leave();
			users.awaitLeader(users.election);
			users.insist(users.election::leave);
		});
	}

	/**
	 * Stop the registry while it is used, and start it again.
	 */
	@Test
	void errorsDoNoHarmWhileTheRegistryIsStopped() throws Exception {
		errorsEverywhere((users) -> {
			users.insist(users.election::join);
			users.begin(() -> {
				// Longer than anybody waits for this call: only the end of the run ends
				// the wait
				Duration longWait = PATIENCE.multipliedBy(10);
				LockLease lease = users.entered(users.lock.tryAcquire(longWait).orElseThrow());
				await().atMost(PATIENCE).until(() -> !lease.isHeld());
				lease.close();
				return null;
			});
			users.useAsync(users.lock);
			users.insist(users.here::stop);
			users.finish();
			users.insist(users.here::resume);
			users.use(users.lock);
			users.finish();
			users.insist(users.election::join);
			users.awaitLeader(users.election);
			users.insist(users.here::stop);
			users.insist(users.here::start);
			users.use(users.reader);
			users.finish();
		});
	}

	/**
	 * Break a lock while one has it and another one waits for it, once.
	 */
	@Test
	void errorsDoNoHarmWhileALockIsBroken() throws Exception {
		errorsEverywhere((users) -> {
			CountDownLatch holding = new CountDownLatch(1);
			CountDownLatch broken = new CountDownLatch(1);
			users.begin(() -> {
				try {
					LockLease lease = users.entered(users.lock.tryAcquire(PATIENCE).orElseThrow());
					lease.onLost(lease::isLost);
					holding.countDown();
					await().atMost(PATIENCE).until(() -> !lease.isHeld() || broken.getCount() == 0);
					lease.close();
				}
				finally {
					holding.countDown();
				}
				return null;
			});
			awaitQuietly(holding);
			// Longer than anybody waits for this call
			Duration longWait = PATIENCE.multipliedBy(10);
			CompletableFuture<?> waiter = users.begin(() -> {
				users.entered(users.lock.tryAcquire(longWait).orElseThrow()).close();
				return null;
			});
			await().atMost(PATIENCE).until(() -> waiter.isDone() || !users.here.waiting().isEmpty());
			// Nobody waits for this one: it asks until its time is over
			call(() -> {
				try {
					return users.here.breakLock(users.name);
				}
				finally {
					broken.countDown();
				}
			});
			users.finish();
		});
	}

	/**
	 * What users do.
	 */
	private interface Use {

		void run(Users users) throws Exception;

	}

	private void errorsEverywhere(Use use) throws Exception {
		OneFault none = new OneFault(0);
		run("count", none, use);
		int places = none.passed.get();
		assertThat(places).isPositive();
		Semaphore free = new Semaphore(AT_A_TIME);
		List<CompletableFuture<?>> runs = new ArrayList<>();
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
		for (int place = 1; place <= places; place++) {
			int at = place;
			free.acquire();
			runs.add(call(() -> {
				OneFault fault = new OneFault(at);
				try {
					run("at-" + at, fault, use);
				}
				catch (Throwable ex) {
					failures.add(new AssertionError("after an error at '%s', place %d: %s".formatted(fault.hit, at, ex),
							ex));
				}
				finally {
					free.release();
				}
				return null;
			}));
		}
		for (CompletableFuture<?> run : runs) {
			run.join();
		}
		assertThat(failures).isEmpty();
	}

	private void run(String name, OneFault fault, Use use) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(server().connectString());
				ZooKeeperLocks here = with(builder(proxy.connectString(), SHORT_SESSION),
						(options) -> options.faults(fault))
					.build()) {
			Users users = new Users(proxy, here, name);
			use.run(users);
			fault.over = true;
			users.check();
		}
	}

	/**
	 * What the code throws at one of the places that it passes.
	 */
	private static final class Injected extends Error {

		private static final long serialVersionUID = 1L;

		Injected(String place) {
			// There are hundreds of them in the log
			super(place, null, false, false);
		}

	}

	private static final class OneFault implements Faults {

		private final AtomicInteger passed = new AtomicInteger();

		private final int at;

		private volatile String hit = "nothing";

		private volatile boolean over;

		/**
		 * Let an error happen.
		 * @param at at which of the places that are passed, from 1 on; 0 for none
		 */
		OneFault(int at) {
			this.at = at;
		}

		@Override
		public void pass(String place) {
			if (!this.over && this.passed.incrementAndGet() == this.at) {
				this.hit = place;
				throw new Injected(place);
			}
		}

	}

	/**
	 * Users of one registry, whose calls may fail, but do end.
	 */
	private final class Users {

		private final FaultProxy proxy;

		private final ZooKeeperLocks here;

		private final NamedLock lock;

		private final NamedLock reader;

		private final NamedLock elsewhere;

		private final LeaderElection election;

		private final LeaderElection electionElsewhere;

		private final String name;

		private final Queue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();

		private final Set<LockLease> entered = ConcurrentHashMap.newKeySet();

		Users(FaultProxy proxy, ZooKeeperLocks here, String name) {
			this.proxy = proxy;
			this.here = here;
			this.name = name;
			this.lock = here.lock(name);
			this.reader = here.readLock(name);
			this.elsewhere = EveryErrorTests.this.others.lock(name);
			this.election = here.election(name);
			this.electionElsewhere = EveryErrorTests.this.others.election(name);
		}

		/**
		 * Do something again if an error has prevented it.
		 */
		void insist(Runnable action) {
			try {
				action.run();
			}
			catch (Injected ex) {
				action.run();
			}
		}

		void awaitLeader(LeaderElection wanted) {
			LeaderElection other = (wanted == this.election) ? this.electionElsewhere : this.election;
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
				boolean both = leads(other) && leads(wanted) && leads(other);
				assertThat(both).as("two lead").isFalse();
				return leads(wanted);
			});
		}

		private boolean leads(LeaderElection asked) {
			return asked.leadership().isLeader();
		}

		/**
		 * Let somebody do something, and go on.
		 */
		CompletableFuture<?> begin(Callable<?> task) {
			CompletableFuture<?> begun = call(() -> {
				tolerate(task);
				return null;
			});
			this.calls.add(begun);
			return begun;
		}

		/**
		 * Let somebody hold a lock for a moment.
		 */
		void use(NamedLock used) {
			begin(() -> used.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) ? unlock(used) : null);
		}

		@Nullable Object unlock(NamedLock used) {
			try {
				entered(used.lease().orElseThrow());
			}
			finally {
				used.unlock();
			}
			return null;
		}

		void useAsync(NamedLock used) {
			begin(() -> {
				entered(get(used.acquireAsync(PATIENCE))).close();
				return null;
			});
		}

		/**
		 * Somebody was told that it has the lock: nobody else may believe so, but two may
		 * read.
		 */
		LockLease entered(LockLease lease) {
			this.entered.add(lease);
			boolean reads = ((Hold) lease).mode() == LockMode.READ;
			for (LockLease other : this.entered) {
				boolean together = reads && ((Hold) other).mode() == LockMode.READ;
				// In this order: if the other one holds it now, this one does not
				if (other != lease && !together && other.isHeld() && lease.isHeld()) {
					throw new AssertionError("two hold lock '%s'".formatted(this.name));
				}
			}
			return lease;
		}

		/**
		 * Wait for everybody.
		 */
		void finish() throws Exception {
			for (CompletableFuture<?> call = this.calls.poll(); call != null; call = this.calls.poll()) {
				get(call);
			}
		}

		private void tolerate(Callable<?> task) throws Exception {
			try {
				task.call();
			}
			catch (Injected | LockException | IllegalMonitorStateException | IllegalStateException
					| NoSuchElementException ex) {
				// that is what they are told
			}
			catch (ExecutionException ex) {
				assertThat(ex.getCause()).isInstanceOfAny(Injected.class, LockException.class);
			}
		}

		private void check() throws Exception {
			finish();
			for (NamedLock wanted : List.of(this.lock, this.elsewhere, this.reader)) {
				await().atMost(PATIENCE).ignoreExceptionsInstanceOf(LockException.class).until(() -> {
					Optional<LockLease> lease = wanted.tryAcquire(Duration.ofSeconds(10));
					lease.ifPresent((held) -> entered(held).close());
					return lease.isPresent();
				});
			}
			awaitNodes(this.name, 0);
			this.election.join();
			await().atMost(PATIENCE).until(this.election.leadership()::isLeader);
			this.election.leave();
			String candidates = chroot() + LockPath.of("/zk-lock", "leaders", this.name).parent();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(server().view().children(candidates)).isEmpty());
			// Who was thrown out is forgotten within a second
			await().atMost(PATIENCE).untilAsserted(() -> {
				assertThat(this.here.held()).isEmpty();
				assertThat(this.here.waiting()).isEmpty();
			});
		}

	}

}
