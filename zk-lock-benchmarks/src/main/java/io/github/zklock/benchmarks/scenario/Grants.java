package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.zklock.benchmarks.contestant.Candidate;
import io.github.zklock.benchmarks.contestant.Client;

/**
 * A candidate, and when it was told that it leads.
 */
final class Grants {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final BlockingQueue<Long> times = new LinkedBlockingQueue<>();

	private final Candidate candidate;

	Grants(Client client, String role) throws Exception {
		this.candidate = client.candidate(role, () -> this.times.add(System.nanoTime()));
	}

	Candidate candidate() {
		return this.candidate;
	}

	/**
	 * Wait until the candidate leads.
	 * @return the nanoTime at which it was told so
	 */
	long await() throws InterruptedException {
		Long time = this.times.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		if (time == null) {
			throw new IllegalStateException("Nobody leads after " + PATIENCE);
		}
		return time;
	}

}
