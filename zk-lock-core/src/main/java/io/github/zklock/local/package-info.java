/**
 * Locks and elections within one process, on nodes that are kept in memory.
 */
@NullMarked
package io.github.zklock.local;

import org.jspecify.annotations.NullMarked;
