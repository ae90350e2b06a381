package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.zklock.LockListener;
import io.github.zklock.autoconfigure.ZkLockProperties.Auth;
import io.github.zklock.autoconfigure.ZkLockProperties.ClientLog;
import io.github.zklock.autoconfigure.ZkLockProperties.Session;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.ssl.SslBundle;

/**
 * Makes locks in ZooKeeper as the properties, the connection details and the
 * application's beans say.
 */
final class ZooKeeperLocksFactory {

	private static final String JAAS_CONFIGURATION = "java.security.auth.login.config";

	private final ValidatedProperties validated;

	private final ZkLockProperties properties;

	private final ZooKeeperConnectionDetails details;

	private final LockListener publisher;

	private final List<Supplier<LockListener>> listeners;

	private final ObjectProvider<ZooKeeperLocksBuilderCustomizer> customizers;

	ZooKeeperLocksFactory(ValidatedProperties validated, ZooKeeperConnectionDetails details, LockListener publisher,
			List<Supplier<LockListener>> listeners, ObjectProvider<ZooKeeperLocksBuilderCustomizer> customizers) {
		this.validated = validated;
		this.properties = validated.get();
		this.details = details;
		this.publisher = publisher;
		this.listeners = listeners;
		this.customizers = customizers;
		checkConnectString();
		checkTls(details.getSslBundle());
		checkCreator(details.getSslBundle());
	}

	private void checkConnectString() {
		String connectString = this.details.getConnectString();
		try {
			if (!new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
				return;
			}
		}
		catch (IllegalArgumentException ex) {
			throw badConnectString(connectString, ex);
		}
		throw badConnectString(connectString, null);
	}

	private LockConfigurationException badConnectString(String connectString, @Nullable Throwable cause) {
		if (!(this.details instanceof PropertiesZooKeeperConnectionDetails)) {
			String type = this.details.getClass().getName();
			return new LockConfigurationException(
					"The connect string of the connection details %s is '%s', which does not name ZooKeeper servers."
						.formatted(type, connectString),
					"Let getConnectString() of %s return host:port, or several of them separated by commas. Or remove that bean and set 'zk.lock.connect-string'."
						.formatted(type),
					cause);
		}
		return new LockConfigurationException(
				"'zk.lock.connect-string' is '%s', which does not name ZooKeeper servers.".formatted(connectString),
				"Set 'zk.lock.connect-string' to host:port, or several of them separated by commas.", cause);
	}

	private void checkTls(@Nullable SslBundle bundle) {
		if (bundle == null) {
			return;
		}
		for (String key : this.properties.clientProperties().keySet()) {
			if (KeyStoreFiles.OWN_PROPERTIES.stream().anyMatch(key::startsWith)) {
				throw new LockConfigurationException(
						"'zk.lock.client-properties[%s]' has no effect together with 'zk.lock.ssl.bundle'."
							.formatted(key),
						"Remove 'zk.lock.client-properties[%s]': all of it comes from the SSL bundle, and server names are always checked. Or remove 'zk.lock.ssl.bundle'."
							.formatted(key));
			}
		}
	}

	/**
	 * ZooKeeper refuses nodes of a creator whom it does not know.
	 */
	private void checkCreator(@Nullable SslBundle bundle) {
		List<String> acl = this.properties.acl();
		if (acl != null && acl.contains(AccessControl.CREATOR) && !mayBeKnown(bundle)) {
			throw new LockConfigurationException(
					"'zk.lock.acl' is 'creator', but without 'zk.lock.auth' ZooKeeper does not know who that is.",
					"Set 'zk.lock.auth[0].scheme' and 'zk.lock.auth[0].value', or change 'zk.lock.acl'.");
		}
	}

	/**
	 * Return whether there are credentials, or a place from which they may come.
	 */
	private boolean mayBeKnown(@Nullable SslBundle bundle) {
		return !this.properties.auth().isEmpty() || bundle != null || !this.properties.clientProperties().isEmpty()
				|| System.getProperty(JAAS_CONFIGURATION) != null || this.customizers.stream().findAny().isPresent();
	}

	/**
	 * Return where the locks will be.
	 */
	String address() {
		return this.details.getConnectString();
	}

	/**
	 * Make what configures the client.
	 */
	ClientConfiguration clientConfiguration(@Nullable LoggingSystem loggingSystem) {
		boolean quiet = this.properties.clientLog() == ClientLog.QUIET;
		return new ClientConfiguration(this.properties.clientProperties(), this.details::getSslBundle, () -> {
			if (quiet) {
				QuietClient.quieten(loggingSystem);
			}
		});
	}

	/**
	 * Build the locks. They open no connection yet.
	 */
	ZooKeeperLocks create(ClientConfiguration clientConfiguration) {
		Session session = this.properties.session();
		ZooKeeperLocks.Builder builder = ZooKeeperLocks.builder(address())
			.root(this.properties.root())
			.sessionTimeout(session.timeout())
			.connectTimeout(session.connectTimeout())
			.answerTimeout(session.answerTimeout())
			.serverTick(session.serverTick())
			.maxNodeBytes(session.maxNodeBytes())
			.closeWait(this.properties.shutdown().waitTime())
			.handOverWait(this.properties.leader().handOverWait())
			.curatorReadWrite(this.properties.curatorReadWrite())
			.createRoot(this.properties.createRoot())
			.instance(this.validated.instance())
			.clientConfig(clientConfiguration)
			.listener(this.publisher);
		List<ACL> acl = this.validated.acl();
		if (acl != null) {
			builder.acl(acl);
		}
		for (Auth auth : this.properties.auth()) {
			builder.authInfo(auth.scheme(), Objects.requireNonNull(auth.value()));
		}
		this.listeners.forEach(builder::listener);
		this.customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

}
