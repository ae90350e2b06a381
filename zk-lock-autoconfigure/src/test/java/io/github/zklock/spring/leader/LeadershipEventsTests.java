package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Events that tell the application of its leadership.
 */
class LeadershipEventsTests extends LeaderTestSupport {

	LeadershipEventsTests(@ConnectString String connectString) {
		super(connectString);
	}

	@Test
	void stateIsSetBeforeListenersHear() {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		long token = work.fencingToken();
		work.close();
		application.roles().stop();
		awaitEvents(application, "granted orders, leads", "revoked orders");
		assertThat(application.heard().tokens()).containsExactly(token, token);
	}

	@Test
	void listenerThatThrowsDoesNotEndTheEvents() {
		TestApplication application = application();
		application.heard().whenGranted((role) -> {
			throw new IllegalStateException("listener");
		});
		application.leadership(ROLE);
		awaitEvents(application, "granted orders, leads");
		application.roles().stop();
		application.roles().start();
		awaitEvents(application, "granted orders, leads", "revoked orders", "granted orders, leads");
		awaitLeader(application.leadership("reports"));
	}

	@Test
	void listenerMayStopTheApplication() throws Exception {
		TestApplication application = application();
		CompletableFuture<Duration> stopped = new CompletableFuture<>();
		application.heard().whenGranted((role) -> {
			long start = System.nanoTime();
			application.roles().stop();
			stopped.complete(Duration.ofNanos(System.nanoTime() - start));
		});
		application.leadership(ROLE);
		assertThat(get(stopped)).as("did not wait for itself").isLessThan(Duration.ofSeconds(20));
		awaitEvents(application, "granted orders, leads", "revoked orders");
	}

	@Test
	void listenerMayStopTheApplicationHoweverLongAHandOverMayTake() throws Exception {
		TestApplication application = application("zk.lock.leader.hand-over-wait=1h");
		CompletableFuture<Integer> participants = new CompletableFuture<>();
		application.heard().whenGranted((role) -> {
			application.heard().whenGranted((later) -> {
			});
			application.roles().stop();
			participants.complete(application.participants(role).size());
		});
		application.leadership(ROLE);
		assertThat(get(participants)).isZero();
		awaitEvents(application, "granted orders, leads", "revoked orders");
		application.roles().start();
		awaitEvents(application, "granted orders, leads", "revoked orders", "granted orders, leads");
	}

	/**
	 * The application has begun to leave already, because it refuses traffic.
	 */
	@Test
	void listenerMayStopTheApplicationThatIsLeaving() throws Exception {
		TestApplication application = leader("zk.lock.leader.hand-over-wait=3m");
		CompletableFuture<Integer> participants = new CompletableFuture<>();
		application.heard().whenRevoked(() -> {
			application.roles().stop();
			participants.complete(application.participants(ROLE).size());
		});
		application.refuseTraffic();
		assertThat(get(participants)).isZero();
	}

	@Test
	void successorLeadsWhenListenersHaveHeard() throws Exception {
		TestApplication first = leader();
		TestApplication second = follower(first);
		CountDownLatch revoked = new CountDownLatch(1);
		CountDownLatch mayReturn = new CountDownLatch(1);
		first.heard().whenRevoked(() -> {
			revoked.countDown();
			awaitQuietly(mayReturn);
		});
		CompletableFuture<Boolean> ledAfterwards = new CompletableFuture<>();
		second.heard().whenGranted((role) -> ledAfterwards.complete(mayReturn.getCount() == 0));
		CompletableFuture<Boolean> closing = run(first::close);
		awaitQuietly(revoked);
		assertThat(second.participants(ROLE)).hasSize(2);
		assertThat(closing).isNotDone();
		mayReturn.countDown();
		assertThat(get(ledAfterwards)).isTrue();
		get(closing);
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			assertThat(Patience.await(latch)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void listenersHearOfTheEndBeforeTheApplicationIsGone() {
		TestApplication observer = application();
		TestApplication application = leader();
		HeardEvents heard = application.heard();
		heard.whenRevoked(() -> {
			for (int question = 0; question < 10; question++) {
				observer.participants(ROLE);
			}
		});
		application.close();
		assertThat(heard.events()).containsExactly("granted orders, leads", "revoked orders");
	}

}
