/**
 * What is measured.
 */
@NullMarked
package io.github.zklock.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
