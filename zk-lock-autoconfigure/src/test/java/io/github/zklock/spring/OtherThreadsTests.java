package io.github.zklock.spring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * No lock goes to another thread, whatever the executor of the application carries there.
 */
@Tag("H19")
class OtherThreadsTests extends BlockingCallTestSupport {

	private static final LockOptions AT_ONCE = LockOptions.of("lock").maxWait(Duration.ZERO);

	OtherThreadsTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ThreadPoolTaskExecutor executor(TaskDecorator decorator) {
		ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
		executor.setCorePoolSize(1);
		executor.setTaskDecorator(decorator);
		executor.initialize();
		closing(executor::shutdown);
		return executor;
	}

	@Test
	void propagatedKnowledgeIsNoHold() throws Exception {
		ThreadPoolTaskExecutor executor = executor(new ContextPropagatingTaskDecorator());
		this.template.<Void, Exception>execute("lock", () -> get(CompletableFuture.runAsync(() -> {
			CurrentLock.assertHeld("lock");
			assertDoesNotHold();
		}, executor)));
		get(CompletableFuture.runAsync(OtherThreadsTests::assertKnowsNothing, executor));
	}

	@Test
	void otherDecoratorsCarryNothing() throws Exception {
		ThreadPoolTaskExecutor executor = executor((task) -> () -> task.run());
		this.template.<Void, Exception>execute("lock", () -> get(CompletableFuture.runAsync(() -> {
			assertKnowsNothing();
			assertDoesNotHold();
		}, executor)));
	}

	/**
	 * The thread of a stage holds what the stage has taken, and not what its caller
	 * holds.
	 */
	@Test
	void stageDoesNotEnterTheLockOfItsCaller() throws Exception {
		LockTemplate stages = new LockTemplate(new AnsweredLocks(this.locks), PATIENCE,
				executor(new ContextPropagatingTaskDecorator()));
		this.template.execute("lock", () -> {
			CompletableFuture<String> same = stages.executeAsync(AT_ONCE, CompletableFuture::new);
			assertThat(same).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockTimeoutException.class);
			get(stages.executeAsync(LockOptions.of("own"), () -> {
				assertThat(CurrentLock.lease().name()).isEqualTo("own");
				CurrentLock.assertHeld("lock");
				assertDoesNotHold();
				return CompletableFuture.completedFuture("done");
			}));
		});
	}

	private void assertDoesNotHold() {
		assertThat(this.locks.lock("lock").isHeldByCurrentThread()).isFalse();
		assertThat(LockStack.find(LockStack.current(), "lock")).isNull();
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> this.template.execute(AT_ONCE, () -> "entered"));
	}

	private static void assertKnowsNothing() {
		assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
	}

}
