package io.github.zklock.spring.local;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

	// If one of them is a listener's, that listener is not waited for
	private final Set<Thread> leavers = new HashSet<>();

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
			this.listeners.tell((listener) -> listener.granted(this.role, begun.token()));
			logger.info("Leadership of '{}' granted, token {}", LockNames.shown(this.role), begun.token());
		}
	}

	@Override
	public void leave() {
		boolean interrupted = guarded(() -> {
			Reign ending = windUp();
			boolean woken = awaitWork(ending);
			end(ending);
			woken = woken || awaitListeners();
			if (woken) {
				depart(ending);
			}
			this.leavers.remove(Thread.currentThread());
			return woken;
		});
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Take part no longer, and let no more work begin.
	 * @return the term of leadership that is to end
	 */
	private @Nullable Reign windUp() {
		this.leavers.add(Thread.currentThread());
		heard();
		this.joined = false;
		Reign present = this.reign;
		if (present != null) {
			present.windUp();
			endIfWoundUp(present);
		}
		return (present != null) ? present : this.departing;
	}

	/**
	 * Wait until nobody else works as a leader who is about to leave.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitWork(@Nullable Reign ending) {
		try {
			while (ending != null && ending.goesOn() && ending.isUsedByOther(Thread.currentThread())
					&& remaining(ending) > 0) {
				this.changed.awaitNanos(remaining(ending));
			}
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	/**
	 * Return how long an end in good order may still take.
	 */
	private long remaining(Reign ending) {
		return this.handOverNanos - ending.windingUpFor();
	}

	/**
	 * Wait until the listeners have heard of the end of a leadership. A timer ends that,
	 * too.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitListeners() {
		Reign ending = this.departing;
		try {
			while (ending != null && ending == this.departing) {
				this.changed.await();
			}
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
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
			if (this.listeners.haveHeardAll(this.leavers)) {
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
			end(windUp());
			return true;
		});
	}

	/**
	 * Wait until the listeners have heard of the end.
	 */
	void awaitClosed() {
		boolean interrupted = guarded(() -> {
			Reign ending = this.departing;
			boolean woken = awaitListeners();
			depart(ending);
			return woken;
		});
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
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
