package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LossInterrupt;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call that no thread owns. They are given back when the last of those
 * who need them has left: the call itself, the transaction around it, and calls inside
 * that have entered them again. Thread-safe. It is long because leases, their users and
 * their losses change together, under one monitor.
 */
final class SharedLeases {

	private static final CompletableFuture<Void> NOTHING_TO_DO = CompletableFuture.completedFuture(null);

	private final List<Taken> taken = new ArrayList<>(1);

	private final List<SharedLeases> enteredAgain = new ArrayList<>(0);

	private final Set<Consumer<LockLostException>> interruptions = new LinkedHashSet<>(1);

	private boolean watching;

	private @Nullable LockLostException interruptingLoss;

	private int users = 1;

	synchronized void add(LockOptions lock, LockLease lease) {
		this.taken.add(new Taken(lock, lease));
	}

	/**
	 * Enter the locks of a call around this one again, to leave them with those of this
	 * call.
	 * @return false if they are being given back
	 */
	boolean enterAgain(SharedLeases around) {
		if (!around.join()) {
			return false;
		}
		synchronized (this) {
			this.enteredAgain.add(around);
		}
		return true;
	}

	/**
	 * Keep the locks until one more has left.
	 * @return false if they are being given back
	 */
	synchronized boolean join() {
		if (this.users == 0) {
			return false;
		}
		this.users++;
		return true;
	}

	/**
	 * If a transaction runs, the locks are kept until it has ended, and it does not
	 * commit without them.
	 */
	void keepForTransaction() {
		if (TransactionBinding.isActive() && join()) {
			TransactionBinding.register(this::requireNotLost, this::leaveHere);
		}
	}

	/**
	 * One of those who need the locks does not need them any more.
	 * @return completed when the locks have been given back, or others need them
	 */
	CompletableFuture<Void> leave() {
		return isLastToLeave() ? end(true) : NOTHING_TO_DO;
	}

	/**
	 * As {@link #leave()}, and wait for it.
	 */
	private void leaveHere() {
		if (isLastToLeave()) {
			endHere(true);
		}
	}

	private synchronized boolean isLastToLeave() {
		return this.users > 0 && --this.users == 0;
	}

	/**
	 * Give the locks back that nobody has made use of.
	 * @return completed when they have been given back
	 */
	CompletableFuture<Void> giveBack() {
		return isUnused() ? end(false) : NOTHING_TO_DO;
	}

	/**
	 * As {@link #giveBack()}, and wait for it.
	 */
	void giveBackHere() {
		if (isUnused()) {
			endHere(false);
		}
	}

	private synchronized boolean isUnused() {
		boolean first = this.users > 0;
		this.users = 0;
		return first;
	}

	private CompletableFuture<Void> end(boolean used) {
		List<CompletableFuture<Void>> ends = new ArrayList<>(1);
		for (Taken next : lastFirst()) {
			ends.add(next.closeAsync(used));
		}
		enteredAgain().forEach((around) -> ends.add(around.leave()));
		return switch (ends.size()) {
			case 0 -> NOTHING_TO_DO;
			case 1 -> ends.get(0);
			default -> CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
		};
	}

	private void endHere(boolean used) {
		RuntimeException problem = null;
		for (Taken next : lastFirst()) {
			try {
				next.close(used);
			}
			catch (RuntimeException ex) {
				if (problem == null) {
					problem = ex;
				}
				else {
					problem.addSuppressed(ex);
				}
			}
		}
		enteredAgain().forEach(SharedLeases::leaveHere);
		if (problem != null) {
			throw problem;
		}
	}

	private List<Taken> lastFirst() {
		List<Taken> closing = new ArrayList<>(taken());
		Collections.reverse(closing);
		return closing;
	}

	private synchronized List<Taken> taken() {
		return List.copyOf(this.taken);
	}

	LockLease lease(String name) {
		for (Taken candidate : taken()) {
			if (candidate.lock().name().equals(name)) {
				return candidate.lease();
			}
		}
		throw new IllegalArgumentException("Lock '%s' has not been taken".formatted(LockNames.shown(name)));
	}

	/**
	 * Return what the call holds, as it is to be told to its body.
	 */
	@Nullable LockStack heldInside(@Nullable LockStack outer) {
		LockStack held = outer;
		for (Taken next : taken()) {
			held = new LockStack(next.lease(), next.lock().onLost(), held);
		}
		return held;
	}

	/**
	 * Return the loss of one of the locks, null if there is none or if it is to be
	 * ignored.
	 */
	@Nullable LockLostException loss() {
		for (Taken candidate : taken()) {
			LockLostException loss = (candidate.lock().onLost() != OnLost.IGNORE) ? LockStack.loss(candidate.lease())
					: null;
			if (loss != null) {
				return loss;
			}
		}
		for (SharedLeases around : enteredAgain()) {
			LockLostException loss = around.loss();
			if (loss != null) {
				return loss;
			}
		}
		return null;
	}

	private synchronized List<SharedLeases> enteredAgain() {
		return List.copyOf(this.enteredAgain);
	}

	void requireNotLost() {
		LockLostException loss = loss();
		if (loss != null) {
			throw loss;
		}
	}

	/**
	 * Interrupt the current thread if a lock is lost whose loss ends the call, also one
	 * that was entered again.
	 */
	void interruptOnLoss(LossInterrupt interrupt) {
		for (Taken next : taken()) {
			if (next.lock().onLost() == OnLost.INTERRUPT) {
				next.lease().onLost(interrupt);
			}
		}
		enteredAgain().forEach((around) -> around.interruptOnLoss(interrupt));
	}

	/**
	 * Have something done as soon as a lock is lost whose loss ends the call, also one
	 * that was entered again.
	 */
	void onInterruptingLoss(Consumer<LockLostException> action) {
		boolean first;
		LockLostException earlier;
		synchronized (this) {
			this.interruptions.add(action);
			first = !this.watching;
			this.watching = true;
			earlier = this.interruptingLoss;
		}
		if (first) {
			watch();
		}
		else if (earlier != null) {
			action.accept(earlier);
		}
		enteredAgain().forEach((around) -> around.onInterruptingLoss(action));
	}

	/**
	 * Nothing is to be done any more if a lock is lost: those around may hold it for
	 * long.
	 */
	void forgetInterruptingLoss(Consumer<LockLostException> action) {
		synchronized (this) {
			this.interruptions.remove(action);
		}
		enteredAgain().forEach((around) -> around.forgetInterruptingLoss(action));
	}

	/**
	 * Callbacks cannot be removed from a lease, so register one and have it notify the
	 * calls of that moment, however many enter the lease again.
	 */
	private void watch() {
		for (Taken next : taken()) {
			if (next.lock().onLost() == OnLost.INTERRUPT) {
				next.lease().onLost(() -> next.lease().loss().ifPresent(this::interrupt));
			}
		}
	}

	private void interrupt(LockLostException loss) {
		List<Consumer<LockLostException>> actions;
		synchronized (this) {
			this.interruptingLoss = loss;
			actions = List.copyOf(this.interruptions);
		}
		actions.forEach((action) -> action.accept(loss));
	}

	private record Taken(LockOptions lock, LockLease lease) {

		private Duration minHold(boolean used) {
			return used ? this.lock.minHold() : Duration.ZERO;
		}

		void close(boolean used) {
			this.lease.close(minHold(used));
		}

		CompletableFuture<Void> closeAsync(boolean used) {
			try {
				return this.lease.closeAsync(minHold(used));
			}
			catch (RuntimeException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

	}

}
