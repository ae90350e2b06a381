package io.github.zklock.leader;

/**
 * A process that takes part in an election.
 *
 * @param instance the name of the instance of zk-lock, which need not be unique; for
 * other clients, what they say about themselves
 * @param host the host on which it runs; empty if that is not known
 * @param leading whether it is the first in the queue, unless this process knows that the
 * node is one that it has itself given up
 * @param self whether it is this very instance
 * @since 0.1
 * @see LeaderElection#participants()
 */
public record Participant(String instance, String host, boolean leading, boolean self) {

}
