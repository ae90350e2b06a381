package io.github.zklock.engine;

import java.time.Duration;
import java.util.Objects;

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
 * session is long, so that no slow machine ends it, and is given up at once; the server
 * is made to keep it for so long that nobody can be served because it has expired.
 */
abstract class OldNodesTestSupport extends ElectionTestSupport {

	/**
	 * A session timeout for tests in which the client itself gives up its session.
	 */
	static final Duration SHORT_SESSION = Duration.ofSeconds(4);

	final FaultProxy proxy = proxy();

	final ZooKeeperLocks locks;

	final ZooKeeperLocks others = registry();

	volatile Faults faults = Faults.NONE;

	long oldSession;

	OldNodesTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		this.locks = closing(with(builder(this.proxy.connectString(), LONG_SESSION),
				(options) -> options.faults((place) -> this.faults.pass(place)))
			.build());
	}

	@AfterEach
	void endOldSession() {
		if (this.oldSession != 0) {
			server().server().closeSession(this.oldSession);
		}
	}

	/**
	 * Begin an outage in which the client gives up its session, which the server keeps.
	 */
	void outlastTheClient() throws Exception {
		ZooKeeper handle = this.locks.zooKeeper();
		beginOutage();
		this.proxy.cut();
		giveUp(handle);
	}

	/**
	 * Let no connection succeed that is made from now on.
	 */
	void beginOutage() {
		this.proxy.retarget("127.0.0.1:1");
	}

	/**
	 * Let the client give up its session, without waiting until it does so by itself.
	 */
	void giveUp(ZooKeeper handle) throws Exception {
		Session session = Objects.requireNonNull(keeper(this.locks).session());
		keepAcrossOutage(handle);
		keeper(this.locks).loop().execute(() -> session.end(session.losses().givenUp("is given up by a test", 0)));
		awaitEnd(handle);
		assertOldSessionLives();
	}

	/**
	 * Have the server keep the session of a connection that is about to be lost.
	 */
	private void keepAcrossOutage(ZooKeeper handle) throws Exception {
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
		keepOnServer(this.oldSession);
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
