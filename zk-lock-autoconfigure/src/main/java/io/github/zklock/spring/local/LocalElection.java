package io.github.zklock.spring.local;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.github.zklock.LockContender;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LossInterrupt;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.leader.Participant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An election that whoever joins has won, because there is nobody else.
 */
final class LocalElection implements LeaderElection, Leadership {

	private static final Logger logger = LoggerFactory.getLogger(LocalElection.class);

	private static final long LEAST_NANOS_FOR_LISTENERS = TimeUnit.MILLISECONDS.toNanos(500);

	private final String role;

	private final Services services;

	private final long handOverNanos;

	private final LeadershipListeners listeners;

	private final Map<Thread, Work> workOfThreads = new ConcurrentHashMap<>();

	private final ReentrantLock monitor = new ReentrantLock();

	private final Condition changed = this.monitor.newCondition();

	private final List<CompletableFuture<Void>> leavers = new ArrayList<>();

	private boolean joined;

	private volatile @Nullable Reign reign;

	// Listeners have not heard of its end yet
	private volatile @Nullable Reign departing;

	private Future<?> timeout = CompletableFuture.completedFuture(null);

	LocalElection(String role, Services services, Duration handOverWait) {
		this.role = role;
		this.services = services;
		this.handOverNanos = Wait.toNanos(handOverWait);
		this.listeners = new LeadershipListeners(services.users(), this::heard);
	}

