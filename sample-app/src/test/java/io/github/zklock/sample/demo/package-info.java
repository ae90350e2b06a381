/**
 * Tests of several shops that run as processes of their own.
 */
@NullMarked
package io.github.zklock.sample.demo;

import org.jspecify.annotations.NullMarked;
