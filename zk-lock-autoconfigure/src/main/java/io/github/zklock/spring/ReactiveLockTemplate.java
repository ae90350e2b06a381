package io.github.zklock.spring;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import io.github.zklock.LockLease;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Lets publishers hold locks, as {@link LockTemplate} does for threads. Needs Reactor.
 * Thread-safe.
 *
 * <pre class="code">
 * Mono&lt;Invoice&gt; paid = locks.mono(LockOptions.of("invoice-" + id), () -&gt; pay(id));
 * </pre>
 *
 * The locks are taken for each subscription, without a thread that waits, and held until
 * it has ended: by completion, by an error, or by a cancel at any moment. No thread owns
 * them; a publisher inside enters a lock again that the context of its subscription tells
 * of.
 */
public class ReactiveLockTemplate {

	private final LockTemplate template;

	/**
	 * Create a template.
	 * @param template has the registry and the default wait
	 */
	public ReactiveLockTemplate(LockTemplate template) {
		this.template = template;
	}

	/**
	 * As {@link #mono(Collection, Supplier)}, with one lock.
	 * @param <T> the type of the value
	 * @param options the lock
	 * @param body gives what is subscribed to under the lock
	 * @return the value
	 */
	public <T> Mono<T> mono(LockOptions options, Supplier<? extends Publisher<T>> body) {
		return mono(List.of(options), body);
	}

	/**
	 * Take locks for each subscription to a publisher of at most one value. The value is
	 * passed on when the locks have been given back.
	 * @param <T> the type of the value
	 * @param locks the locks, at least one
	 * @param body gives what is subscribed to under the locks, called for each
	 * subscription
	 * @return the value, or that of the fallback, which may return a publisher or a
	 * value; empty if it was skipped
	 */
	public <T> Mono<T> mono(Collection<LockOptions> locks, Supplier<? extends Publisher<T>> body) {
		return Mono.create((sink) -> new ReactiveCall.OfMono<T>(this.template, body, sink).start(locks));
	}

	/**
	 * As {@link #flux(Collection, Supplier)}, with one lock.
	 * @param <T> the type of the values
	 * @param options the lock
	 * @param body gives what is subscribed to under the lock
	 * @return the values
	 */
	public <T> Flux<T> flux(LockOptions options, Supplier<? extends Publisher<T>> body) {
		return flux(List.of(options), body);
	}

	/**
	 * Take locks for each subscription to a publisher. The values are passed on at once,
	 * the completion when the locks have been given back.
	 * @param <T> the type of the values
	 * @param locks the locks, at least one
	 * @param body gives what is subscribed to under the locks, called for each
	 * subscription
	 * @return the values, or those of the fallback, which may return a publisher or a
	 * value; empty if it was skipped
	 */
	public <T> Flux<T> flux(Collection<LockOptions> locks, Supplier<? extends Publisher<T>> body) {
		return Flux.create((sink) -> new ReactiveCall.OfFlux<T>(this.template, body, sink).start(locks));
	}

	/**
	 * Let a publisher fail instead of completing if one of the locks that it runs under
	 * has been lost. A transaction around it is then rolled back.
	 * @param <T> the type of the values
	 * @param publisher the publisher
	 * @return the same values, from a {@link Mono} if it is one
	 */
	public static <T> Publisher<T> checked(Publisher<T> publisher) {
		Flux<T> checked = Flux.from(publisher)
			.concatWith(Mono.deferContextual((context) -> Mono.fromRunnable(() -> requireAll(context))));
		return (publisher instanceof Mono) ? checked.singleOrEmpty() : checked;
	}

	/**
	 * Throw if one of the locks of which a context tells has been lost, unless that is to
	 * be ignored.
	 */
	static void requireAll(ContextView context) {
		LockStack.requireAll(SubscriptionLock.heldOf(ReactiveCall.entered(context)));
	}

	/**
	 * Return the lease of the innermost lock of the publisher that subscribes to this.
	 * @return the lease; fails with {@link IllegalStateException} if the publisher holds
	 * no lock
	 */
	public static Mono<LockLease> currentLease() {
		return Mono.deferContextual((context) -> {
			LockStack held = SubscriptionLock.heldOf(ReactiveCall.entered(context));
			held = (held != null) ? held : told(context);
			if (held == null) {
				return Mono.error(new IllegalStateException("The context of the subscription tells of no lock"));
			}
			return Mono.just(held.lease());
		});
	}

	/**
	 * Return the lease of a lock of the publisher that subscribes to this.
	 * @param name the lock's name
	 * @return the lease; fails with {@link IllegalStateException} if the publisher does
	 * not hold it
	 */
	public static Mono<LockLease> currentLease(String name) {
		return Mono.deferContextual((context) -> {
			LockStack held = LockStack.find(SubscriptionLock.heldOf(ReactiveCall.entered(context)), name);
			held = (held != null) ? held : LockStack.find(told(context), name);
			if (held == null) {
				return Mono.error(new IllegalStateException(
						"The context of the subscription does not tell of lock '%s'".formatted(LockNames.shown(name))));
			}
			return Mono.just(held.lease());
		});
	}

	private static @Nullable LockStack told(ContextView context) {
		PropagatedLocks told = context.getOrDefault(PropagatedLocks.KEY, null);
		return (told != null) ? told.innermost() : null;
	}

}
