package io.github.zklock.benchmarks.contestant;

import java.util.OptionalLong;

/**
 * One process of an application: one session, any number of threads.
 */
public interface Client extends AutoCloseable {

	/**
	 * Return a lock for one thread. Everything that has to be there before it can be
	 * locked is made here or by the first cycle.
	 * @param name the lock's name
	 * @return the lock
	 * @throws Exception if that fails
	 */
	MeasuredLock lock(String name) throws Exception;

	/**
	 * Return a lock that readers share, for one thread.
	 * @param name the lock's name
	 * @return the lock
	 */
	default MeasuredLock readLock(String name) throws Exception {
		throw new UnsupportedOperationException();
	}

	/**
	 * Return a lock that keeps readers out, for one thread.
	 * @param name the lock's name
	 * @return the lock
	 */
	default MeasuredLock writeLock(String name) throws Exception {
		throw new UnsupportedOperationException();
	}

	/**
	 * Return a candidate in an election.
	 * @param role the role
	 * @param granted to be run each time it leads
	 * @return the candidate, which has not joined yet
	 */
	default Candidate candidate(String role, Runnable granted) throws Exception {
		return new LockCandidate(lock(role), granted);
	}

	/**
	 * Have the library's own threads give up, after a millisecond, a wait for a lock that
	 * somebody else of this client holds.
	 * @param name the lock's name
	 * @return by how many nanoseconds it was late; empty if the library has no threads
	 * for it
	 */
	default OptionalLong lateness(String name) throws Exception {
		return OptionalLong.empty();
	}

	@Override
	void close() throws Exception;

}
