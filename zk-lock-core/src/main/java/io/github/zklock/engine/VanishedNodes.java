package io.github.zklock.engine;

import io.github.zklock.LockNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How often in a row the node of somebody who wants a lock has vanished, and how long to
 * wait before there is another one. Who deletes nodes by hand, or a server that has gone
 * mad, must not keep a process busy.
 */
final class VanishedNodes {

	private static final Logger logger = LoggerFactory.getLogger(VanishedNodes.class);

	private final LockPath path;

	private final BackOff backOff;

	VanishedNodes(Platform platform, LockPath path) {
		this.backOff = new BackOff(platform::nextDouble);
		this.path = path;
	}

	/**
	 * A node has vanished.
	 * @return how many nanoseconds to wait before the next attempt
	 */
	long pause() {
		long pause = this.backOff.next();
		if (this.backOff.failures() == 2) {
			logger.warn(
					"Nodes for '{}' vanish again and again, so there are pauses of up to {} s between attempts."
							+ " Does somebody delete the nodes below '{}'?",
					LockNames.shown(this.path.name()), BackOff.LONGEST / 1_000_000_000, this.path.parent());
		}
		else {
			logger.debug("A node for '{}' has vanished", LockNames.shown(this.path.name()));
		}
		return pause;
	}

	/**
	 * A node has been of use.
	 */
	void reset() {
		this.backOff.reset();
	}

}
