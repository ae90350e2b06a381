/**
 * Leader election as seen by callers.
 */
@NullMarked
package io.github.zklock.leader;

import org.jspecify.annotations.NullMarked;
