package io.github.zklock.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LossInterrupt;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CallbacksTests {

	private final EventLoop loop = new EventLoop("loop", new SystemPlatform(), Faults.NONE, false);

	// What the user's executor has been given, and has not begun
	private final Deque<Runnable> given = new ArrayDeque<>();

	private final CountDownLatch givenOne = new CountDownLatch(1);

	private final CallbackThreads users = new CallbackThreads("users", this.loop, this::give);

	private final Callbacks actions = new Callbacks(this.users);

	private synchronized void give(Runnable task) {
		this.given.add(task);
		this.givenOne.countDown();
	}

	@AfterEach
	void close() {
		this.users.close();
		this.loop.close();
		assertThat(Thread.interrupted()).isFalse();
	}

	/**
	 * Whoever says that something is lost has interrupted, even if no thread for users is
	 * to be had.
	 */
	@Test
	void interruptDoesNotWaitForThreadsOfUsers() throws Exception {
		List<String> run = new ArrayList<>();
		CountDownLatch done = new CountDownLatch(1);
		this.actions.add(() -> {
			run.add("action");
			done.countDown();
		});
		LossInterrupt interrupt = new LossInterrupt();
		this.actions.add(interrupt);
		this.actions.interrupt();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(interrupt.end()).isTrue();
		assertThat(run).as("before anybody is told").isEmpty();
		this.actions.happened();
		assertThat(Patience.await(done)).isTrue();
		assertThat(run).containsExactly("action");
		assertThat(Patience.await(this.givenOne)).isTrue();
	}

	@Test
	void interruptThatComesAfterTheLossIsSentAtOnce() {
		this.actions.happened();
		LossInterrupt interrupt = new LossInterrupt();
		this.actions.add(interrupt);
		assertThat(interrupt.end()).isTrue();
	}

	@Test
	void nobodyIsInterruptedAfterAnOrderlyEnd() {
		LossInterrupt interrupt = new LossInterrupt();
		this.actions.add(interrupt);
		this.actions.ruleOut();
		this.actions.happened();
		assertThat(interrupt.end()).isFalse();
	}

	@Test
	void threadThatCannotBeInterruptedKeepsNobodyElseFromIt() throws Exception {
		CountDownLatch interrupted = new CountDownLatch(1);
		Thread stubborn = new Thread(() -> this.actions.add(new LossInterrupt())) {

			@Override
			public void interrupt() {
				throw new IllegalStateException("on purpose");
			}

		};
		stubborn.start();
		stubborn.join();
		LossInterrupt interrupt = new LossInterrupt();
		this.actions.add(interrupt);
		this.actions.add(interrupted::countDown);
		this.actions.happened();
		assertThat(interrupt.end()).isTrue();
		assertThat(Patience.await(interrupted)).isTrue();
	}

	@Test
	void interruptsOfBodiesThatHaveEndedAreForgotten() {
		for (int call = 0; call < 100; call++) {
			LossInterrupt interrupt = new LossInterrupt();
			this.actions.add(interrupt);
			interrupt.end();
		}
		assertThat(this.actions.size()).isOne();
	}

}
