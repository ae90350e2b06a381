/**
 * What locks and leadership have in common. Internal.
 */
@NullMarked
package io.github.zklock.spring.support;

import org.jspecify.annotations.NullMarked;
