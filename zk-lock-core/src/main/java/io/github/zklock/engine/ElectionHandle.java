package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.LockContender;
import io.github.zklock.LockNames;
import io.github.zklock.LossInterrupt;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.leader.Participant;
import org.jspecify.annotations.Nullable;

/**
 * What callers see of an election.
 */
final class ElectionHandle implements LeaderElection, Leadership {

	private final Candidacy candidacy;

	private final LockPath path;

	private final QueueReader reader;

	private final UserThreads users;

	private final EventLoop loop;

	private final Map<Thread, Work> workOfThreads = new ConcurrentHashMap<>();

	ElectionHandle(Elections elections, LockPath path, Services services, QueueReader reader, Duration handOverWait) {
		this.candidacy = new Candidacy(this, elections, path, services, Durations.toNanos(handOverWait));
		this.path = path;
		this.reader = reader;
		this.users = services.users();
		this.loop = services.keeper().loop();
	}

	@Override
	public String role() {
		return this.path.name();
	}

	Candidacy candidacy() {
		return this.candidacy;
	}

	// Taking part

	@Override
	public void join() {
		this.loop.visit(this.candidacy::join);
		this.loop.settle(this.candidacy::isSettled);
	}

	@Override
	public void leave() {
		this.candidacy.leave().await();
	}

	@Override
	public CompletableFuture<Void> leaveAsync() {
		return this.users.handOver(this.candidacy.leave().left());
	}

	@Override
	public Leadership leadership() {
		return this;
	}

	@Override
	public Optional<Participant> leader() {
		return participants().stream().findFirst().filter(Participant::leading);
	}

	@Override
	public List<Participant> participants() {
		return this.reader.read(this.path).stream().map(ElectionHandle::participant).toList();
	}

	private static Participant participant(LockContender contender) {
		return new Participant(Objects.requireNonNullElse(contender.instance(), contender.text()),
				Objects.requireNonNullElse(contender.host(), ""), contender.holding(),
				contender.origin() == LockContender.Origin.SELF);
	}

	@Override
	public void addListener(LeadershipListener listener) {
		this.candidacy.addListener(Objects.requireNonNull(listener, "'listener' must not be null"));
	}

	@Override
	public void removeListener(LeadershipListener listener) {
		this.candidacy.removeListener(listener);
	}

	// Leading

	@Override
	public boolean isLeader() {
		Work work = workOfThread();
		return (work != null) ? work.isLeader() : this.candidacy.openReign() != null;
	}

	@Override
	public long fencingToken() {
		Work work = workOfThread();
		if (work != null) {
			return work.fencingToken();
		}
		Reign reign = this.candidacy.openReign();
		if (reign == null) {
			throw new IllegalStateException("This process does not lead role '%s'".formatted(LockNames.shown(role())));
		}
		return reign.token();
	}

	@Override
	public Optional<Instant> since() {
		Work work = workOfThread();
		Reign reign = (work != null) ? work.reign() : this.candidacy.openReign();
		return Optional.ofNullable(reign).filter(Reign::goesOn).map(Reign::since);
	}

	@Override
	public boolean run(Runnable task) {
		Objects.requireNonNull(task, "'work' must not be null");
		Work work = this.candidacy.begin(workOfThread(), Thread.currentThread());
		if (work == null) {
			return false;
		}
		try {
			runAs(work, task);
		}
		catch (Throwable ex) {
			if (!work.end()) {
				throw work.lost(ex);
			}
			throw ex;
		}
		if (!work.end()) {
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
		return Optional.ofNullable(this.candidacy.begin(workOfThread(), null));
	}

	@Override
	public boolean yield() {
		Work work = workOfThread();
		if (work != null) {
			return work.yield();
		}
		Departure departure = this.candidacy.stepDown(null);
		if (departure == null) {
			return false;
		}
		departure.await();
		return true;
	}

	@Override
	public String toString() {
		return "election of role '%s'".formatted(LockNames.shown(role()));
	}

}