	@Override
	public String role() {
		return this.role;
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

	// Taking part

	@Override
	public void join() {
		guarded(() -> {
			requireOpen("Role");
			this.joined = true;
			proceed();
			return true;
		});
	}

	private void requireOpen(String what) {
		if (this.services.isClosed()) {
			throw Services.closed(what, this.role);
		}
	}

	/**
	 * Begin a term of leadership, if this process wants one and has none.
	 */
	private void proceed() {
		if (this.joined && this.reign == null && this.departing == null) {
			Reign begun = new Reign(this.services.nextNumber());
			this.reign = begun;
			this.listeners.excuseNobody();
			this.listeners.tell((listener) -> listener.granted(this.role, begun.token()));
			logger.info("Leadership of '{}' granted, token {}", LockNames.shown(this.role), begun.token());
		}
	}

	@Override
	public void leave() {
		guarded(() -> {
			this.joined = false;
			await(endTerm());
			return true;
		});
	}

	@Override
	public CompletableFuture<Void> leaveAsync() {
		return guarded(() -> {
			this.joined = false;
			CompletableFuture<Void> left = new CompletableFuture<>();
			if (endTerm() == null) {
				left.complete(null);
			}
			else {
				this.leavers.add(left);
			}
			return left;
		});
	}

	@Override
	public boolean yield() {
		return stepDown(workOfThread());
	}

	/**
	 * Give up the leadership, and begin a new term when that has ended.
	 * @param work what does so, if it is work: then it has to be the same term
	 */
	boolean stepDown(@Nullable Work work) {
		return guarded(() -> {
			Reign present = openReign();
			if (present == null || (work != null && work.reign() != present)) {
				return false;
			}
			if (work != null) {
				work.resign();
			}
			await(endTerm());
			return true;
		});
	}

	/**
	 * Let no more work begin, and end the term of leadership when it has ended, or has
	 * been waited for for long enough. Neither the work of the current thread nor the
	 * listener that it calls is waited for.
	 * @return the term of leadership that is to end, null if there is none any more
	 */
	private @Nullable Reign endTerm() {
		Reign present = this.reign;
		windUp();
		if (present != null && present == this.reign) {
			long remaining = remaining(present);
			if (remaining > 0) {
				this.services.schedule(() -> hurry(present, false), remaining);
			}
			else {
				end(present);
			}
		}
		return (present != null && present == this.reign) ? present : this.departing;
	}

	/**
	 * Let no more work begin.
	 */
	private void windUp() {
		this.listeners.excuseCaller();
		heard();
		Reign present = this.reign;
		if (present != null) {
			present.windUp();
			endIfWoundUp(present);
		}
	}

	/**
	 * Wait until a term of leadership has ended and listeners have heard of it, within
	 * limits. An interrupt ends the waits, and stays set.
	 */
	private void await(@Nullable Reign ending) {
		try {
			while (ending != null && (ending == this.reign || ending == this.departing)) {
				this.changed.await();
			}
		}
		catch (InterruptedException ex) {
			hurry(ending, true);
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Wait no longer for work, nor for listeners if nobody is to be waited for.
	 */
	private void hurry(@Nullable Reign ending, boolean forNobody) {
		guarded(() -> {
			end(ending);
			if (forNobody) {
				depart(ending);
			}
			return true;
		});
	}

	/**
	 * Return how long an end in good order may still take.
	 */
	private long remaining(Reign ending) {
		return this.handOverNanos - ending.windingUpFor();
	}

	private void endIfWoundUp(Reign present) {
		if (present.isWoundUp()) {
			end(present);
		}
	}

	/**
	 * End a term of leadership, whatever work is going on. Whoever works as a leader is
	 * interrupted, and then the listeners are told. The next term begins when they have
	 * heard of it.
	 */
	private void end(@Nullable Reign ending) {
		if (ending != null && ending.goesOn()) {
			long nanos = Math.max(LEAST_NANOS_FOR_LISTENERS, remaining(ending));
			this.departing = ending;
			this.reign = null;
			ending.end();
			this.changed.signalAll();
			this.listeners.tell((listener) -> listener.revoked(this.role, ending.token()));
			logger.info("Leadership of '{}' given up, token {}", LockNames.shown(this.role), ending.token());
			if (this.handOverNanos > 0) {
				this.timeout = this.services.schedule(() -> depart(ending), nanos);
				heard();
			}
			else {
				depart(ending);
			}
		}
	}

	private void heard() {
		guarded(() -> {
			if (this.listeners.haveHeardAll()) {
				depart(this.departing);
			}
			return true;
		});
	}

	/**
	 * Wait no longer for listeners to hear of the end of a leadership.
	 */
	private void depart(@Nullable Reign ended) {
		guarded(() -> {
			if (ended != null && ended == this.departing) {
				this.departing = null;
				this.timeout.cancel(false);
				this.changed.signalAll();
				this.leavers.forEach((left) -> this.services.users().inOrder().execute(() -> left.complete(null)));
				this.leavers.clear();
				proceed();
			}
			return true;
		});
	}

	/**
	 * Take part no longer, and wait for nobody.
	 */
	void close() {
		guarded(() -> {
			this.joined = false;
			windUp();
			end(this.reign);
			return true;
		});
	}

	/**
	 * Wait until the listeners have heard of the end.
	 */
	void awaitClosed() {
		guarded(() -> {
			Reign ending = this.departing;
			await(ending);
			depart(ending);
			return true;
		});
	}

	@Override
	public Leadership leadership() {
		return this;
	}

	@Override
	public Optional<Participant> leader() {
		return participants().stream().findFirst();
	}

	@Override
	public List<Participant> participants() {
		return queue().stream()
			.map((leader) -> new Participant(this.services.instance(), Services.HOST, true, true))
			.toList();
	}

	/**
	 * Describe who takes part.
	 */
	List<LockContender> queue() {
		requireOpen("Queue of");
		Reign present = (this.reign != null) ? this.reign : this.departing;
		return (present != null) ? List.of(this.services.contender(present.token(), LockMode.WRITE, true,
				present.winner(), present.since(), present.token())) : List.of();
	}

	@Override
	public void addListener(LeadershipListener listener) {
		Objects.requireNonNull(listener, "'listener' must not be null");
		guarded(() -> {
			Reign present = this.reign;
			this.listeners.add(listener, (present != null) ? (told) -> told.granted(this.role, present.token()) : null);
			return true;
		});
	}

	@Override
	public void removeListener(LeadershipListener listener) {
		this.listeners.remove(listener);
	}

	// Leading

	private @Nullable Reign openReign() {
		Reign present = this.reign;
		return (present != null && present.isOpen()) ? present : null;
	}

	@Override
	public boolean isLeader() {
		Work work = workOfThread();
		return (work != null) ? work.isLeader() : openReign() != null;
	}

	@Override
	public long fencingToken() {
		Work work = workOfThread();
		if (work != null) {
			return work.fencingToken();
		}
		Reign present = openReign();
		if (present == null) {
			throw new IllegalStateException(
					"This process does not lead role '%s'".formatted(LockNames.shown(this.role)));
		}
		return present.token();
	}

	@Override
	public Optional<Instant> since() {
		Work work = workOfThread();
		Reign present = (work != null) ? work.reign() : openReign();
		return Optional.ofNullable(present).filter(Reign::goesOn).map(Reign::since);
	}

	@Override
	public boolean run(Runnable task) {
		Objects.requireNonNull(task, "'work' must not be null");
		Work work = begin(Thread.currentThread());
		if (work == null) {
			return false;
		}
		try {
			runAs(work, task);
		}
		catch (Throwable ex) {
			if (!end(work)) {
				throw work.lost(ex);
			}
			throw ex;
		}
		if (!end(work)) {
			throw work.lost(null);
		}
		return true;
	}

	private void runAs(Work work, Runnable task) {
		Thread thread = Thread.currentThread();
		LossInterrupt interrupt = new LossInterrupt();
		Work outer = this.workOfThreads.put(thread, work);
		try {
			work.onLost(interrupt);
			task.run();
		}
		finally {
			this.workOfThreads.compute(thread, (key, inner) -> outer);
			interrupt.end();
		}
	}

	/**
	 * Return what the current thread does, in the term of leadership in which it has
	 * begun.
	 */
	private @Nullable Work workOfThread() {
		return this.workOfThreads.get(Thread.currentThread());
	}

	@Override
	public Optional<LeaderWork> begin() {
		return Optional.ofNullable(begin(null));
	}

	private @Nullable Work begin(@Nullable Thread worker) {
		Work outer = workOfThread();
		return this.<@Nullable Work>guarded(() -> {
			Reign present = openReign();
			if (present == null || (outer != null && outer.reign() != present)) {
				return null;
			}
			Work work = new Work(this, present, this.services.users(), worker);
			present.begin(work);
			return work;
		});
	}

	/**
	 * End work that has been done.
	 * @return false if leadership was lost before
	 */
	boolean end(Work work) {
		return guarded(() -> {
			boolean inTime = work.markEnded();
			work.reign().ended(work);
			endIfWoundUp(work.reign());
			this.changed.signalAll();
			return inTime;
		});
	}

	@Override
	public String toString() {
		return "election of role '%s'".formatted(LockNames.shown(this.role));
	}

}
