package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;

import io.github.zklock.embedded.EnsembleMember;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.ZooKeeperEnsemble;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * ZOOKEEPER-4306 on an ensemble: whoever ends a session with too many bytes of paths
 * sends its followers a proposal that they cannot read, and all of them write what they
 * cannot load again.
 */
class NodeBytesIT {

	private static final Duration TICK = Duration.ofMillis(500);

	/**
	 * Long paths, so that few locks reach the limit.
	 */
	private static final String ROOT = ("/" + "r".repeat(250)).repeat(4);

	private static final String NAME = "n".repeat(240);

	private static ZooKeeperLocks registry(String connectString, Duration sessionTimeout) {
		return ZooKeeperLocks.builder(connectString)
			.root(ROOT)
			.sessionTimeout(sessionTimeout)
			.serverTick(TICK)
			.connectTimeout(PATIENCE)
			.closeWait(Duration.ZERO)
			.build();
	}

	private static void assertServing(EnsembleMember member) throws Exception {
		try (ZooKeeperLocks locks = registry(member.connectString(), Duration.ofSeconds(10))) {
			locks.lock(NAME + "-0").tryAcquire(PATIENCE).orElseThrow().close();
		}
	}

	@Test
	void ensembleSurvivesTheEndOfASessionThatHasAsMuchAsItMay() throws Exception {
		try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.builder().tickTime(TICK).start()) {
			List<EnsembleMember> followers = ensemble.followers();
			try (FaultProxy proxy = FaultProxy.to(followers.get(0).connectString());
					ZooKeeperLocks locks = registry(proxy.connectString(), Duration.ofSeconds(5))) {
				int held = NodeBytesTests.holdAsManyAsPossible(locks, NAME);
				assertThat(NodeBytesTests.ownNodes(locks).bytes()).isBetween(OwnNodes.DEFAULT_LIMIT - 1_400L,
						(long) OwnNodes.DEFAULT_LIMIT);
				long session = locks.zooKeeper().getSessionId();
				assertThat(ensemble.leader().view().ephemerals(session)).hasSize(held);
				proxy.swallow();
				for (EnsembleMember member : ensemble.members()) {
					await().atMost(PATIENCE).untilAsserted(() -> {
						assertThat(member.view().ephemerals(session)).as("%s", member).isEmpty();
						assertThat(member.isServing()).as("%s serves", member).isTrue();
					});
				}
				// nobody is there to say goodbye to
				proxy.close();
			}
			for (EnsembleMember member : ensemble.members()) {
				assertServing(member);
			}
			EnsembleMember restarted = followers.get(1);
			restarted.kill();
			restarted.start();
			ensemble.awaitServing();
			assertServing(restarted);
		}
	}

}
