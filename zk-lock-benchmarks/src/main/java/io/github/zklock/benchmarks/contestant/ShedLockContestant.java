package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.zookeeper.curator.ZookeeperCuratorLockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * ShedLock's provider for ZooKeeper. It never waits, so a cycle begins with an attempt
 * without waiting.
 */
final class ShedLockContestant implements Contestant {

	@Override
	public String name() {
		return "ShedLock";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE, Capability.TRY);
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		CuratorFramework curator = CuratorConnection.open(connectString, sessionTimeout);
		return new ProviderClient(curator, new ZookeeperCuratorLockProvider(curator, root));
	}

	private record ProviderClient(CuratorFramework curator, LockProvider provider) implements Client {

		@Override
		public MeasuredLock lock(String name) {
			return new ProviderLock(this.provider, name);
		}

		@Override
		public void close() {
			this.curator.close();
		}

	}

	private static final class ProviderLock implements MeasuredLock {

		private final LockProvider provider;

		private final String name;

		private @Nullable SimpleLock held;

		ProviderLock(LockProvider provider, String name) {
			this.provider = provider;
			this.name = name;
		}

		@Override
		public void acquire() {
			if (!tryAcquire()) {
				throw new IllegalStateException("Not free: " + this.name);
			}
		}

		@Override
		public boolean tryAcquire() {
			this.held = this.provider
				.lock(new LockConfiguration(Instant.now(), this.name, Duration.ofMinutes(10), Duration.ZERO))
				.orElse(null);
			return this.held != null;
		}

		@Override
		public void release() {
			if (this.held != null) {
				this.held.unlock();
			}
		}

	}

}
