package io.github.zklock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that holds across processes.
 *
 * <p>
 * It can be used in two ways, which share one queue. The methods of {@link Lock} give it
 * to the current thread, which may enter it again and must unlock it as often. The
 * {@code acquire} methods give it to whoever has the returned {@link LockLease}: any
 * thread may close it, and a second request waits, even on the same thread.
 *
 * <p>
 * Requests of one process are granted in the order of their arrival, and processes take
 * turns in the order of their arrival at ZooKeeper.
 *
 * <p>
 * A held lock can be lost, for example when the connection to ZooKeeper is down for too
 * long. Whoever works under a lock for more than a moment should look at
 * {@link LockLease#isHeld()} or use {@link LockLease#onLost(Runnable)}, and should hand
 * the {@link LockLease#fencingToken() token} to the resource that the lock protects.
 *
 * <p>
 * Every method that asks for the lock throws {@link LockUnavailableException} if
 * ZooKeeper refuses the request, for example for lack of rights, and if the registry is
 * stopped or closed.
 *
 * <p>
 * While the connection is down, a request with a limit waits for it, but no longer than
 * the registry's connect timeout (5 seconds by default) counted from the loss of the
 * connection: then it fails with {@link LockUnavailableException}, and as long as the
 * connection stays away, later ones fail at once. Requests without a limit wait on. A
 * request whose time is over while ZooKeeper does not answer fails with
 * {@link LockUnavailableException}: it is never reported as contended, unless the lock is
 * held in this very process.
 */
public interface NamedLock extends Lock {

	/**
	 * Wait for the lock, for as long as it takes, without reacting to interrupts.
	 * @throws LockLostException if the current thread held the lock, lost it and has not
	 * unlocked it yet
	 */
	@Override
	void lock();

	/**
	 * Wait for the lock, for as long as it takes.
	 * @throws InterruptedException if interrupted; the place in the queue has been given
	 * up
	 * @throws LockLostException if the current thread held the lock, lost it and has not
	 * unlocked it yet
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Take the lock if it is free. ZooKeeper has the registry's answer timeout (half a
	 * second by default) to answer. If the registry has never been connected, the connect
	 * timeout comes on top: the very first request may take both. Later on it fails at
	 * once while the connection is down.
	 * @return false if others hold it or wait for it
	 * @throws LockUnavailableException if ZooKeeper cannot be asked
	 * @throws LockLostException if the current thread held the lock, lost it and has not
	 * unlocked it yet
	 */
	@Override
	boolean tryLock();

	/**
	 * Wait for the lock.
	 * @param time how long to wait, for the first connection, too; zero or less is
	 * {@link #tryLock()}
	 * @param unit the unit of the time
	 * @return false if others hold it
	 * @throws InterruptedException if interrupted; the place in the queue has been given
	 * up
	 * @throws LockUnavailableException if ZooKeeper could not be asked in time
	 * @throws LockLostException if the current thread held the lock, lost it and has not
	 * unlocked it yet
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Leave the lock. The last call frees it, and returns when ZooKeeper has answered or
	 * the connection is gone; in that case the lock is freed later, at the latest with
	 * the end of the session. A thread that has locked for writing and then for reading
	 * keeps everybody out until it has left both, also if it leaves the write lock first.
	 * @throws IllegalMonitorStateException if the current thread does not hold the lock,
	 * or if its lease has been closed
	 * @throws LockLostException if the lock has been lost
	 */
	@Override
	void unlock();

	/**
	 * Not supported.
	 * @throws UnsupportedOperationException always
	 */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	/**
	 * Wait for the lock, for as long as it takes.
	 * @return the lease, which the caller must close
	 * @throws InterruptedException if interrupted; the place in the queue has been given
	 * up
	 */
	LockLease acquire() throws InterruptedException;

	/**
	 * Wait for the lock.
	 * @param maxWait how long to wait, for the first connection, too; zero takes the lock
	 * if it is free, and may take as long as {@link #tryLock()}
	 * @return the lease, which the caller must close; empty if others hold the lock
	 * @throws InterruptedException if interrupted; the place in the queue has been given
	 * up
	 * @throws LockUnavailableException if ZooKeeper could not be asked in time
	 * @throws IllegalArgumentException if the wait is negative
	 */
	Optional<LockLease> tryAcquire(Duration maxWait) throws InterruptedException;

	/**
	 * Wait for the lock without a thread. Cancelling the future leaves the queue; so does
	 * completing it in any other way, for example by
	 * {@link CompletableFuture#orTimeout(long, TimeUnit)}.
	 * @param maxWait how long to wait, for the first connection, too; zero takes the lock
	 * if it is free, and may take as long as {@link #tryLock()}
	 * @return the lease, which must be closed; fails with {@link LockTimeoutException} if
	 * others hold the lock, with {@link LockUnavailableException} if ZooKeeper could not
	 * be asked in time
	 * @throws IllegalArgumentException if the wait is negative
	 */
	CompletableFuture<LockLease> acquireAsync(Duration maxWait);

	/**
	 * Return whether the current thread holds the lock. Costs no traffic.
	 * @return whether the current thread has locked it, has not unlocked it, and has not
	 * lost it
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Return the lease of the current thread's hold. Closing it, from any thread, ends
	 * the whole hold, however often the lock was entered; the owner's unlock then throws
	 * {@link IllegalMonitorStateException}.
	 * @return the lease, also of a hold that was lost and not yet unlocked; empty if the
	 * current thread has no hold
	 */
	Optional<LockLease> lease();

}
