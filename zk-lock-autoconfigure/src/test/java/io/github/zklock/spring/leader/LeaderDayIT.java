package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.Participant;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.aop.LeaderAdvisingPostProcessor;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A day of a job that three applications schedule each minute and one is to run, while
 * leadership is handed over again and again: by readiness, by restarts, and by
 * applications that end and begin.
 */
class LeaderDayIT extends LeaderTestSupport {

	private static final int MINUTES = 24 * 60;

	private static final int APPLICATIONS = 3;

	private static final int MINUTES_BETWEEN_HAND_OVERS = 20;

	private final Random random = new Random(42);

	private final Job job = new Job();

	LeaderDayIT(@ConnectString String connectString) {
		super(connectString);
	}

	/**
	 * Guard a tick of an application, as the post-processor does for its beans.
	 */
	private static Runnable guard(TestApplication application, Runnable tick) {
		LeaderAdvisingPostProcessor processor = new LeaderAdvisingPostProcessor(0, true);
		processor.setBeanFactory(application.context().getAutowireCapableBeanFactory());
		Tick guarded = (Tick) processor.postProcessAfterInitialization(new Tick(tick), "tick");
		return guarded::run;
	}

	@Test
	void noTickRunsTwiceAtTheSameTimeAndNoneWithoutALeader() throws Exception {
		List<Member> members = Stream.generate(Member::new).limit(APPLICATIONS).toList();
		awaitAnyLeader(members);
		CyclicBarrier minutes = new CyclicBarrier(APPLICATIONS + 1);
		List<CompletableFuture<Void>> schedulers = members.stream().map((member) -> schedule(member, minutes)).toList();
		for (int minute = 0; minute < MINUTES; minute++) {
			this.job.minute = minute;
			minutes.await();
			if (isHandOver(minute)) {
				handOver(members);
			}
			minutes.await();
		}
		for (CompletableFuture<Void> scheduler : schedulers) {
			get(scheduler);
		}
		assertThat(this.job.violations).isEmpty();
		assertThat(IntStream.range(0, MINUTES).filter((minute) -> !isHandOver(minute))).as("runs of each minute")
			.allMatch((minute) -> this.job.runs.get(minute) == 1);
		assertThat(this.job.tokens).as("leaderships").hasSize(1 + MINUTES / MINUTES_BETWEEN_HAND_OVERS);
	}

	private static boolean isHandOver(int minute) {
		return minute % MINUTES_BETWEEN_HAND_OVERS == MINUTES_BETWEEN_HAND_OVERS / 2;
	}

	/**
	 * Tick each minute.
	 */
	private CompletableFuture<Void> schedule(Member member, CyclicBarrier minutes) {
		return call(() -> {
			for (int minute = 0; minute < MINUTES; minute++) {
				minutes.await();
				tick(member);
				minutes.await();
			}
			return null;
		});
	}

	private void tick(Member member) {
		try {
			member.tick.run();
		}
		catch (RuntimeException ex) {
			this.job.check(false, "fails with " + ex);
		}
	}

	/**
	 * Have the leader hand over while its job may be running, and wait for the next one.
	 */
	private void handOver(List<Member> members) {
		Member leader = members.stream().filter(Member::isLeader).findFirst().orElseThrow();
		switch (this.random.nextInt(3)) {
			case 0 -> leader.refuse();
			case 1 -> leader.restart();
			default -> leader.replace();
		}
		awaitAnyLeader(members);
	}

	private static void awaitAnyLeader(List<Member> members) {
		await().atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> members.stream().anyMatch(Member::isLeader));
	}

	/**
	 * An application that ticks.
	 */
	private final class Member {

		private volatile TestApplication application = application();

		private volatile Runnable tick = tick(this.application);

		private Runnable tick(TestApplication ticking) {
			Leadership leadership = ticking.leadership(ROLE);
			return guard(ticking, () -> LeaderDayIT.this.job.run(ticking, leadership));
		}

		boolean isLeader() {
			return this.application.leadership(ROLE).isLeader();
		}

		void refuse() {
			this.application.refuseTraffic();
			awaitNotLeader(this.application.leadership(ROLE));
			this.application.acceptTraffic();
		}

		void restart() {
			this.application.context().stop();
			this.application.context().start();
		}

		void replace() {
			this.application.close();
			TestApplication next = application();
			this.tick = tick(next);
			this.application = next;
		}

	}

	/**
	 * A tick that only the leader runs.
	 */
	static class Tick {

		private final Runnable task;

		Tick(Runnable task) {
			this.task = task;
		}

		@LeaderOnly(ROLE)
		public void run() {
			this.task.run();
		}

	}

	/**
	 * The job, which notices whatever must not be.
	 */
	private static final class Job {

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicIntegerArray runs = new AtomicIntegerArray(MINUTES);

		private final AtomicLong lastToken = new AtomicLong();

		private final Set<Long> tokens = new ConcurrentSkipListSet<>();

		private final Set<String> violations = new ConcurrentSkipListSet<>();

		private volatile int minute;

		void run(TestApplication application, Leadership leadership) {
			check(this.running.incrementAndGet() == 1, "runs twice");
			try {
				this.runs.incrementAndGet(this.minute);
				long token = leadership.fencingToken();
				this.tokens.add(token);
				check(this.lastToken.getAndSet(token) <= token, "has an older token");
				Participant leader = application.election(ROLE).leader().orElseThrow();
				check(leader.self(), "is led by " + leader);
				LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(2_000_000));
				check(leadership.isLeader(), "is left by its leader");
			}
			finally {
				this.running.decrementAndGet();
			}
		}

		private void check(boolean expected, String violation) {
			if (!expected) {
				this.violations.add("Tick of minute %d %s".formatted(this.minute, violation));
			}
		}

	}

}
