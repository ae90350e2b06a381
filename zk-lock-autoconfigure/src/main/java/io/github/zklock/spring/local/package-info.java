/**
 * Locks of one process, without ZooKeeper.
 */
@NullMarked
package io.github.zklock.spring.local;

import org.jspecify.annotations.NullMarked;
