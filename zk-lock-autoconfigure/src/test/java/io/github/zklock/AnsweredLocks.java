package io.github.zklock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.leader.LeaderElection;

/**
 * The locks of a registry for tests of contention: a request is made again while
 * ZooKeeper has not answered, because a server that is too busy to answer in time has
 * said neither yes nor no.
 */
public final class AnsweredLocks implements LockRegistry {

	private final LockRegistry registry;

	public AnsweredLocks(LockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public NamedLock lock(String name) {
		return new AnsweredLock(this.registry.lock(name));
	}

	@Override
	public NamedLock readLock(String name) {
		return new AnsweredLock(this.registry.readLock(name));
	}

	@Override
	public NamedLock writeLock(String name) {
		return new AnsweredLock(this.registry.writeLock(name));
	}

	@Override
	public LeaderElection election(String role) {
		return this.registry.election(role);
	}

	private static final class AnsweredLock implements NamedLock {

		private final NamedLock lock;

		AnsweredLock(NamedLock lock) {
			this.lock = lock;
		}

		@Override
		public void lock() {
			this.lock.lock();
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			this.lock.lockInterruptibly();
		}

		@Override
		public boolean tryLock() {
			return LockProbe.answered(this.lock::tryLock);
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return interruptibly(() -> this.lock.tryLock(time, unit));
		}

		@Override
		public void unlock() {
			this.lock.unlock();
		}

		@Override
		public LockLease acquire() throws InterruptedException {
			return this.lock.acquire();
		}

		@Override
		public Optional<LockLease> tryAcquire(Duration maxWait) throws InterruptedException {
			return interruptibly(() -> this.lock.tryAcquire(maxWait));
		}

		@Override
		public CompletableFuture<LockLease> acquireAsync(Duration maxWait) {
			if (!maxWait.isZero()) {
				return this.lock.acquireAsync(maxWait);
			}
			CompletableFuture<LockLease> answer = new CompletableFuture<>();
			ask(answer);
			return answer;
		}

		private void ask(CompletableFuture<LockLease> answer) {
			CompletableFuture<LockLease> request = this.lock.acquireAsync(Duration.ZERO);
			answer.whenComplete((lease, failure) -> request.cancel(false));
			request.whenComplete((lease, failure) -> {
				if (lease != null) {
					if (!answer.complete(lease)) {
						lease.close();
					}
				}
				else if (LockProbe.isSilence(failure) && !answer.isDone()) {
					ask(answer);
				}
				else {
					answer.completeExceptionally(failure);
				}
			});
		}

		@Override
		public boolean isHeldByCurrentThread() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public Optional<LockLease> lease() {
			return this.lock.lease();
		}

		private static <T> T interruptibly(InterruptibleRequest<T> request) throws InterruptedException {
			try {
				return LockProbe.insist(request::make);
			}
			catch (RuntimeException | InterruptedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	private interface InterruptibleRequest<T> {

		T make() throws InterruptedException;

	}

}
