package io.github.zklock.benchmarks.contestant;

import java.util.List;

/**
 * All contestants.
 */
public final class Contestants {

	/**
	 * The name of this library.
	 */
	public static final String ZK_LOCK = "zk-lock";

	/**
	 * The name of Apache Curator.
	 */
	public static final String CURATOR = "Curator";

	private Contestants() {
	}

	/**
	 * Return all contestants.
	 * @return the contestants, in the order of the tables
	 */
	public static List<Contestant> all() {
		return List.of(new RawPairContestant(), new RawChainContestant(), new RawFlightContestant(),
				new ZkLockContestant(), new CuratorContestant(), new SpringIntegrationContestant(),
				new ShedLockContestant(), new NaiveContestant(), new HerdContestant());
	}

}
