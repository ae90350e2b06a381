package io.github.zklock.sample.web;

import java.time.Instant;
import java.util.List;

import io.github.zklock.LockMode;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.Terms.HandOver;
import io.github.zklock.sample.shop.BoxOffice.SoldSeat;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the page shows.
 *
 * @param instance who says so
 * @param zooKeeper its connection
 * @param instances all instances, dead or alive
 * @param leader who leads, if anybody does
 * @param queueOfLeaders who leads and who will, in this order
 * @param locks who holds locks and who waits for them
 * @param house what was sold
 * @param handOvers how long there was no leader, the oldest first
 * @param log what has happened, the latest first
 */
record State(Who instance, Connection zooKeeper, List<Instance> instances, @Nullable Leader leader,
		List<Contender> queueOfLeaders, List<Lock> locks, House house, List<HandOver> handOvers,
		List<Journal.Entry> log) {

	/**
	 * An instance.
	 *
	 * @param id what it is called
	 * @param url where it is
	 */
	record Who(String id, String url) {

	}

	/**
	 * The connection to ZooKeeper.
	 *
	 * @param connected whether there is one
	 * @param paused whether it was cut on purpose
	 * @param pausedUntil until when
	 * @param connectString where ZooKeeper is
	 * @param session the session
	 * @param stale whether queues and leader are what was seen some time ago
	 */
	record Connection(boolean connected, boolean paused, @Nullable Instant pausedUntil, String connectString,
			@Nullable String session, boolean stale) {

	}

	/**
	 * An instance, as the store and ZooKeeper know it.
	 *
	 * @param id what it is called
	 * @param url where it is
	 * @param alive whether it was heard of only just now
	 * @param leader whether it leads
	 * @param self whether it is the one that says so
	 * @param lastSeen when it was last heard of
	 */
	record Instance(String id, String url, boolean alive, boolean leader, boolean self, Instant lastSeen) {

	}

	/**
	 * The leader.
	 *
	 * @param role in what it leads
	 * @param id which instance it is
	 * @param since since when it leads
	 * @param token its fencing token
	 */
	record Leader(String role, String id, Instant since, long token) {

	}

	/**
	 * A lock.
	 *
	 * @param name what it is called
	 * @param queue who holds it and who waits for it
	 * @param localWaiters how many callers of this instance wait for it: they share a
	 * place in the queue
	 */
	record Lock(String name, List<Contender> queue, long localWaiters) {

	}

	/**
	 * Somebody in a queue.
	 *
	 * @param id the instance, the same as {@code instance}
	 * @param kind how it wants to have the lock
	 * @param holder whether it is its turn
	 * @param instance which instance it is
	 * @param host where that runs
	 * @param thread which thread has asked
	 * @param since since when it is in the queue
	 * @param token the latest transaction on its node
	 * @param session its session
	 * @param ours whether it is this very instance
	 */
	record Contender(String id, LockMode kind, boolean holder, String instance, @Nullable String host,
			@Nullable String thread, Instant since, long token, String session, boolean ours) {

	}

	/**
	 * The house.
	 *
	 * @param seats how many seats it has
	 * @param sold how many tickets were sold
	 * @param doubleSales how many of them are for a seat that was sold before
	 * @param sales the seats that are not free any more
	 */
	record House(int seats, int sold, int doubleSales, List<SoldSeat> sales) {

	}

}
