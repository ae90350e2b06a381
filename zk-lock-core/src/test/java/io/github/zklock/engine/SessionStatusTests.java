package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.SessionStatus;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the session is, for whoever asks and for listeners.
 */
class SessionStatusTests extends LockTestSupport {

	private final FaultProxy proxy = proxy();

	private final Recorder recorder = new Recorder();

	private final ZooKeeperLocks locks = closing(
			builder(this.proxy.connectString(), LONG_SESSION).listener(this.recorder).build());

	SessionStatusTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void beforeTheFirstSessionThereIsNothingAndNobodyOpensOne() {
		Instant before = Instant.now();
		SessionStatus status = this.locks.session();
		assertThat(status)
			.isEqualTo(new SessionStatus(false, false, 0, Duration.ZERO, Duration.ZERO, null, 0, 0, status.since()));
		assertThat(status.since()).isBeforeOrEqualTo(before);
		assertThat(this.proxy.connectionCount()).isZero();
	}

	@Test
	void openSessionIsConnected() throws Exception {
		Instant before = Instant.now();
		ZooKeeper handle = this.locks.zooKeeper();
		LockLease lease = this.locks.lock("lock").acquire();
		this.proxy.hold(Direction.TO_SERVER);
		SessionStatus status = this.locks.session();
		this.proxy.heal();
		assertThat(status.connected()).isTrue();
		assertThat(status.open()).isTrue();
		assertThat(status.id()).isEqualTo(handle.getSessionId());
		assertThat(status.negotiatedTimeout()).isEqualTo(Duration.ofMillis(handle.getSessionTimeout()));
		assertThat(status.leaseRemaining()).isPositive().isLessThanOrEqualTo(LONG_SESSION.dividedBy(2));
		assertThat(status.server()).isEqualTo(this.proxy.connectString());
		assertThat(status.opened()).isOne();
		assertThat(status.expired()).isZero();
		assertThat(status.since()).isBetween(before, Instant.now());
		lease.close();
	}

	@Test
	void suspendedSessionIsOpenAndNotConnected() throws Exception {
		long id = this.locks.zooKeeper().getSessionId();
		Instant connected = this.locks.session().since();
		this.proxy.refuse();
		this.recorder.await("opened", "suspended");
		SessionStatus suspended = this.locks.session();
		assertThat(suspended.connected()).isFalse();
		assertThat(suspended.open()).isTrue();
		assertThat(suspended.id()).isEqualTo(id);
		assertThat(suspended.since()).isAfterOrEqualTo(connected);
		this.proxy.heal();
		this.recorder.await("opened", "suspended", "resumed");
		assertThat(this.locks.session().connected()).isTrue();
		assertThat(this.locks.session().opened()).isOne();
		assertThat(this.recorder.statuses).extracting(SessionStatus::connected).containsExactly(true, false, true);
		assertThat(this.recorder.statuses).extracting(SessionStatus::id).containsOnly(id);
	}

	@Test
	void expiredSessionIsFollowedByAnother() throws Exception {
		ZooKeeper handle = this.locks.zooKeeper();
		long id = handle.getSessionId();
		Sessions.expire(handle);
		this.recorder.await("opened", "suspended", "expired", "opened");
		SessionStatus status = this.locks.session();
		assertThat(status.open()).isTrue();
		assertThat(status.id()).isNotEqualTo(id);
		assertThat(status.opened()).isEqualTo(2);
		assertThat(status.expired()).isOne();
		SessionStatus expired = this.recorder.statuses.get(2);
		assertThat(expired.open()).isFalse();
		assertThat(expired.connected()).isFalse();
		assertThat(expired.id()).isZero();
		assertThat(expired.opened()).isOne();
		assertThat(expired.expired()).isOne();
	}

	@Test
	void closedRegistryHasNoSession() throws Exception {
		this.locks.zooKeeper();
		this.locks.close();
		SessionStatus status = this.locks.session();
		assertThat(status.open()).isFalse();
		assertThat(status.connected()).isFalse();
		assertThat(status.expired()).as("closed by this process").isZero();
		assertThat(this.recorder.events).doesNotContain("expired");
	}

	@Test
	void serverOfASuppliedHandleIsNotKnown() throws Exception {
		ZooKeeperLocks supplied = closing(
				ZooKeeperLocks.builder((watcher) -> new ZooKeeper(server().connectString() + chroot(), 10_000, watcher))
					.build());
		supplied.zooKeeper();
		assertThat(supplied.session().server()).isNull();
		assertThat(supplied.session().connected()).isTrue();
	}

	private static final class Recorder implements LockListener {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final List<SessionStatus> statuses = new CopyOnWriteArrayList<>();

		private void record(String event, SessionStatus status) {
			this.statuses.add(status);
			this.events.add(event);
		}

		@Override
		public void sessionOpened(SessionStatus status) {
			record("opened", status);
		}

		@Override
		public void sessionSuspended(SessionStatus status) {
			record("suspended", status);
		}

		@Override
		public void sessionResumed(SessionStatus status) {
			record("resumed", status);
		}

		@Override
		public void sessionExpired(SessionStatus status) {
			record("expired", status);
		}

		void await(String... expected) {
			Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.events).containsExactly(expected));
		}

	}

}
