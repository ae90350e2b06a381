/**
 * Locks and elections on ZooKeeper.
 */
@NullMarked
package io.github.zklock.zookeeper;

import org.jspecify.annotations.NullMarked;
