package io.github.zklock.engine;

import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Events that a client sends seldom.
 */
class SessionEventTests extends LockTestSupport {

	SessionEventTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * A client whose SASL login has failed sends it, before it says that the credentials
	 * are wrong.
	 */
	@Test
	@Tag("H91")
	void eventWithoutAStateIsNoFailure() throws Exception {
		AtomicReference<Watcher> watcher = new AtomicReference<>();
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder((sessionWatcher) -> {
			watcher.set(sessionWatcher);
			return new ZooKeeper(server().connectString() + chroot(), (int) LONG_SESSION.toMillis(), sessionWatcher);
		}).sessionTimeout(LONG_SESSION).connectTimeout(PATIENCE).build());
		LockLease lease = locks.lock("lock").acquire();
		try (LogRecorder log = new LogRecorder(EventLoop.class, Level.DEBUG)) {
			watcher.get().process(new WatchedEvent(EventType.None, null, null));
			settle(locks);
			assertThat(log.texts(Level.DEBUG)).isEmpty();
		}
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

}
