package io.github.zklock.spring;

import io.github.zklock.LockLease;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction that was running when a lock was taken. The lock must outlive it:
 * whoever gets the lock next must see what was committed.
 */
final class TransactionBinding {

	// The application may have no transactions at all
	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			TransactionBinding.class.getClassLoader());

	private TransactionBinding() {
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
	 * Keep a hold until the transaction has ended, which does not commit if it is lost.
	 */
	static void keep(ThreadEntry hold) {
		Synchronizations.keep(hold);
	}

	/**
	 * Return the hold by which the transaction keeps a lease, null if it does not.
	 */
	static @Nullable ThreadEntry keeper(LockLease lease) {
		return Synchronizations.keeper(lease);
	}

	/**
	 * Let the transaction not commit if a lock has been lost.
	 */
	static void require(LockLease lease) {
		Synchronizations.require(lease);
	}

	/**
	 * Throw if the transaction must not commit. Also asks those who have joined it while
	 * it was about to commit: a transaction does not call them before the commit any
	 * more.
	 */
	static void requireAll() {
		Synchronizations.requireAll();
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
			TransactionSynchronizationManager.registerSynchronization(new Joined(beforeCommit, afterCompletion));
		}

		static void keep(ThreadEntry hold) {
			TransactionSynchronizationManager.registerSynchronization(new Kept(hold));
		}

		static @Nullable ThreadEntry keeper(LockLease lease) {
			for (TransactionSynchronization joined : TransactionSynchronizationManager.getSynchronizations()) {
				if (joined instanceof Kept kept && kept.hold().lease().equals(lease)) {
					return kept.hold();
				}
			}
			return null;
		}

		static void require(LockLease lease) {
			TransactionSynchronizationManager.registerSynchronization(new Requirement(lease));
		}

		static void requireAll() {
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				for (TransactionSynchronization joined : TransactionSynchronizationManager.getSynchronizations()) {
					if (joined instanceof Condition condition) {
						condition.require();
					}
				}
			}
		}

	}

	/**
	 * What has to be so for a transaction to commit.
	 */
	private interface Condition extends TransactionSynchronization {

		void require();

		@Override
		default int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		default void beforeCommit(boolean readOnly) {
			require();
		}

	}

	private static final class Joined implements Condition {

		private final Runnable condition;

		private final Runnable afterCompletion;

		Joined(Runnable condition, Runnable afterCompletion) {
			this.condition = condition;
			this.afterCompletion = afterCompletion;
		}

		@Override
		public void require() {
			this.condition.run();
		}

		@Override
		public void afterCompletion(int status) {
			this.afterCompletion.run();
		}

	}

	private record Kept(ThreadEntry hold) implements Condition {

		@Override
		public void require() {
			this.hold.requireNotLost();
		}

		@Override
		public void afterCompletion(int status) {
			this.hold.leave();
		}

	}

	/**
	 * A transaction keeps equal ones once, however often the lock is entered.
	 */
	private record Requirement(LockLease lease) implements Condition {

		@Override
		public void require() {
			LockStack.requireNotLost(this.lease);
		}

	}

}
