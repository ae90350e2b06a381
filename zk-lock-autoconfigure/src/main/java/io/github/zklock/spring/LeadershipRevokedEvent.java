package io.github.zklock.spring;

/**
 * Published when this process does not lead any more: exactly once after each
 * {@link LeadershipGrantedEvent}. If it has given up its leadership, the next one leads
 * when the listeners of this event have returned, though it does not wait for ever.
 *
 * @param role what it has led in
 * @param fencingToken the token of the leadership that has ended
 */
public record LeadershipRevokedEvent(String role, long fencingToken) {

}
