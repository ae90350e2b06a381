package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class EventLoopTests {

	private final AtomicBoolean failing = new AtomicBoolean();

	private final EventLoop loop = new EventLoop("loop", new SystemPlatform(), (place) -> {
		if ((place.equals("execute here") || place.equals("timer")) && this.failing.compareAndSet(true, false)) {
			throw new OutOfMemoryError(place);
		}
	}, false);

	private final BlockingQueue<Boolean> recoveries = new LinkedBlockingQueue<>();

	@AfterEach
	void close() {
		this.loop.close();
	}

	/**
	 * Counts how often the threads of loops are woken, and fails to do so once.
	 */
	private static final class Waking extends SystemPlatform {

		private final AtomicInteger wakeUps = new AtomicInteger();

		private final AtomicBoolean failing = new AtomicBoolean();

		@Override
		public LoopThread newLoopThread(String name, LoopThread.Loop loop) {
			LoopThread thread = super.newLoopThread(name, loop);
			return new LoopThread() {

				@Override
				public void start() {
					thread.start();
				}

				@Override
				public void wake() {
					Waking.this.wakeUps.incrementAndGet();
					if (Waking.this.failing.compareAndSet(true, false)) {
						throw new StackOverflowError();
					}
					thread.wake();
				}

				@Override
				public Timer schedule(Runnable task, long nanos) {
					return thread.schedule(task, nanos);
				}

				@Override
				public void mayRetire(boolean mayRetire) {
					thread.mayRetire(mayRetire);
				}

				@Override
				public void close() {
					thread.close();
				}

			};
		}

	}

	@Test
	void threadThatCouldNotBeWokenWorksSoon() throws Exception {
		Waking platform = new Waking();
		EventLoop sleepy = new EventLoop("sleepy", platform, Faults.NONE, false);
		try {
			platform.failing.set(true);
			CompletableFuture<Void> first = new CompletableFuture<>();
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> sleepy.execute(() -> first.complete(null)));
			LockTestSupport.get(first);
			CompletableFuture<Void> second = new CompletableFuture<>();
			sleepy.execute(() -> second.complete(null));
			LockTestSupport.get(second);
		}
		finally {
			sleepy.close();
		}
	}

	/**
	 * As long as somebody visits, nobody is woken.
	 */
	@Test
	void visitorWhoWasThrownOutIsNotExpectedForEver() throws Exception {
		Waking platform = new Waking();
		AtomicBoolean thrown = new AtomicBoolean();
		EventLoop visited = new EventLoop("visited", platform, (place) -> {
			if (place.equals("visited") && thrown.compareAndSet(false, true)) {
				throw new StackOverflowError();
			}
		}, true);
		try {
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> visited.visit(() -> visited.execute(() -> {
				})));
			visited.troubled = true;
			int before = platform.wakeUps.get();
			await().atMost(LockTestSupport.PATIENCE).until(() -> {
				visited.execute(() -> {
				});
				return platform.wakeUps.get() > before;
			});
		}
		finally {
			visited.close();
		}
	}

	private void recordRecoveries() {
		this.loop.recoverBy(this.recoveries::add);
	}

	private boolean nextRecovery() throws Exception {
		Boolean taskFailed = this.recoveries.poll(LockTestSupport.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(taskFailed).isNotNull();
		return taskFailed;
	}

	private void awaitTask() throws Exception {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.loop.execute(() -> done.complete(null));
		LockTestSupport.get(done);
	}

	@Test
	void tasksRunInOrder() throws Exception {
		List<Integer> run = new ArrayList<>();
		for (int task = 0; task < 1000; task++) {
			int number = task;
			this.loop.execute(() -> run.add(number));
		}
		awaitTask();
		assertThat(run).hasSize(1000).isSorted();
	}

	@Test
	void timersRunInTheOrderOfTime() throws Exception {
		List<String> run = new ArrayList<>();
		CountDownLatch done = new CountDownLatch(4);
		CountDownLatch all = new CountDownLatch(1);
		this.loop.execute(() -> LockTestSupport.awaitQuietly(all));
		schedule("third", 30, run, done);
		schedule("first", 10, run, done);
		schedule("fourth", 30, run, done);
		schedule("second", 20, run, done);
		all.countDown();
		assertThat(Patience.await(done)).isTrue();
		assertThat(run).containsExactly("first", "second", "third", "fourth");
	}

	private void schedule(String name, long millis, List<String> run, CountDownLatch done) {
		this.loop.schedule(() -> {
			run.add(name);
			done.countDown();
		}, TimeUnit.MILLISECONDS.toNanos(millis));
	}

	@Test
	void cancelledTimersDoNotRun() throws Exception {
		List<String> run = new ArrayList<>();
		CountDownLatch done = new CountDownLatch(1);
		CountDownLatch cancelled = new CountDownLatch(1);
		this.loop.execute(() -> LockTestSupport.awaitQuietly(cancelled));
		LoopThread.Timer timer = this.loop.schedule(() -> run.add("cancelled"), 1);
		timer.cancel();
		schedule("other", 1, run, done);
		cancelled.countDown();
		assertThat(Patience.await(done)).isTrue();
		assertThat(run).containsExactly("other");
	}

	@Test
	@Tag("H40")
	void taskThatFailsIsFollowedByARecovery() throws Exception {
		recordRecoveries();
		this.loop.execute(() -> {
			throw new StackOverflowError();
		});
		assertThat(nextRecovery()).isTrue();
		awaitTask();
	}

	@Test
	void timerThatCannotBeRunIsRunLater() throws Exception {
		this.failing.set(true);
		CompletableFuture<Void> run = new CompletableFuture<>();
		this.loop.schedule(() -> run.complete(null), 1);
		LockTestSupport.get(run);
		assertThat(this.failing).isFalse();
	}

	/**
	 * A thread that is interrupted cannot wait: it would never rest again.
	 */
	@Test
	void interruptIsForgotten() throws Exception {
		CompletableFuture<Thread> own = new CompletableFuture<>();
		this.loop.execute(() -> own.complete(Thread.currentThread()));
		Thread thread = LockTestSupport.get(own);
		thread.interrupt();
		await().atMost(LockTestSupport.PATIENCE).until(() -> !thread.isInterrupted());
		awaitTask();
	}

	@Test
	void answerThatGetsLostIsFollowedByARecovery() throws Exception {
		recordRecoveries();
		awaitTask();
		this.failing.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.loop.executeHere(() -> {
		}));
		assertThat(nextRecovery()).isTrue();
	}

	@Test
	void callerWhoWasThrownOutIsFollowedByARecovery() throws Exception {
		recordRecoveries();
		awaitTask();
		this.loop.troubled = true;
		assertThat(nextRecovery()).isFalse();
		assertThat(this.loop.troubled).isFalse();
	}

	@Test
	void recoveryThatFailsIsDoneAgain() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		this.loop.recoverBy((taskFailed) -> {
			if (attempts.incrementAndGet() < 3) {
				throw new OutOfMemoryError();
			}
			this.recoveries.add(taskFailed);
		});
		this.loop.execute(() -> {
			throw new StackOverflowError();
		});
		assertThat(nextRecovery()).as("it is still known what has failed").isTrue();
		assertThat(attempts).hasValue(3);
	}

}
