package io.github.zklock.benchmarks.scenario;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * What a lock costs in memory.
 */
final class MemoryScenario implements Scenario {

	private static final String HELD = "held locks";

	private static final String WAITERS = "waiting threads on one lock";

	private static final String IDLE = "names used once";

	private static final int COLLECTIONS = 2;

	private static final Duration SETTLED = Duration.ofMillis(200);

	@Override
	public String name() {
		return Scenarios.MEMORY;
	}

	@Override
	public String title() {
		return "Memory of the client";
	}

	@Override
	public String about() {
		return "Heap after garbage collection, with everything there minus before, per lock, per waiting thread and per "
				+ "name, on one session. A thread's own heap is included, its stack is not.";
	}

	@Override
	public Metric main() {
		return Metric.HEAP;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return List.of(new Variant(HELD, effort.heldLocks()), new Variant(WAITERS, effort.waiters()),
				new Variant(IDLE, effort.idleNames()));
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.REENTRY);
	}

	@Override
	public int rounds(int wanted) {
		return Math.min(wanted, 2);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Client client = bench.client(contestant);
		String name = bench.lockName();
		int count = variant.size();
		Action.cycle(client.lock(name)).run();
		return Sample.of(Metric.HEAP, switch (variant.label()) {
			case HELD -> ofHeldLocks(client, name, count);
			case WAITERS -> ofWaiters(client, name, count, bench);
			default -> ofIdleNames(client, name, count);
		});
	}

	private static double ofHeldLocks(Client client, String name, int count) throws Exception {
		AtomicInteger number = new AtomicInteger();
		long before = usedHeap(client, name);
		List<MeasuredLock> held = Bench.parallel(count, () -> {
			MeasuredLock lock = client.lock(name + "-" + number.incrementAndGet());
			lock.acquire();
			return lock;
		});
		try {
			return (double) (usedHeap(client, name) - before) / count;
		}
		finally {
			Reference.reachabilityFence(held);
		}
	}

	private static double ofWaiters(Client client, String name, int count, Bench bench) throws Exception {
		MeasuredLock holder = client.lock(name);
		long before = usedHeap(client, name + "-other");
		holder.acquire();
		for (int waiter = 0; waiter < count; waiter++) {
			Thread thread = new Thread(null, () -> waitFor(client, name), "waiter", 256 * 1024);
			thread.setDaemon(true);
			thread.start();
		}
		bench.awaitQuiet(SETTLED);
		long used = usedHeap(client, name + "-other") - before;
		holder.release();
		bench.awaitQuiet(SETTLED);
		return (double) used / count;
	}

	private static void waitFor(Client client, String name) {
		try {
			Action.cycle(client.lock(name)).run();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static double ofIdleNames(Client client, String name, int count) throws Exception {
		AtomicInteger number = new AtomicInteger();
		long before = usedHeap(client, name);
		Bench.parallel(count, () -> {
			Action.cycle(client.lock(name + "-" + number.incrementAndGet())).run();
			return true;
		});
		return (double) (usedHeap(client, name) - before) / count;
	}

	/**
	 * Collect garbage and use a lock in turns, so that a library can forget what has
	 * become unreachable.
	 */
	private static long usedHeap(Client client, String name) throws Exception {
		for (int collection = 0; collection < COLLECTIONS; collection++) {
			System.gc();
			TimeUnit.MILLISECONDS.sleep(50);
			Action.cycle(client.lock(name + "-after-" + collection)).run();
		}
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
