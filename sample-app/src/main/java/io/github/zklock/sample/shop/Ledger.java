package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.Peers;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.sample.cluster.ZooKeeperLink;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.OnLost;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/**
 * A book that only the holder of the lock "ledger" may write into. A holder may sleep for
 * so long that it is none any more, and write before it finds out. So the store looks at
 * the fencing token, and refuses a writer once it has heard from a later one.
 */
@Service
public class Ledger {

	/**
	 * What becomes of a lost lock is left to the store: this is about a process that does
	 * not notice.
	 */
	private static final LockOptions LOCK = LockOptions.of("ledger").onLost(OnLost.IGNORE);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private final LockTemplate locks;

	private final JdbcClient store;

	private final Self self;

	private final Peers peers;

	private final ZooKeeperLink link;

	private final Journal journal;

	Ledger(LockTemplate locks, JdbcClient store, Self self, Peers peers, ZooKeeperLink link, Journal journal) {
		this.locks = locks;
		this.store = store;
		this.self = self;
		this.peers = peers;
		this.link = link;
		this.journal = journal;
	}

	/**
	 * Take the lock and write.
	 */
	public Entry write() {
		return this.locks.execute(LOCK, () -> {
			openIfNew();
			return write(CurrentLock.lease().fencingToken());
		});
	}

	/**
	 * Take the lock, sleep until it is lost and another instance has written, and write.
	 */
	public Entry writeAfterPause() throws InterruptedException {
		return this.locks.execute(LOCK, () -> {
			LockLease lease = CurrentLock.lease();
			long token = lease.fencingToken();
			openIfNew();
			if (sleepUntilLost(lease)) {
				letAnotherWrite();
			}
			return write(token);
		});
	}

	private void openIfNew() {
		this.store.sql("insert into ledger select 1, 0, '' where not exists (select 1 from ledger)").update();
	}

	/**
	 * Nobody hears from this instance until its lock is lost.
	 * @return false if it is not lost after all, because somebody has healed the link
	 */
	private boolean sleepUntilLost(LockLease lease) throws InterruptedException {
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		this.link.pause(LONGEST_PAUSE);
		try {
			return lost.await(LONGEST_PAUSE.toSeconds(), TimeUnit.SECONDS);
		}
		finally {
			this.link.resume();
		}
	}

	private void letAnotherWrite() {
		int status = this.peers.post(this.peers.other(), "/api/fenced-write", "{\"pause\":false}").join();
		if (status != HttpStatus.OK.value()) {
			throw new IllegalStateException("The other writer has failed: " + status);
		}
	}

	private Entry write(long token) {
		boolean accepted = this.store.sql("update ledger set token = :token, instance = :instance where token < :token")
			.param("token", token)
			.param("instance", this.self.id())
			.update() == 1;
		long stored = this.store.sql("select token from ledger").query(Long.class).single();
		if (accepted) {
			this.journal.info("ledger: written with token %d".formatted(token));
		}
		else {
			this.journal.warn("ledger: token %d is refused, the store has seen %d".formatted(token, stored));
		}
		return new Entry(accepted, token, stored, this.self.id());
	}

	/**
	 * Forget which tokens the store has seen: those of another ZooKeeper may be smaller.
	 */
	public void reset() {
		this.store.sql("update ledger set token = 0").update();
	}

	/**
	 * What has come of a write.
	 *
	 * @param accepted whether the store has taken it
	 * @param token with which token it was tried
	 * @param storedToken which token the store has seen last
	 * @param instance who has tried
	 */
	public record Entry(boolean accepted, long token, long storedToken, String instance) {

	}

}
