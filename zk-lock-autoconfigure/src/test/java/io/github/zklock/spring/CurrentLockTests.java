package io.github.zklock.spring;

import java.util.List;
import java.util.concurrent.FutureTask;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CurrentLockTests extends BlockingCallTestSupport {

	CurrentLockTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private static void assertNoLock() {
		assertThatIllegalStateException().isThrownBy(CurrentLock::lease)
			.withMessageContainingAll("@DistributedLock", Thread.currentThread().getName());
		assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld);
		assertNotHeld("a");
	}

	private static void assertNotHeld(String name) {
		assertThatIllegalStateException().isThrownBy(() -> CurrentLock.lease(name))
			.withMessageContaining("'" + name + "'");
		assertThatIllegalStateException().isThrownBy(() -> CurrentLock.assertHeld(name))
			.withMessageContaining("'" + name + "'");
	}

	@Test
	void isThereWhileTheBodyRuns() {
		assertNoLock();
		this.template.execute("a", () -> {
			CurrentLock.assertHeld();
			CurrentLock.assertHeld("a");
			assertThat(CurrentLock.lease().name()).isEqualTo("a");
			assertThat(CurrentLock.lease("a").fencingToken()).isPositive();
			assertNotHeld("b");
		});
		assertNoLock();
	}

	@Test
	void isGoneAfterAFailure() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.execute("a", () -> {
			throw new IllegalArgumentException();
		}));
		assertNoLock();
	}

	@Test
	void innermostComesFirstAndAllCanBeFound() {
		this.template.execute("a", () -> {
			LockLease a = CurrentLock.lease();
			this.template.execute("b", () -> {
				assertThat(CurrentLock.lease().name()).isEqualTo("b");
				assertThat(CurrentLock.lease("a")).isSameAs(a);
			});
			assertThat(CurrentLock.lease()).isSameAs(a);
			assertNotHeld("b");
		});
		this.template.execute(List.of(LockOptions.of("b"), LockOptions.of("a")), () -> {
			assertThat(CurrentLock.lease().name()).as("the last that was taken").isEqualTo("b");
			CurrentLock.assertHeld("a");
		});
	}

	@Test
	void otherThreadsDoNotInheritIt() throws Exception {
		this.template.execute("a", () -> {
			FutureTask<Boolean> task = new FutureTask<>(() -> {
				assertNoLock();
				return true;
			});
			new Thread(task, "child").start();
			assertThat(get(task)).isTrue();
			CurrentLock.assertHeld("a");
		});
	}

	@Test
	void tellsALoss() {
		this.template.execute(LockOptions.of("a").onLost(OnLost.IGNORE), () -> this.template.execute("b", () -> {
			lose("a");
			CurrentLock.assertHeld();
			CurrentLock.assertHeld("b");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> CurrentLock.assertHeld("a"))
				.withMessageContaining("'a'");
			assertThat(CurrentLock.lease("a").isHeld()).isFalse();
		}));
	}

	@Test
	void tellsThatItWasGivenBack() {
		this.template.execute("a", () -> {
			CurrentLock.lease().close();
			assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld).withMessageContaining("'a'");
			assertThatIllegalStateException().isThrownBy(() -> CurrentLock.assertHeld("a"));
			assertThat(CurrentLock.lease().isHeld()).isFalse();
		});
	}

	@Test
	void canBeSimulated() {
		long[] tokens = new long[2];
		CurrentLock.simulate("a", () -> {
			CurrentLock.assertHeld();
			CurrentLock.assertHeld("a");
			tokens[0] = CurrentLock.lease().fencingToken();
			CurrentLock.simulate("b", () -> {
				assertThat(CurrentLock.lease().name()).isEqualTo("b");
				CurrentLock.assertHeld("a");
				tokens[1] = CurrentLock.lease().fencingToken();
			});
			assertNotHeld("b");
			CurrentLock.lease().close();
			assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld);
			assertThatIllegalStateException().isThrownBy(() -> CurrentLock.lease().fencingToken());
		});
		assertThat(tokens[1]).isGreaterThan(tokens[0]);
		assertNoLock();
	}

	@Test
	void simulationEndsWithAFailure() {
		assertThatIllegalArgumentException().isThrownBy(() -> CurrentLock.simulate("a", () -> {
			throw new IllegalArgumentException();
		}));
		assertNoLock();
	}

}
