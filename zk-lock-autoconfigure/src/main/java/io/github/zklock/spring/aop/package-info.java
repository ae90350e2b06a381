/**
 * Finds annotated methods, checks them and runs them under their locks. Internal.
 */
@NullMarked
package io.github.zklock.spring.aop;

import org.jspecify.annotations.NullMarked;
