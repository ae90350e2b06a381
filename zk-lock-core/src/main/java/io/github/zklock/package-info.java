/**
 * Distributed locks as seen by callers.
 */
@NullMarked
package io.github.zklock;

import org.jspecify.annotations.NullMarked;
