/**
 * Leader election: elections, leadership, the work of a leader, and listeners.
 */
@NullMarked
package io.github.zklock.leader;

import org.jspecify.annotations.NullMarked;
