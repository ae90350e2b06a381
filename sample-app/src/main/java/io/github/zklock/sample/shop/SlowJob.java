package io.github.zklock.sample.shop;

import io.github.zklock.sample.SampleProperties;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.OnLost;

import org.springframework.stereotype.Service;

/**
 * A job that takes so long that its lock may be lost meanwhile. It is interrupted then:
 * somebody else may have begun to do the same.
 */
@Service
public class SlowJob {

	private static final int STEPS = 20;

	private static final int STEPS_PER_NEWS = 5;

	private final Journal journal;

	private final long millisPerStep;

	SlowJob(Journal journal, SampleProperties properties) {
		this.journal = journal;
		this.millisPerStep = properties.slowJobTime().toMillis() / STEPS;
	}

	/**
	 * Do the job.
	 * @param started is told when the lock is held
	 */
	@DistributedLock(name = "slow-job", maxWait = "0s", onLost = OnLost.INTERRUPT)
	public void run(Runnable started) throws InterruptedException {
		started.run();
		this.journal.info("slow job: started, %d steps".formatted(STEPS));
		for (int step = 1; step <= STEPS; step++) {
			try {
				Thread.sleep(this.millisPerStep);
			}
			catch (InterruptedException ex) {
				this.journal.warn("slow job: %s at step %d: stopped"
					.formatted(CurrentLock.lease().isHeld() ? "interrupted" : "lock lost", step));
				throw ex;
			}
			if (step % STEPS_PER_NEWS == 0) {
				this.journal.info("slow job: step %d of %d".formatted(step, STEPS));
			}
		}
	}

}
