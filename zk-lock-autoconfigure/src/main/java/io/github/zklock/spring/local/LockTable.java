package io.github.zklock.spring.local;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import io.github.zklock.spring.local.Request.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * All locks that somebody has or waits for. Everything happens under one monitor, for
 * moments only: nobody waits there, and users are never called.
 */
final class LockTable {

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private final Services services;

	private final ReentrantLock monitor = new ReentrantLock();

	private final Map<String, LockQueue> queues = new HashMap<>();

	// A hold that was lost stays here until its thread has unlocked it
	private final Map<ThreadAndName, Hold> threadHolds = new HashMap<>();

	LockTable(Services services) {
		this.services = services;
	}

	Services services() {
		return this.services;
	}

	private <T extends @Nullable Object> T guarded(Supplier<T> action) {
		this.monitor.lock();
		try {
			return action.get();
		}
		finally {
			this.monitor.unlock();
		}
	}

	/**
	 * Do something with the queue of a name, and forget the name when nobody has the lock
	 * or waits for it any more.
	 */
	private <T extends @Nullable Object> T withQueue(String name, Function<LockQueue, T> action) {
		return guarded(() -> {
			LockQueue queue = this.queues.computeIfAbsent(name, (key) -> new LockQueue(this::grant));
			try {
				return action.apply(queue);
			}
			finally {
				if (queue.isIdle()) {
					this.queues.remove(name);
				}
			}
		});
	}

	private Hold grant(Request request) {
		return new Hold(this, request, this.services.nextNumber());
	}

	// Asking

	/**
	 * Take a request. It is decided now or later.
	 */
	void add(Request request) {
		withQueue(request.name(), (queue) -> {
			if (this.services.isClosed()) {
				return request.decide(Outcome.CLOSED);
			}
			queue.add(request);
			return true;
		});
	}

	/**
	 * The time of a request is over.
	 */
	void refuse(Request request) {
		withQueue(request.name(), (queue) -> {
			boolean refused = request.decide(Outcome.REFUSED);
			queue.remove(request);
			return refused;
		});
	}

	/**
	 * Take back a request.
	 * @return false if it was decided before how it ends
	 */
	boolean leave(Request request) {
		return !request.isDecided() && withQueue(request.name(), (queue) -> {
			boolean left = request.leave();
			queue.remove(request);
			return left;
		});
	}

	// Holding

	/**
	 * Tell a caller that it holds the lock: the last moment to find out that it does not.
	 * @return false if it has been lost before anybody was told
	 */
	boolean tell(Hold hold) {
		return guarded(() -> {
			Thread owner = hold.owner();
			if (!hold.markHeld()) {
				return false;
			}
			if (owner != null) {
				this.threadHolds.put(new ThreadAndName(owner, hold.name()), hold);
			}
			return true;
		});
	}

	@Nullable Hold ofCurrentThread(String name) {
		return this
			.<@Nullable Hold>guarded(() -> this.threadHolds.get(new ThreadAndName(Thread.currentThread(), name)));
	}

	/**
	 * End a hold.
	 * @param lingerNanos for how long the lock is kept for nobody
	 * @return false if it had ended before
	 */
	boolean close(Hold hold, long lingerNanos) {
		return withQueue(hold.name(), (queue) -> {
			boolean closed = hold.markClosed();
			if (closed && lingerNanos > 0) {
				hold.linger(this.services.schedule(() -> free(hold), lingerNanos));
			}
			else if (closed) {
				queue.free(hold);
			}
			if (closed || hold.owner() == Thread.currentThread()) {
				forget(hold);
			}
			return closed;
		});
	}

	private void free(Hold hold) {
		withQueue(hold.name(), (queue) -> {
			queue.free(hold);
			return true;
		});
	}

	private void forget(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			this.threadHolds.remove(new ThreadAndName(owner, hold.name()), hold);
		}
	}

	// Looking

	List<LocalLock> held() {
		return guarded(() -> this.queues.values()
			.stream()
			.flatMap((queue) -> queue.holds().stream())
			.filter(Hold::isHeld)
			.sorted(Comparator.comparingLong(Hold::token))
			.map(Hold::describe)
			.toList());
	}

	List<LocalLock> waiting() {
		return guarded(() -> this.queues.values()
			.stream()
			.flatMap((queue) -> queue.waiting().stream())
			.sorted(Comparator.comparingLong(Request::number))
			.map((request) -> request.describe(request.since()))
			.toList());
	}

	List<LockContender> queue(String name) {
		return withQueue(name,
				(queue) -> Stream
					.concat(queue.holds().stream().map((hold) -> describe(hold.request(), hold.token(), true)),
							queue.waiting().stream().map((request) -> describe(request, 0, false)))
					.toList());
	}

	private LockContender describe(Request request, long token, boolean holding) {
		return this.services.contender(request.number(), request.mode(), holding, request.caller(), request.since(),
				token);
	}

	/**
	 * Return the name that somebody has or waits for, by its segment.
	 */
	@Nullable String nameOf(String segment) {
		return this.<@Nullable String>guarded(() -> this.queues.keySet()
			.stream()
			.filter((name) -> LockNames.segment(name).equals(segment))
			.findFirst()
			.orElse(null));
	}

	int knownNames() {
		return guarded(() -> this.queues.size() + this.threadHolds.size());
	}

	// Taking away

	/**
	 * Take a lock away from all who have it.
	 * @return false if nobody has
	 */
	boolean takeAway(String name) {
		return withQueue(name, (queue) -> queue.takeAway(LossReason.BROKEN_ON_REQUEST));
	}

	/**
	 * Refuse all who wait.
	 */
	void refuseWaiting() {
		guarded(() -> {
			this.queues.values().forEach(LockQueue::refuseWaiting);
			return true;
		});
	}

	/**
	 * Wait until nobody but the current thread holds a lock. A new interrupt ends the
	 * wait.
	 */
	void awaitHolders(Duration longest) {
		Wait wait = Wait.of(longest);
		boolean before = Thread.interrupted();
		while (isHeldByOther(Thread.currentThread()) && !wait.isOver() && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(POLL_NANOS);
		}
		if (before) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean isHeldByOther(Thread thread) {
		return guarded(() -> this.queues.values()
			.stream()
			.flatMap((queue) -> queue.holds().stream())
			.anyMatch((hold) -> hold.isHeld() && hold.owner() != thread));
	}

	/**
	 * Refuse all who wait, and take all locks away.
	 */
	void close() {
		guarded(() -> {
			this.queues.values().forEach(LockQueue::close);
			this.queues.clear();
			return true;
		});
	}

	private record ThreadAndName(Thread thread, String name) {

	}

}
