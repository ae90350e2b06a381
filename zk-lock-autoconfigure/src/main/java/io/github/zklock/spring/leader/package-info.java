/**
 * Leadership in a Spring application: in which roles it takes part and when, and what
 * runs only while it leads.
 */
@NullMarked
package io.github.zklock.spring.leader;

import org.jspecify.annotations.NullMarked;
