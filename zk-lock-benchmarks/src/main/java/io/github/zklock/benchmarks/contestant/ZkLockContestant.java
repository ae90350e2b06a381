package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;

/**
 * This library.
 */
final class ZkLockContestant implements Contestant {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	@Override
	public String name() {
		return Contestants.ZK_LOCK;
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) {
		ZooKeeperLocks locks = ZooKeeperLocks.builder(connectString)
			.root(root)
			.sessionTimeout(sessionTimeout)
			.connectTimeout(Duration.ofMinutes(1))
			.serverTick(sessionTimeout.dividedBy(4))
			.closeWait(Duration.ZERO)
			.build();
		locks.zooKeeper();
		return new ZkLockClient(locks);
	}

	private record ZkLockClient(ZooKeeperLocks locks) implements Client {

		@Override
		public MeasuredLock lock(String name) {
			return new ThreadOwned(this.locks.lock(name));
		}

		@Override
		public MeasuredLock readLock(String name) {
			return new ThreadOwned(this.locks.readLock(name));
		}

		@Override
		public MeasuredLock writeLock(String name) {
			return new ThreadOwned(this.locks.writeLock(name));
		}

		@Override
		public Candidate candidate(String role, Runnable granted) {
			LeaderElection election = this.locks.election(role);
			election.addListener(new LeadershipListener() {
				@Override
				public void granted(String role, long fencingToken) {
					granted.run();
				}
			});
			return new ZkLockCandidate(election);
		}

		@Override
		public OptionalLong lateness(String name) throws InterruptedException {
			CountDownLatch over = new CountDownLatch(1);
			long due = System.nanoTime() + SHORTEST_WAIT.toNanos();
			this.locks.lock(name).acquireAsync(SHORTEST_WAIT).whenComplete((lease, failure) -> over.countDown());
			over.await();
			return OptionalLong.of(System.nanoTime() - due);
		}

		@Override
		public void close() {
			this.locks.close();
		}

	}

	private record ThreadOwned(NamedLock lock) implements MeasuredLock {

		@Override
		public void acquire() {
			this.lock.lock();
		}

		@Override
		public boolean tryAcquire() {
			return this.lock.tryLock();
		}

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

	private record ZkLockCandidate(LeaderElection election) implements Candidate {

		@Override
		public void join() {
			this.election.join();
		}

		@Override
		public void leave() {
			this.election.leave();
		}

	}

}
