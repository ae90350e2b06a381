package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.zklock.spring.LockConfigurationException;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * An SSL bundle as files, since that is the only form in which ZooKeeper's client takes
 * keys and certificates: version 3.9.5 ignores
 * {@code zookeeper.ssl.context.supplier.class}. Only the owner of the process can read
 * them, and their password is a random one. The client reads them each time it connects.
 *
 * <p>
 * Netty 4.2 checks the server's name on this way even if
 * {@code zookeeper.ssl.hostnameVerification} is false.
 */
final class KeyStoreFiles implements AutoCloseable {

	private static final String TYPE = "PKCS12";

	private static final String KEY_STORE = "zookeeper.ssl.keyStore.";

	private static final String TRUST_STORE = "zookeeper.ssl.trustStore.";

	/**
	 * Prefixes of the client properties that come from the SSL bundle and must not be set
	 * besides.
	 */
	static final List<String> OWN_PROPERTIES = List.of(KEY_STORE, TRUST_STORE, ZKClientConfig.SECURE_CLIENT,
			ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "zookeeper.ssl.context.supplier.class",
			"zookeeper.ssl.hostnameVerification");

	private final Path directory;

	private final Path keyStore;

	private final Path trustStore;

	private final String password;

	private boolean closed;

	KeyStoreFiles(SslBundle bundle) {
		byte[] random = new byte[16];
		new SecureRandom().nextBytes(random);
		this.password = HexFormat.of().formatHex(random);
		try {
			this.directory = Files.createTempDirectory("zk-lock-tls-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No directory for the TLS files of the ZooKeeper client can be made", ex);
		}
		this.keyStore = this.directory.resolve("keys.p12");
		this.trustStore = this.directory.resolve("certificates.p12");
		try {
			update(bundle);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Replace the files, for the connections to come.
	 */
	synchronized void update(SslBundle bundle) {
		if (this.closed) {
			return;
		}
		try {
			KeyStore keys = bundle.getStores().getKeyStore();
			if (keys != null) {
				write(this.keyStore, copyKeys(keys, bundle));
			}
			KeyStore certificates = bundle.getStores().getTrustStore();
			if (certificates != null) {
				write(this.trustStore, copyCertificates(certificates));
			}
		}
		catch (GeneralSecurityException ex) {
			throw new LockConfigurationException(
					"The SSL bundle of the ZooKeeper client cannot be used: %s".formatted(ex.getMessage()),
					"Check the key and the passwords of the bundle that 'zk.lock.ssl.bundle' names.", ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The TLS files of the ZooKeeper client cannot be written", ex);
		}
	}

	private KeyStore copyKeys(KeyStore source, SslBundle bundle) throws GeneralSecurityException, IOException {
		String wanted = bundle.getKey().getAlias();
		String keyPassword = bundle.getKey().getPassword();
		char[] secret = characters((keyPassword != null) ? keyPassword : bundle.getStores().getKeyStorePassword());
		KeyStore copy = newStore();
		for (String alias : Collections.list(source.aliases())) {
			if (source.isKeyEntry(alias) && (wanted == null || wanted.equalsIgnoreCase(alias))) {
				copy.setKeyEntry(alias, source.getKey(alias, secret), this.password.toCharArray(),
						source.getCertificateChain(alias));
			}
		}
		return copy;
	}

	private static char @Nullable [] characters(@Nullable String text) {
		return (text != null) ? text.toCharArray() : null;
	}

	private static KeyStore copyCertificates(KeyStore source) throws GeneralSecurityException, IOException {
		KeyStore copy = newStore();
		for (String alias : Collections.list(source.aliases())) {
			copy.setCertificateEntry(alias, source.getCertificate(alias));
		}
		return copy;
	}

	private static KeyStore newStore() throws GeneralSecurityException, IOException {
		KeyStore store = KeyStore.getInstance(TYPE);
		store.load(null, null);
		return store;
	}

	private void write(Path target, KeyStore store) throws GeneralSecurityException, IOException {
		// Only the owner can read a temporary file
		Path file = Files.createTempFile(this.directory, "new-", ".p12");
		try (OutputStream out = Files.newOutputStream(file)) {
			store.store(out, this.password.toCharArray());
		}
		Files.move(file, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Return the settings with which a client uses these files.
	 */
	Map<String, String> clientProperties(SslOptions options) {
		Map<String, String> settings = new LinkedHashMap<>();
		settings.put(ZKClientConfig.SECURE_CLIENT, "true");
		settings.put(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		putStore(settings, KEY_STORE, this.keyStore);
		putStore(settings, TRUST_STORE, this.trustStore);
		putList(settings, "zookeeper.ssl.enabledProtocols", options.getEnabledProtocols());
		putList(settings, "zookeeper.ssl.ciphersuites", options.getCiphers());
		return settings;
	}

	private void putStore(Map<String, String> settings, String prefix, Path file) {
		if (Files.exists(file)) {
			settings.put(prefix + "location", file.toString());
			settings.put(prefix + "password", this.password);
			settings.put(prefix + "type", TYPE);
		}
	}

	private static void putList(Map<String, String> settings, String name, String @Nullable [] values) {
		if (values != null) {
			settings.put(name, String.join(",", values));
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		try {
			try (var files = Files.newDirectoryStream(this.directory)) {
				for (Path file : files) {
					Files.deleteIfExists(file);
				}
			}
			Files.deleteIfExists(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The TLS files of the ZooKeeper client cannot be deleted", ex);
		}
	}

}
