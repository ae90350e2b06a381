package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.zklock.LockContender;
import io.github.zklock.LockListener;
import io.github.zklock.engine.EngineSettings;
import io.github.zklock.engine.LockEngine;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Participant;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Locks on ZooKeeper. Thread-safe; an application needs one.
 *
 * <pre class="code">
 * try (ZooKeeperLocks locks = ZooKeeperLocks.builder("host:2181").build()) {
 * 	try (LockLease lease = locks.lock("invoice-42").acquire()) {
 * 		...
 * 	}
 * }
 * </pre>
 *
 * No connection is opened before the first lock is asked for, or {@link #start()} is
 * called. When the session ends, everything it held is lost, and a new session is opened.
 */
public final class ZooKeeperLocks extends LockEngine {

	private ZooKeeperLocks(Builder options) {
		super(options.nodes(), options.engine);
	}

	/**
	 * Describe a registry.
	 * @param connectString where ZooKeeper is: comma-separated {@code host:port},
	 * optionally followed by a path that becomes the root of everything
	 * @return a builder
	 */
	public static Builder builder(String connectString) {
		new ConnectStringParser(connectString);
		return new Builder(connectString, null);
	}

	/**
	 * Describe a registry that gets its ZooKeeper handles from elsewhere.
	 * @param factory makes a new handle for each session
	 * @return a builder
	 */
	public static Builder builder(ZooKeeperFactory factory) {
		return new Builder("a supplied handle", Objects.requireNonNull(factory, "'factory' must not be null"));
	}

	/**
	 * Return the current ZooKeeper handle, after waiting for its connection. It is dead
	 * once its session has ended: ask for it each time it is needed, and do not close it.
	 * Its callbacks and watchers run on the thread on which this registry hears of its
	 * own answers: they must not block, or every lock is lost. Ephemeral nodes that are
	 * made by it count for the servers as locks do, but not for
	 * {@link Builder#maxNodeBytes(int)}.
	 * @return the connected handle
	 * @throws IllegalStateException if there is no connection within the connect timeout,
	 * if the registry is stopped or closed, or if interrupted while waiting, which leaves
	 * the interrupt set
	 */
	public ZooKeeper zooKeeper() {
		return ((ZooKeeperSession) awaitSession()).zooKeeper();
	}

	/**
	 * Return what is wrong with the rights on the nodes that all locks share, after
	 * waiting for the connection: that strangers may take locks away although
	 * {@link Builder#acl(List)} does not mean them, that the access control lists cannot
	 * be read, or that the root does not exist and {@link Builder#createRoot(boolean)} is
	 * false. Sends nothing if none of that can be.
	 * @return descriptions for people, empty if nothing is wrong
	 * @throws IllegalStateException if there is no connection or no answer within the
	 * connect timeout, if the registry is stopped or closed, or if interrupted while
	 * waiting, which leaves the interrupt set
	 */
	public List<String> accessProblems() {
		return findAccessProblems();
	}

	/**
	 * Options of a registry.
	 */
	public static final class Builder {

		private final String connectString;

		private final @Nullable ZooKeeperFactory factory;

		private final EngineSettings engine = new EngineSettings(new SystemPlatform());

		private @Nullable List<ACL> acl;

		private Supplier<? extends ZKClientConfig> clientConfig = ZKClientConfig::new;

		private final List<Connector.AuthInfo> authInfos = new ArrayList<>();

		private Builder(String connectString, @Nullable ZooKeeperFactory factory) {
			this.connectString = connectString;
			this.factory = factory;
		}

		/**
		 * Set the node below which everything is kept. The default is {@code /zk-lock}.
		 * @param root an absolute path of at most 1,024 bytes
		 * @return this builder
		 */
		public Builder root(String root) {
			PathUtils.validatePath(root);
			this.engine.root(root);
			return this;
		}

		/**
		 * Set the name by which the registry is known in its nodes and threads, for
		 * people: for example the name of the pod, or a URL at which it is found. Others
		 * read it from {@link LockContender#instance()} and
		 * {@link Participant#instance()}. It need not be unique. The default is the name
		 * of the host and something random.
		 * @param instance a name that has at most 100 bytes when it is percent-encoded
		 * @return this builder
		 */
		public Builder instance(String instance) {
			this.engine.instance(instance);
			return this;
		}

		/**
		 * Set the wanted session timeout: how long others wait for the locks of a process
		 * that has died. A holder that cannot reach ZooKeeper loses its locks after half
		 * of it. The servers may grant another one. The default is 15 seconds.
		 * @param sessionTimeout the timeout, at least a millisecond
		 * @return this builder
		 */
		public Builder sessionTimeout(Duration sessionTimeout) {
			this.engine.sessionTimeout(sessionTimeout);
			return this;
		}

		/**
		 * Set how long {@link ZooKeeperLocks#zooKeeper()} waits for a connection, and how
		 * much of its wait a request for a lock spends without one: when the connection
		 * has been gone for longer, those who wait with a limit, and those who come, fail
		 * at once. Requests that wait for ever and elections wait on. The default is 5
		 * seconds.
		 * @param connectTimeout the longest wait
		 * @return this builder
		 */
		public Builder connectTimeout(Duration connectTimeout) {
			this.engine.connectTimeout(connectTimeout);
			return this;
		}

		/**
		 * Say what the servers' {@code tickTime} is. A session timeout below four ticks
		 * is warned of. The default is 2 seconds.
		 * @param serverTick the servers' tick
		 * @return this builder
		 */
		public Builder serverTick(Duration serverTick) {
			this.engine.serverTick(serverTick);
			return this;
		}

		/**
		 * Set how long {@link ZooKeeperLocks#stop()} and {@link ZooKeeperLocks#close()}
		 * wait for those who hold a lock. The default is 10 seconds.
		 * @param closeWait the longest wait, zero not to wait
		 * @return this builder
		 */
		public Builder closeWait(Duration closeWait) {
			this.engine.closeWait(closeWait);
			return this;
		}

		/**
		 * Set how long {@link LeaderElection#leave()} waits for the work of a leader, and
		 * then for the listeners, in all; listeners have half a second at least. When the
		 * registry is stopped or closed, {@link #closeWait(Duration)} is for work and
		 * this one for listeners, both from the beginning on. The default is 10 seconds.
		 * @param handOverWait the longest wait, zero to wait neither for work nor for
		 * listeners
		 * @return this builder
		 */
		public Builder handOverWait(Duration handOverWait) {
			this.engine.handOverWait(handOverWait);
			return this;
		}

		/**
		 * Set how long ZooKeeper has to answer a request that does not wait for the lock.
		 * It counts from the first connection after a start on. Also, a request whose
		 * time is over while an answer is overdue for longer fails with
		 * {@link io.github.zklock.LockUnavailableException}, and is not reported as
		 * contended. The default is half a second.
		 * @param answerTimeout the longest wait for an answer
		 * @return this builder
		 */
		public Builder answerTimeout(Duration answerTimeout) {
			this.engine.answerTimeout(answerTimeout);
			return this;
		}

		/**
		 * Set who may do what with the nodes. The default is that anybody may do
		 * anything, or only this registry if it has {@link #authInfo(String, String)
		 * credentials}.
		 * @param acl the access control list
		 * @return this builder
		 */
		public Builder acl(List<ACL> acl) {
			if (acl.isEmpty()) {
				throw new IllegalArgumentException("'acl' must not be empty");
			}
			this.acl = acl;
			return this;
		}

		/**
		 * Add credentials. Unless {@link #acl(List)} says something else, nodes are then
		 * for those only who have them, too.
		 * @param scheme the scheme, for example {@code digest}
		 * @param auth the credentials, for example {@code user:password}
		 * @return this builder
		 */
		public Builder authInfo(String scheme, String auth) {
			this.authInfos.add(new Connector.AuthInfo(scheme, auth));
			return this;
		}

		/**
		 * Set the configuration of the ZooKeeper client.
		 * @param clientConfig the configuration
		 * @return this builder
		 */
		public Builder clientConfig(ZKClientConfig clientConfig) {
			return clientConfig(() -> clientConfig);
		}

		/**
		 * Set how the configuration of the ZooKeeper client is made. That happens for
		 * each session, on a thread of the registry: the first one takes long, because
		 * ZooKeeper prepares for TLS even where none is used.
		 * @param clientConfig makes the configuration
		 * @return this builder
		 */
		public Builder clientConfig(Supplier<? extends ZKClientConfig> clientConfig) {
			this.clientConfig = clientConfig;
			return this;
		}

		/**
		 * Add a listener.
		 * @param listener receives the events of the locks of this registry
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.engine.listener(listener);
			return this;
		}

		/**
		 * Add a listener that is made for its first event, on the thread that notifies
		 * it: for example one that needs this registry.
		 * @param listener makes it
		 * @return this builder
		 */
		public Builder listener(Supplier<? extends LockListener> listener) {
			this.engine.listener(listener);
			return this;
		}

		/**
		 * Set what runs the code of users: listeners, loss actions, and what hangs on
		 * futures. The default are threads of the registry, as many as are needed. The
		 * executor should have a free thread whenever one of them is to be called, and
		 * they may wait for locks: virtual threads do, a few threads with a queue do not.
		 * It is called by a thread of the registry, one call at a time. What it refuses,
		 * would run on the thread that calls it, or has not begun within a second is run
		 * by a thread of the registry, so that nobody waits for it for ever; and so is
		 * all that it has not begun when the registry is closed. It is never shut down.
		 * @param userExecutor the executor
		 * @return this builder
		 */
		public Builder userExecutor(Executor userExecutor) {
			this.engine.userExecutor(userExecutor);
			return this;
		}

		/**
		 * Set from which number on a lock's queue is drained, so that ZooKeeper's counter
		 * starts again before it overflows. For tests: the default is 2^30.
		 * @param sequenceLimit the number, positive
		 * @return this builder
		 */
		public Builder sequenceLimit(long sequenceLimit) {
			this.engine.sequenceLimit(sequenceLimit);
			return this;
		}

		/**
		 * Set how many bytes the paths of all nodes of this registry may have together,
		 * with four more for each. When a session ends that was not closed, the servers
		 * write all these paths into one transaction, and one that is longer than they
		 * can read takes the whole ensemble down, for good (ZOOKEEPER-4306). Whoever
		 * would need more gets a {@link io.github.zklock.LockUnavailableException}, and
		 * elections try again later. What is made by {@link ZooKeeperLocks#zooKeeper()}
		 * is not counted, nor is the path at the end of a connect string if handles come
		 * from a {@link ZooKeeperFactory}. The default of 1,500,000 is for servers with
		 * the usual {@code jute.maxbuffer}, which can read about 2,000,000; it is enough
		 * for some 14,000 locks with names of 30 letters.
		 * @param maxNodeBytes the limit, positive
		 * @return this builder
		 */
		public Builder maxNodeBytes(int maxNodeBytes) {
			this.engine.maxNodeBytes(maxNodeBytes);
			return this;
		}

		/**
		 * Let {@link ZooKeeperLocks#writeLock(String)} make nodes that Curator's
		 * {@code InterProcessReadWriteLock} knows, for paths that are shared with it. The
		 * default is not to: write locks then exclude Curator's
		 * {@code InterProcessMutex}. Curator's two sorts of locks do not see each other,
		 * so a path that is shared with Curator should be used for one sort only, and a
		 * thread that enters {@code writeLock} or {@code readLock} while it holds
		 * {@code lock} enters that node once more, which the other sort does not see.
		 * @param curatorReadWrite whether to share read and write locks with Curator
		 * @return this builder
		 */
		public Builder curatorReadWrite(boolean curatorReadWrite) {
			this.engine.curatorReadWrite(curatorReadWrite);
			return this;
		}

		/**
		 * Set whether the root is created if it does not exist. Otherwise locks cannot be
		 * had without it: somebody has to make it, with the right access control list.
		 * The default is to create it.
		 * @param createRoot whether to create the root
		 * @return this builder
		 */
		public Builder createRoot(boolean createRoot) {
			this.engine.createRoot(createRoot);
			return this;
		}

		EngineSettings engine() {
			return this.engine;
		}

		private List<ACL> effectiveAcl() {
			if (this.acl != null) {
				return List.copyOf(this.acl);
			}
			return this.authInfos.isEmpty() ? Ids.OPEN_ACL_UNSAFE : Ids.CREATOR_ALL_ACL;
		}

		/**
		 * Build the registry. It opens no connection yet.
		 * @return the registry
		 */
		public ZooKeeperLocks build() {
			return new ZooKeeperLocks(this);
		}

		ZooKeeperNodes nodes() {
			if (this.factory != null) {
				return new ZooKeeperNodes(this.connectString, this.factory, () -> null, effectiveAcl(), null);
			}
			String chroot = new ConnectStringParser(this.connectString).getChrootPath();
			Connector connector = new Connector(this.connectString, this.engine.sessionTimeout(), this.clientConfig,
					List.copyOf(this.authInfos), effectiveAcl());
			return new ZooKeeperNodes(this.connectString, connector, connector::servers, effectiveAcl(),
					Objects.requireNonNullElse(chroot, ""));
		}

	}

}
