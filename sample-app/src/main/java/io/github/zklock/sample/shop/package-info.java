/**
 * The shop. Start reading here: each class shows one way to use zk-lock.
 */
@NullMarked
package io.github.zklock.sample.shop;

import org.jspecify.annotations.NullMarked;
