package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.zklock.embedded.EnsembleMember;
import io.github.zklock.embedded.ZooKeeperEnsemble;

/**
 * The ZooKeeper processes of a run.
 */
public final class Servers implements AutoCloseable {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final ZooKeeperEnsemble ensemble;

	private final Duration tick;

	private final boolean fsync;

	private final long packetsPerQuestion;

	private Servers(ZooKeeperEnsemble ensemble, Duration tick, boolean fsync) {
		this.ensemble = ensemble;
		this.tick = tick;
		this.fsync = fsync;
		// nobody else is there yet
		long before = packetsSent();
		this.packetsPerQuestion = packetsSent() - before;
	}

	/**
	 * Start servers that do nothing on their own while something is measured.
	 * @param size how many
	 * @param tick their tick
	 * @param fsync whether they wait for their disks before they answer, as they should
	 * @return the servers, which serve
	 */
	public static Servers start(int size, Duration tick, boolean fsync) {
		return new Servers(ZooKeeperEnsemble.builder()
			.size(size)
			.tickTime(tick)
			.property("maxSessionTimeout", Long.toString(Bench.NO_HEARTBEATS.toMillis()))
			.property("maxClientCnxns", "0")
			.jvmOption("-Dzookeeper.forceSync=" + (fsync ? "yes" : "no"))
			.jvmOption("-Xmx1g")
			.jvmOption("-XX:TieredStopAtLevel=4")
			.jvmOption("-Dznode.container.checkIntervalMs=" + Duration.ofHours(6).toMillis())
			.start(), tick, fsync);
	}

	/**
	 * Start servers like these, which may be stopped without harm to what is measured on
	 * these.
	 */
	Servers startOthers() {
		return start(this.ensemble.members().size(), this.tick, this.fsync);
	}

	/**
	 * End all servers. They keep their data.
	 */
	void stopAll() {
		this.ensemble.members().forEach(EnsembleMember::stop);
	}

	/**
	 * Start all servers again, without waiting until they serve.
	 */
	void startAll() {
		this.ensemble.members().forEach(EnsembleMember::start);
	}

	/**
	 * Return whether one of the servers serves, for which it needs most of the others.
	 */
	boolean areBack() {
		return this.ensemble.members().stream().anyMatch(EnsembleMember::isServing);
	}

	String connectString() {
		return this.ensemble.connectString();
	}

	List<String> addresses() {
		return this.ensemble.members().stream().map(EnsembleMember::connectString).toList();
	}

	/**
	 * Wait until the servers have had nothing to say to anybody for some time.
	 */
	void awaitQuiet(Duration quiet) throws InterruptedException {
		long now = System.nanoTime();
		long deadline = now + PATIENCE.toNanos();
		long sent = packetsSent();
		long since = now;
		while (now - since < quiet.toNanos()) {
			if (now - deadline > 0) {
				throw new IllegalStateException("The servers have not been quiet for " + PATIENCE);
			}
			TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
			long before = sent;
			sent = packetsSent();
			now = System.nanoTime();
			if (sent != before + this.packetsPerQuestion) {
				since = now;
			}
		}
	}

	private long packetsSent() {
		return this.ensemble.members().stream().mapToLong((member) -> member.view().packetsSent()).sum();
	}

	@Override
	public void close() {
		this.ensemble.close();
	}

}
