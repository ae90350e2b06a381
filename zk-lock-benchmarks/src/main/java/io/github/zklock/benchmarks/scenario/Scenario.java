package io.github.zklock.benchmarks.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
	 * Return whether contestants take turns while all of them are connected, so that each
	 * number of one has its pair in the same turn.
	 * @return false if they are measured one after the other
	 */
	default boolean isPaired() {
		return false;
	}

	/**
	 * Measure contestants, in turns or one after the other.
	 * @param contestants whom
	 * @param variant which size
	 * @param bench where
	 * @return the numbers of each
	 * @throws Exception if it fails
	 */
	default Map<Contestant, Sample> run(List<Contestant> contestants, Variant variant, Bench bench) throws Exception {
		Map<Contestant, Sample> samples = new LinkedHashMap<>();
		for (Contestant contestant : contestants) {
			samples.put(contestant, run(contestant, variant, bench));
		}
		return samples;
	}

	/**
	 * Measure one contestant.
	 * @param contestant whom
	 * @param variant which size
	 * @param bench where
	 * @return the numbers
	 * @throws Exception if it fails
	 */
	Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception;

}
