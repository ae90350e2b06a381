package io.github.zklock.zookeeper;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns, once, of what everybody on the network may do or read. Servers on the same host
 * are no matter for warnings.
 */
final class Exposure {

	private static final Logger logger = LoggerFactory.getLogger(Exposure.class);

	private final String connectString;

	private final boolean openNodes;

	private final boolean passwords;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Describe a registry.
	 * @param connectString where the servers are
	 * @param acl who may do what with the nodes
	 * @param schemes the schemes of the credentials
	 */
	Exposure(String connectString, List<ACL> acl, List<String> schemes) {
		this.connectString = connectString;
		this.openNodes = new AccessRules(acl).isHarmful();
		this.passwords = schemes.contains("digest");
	}

	/**
	 * The client is about to connect.
	 */
	void warn(ZKClientConfig config) {
		if (isLocal(this.connectString) || this.warned.getAndSet(true)) {
			return;
		}
		if (this.openNodes) {
			logger.warn("Everybody who can reach ZooKeeper ({}) may take, free and block locks: the nodes are open."
					+ " Set credentials ('authInfo', property 'zk.lock.auth') and, if it is set, the access control list"
					+ " ('acl') to the creator's ('zk.lock.acl=creator'). See docs/security.md", this.connectString);
		}
		if (this.passwords && !config.getBoolean(ZKClientConfig.SECURE_CLIENT)) {
			logger.warn("The credentials ('authInfo', property 'zk.lock.auth') go to ZooKeeper ({}) in clear text:"
					+ " the connection has no TLS. Set it up ('clientConfig', property 'zk.lock.ssl.bundle')."
					+ " See docs/security.md", this.connectString);
		}
	}

	/**
	 * Return whether all servers are on this host, as far as their names say so.
	 */
	static boolean isLocal(String connectString) {
		return new ConnectStringParser(connectString).getServerAddresses()
			.stream()
			.allMatch((server) -> isLoopback(server.getHostString().toLowerCase(Locale.ROOT)));
	}

	private static boolean isLoopback(String host) {
		return host.equals("localhost") || host.endsWith(".localhost") || host.matches("127(\\.\\d{1,3}){3}")
				|| host.equals("::1") || host.equals("[::1]") || host.equals("0:0:0:0:0:0:0:1");
	}

}
