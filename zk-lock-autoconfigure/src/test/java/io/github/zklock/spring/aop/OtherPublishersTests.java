package io.github.zklock.spring.aop;

import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Stream;

import io.github.zklock.LockLease;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.OnContention;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subjects.Subject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Publishers that are not Reactor's: whatever Spring has an adapter for is locked for
 * each subscription, until it is complete.
 */
class OtherPublishersTests extends LockedBeansSupport {

	@ParameterizedTest
	@MethodSource
	void publisherHoldsItsLock(String name, Subscription subscription) throws Exception {
		Publishers publishers = start(Publishers.class).getBean(Publishers.class);
		for (int round = 0; round < 2; round++) {
			publishers.forget();
			subscription.await(publishers);
			assertThat(publishers.wasHeld()).as("held inside").isTrue();
			assertThat(isFree(name)).isTrue();
		}
		try (LockLease lease = heldByOthers(name)) {
			assertThat(lease.isHeld()).isTrue();
			publishers.forget();
			assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> subscription.await(publishers));
			assertThat(publishers.wasHeld()).isFalse();
		}
	}

	static Stream<Arguments> publisherHoldsItsLock() {
		return Stream.of(arguments("flow", (Subscription) (publishers) -> receive(publishers.flow())),
				arguments("flowable", (Subscription) (publishers) -> publishers.flowable().toList().blockingGet()),
				arguments("observable", (Subscription) (publishers) -> publishers.observable().toList().blockingGet()),
				arguments("single", (Subscription) (publishers) -> publishers.single().blockingGet()),
				arguments("maybe", (Subscription) (publishers) -> publishers.maybe().blockingGet()),
				arguments("completable",
						(Subscription) (publishers) -> publishers.completable().toSingleDefault(1).blockingGet()));
	}

	private static List<Integer> receive(Flow.Publisher<Integer> publisher) {
		return JdkFlowAdapter.flowPublisherToFlux(publisher).collectList().blockOptional(PATIENCE).orElseThrow();
	}

	@Test
	void publisherIsEmptyIfItIsSkipped() throws Exception {
		Skipped skipped = start(Skipped.class).getBean(Skipped.class);
		assertThat(receive(skipped.flow())).containsExactly(1);
		assertThat(skipped.maybe().blockingGet()).isEqualTo(1);
		try (LockLease lease = heldByOthers("skip")) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(receive(skipped.flow())).isEmpty();
			assertThat(skipped.maybe().blockingGet()).isNull();
		}
	}

	@Test
	void whatCannotBeEmptyCannotBeSkipped() {
		assertThat(failure(SkippedSingle.class))
			.hasMessage("The @DistributedLock of " + SkippedSingle.class.getName()
					+ ".call() has onContention=SKIP, but the method must not return null.")
			.extracting("action")
			.asString()
			.contains("may be empty");
		assertThat(failure(() -> startLeading(true, LeadingSingle.class)))
			.hasMessage("The @LeaderOnly of " + LeadingSingle.class.getName()
					+ ".call() has onNotLeading=SKIP, but the method must not return null.");
	}

	@ParameterizedTest
	@CsvSource({ "SpecialFlux, ConnectableFlux, Flux", "SpecialFlow, SubmissionPublisher, Publisher",
			"SpecialObservable, Subject, Observable" })
	void specialPublisherIsRefused(String bean, String type, String better) throws Exception {
		Class<?> beanClass = Class.forName(OtherPublishersTests.class.getName() + "$" + bean);
		LockConfigurationException failure = failure(beanClass);
		assertThat(failure).hasMessage("@DistributedLock on " + beanClass.getName() + ".call() returns a " + type
				+ ", in place of which no other publisher can be returned.");
		assertThat(failure.action()).isEqualTo("Return a " + better + ".");
	}

	@Test
	void onlyTheLeaderPublishes() {
		LeadingPublishers leading = startLeading(true, LeadingPublishers.class).getBean(LeadingPublishers.class);
		Flow.Publisher<Integer> flow = leading.flow();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(receive(flow)).containsExactly(1));
		assertThat(leading.maybe().blockingGet()).isEqualTo(1);
		locks().election("shop").leave();
		assertThat(receive(flow)).isEmpty();
		assertThat(leading.maybe().blockingGet()).isNull();
	}

	interface Subscription {

		@Nullable Object await(Publishers publishers);

	}

	static class Publishers {

		private volatile boolean held;

		void forget() {
			this.held = false;
		}

		boolean wasHeld() {
			return this.held;
		}

		private int look(String name) {
			this.held = !isFree(name);
			return 1;
		}

		@DistributedLock(name = "flow", maxWait = "0")
		public Flow.Publisher<Integer> flow() {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(1, 2).map((value) -> look("flow")));
		}

		@DistributedLock(name = "flowable", maxWait = "0")
		public Flowable<Integer> flowable() {
			return Flowable.just(1, 2).map((value) -> look("flowable"));
		}

		@DistributedLock(name = "observable", maxWait = "0")
		public Observable<Integer> observable() {
			return Observable.just(1, 2).map((value) -> look("observable"));
		}

		@DistributedLock(name = "single", maxWait = "0")
		public Single<Integer> single() {
			return Single.fromCallable(() -> look("single"));
		}

		@DistributedLock(name = "maybe", maxWait = "0")
		public Maybe<Integer> maybe() {
			return Maybe.fromCallable(() -> look("maybe"));
		}

		@DistributedLock(name = "completable", maxWait = "0")
		public Completable completable() {
			return Completable.fromAction(() -> look("completable"));
		}

	}

	static class Skipped {

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Flow.Publisher<Integer> flow() {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(1));
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Maybe<Integer> maybe() {
			return Maybe.just(1);
		}

	}

	static class SkippedSingle {

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Single<Integer> call() {
			return Single.just(1);
		}

	}

	static class LeadingSingle {

		@LeaderOnly
		public Single<Integer> call() {
			return Single.just(1);
		}

	}

	static class LeadingPublishers {

		@LeaderOnly
		public Flow.Publisher<Integer> flow() {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(1));
		}

		@LeaderOnly
		public Maybe<Integer> maybe() {
			return Maybe.just(1);
		}

	}

	static class SpecialFlux {

		@DistributedLock("special")
		public ConnectableFlux<Integer> call() {
			return Flux.just(1).publish();
		}

	}

	static class SpecialFlow {

		@DistributedLock("special")
		public SubmissionPublisher<Integer> call() {
			return new SubmissionPublisher<>();
		}

	}

	static class SpecialObservable {

		@DistributedLock("special")
		public Subject<Integer> call() {
			return PublishSubject.create();
		}

	}

}
