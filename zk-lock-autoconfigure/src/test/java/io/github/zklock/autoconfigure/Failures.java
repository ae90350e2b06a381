package io.github.zklock.autoconfigure;

import java.util.Objects;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What users see when the application does not start.
 */
final class Failures {

	private Failures() {
	}

	static FailureAnalysis of(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		Throwable failure = Objects.requireNonNull(context.getStartupFailure());
		FailureAnalysis analysis = new LockConfigurationFailureAnalyzer().analyze(failure);
		assertThat(analysis).as("analysis of %s", failure).isNotNull();
		return Objects.requireNonNull(analysis);
	}

	/**
	 * Description and action together.
	 */
	static String textOf(AssertableApplicationContext context) {
		FailureAnalysis analysis = of(context);
		return analysis.getDescription() + "\n" + analysis.getAction();
	}

}
