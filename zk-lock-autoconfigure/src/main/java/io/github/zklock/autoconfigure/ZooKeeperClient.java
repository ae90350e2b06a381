package io.github.zklock.autoconfigure;

import java.util.function.BooleanSupplier;

import io.github.zklock.autoconfigure.ZkLockProperties.Startup;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * The application's session with ZooKeeper. Thread-safe.
 *
 * <p>
 * It is opened when it is needed first, or at the start of the application if that is
 * known to need it. It ends when the application is stopped, after those who use locks
 * while they stop, and a later start opens a new one.
 */
public final class ZooKeeperClient implements SmartLifecycle, DisposableBean {

	/**
	 * Before executors start and after they have stopped, so that what they run can use
	 * locks.
	 */
	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private final Runs<ZooKeeperRun> runs;

	private final BooleanSupplier demanded;

	private final Startup startup;

	private final StartupCheck check;

	/**
	 * Create a client without a session.
	 * @param factory makes the locks of each run
	 * @param demanded whether the application is known to need a session from its start
	 * @param properties the properties
	 */
	ZooKeeperClient(ZooKeeperRunFactory factory, BooleanSupplier demanded, ZkLockProperties properties) {
		this.runs = new Runs<>("ZooKeeper (%s)".formatted(factory.address()), factory);
		this.demanded = demanded;
		this.startup = properties.startup();
		this.check = new StartupCheck(factory.address(), properties);
	}

	Runs<ZooKeeperRun> runs() {
		return this.runs;
	}

	/**
	 * Return the current ZooKeeper handle, after waiting for its connection. It is dead
	 * once its session has ended: ask for it each time it is needed, and do not close it.
	 * @return the connected handle
	 * @throws IllegalStateException if there is no connection within
	 * {@code zk.lock.session.connect-timeout}, if the application has been stopped, or if
	 * interrupted while waiting, which leaves the interrupt set
	 */
	public ZooKeeper zooKeeper() {
		return locks().zooKeeper();
	}

	/**
	 * Return the name by which this application is known in its nodes:
	 * {@code zk.lock.instance}, or one that changes with each start.
	 * @return the instance's name
	 * @throws IllegalStateException if the application has been stopped
	 */
	public String instance() {
		return locks().instance();
	}

	private ZooKeeperLocks locks() {
		ZooKeeperRun run = this.runs.current();
		if (run == null) {
			throw new IllegalStateException("There is no ZooKeeper session because the application has been stopped");
		}
		return run.locks();
	}

	/**
	 * Use another SSL bundle for the connections to come.
	 */
	void update(SslBundle bundle) {
		ZooKeeperRun run = this.runs.begun();
		KeyStoreFiles keyStores = (run != null) ? run.keyStores() : null;
		if (keyStores != null) {
			keyStores.update(bundle);
		}
	}

	@Override
	public void start() {
		this.runs.start();
		if (this.startup == Startup.FAIL) {
			checkOrStop();
		}
		else if (this.demanded.getAsBoolean()) {
			locks().start();
		}
	}

	private void checkOrStop() {
		try {
			this.check.check(locks());
		}
		catch (RuntimeException ex) {
			this.runs.stop();
			throw ex;
		}
	}

	/**
	 * Refuse new requests, wait for those who hold a lock, free all locks and end the
	 * session.
	 */
	@Override
	public void stop() {
		this.runs.stop();
	}

	@Override
	public boolean isRunning() {
		return this.runs.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Stop for good.
	 */
	@Override
	public void destroy() {
		this.runs.destroy();
	}

}
