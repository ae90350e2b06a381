/**
 * What is compared, behind one small interface.
 */
@NullMarked
package io.github.zklock.benchmarks.contestant;

import org.jspecify.annotations.NullMarked;
