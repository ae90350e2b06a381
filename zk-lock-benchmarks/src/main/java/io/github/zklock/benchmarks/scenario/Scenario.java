package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * Something to measure.
 */
public interface Scenario {

	/**
	 * Return the name for the command line and for files.
	 * @return a name without spaces
	 */
	String name();

	/**
	 * Return the heading.
	 * @return the heading
	 */
	String title();

	/**
	 * Return what is done, for readers of the report.
	 * @return one or two sentences
	 */
	String about();

	/**
	 * Return the metric by which contestants are compared.
	 * @return the metric
	 */
	Metric main();

	/**
	 * Return the sizes to measure.
	 * @param effort how much to do
	 * @return the variants
	 */
	List<Variant> variants(Effort effort);

	/**
	 * Return whether a contestant takes part.
	 * @param contestant the contestant
	 * @param variant the variant
	 * @param effort how much to do
	 * @return whether it takes part
	 */
	boolean takes(Contestant contestant, Variant variant, Effort effort);

	/**
	 * Return in how many rounds to measure.
	 * @param wanted what the user has asked for
	 * @return fewer if all rounds give the same numbers, or take too long
	 */
	default int rounds(int wanted) {
		return wanted;
	}

	/**
	 * Measure.
	 * @param contestant whom
	 * @param variant which size
	 * @param bench where
	 * @return the numbers
	 * @throws Exception if it fails
	 */
	Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception;

}
