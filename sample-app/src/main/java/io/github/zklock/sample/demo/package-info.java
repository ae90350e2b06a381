/**
 * The demonstration: one ZooKeeper, one database and several shops, each a process of its
 * own. Not a part of the shop.
 */
@NullMarked
package io.github.zklock.sample.demo;

import org.jspecify.annotations.NullMarked;
