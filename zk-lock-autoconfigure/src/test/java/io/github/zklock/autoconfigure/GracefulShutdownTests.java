package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.leader.LeaderRoles;
import io.github.zklock.testing.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A web application that is shut down while it works.
 */
class GracefulShutdownTests extends ServerTestSupport {

	GracefulShutdownTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	@Tag("H17")
	void requestsUnderWayLockUntilTheyEnd() throws Exception {
		ConfigurableApplicationContext context = start();
		try {
			Web web = context.getBean(Web.class);
			Leadership leadership = context.getBean(Leadership.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			int port = Integer.parseInt(context.getEnvironment().getProperty("local.server.port", ""));
			await().atMost(PATIENCE).until(leadership::isLeader);
			CompletableFuture<HttpResponse<String>> holding = get(port, "/hold");
			CompletableFuture<HttpResponse<String>> locking = get(port, "/lock");
			CompletableFuture<Boolean> leading = CompletableFuture.supplyAsync(context.getBean(Work.class)::lead,
					this.callers);
			assertThat(Patience.await(web.work.started)).isTrue();

			CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close, this.callers);
			await().atMost(PATIENCE).until(() -> !leadership.isLeader());
			assertThat(Patience.get(get(port, "/hello")).body()).as("while the leader works").isEqualTo("hello");
			web.work.endLeading.countDown();
			assertThat(Patience.get(leading)).as("leads to the end").isTrue();
			await().atMost(PATIENCE).until(() -> isRefused(port));

			assertThat(closing).isNotDone();
			assertThat(server().view().sessions()).hasSize(1);
			web.work.end.countDown();
			assertThat(Patience.get(locking).body()).as("got its lock").isEqualTo("true");
			assertThat(Patience.get(holding).body()).as("kept its lock").isEqualTo("true");
			Patience.get(closing);
			assertThat(server().view().sessions()).isEmpty();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(registry.lock("after")::tryLock);
		}
		finally {
			context.close();
		}
	}

	@Test
	@Tag("H17")
	void electionsAreLeftFirstAndLocksLast() {
		runner().run((context) -> {
			assertThat(context.getBean(LeaderRoles.class).getPhase())
				.isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
			assertThat(context.getBean(ZooKeeperClient.class).getPhase())
				.isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
				.isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE);
		});
	}

	private ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "server.shutdown=graceful",
					"spring.application.name=shop", "zk.lock.connect-string=" + connectString(),
					"zk.lock.session.server-tick=500ms", "zk.lock.session.connect-timeout=" + PATIENCE,
					"zk.lock.max-wait=" + PATIENCE, "zk.lock.leader.hand-over-wait=30s")
			.run();
	}

	private static CompletableFuture<HttpResponse<String>> get(int port, String path) {
		return HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
					BodyHandlers.ofString());
	}

	private static boolean isRefused(int port) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return !socket.isConnected();
		}
		catch (ConnectException ex) {
			return true;
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	@Import(Web.class)
	static class Application {

		@Bean
		Latches latches() {
			return new Latches();
		}

		@Bean
		Work work(Latches latches) {
			return new Work(latches);
		}

	}

	static class Latches {

		private final CountDownLatch started = new CountDownLatch(3);

		private final CountDownLatch endLeading = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		void await(CountDownLatch latch) {
			this.started.countDown();
			try {
				assertThat(Patience.await(latch)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Work {

		private final Latches latches;

		Work(Latches latches) {
			this.latches = latches;
		}

		@DistributedLock("held")
		public boolean hold() {
			this.latches.await(this.latches.end);
			return CurrentLock.lease("held").isHeld();
		}

		@DistributedLock("late")
		public boolean lock() {
			return CurrentLock.lease("late").isHeld();
		}

		@LeaderOnly
		public @Nullable Boolean lead() {
			this.latches.await(this.latches.endLeading);
			return true;
		}

	}

	@RestController
	static class Web {

		private final Latches work;

		private final Work bean;

		Web(Latches latches, Work bean) {
			this.work = latches;
			this.bean = bean;
		}

		@GetMapping("/hello")
		String hello() {
			return "hello";
		}

		@GetMapping("/hold")
		String hold() {
			return "" + this.bean.hold();
		}

		@GetMapping("/lock")
		String lock() {
			this.work.await(this.work.end);
			return "" + this.bean.lock();
		}

	}

}
