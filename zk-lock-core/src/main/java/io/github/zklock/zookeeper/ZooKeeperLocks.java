package io.github.zklock.zookeeper;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;
import io.github.zklock.LockListener;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.SessionStatus;
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
public final class ZooKeeperLocks implements LockRegistry, LockInspector, AutoCloseable {

	private static final String LOCKS = "locks";

	private static final String LEADERS = "leaders";

	private static final int LONGEST_ROOT = 1024;

	private final String root;

	private final Duration closeWait;

	private final Duration handOverWait;

	private final NodeKind writeKind;

	private final UserThreads users;

	private final EventLoop loop;

	private final SessionKeeper keeper;

	private final Services services;

	private final Map<String, QueuesReference> names = new ConcurrentHashMap<>();

	private final ReferenceQueue<LockQueues> unreachable = new ReferenceQueue<>();

	private final Elections elections = new Elections();

	private final QueueReader reader;

	private ZooKeeperLocks(Builder options) {
		NodeData nodeData = new NodeData(options.instance);
		String threadName = "zk-lock-" + LockNames.shown(nodeData.instance());
		this.root = options.root;
		this.closeWait = options.closeWait;
		this.handOverWait = options.handOverWait;
		this.writeKind = options.curatorReadWrite ? NodeKind.CURATOR_WRITE : NodeKind.LOCK;
		this.loop = new EventLoop(threadName, options.faults);
		this.users = new UserThreads(threadName, this.loop, options.userExecutor);
		Listeners listeners = new Listeners(List.copyOf(options.listeners), this.users);
		this.keeper = new SessionKeeper(options.sessionSettings(), this.loop, this.users.own(), listeners);
		List<ACL> acl = options.effectiveAcl();
		ContenderSettings settings = new ContenderSettings(acl, options.sequenceLimit, new AttemptIds(),
				options.chroot(), options.createRoot);
		this.services = new Services(this.keeper, settings, nodeData, this.users, listeners,
				new LossLog(this.loop, this.users.own()::executeSoon), new ThreadHolds(),
				Durations.toNanos(options.answerTimeout),
				new EmptyParents(this.keeper, this::isInUse, Durations.toNanos(options.parentIdle)),
				new AccessCheck(this.root, List.of(LOCKS, LEADERS), acl, options.createRoot, this.users.own()));
		this.keeper.onNewSession(this.services.access()::connected);
		this.keeper.atEachTick(this::keepHouse);
		this.reader = new QueueReader(this.keeper, nodeData);
	}

