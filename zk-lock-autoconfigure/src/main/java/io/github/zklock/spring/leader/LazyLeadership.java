package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

import io.github.zklock.LockNames;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The leadership of an election that is asked for when it is first needed: the beans that
 * use it may be made before the registry.
 */
final class LazyLeadership implements Leadership {

	private final String role;

	private final Supplier<LeaderElection> election;

	private volatile @Nullable Leadership delegate;

	LazyLeadership(String role, Supplier<LeaderElection> election) {
		this.role = role;
		this.election = election;
	}

	private Leadership delegate() {
		Leadership present = this.delegate;
		if (present == null) {
			present = this.election.get().leadership();
			this.delegate = present;
		}
		return present;
	}

	@Override
	public String role() {
		return this.role;
	}

	@Override
	public boolean isLeader() {
		return delegate().isLeader();
	}

	@Override
	public long fencingToken() {
		return delegate().fencingToken();
	}

	@Override
	public Optional<Instant> since() {
		return delegate().since();
	}

	@Override
	public boolean run(Runnable work) {
		return delegate().run(work);
	}

	@Override
	public Optional<LeaderWork> enter() {
		return delegate().enter();
	}

	@Override
	public Optional<LeaderWork> current() {
		return delegate().current();
	}

	@Override
	public Optional<LeaderWork> begin() {
		return delegate().begin();
	}

	@Override
	public boolean yield() {
		return delegate().yield();
	}

	@Override
	public String toString() {
		return "leadership of role '%s'".formatted(LockNames.shown(this.role));
	}

}
