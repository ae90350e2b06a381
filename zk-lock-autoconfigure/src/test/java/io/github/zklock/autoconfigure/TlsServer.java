package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A ZooKeeper server that speaks nothing but TLS and wants a certificate from its
 * clients, and the key stores for both sides.
 */
final class TlsServer implements AutoCloseable {

	static final String PASSWORD = "store-password";

	private static final int ATTEMPTS = 5;

	private final Path directory;

	private final int port;

	private final Process process;

	TlsServer(Path directory) throws IOException, InterruptedException {
		this.directory = directory;
		makePair("server");
		makePair("client");
		makePair("stranger");
		trust("server", "client");
		trust("client", "server");
		trust("stranger", "stranger");
		for (int attempt = 1; true; attempt++) {
			int free = freePort();
			Process started = start(free);
			await().atMost(PATIENCE).until(() -> !started.isAlive() || isListening(free));
			if (started.isAlive()) {
				this.port = free;
				this.process = started;
				return;
			}
			// Somebody else has taken the port meanwhile
			assertThat(attempt).as(() -> read(log())).isLessThan(ATTEMPTS);
			assertThat(read(log())).contains("Address already in use");
		}
	}

	String connectString() {
		return "localhost:" + this.port;
	}

	/**
	 * Return the properties of an SSL bundle with the name of its owner.
	 */
	String[] bundle(String owner) {
		String prefix = "spring.ssl.bundle.jks.%s.".formatted(owner);
		return new String[] { prefix + "keystore.location=file:" + keyStore(owner),
				prefix + "keystore.password=" + PASSWORD, prefix + "keystore.type=PKCS12",
				prefix + "truststore.location=file:" + trustStore(owner), prefix + "truststore.password=" + PASSWORD,
				prefix + "truststore.type=PKCS12" };
	}

	private Path keyStore(String owner) {
		return this.directory.resolve(owner + "-keys.p12");
	}

	private Path trustStore(String owner) {
		return this.directory.resolve(owner + "-certificates.p12");
	}

	private void makePair(String owner) throws IOException, InterruptedException {
		keytool("-genkeypair", "-alias", owner, "-keyalg", "EC", "-dname", "CN=" + owner, "-ext",
				"san=dns:localhost,ip:127.0.0.1", "-validity", "2", "-keystore", keyStore(owner).toString());
		keytool("-exportcert", "-alias", owner, "-keystore", keyStore(owner).toString(), "-file",
				certificate(owner).toString());
	}

	private Path certificate(String owner) {
		return this.directory.resolve(owner + ".crt");
	}

	private void trust(String who, String whom) throws IOException, InterruptedException {
		keytool("-importcert", "-noprompt", "-alias", whom, "-file", certificate(whom).toString(), "-keystore",
				trustStore(who).toString());
	}

	private void keytool(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(executable("keytool")));
		command.addAll(List.of(arguments));
		command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
		Path log = this.directory.resolve("keytool.log");
		Process tool = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		assertThat(tool.waitFor()).as(() -> read(log)).isZero();
	}

	private static String executable(String name) {
		return Path.of(System.getProperty("java.home"), "bin", name).toString();
	}

	/**
	 * Find a port that is free, and not one of those that Linux hands out to outgoing
	 * connections.
	 */
	private static int freePort() throws IOException {
		for (int attempt = 1; true; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				if (attempt == 100) {
					throw ex;
				}
			}
		}
	}

	private Process start(int port) throws IOException {
		Path configuration = this.directory.resolve("zoo.cfg");
		Files.writeString(configuration, """
				tickTime=500
				dataDir=%s
				admin.enableServer=false
				secureClientPort=%d
				secureClientPortAddress=127.0.0.1
				serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
				ssl.keyStore.location=%s
				ssl.keyStore.password=%s
				ssl.trustStore.location=%s
				ssl.trustStore.password=%s
				ssl.clientAuth=need
				""".formatted(this.directory.resolve("data"), port, keyStore("server"), PASSWORD, trustStore("server"),
				PASSWORD));
		return new ProcessBuilder(executable("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
				"-Dzklock.server-log=" + log(), "-cp", System.getProperty("java.class.path"),
				TlsServerMain.class.getName(), configuration.toString())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
			.start();
	}

	private Path log() {
		return this.directory.resolve("server.log");
	}

	private static boolean isListening(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

}
