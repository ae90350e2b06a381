package io.github.zklock.benchmarks.contestant;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Apache Curator: {@code InterProcessMutex}, {@code InterProcessReadWriteLock} and
 * {@code LeaderLatch}. Each thread has its own lock object, which is faster than to share
 * one.
 */
final class CuratorContestant implements Contestant {

	@Override
	public String name() {
		return Contestants.CURATOR;
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return new CuratorClient(CuratorConnection.open(connectString, sessionTimeout), root);
	}

	private record CuratorClient(CuratorFramework curator, String root) implements Client {

		@Override
		public MeasuredLock lock(String name) {
			return new Mutex(new InterProcessMutex(this.curator, path(name)));
		}

		@Override
		public MeasuredLock readLock(String name) {
			return new Mutex(new InterProcessReadWriteLock(this.curator, path(name)).readLock());
		}

		@Override
		public MeasuredLock writeLock(String name) {
			return new Mutex(new InterProcessReadWriteLock(this.curator, path(name)).writeLock());
		}

		@Override
		public Candidate candidate(String role, Runnable granted) {
			return new LatchCandidate(this.curator, path(role), granted);
		}

		private String path(String name) {
			return this.root + "/" + name;
		}

		@Override
		public void close() {
			this.curator.close();
		}

	}

	private record Mutex(InterProcessMutex mutex) implements MeasuredLock {

		@Override
		public void acquire() throws Exception {
			this.mutex.acquire();
		}

		@Override
		public boolean tryAcquire() throws Exception {
			return this.mutex.acquire(0, TimeUnit.MILLISECONDS);
		}

		@Override
		public void release() throws Exception {
			this.mutex.release();
		}

	}

	private static final class LatchCandidate implements Candidate, LeaderLatchListener {

		private final CuratorFramework curator;

		private final String path;

		private final Runnable granted;

		private @Nullable LeaderLatch latch;

		LatchCandidate(CuratorFramework curator, String path, Runnable granted) {
			this.curator = curator;
			this.path = path;
			this.granted = granted;
		}

		@Override
		public void join() throws Exception {
			LeaderLatch joined = new LeaderLatch(this.curator, this.path);
			joined.addListener(this);
			joined.start();
			this.latch = joined;
		}

		@Override
		public void leave() throws IOException {
			if (this.latch != null) {
				this.latch.close();
			}
		}

		@Override
		public void isLeader() {
			this.granted.run();
		}

		@Override
		public void notLeader() {
		}

	}

}
