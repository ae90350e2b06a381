package io.github.zklock.spring;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.zklock.testing.Patience;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What other threads are told of locks.
 */
class CurrentLockAccessorTests {

	private final ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();

	private final ExecutorService other = Executors.newSingleThreadExecutor();

	@AfterEach
	void shutDown() {
		this.other.shutdownNow();
	}

	private void onOther(Runnable task) {
		Future<?> ended = this.other.submit(task);
		try {
			Patience.get(ended);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void otherThreadIsToldButDoesNotHold() {
		CurrentLock.simulate("lock", () -> {
			ContextSnapshot snapshot = this.snapshots.captureAll();
			onOther(() -> assertThatIllegalStateException().isThrownBy(CurrentLock::lease));
			onOther(snapshot.wrap(() -> {
				assertThat(CurrentLock.lease().name()).isEqualTo("lock");
				CurrentLock.assertHeld("lock");
				assertThat(LockStack.current()).as("holds").isNull();
				CurrentLock.simulate("own", () -> {
					assertThat(CurrentLock.lease().name()).isEqualTo("own");
					CurrentLock.assertHeld("lock");
				});
				assertThat(CurrentLock.lease().name()).isEqualTo("lock");
			}));
			onOther(() -> assertThatIllegalStateException().isThrownBy(CurrentLock::lease));
		});
	}

	@Test
	void nothingIsLeftOnAThreadThatHoldsALockItself() {
		CurrentLock.simulate("told", () -> {
			ContextSnapshot snapshot = this.snapshots.captureAll();
			onOther(() -> {
				Runnable looking = () -> assertThat(CurrentLock.lease("told").isHeld()).isTrue();
				CurrentLock.simulate("own", snapshot.wrap(looking));
				assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
			});
		});
	}

}
