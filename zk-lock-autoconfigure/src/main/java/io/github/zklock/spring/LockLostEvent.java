package io.github.zklock.spring;

/**
 * Published when a lock was lost while it was held.
 *
 * @param name the lock's name
 */
public record LockLostEvent(String name) {

}
