/**
 * What the annotations and the starter cost in an application.
 */
@NullMarked
package io.github.zklock.benchmarks.spring;

import org.jspecify.annotations.NullMarked;
