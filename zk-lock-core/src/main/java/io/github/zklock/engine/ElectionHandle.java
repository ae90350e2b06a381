package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

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

	private final CallbackThreads users;

	private final EventLoop loop;

	private final LeadershipState leading;

	private final LeaderTasks tasks;

	ElectionHandle(Elections elections, LockPath path, RegistryContext context, QueueReader reader,
			Duration handOverWait) {
		this.candidacy = new Candidacy(this, elections, path, context, Durations.toNanos(handOverWait));
		this.leading = this.candidacy.leadership();
		this.tasks = this.candidacy.tasks();
		this.path = path;
		this.reader = reader;
		this.users = context.users();
		this.loop = context.keeper().loop();
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
		LeaderTask task = this.tasks.ofCurrentThread();
		return (task != null) ? task.isLeader() : this.leading.openTerm() != null;
	}

	@Override
	public long fencingToken() {
		LeaderTask task = this.tasks.ofCurrentThread();
		if (task != null) {
			return task.fencingToken();
		}
		LeaderTerm term = this.leading.openTerm();
		if (term == null) {
			throw new IllegalStateException("This process does not lead role '%s'".formatted(LockNames.shown(role())));
		}
		return term.token();
	}

	@Override
	public Optional<Instant> since() {
		LeaderTask task = this.tasks.ofCurrentThread();
		LeaderTerm term = (task != null) ? task.term() : this.leading.openTerm();
		return Optional.ofNullable(term).filter(LeaderTerm::isActive).map(LeaderTerm::since);
	}

	@Override
	public boolean run(Runnable work) {
		Objects.requireNonNull(work, "'work' must not be null");
		LeaderTask outer = this.tasks.openOfCurrentThread();
		if (outer != null) {
			runWithin(outer, work);
			return true;
		}
		LeaderTask task = this.tasks.enter();
		if (task == null) {
			return false;
		}
		try {
			runAs(task, work);
		}
		catch (Throwable ex) {
			if (!task.end()) {
				throw task.lost(ex);
			}
			throw ex;
		}
		if (!task.end()) {
			throw task.lost(null);
		}
		return true;
	}

	private static void runWithin(LeaderTask outer, Runnable work) {
		try {
			work.run();
		}
		catch (Throwable ex) {
			if (outer.isRun() && outer.isLost()) {
				throw outer.lost(ex);
			}
			throw ex;
		}
		if (outer.isRun() && outer.isLost()) {
			throw outer.lost(null);
		}
	}

	private static void runAs(LeaderTask task, Runnable work) {
		task.markAsRun();
		LossInterrupt interrupt = new LossInterrupt();
		try {
			task.onLost(interrupt);
			work.run();
		}
		finally {
			interrupt.end();
		}
	}

	@Override
	public Optional<LeaderWork> enter() {
		return handOut(this.tasks.enter());
	}

	/**
	 * Give a task to a caller, or end it: nobody else would.
	 */
	private static Optional<LeaderWork> handOut(@Nullable LeaderTask task) {
		boolean done = false;
		try {
			Optional<LeaderWork> work = Optional.ofNullable(task);
			done = true;
			return work;
		}
		finally {
			if (!done && task != null) {
				task.end();
			}
		}
	}

	@Override
	public Optional<LeaderWork> current() {
		return Optional.ofNullable(this.tasks.openOfCurrentThread());
	}

	@Override
	public Optional<LeaderWork> begin() {
		return handOut(this.tasks.begin());
	}

	@Override
	public boolean yield() {
		return this.candidacy.yield(this.tasks.ofCurrentThread());
	}

	@Override
	public String toString() {
		return "election of role '%s'".formatted(LockNames.shown(role()));
	}

}
