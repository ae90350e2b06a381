package io.github.zklock.spring;

/**
 * Published when this process has begun to lead.
 *
 * @param role what it leads in
 * @param fencingToken the token of this leadership
 */
public record LeadershipGrantedEvent(String role, long fencingToken) {

}
