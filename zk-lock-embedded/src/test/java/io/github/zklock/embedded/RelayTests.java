package io.github.zklock.embedded;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RelayTests {

	private static final int PATIENCE_MILLIS = Math.toIntExact(TestClient.PATIENCE.toMillis());

	private final ServerSocket target = Loopback.listen();

	private @Nullable Relay relay;

	RelayTests() throws IOException {
		this.target.setSoTimeout(PATIENCE_MILLIS);
	}

	@AfterEach
	void close() throws IOException {
		if (this.relay != null) {
			this.relay.close();
		}
		this.target.close();
	}

	private Relay start(BiFunction<Relay, Direction, RelayTraffic.Decision> decisions) throws IOException {
		return start(decisions, Duration.ZERO);
	}

	private Relay start(BiFunction<Relay, Direction, RelayTraffic.Decision> decisions, Duration patience)
			throws IOException {
		Bytes traffic = new Bytes(decisions);
		Relay started = new Relay(Loopback.address(this.target.getLocalPort()), traffic, patience);
		traffic.relay = started;
		this.relay = started;
		started.start();
		return started;
	}

	private static Socket connect(Relay relay) throws IOException {
		Socket client = new Socket();
		client.connect(Loopback.address(relay.port()), PATIENCE_MILLIS);
		client.setSoTimeout(PATIENCE_MILLIS);
		return client;
	}

	private Socket accept() throws IOException {
		Socket server = this.target.accept();
		server.setSoTimeout(PATIENCE_MILLIS);
		return server;
	}

	@Test
	void healAfterTheReportOfAHoldReleasesIt() throws Exception {
		Relay relay = start((self, direction) -> new RelayTraffic.Decision(RelayTraffic.Verdict.HOLD, self::heal));
		try (Socket client = connect(relay); Socket server = accept()) {
			client.getOutputStream().write(7);
			assertThat(server.getInputStream().read()).isEqualTo(7);
		}
	}

	@Test
	void healThatMeetsADecisionToHoldReleasesIt() throws Exception {
		Relay relay = start((self, direction) -> {
			Thread healing = new Thread(self::heal);
			healing.start();
			await().atMost(TestClient.PATIENCE)
				.until(() -> healing.getState() == Thread.State.BLOCKED || !healing.isAlive());
			return new RelayTraffic.Decision(RelayTraffic.Verdict.HOLD, () -> {
			});
		});
		try (Socket client = connect(relay); Socket server = accept()) {
			client.getOutputStream().write(7);
			assertThat(server.getInputStream().read()).isEqualTo(7);
		}
	}

	@Test
	void cutIsReportedWhenTheConnectionIsClosed() throws Exception {
		for (RelayTraffic.Verdict verdict : new RelayTraffic.Verdict[] { RelayTraffic.Verdict.CUT,
				RelayTraffic.Verdict.PASS_THEN_CUT }) {
			CompletableFuture<Integer> connections = new CompletableFuture<>();
			try (Relay relay = start((self, direction) -> new RelayTraffic.Decision(verdict,
					() -> connections.complete(self.connectionCount())));
					Socket client = connect(relay);
					Socket server = accept()) {
				client.getOutputStream().write(7);
				assertThat(connections.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as(verdict.name()).isZero();
				assertThat(client.getInputStream().read()).isNegative();
			}
		}
	}

	@Test
	void nothingArrivesBehindAHoleWhenAllFaultsEnd() throws Exception {
		assertThatNothingArrivesBehindAHole(Relay::heal);
	}

	@Test
	void nothingArrivesBehindAHoleWhenOneWayIsReleased() throws Exception {
		assertThatNothingArrivesBehindAHole((relay) -> relay.release(Direction.TO_SERVER));
	}

	/**
	 * Each round gives the relay a little more time to swallow some of a long queue.
	 */
	private void assertThatNothingArrivesBehindAHole(Consumer<Relay> end) throws Exception {
		byte[] numbers = numbers(20_000);
		AtomicInteger seen = new AtomicInteger();
		Relay relay = start((self, direction) -> {
			seen.incrementAndGet();
			return RelayTraffic.Decision.PASS;
		});
		for (int round = 0; round < 50; round++) {
			try (Socket client = connect(relay); Socket server = accept()) {
				seen.set(0);
				relay.valve(Direction.TO_SERVER).set(Valve.State.HOLDING);
				client.getOutputStream().write(numbers);
				await().atMost(TestClient.PATIENCE)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> seen.get() == numbers.length);
				relay.valve(Direction.TO_SERVER).set(Valve.State.SWALLOWING);
				for (int pause = 0; pause < 50 * round; pause++) {
					Thread.onSpinWait();
				}
				end.accept(relay);
				byte[] received = server.getInputStream().readNBytes(numbers.length);
				assertThat(received).isEqualTo(Arrays.copyOf(numbers, received.length));
			}
		}
	}

	private static byte[] numbers(int count) {
		byte[] numbers = new byte[count];
		for (int index = 0; index < count; index++) {
			numbers[index] = (byte) index;
		}
		return numbers;
	}

	@Test
	void cutClosesAConnectionThatIsBeingMade() throws Exception {
		this.target.close();
		Relay relay = start((self, direction) -> RelayTraffic.Decision.PASS, TestClient.PATIENCE.multipliedBy(10));
		try (Socket client = connect(relay)) {
			String connecting = "relay-%d-connect".formatted(relay.port());
			await().atMost(TestClient.PATIENCE).until(() -> hasThread(connecting));
			relay.cut();
			assertThat(client.getInputStream().read()).isNegative();
			await().atMost(TestClient.PATIENCE).until(() -> !hasThread(connecting));
		}
	}

	private static boolean hasThread(String name) {
		return Thread.getAllStackTraces().keySet().stream().anyMatch((thread) -> thread.getName().equals(name));
	}

	/**
	 * Single bytes.
	 */
	private static final class Bytes implements RelayTraffic {

		private final BiFunction<Relay, Direction, RelayTraffic.Decision> decisions;

		private volatile @Nullable Relay relay;

		Bytes(BiFunction<Relay, Direction, RelayTraffic.Decision> decisions) {
			this.decisions = decisions;
		}

		@Override
		public byte @Nullable [] read(DataInputStream in) throws IOException {
			int read = in.read();
			return (read >= 0) ? new byte[] { (byte) read } : null;
		}

		@Override
		public RelayTraffic.Observer open() {
			Relay observed = this.relay;
			assertThat(observed).isNotNull();
			return (direction, chunk) -> this.decisions.apply(observed, direction);
		}

	}

}
