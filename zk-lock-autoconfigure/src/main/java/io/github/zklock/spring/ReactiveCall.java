package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * One subscription to a publisher that holds locks. To the body's publisher it is the
 * subscriber, and a stage that is complete when that publisher has ended; the rest is
 * that of any stage. It is long because signals, demand, cancellation and the end of the
 * locks may come from four sides at the same time.
 *
 * @param <T> the type of the values
 */
abstract class ReactiveCall<T> extends BaseSubscriber<T> {

	private final LockTemplate template;

	private final Supplier<? extends Publisher<T>> body;

	private final ContextView outside;

	private final SharedLeases leases = new SharedLeases();

	private final Map<String, SubscriptionLock> enteredAgain = new HashMap<>();

	private final CompletableFuture<@Nullable T> stage = new CompletableFuture<>() {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			// in this order, because the locks go with the stage
			ReactiveCall.this.cancel();
			return super.cancel(mayInterruptIfRunning);
		}

	};

	private volatile boolean unsubscribed;

	private volatile Context inside;

	private ReactiveCall(LockTemplate template, Supplier<? extends Publisher<T>> body, ContextView outside) {
		this.template = template;
		this.body = body;
		this.outside = outside;
		this.inside = Context.of(outside);
	}

	/**
	 * Return the innermost lock of which a context tells.
	 */
	static @Nullable SubscriptionLock entered(ContextView context) {
		return context.getOrDefault(SubscriptionLock.KEY, null);
	}

	void start(Collection<LockOptions> locks) {
		try {
			List<LockOptions> merged = LockPlan.of(locks, this.template.maxWait());
			List<LockOptions> missing = enterAgain(merged);
			ReactiveTransactionBinding.keep(this.leases, this.outside);
			// the thread that subscribes may have a transaction, too, and wait for the
			// result
			this.leases.keepForTransaction();
			StageCall<@Nullable T> call = new StageCall<>(this.template.registry(), this.leases,
					Schedulers.parallel()::schedule, UnaryOperator.identity(), () -> subscribe(merged),
					this::subscribeInstead);
			CompletableFuture<@Nullable T> result = call.start(missing);
			result.whenComplete((value, failure) -> {
				this.stage.cancel(false);
				signal(value, failure);
			});
			onUnsubscribe(() -> {
				this.unsubscribed = true;
				result.cancel(false);
			});
		}
		catch (RuntimeException | Error ex) {
			this.leases.giveBack();
			end(null, ex);
		}
	}

	/**
	 * Enter the locks again that the publishers around this one hold.
	 * @return those that are to be taken
	 */
	private List<LockOptions> enterAgain(List<LockOptions> locks) {
		List<LockOptions> missing = new ArrayList<>(locks.size());
		for (LockOptions lock : locks) {
			SubscriptionLock entered = SubscriptionLock.find(entered(this.outside), lock.name());
			if (entered == null || isClosed(entered) || !this.leases.enterAgain(entered.leases())) {
				missing.add(lock);
				continue;
			}
			LockStack.requireNotLost(entered.held().lease());
			if (lock.mode() == LockMode.WRITE && entered.mode() == LockMode.READ) {
				throw new IllegalMonitorStateException(
						"A publisher holds lock '%s' for reading, and one inside it would wait for ever to write"
							.formatted(LockNames.shown(lock.name())));
			}
			this.enteredAgain.put(lock.name(), entered);
		}
		return missing;
	}

	/**
	 * Anybody may close a lease before the publisher has ended: then the lock belongs to
	 * somebody else.
	 */
	private static boolean isClosed(SubscriptionLock entered) {
		LockLease lease = entered.held().lease();
		return !lease.isHeld() && !lease.isLost();
	}

	// The body

	private CompletionStage<@Nullable T> subscribe(List<LockOptions> locks) {
		SubscriptionLock entered = entered(locks);
		Publisher<T> publisher = LockStack.within(entered.held(), this.body::get);
		this.inside = this.inside.put(SubscriptionLock.KEY, entered)
			.put(PropagatedLocks.KEY, new PropagatedLocks(entered.held(), null));
		return subscribeTo(publisher);
	}

	private SubscriptionLock entered(List<LockOptions> locks) {
		SubscriptionLock entered = entered(this.outside);
		for (LockOptions lock : locks) {
			SubscriptionLock again = this.enteredAgain.get(lock.name());
			LockStack outer = SubscriptionLock.heldOf(entered);
			entered = (again != null)
					? new SubscriptionLock(new LockStack(again.held().lease(), again.held().onLost(), outer),
							again.mode(), again.leases(), entered)
					: new SubscriptionLock(new LockStack(this.leases.lease(lock.name()), lock.onLost(), outer),
							lock.mode(), this.leases, entered);
		}
		if (entered == null) {
			throw new IllegalStateException("No lock");
		}
		return entered;
	}

	/**
	 * Subscribe to what a fallback has returned: something like a publisher, or a value.
	 */
	@SuppressWarnings("unchecked")
	private CompletionStage<@Nullable T> subscribeInstead(@Nullable Object value) {
		ReactiveAdapter adapter = (value != null) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value)
				: null;
		return subscribeTo((adapter != null) ? adapter.toPublisher(value) : Mono.justOrEmpty((T) value));
	}

	private CompletionStage<@Nullable T> subscribeTo(Publisher<T> publisher) {
		limit(publisher).subscribe(this);
		return this.stage;
	}

	@Override
	public Context currentContext() {
		return this.inside;
	}

	@Override
	protected void hookOnComplete() {
		this.stage.complete(value());
	}

	@Override
	protected void hookOnError(Throwable failure) {
		this.stage.completeExceptionally(failure);
	}

	// The subscriber

	private void signal(@Nullable T value, @Nullable Throwable failure) {
		try {
			Schedulers.parallel().schedule(() -> end(value, failure));
		}
		catch (RejectedExecutionException ex) {
			end(value, failure);
		}
	}

	private void end(@Nullable T value, @Nullable Throwable failure) {
		if (this.unsubscribed) {
			return;
		}
		if (failure != null) {
			fail(Exceptions.unwrap(failure));
		}
		else {
			succeed(value);
		}
	}

	abstract void onUnsubscribe(Runnable action);

	/**
	 * Return a publisher of no more values than can be passed on.
	 */
	abstract Publisher<T> limit(Publisher<T> publisher);

	/**
	 * Return a value that has not been passed on.
	 */
	abstract @Nullable T value();

	abstract void succeed(@Nullable T value);

	abstract void fail(Throwable failure);

	/**
	 * Passes on a value in the end.
	 */
	static final class OfMono<T> extends ReactiveCall<T> {

		private final MonoSink<T> sink;

		private @Nullable T value;

		OfMono(LockTemplate template, Supplier<? extends Publisher<T>> body, MonoSink<T> sink) {
			super(template, body, sink.contextView());
			this.sink = sink;
		}

		@Override
		void onUnsubscribe(Runnable action) {
			this.sink.onCancel(action::run);
		}

		@Override
		Publisher<T> limit(Publisher<T> publisher) {
			return Mono.from(publisher);
		}

		@Override
		protected void hookOnNext(T value) {
			this.value = value;
		}

		@Override
		@Nullable T value() {
			return this.value;
		}

		@Override
		void succeed(@Nullable T value) {
			this.sink.success(value);
		}

		@Override
		void fail(Throwable failure) {
			this.sink.error(failure);
		}

	}

	/**
	 * Passes on values as they come, as many as are asked for.
	 */
	static final class OfFlux<T> extends ReactiveCall<T> {

		private final FluxSink<T> sink;

		OfFlux(LockTemplate template, Supplier<? extends Publisher<T>> body, FluxSink<T> sink) {
			super(template, body, sink.contextView());
			this.sink = sink;
		}

		@Override
		void onUnsubscribe(Runnable action) {
			this.sink.onCancel(action::run);
		}

		@Override
		Publisher<T> limit(Publisher<T> publisher) {
			return publisher;
		}

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			this.sink.onRequest(subscription::request);
		}

		@Override
		protected void hookOnNext(T value) {
			this.sink.next(value);
		}

		@Override
		@Nullable T value() {
			return null;
		}

		@Override
		void succeed(@Nullable T value) {
			this.sink.complete();
		}

		@Override
		void fail(Throwable failure) {
			this.sink.error(failure);
		}

	}

}
