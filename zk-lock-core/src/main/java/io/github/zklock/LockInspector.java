package io.github.zklock;

import java.util.List;

/**
 * Shows who holds locks and who waits for them: for people, tools and consoles, not for
 * decisions. Thread-safe.
 *
 * <p>
 * A name is always taken as it is, whatever it looks like. Who only knows the node that
 * ZooKeeper shows below {@code locks} or {@code leaders} asks by its
 * {@link LockNames#segment(String) segment}: that of a long name is cut, and does not
 * tell the name. The two ways are apart, because every segment is also the name of
 * another lock.
 */
public interface LockInspector {

	/**
	 * Read from ZooKeeper who contends for a lock. Reads the nodes one by one, so that
	 * somebody who comes or goes meanwhile may be missing.
	 * @param name the lock's name
	 * @return the contenders in the order of the queue
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> queue(String name);

	/**
	 * Read from ZooKeeper who takes part in an election.
	 * @param role the role
	 * @return the participants in the order of the queue; the first one leads
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> queueOfRole(String role);

	/**
	 * As {@link #queue(String)}, for a lock of which only the node is known.
	 * @param segment the last part of the path of the lock's node
	 * @return the contenders in the order of the queue
	 * @throws IllegalArgumentException if no lock can have this segment
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> queueOfSegment(String segment);

	/**
	 * As {@link #queueOfRole(String)}, for a role of which only the node is known.
	 * @param segment the last part of the path of the role's node
	 * @return the participants in the order of the queue; the first one leads
	 * @throws IllegalArgumentException if no role can have this segment
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<LockContender> queueOfRoleSegment(String segment);

	/**
	 * Return the locks that callers of this instance hold. Costs no traffic.
	 * @return the locks, the one that has been held for longest first
	 */
	List<LocalLock> held();

	/**
	 * Return the locks that callers of this instance wait for, one entry for each caller.
	 * Costs no traffic.
	 * @return the locks, the one that has been awaited for longest first
	 */
	List<LocalLock> waiting();

	/**
	 * Take a lock away from whoever holds it now, by deleting the holder's node, or the
	 * nodes of all readers.
	 *
	 * <p>
	 * <strong>This breaks mutual exclusion</strong>: the next in the queue is granted the
	 * lock at once, while the old holder finds out only when it hears from ZooKeeper, and
	 * goes on working until then. zk-lock notices it one heartbeat and one round trip
	 * later at the latest; other clients may never notice. Only a resource that checks
	 * the {@link LockLease#fencingToken() fencing token} is safe meanwhile. A holder of
	 * this very instance is told before its node is deleted.
	 * @param name the lock's name
	 * @return false if nobody held the lock
	 * @throws LockUnavailableException if ZooKeeper cannot be asked, or refuses
	 */
	boolean breakLock(String name);

	/**
	 * As {@link #breakLock(String)}, for a lock of which only the node is known.
	 * @param segment the last part of the path of the lock's node
	 * @return false if nobody held the lock
	 * @throws IllegalArgumentException if no lock can have this segment
	 * @throws LockUnavailableException if ZooKeeper cannot be asked, or refuses
	 */
	boolean breakSegment(String segment);

}
