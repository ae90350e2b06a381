/**
 * Annotations, events and helpers for Spring applications.
 */
@NullMarked
package io.github.zklock.spring;

import org.jspecify.annotations.NullMarked;
