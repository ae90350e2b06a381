/**
 * The shop over HTTP, for the page and for everybody else.
 */
@NullMarked
package io.github.zklock.sample.web;

import org.jspecify.annotations.NullMarked;
