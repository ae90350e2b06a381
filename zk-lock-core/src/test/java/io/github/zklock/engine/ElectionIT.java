package io.github.zklock.engine;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

import io.github.zklock.embedded.EnsembleMember;
import io.github.zklock.embedded.ZooKeeperEnsemble;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Elections on an ensemble that fails in many ways.
 */
class ElectionIT {

	private static final Duration SESSION = Duration.ofSeconds(4);

	// Twenty ticks
	private static final Duration LONGEST_SESSION = Duration.ofSeconds(10);

	private static final String ROLE = "role";

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
		startStopped();
	}

	private static void startStopped() {
		ensemble.members().stream().filter((member) -> !member.isRunning()).forEach(EnsembleMember::start);
		ensemble.awaitServing();
	}

	private static ZooKeeperLocks.Builder builder(String connectString, Duration session) {
		return ZooKeeperLocks.builder(connectString)
			.sessionTimeout(session)
			.serverTick(Duration.ofMillis(500))
			.connectTimeout(PATIENCE)
			.closeWait(Duration.ZERO);
	}

	private LeaderElection join(String connectString, Duration session) {
		ZooKeeperLocks locks = builder(connectString, session).build();
		this.resources.add(locks);
		LeaderElection election = locks.election(ROLE);
		election.join();
		return election;
	}

	private static void awaitOneLeader(List<LeaderElection> candidates) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> candidates.stream().filter((candidate) -> candidate.leadership().isLeader()).count() == 1);
	}

	private static OptionalLong token(LeaderElection candidate) {
		try {
			return OptionalLong.of(candidate.leadership().fencingToken());
		}
		catch (IllegalStateException ex) {
			return OptionalLong.empty();
		}
	}

	/**
	 * Two lead at once if one leads while another one leads before and after.
	 */
	private static void assertNoneLeadsWhileAnotherDoes(List<LeaderElection> candidates) {
		for (LeaderElection one : candidates) {
			OptionalLong before = token(one);
			if (before.isEmpty()) {
				continue;
			}
			for (LeaderElection other : candidates) {
				OptionalLong meanwhile = (other != one) ? token(other) : OptionalLong.empty();
				if (meanwhile.isPresent()) {
					assertThat(token(one)).as("leads while %s leads", meanwhile).isNotEqualTo(before);
				}
			}
		}
	}

	private CompletableFuture<Void> watch(List<LeaderElection> candidates, AtomicBoolean over) {
		return CompletableFuture.runAsync(() -> {
			while (!over.get()) {
				assertNoneLeadsWhileAnotherDoes(candidates);
				LockSupport.parkNanos(100_000);
			}
		});
	}

	/**
	 * Members are killed, stopped, paused and cut off from each other. Each candidate has
	 * a member of its own, and some may move to another one.
	 */
	@Test
	@Tag("H07")
	void fiveCandidatesOnAFlappingEnsembleAreNeverTwoLeaders() throws Exception {
		Seeded.run((seed) -> flap(seed, (round) -> round < 8));
	}

	@Test
	@Tag("soak")
	@Tag("H07")
	@Timeout(value = 1, unit = TimeUnit.DAYS)
	void fiveCandidatesOnAnEnsembleThatFlapsForLongAreNeverTwoLeaders() throws Exception {
		long start = System.nanoTime();
		Seeded.run((seed) -> flap(seed, (round) -> System.nanoTime() - start < Seeded.soakTime().toNanos()));
	}

	private void flap(long seed, IntPredicate goesOn) throws Exception {
		List<LeaderElection> candidates = new ArrayList<>();
		for (EnsembleMember member : ensemble.members()) {
			candidates.add(join(member.connectString(), SESSION));
		}
		candidates.add(join(ensemble.connectString(), SESSION));
		candidates.add(join(ensemble.connectString(), SESSION));
		awaitOneLeader(candidates);
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> watcher = watch(candidates, over);
		Random random = new Random(seed);
		List<Long> tokens = new ArrayList<>();
		for (int round = 0; goesOn.test(round) && !watcher.isDone(); round++) {
			disturb(random, candidates);
			ensemble.heal();
			startStopped();
			awaitOneLeader(candidates);
			candidates.stream()
				.map(ElectionIT::token)
				.filter(OptionalLong::isPresent)
				.forEach((token) -> tokens.add(token.getAsLong()));
		}
		over.set(true);
		assertThat(watcher).succeedsWithin(PATIENCE);
		assertThat(tokens).isSorted();
	}

	private static void disturb(Random random, List<LeaderElection> candidates) {
		EnsembleMember leader = ensemble.leader();
		EnsembleMember follower = ensemble.followers().get(random.nextInt(2));
		switch (random.nextInt(5)) {
			case 0 -> leader.kill();
			case 1 -> follower.kill();
			case 2 -> {
				ensemble.cut(follower, leader);
				candidates.get(random.nextInt(candidates.size())).leave();
				candidates.forEach(LeaderElection::join);
			}
			case 3 -> {
				ensemble.members().forEach(EnsembleMember::kill);
				await().atMost(PATIENCE)
					.until(() -> candidates.stream().noneMatch((candidate) -> candidate.leadership().isLeader()));
			}
			default -> {
				follower.pause();
				candidates.get(random.nextInt(candidates.size())).leave();
				follower.resume();
				candidates.forEach(LeaderElection::join);
			}
		}
	}

	@Test
	@Tag("H01")
	void leaderOnAFollowerThatIsCutOffStopsBelievingBeforeTheNextOneLeads() throws Exception {
		EnsembleMember leader = ensemble.leader();
		EnsembleMember follower = ensemble.followers().get(0);
		LeaderElection cutOff = join(follower.connectString(), SESSION);
		await().atMost(PATIENCE).until(cutOff.leadership()::isLeader);
		LeaderElection other = join(leader.connectString(), SESSION);
		ensemble.cut(follower, leader);
		while (!other.leadership().isLeader()) {
			assertNoneLeadsWhileAnotherDoes(List.of(cutOff, other));
			LockSupport.parkNanos(100_000);
		}
		assertThat(cutOff.leadership().isLeader()).isFalse();
		assertThat(follower.isServing()).as("the follower has not noticed").isTrue();
	}

	@Test
	@Tag("H95")
	void everybodyKeepsHisPlaceWhenTheEnsembleChangesItsLeader() throws Exception {
		Duration longSession = Duration.ofSeconds(20);
		List<LeaderElection> candidates = new ArrayList<>();
		for (int candidate = 0; candidate < 20; candidate++) {
			candidates.add(join(ensemble.connectString(), longSession));
		}
		ZooKeeperLocks inspector = builder(ensemble.connectString(), longSession).build();
		this.resources.add(inspector);
		await().atMost(PATIENCE).until(() -> inspector.queueOfRole(ROLE).size() == 20);
		awaitOneLeader(candidates);
		List<String> places = places(inspector);
		for (int round = 0; round < 2; round++) {
			ensemble.leader().kill();
			startStopped();
			awaitOneLeader(candidates);
			assertThat(places(inspector)).isEqualTo(places);
		}
	}

	private static List<String> places(ZooKeeperLocks inspector) {
		return inspector.queueOfRole(ROLE).stream().map((participant) -> participant.node()).toList();
	}

	@Test
	void killedProcessIsFollowedAfterItsSession() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Leader.class.getName(), ensemble.connectString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (BufferedReader answers = process.inputReader()) {
			long token = Long.parseLong(answers.readLine());
			LeaderElection successor = join(ensemble.connectString(), SESSION);
			await().atMost(PATIENCE).until(() -> successor.participants().size() == 2);
			assertThat(successor.leader().orElseThrow().self()).isFalse();
			process.destroyForcibly().waitFor();
			assertThat(successor.leadership().isLeader()).isFalse();
			await().atMost(PATIENCE).until(successor.leadership()::isLeader);
			assertThat(successor.leadership().fencingToken()).isGreaterThan(token);
			assertThat(successor.leader().orElseThrow().self()).isTrue();
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

	/**
	 * Leads, tells its token, and waits to be killed.
	 */
	static final class Leader {

		private Leader() {
		}

		public static void main(String[] args) throws Exception {
			LeaderElection election = builder(args[0], LONGEST_SESSION).build().election(ROLE);
			election.join();
			await().atMost(PATIENCE).until(election.leadership()::isLeader);
			System.out.println(election.leadership().fencingToken());
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}

	}

}
