package io.github.zklock.autoconfigure;

import java.util.function.BooleanSupplier;

import io.github.zklock.SessionStatus;
import io.github.zklock.autoconfigure.ZkLockProperties.Startup;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;

/**
 * The application's session with ZooKeeper. Thread-safe.
 *
 * <p>
 * It is opened when it is needed first, or at the start of the application if that is
 * known to need it. It ends when the application is stopped, after those who use locks
 * while they stop, and a later start opens a new one.
 */
public final class ZooKeeperClient extends LockLifecycle {

	private final ZooKeeperLocks locks;

	private final ClientConfiguration clientConfiguration;

	private final BooleanSupplier demanded;

	private final Startup startup;

	private final StartupCheck check;

	/**
	 * Create a client without a session.
	 * @param locks the locks
	 * @param clientConfiguration configures the handles of ZooKeeper's client
	 * @param address where ZooKeeper is
	 * @param demanded whether the application is known to need a session from its start
	 * @param properties the properties
	 */
	ZooKeeperClient(ZooKeeperLocks locks, ClientConfiguration clientConfiguration, String address,
			BooleanSupplier demanded, ZkLockProperties properties) {
		super(locks);
		this.locks = locks;
		this.clientConfiguration = clientConfiguration;
		this.demanded = demanded;
		this.startup = properties.startup();
		this.check = new StartupCheck(address, properties);
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
		return this.locks.zooKeeper();
	}

	/**
	 * Return the name by which this application is known in its nodes:
	 * {@code zk.lock.instance}, or one with a random part.
	 * @return the instance's name
	 */
	public String instance() {
		return this.locks.instance();
	}

	ClientConfiguration clientConfiguration() {
		return this.clientConfiguration;
	}

	SessionStatus session() {
		return this.locks.session();
	}

	@Override
	public synchronized void start() {
		this.clientConfiguration.open();
		super.start();
		if (this.startup == Startup.FAIL) {
			openOrStop(() -> this.check.check(this.locks));
		}
		else if (this.demanded.getAsBoolean()) {
			openOrStop(this.locks::start);
		}
	}

	/**
	 * Open the session. If something is wrong that can be known at once, say so here.
	 */
	private void openOrStop(Runnable opening) {
		try {
			this.clientConfiguration.prepare();
			opening.run();
		}
		catch (RuntimeException ex) {
			stop();
			throw ex;
		}
	}

	@Override
	public synchronized void stop() {
		try {
			super.stop();
		}
		finally {
			this.clientConfiguration.close();
		}
	}

	@Override
	public synchronized void destroy() {
		try {
			super.destroy();
		}
		finally {
			this.clientConfiguration.close();
		}
	}

}
