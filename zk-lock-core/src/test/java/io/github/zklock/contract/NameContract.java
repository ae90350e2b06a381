package io.github.zklock.contract;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockException;
import io.github.zklock.LockInspector;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Which names locks and roles may have, and what messages show of them, whichever type of
 * registry it is.
 */
abstract class NameContract extends RegistryTestSupport {

	private static final String HOSTILE = "x'\r\nERROR\u001b[2J\u2028\u202e" + "y".repeat(100_000);

	private static final String SHOWN = "'x'\\r\\nERROR\\u001B[2J\\u2028\\u202Ey";

	private static final String LONG = "x".repeat(300);

	private LockRegistry locks;

	@BeforeEach
	void createRegistry() {
		this.locks = registry(Duration.ZERO);
	}

	static Stream<Arguments> names() {
		return Stream.of(Arguments.argumentSet("255", "x".repeat(255)), Arguments.argumentSet("256", "x".repeat(256)),
				Arguments.argumentSet("megabyte", "x".repeat(1_100_000)),
				Arguments.argumentSet("euro", "\u20ac".repeat(120_000)), Arguments.argumentSet("hostile", HOSTILE),
				Arguments.argumentSet("segment", LockNames.segment(LONG)), Arguments.argumentSet("dots", ".."),
				Arguments.argumentSet("zero", "\u0000"), Arguments.argumentSet("lock", "\ud83d\udd12"));
	}

	@ParameterizedTest
	@MethodSource("names")
	void anyNameIsALockAndARole(String name) throws Exception {
		LockLease lease = this.locks.lock(name).acquire();
		assertThat(lease.name()).isEqualTo(name);
		assertThat(inspector(this.locks).held()).extracting(LocalLock::name).containsExactly(name);
		assertThat(inspector(this.locks).queue(name)).hasSize(1);
		assertThat(inspector(this.locks).queueOfSegment(LockNames.segment(name))).hasSize(1);
		lease.close();
		LeaderElection election = lead(name);
		assertThat(election.role()).isEqualTo(name);
		assertThat(inspector(this.locks).queueOfRole(name)).hasSize(1);
		assertThat(inspector(this.locks).queueOfRoleSegment(LockNames.segment(name))).hasSize(1);
		election.leave();
	}

	private LeaderElection lead(String role) {
		LeaderElection election = this.locks.election(role);
		election.join();
		await().atMost(PATIENCE).until(election.leadership()::isLeader);
		return election;
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a\ud800b", "\udc00", "\udc00\ud800" })
	void otherNamesAreRefused(String name) {
		LockInspector inspector = inspector(this.locks);
		for (ThrowingCallable use : new ThrowingCallable[] { () -> this.locks.lock(name),
				() -> this.locks.readLock(name), () -> this.locks.writeLock(name), () -> this.locks.election(name),
				() -> inspector.queue(name), () -> inspector.queueOfRole(name), () -> inspector.breakLock(name),
				() -> inspector.queueOfSegment(name), () -> inspector.queueOfRoleSegment(name),
				() -> inspector.breakSegment(name) }) {
			assertThatIllegalArgumentException().isThrownBy(use)
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("\ud800", "\udc00"));
		}
	}

	@Test
	void namesAreExact() throws Exception {
		String[] names = { LONG + "a", LONG + "b", LockNames.segment(LONG + "a"), "\u00e9", "e\u0301", "E\u0301", "a",
				"A", "a " };
		for (String name : names) {
			this.locks.lock(name).acquire();
		}
		assertThat(inspector(this.locks).held()).extracting(LocalLock::name).containsExactly(names);
	}

	@Test
	void nameIsNeverTakenForASegment() throws Exception {
		LockInspector inspector = inspector(this.locks);
		String segment = LockNames.segment(LONG);
		LockLease held = this.locks.lock(LONG).acquire();
		assertThat(inspector.queue(segment)).isEmpty();
		assertThat(inspector.queueOfRole(segment)).isEmpty();
		assertThat(inspector.breakLock(segment)).isFalse();
		assertThat(inspector.queueOfSegment(LockNames.segment(segment))).isEmpty();
		assertThat(held.isHeld()).isTrue();
		assertThat(inspector.breakSegment(segment)).isTrue();
		assertThat(held.isHeld()).isFalse();
		assertThat(inspector.breakSegment(segment)).isFalse();
	}

	@Test
	void messagesAreHarmless() throws Exception {
		assertHarmless(IllegalMonitorStateException.class, this.locks.lock(HOSTILE)::unlock);
		assertHarmless(IllegalMonitorStateException.class, this.locks.readLock(HOSTILE)::unlock);
		assertHarmless(IllegalArgumentException.class, () -> this.locks.lock(HOSTILE + "\ud800"));
		assertHarmless(IllegalArgumentException.class,
				() -> this.locks.lock(HOSTILE).tryAcquire(Duration.ofSeconds(-1)));
		this.locks.readLock(HOSTILE).lock();
		assertHarmless(IllegalMonitorStateException.class, this.locks.lock(HOSTILE)::lock);
		this.locks.readLock(HOSTILE).unlock();
		LockLease lease = this.locks.lock(HOSTILE).acquire();
		assertHarmless(IllegalArgumentException.class, () -> lease.close(Duration.ofSeconds(-1)));
		assertHarmless(LockTimeoutException.class, () -> refused(this.locks.lock(HOSTILE).acquireAsync(Duration.ZERO)));
		lease.close();
		assertHarmless(IllegalStateException.class, lease::fencingToken);
		LockLease lost = this.locks.lock(HOSTILE).acquire();
		assertThat(inspector(this.locks).breakLock(HOSTILE)).isTrue();
		assertHarmless(LockLostException.class, lost::fencingToken);
		isHarmless(this.locks.lock(HOSTILE).toString() + this.locks.readLock(HOSTILE));
	}

	@Test
	void messagesOfElectionsAreHarmless() throws Exception {
		LeaderElection election = this.locks.election(HOSTILE);
		assertHarmless(IllegalStateException.class, election.leadership()::fencingToken);
		isHarmless(election.toString());
		lead(HOSTILE);
		LeaderWork work = election.leadership().begin().orElseThrow();
		election.leave();
		assertHarmless(LockLostException.class, work::fencingToken);
	}

	@Test
	void messagesOfAClosedRegistryAreHarmless() throws Exception {
		LeaderElection election = this.locks.election(HOSTILE);
		close(this.locks);
		assertHarmless(LockUnavailableException.class, this.locks.lock(HOSTILE)::lock);
		assertHarmless(LockUnavailableException.class, election::join);
		assertHarmless(LockUnavailableException.class, () -> inspector(this.locks).queue(HOSTILE));
	}

	private static void refused(CompletableFuture<LockLease> future) throws Throwable {
		try {
			get(future);
		}
		catch (ExecutionException ex) {
			throw Objects.requireNonNull(ex.getCause());
		}
	}

	private static void assertHarmless(Class<? extends Throwable> type, ThrowingCallable failing) {
		Throwable failure = catchThrowable(failing);
		assertThat(failure).isInstanceOf(type);
		isHarmless(String.valueOf(failure.getMessage()));
		if (failure instanceof LockException exception) {
			assertThat(exception.name()).isEqualTo(HOSTILE);
		}
	}

	private static void isHarmless(String text) {
		assertThat(text).contains(SHOWN).hasSizeLessThan(800).doesNotContain("\r", "\n", "\u001b", "\u2028", "\u202e");
	}

}
