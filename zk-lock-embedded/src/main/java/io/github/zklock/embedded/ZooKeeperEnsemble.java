package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * An ensemble of ZooKeeper server processes on loopback, made from this JVM's class path.
 * Members can be killed, stopped, paused and started again, and the links between them
 * can be cut. Everything ends with {@link #close()}, and also when this JVM dies.
 *
 * <p>
 * Members do not wait for their disks: what they have written survives their own end, but
 * not that of the machine. {@code jvmOption("-Dzookeeper.forceSync=yes")} makes them
 * wait.
 *
 * <p>
 * Thread-safe. Killing, pausing and cutting need a Unix.
 *
 * <pre class="code">
 * try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startNew(3)) {
 * 	connect(ensemble.connectString());
 * 	ensemble.leader().kill();
 * }
 * </pre>
 */
public final class ZooKeeperEnsemble implements AutoCloseable {

	static final String CONFIGURATION_FILE = "zoo.cfg";

	static final int LOG_LINES = 15;

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private static final Set<ZooKeeperEnsemble> OPEN = ConcurrentHashMap.newKeySet();

	private final Path directory = DataDirectory.createTemporary();

	private final Duration startTimeout;

	private final QuorumNetwork network;

	private final List<EnsembleMember> members = new ArrayList<>();

	private ZooKeeperEnsemble(Builder options) {
		this.startTimeout = options.startTimeout;
		this.network = new QuorumNetwork(options.size);
	}

	private void prepare(Builder options) {
		// The ports stay reserved until all are known, or two could be the same
		try (ReservedPorts ports = new ReservedPorts()) {
			this.network.open(ports);
			for (int id = 1; id <= options.size; id++) {
				int clientPort = ports.take();
				Path home = Files.createDirectories(this.directory.resolve("member-" + id));
				Files.writeString(Files.createDirectories(home.resolve("data")).resolve("myid"), Integer.toString(id));
				Files.writeString(home.resolve(CONFIGURATION_FILE), configuration(options, id, clientPort, home));
				MemberLogging.configure(home);
				this.members.add(new EnsembleMember(id, clientPort, home, List.copyOf(options.jvmOptions)));
			}
		}
		catch (IOException ex) {
			throw new ZooKeeperStartException("Cannot prepare an ensemble in '%s': %s".formatted(this.directory, ex),
					ex);
		}
	}

	private void start() {
		OPEN.add(this);
		this.members.forEach(EnsembleMember::start);
		await("all members to serve", () -> {
			this.members.forEach(EnsembleMember::requireNotExited);
			return findLeader().isPresent() && this.members.stream().allMatch(EnsembleMember::isServing);
		});
	}

	private String configuration(Builder options, int id, int clientPort, Path home) {
		Map<String, String> settings = new LinkedHashMap<>();
		settings.put("tickTime", Long.toString(options.tickTime.toMillis()));
		settings.put("initLimit", "20");
		settings.put("syncLimit", Integer.toString(options.syncLimit));
		settings.put("dataDir", home.resolve("data").toString().replace('\\', '/'));
		settings.put("clientPort", Integer.toString(clientPort));
		settings.put("clientPortAddress", Loopback.HOST);
		settings.put("maxClientCnxns", "0");
		settings.put("admin.enableServer", "false");
		settings.put("standaloneEnabled", "false");
		settings.put("reconfigEnabled", "false");
		settings.put("4lw.commands.whitelist", "*");
		settings.putAll(options.properties);
		settings.putAll(this.network.serversSeenBy(id));
		return settings.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + "=" + entry.getValue())
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Start an ensemble with the builder's defaults.
	 * @param size the number of members
	 * @return the ensemble, all of whose members serve
	 */
	public static ZooKeeperEnsemble startNew(int size) {
		return builder().size(size).start();
	}

	/**
	 * Describe an ensemble.
	 * @return a builder for three members with a tick of 500 ms
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Return what a client needs to connect to any member.
	 * @return the connect string with all members
	 */
	public String connectString() {
		return this.members.stream().map(EnsembleMember::connectString).collect(Collectors.joining(","));
	}

	/**
	 * Return all members, in the order of their ids.
	 * @return the members
	 */
	public List<EnsembleMember> members() {
		return List.copyOf(this.members);
	}

	/**
	 * Return a member.
	 * @param id the member's id, from 1 on
	 * @return the member
	 */
	public EnsembleMember member(int id) {
		if (id < 1 || id > this.members.size()) {
			throw new IllegalArgumentException(
					"'id' must be between 1 and %d but was %d".formatted(this.members.size(), id));
		}
		return this.members.get(id - 1);
	}

	/**
	 * Return the member that leads, after waiting for one if there is none. A leader that
	 * has been cut off and does not know it yet may be returned, a paused one is not.
	 * @return the leader
	 */
	public EnsembleMember leader() {
		List<EnsembleMember> found = new ArrayList<>();
		await("a leader", () -> {
			findLeader().ifPresent(found::add);
			return !found.isEmpty();
		});
		return found.get(0);
	}

	private Optional<EnsembleMember> findLeader() {
		return this.members.stream().filter(EnsembleMember::isLeader).findFirst();
	}

	/**
	 * Return the members that run, serve and do not lead.
	 * @return the followers, in the order of their ids
	 */
	public List<EnsembleMember> followers() {
		EnsembleMember leader = leader();
		return this.members.stream().filter((member) -> member != leader && member.isServing()).toList();
	}

