/**
 * The protocol of locks and elections, on any {@link io.github.zklock.engine.NodeStore
 * store} of nodes. Public is what a store and the door of a registry need; applications
 * use {@code ZooKeeperLocks} or {@code LocalLocks}.
 */
@NullMarked
package io.github.zklock.engine;

import org.jspecify.annotations.NullMarked;
