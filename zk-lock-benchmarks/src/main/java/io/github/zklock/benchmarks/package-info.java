/**
 * Comparison with other libraries and with the raw limit: the command line and the order
 * in which things run.
 */
@NullMarked
package io.github.zklock.benchmarks;

import org.jspecify.annotations.NullMarked;
