package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
	 * @param zooKeeper the client, which must be connected
	 * @throws IllegalStateException if the client is not connected
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
	 * End a client's session on the server, whether the client is connected or not.
	 * @param zooKeeper the client
	 * @param connectString where to reach its server, past any proxy
	 */
	public static void expire(ZooKeeper zooKeeper, String connectString) {
		expire(zooKeeper.getSessionId(), zooKeeper.getSessionPasswd(), connectString);
	}

	/**
	 * End a session on the server.
	 * @param sessionId the session's id
	 * @param password the session's password
	 * @param connectString where to reach its server
	 */
	public static void expire(long sessionId, byte[] password, String connectString) {
		if (sessionId == 0) {
			throw new IllegalStateException("The client has no session yet");
		}
		try {
			// The client may take its session back before it is closed. It is over only
			// when the server refuses it.
			while (takeOver(sessionId, password, connectString) != KeeperState.Expired) {
				Thread.onSpinWait();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while session 0x%x was ended".formatted(sessionId), ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static KeeperState takeOver(long sessionId, byte[] password, String connectString)
			throws IOException, InterruptedException {
		CompletableFuture<KeeperState> state = new CompletableFuture<>();
		ZooKeeper second = new ZooKeeper(connectString, Math.toIntExact(TIMEOUT.toMillis()), (event) -> {
			if (event.getState() != KeeperState.Disconnected) {
				state.complete(event.getState());
			}
		}, sessionId, password);
		try {
			return state.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new IllegalStateException("Session 0x%x cannot be reached at %s".formatted(sessionId, connectString),
					ex);
		}
		finally {
			second.close();
		}
	}

}
