package io.github.zklock;

/**
 * Gives access to locks that hold across processes. An application has one registry.
 *
 * <p>
 * Implementations are thread-safe. All objects that a registry returns for the same name
 * are the same lock. A name is any non-empty string.
 */
public interface LockRegistry {

	/**
	 * Return the exclusive lock of a name. Costs no traffic.
	 * @param name the lock's name
	 * @return the lock
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode
	 */
	NamedLock lock(String name);

}