	/**
	 * Wait until there is a leader and every member that runs and is not paused serves.
	 * @throws ZooKeeperStartException if that takes longer than the start timeout
	 */
	public void awaitServing() {
		await("all running members to serve",
				() -> findLeader().isPresent() && this.members.stream()
					.filter((member) -> member.isRunning() && !member.isPaused())
					.allMatch(EnsembleMember::isServing));
	}

	private void await(String what, BooleanSupplier condition) {
		long deadline = System.nanoTime() + this.startTimeout.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new ZooKeeperStartException("Waited %s for %s. %s".formatted(this.startTimeout, what, logs()),
						null);
			}
			try {
				TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new ZooKeeperStartException("Interrupted while waiting for " + what, ex);
			}
		}
	}

	private String logs() {
		return this.members.stream().map((member) -> member.logTail(LOG_LINES)).collect(Collectors.joining("\n"));
	}

	/**
	 * Return what the members of all ensembles have logged last that this JVM has not
	 * closed yet.
	 * @param lines how many lines of each member to return at most
	 * @return the ends of the logs
	 */
	static List<String> logsOfAllOpen(int lines) {
		return OPEN.stream()
			.flatMap((ensemble) -> ensemble.members.stream())
			.map((member) -> member.logTail(lines))
			.toList();
	}

	/**
	 * Return the link that carries what one member sends to another, whoever of them
	 * opened the connection.
	 * @param from the sender
	 * @param to the receiver
	 * @return the link
	 */
	public MemberLink link(EnsembleMember from, EnsembleMember to) {
		if (from == to) {
			throw new IllegalArgumentException("'from' and 'to' must be different but were both " + from);
		}
		return this.network.link(from.id(), to.id());
	}

	/**
	 * Cut the link between two members without either of them being told: what they send
	 * to each other is swallowed in both directions, votes included.
	 * @param one a member
	 * @param other another member
	 */
	public void cut(EnsembleMember one, EnsembleMember other) {
		link(one, other).swallow();
		link(other, one).swallow();
	}

	/**
	 * Cut all links of a member.
	 * @param member the member
	 */
	public void isolate(EnsembleMember member) {
		this.members.stream().filter((other) -> other != member).forEach((other) -> cut(member, other));
	}

	/**
	 * Restore all links between members.
	 */
	public void heal() {
		this.network.heal();
	}

	/**
	 * Kill all members, close all links and delete all data.
	 */
	@Override
	public void close() {
		OPEN.remove(this);
		this.members.forEach(EnsembleMember::close);
		try {
			try {
				this.network.close();
			}
			finally {
				DataDirectory.delete(this.directory);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Options of an ensemble.
	 */
	public static final class Builder {

		private int size = 3;

		private Duration tickTime = Duration.ofMillis(500);

		private int syncLimit = 10;

		private Duration startTimeout = Duration.ofSeconds(60);

		private final Map<String, String> properties = new LinkedHashMap<>();

		private final List<String> jvmOptions = new ArrayList<>();

		private Builder() {
		}

		/**
		 * Set the number of members.
		 * @param size the number of members, at least one
		 * @return this builder
		 */
		public Builder size(int size) {
			if (size < 1) {
				throw new IllegalArgumentException("'size' must be positive but was " + size);
			}
			this.size = size;
			return this;
		}

		/**
		 * Set the servers' tick. The shortest session timeout is two ticks, the longest
		 * is twenty.
		 * @param tickTime the tick, at least a millisecond
		 * @return this builder
		 */
		public Builder tickTime(Duration tickTime) {
			if (tickTime.toMillis() < 1) {
				throw new IllegalArgumentException("'tickTime' must be at least a millisecond but was " + tickTime);
			}
			this.tickTime = tickTime;
			return this;
		}

		/**
		 * Set after how many ticks a follower that does not hear from its leader gives it
		 * up. Until then it goes on answering reads.
		 * @param syncLimit the number of ticks
		 * @return this builder
		 */
		public Builder syncLimit(int syncLimit) {
			this.syncLimit = syncLimit;
			return this;
		}

		/**
		 * Set how long to wait for members to serve.
		 * @param startTimeout the longest wait
		 * @return this builder
		 */
		public Builder startTimeout(Duration startTimeout) {
			this.startTimeout = startTimeout;
			return this;
		}

		/**
		 * Set any property of the servers' configuration.
		 * @param name the property's name
		 * @param value the property's value
		 * @return this builder
		 */
		public Builder property(String name, String value) {
			this.properties.put(name, value);
			return this;
		}

		/**
		 * Add an option to the servers' command line, such as
		 * {@code -Dznode.container.checkIntervalMs=50}.
		 * @param option the option
		 * @return this builder
		 */
		public Builder jvmOption(String option) {
			this.jvmOptions.add(option);
			return this;
		}

		/**
		 * Start the ensemble. If that fails, nothing is left behind.
		 * @return the ensemble, all of whose members serve
		 * @throws ZooKeeperStartException if a member's process ends, or the members do
		 * not find together in time
		 */
		public ZooKeeperEnsemble start() {
			ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(this);
			try {
				ensemble.prepare(this);
				ensemble.start();
				return ensemble;
			}
			catch (RuntimeException | Error ex) {
				ensemble.close();
				throw ex;
			}
		}

	}

}
