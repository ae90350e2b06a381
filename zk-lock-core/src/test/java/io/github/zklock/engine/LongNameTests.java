package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockLease;
import io.github.zklock.LockNames;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Participant;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Names that are longer than a path, a packet or a log can bear.
 */
class LongNameTests extends LockTestSupport {

	private static final String X300 = "x".repeat(300);

	private final ZooKeeperLocks one = registry();

	private final ZooKeeperLocks two = registry();

	LongNameTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	static Stream<Arguments> names() {
		return Stream.of(Arguments.argumentSet("1,100,000 x", "x".repeat(1_100_000)),
				Arguments.argumentSet("120,000 euro", "\u20ac".repeat(120_000)));
	}

	@ParameterizedTest
	@MethodSource("names")
	void longNameIsALockLikeAnyOther(String name) throws Exception {
		try (LockLease innocent = this.one.lock("innocent").acquire()) {
			LockLease held = get(this.one.lock(name).acquireAsync(PATIENCE));
			assertThat(held.name()).isEqualTo(name);
			assertThat(held.fencingToken()).isPositive();
			CompletableFuture<LockLease> next = this.two.lock(name).acquireAsync(PATIENCE);
			awaitNodes(name, 2);
			get(this.one.lock("other").acquireAsync(PATIENCE)).close();
			get(this.two.lock("other").acquireAsync(PATIENCE)).close();
			assertThat(this.one.queue(name)).extracting(LockContender::holding).containsExactly(true, false);
			assertThat(this.one.held()).extracting(LocalLock::name).containsExactly("innocent", name);
			assertThat(next).isNotDone();
			held.close();
			get(next).close();
			get(this.one.readLock(name).acquireAsync(PATIENCE)).close();
			assertThat(innocent.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@MethodSource("names")
	void longNameIsARoleLikeAnyOther(String role) throws Exception {
		try (LockLease innocent = this.one.lock("innocent").acquire()) {
			LeaderElection election = this.one.election(role);
			election.join();
			await().atMost(PATIENCE).until(election.leadership()::isLeader);
			assertThat(this.two.election(role).participants()).extracting(Participant::leading, Participant::self)
				.containsExactly(tuple(true, false));
			get(this.one.lock("other").acquireAsync(PATIENCE)).close();
			assertThat(election.role()).isEqualTo(role);
			election.leave();
			assertThat(this.two.election(role).participants()).isEmpty();
			assertThat(innocent.isHeld()).isTrue();
		}
	}

	@Test
	void namesWithTheSameBeginningAreTwoLocks() throws Exception {
		try (LockLease a = this.one.lock(X300 + "a").acquire(); LockLease b = this.two.lock(X300 + "b").acquire()) {
			assertThat(a.isHeld() && b.isHeld()).isTrue();
			assertThat(nodes(X300 + "a")).hasSize(1);
			assertThat(nodes(X300 + "b")).hasSize(1);
		}
	}

	@Test
	void nameThatLooksLikeTheSegmentOfAnotherIsALockOfItsOwn() throws Exception {
		String segment = LockNames.segment(X300);
		try (LockLease held = this.one.lock(X300).acquire(); LockLease other = this.two.lock(segment).acquire()) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.one.queue(segment)).extracting(LockContender::origin)
				.containsExactly(LockContender.Origin.PEER);
			assertThat(this.one.queueOfSegment(segment)).extracting(LockContender::origin)
				.containsExactly(LockContender.Origin.SELF);
			assertThat(this.one.breakLock(segment)).isTrue();
			await().atMost(PATIENCE).until(() -> !other.isHeld());
			assertThat(held.isHeld()).as("a name is never taken for a segment").isTrue();
		}
	}

	@Test
	void lockCanBeLookedAtAndBrokenByItsSegment() throws Exception {
		for (String name : List.of(X300, "a/b", "x")) {
			String segment = LockNames.segment(name);
			LockLease own = this.one.lock(name).acquire();
			LockLease[] next = new LockLease[1];
			CompletableFuture<Boolean> heldWhenGranted = this.two.lock(name)
				.acquireAsync(PATIENCE)
				.thenApply((granted) -> {
					next[0] = granted;
					return own.isHeld();
				});
			awaitNodes(name, 2);
			assertThat(this.two.queueOfSegment(segment)).isEqualTo(this.two.queue(name)).hasSize(2);
			assertThat(this.one.breakSegment(segment)).isTrue();
			assertThat(own.isHeld()).as("told before the next one").isFalse();
			assertThat(get(heldWhenGranted)).isFalse();
			next[0].close();
			assertThat(this.one.breakSegment(segment)).isFalse();
		}
	}

	@Test
	void roleCanBeLookedAtByItsSegment() {
		LeaderElection election = this.one.election(X300);
		election.join();
		await().atMost(PATIENCE).until(election.leadership()::isLeader);
		assertThat(this.two.queueOfRoleSegment(LockNames.segment(X300))).hasSize(1)
			.isEqualTo(this.two.queueOfRole(X300));
	}

	@Test
	void segmentCannotLeadElsewhere() {
		for (String segment : List.of("", ".", "..", "a/b", "../leaders", "a\nb", "\u20ac", "x".repeat(256),
				"x".repeat(1_000_000))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.one.queueOfSegment(segment))
				.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(300));
			assertThatIllegalArgumentException().isThrownBy(() -> this.one.queueOfRoleSegment(segment));
			assertThatIllegalArgumentException().isThrownBy(() -> this.one.breakSegment(segment));
		}
	}

	@Test
	void rootIsBounded() throws Exception {
		String root = "/" + "x".repeat(1023);
		ZooKeeperLocks deep = closing(builder().root(root).build());
		deep.lock("x".repeat(255)).acquire().close();
		deep.lock(X300).acquire().close();
		assertThatIllegalArgumentException().isThrownBy(() -> builder().root(root + "x"))
			.withMessage("'root' must have at most 1024 bytes but has 1025");
		assertThatIllegalArgumentException().isThrownBy(() -> builder().root("/" + "\u20ac".repeat(342)))
			.withMessageContaining("1027");
	}

}
