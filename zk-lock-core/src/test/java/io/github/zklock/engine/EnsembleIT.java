package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EnsembleMember;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.MemberLink;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.ZooKeeperEnsemble;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What only an ensemble can do to a lock.
 */
class EnsembleIT {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static ZooKeeperEnsemble ensemble;

	private final List<AutoCloseable> resources = new ArrayList<>();

	@BeforeAll
	static void start() {
		ensemble = ZooKeeperEnsemble.builder().tickTime(Duration.ofMillis(500)).syncLimit(40).start();
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	@AfterEach
	void closeAll() throws Exception {
		ensemble.heal();
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		ensemble.members().stream().filter((member) -> !member.isRunning()).forEach(EnsembleMember::start);
		ensemble.awaitServing();
	}

	private ZooKeeperLocks registry(String connectString) {
		ZooKeeperLocks locks = ZooKeeperLocks.builder(connectString)
			.sessionTimeout(SESSION)
			.serverTick(Duration.ofMillis(500))
			.connectTimeout(PATIENCE)
			.closeWait(Duration.ZERO)
			.build();
		this.resources.add(locks);
		return locks;
	}

	/**
	 * Also the model's plant "unsound". The cut comes at another phase of the heartbeat
	 * each time.
	 */
	@Test
	@Tag("H01")
	@Tag("H04")
	void holderOnAFollowerThatIsCutOffStopsBelievingBeforeTheNextGrant() throws Exception {
		for (int round = 0; round < 4; round++) {
			EnsembleMember leader = ensemble.leader();
			EnsembleMember follower = ensemble.followers().get(0);
			ZooKeeperLocks cutOff = registry(follower.connectString());
			ZooKeeperLocks other = registry(leader.connectString());
			LockLease lease = cutOff.lock("cut-off").acquire();
			CompletableFuture<Boolean> believing = new CompletableFuture<>();
			CompletableFuture<LockLease> next = other.lock("cut-off").acquireAsync(PATIENCE).thenApply((granted) -> {
				believing.complete(lease.isHeld());
				return granted;
			});
			long phase = System.nanoTime() + SESSION.toNanos() / 8 * round / 4;
			await().atMost(PATIENCE).until(() -> System.nanoTime() - phase > 0);
			ensemble.cut(follower, leader);
			assertThat(Patience.get(believing)).as("round %d", round).isFalse();
			assertThat(follower.isServing()).as("the follower has not noticed").isTrue();
			Patience.get(next).close();
			ensemble.heal();
			ensemble.awaitServing();
		}
	}

	@Test
	@Tag("H31")
	void createThatIsStillUndecidedAfterTheReconnectIsNotCreatedTwice() throws Exception {
		EnsembleMember leader = ensemble.leader();
		List<EnsembleMember> followers = ensemble.followers();
		try (FaultProxy proxy = FaultProxy.to(followers.get(0).connectString())) {
			ZooKeeperLocks locks = registry(proxy.connectString());
			locks.lock("undecided").acquire().close();
			List<MemberLink> acknowledgements = followers.stream()
				.map((follower) -> ensemble.link(follower, leader))
				.toList();
			FaultProxy.Trigger sent = proxy.passThenCut(Direction.TO_SERVER, Operation.CREATE, 1);
			ensemble.link(followers.get(1), leader).hold();
			CompletableFuture<LockLease> waiting = locks.lock("undecided").acquireAsync(PATIENCE);
			assertThat(sent.await(PATIENCE)).isTrue();
			proxy.retarget(followers.get(1).connectString());
			proxy.cut();
			acknowledgements.forEach(MemberLink::release);
			try (LockLease lease = Patience.get(waiting)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(locks.zooKeeper().getChildren("/zk-lock/locks/undecided", false)).hasSize(1);
			}
			await().atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(locks.zooKeeper().getChildren("/zk-lock/locks/undecided", false)).isEmpty());
		}
	}

	@Test
	@Tag("H20")
	void tokensGrowAndLocksAreKeptAcrossLeaderChanges() throws Exception {
		ZooKeeperLocks locks = registry(ensemble.connectString());
		ZooKeeperLocks others = registry(ensemble.connectString());
		List<Long> tokens = new ArrayList<>();
		for (int round = 0; round < 3; round++) {
			CompletableFuture<LockLease> waiting;
			EnsembleMember leader = ensemble.leader();
			try (LockLease lease = locks.lock("leader").tryAcquire(PATIENCE).orElseThrow()) {
				waiting = others.lock("leader").acquireAsync(PATIENCE);
				tokens.add(lease.fencingToken());
				leader.kill();
				assertThat(ensemble.leader()).isNotEqualTo(leader);
			}
			try (LockLease lease = Patience.get(waiting)) {
				tokens.add(lease.fencingToken());
			}
			leader.start();
			ensemble.awaitServing();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	@Tag("H45")
	void wholeEnsembleThatComesBackServesWaitersAndTheOldHolderHasLost() throws Exception {
		ZooKeeperLocks locks = registry(ensemble.connectString());
		LockLease lease = locks.lock("restart").acquire();
		CompletableFuture<LockLease> waiting = locks.lock("restart").acquireAsync(PATIENCE);
		ensemble.members().forEach(EnsembleMember::kill);
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		ensemble.members().forEach(EnsembleMember::start);
		ensemble.awaitServing();
		Patience.get(waiting).close();
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void isolatedMemberDelaysButDoesNotLose() throws Exception {
		ZooKeeperLocks locks = registry(ensemble.connectString());
		try (LockLease lease = locks.lock("moved").acquire()) {
			ensemble.followers().get(0).stop();
			assertThat(lease.fencingToken()).isPositive();
		}
		locks.lock("moved").tryAcquire(PATIENCE).orElseThrow().close();
	}

}
