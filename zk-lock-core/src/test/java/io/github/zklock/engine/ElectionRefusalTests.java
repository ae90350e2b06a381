package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listeners hear that ZooKeeper does not let this process take part.
 */
class ElectionRefusalTests extends ElectionTestSupport {

	private final FaultProxy proxy = proxy();

	private final LeaderElection election = registry(this.proxy).election(ROLE);

	private final ZooKeeperLocks others = registry();

	ElectionRefusalTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void createParent() {
		lead(this.others).leave();
	}

	private void setPermissionsOfParent(int permissions) throws Exception {
		this.others.zooKeeper()
			.setACL(parentOfRole(ROLE), Arrays.asList(new ACL(permissions, new Id("world", "anyone"))), -1);
	}

	private void awaitMoreAttempts() {
		long before = this.proxy.frames(Direction.TO_CLIENT, Operation.CREATE);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.CREATE) >= before + 3);
	}

	@Test
	void seriesOfRefusalsIsToldOnce() throws Exception {
		createParent();
		setPermissionsOfParent(ZooDefs.Perms.ALL & ~ZooDefs.Perms.CREATE);
		Failures failures = new Failures(this.election);
		this.election.join();
		failures.await("failed");
		awaitMoreAttempts();
		Failures late = new Failures(this.election);
		late.await("failed");
		failures.await("failed");
		assertThat(failures.last()).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("'role'")
			.hasCauseInstanceOf(KeeperException.NoAuthException.class);
		assertThat((LockUnavailableException) failures.last()).extracting(LockUnavailableException::name)
			.isEqualTo(ROLE);
		setPermissionsOfParent(ZooDefs.Perms.ALL);
		failures.await("failed", "granted");
		setPermissionsOfParent(ZooDefs.Perms.ALL & ~ZooDefs.Perms.CREATE);
		this.others.zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
		failures.await("failed", "granted", "revoked", "failed");
		awaitMoreAttempts();
		failures.await("failed", "granted", "revoked", "failed");
		new Failures(this.election).await("failed");
	}

	@Test
	void whoJoinsAgainIsToldAgain() throws Exception {
		createParent();
		setPermissionsOfParent(ZooDefs.Perms.ALL & ~ZooDefs.Perms.CREATE);
		Failures failures = new Failures(this.election);
		this.election.join();
		failures.await("failed");
		this.election.leave();
		Failures idle = new Failures(this.election);
		this.election.join();
		failures.await("failed", "failed");
		idle.await("failed");
	}

	@Test
	void wrongCredentialsAreTold() {
		LeaderElection refused = closing(builder().authInfo("no-such-scheme", "secret").build()).election(ROLE);
		Failures failures = new Failures(refused);
		refused.join();
		failures.await("failed");
		assertThat(failures.last()).hasMessageContaining("'role'")
			.hasMessageContaining("credentials")
			.hasMessageNotContaining("secret");
	}

	private static final class Failures implements LeadershipListener {

		private final List<String> events = new ArrayList<>();

		private final List<RuntimeException> failures = new ArrayList<>();

		Failures(LeaderElection election) {
			election.addListener(this);
		}

		@Override
		public synchronized void granted(String role, long fencingToken) {
			this.events.add("granted");
		}

		@Override
		public synchronized void revoked(String role, long fencingToken) {
			this.events.add("revoked");
		}

		@Override
		public synchronized void failed(String role, RuntimeException failure) {
			this.events.add("failed");
			this.failures.add(failure);
		}

		private synchronized List<String> events() {
			return List.copyOf(this.events);
		}

		synchronized RuntimeException last() {
			return this.failures.get(this.failures.size() - 1);
		}

		void await(String... expected) {
			Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(events()).containsExactly(expected));
		}

	}

}
