package io.github.zklock;

import io.github.zklock.leader.LeaderElection;

/**
 * Gives access to locks that hold across processes. An application has one registry.
 *
 * <p>
 * Implementations are thread-safe. All objects that a registry returns for the same name
 * and in the same mode are the same lock.
 *
 * <p>
 * The name of a lock or role is any text that is not empty and is valid Unicode, of any
 * length. It is taken exactly: case counts, and so do forms of Unicode, so that one text
 * in NFC and in NFD names two locks. {@link LockNames#segment(String)} tells by which
 * node ZooKeeper knows it, and {@link LockNames#shown(String)} how messages show it.
 */
public interface LockRegistry {

	/**
	 * Return the exclusive lock of a name. Costs no traffic.
	 * @param name the lock's name
	 * @return the lock
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode
	 */
	NamedLock lock(String name);

	/**
	 * Return the lock of a name for reading: any number of readers hold it at the same
	 * time, but nobody while somebody holds {@link #lock(String)} or
	 * {@link #writeLock(String)}. All wait in one queue, first in, first out, so that
	 * neither readers nor writers can be kept waiting for ever. Costs no traffic.
	 *
	 * <p>
	 * A thread that holds the exclusive lock may lock this one, too, which enters the
	 * exclusive lock once more: others, readers included, stay out until both are
	 * unlocked, in whichever order. Unlike with a
	 * {@link java.util.concurrent.locks.ReentrantReadWriteLock ReentrantReadWriteLock},
	 * unlocking the exclusive lock first does not let other readers in. To let them in,
	 * unlock both and lock this one anew; a writer may come in between. A thread that
	 * only reads and asks for the exclusive lock gets an
	 * {@link IllegalMonitorStateException} at once, since it would wait for itself. The
	 * token of a reader is greater than those of all earlier writers and smaller than
	 * those of all later ones.
	 * @param name the lock's name
	 * @return the lock
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode
	 */
	NamedLock readLock(String name);

	/**
	 * Return the lock of a name for writing: the same exclusive lock as
	 * {@link #lock(String)}, by the name that goes with {@link #readLock(String)}. Costs
	 * no traffic.
	 * @param name the lock's name
	 * @return the lock
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode
	 */
	NamedLock writeLock(String name);

	/**
	 * Return the election of a role. Costs no traffic: nobody takes part before
	 * {@link LeaderElection#join()}.
	 * @param role the name of the role
	 * @return the election, the same object for the same role
	 * @throws IllegalArgumentException if the role is empty or not valid Unicode
	 */
	LeaderElection election(String role);

}
