package io.github.zklock.sample.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.autoconfigure.ZooKeeperClient;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Looks twice a second at who holds the shop's locks and who waits for them. What it has
 * seen last is there at once, also while ZooKeeper is down.
 */
@Component
public class LockWatch {

	/**
	 * What all instances want to lead in.
	 */
	public static final String ROLE = "nightly";

	private static final Duration STALE = Duration.ofSeconds(3);

	private static final List<String> LOCKS = List.of("seats", "catalogue", "slow-job", "ledger");

	private final ZooKeeperClient client;

	private final LockInspector inspector;

	private final Journal journal;

	private volatile @Nullable ZooKeeper handle;

	private boolean wasConnected;

	private volatile View latest = new View(Instant.MIN, Map.of(), List.of());

	LockWatch(ZooKeeperClient client, LockInspector inspector, Journal journal) {
		this.client = client;
		this.inspector = inspector;
		this.journal = journal;
	}

	@Scheduled(fixedDelay = 500)
	void look() {
		try {
			this.handle = this.client.zooKeeper();
			Map<String, List<LockContender>> locks = new LinkedHashMap<>();
			LOCKS.forEach((name) -> locks.put(name, this.inspector.queue(name)));
			this.latest = new View(Instant.now(), locks, this.inspector.queueOfRole(ROLE));
		}
		catch (LockUnavailableException | IllegalStateException ex) {
			// the view grows old, and says so
		}
	}

	/**
	 * Looking may take long when the connection is gone, so this is done apart.
	 */
	@Scheduled(fixedDelay = 250)
	void noteConnection() {
		boolean connected = isConnected();
		if (connected && !this.wasConnected) {
			this.journal.info("connected to ZooKeeper");
		}
		else if (!connected && this.wasConnected) {
			this.journal.warn("no connection to ZooKeeper");
		}
		this.wasConnected = connected;
	}

	/**
	 * Return whether there is a connection to ZooKeeper. Costs no traffic.
	 */
	public boolean isConnected() {
		ZooKeeper current = this.handle;
		return current != null && current.getState().isConnected();
	}

	/**
	 * Return the present session.
	 * @return null before the first one
	 */
	public @Nullable Long session() {
		ZooKeeper current = this.handle;
		return (current != null) ? current.getSessionId() : null;
	}

	public View latest() {
		return this.latest;
	}

	/**
	 * What was seen.
	 *
	 * @param at when
	 * @param locks the queue of each lock
	 * @param candidates the queue of those who lead or want to lead
	 */
	public record View(Instant at, Map<String, List<LockContender>> locks, List<LockContender> candidates) {

		public boolean isStale() {
			return this.at.isBefore(Instant.now().minus(STALE));
		}

	}

}
