package io.github.zklock.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Makes configurations of the ZooKeeper client. If it needs files for TLS, they are made
 * when they are needed first, and exist until the next stop. Thread-safe.
 */
final class ClientConfiguration implements Supplier<ZKClientConfig> {

	private final Map<String, String> properties;

	private final Supplier<@Nullable SslBundle> bundle;

	private @Nullable Runnable beforeUse;

	private @Nullable KeyStoreFiles files;

	private Map<String, String> tls = Map.of();

	private boolean closed;

	/**
	 * Create it, without files.
	 * @param properties properties of the client
	 * @param bundle gives what TLS needs, null if there is no TLS
	 * @param beforeUse run before the client is used first
	 */
	ClientConfiguration(Map<String, String> properties, Supplier<@Nullable SslBundle> bundle, Runnable beforeUse) {
		this.properties = properties;
		this.bundle = bundle;
		this.beforeUse = beforeUse;
	}

	/**
	 * Let the files be made, after a stop.
	 */
	synchronized void open() {
		this.closed = false;
	}

	/**
	 * Make the files now, unless they exist.
	 * @throws IllegalStateException if the client is not to be used any more
	 */
	synchronized void prepare() {
		if (this.closed) {
			throw new IllegalStateException("The client has been stopped");
		}
		if (this.beforeUse != null) {
			this.beforeUse.run();
			this.beforeUse = null;
		}
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
		prepare();
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
		this.closed = true;
		if (this.files != null) {
			this.files.close();
			this.files = null;
			this.tls = Map.of();
		}
	}

}
