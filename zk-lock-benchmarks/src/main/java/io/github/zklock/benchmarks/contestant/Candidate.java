package io.github.zklock.benchmarks.contestant;

/**
 * Somebody who wants to lead.
 */
public interface Candidate {

	/**
	 * Take part, without waiting for anything.
	 */
	void join() throws Exception;

	/**
	 * Stop leading, and take part no longer.
	 */
	void leave() throws Exception;

}
