package io.github.zklock.benchmarks.contestant;

/**
 * Leads while it holds a lock.
 */
final class LockCandidate implements Candidate {

	private final MeasuredLock lock;

	private final Runnable granted;

	LockCandidate(MeasuredLock lock, Runnable granted) {
		this.lock = lock;
		this.granted = granted;
	}

	@Override
	public void join() {
		Thread thread = new Thread(this::lead, "candidate");
		thread.setDaemon(true);
		thread.start();
	}

	private void lead() {
		try {
			this.lock.acquire();
			this.granted.run();
		}
		catch (Exception ex) {
			// whoever waits for the grant gives up
		}
	}

	@Override
	public void leave() throws Exception {
		this.lock.release();
	}

}
