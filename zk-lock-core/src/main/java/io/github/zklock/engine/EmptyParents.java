package io.github.zklock.engine;

import java.util.Comparator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the parents of names that this process has made and does not use any more. They
 * are containers, which the server removes by itself, but no more than 10,000 of them in
 * a minute: who makes more names than that would fill it.
 *
 * <p>
 * Nothing depends on it. A parent with children stays, since ZooKeeper refuses to delete
 * it, and one that is needed again is made again. So whatever is in doubt is forgotten
 * and left to the server: what was made on an earlier connection, and what is too much to
 * remember.
 *
 * <p>
 * Everything happens on the event loop, unless said otherwise.
 */
final class EmptyParents {

	private static final int MOST_REMEMBERED = 100_000;

	private static final int MOST_IN_FLIGHT = 100;

	private static final long SLOW_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	// How many looks there are in the time after which a name counts as unused
	private static final int LOOKS = 60;

	private final SessionKeeper keeper;

	private final Predicate<LockPath> inUse;

	private final long idleNanos;

	private final Map<String, Parent> parents = new ConcurrentHashMap<>();

	private final Queue<Parent> nextFirst = new PriorityBlockingQueue<>(16,
			Comparator.comparingLong((parent) -> parent.due));

	private final Platform platform;

	private final long epoch;

	private @Nullable Session session;

	private int connection;

	private int inFlight;

	private boolean slow;

	private LoopThread.@Nullable Timer timer;

	/**
	 * Create an object that remembers nothing.
	 * @param keeper knows the event loop
	 * @param inUse whether somebody in this process holds a lock or waits for it; asked
	 * under no monitor
	 * @param idleNanos how long a name has not been used when its parent is deleted
	 */
	EmptyParents(SessionKeeper keeper, Predicate<LockPath> inUse, long idleNanos) {
		this.keeper = keeper;
		this.platform = keeper.loop().platform();
		this.epoch = this.platform.nanoTime();
		this.inUse = inUse;
		this.idleNanos = idleNanos;
	}

	/**
	 * ZooKeeper has confirmed that this process has made the parent of a name.
	 */
	void made(Session session, LockPath path) {
		if (session.isLocal()) {
			// It goes by itself
			return;
		}
		if (session != this.session || session.connection() != this.connection) {
			forgetAll();
			this.session = session;
			this.connection = session.connection();
		}
		if (this.parents.size() < MOST_REMEMBERED && !this.keeper.isClosed()) {
			Parent parent = new Parent(path, now());
			Parent known = this.parents.putIfAbsent(path.parent(), parent);
			if (known == null) {
				lookAgain(parent);
				schedule();
			}
			else {
				known.lastUsed = parent.lastUsed;
			}
		}
	}

	/**
	 * A name has been used until now. By any thread.
	 */
	void used(LockPath path) {
		Parent parent = this.parents.get(path.parent());
		if (parent != null) {
			parent.lastUsed = now();
		}
	}

	/**
	 * Forget everything. Answers that are still to come do not matter any more.
	 */
	private void forgetAll() {
		this.parents.clear();
		this.nextFirst.clear();
		this.session = null;
		this.inFlight = 0;
		this.slow = false;
	}

	/**
	 * The run has ended. On the event loop.
	 */
	void clear() {
		forgetAll();
		LoopThread.Timer present = this.timer;
		if (present != null) {
			present.cancel();
			this.timer = null;
		}
	}

	int remembered() {
		return this.parents.size();
	}

	private long now() {
		return this.platform.nanoTime() - this.epoch;
	}

	private void lookAgain(Parent parent) {
		parent.due = parent.lastUsed + this.idleNanos;
		this.nextFirst.add(parent);
	}

	private void schedule() {
		Parent next = this.nextFirst.peek();
		if (next != null && this.timer == null) {
			this.timer = this.keeper.loop().schedule(() -> {
				this.timer = null;
				look();
				schedule();
			}, Math.max(next.due - now(), this.idleNanos / LOOKS));
		}
	}

	/**
	 * Delete what has not been used for long enough, as fast as ZooKeeper answers. If it
	 * answers slowly it has more important things to do: then one at each look.
	 */
	private void look() {
		Session present = this.session;
		if (present == null || this.keeper.isClosed() || !present.isConnected()
				|| present.connection() != this.connection) {
			forgetAll();
			return;
		}
		while (this.inFlight < (this.slow ? 1 : MOST_IN_FLIGHT)) {
			Parent next = this.nextFirst.peek();
			if (next == null || next.due > now() || this.nextFirst.poll() != next) {
				return;
			}
			if (this.inUse.test(next.path)) {
				next.lastUsed = now();
			}
			if (now() - next.lastUsed < this.idleNanos) {
				lookAgain(next);
			}
			else {
				this.parents.remove(next.path.parent());
				delete(present, next.path.parent());
			}
		}
	}

	private void delete(Session present, String parent) {
		this.inFlight++;
		long sent = this.platform.nanoTime();
		present.write(Operation.delete(parent), (response) -> {
			if (present == this.session && present.connection() == this.connection) {
				this.inFlight--;
				this.slow = this.platform.nanoTime() - sent > SLOW_ANSWER_NANOS || response.is(Meaning.BUSY);
				if (!this.slow) {
					look();
				}
				schedule();
			}
		});
	}

	/**
	 * The parent of a name.
	 */
	private static final class Parent {

		private final LockPath path;

		private volatile long lastUsed;

		// Changes only while it is not in the queue
		private long due;

		Parent(LockPath path, long lastUsed) {
			this.path = path;
			this.lastUsed = lastUsed;
		}

	}

}
