package io.github.zklock.spring;

import io.github.zklock.LockLease;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction that was running when a lock was taken. The lock must outlive it:
 * whoever gets the lock next must see what was committed.
 */
final class OuterTransaction {

	// The application may have no transactions at all
	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			OuterTransaction.class.getClassLoader());

	private OuterTransaction() {
	}

	static boolean isActive() {
		return PRESENT && Synchronizations.isActive();
	}

	/**
	 * Have something done before the transaction commits, which fails if that throws, and
	 * something else when it has ended, in whichever way.
	 */
	static void register(Runnable beforeCommit, Runnable afterCompletion) {
		Synchronizations.register(beforeCommit, afterCompletion);
	}

	/**
	 * Let the transaction not commit if a lock has been lost.
	 */
	static void require(LockLease lease) {
		Synchronizations.require(lease);
	}

	/**
	 * Touches classes that may be absent.
	 */
	private static final class Synchronizations {

		static boolean isActive() {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive();
		}

		static void register(Runnable beforeCommit, Runnable afterCompletion) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.LOWEST_PRECEDENCE;
				}

				@Override
				public void beforeCommit(boolean readOnly) {
					beforeCommit.run();
				}

				@Override
				public void afterCompletion(int status) {
					afterCompletion.run();
				}

			});
		}

		static void require(LockLease lease) {
			TransactionSynchronizationManager.registerSynchronization(new Requirement(lease));
		}

	}

	/**
	 * A transaction keeps equal ones once, however often the lock is entered.
	 */
	private record Requirement(LockLease lease) implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			HeldLock.requireNotLost(this.lease);
		}

	}

}
