/**
 * Tests of the starter as an application sees it.
 */
@NullMarked
package io.github.zklock.starter;

import org.jspecify.annotations.NullMarked;
