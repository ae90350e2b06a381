/**
 * The instances of the shop, what they know of each other, and their way to ZooKeeper.
 */
@NullMarked
package io.github.zklock.sample.cluster;

import org.jspecify.annotations.NullMarked;
