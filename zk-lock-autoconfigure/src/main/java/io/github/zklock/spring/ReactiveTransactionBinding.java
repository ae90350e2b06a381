package io.github.zklock.spring;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The reactive transaction that was running when a publisher began to take locks.
 */
final class ReactiveTransactionBinding {

	// The application may have no transactions at all
	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.reactive.TransactionSynchronizationManager",
			ReactiveTransactionBinding.class.getClassLoader());

	private ReactiveTransactionBinding() {
	}

	/**
	 * If the context tells of a transaction, the locks are kept until it has ended, and
	 * it does not commit without them.
	 */
	static void keep(SharedLeases leases, ContextView context) {
		if (PRESENT) {
			Synchronizations.keep(leases, context);
		}
	}

	/**
	 * Throw if a transaction must not commit. Also asks those who have joined it while it
	 * was about to commit: a transaction does not call them before the commit any more.
	 */
	static void requireAll(TransactionSynchronizationManager manager) {
		if (manager.isSynchronizationActive()) {
			for (TransactionSynchronization joined : manager.getSynchronizations()) {
				if (joined instanceof LeaseSynchronization synchronization) {
					synchronization.leases().requireNotLost();
				}
			}
		}
	}

	/**
	 * Touches classes that may be absent.
	 */
	private static final class Synchronizations {

		static void keep(SharedLeases leases, ContextView context) {
			TransactionSynchronizationManager manager = current(context);
			if (manager == null || !manager.isSynchronizationActive() || !manager.isActualTransactionActive()
					|| !leases.join()) {
				return;
			}
			manager.registerSynchronization(new LeaseSynchronization(leases));
		}

		private static @Nullable TransactionSynchronizationManager current(ContextView context) {
			return TransactionSynchronizationManager.forCurrentTransaction()
				.onErrorComplete(NoTransactionException.class)
				.contextWrite(context)
				.toFuture()
				.getNow(null);
		}

	}

	private record LeaseSynchronization(SharedLeases leases) implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.fromRunnable(this.leases::requireNotLost);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromFuture(this.leases::leave, true);
		}

	}

}
