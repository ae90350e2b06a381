/**
 * A ticket shop that runs in several instances and shows what zk-lock does for it.
 */
@NullMarked
package io.github.zklock.sample;

import org.jspecify.annotations.NullMarked;
