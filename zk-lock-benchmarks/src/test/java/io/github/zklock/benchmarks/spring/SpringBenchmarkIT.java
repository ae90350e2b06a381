package io.github.zklock.benchmarks.spring;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run, to see that it still works. Times mean nothing here.
 */
@Tag("brief")
class SpringBenchmarkIT {

	@Test
	void measuresCallsAndStartUp() throws Exception {
		assertThat(SpringBenchmark.run(1)).contains("| plain proxy | ")
			.contains("| annotated, fixed name | ")
			.contains("| annotated, name with an expression | ")
			.contains("| without the starter | ")
			.contains("| with one annotated method | ");
	}

}
