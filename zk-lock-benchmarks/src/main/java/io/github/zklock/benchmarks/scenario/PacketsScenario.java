package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * What one operation costs on the wire, if nobody waits.
 */
final class PacketsScenario implements Scenario {

	private static final String CYCLE = "lock and unlock";

	private static final String REENTRY = "enter again and leave";

	private static final String TRY = "zero-wait success and unlock";

	private static final String LOCAL_REFUSAL = "zero-wait refusal, same process";

	private static final String REMOTE_REFUSAL = "zero-wait refusal, other process";

	@Override
	public String name() {
		return Scenarios.PACKETS;
	}

	@Override
	public String title() {
		return "Packets per operation";
	}

	@Override
	public String about() {
		return "Counted by a proxy that knows the protocol. Pings are left out, and the session timeout is so long that "
				+ "there are no heartbeats.";
	}

	@Override
	public Metric main() {
		return Metric.REQUESTS;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return List.of(CYCLE, REENTRY, TRY, LOCAL_REFUSAL, REMOTE_REFUSAL)
			.stream()
			.map((label) -> new Variant(label, 1))
			.toList();
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return switch (variant.label()) {
			case CYCLE -> contestant.capabilities().contains(Capability.CYCLE);
			case REENTRY -> contestant.capabilities().contains(Capability.REENTRY);
			case REMOTE_REFUSAL -> contestant.capabilities().contains(Capability.TRY);
			default -> contestant.capabilities().contains(Capability.TRY) && !contestant.isLimit();
		};
	}

	@Override
	public int rounds(int wanted) {
		return 1;
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Wire wire = bench.wire();
		Client counted = bench.client(contestant, wire, Bench.NO_HEARTBEATS);
		MeasuredLock lock = counted.lock(bench.lockName());
		if (contestant.capabilities().contains(Capability.CYCLE)) {
			Action.cycle(lock).run();
		}
		Client other = bench.client(contestant, Bench.NO_HEARTBEATS);
		return switch (variant.label()) {
			case CYCLE -> count(Action.cycle(lock), wire, bench);
			case REENTRY -> {
				lock.acquire();
				yield count(Action.cycle(lock), wire, bench);
			}
			case TRY -> count(zeroWait(lock), wire, bench);
			case LOCAL_REFUSAL -> {
				new Holder(counted.lock(bench.lockName())).hold();
				yield count(Action.refusal(lock), wire, bench);
			}
			default -> {
				other.lock(bench.lockName()).acquire();
				yield count(Action.refusal(lock), wire, bench);
			}
		};
	}

	private static Action zeroWait(MeasuredLock lock) {
		return () -> {
			if (!lock.tryAcquire()) {
				throw new IllegalStateException("Nobody holds this lock, but it was refused: " + lock);
			}
			lock.release();
		};
	}

	private static Sample count(Action action, Wire wire, Bench bench) throws Exception {
		int cycles = bench.effort().cycles();
		wire.resetCounts();
		for (int cycle = 0; cycle < cycles; cycle++) {
			action.run();
		}
		return wire.countsFor(cycles);
	}

}
