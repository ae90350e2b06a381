package io.github.zklock.spring;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

import io.github.zklock.LockMode;
import io.github.zklock.LockNames;

/**
 * The locks of one call in the order in which they are taken, each name once, with all
 * waits known.
 */
final class LockPlan {

	private LockPlan() {
	}

	static List<LockOptions> of(Collection<LockOptions> locks, Duration defaultWait) {
		if (locks.isEmpty()) {
			throw new IllegalArgumentException("At least one lock must be given");
		}
		if (locks.size() == 1) {
			return List.of(complete(locks.iterator().next(), defaultWait));
		}
		TreeMap<String, LockOptions> byName = new TreeMap<>();
		for (LockOptions lock : locks) {
			byName.merge(lock.name(), complete(lock, defaultWait), LockPlan::merge);
		}
		return List.copyOf(byName.values());
	}

	private static LockOptions complete(LockOptions lock, Duration defaultWait) {
		if (lock.onContention() == OnContention.FALLBACK && lock.fallback() == null) {
			throw new IllegalArgumentException(
					"Lock '%s' has 'onContention' FALLBACK, but no fallback".formatted(LockNames.shown(lock.name())));
		}
		if (lock.maxWait() != null) {
			return lock;
		}
		return lock.maxWait((lock.onContention() == OnContention.THROW) ? defaultWait : Duration.ZERO);
	}

	/**
	 * Take the stronger mode, the shorter wait with its policy, the longer least time and
	 * the stricter way to treat a loss.
	 */
	private static LockOptions merge(LockOptions first, LockOptions second) {
		LockOptions impatient = (maxWait(second).compareTo(maxWait(first)) < 0) ? second : first;
		return impatient
			.mode((first.mode() == LockMode.WRITE || second.mode() == LockMode.WRITE) ? LockMode.WRITE : LockMode.READ)
			.minHold(stricter(first.minHold(), second.minHold(), Comparator.naturalOrder()))
			.onLost(stricter(first.onLost(), second.onLost(), Comparator.comparing(LockPlan::strictness)));
	}

	static Duration maxWait(LockOptions lock) {
		Duration maxWait = lock.maxWait();
		return (maxWait != null) ? maxWait : Duration.ZERO;
	}

	private static <T> T stricter(T first, T second, Comparator<T> order) {
		return (order.compare(second, first) > 0) ? second : first;
	}

	private static int strictness(OnLost onLost) {
		return switch (onLost) {
			case IGNORE -> 0;
			case THROW -> 1;
			case INTERRUPT -> 2;
		};
	}

}
