package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * Ends sessions on purpose.
 */
public final class Sessions {

	private static final Pattern REMOTE_SERVER = Pattern.compile("remoteserver:[^/]*/(\\S+:\\d+)");

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private Sessions() {
	}

	/**
	 * End a client's session on the server, as its expiry would: its ephemeral nodes are
	 * gone when this method returns, and the client hears of it when it next connects.
	 * This goes the way on which the client is connected now, through its proxy if there
	 * is one, with the proxy's faults and counts.
	 * @param zooKeeper the client, which must be connected
	 * @throws IllegalStateException if the client is not connected, or the session could
	 * not be ended
	 */
	public static void expire(ZooKeeper zooKeeper) {
		Matcher server = REMOTE_SERVER.matcher(zooKeeper.toString());
		if (!server.find()) {
			throw new IllegalStateException(
					"Session 0x%x is not connected: say to which server it belongs, expire(zooKeeper, connectString)"
						.formatted(zooKeeper.getSessionId()));
		}
		expire(zooKeeper, server.group(1));
	}

	/**
	 * End a client's session on the server, whether the client is connected or not. It
	 * may be over already if the client knows that.
	 * @param zooKeeper the client
	 * @param connectString where to reach its server, past any proxy
	 * @throws IllegalStateException if the session could not be ended: the server does
	 * not know it, or cannot be reached
	 */
	public static void expire(ZooKeeper zooKeeper, String connectString) {
		expire(zooKeeper.getSessionId(), zooKeeper.getSessionPasswd(), connectString,
				() -> zooKeeper.getState() == ZooKeeper.States.CLOSED, TIMEOUT);
	}

	/**
	 * End a session on the server.
	 * @param sessionId the session's id
	 * @param password the session's password
	 * @param connectString where to reach its server
	 * @throws IllegalStateException if the session could not be ended: the server does
	 * not know it, or not with this password, or cannot be reached
	 */
	public static void expire(long sessionId, byte[] password, String connectString) {
		expire(sessionId, password, connectString, () -> false, TIMEOUT);
	}

	static void expire(long sessionId, byte[] password, String connectString, BooleanSupplier mayBeOver,
			Duration timeout) {
		if (sessionId == 0) {
			throw new IllegalStateException("The client has no session yet");
		}
		long deadline = System.nanoTime() + timeout.toNanos();
		try {
			boolean known = false;
			// The client may take its session back before it is closed. It is over only
			// when the server refuses it.
			while (takeOver(sessionId, password, connectString, deadline) != KeeperState.Expired) {
				known = true;
			}
			if (!known && !mayBeOver.getAsBoolean()) {
				throw new IllegalStateException(
						"There is no session 0x%x with this password at %s".formatted(sessionId, connectString));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while session 0x%x was ended".formatted(sessionId), ex);
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException(
					"Session 0x%x cannot be ended at %s within %s".formatted(sessionId, connectString, timeout), ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static KeeperState takeOver(long sessionId, byte[] password, String connectString, long deadline)
			throws IOException, InterruptedException, TimeoutException {
		CompletableFuture<KeeperState> state = new CompletableFuture<>();
		ZooKeeper second = new ZooKeeper(connectString, Math.toIntExact(TIMEOUT.toMillis()), (event) -> {
			if (event.getState() != KeeperState.Disconnected) {
				state.complete(event.getState());
			}
		}, sessionId, password);
		try {
			return state.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			second.close();
		}
	}

}
