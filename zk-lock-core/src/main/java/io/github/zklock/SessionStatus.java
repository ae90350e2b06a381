package io.github.zklock;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How the session of a registry with ZooKeeper was at some moment.
 *
 * @param connected whether there is a connection to a server
 * @param open whether there is a session that has not ended, as far as is known, be it
 * connected or not
 * @param id the number by which the servers know the session; 0 if none is open
 * @param negotiatedTimeout the timeout of the session; zero if none is open
 * @param leaseRemaining for how long locks may still be believed to be held; zero if that
 * is over, and while nothing is held or awaited, because nobody asks then
 * @param server the server of the latest connection as host:port; null if there was none,
 * or if that is not known
 * @param opened how many sessions have been opened so far
 * @param expired how many of them have ended without being closed by this process
 * @param since since when there is a connection, or since when there is none, by the
 * clock of this process
 */
public record SessionStatus(boolean connected, boolean open, long id, Duration negotiatedTimeout,
		Duration leaseRemaining, @Nullable String server, long opened, long expired, Instant since) {

}
