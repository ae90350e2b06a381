package io.github.zklock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LossReason;
import io.github.zklock.local.LocalLocks;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.testing.Patience;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What messages and logs show of a name that would write lines of its own.
 */
class HostileNameTests {

	private static final String NAME = "x'\r\nERROR\u001b[2J\u2028\u202e" + "y".repeat(100_000);

	private static final String SHOWN = "x'\\r\\nERROR\\u001B[2J\\u2028\\u202Ey";

	private final LogRecorder log = new LogRecorder("io.github.zklock.spring", Level.DEBUG);

	private final LocalLocks locks = new LocalLocks();

	private final LockTemplate template = new LockTemplate(this.locks, Duration.ZERO, Runnable::run);

	@AfterEach
	void close() {
		this.log.close();
		this.locks.close();
	}

	private static void assertHarmless(Class<? extends Throwable> type, ThrowingCallable failing) {
		Throwable failure = catchThrowable(failing);
		assertThat(failure).isInstanceOf(type);
		assertHarmless(String.valueOf(failure.getMessage()));
		if (failure instanceof LockException exception) {
			assertThat(exception.name()).isEqualTo(NAME);
		}
	}

	private static void assertHarmless(String text) {
		assertThat(text).contains(SHOWN).hasSizeLessThan(800).doesNotContain("\r", "\n", "\u001b", "\u2028", "\u202e");
	}

	@Test
	void messagesOfALockThatOthersHoldAreHarmless() throws Throwable {
		LockOptions options = LockOptions.of(NAME);
		LockOptions skipping = options.onContention(OnContention.SKIP);
		try (LockLease held = this.locks.lock(NAME).acquire()) {
			assertThat(held.isHeld()).isTrue();
			assertHarmless(LockTimeoutException.class, () -> this.template.execute(NAME, () -> "never"));
			assertHarmless(LockTimeoutException.class,
					() -> get(this.template.executeAsync(options, () -> CompletableFuture.completedFuture("never"))));
			this.template.execute(skipping, () -> "never");
			get(this.template.executeAsync(skipping, () -> CompletableFuture.completedFuture("never")));
			assertThat(this.log.texts(Level.DEBUG)).filteredOn((message) -> message.startsWith("Lock '"))
				.hasSize(2)
				.allSatisfy(HostileNameTests::assertHarmless);
		}
	}

	private static void get(CompletableFuture<?> future) throws Throwable {
		try {
			Patience.get(future);
		}
		catch (ExecutionException ex) {
			throw Objects.requireNonNull(ex.getCause());
		}
	}

	@Test
	void messagesOfALostLockAreHarmless() {
		assertHarmless(LockLostException.class, () -> this.template.execute(NAME, () -> {
			assertThat(this.locks.breakLock(NAME)).isTrue();
			assertHarmless(LockLostException.class, () -> CurrentLock.assertHeld(NAME));
			return "done";
		}));
		assertHarmless(new LockLostEvent(NAME, LossReason.NODE_DELETED).toString());
	}

	@Test
	void messageOfAnInterruptedWaitIsHarmless() throws Exception {
		try (LockLease held = this.locks.lock(NAME).acquire()) {
			assertThat(held.isHeld()).isTrue();
			Thread.currentThread().interrupt();
			assertHarmless(LockInterruptedException.class,
					() -> this.template.execute(LockOptions.of(NAME).maxWait(PATIENCE), () -> "never"));
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void messagesOfMisuseAreHarmless() {
		LockOptions options = LockOptions.of(NAME);
		assertHarmless(IllegalArgumentException.class, () -> options.maxWait(Duration.ofSeconds(-1)));
		assertHarmless(IllegalArgumentException.class, () -> options.minHold(Duration.ofSeconds(-1)));
		assertHarmless(IllegalArgumentException.class, () -> new LockOptions(NAME, LockMode.WRITE, null,
				OnContention.THROW, (contention) -> "x", Duration.ZERO, options.onLost()));
		assertHarmless(IllegalArgumentException.class,
				() -> this.template.execute(options.onContention(OnContention.FALLBACK), () -> "never"));
		assertHarmless(IllegalStateException.class,
				() -> this.template.execute("other", () -> CurrentLock.lease(NAME)));
		CurrentLock.simulate(NAME, () -> {
			LockLease lease = CurrentLock.lease();
			lease.close();
			assertHarmless(IllegalStateException.class, lease::fencingToken);
		});
		assertHarmless(String.valueOf(new NotLeaderException(NAME).getMessage()));
	}

	@Test
	void messagesOfMisuseOfPublishersAreHarmless() {
		ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);
		LockOptions reading = LockOptions.of(NAME).mode(LockMode.READ);
		assertHarmless(IllegalStateException.class, () -> ReactiveLockTemplate.currentLease(NAME).block(PATIENCE));
		assertHarmless(IllegalMonitorStateException.class,
				() -> reactive
					.mono(List.of(reading), () -> reactive.mono(LockOptions.of(NAME), () -> Mono.just("never")))
					.block(PATIENCE));
	}

}
