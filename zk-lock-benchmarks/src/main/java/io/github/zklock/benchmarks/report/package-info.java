/**
 * What was measured, as tables, plots and JSON.
 */
@NullMarked
package io.github.zklock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
