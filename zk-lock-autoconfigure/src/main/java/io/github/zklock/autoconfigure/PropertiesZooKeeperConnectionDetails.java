package io.github.zklock.autoconfigure;

import java.util.function.Consumer;

import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Connection details as the properties give them.
 */
final class PropertiesZooKeeperConnectionDetails implements ZooKeeperConnectionDetails {

	private final ZkLockProperties properties;

	private final @Nullable SslBundles bundles;

	PropertiesZooKeeperConnectionDetails(ZkLockProperties properties, @Nullable SslBundles bundles) {
		this.properties = properties;
		this.bundles = bundles;
	}

	@Override
	public String getConnectString() {
		return this.properties.connectString();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		String name = this.properties.ssl().bundle();
		return (name != null) ? bundles(name).getBundle(name) : null;
	}

	/**
	 * Have something done when the bundle has changed.
	 */
	void onBundleUpdate(Consumer<SslBundle> action) {
		String name = this.properties.ssl().bundle();
		if (name != null) {
			bundles(name).addBundleUpdateHandler(name, action);
		}
	}

	/**
	 * Return the bundles, which are known to have this one.
	 */
	private SslBundles bundles(String name) {
		if (this.bundles == null) {
			throw noSuchBundle(name, null);
		}
		try {
			this.bundles.getBundle(name);
			return this.bundles;
		}
		catch (NoSuchSslBundleException ex) {
			throw noSuchBundle(name, ex);
		}
	}

	private static LockConfigurationException noSuchBundle(String name, @Nullable Throwable cause) {
		return new LockConfigurationException(
				"'zk.lock.ssl.bundle' names the SSL bundle '%s', which does not exist.".formatted(name),
				"Define the bundle by 'spring.ssl.bundle.pem.%s' or 'spring.ssl.bundle.jks.%s', or correct 'zk.lock.ssl.bundle'."
					.formatted(name, name),
				cause);
	}

}
