package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Spring Integration's {@code ZookeeperLockRegistry}.
 */
final class SpringIntegrationContestant implements Contestant {

	@Override
	public String name() {
		return "Spring Integration";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE, Capability.QUEUE, Capability.TRY, Capability.REENTRY);
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		CuratorFramework curator = CuratorConnection.open(connectString, sessionTimeout);
		return new RegistryClient(curator, new ZookeeperLockRegistry(curator, root));
	}

	private record RegistryClient(CuratorFramework curator, ZookeeperLockRegistry registry) implements Client {

		@Override
		public MeasuredLock lock(String name) {
			return new RegistryLock(this.registry.obtain(name));
		}

		@Override
		public void close() {
			this.registry.destroy();
			this.curator.close();
		}

	}

	private record RegistryLock(Lock lock) implements MeasuredLock {

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

}
