package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Executors of users that block, refuse, forget, or call back at once.
 */
class GivenTasksTests {

	private final EventLoop loop = new EventLoop("loop", new SystemPlatform(), Faults.NONE, false);

	private final ExecutorService pool = Executors.newFixedThreadPool(4, (task) -> new Thread(task, "pool"));

	private final AtomicInteger runs = new AtomicInteger();

	@AfterEach
	void close() {
		this.pool.shutdownNow();
		this.loop.close();
	}

	private CallbackThreads users(Executor executor) {
		return new CallbackThreads("users", this.loop, executor);
	}

	/**
	 * Make it impossible that what the executor does not begin is taken back in time.
	 */
	private CallbackThreads usersOutOfTime(Executor executor) {
		this.loop.close();
		return users(executor);
	}

	private void awaitRuns(int count) {
		await().atMost(LockTestSupport.PATIENCE).untilAsserted(() -> assertThat(this.runs).hasValue(count));
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			assertThat(Patience.await(latch)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void tasksRunOnTheExecutor(boolean soon) {
		List<String> threads = new ArrayList<>();
		CallbackThreads users = usersOutOfTime(this.pool);
		Runnable task = () -> {
			threads.add(Thread.currentThread().getName());
			this.runs.incrementAndGet();
		};
		if (soon) {
			users.executeSoon(task);
		}
		else {
			users.execute(task);
		}
		awaitRuns(1);
		assertThat(threads).containsExactly("pool");
	}

	@Test
	void executorIsCalledOnAThreadOfOurs() {
		List<String> callers = new ArrayList<>();
		CallbackThreads users = usersOutOfTime((task) -> {
			callers.add(Thread.currentThread().getName());
			this.pool.execute(task);
		});
		users.execute(this.runs::incrementAndGet);
		awaitRuns(1);
		assertThat(callers).singleElement().asString().startsWith("users-user-");
	}

	@Test
	void nothingRunsWithinTheExecutorsCall() {
		ThreadLocal<Boolean> called = ThreadLocal.withInitial(() -> false);
		AtomicBoolean within = new AtomicBoolean();
		CallbackThreads users = usersOutOfTime((task) -> {
			called.set(true);
			try {
				task.run();
			}
			finally {
				called.remove();
			}
		});
		CountDownLatch second = new CountDownLatch(1);
		users.execute(() -> {
			within.compareAndSet(false, called.get());
			waitFor(second);
			this.runs.incrementAndGet();
		});
		users.execute(() -> {
			within.compareAndSet(false, called.get());
			this.runs.incrementAndGet();
			second.countDown();
		});
		awaitRuns(2);
		assertThat(within).isFalse();
	}

	@Test
	void refusedTasksRunOnThreadsOfOurs() {
		AtomicInteger calls = new AtomicInteger();
		CallbackThreads users = usersOutOfTime((task) -> {
			if (calls.getAndIncrement() % 2 == 0) {
				throw new RejectedExecutionException();
			}
			throw new StackOverflowError();
		});
		for (int task = 0; task < 10; task++) {
			users.execute(this.runs::incrementAndGet);
		}
		awaitRuns(10);
		assertThat(calls).hasValue(10);
	}

	@Test
	void taskThatWasTakenAndRefusedRunsOnce() {
		Deque<Runnable> taken = new ConcurrentLinkedDeque<>();
		CallbackThreads users = usersOutOfTime((task) -> {
			taken.add(task);
			throw new RejectedExecutionException();
		});
		users.execute(this.runs::incrementAndGet);
		awaitRuns(1);
		taken.forEach(Runnable::run);
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void forgottenTasksAreTakenBackAndRunOnce() {
		Deque<Runnable> forgotten = new ConcurrentLinkedDeque<>();
		CallbackThreads users = users(forgotten::add);
		for (int task = 0; task < 10; task++) {
			users.execute(this.runs::incrementAndGet);
		}
		users.executeSoon(this.runs::incrementAndGet);
		awaitRuns(11);
		users.execute(this.runs::incrementAndGet);
		awaitRuns(12);
		forgotten.forEach(Runnable::run);
		assertThat(this.runs).hasValue(12);
	}

	@Test
	void executorThatBlocksHoldsUpNobody() {
		CountDownLatch free = new CountDownLatch(1);
		AtomicInteger calls = new AtomicInteger();
		CallbackThreads users = users((task) -> {
			calls.incrementAndGet();
			waitFor(free);
			this.pool.execute(task);
		});
		for (int task = 0; task < 50; task++) {
			users.execute(this.runs::incrementAndGet);
		}
		awaitRuns(50);
		assertThat(calls).hasValue(1);
		free.countDown();
	}

	@Test
	void linesKeepTheirOrderWhateverTheExecutorDoes() {
		AtomicInteger calls = new AtomicInteger();
		CallbackThreads users = users((task) -> {
			switch (calls.getAndIncrement() % 4) {
				case 0 -> this.pool.execute(task);
				case 1 -> task.run();
				case 2 -> throw new RejectedExecutionException();
				default -> {
					this.pool.execute(task);
					this.pool.execute(task);
				}
			}
		});
		int tasks = 100;
		List<Executor> lines = List.of(users.inOrder(), users.inOrder(), users.inOrder());
		for (int round = 0; round < 8; round++) {
			List<List<Integer>> seen = new ArrayList<>();
			for (Executor line : lines) {
				List<Integer> order = new ArrayList<>();
				seen.add(order);
				for (int task = 0; task < tasks; task++) {
					int number = task;
					line.execute(() -> {
						order.add(number);
						this.runs.incrementAndGet();
					});
				}
			}
			awaitRuns((round + 1) * lines.size() * tasks);
			assertThat(seen).allSatisfy((order) -> assertThat(order).isSorted().hasSize(tasks));
		}
	}

	@Test
	void failureOfATaskIsNotTheExecutors() {
		AtomicInteger failures = new AtomicInteger();
		CallbackThreads users = usersOutOfTime((task) -> this.pool.execute(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				failures.incrementAndGet();
			}
			this.runs.incrementAndGet();
		}));
		users.execute(() -> {
			throw new IllegalStateException("a user's failure");
		});
		awaitRuns(1);
		assertThat(failures).hasValue(0);
	}

	@Test
	void endTakesBackWhatHasNotBegun() {
		Deque<Runnable> forgotten = new ConcurrentLinkedDeque<>();
		CallbackThreads users = usersOutOfTime(forgotten::add);
		users.execute(this.runs::incrementAndGet);
		await().atMost(LockTestSupport.PATIENCE).until(() -> forgotten.size() == 1);
		users.close();
		awaitRuns(1);
		users.execute(this.runs::incrementAndGet);
		users.executeSoon(this.runs::incrementAndGet);
		awaitRuns(3);
		assertThat(forgotten).hasSize(1);
	}

}
