package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The properties {@code zk.lock.*}.
 *
 * @param enabled Whether locks and elections are configured at all.
 * @param type Where locks are kept: in ZooKeeper, or in this application only.
 * @param connectString Comma-separated list of ZooKeeper servers, each as host:port,
 * optionally followed by a path below which everything is kept.
 * @param root Node below which locks and elections are kept.
 * @param instance Name of this application's instance, for people who look at locks and
 * elections, for example the name of its pod. By default made of the application's name,
 * the host's, and something random.
 * @param maxWait Default of the longest wait for a lock that others hold. Annotations and
 * lock options may override it.
 * @param session The session with ZooKeeper.
 * @param curatorReadWrite Whether write locks and read locks are shared with Curator's
 * InterProcessReadWriteLock instead of its InterProcessMutex.
 * @param startup What to do at start-up while ZooKeeper cannot be reached.
 * @param shutdown The end of the application.
 * @param order Order of the advice that takes locks, among all advice of a method.
 * @param auth Credentials, each with a scheme and a value, for example 'digest' and
 * 'user:password'.
 * @param acl Who may do what with the nodes: 'open', 'creator', or a list of
 * scheme:id:permissions, for example 'digest:user:hash:cdrwa'. By default 'creator' if
 * there are credentials, otherwise 'open'.
 * @param ssl TLS.
 * @param clientProperties Settings of the ZooKeeper client, by the names of its system
 * properties.
 * @param clientLog What the ZooKeeper client logs by itself, unless levels are set for
 * its loggers.
 * @param leader Elections.
 * @param embedded A ZooKeeper server inside this application, for development.
 * @param createRoot Whether the root is created if it does not exist. Otherwise somebody
 * has to make it, with the right access control list.
 */
@ConfigurationProperties("zk.lock")
public record ZkLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("zookeeper") Type type,
		@DefaultValue("localhost:2181") String connectString, @DefaultValue("/zk-lock") String root,
		@Nullable String instance, @DefaultValue("10s") Duration maxWait, @DefaultValue Session session,
		@DefaultValue("false") boolean curatorReadWrite, @DefaultValue("continue") Startup startup,
		@DefaultValue Shutdown shutdown, @DefaultValue("2147483547") int order, @DefaultValue List<Auth> auth,
		@Nullable List<String> acl, @DefaultValue Ssl ssl, @DefaultValue Map<String, String> clientProperties,
		@DefaultValue("quiet") ClientLog clientLog, @DefaultValue Leader leader, @DefaultValue Embedded embedded,
		@DefaultValue("true") boolean createRoot) {

	/**
	 * Says nothing that may be secret.
	 */
	@Override
	public String toString() {
		return "ZkLockProperties[type=%s, connectString=%s, root=%s]".formatted(this.type, this.connectString,
				this.root);
	}

	/**
	 * Where locks are kept.
	 */
	public enum Type {

		/**
		 * In ZooKeeper: they hold across processes.
		 */
		ZOOKEEPER,

		/**
		 * In the application context: for tests and applications that run once.
		 */
		LOCAL

	}

	/**
	 * What to do at start-up while ZooKeeper cannot be reached.
	 */
	public enum Startup {

		/**
		 * Start, and go on trying.
		 */
		CONTINUE,

		/**
		 * Do not start.
		 */
		FAIL

	}

	/**
	 * What the ZooKeeper client logs by itself.
	 */
	public enum ClientLog {

		/**
		 * Problems only, and none of those that it meets again and again while ZooKeeper
		 * cannot be reached.
		 */
		QUIET,

		/**
		 * Everything.
		 */
		FULL

	}

	/**
	 * The session with ZooKeeper.
	 *
	 * @param timeout How long others wait for the locks of a process that has died. A
	 * holder that cannot reach ZooKeeper loses its locks after half of it.
	 * @param connectTimeout How long to wait for a connection where one is needed at
	 * once. A request for a lock spends no more of its wait without a connection, and
	 * fails at once when it has been gone for longer.
	 * @param answerTimeout How long ZooKeeper has to answer a request that does not wait
	 * for the lock.
	 * @param serverTick What tickTime the ZooKeeper servers have. A session timeout below
	 * four ticks is warned of.
	 * @param maxNodeBytes How many bytes the paths of all nodes of this application may
	 * have together. A server whose jute.maxbuffer is the usual one does not survive the
	 * end of a session with more than 2000000.
	 */
	public record Session(@DefaultValue("15s") Duration timeout, @DefaultValue("5s") Duration connectTimeout,
			@DefaultValue("500ms") Duration answerTimeout, @DefaultValue("2s") Duration serverTick,
			@DefaultValue("1500000") int maxNodeBytes) {

	}

	/**
	 * The end of the application.
	 *
	 * @param waitTime How long to wait for those who hold a lock. Must not be longer than
	 * spring.lifecycle.timeout-per-shutdown-phase.
	 */
	public record Shutdown(@Name("wait") @DefaultValue("10s") Duration waitTime) {

	}

	/**
	 * Credentials.
	 *
	 * @param scheme The scheme.
	 * @param value The secret.
	 */
	public record Auth(@DefaultValue("digest") String scheme, @Nullable String value) {

		/**
		 * Read credentials from one text, for example {@code digest:user:password}. Never
		 * fails: a message of the binder's would show the text.
		 * @param text scheme and value, separated by a colon
		 * @return the credentials, with an empty scheme if there was no colon
		 */
		public static Auth valueOf(String text) {
			int colon = text.indexOf(':');
			return (colon < 0) ? new Auth("", text) : new Auth(text.substring(0, colon), text.substring(colon + 1));
		}

		@Override
		public String toString() {
			return "Auth[scheme=%s]".formatted(this.scheme);
		}

	}

	/**
	 * TLS.
	 *
	 * @param bundle Name of the SSL bundle to connect with. Server names are always
	 * checked, whatever zookeeper.ssl.hostnameVerification says.
	 */
	public record Ssl(@Nullable String bundle) {

	}

	/**
	 * Elections.
	 *
	 * @param roles Roles to take part in, besides those that the application's methods
	 * name.
	 * @param followReadiness Whether to give up leadership while the application refuses
	 * traffic.
	 * @param handOverWait How long a leader that leaves waits for its running work and
	 * for listeners that hear of it. Must not be longer than
	 * spring.lifecycle.timeout-per-shutdown-phase.
	 */
	public record Leader(@DefaultValue List<String> roles, @DefaultValue("true") boolean followReadiness,
			@DefaultValue("10s") Duration handOverWait) {

	}

	/**
	 * A ZooKeeper server inside this application, for development.
	 *
	 * @param enabled Whether to start a ZooKeeper server inside this application. Needs
	 * zk-lock-embedded on the class path.
	 * @param port Port of the embedded server, 0 for any free one. If the port is taken,
	 * the ZooKeeper that listens there is used instead.
	 * @param dataDir Where the embedded server keeps its data. A temporary directory by
	 * default.
	 */
	public record Embedded(@DefaultValue("false") boolean enabled, @DefaultValue("2181") int port,
			@Nullable Path dataDir) {

	}

}