	private void keepHouse() {
		this.services.threadHolds().purge();
		this.users.own().attend();
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
	 * Return the name by which this registry is known in its nodes and threads. No other
	 * one has it, unless it was given by {@link Builder#instance(String)}.
	 * @return the instance's name
	 */
	public String instance() {
		return this.services.nodeData().instance();
	}

	SessionKeeper keeper() {
		return this.keeper;
	}

	Services services() {
		return this.services;
	}

	/**
	 * Open the connection now, without waiting for it.
	 */
	public void start() {
		this.keeper.start();
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
	 * if the registry is closed, or if interrupted while waiting, which leaves the
	 * interrupt set
	 */
	public ZooKeeper zooKeeper() {
		try {
			return this.keeper.awaitSession().zooKeeper();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for ZooKeeper", ex);
		}
	}

	/**
	 * Return how the session is. Sends nothing, opens nothing and never fails.
	 * @return the session's status now
	 */
	public SessionStatus session() {
		return this.keeper.status();
	}

	/**
	 * Return what is wrong with the rights on the nodes that all locks share, after
	 * waiting for the connection: that strangers may take locks away although
	 * {@link Builder#acl(List)} does not mean them, that the access control lists cannot
	 * be read, or that the root does not exist and {@link Builder#createRoot(boolean)} is
	 * false. Sends nothing if none of that can be.
	 * @return descriptions for people, empty if nothing is wrong
	 * @throws IllegalStateException if there is no connection or no answer within the
	 * connect timeout, if the registry is closed, or if interrupted while waiting, which
	 * leaves the interrupt set
	 */
	public List<String> accessProblems() {
		try {
			return this.services.access().problems(this.keeper);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for ZooKeeper", ex);
		}
	}

	@Override
	public NamedLock lock(String name) {
		return new ZooKeeperLock(queues(name), NodeKind.LOCK);
	}

	@Override
	public NamedLock readLock(String name) {
		return new ZooKeeperLock(queues(name), NodeKind.READ);
	}

	@Override
	public NamedLock writeLock(String name) {
		return new ZooKeeperLock(queues(name), this.writeKind);
	}

	@Override
	public LeaderElection election(String role) {
		Objects.requireNonNull(role, "A role must not be null");
		return this.elections.get(role, (key) -> new ZooKeeperElection(this.elections,
				LockPath.of(this.root, LEADERS, key), this.services, this.reader, this.handOverWait));
	}

	// For people to look at

	@Override
	public List<LockContender> queue(String name) {
		return this.reader.read(LockPath.of(this.root, LOCKS, name));
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		return this.reader.read(LockPath.of(this.root, LEADERS, role));
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		return this.reader.read(LockPath.ofSegment(this.root, LOCKS, segment));
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		return this.reader.read(LockPath.ofSegment(this.root, LEADERS, segment));
	}

	@Override
	public List<LocalLock> held() {
		return oldestFirst(lockQueues().map(LockQueue::held).flatMap(Optional::stream));
	}

	@Override
	public List<LocalLock> waiting() {
		return oldestFirst(lockQueues().map(LockQueue::awaited).flatMap(List::stream));
	}

	private Stream<LockQueue> lockQueues() {
		return this.keeper.dependents().stream().filter(LockQueue.class::isInstance).map(LockQueue.class::cast);
	}

	private static List<LocalLock> oldestFirst(Stream<LocalLock> locks) {
		return locks.sorted(Comparator.comparing(LocalLock::since)).toList();
	}

	@Override
	public boolean breakLock(String name) {
		LockQueues queues = queues(name);
		return breakLock(queues.path(), queues::takeAway);
	}

	@Override
	public boolean breakSegment(String segment) {
		LockPath path = LockPath.ofSegment(this.root, LOCKS, segment);
		return breakLock(path,
				(node) -> this.names.values()
					.stream()
					.map(QueuesReference::get)
					.filter((queues) -> queues != null && queues.path().parent().equals(path.parent()))
					.forEach((queues) -> queues.takeAway(node)));
	}

	private boolean breakLock(LockPath path, Consumer<String> takeAway) {
		List<LockContender> holders = this.reader.readFront(path);
		for (LockContender holder : holders) {
			if (holder.origin() == LockContender.Origin.SELF) {
				takeAway.accept(holder.node());
			}
			this.reader.delete(path, holder.node());
		}
		return !holders.isEmpty();
	}

	// Names

	/**
	 * Return the queues of a name. They live as long as somebody can reach them: a caller
	 * by its lock or lease, or the session while it is held or awaited.
	 */
	private LockQueues queues(String name) {
		Objects.requireNonNull(name, "A lock's name must not be null");
		QueuesReference present = this.names.get(name);
		LockQueues queues = (present != null) ? present.get() : null;
		if (queues != null) {
			return queues;
		}
		forgetUnreachable();
		while (true) {
			LockQueues created = new LockQueues(LockPath.of(this.root, LOCKS, name), this.services);
			QueuesReference reference = new QueuesReference(created, this.unreachable);
			LockQueues found = this.names
				.merge(name, reference, (old, proposed) -> (old.get() != null) ? old : proposed)
				.get();
			if (found != null) {
				return found;
			}
		}
	}

	private boolean isInUse(LockPath path) {
		QueuesReference present = this.names.get(path.name());
		LockQueues queues = (present != null) ? present.get() : null;
		return queues != null && queues.isInUse();
	}

	EmptyParents emptyParents() {
		return this.services.emptyParents();
	}

	int knownNames() {
		return this.names.size();
	}

	int knownRoles() {
		return this.elections.size();
	}

	private void forgetUnreachable() {
		for (Reference<?> gone = this.unreachable.poll(); gone != null; gone = this.unreachable.poll()) {
			if (gone instanceof QueuesReference reference) {
				this.names.remove(reference.name, reference);
			}
		}
	}

	/**
	 * Refuse new requests, leave all roles, wait for those who hold a lock or work as a
	 * leader, take the locks and roles from those who still have them when the wait is
	 * over, free them all, and end the session. Listeners hear of the end of a leadership
	 * before the next one leads, as with {@link LeaderElection#leave()}. A second call
	 * has no effect.
	 */
	@Override
	public void close() {
		if (!this.keeper.refuse()) {
			return;
		}
		boolean interrupted = Thread.interrupted();
		try {
			this.names.values().forEach(ZooKeeperLocks::close);
			this.elections.forEach(Candidacy::windUp);
			boolean hurried = awaitHolders();
			this.keeper.dependents().forEach((dependent) -> EventLoop.attempt(dependent::takeAway));
			interrupted |= hurried || awaitListeners();
			this.elections.forEach(Candidacy::hurry);
			interrupted |= this.keeper.close();
		}
		finally {
			this.loop.close();
			this.services.emptyParents().clear();
			this.keeper.finish();
			this.elections.forEach(Candidacy::finish);
			EventLoop.attempt(this.services.lossLog()::write);
			this.users.close();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static void close(QueuesReference reference) {
		LockQueues queues = reference.get();
		if (queues != null) {
			queues.close();
		}
	}

	/**
	 * Wait for all who hold a lock but the caller, who would wait for itself.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitHolders() {
		Thread caller = Thread.currentThread();
		try {
			this.keeper.await(
					() -> this.keeper.dependents().stream().noneMatch((dependent) -> dependent.isUsedByOther(caller)),
					Durations.toNanos(this.closeWait));
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	/**
	 * Wait until the listeners of all roles have heard that this process does not lead
	 * any more. For each role a timer ends that, too.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitListeners() {
		try {
			this.keeper.await(() -> !this.elections.areHandingOver(),
					Math.max(Durations.toNanos(this.handOverWait), Candidacy.LEAST_NANOS_FOR_LISTENERS));
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	/**
	 * Queues that nobody may need any more.
	 */
	private static final class QueuesReference extends WeakReference<LockQueues> {

		private final String name;

		QueuesReference(LockQueues queues, ReferenceQueue<LockQueues> unreachable) {
			super(queues, unreachable);
			this.name = queues.name();
		}

	}

	/**
	 * Options of a registry.
	 */
	public static final class Builder {

		private final String connectString;

		private final @Nullable ZooKeeperFactory factory;

		private String root = "/zk-lock";

		private @Nullable String instance;

		private Duration sessionTimeout = Duration.ofSeconds(15);

		private Duration connectTimeout = Duration.ofSeconds(5);

		private Duration serverTick = Duration.ofSeconds(2);

		private Duration closeWait = Duration.ofSeconds(10);

		private Duration handOverWait = Duration.ofSeconds(10);

		private Duration answerTimeout = Duration.ofMillis(500);

		private Duration parentIdle = Duration.ofMinutes(1);

		private Faults faults = Faults.NONE;

		private LongSupplier wallClock = System::currentTimeMillis;

		private @Nullable List<ACL> acl;

		private long sequenceLimit = ContenderSettings.DEFAULT_SEQUENCE_LIMIT;

		private int maxNodeBytes = OwnNodes.DEFAULT_LIMIT;

		private boolean curatorReadWrite;

		private boolean createRoot = true;

		private Supplier<? extends ZKClientConfig> clientConfig = ZKClientConfig::new;

		private final List<AuthInfo> authInfos = new ArrayList<>();

		private final List<LockListener> listeners = new ArrayList<>();

		private @Nullable Executor userExecutor;

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
			int length = root.getBytes(StandardCharsets.UTF_8).length;
			if (length > LONGEST_ROOT) {
				throw new IllegalArgumentException(
						"'root' must have at most %d bytes but has %d".formatted(LONGEST_ROOT, length));
			}
			this.root = root;
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
			this.instance = NodeData.requireInstance(instance);
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
			this.sessionTimeout = requirePositive("sessionTimeout", sessionTimeout);
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
			this.connectTimeout = requirePositive("connectTimeout", connectTimeout);
			return this;
		}

		/**
		 * Say what the servers' {@code tickTime} is. A session timeout below four ticks
		 * is warned of. The default is 2 seconds.
		 * @param serverTick the servers' tick
		 * @return this builder
		 */
		public Builder serverTick(Duration serverTick) {
			this.serverTick = requirePositive("serverTick", serverTick);
			return this;
		}

		/**
		 * Set how long {@link ZooKeeperLocks#close()} waits for those who hold a lock.
		 * The default is 10 seconds.
		 * @param closeWait the longest wait, zero not to wait
		 * @return this builder
		 */
		public Builder closeWait(Duration closeWait) {
			this.closeWait = requireNotNegative("closeWait", closeWait);
			return this;
		}

		/**
		 * Set how long {@link LeaderElection#leave()} waits for the work of a leader, and
		 * then for the listeners, in all; listeners have half a second at least. When the
		 * registry is closed, {@link #closeWait(Duration)} is for work and this one for
		 * listeners, both from the beginning on. The default is 10 seconds.
		 * @param handOverWait the longest wait, zero to wait neither for work nor for
		 * listeners
		 * @return this builder
		 */
		public Builder handOverWait(Duration handOverWait) {
			this.handOverWait = requireNotNegative("handOverWait", handOverWait);
			return this;
		}

		/**
		 * Set how long ZooKeeper has to answer a request that does not wait for the lock.
		 * It counts from the first connection on. Also, whoever runs out of time while an
		 * answer is overdue for longer is told that ZooKeeper cannot be asked, and not
		 * that others hold the lock. The default is half a second.
		 * @param answerTimeout the longest wait for an answer
		 * @return this builder
		 */
		public Builder answerTimeout(Duration answerTimeout) {
			this.answerTimeout = requirePositive("answerTimeout", answerTimeout);
			return this;
		}

		/**
		 * Set how long a name is unused before the empty parent that this process has
		 * made for it is deleted.
		 */
		Builder parentIdle(Duration parentIdle) {
			this.parentIdle = requirePositive("parentIdle", parentIdle);
			return this;
		}

		/**
		 * Let the wall clock be another one, in tests.
		 */
		Builder wallClock(LongSupplier wallClock) {
			this.wallClock = wallClock;
			return this;
		}

		/**
		 * Let errors happen, in tests.
		 */
		Builder faults(Faults faults) {
			this.faults = faults;
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
			this.authInfos.add(new AuthInfo(scheme, auth));
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
		 * @param listener hears what happens to the locks of this registry
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
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
			this.userExecutor = Objects.requireNonNull(userExecutor, "'userExecutor' must not be null");
			return this;
		}

		/**
		 * Set from which number on a lock's queue is drained, so that ZooKeeper's counter
		 * starts again before it overflows. For tests: the default is 2^30.
		 * @param sequenceLimit the number, positive
		 * @return this builder
		 */
		public Builder sequenceLimit(long sequenceLimit) {
			if (sequenceLimit < 1 || sequenceLimit > ContenderSettings.DEFAULT_SEQUENCE_LIMIT) {
				throw new IllegalArgumentException("'sequenceLimit' must be between 1 and %d but was %d"
					.formatted(ContenderSettings.DEFAULT_SEQUENCE_LIMIT, sequenceLimit));
			}
			this.sequenceLimit = sequenceLimit;
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
			if (maxNodeBytes < 1) {
				throw new IllegalArgumentException("'maxNodeBytes' must be positive but was " + maxNodeBytes);
			}
			this.maxNodeBytes = maxNodeBytes;
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
			this.curatorReadWrite = curatorReadWrite;
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
			this.createRoot = createRoot;
			return this;
		}

		private List<ACL> effectiveAcl() {
			if (this.acl != null) {
				return List.copyOf(this.acl);
			}
			return this.authInfos.isEmpty() ? Ids.OPEN_ACL_UNSAFE : Ids.CREATOR_ALL_ACL;
		}

		private static Duration requireNotNegative(String name, Duration duration) {
			if (duration.isNegative()) {
				throw new IllegalArgumentException("'%s' must not be negative but was %s".formatted(name, duration));
			}
			return duration;
		}

		private static Duration requirePositive(String name, Duration duration) {
			if (duration.toMillis() < 1 || duration.toMillis() > Integer.MAX_VALUE) {
				throw new IllegalArgumentException(
						"'%s' must be between a millisecond and 24 days but was %s".formatted(name, duration));
			}
			return duration;
		}

		/**
		 * Build the registry. It opens no connection yet.
		 * @return the registry
		 */
		public ZooKeeperLocks build() {
			return new ZooKeeperLocks(this);
		}

		private SessionSettings sessionSettings() {
			AtomicReference<@Nullable ServerAddresses> servers = new AtomicReference<>();
			return new SessionSettings(this.connectString, (this.factory != null) ? this.factory : connecting(servers),
					this.sessionTimeout, this.connectTimeout, this.serverTick, Objects.requireNonNullElse(chroot(), ""),
					this.maxNodeBytes, servers::get, this.wallClock);
		}

		private @Nullable String chroot() {
			if (this.factory != null) {
				return null;
			}
			return Objects.requireNonNullElse(new ConnectStringParser(this.connectString).getChrootPath(), "");
		}

		private ZooKeeperFactory connecting(AtomicReference<@Nullable ServerAddresses> latest) {
			Supplier<? extends ZKClientConfig> config = this.clientConfig;
			List<AuthInfo> auths = List.copyOf(this.authInfos);
			String address = this.connectString;
			int timeout = Math.toIntExact(this.sessionTimeout.toMillis());
			Exposure exposure = new Exposure(address, effectiveAcl(), auths.stream().map(AuthInfo::scheme).toList());
			return (watcher) -> {
				ZKClientConfig settings = config.get();
				exposure.warn(settings);
				ServerAddresses servers = new ServerAddresses(address);
				latest.set(servers);
				ZooKeeper zooKeeper = new ZooKeeper(address, timeout, watcher, false, servers, settings);
				auths.forEach((auth) -> zooKeeper.addAuthInfo(auth.scheme(), auth.bytes()));
				return zooKeeper;
			};
		}

		private record AuthInfo(String scheme, String auth) {

			byte[] bytes() {
				return this.auth.getBytes(StandardCharsets.UTF_8);
			}

			@Override
			public String toString() {
				return "AuthInfo[scheme=" + this.scheme + "]";
			}

		}

	}

}
