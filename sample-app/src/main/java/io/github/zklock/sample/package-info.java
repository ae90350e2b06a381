/**
 * An application that shows what zk-lock does.
 */
@NullMarked
package io.github.zklock.sample;

import org.jspecify.annotations.NullMarked;
