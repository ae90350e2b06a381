package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * A way to lock with ZooKeeper.
 */
public interface Contestant {

	/**
	 * Return the name for tables.
	 * @return the name
	 */
	String name();

	/**
	 * Return the name for the command line and for paths.
	 * @return the name, without spaces
	 */
	default String shortName() {
		return name().replaceAll("\\W+", "-").toLowerCase(Locale.ROOT);
	}

	/**
	 * Return what can be measured.
	 * @return the capabilities
	 */
	Set<Capability> capabilities();

	/**
	 * Return whether this is no lock that anybody would use, but the least that any could
	 * cost.
	 * @return whether the others are compared with this one
	 */
	default boolean isLimit() {
		return false;
	}

	/**
	 * Return whether the cost of an acquisition does not grow with the number of those
	 * who wait.
	 * @return false if long queues would take too long
	 */
	default boolean isScalable() {
		return true;
	}

	/**
	 * Open what one process of an application would have: one session.
	 * @param connectString the servers
	 * @param sessionTimeout the session timeout
	 * @param root a path that nobody else uses
	 * @return the client, connected
	 * @throws Exception if there is no connection
	 */
	Client open(String connectString, Duration sessionTimeout, String root) throws Exception;

}
