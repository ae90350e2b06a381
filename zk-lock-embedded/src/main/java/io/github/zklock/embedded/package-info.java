/**
 * A real ZooKeeper for development and tests: one server inside the JVM, ensembles of
 * server processes, and the means to break connections and sessions on purpose.
 */
@NullMarked
package io.github.zklock.embedded;

import org.jspecify.annotations.NullMarked;
