package io.github.zklock.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Makes configurations of the ZooKeeper client. If it needs files for TLS, they exist
 * between a start and the next stop. Thread-safe.
 */
final class ClientConfiguration implements Supplier<ZKClientConfig> {

	private final Map<String, String> properties;

	private final Supplier<@Nullable SslBundle> bundle;

	private final Runnable beforeUse;

	private @Nullable KeyStoreFiles files;

	private Map<String, String> tls = Map.of();

	/**
	 * Create it, and the files.
	 * @param properties properties of the client
	 * @param bundle gives what TLS needs, null if there is no TLS
	 * @param beforeUse run before the client is used
	 */
	ClientConfiguration(Map<String, String> properties, Supplier<@Nullable SslBundle> bundle, Runnable beforeUse) {
		this.properties = properties;
		this.bundle = bundle;
		this.beforeUse = beforeUse;
		open();
	}

	/**
	 * Make the files, unless they exist.
	 */
	synchronized void open() {
		SslBundle present = (this.files == null) ? this.bundle.get() : null;
		if (present != null) {
			KeyStoreFiles made = new KeyStoreFiles(present);
			this.files = made;
			this.tls = made.clientProperties(present.getOptions());
		}
	}

	/**
	 * Use another SSL bundle for the connections to come.
	 */
	synchronized void update(SslBundle updated) {
		if (this.files != null) {
			this.files.update(updated);
		}
	}

	@Override
	public synchronized ZKClientConfig get() {
		this.beforeUse.run();
		ZKClientConfig config = new ZKClientConfig();
		Map<String, String> all = new HashMap<>(this.properties);
		all.putAll(this.tls);
		all.forEach(config::setProperty);
		return config;
	}

	/**
	 * Delete the files.
	 */
	synchronized void close() {
		if (this.files != null) {
			this.files.close();
			this.files = null;
		}
	}

}
