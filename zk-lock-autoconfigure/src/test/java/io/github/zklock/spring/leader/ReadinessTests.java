package io.github.zklock.spring.leader;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.LockAction;
import io.github.zklock.spring.OnLost;
import org.junit.jupiter.api.Test;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that refuses traffic does not lead.
 */
class ReadinessTests extends LeaderTestSupport {

	ReadinessTests(@ConnectString String connectString) {
		super(connectString);
	}

	@Test
	void yieldsWhileItRefusesTraffic() {
		TestApplication first = leader();
		TestApplication second = follower(first);
		first.refuseTraffic();
		awaitLeader(second.leadership(ROLE));
		assertThat(first.leadership(ROLE).isLeader()).isFalse();
		first.acceptTraffic();
		awaitParticipants(second, ROLE, 2);
		assertThat(second.participants(ROLE)).containsExactly(second.instance(), first.instance());
		second.refuseTraffic();
		awaitLeader(first.leadership(ROLE));
		awaitEvents(first, "granted orders, leads", "revoked orders", "granted orders, leads");
	}

	@Test
	void publisherDoesNotWaitForRunningWork() {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		long token = work.fencingToken();
		application.refuseTraffic();
		awaitNotLeader(application.leadership(ROLE));
		application.acceptTraffic();
		assertThat(work.isLeader()).as("still waited for").isTrue();
		work.close();
		awaitLeader(application.leadership(ROLE));
		assertThat(application.leadership(ROLE).fencingToken()).isGreaterThan(token);
	}

	@Test
	void workThatRefusesTrafficItselfIsWaitedFor() throws Exception {
		TestApplication first = leader();
		TestApplication second = follower(first);
		Leadership leadership = first.leadership(ROLE);
		LeadershipExecution execution = first.roles().execution(ROLE, OnLost.INTERRUPT);
		LockAction<Integer, Exception> otherwise = () -> 0;
		int result = get(call(() -> execution.run(() -> {
			first.refuseTraffic();
			assertThat(get(call(leadership::enter))).as("no new work begins").isEmpty();
			assertThat(leadership.isLeader()).as("in its own term").isTrue();
			assertThat(second.participants(ROLE)).containsExactly(first.instance(), second.instance());
			return execution.run(() -> 1, otherwise);
		}, otherwise)));
		assertThat(result).isOne();
		awaitLeader(second.leadership(ROLE));
	}

	@Test
	void lastEventCounts() {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		application.refuseTraffic();
		application.acceptTraffic();
		application.refuseTraffic();
		work.close();
		TestApplication successor = leader();
		application.acceptTraffic();
		awaitParticipants(application, ROLE, 2);
		assertThat(application.participants(ROLE)).containsExactly(successor.instance(), application.instance());
	}

	@Test
	void stopWhileYieldingWaitsForRunningWork() throws Exception {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		application.refuseTraffic();
		awaitNotLeader(application.leadership(ROLE));
		var stopping = run(application.roles()::stop);
		assertThat(stopping).isNotDone();
		assertThat(work.isLeader()).isTrue();
		work.close();
		get(stopping);
		assertThat(application.participants(ROLE)).isEmpty();
	}

	/**
	 * If it had joined before it accepted traffic, it would be the first.
	 */
	@Test
	void rolesThatAreUsedWhileItRefusesTrafficAreJoinedLater() {
		TestApplication application = application();
		application.refuseTraffic();
		application.leadership(ROLE);
		assertJoinsWhenItAcceptsTraffic(application);
	}

	@Test
	void startWhileItRefusesTrafficDoesNotJoin() {
		TestApplication application = leader();
		application.context().stop();
		application.refuseTraffic();
		application.context().start();
		assertJoinsWhenItAcceptsTraffic(application);
	}

	private void assertJoinsWhenItAcceptsTraffic(TestApplication application) {
		TestApplication other = leader();
		application.acceptTraffic();
		awaitParticipants(application, ROLE, 2);
		assertThat(application.participants(ROLE)).containsExactly(other.instance(), application.instance());
	}

	@Test
	void acceptingTrafficDoesNotJoinWhileStopped() {
		TestApplication application = leader();
		application.context().stop();
		application.acceptTraffic();
		TestApplication other = leader();
		application.context().start();
		awaitParticipants(application, ROLE, 2);
		assertThat(application.participants(ROLE)).containsExactly(other.instance(), application.instance());
	}

	@Test
	void doesNotFollowReadinessIfToldSo() {
		TestApplication application = application("zk.lock.leader.follow-readiness=false");
		application.refuseTraffic();
		awaitLeader(application.leadership(ROLE));
	}

	@Test
	void livenessDoesNotMatter() {
		TestApplication application = application();
		AvailabilityChangeEvent.publish(application.context(), LivenessState.BROKEN);
		awaitLeader(application.leadership(ROLE));
	}

	@Test
	void eventsOfChildrenDoNotMatter() {
		TestApplication application = application();
		try (GenericApplicationContext child = new GenericApplicationContext(application.context())) {
			child.refresh();
			AvailabilityChangeEvent.publish((ApplicationContext) child, ReadinessState.REFUSING_TRAFFIC);
			awaitLeader(application.leadership(ROLE));
		}
	}

	@Test
	void eventsFromOtherSourcesOfTheApplicationMatter() {
		TestApplication first = leader();
		TestApplication second = follower(first);
		AvailabilityChangeEvent.publish(first.context(), new IllegalStateException("database is gone"),
				ReadinessState.REFUSING_TRAFFIC);
		awaitLeader(second.leadership(ROLE));
	}

}
