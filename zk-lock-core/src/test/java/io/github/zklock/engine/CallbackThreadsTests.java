package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockListener;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Users who are slow, stuck, or wait for each other.
 */
class CallbackThreadsTests {

	private final EventLoop loop = new EventLoop("loop", new SystemPlatform(), Faults.NONE, false);

	private final CallbackThreads users = new CallbackThreads("users", this.loop, null);

	@AfterEach
	void close() {
		this.users.close();
		this.loop.close();
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			assertThat(Patience.await(latch)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void stormOfSlowTasksMakesFewThreads() {
		int tasks = 2_000;
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch slow = new CountDownLatch(1);
		CountDownLatch done = new CountDownLatch(tasks);
		for (int task = 0; task < tasks; task++) {
			this.users.execute(() -> {
				threads.add(Thread.currentThread());
				waitFor(slow);
				done.countDown();
			});
		}
		await().atMost(LockTestSupport.PATIENCE).until(() -> threads.size() > 20);
		slow.countDown();
		waitFor(done);
		assertThat(threads).hasSizeLessThan(tasks / 2).doesNotContain(Thread.currentThread());
	}

	@Test
	void tasksThatWaitForLaterOnesDoNotBlockThem() {
		int tasks = 60;
		CountDownLatch done = new CountDownLatch(tasks);
		List<CountDownLatch> finished = new ArrayList<>();
		for (int task = 0; task <= tasks; task++) {
			finished.add(new CountDownLatch(1));
		}
		finished.get(tasks).countDown();
		for (int task = 0; task < tasks; task++) {
			CountDownLatch own = finished.get(task);
			CountDownLatch later = finished.get(task + 1);
			this.users.execute(() -> {
				waitFor(later);
				own.countDown();
				done.countDown();
			});
		}
		waitFor(done);
	}

	@Test
	void whatSomebodyWaitsForComesBeforeAStorm() {
		CountDownLatch slow = new CountDownLatch(1);
		CountDownLatch soon = new CountDownLatch(1);
		AtomicInteger begun = new AtomicInteger();
		for (int task = 0; task < 2_000; task++) {
			this.users.execute(() -> {
				begun.incrementAndGet();
				waitFor(slow);
			});
		}
		this.users.executeSoon(soon::countDown);
		waitFor(soon);
		assertThat(begun).hasValueLessThan(2_000);
		slow.countDown();
	}

	@Test
	void afterTheEndNobodyIsLeftInTheDark() {
		this.users.close();
		this.loop.close();
		CountDownLatch done = new CountDownLatch(20);
		for (int task = 0; task < 20; task++) {
			this.users.execute(done::countDown);
		}
		waitFor(done);
	}

	@Test
	void lineKeepsItsOrder() {
		List<Integer> seen = new ArrayList<>();
		CountDownLatch done = new CountDownLatch(1_000);
		Executor line = this.users.inOrder();
		for (int task = 0; task < 1_000; task++) {
			int number = task;
			line.execute(() -> {
				seen.add(number);
				done.countDown();
			});
		}
		waitFor(done);
		assertThat(seen).isSorted().hasSize(1_000);
	}

	@Test
	void listenerThatDoesNotReturnMissesWhatIsTooMuch() {
		CountDownLatch stuck = new CountDownLatch(1);
		AtomicInteger heard = new AtomicInteger();
		Listeners listeners = new Listeners(List.of(() -> new LockListener() {

			@Override
			public void timedOut(String name, Duration waited) {
				waitFor(stuck);
				heard.incrementAndGet();
			}

		}), this.users);
		for (int event = 0; event < 3 * Listeners.LONGEST_LINE; event++) {
			listeners.tell((listener) -> listener.timedOut("lock", Duration.ZERO));
		}
		CountDownLatch last = new CountDownLatch(1);
		stuck.countDown();
		await().atMost(LockTestSupport.PATIENCE).until(() -> heard.get() >= Listeners.LONGEST_LINE);
		listeners.tell((listener) -> last.countDown());
		waitFor(last);
		assertThat(heard).hasValueBetween(Listeners.LONGEST_LINE, Listeners.LONGEST_LINE + 1);
	}

	@Test
	void loopSurvivesALoggerThatFails() {
		CountDownLatch done = new CountDownLatch(1);
		this.loop.execute(() -> {
			throw new OutOfMemoryError() {

				private static final long serialVersionUID = 1L;

				@Override
				public String getMessage() {
					throw this;
				}

				@Override
				public StackTraceElement[] getStackTrace() {
					throw this;
				}

			};
		});
		this.loop.execute(done::countDown);
		waitFor(done);
	}

}
