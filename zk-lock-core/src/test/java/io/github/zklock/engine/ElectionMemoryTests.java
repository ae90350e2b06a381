package io.github.zklock.engine;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a registry keeps of its elections.
 */
class ElectionMemoryTests extends ElectionTestSupport {

	private final ZooKeeperLocks locks = registry();

	ElectionMemoryTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void forgetUnreachable(int kept) {
		for (int role = 0; role < 1_000; role++) {
			this.locks.election("role-" + role);
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			this.locks.election("another").leave();
			assertThat(engine(this.locks).elections().size()).isLessThanOrEqualTo(kept + 1);
		});
	}

	@Test
	@Tag("H52")
	void forgottenRolesAreNotKept() {
		LeaderElection reachable = this.locks.election("reachable");
		forgetUnreachable(1);
		assertThat(this.locks.election("reachable")).isSameAs(reachable);
	}

	@Test
	@Tag("H52")
	void joinedRolesAreKept() {
		WeakReference<LeaderElection> joined = new WeakReference<>(lead(this.locks));
		forgetUnreachable(1);
		assertThat(joined.get()).isNotNull().isSameAs(this.locks.election(ROLE));
		assertThat(this.locks.election(ROLE).leadership().isLeader()).isTrue();
		this.locks.election(ROLE).leave();
		forgetUnreachable(0);
		assertThat(joined.get()).isNull();
	}

	@Test
	@Tag("H52")
	void rolesWithWorkAreKept() {
		WeakReference<LeaderElection> joined = new WeakReference<>(lead(this.locks));
		LeaderWork work = this.locks.election(ROLE).leadership().begin().orElseThrow();
		((ElectionHandle) this.locks.election(ROLE)).candidacy().leaveOnClose();
		forgetUnreachable(1);
		assertThat(work.isLeader()).isTrue();
		assertThat(joined.get()).isNotNull().isSameAs(this.locks.election(ROLE));
		work.close();
		awaitLeaderNodes(0);
	}

	@Test
	@Tag("H52")
	void rolesWithListenersAreKept() {
		Counter counter = new Counter();
		this.locks.election(ROLE).addListener(counter);
		forgetUnreachable(1);
		lead(this.locks);
		await().atMost(PATIENCE).until(() -> counter.grants.get() == 1);
		this.locks.election(ROLE).leave();
		this.locks.election(ROLE).removeListener(counter);
		forgetUnreachable(0);
	}

	private static final class Counter implements LeadershipListener {

		private final AtomicInteger grants = new AtomicInteger();

		@Override
		public void granted(String role, long fencingToken) {
			this.grants.incrementAndGet();
		}

	}

}
