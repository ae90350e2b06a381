/**
 * Time, chance and threads of this machine.
 */
@NullMarked
package io.github.zklock.platform;

import org.jspecify.annotations.NullMarked;
