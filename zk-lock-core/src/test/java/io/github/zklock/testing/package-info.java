/**
 * What the tests of all modules share: threads for callers, patience, and recorders.
 */
@NullMarked
package io.github.zklock.testing;

import org.jspecify.annotations.NullMarked;
