package io.github.zklock.engine;

import java.time.Duration;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Outages after which the client has given up its session and the server has not. The
 * server is made to keep such a session for so long that nobody can be served because it
 * has expired.
 */
abstract class OldNodesTestSupport extends ElectionTestSupport {

	static final Duration SHORT_SESSION = Duration.ofSeconds(4);

	private static final int VERY_LONG_MILLIS = 600_000;

	final FaultProxy proxy = proxy();

	final ZooKeeperLocks locks;

	final ZooKeeperLocks others = registry();

	long oldSession;

	OldNodesTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		this(server, connectString, SHORT_SESSION);
	}

	OldNodesTestSupport(EmbeddedZooKeeper server, String connectString, Duration session) {
		super(server, connectString);
		this.locks = registry(this.proxy, session);
	}

	@AfterEach
	void endOldSession() {
		if (this.oldSession != 0) {
			server().server().closeSession(this.oldSession);
		}
	}

	/**
	 * Begin an outage, and wait until the client has given up its session, which the
	 * server keeps.
	 */
	void outlastTheClient() throws Exception {
		ZooKeeper handle = this.locks.zooKeeper();
		beginOutage();
		this.proxy.cut();
		awaitGivenUp(handle);
	}

	/**
	 * Let no connection succeed that is made from now on.
	 */
	void beginOutage() {
		this.proxy.retarget("127.0.0.1:1");
	}

	void awaitGivenUp(ZooKeeper handle) throws Exception {
		keepAcrossOutage(handle);
		awaitEnd(handle);
		assertOldSessionLives();
	}

	/**
	 * Have the server keep the session of a connection that is about to be lost.
	 */
	void keepAcrossOutage(ZooKeeper handle) throws Exception {
		this.oldSession = handle.getSessionId();
		awaitDisconnected(this.locks);
		// What the server has heard before must not make the time shorter again
		hear(this.others);
		keepOldSession();
		hear(this.others);
		keepOldSession();
	}

	static void awaitEnd(ZooKeeper handle) {
		await().atMost(PATIENCE).until(() -> handle.getState() == ZooKeeper.States.CLOSED);
	}

	void keepOldSession() {
		assertThat(server().server().getSessionTracker().touchSession(this.oldSession, VERY_LONG_MILLIS)).isTrue();
	}

	void assertOldSessionLives() {
		assertThat(server().view().sessions()).contains(this.oldSession);
	}

	void endOutage() {
		this.proxy.retarget(server().connectString());
	}

	void awaitOldNodes(int count) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(server().view().ephemerals(this.oldSession)).hasSize(count));
	}

}
