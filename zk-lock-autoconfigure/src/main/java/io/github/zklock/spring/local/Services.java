package io.github.zklock.spring.local;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.zklock.LockContender;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;

/**
 * What all locks and elections of one registry share.
 */
final class Services {

	static final String HOST = "localhost";

	private static final long PID = ProcessHandle.current().pid();

	private final String instance;

	private final UserThreads users;

	private final ScheduledThreadPoolExecutor timer;

	private final AtomicLong numbers = new AtomicLong();

	private final List<Line> listeners;

	private volatile boolean closed;

	Services(List<LockListener> listeners) {
		this(null, listeners);
	}

	Services(@Nullable String instance, List<LockListener> listeners) {
		this.instance = (instance != null) ? instance : UUID.randomUUID().toString().substring(0, 8);
		this.users = new UserThreads(daemons("-user-"));
		this.timer = new ScheduledThreadPoolExecutor(1, daemons("-timer-"), new ThreadPoolExecutor.DiscardPolicy());
		this.listeners = listeners.stream().map((listener) -> new Line(listener, this.users.inOrder())).toList();
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
	}

	private ThreadFactory daemons(String kind) {
		AtomicInteger count = new AtomicInteger();
		String prefix = "zk-lock-" + LockNames.shown(this.instance) + kind;
		return (task) -> {
			Thread thread = new Thread(task, prefix + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	String instance() {
		return this.instance;
	}

	UserThreads users() {
		return this.users;
	}

	/**
	 * Return a number that is greater than all before: the place of a request in its
	 * queue, or a fencing token.
	 */
	long nextNumber() {
		return this.numbers.incrementAndGet();
	}

	/**
	 * Do something later, unless the registry is closed by then.
	 */
	Future<?> schedule(Runnable task, long nanos) {
		return this.timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Tell all listeners what happens, each on a line of its own.
	 */
	void tell(Consumer<LockListener> event) {
		for (Line line : this.listeners) {
			line.executor().execute(() -> event.accept(line.listener()));
		}
	}

	/**
	 * Describe somebody who has a lock or a role, or waits for it.
	 */
	LockContender contender(long number, LockMode mode, boolean holding, String thread, Instant since, long token) {
		String node = ((mode == LockMode.READ) ? "read-%010d" : "lock-%010d").formatted(number);
		return new LockContender(node, mode, holding, LockContender.Origin.SELF, this.instance, HOST, PID, thread,
				since, 0, token, "");
	}

	/**
	 * Say that there is nothing to be had any more.
	 * @param what what was asked for
	 */
	static LockUnavailableException closed(String what, String name) {
		return new LockUnavailableException(name, "%s '%s' is unavailable: the registry is closed (zk.lock.type=local)"
			.formatted(what, LockNames.shown(name)), UnavailableReason.CLOSED, null);
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Refuse whatever begins from now on.
	 */
	void refuse() {
		this.closed = true;
	}

	void close() {
		this.timer.shutdownNow();
		this.users.close();
	}

	private record Line(LockListener listener, Executor executor) {

	}

}
