/**
 * Comparison with other libraries and with the raw limit.
 */
@NullMarked
package io.github.zklock.benchmarks;

import org.jspecify.annotations.NullMarked;
