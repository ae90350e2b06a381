package io.github.zklock.spring;

/**
 * Published when this process does not lead any more: exactly once after each
 * {@link LeadershipGrantedEvent}.
 *
 * @param role what it has led in
 * @param fencingToken the token of the leadership that has ended
 */
public record LeadershipRevokedEvent(String role, long fencingToken) {

}
