package io.github.zklock.engine;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the events of an election to all listeners, to each in order and on its own,
 * and knows what has been delivered.
 */
final class LeadershipListeners {

	private final CallbackThreads users;

	private final Runnable onDelivered;

	private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

	/**
	 * Begin without listeners.
	 * @param users the threads on which they are called
	 * @param onDelivered run each time something was delivered, or is not to be delivered
	 * any more
	 */
	LeadershipListeners(CallbackThreads users, Runnable onDelivered) {
		this.users = users;
		this.onDelivered = onDelivered;
	}

	/**
	 * Add a listener, unless it is there.
	 * @param past the events that it gets first
	 */
	void add(LeadershipListener listener, List<Consumer<LeadershipListener>> past) {
		if (this.subscriptions.stream().anyMatch((subscription) -> subscription.isFor(listener))) {
			return;
		}
		Subscription subscription = new Subscription(listener, this.users.inOrder(), this.onDelivered);
		past.forEach(subscription::add);
		this.subscriptions.add(subscription);
		subscription.callForAll();
	}

	void remove(LeadershipListener listener) {
		this.subscriptions.removeIf((subscription) -> subscription.isRemoved(listener));
		this.onDelivered.run();
	}

	boolean isEmpty() {
		return this.subscriptions.isEmpty();
	}

	void publish(Consumer<LeadershipListener> event) {
		this.subscriptions.forEach((subscription) -> subscription.add(event));
		this.subscriptions.forEach(Subscription::call);
	}

	/**
	 * Deliver what an error has kept from being delivered.
	 */
	void deliverAgain() {
		this.subscriptions.forEach(Subscription::callForAll);
	}

	/**
	 * Return whether everything was delivered, but to those who are excused.
	 */
	boolean isAllDelivered() {
		return this.subscriptions.stream().allMatch(Subscription::isDelivered);
	}

	/**
	 * If the current thread is calling a listener, do not wait for that one before it has
	 * returned: it may wait itself.
	 */
	void excuseCaller() {
		this.subscriptions.forEach(Subscription::excuseCaller);
	}

	/**
	 * Wait for all listeners from now on.
	 */
	void excuseNobody() {
		this.subscriptions.forEach((subscription) -> subscription.excused = false);
	}

	private static final class Subscription {

		private final LeadershipListener listener;

		private final Executor executor;

		private final Runnable onDelivered;

		private final Queue<Consumer<LeadershipListener>> events = new ConcurrentLinkedQueue<>();

		private final AtomicInteger undelivered = new AtomicInteger();

		private volatile @Nullable Thread caller;

		private volatile boolean excused;

		private volatile boolean removed;

		Subscription(LeadershipListener listener, Executor executor, Runnable onDelivered) {
			this.listener = listener;
			this.executor = executor;
			this.onDelivered = onDelivered;
		}

		boolean isFor(LeadershipListener asked) {
			return this.listener == asked;
		}

		boolean isRemoved(LeadershipListener unwanted) {
			this.removed |= isFor(unwanted);
			return this.removed;
		}

		boolean isDelivered() {
			return this.excused || this.undelivered.get() == 0;
		}

		void excuseCaller() {
			if (this.caller == Thread.currentThread()) {
				this.excused = true;
			}
		}

		void add(Consumer<LeadershipListener> event) {
			this.events.add(event);
			this.undelivered.incrementAndGet();
		}

		/**
		 * Have the listener called for one event.
		 */
		void call() {
			this.executor.execute(this::callNow);
		}

		void callForAll() {
			this.events.forEach((event) -> call());
		}

		/**
		 * Call the listener for all that was not delivered. A call of its own for each
		 * event is not enough: an error may have prevented one.
		 */
		private void callNow() {
			Consumer<LeadershipListener> event = this.events.poll();
			while (event != null) {
				call(event);
				// The interrupt of one call is none of the next one's business
				Thread.interrupted();
				event = this.events.poll();
			}
		}

		private void call(Consumer<LeadershipListener> event) {
			this.caller = Thread.currentThread();
			try {
				if (!this.removed) {
					event.accept(this.listener);
				}
			}
			finally {
				this.caller = null;
				this.excused = false;
				this.undelivered.decrementAndGet();
				this.onDelivered.run();
			}
		}

	}

}
