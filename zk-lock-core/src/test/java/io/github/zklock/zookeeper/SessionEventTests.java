package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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
	void h91_eventWithoutAStateIsNoFailure() throws Exception {
		AtomicReference<Watcher> watcher = new AtomicReference<>();
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder((sessionWatcher) -> {
			watcher.set(sessionWatcher);
			return new ZooKeeper(server().connectString() + chroot(), (int) LONG_SESSION.toMillis(), sessionWatcher);
		}).sessionTimeout(LONG_SESSION).connectTimeout(PATIENCE).build());
		LockLease lease = locks.lock("lock").acquire();
		Logger logger = (Logger) LoggerFactory.getLogger(EventLoop.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		try {
			watcher.get().process(new WatchedEvent(EventType.None, null, null));
			settle(locks);
			assertThat(log.list).isEmpty();
		}
		finally {
			logger.detachAppender(log);
		}
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

}
