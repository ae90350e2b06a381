package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.FilterReply;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.leader.Leadership;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How much an application with Spring Boot's defaults logs while its ZooKeeper is away,
 * with a lock and a role: the ZooKeeper client nothing, and zk-lock a few lines, however
 * often it tries, and one more for each minute.
 */
class OutageLinesTests extends ServerTestSupport {

	// Ten of the thirty lines in ten minutes are reminders
	private static final int MOST_LINES = 20;

	// How often the client wants to log something
	private static final int SUPPRESSED = 8;

	private static final String UNREACHABLE = "ZooKeeper \\(.*\\) has been out of reach for \\d+ ms.*";

	private static final String SESSION_OVER = "Session 0x[0-9a-f]+ is over: .*";

	private static final String LOST = "Lock 'held' was lost after \\d+ ms: .*";

	private static final String NOT_LEADING = "Leadership of 'role' lost after \\d+ ms, token \\d+: .*";

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final Recorder recorder = new Recorder();

	OutageLinesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.recorder.end();
		for (int index = this.resources.size() - 1; index >= 0; index--) {
			this.resources.get(index).close();
		}
		LoggingSystem system = LoggingSystem.get(getClass().getClassLoader());
		system.setLogLevel(QuietClient.CLIENT, null);
		system.setLogLevel(QuietClient.CONNECTION, null);
	}

	private <T extends AutoCloseable> T closing(T resource) {
		this.resources.add(resource);
		return resource;
	}

	private ConfigurableApplicationContext start(String connectString) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		ConfigurableApplicationContext context = closing(application.run(
				"--logging.config=" + QuietClientTests.DEFAULT_LOGGING, "--spring.application.name=shop",
				"--zk.lock.connect-string=" + connectString, "--zk.lock.session.timeout=2s",
				"--zk.lock.session.server-tick=500ms", "--zk.lock.session.connect-timeout=500ms"));
		this.recorder.begin();
		return context;
	}

	/**
	 * Start an application that holds a lock and leads.
	 */
	private void startInUse(String connectString) throws Exception {
		ConfigurableApplicationContext context = start(connectString);
		Leadership leadership = context.getBean(LockRegistry.class).election("role").leadership();
		context.getBean(LockRegistry.class).election("role").join();
		// With a limit, the first connection would have to be there within 500 ms
		context.getBean(LockRegistry.class).lock("held").acquire();
		await().atMost(PATIENCE).until(leadership::isLeader);
	}

	private FaultProxy proxy() {
		return closing(FaultProxy.to(server().connectString()));
	}

	private String through(FaultProxy proxy) {
		return proxy.connectString() + chroot();
	}

	/**
	 * Wait until everything has happened that an outage brings, and then until the client
	 * has tried some times more.
	 * @param lines what must have been logged, as regular expressions
	 */
	private void assertFewLines(String... lines) {
		for (String line : lines) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.recorder.own()).anyMatch((own) -> own.matches(line)));
		}
		int before = this.recorder.suppressed();
		await().atMost(PATIENCE.multipliedBy(2)).until(() -> this.recorder.suppressed() >= before + SUPPRESSED);
		assertThat(this.recorder.ofClient()).isEmpty();
		assertThat(this.recorder.own()).hasSizeLessThanOrEqualTo(MOST_LINES);
	}

	@Test
	void connectionIsRefused() throws Exception {
		FaultProxy proxy = proxy();
		startInUse(through(proxy));
		proxy.close();
		assertFewLines(UNREACHABLE, LOST, NOT_LEADING, SESSION_OVER);
	}

	@Test
	void hostsAreUnknown() {
		ConfigurableApplicationContext context = start("zk1.invalid:2181,zk2.invalid:2181");
		context.getBean(LockRegistry.class).election("role").join();
		assertFewLines(UNREACHABLE);
	}

	@Test
	void serverIsSilent() throws Exception {
		FaultProxy proxy = proxy();
		startInUse(through(proxy));
		proxy.swallow();
		assertFewLines(UNREACHABLE, LOST, NOT_LEADING, SESSION_OVER);
		proxy.heal();
	}

	@Test
	void serverHasNoQuorum() throws Exception {
		FaultProxy proxy = proxy();
		startInUse(through(proxy));
		Closer closer = closing(new Closer());
		proxy.retarget(closer.connectString());
		proxy.cut();
		assertFewLines(UNREACHABLE, LOST, NOT_LEADING, SESSION_OVER);
	}

	/**
	 * Accepts connections and closes them, as a server without a quorum does.
	 */
	private static final class Closer implements AutoCloseable {

		private final ServerSocket socket;

		Closer() throws IOException {
			this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			Thread thread = new Thread(this::accept, "closer");
			thread.setDaemon(true);
			thread.start();
		}

		private void accept() {
			try {
				while (true) {
					try (Socket connection = this.socket.accept()) {
						connection.getInputStream().read();
					}
				}
			}
			catch (IOException ex) {
				// closed
			}
		}

		String connectString() {
			return "127.0.0.1:" + this.socket.getLocalPort();
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

	/**
	 * Records what the ZooKeeper client and zk-lock log, as lines, and counts what the
	 * client would have logged at INFO.
	 */
	private static final class Recorder extends AppenderBase<ILoggingEvent> {

		private final List<String> own = new CopyOnWriteArrayList<>();

		private final List<String> ofClient = new CopyOnWriteArrayList<>();

		private final AtomicInteger calls = new AtomicInteger();

		private final TurboFilter counter = new TurboFilter() {

			@Override
			public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] parameters,
					Throwable failure) {
				if (isClient(logger.getName()) && level.isGreaterOrEqual(Level.INFO)
						&& !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
					Recorder.this.calls.incrementAndGet();
				}
				return FilterReply.NEUTRAL;
			}

		};

		/**
		 * Begin anew. An application that starts has forgotten all appenders.
		 */
		void begin() {
			Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
			root.detachAppender(this);
			root.getLoggerContext().getTurboFilterList().remove(this.counter);
			start();
			root.addAppender(this);
			root.getLoggerContext().addTurboFilter(this.counter);
			this.own.clear();
			this.ofClient.clear();
		}

		void end() {
			Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
			root.detachAppender(this);
			root.getLoggerContext().getTurboFilterList().remove(this.counter);
		}

		private static boolean isClient(String logger) {
			return logger.startsWith("org.apache.zookeeper") && !logger.startsWith("org.apache.zookeeper.server");
		}

		@Override
		protected void append(ILoggingEvent event) {
			if (event.getLoggerName().startsWith("io.github.zklock")) {
				record(event, this.own);
			}
			else if (isClient(event.getLoggerName())) {
				record(event, this.ofClient);
			}
		}

		private static void record(ILoggingEvent event, List<String> lines) {
			lines.add(event.getFormattedMessage());
			ThrowableProxyUtil.asString(event.getThrowableProxy()).lines().forEach(lines::add);
		}

		List<String> own() {
			return List.copyOf(this.own);
		}

		List<String> ofClient() {
			return List.copyOf(this.ofClient);
		}

		int suppressed() {
			return this.calls.get();
		}

	}

	@EnableAutoConfiguration
	static class Application {

	}

}
