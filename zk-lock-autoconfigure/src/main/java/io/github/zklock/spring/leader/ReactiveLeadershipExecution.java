package io.github.zklock.spring.leader;

import java.util.Optional;

import io.github.zklock.leader.LeaderWork;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Subscribes to publishers only while this process leads. Each subscription asks anew.
 * Thread-safe; needs Reactor.
 */
public final class ReactiveLeadershipExecution {

	private final LeadershipExecution execution;

	/**
	 * Create an execution.
	 * @param execution says in which role, and what becomes of a loss
	 */
	public ReactiveLeadershipExecution(LeadershipExecution execution) {
		this.execution = execution;
	}

	/**
	 * As {@link #flux}, for at most one element, which is not emitted if leadership was
	 * lost.
	 * @param <T> the type of the element
	 * @param source what to subscribe to
	 * @param otherwise what to subscribe to if this process does not lead, or is leaving
	 * @return what comes of it
	 */
	public <T> Mono<T> mono(Publisher<T> source, Publisher<T> otherwise) {
		return flux(source, otherwise).singleOrEmpty();
	}

	/**
	 * Subscribe while this process leads, which lets nobody else lead, within limits,
	 * before the source has ended or the subscription is cancelled. If leadership is
	 * lost, the result fails: at once, and the source is cancelled, where a thread would
	 * have been interrupted, or else when the source ends.
	 * @param <T> the type of the elements
	 * @param source what to subscribe to
	 * @param otherwise what to subscribe to if this process does not lead, or is leaving
	 * @return what comes of it
	 */
	public <T> Flux<T> flux(Publisher<T> source, Publisher<T> otherwise) {
		return Flux.using(this.execution.leadership()::begin,
				(begun) -> begun.<Publisher<T>>map((work) -> guard(source, work)).orElse(otherwise),
				ReactiveLeadershipExecution::close);
	}

	private static void close(Optional<LeaderWork> begun) {
		begun.ifPresent(LeaderWork::close);
	}

	private <T> Flux<T> guard(Publisher<T> source, LeaderWork work) {
		return switch (this.execution.onLost()) {
			case IGNORE -> Flux.from(source);
			case THROW -> failLate(Flux.from(source), work);
			case INTERRUPT -> failAtOnce(failLate(Flux.from(source), work), work);
		};
	}

	/**
	 * Fail when the source ends, if leadership is lost by then.
	 */
	private <T> Flux<T> failLate(Flux<T> source, LeaderWork work) {
		Mono<T> end = Mono.defer(() -> work.isLost() ? Mono.error(LeadershipLoss.of(work, null)) : Mono.empty());
		return source.doOnError((failure) -> {
			if (work.isLost()) {
				LeadershipLoss.mentionIn(failure, work);
			}
		}).concatWith(end);
	}

	/**
	 * Fail as soon as leadership is lost, and cancel the source, which Reactor does not.
	 */
	private <T> Flux<T> failAtOnce(Flux<T> source, LeaderWork work) {
		Sinks.Empty<Void> lost = Sinks.empty();
		Disposable.Swap subscription = Disposables.swap();
		work.onLost(() -> {
			subscription.dispose();
			lost.tryEmitError(LeadershipLoss.of(work, null));
		});
		return source.doOnSubscribe((upstream) -> subscription.update(upstream::cancel)).takeUntilOther(lost.asMono());
	}

}
