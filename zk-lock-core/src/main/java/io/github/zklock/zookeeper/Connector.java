package io.github.zklock.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Makes handles that connect to the servers of a connect string.
 */
final class Connector implements ZooKeeperFactory {

	private final String connectString;

	private final int timeoutMillis;

	private final Supplier<? extends ZKClientConfig> clientConfig;

	private final List<AuthInfo> authInfos;

	private final Exposure exposure;

	private volatile @Nullable ServerAddresses servers;

	/**
	 * Create it.
	 * @param connectString where ZooKeeper is
	 * @param sessionTimeout the wanted session timeout
	 * @param clientConfig makes the configuration of the client, for each handle
	 * @param authInfos the credentials
	 * @param acl who may do what with the nodes, for a warning
	 */
	Connector(String connectString, Duration sessionTimeout, Supplier<? extends ZKClientConfig> clientConfig,
			List<AuthInfo> authInfos, List<ACL> acl) {
		this.connectString = connectString;
		this.timeoutMillis = Math.toIntExact(sessionTimeout.toMillis());
		this.clientConfig = clientConfig;
		this.authInfos = authInfos;
		this.exposure = new Exposure(connectString, acl, authInfos.stream().map(AuthInfo::scheme).toList());
	}

	@Override
	public ZooKeeper create(Watcher watcher) throws IOException {
		ZKClientConfig config = this.clientConfig.get();
		this.exposure.warn(config);
		ServerAddresses addresses = new ServerAddresses(this.connectString);
		this.servers = addresses;
		ZooKeeper zooKeeper = new ZooKeeper(this.connectString, this.timeoutMillis, watcher, false, addresses, config);
		this.authInfos.forEach((auth) -> zooKeeper.addAuthInfo(auth.scheme(), auth.bytes()));
		return zooKeeper;
	}

	/**
	 * Return the servers of the latest handle, if there is one.
	 */
	@Nullable ServerAddresses servers() {
		return this.servers;
	}

	/**
	 * Credentials.
	 *
	 * @param scheme the scheme
	 * @param auth the credentials, which are never shown
	 */
	record AuthInfo(String scheme, String auth) {

		byte[] bytes() {
			return this.auth.getBytes(StandardCharsets.UTF_8);
		}

		@Override
		public String toString() {
			return "AuthInfo[scheme=" + this.scheme + "]";
		}

	}

}
