/**
 * Auto-configuration of locks and elections for Spring Boot.
 */
@NullMarked
package io.github.zklock.autoconfigure;

import org.jspecify.annotations.NullMarked;
