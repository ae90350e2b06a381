package io.github.zklock.benchmarks;

import java.nio.file.Path;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.scenario.Effort;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Options}.
 */
class OptionsTests {

	@Test
	void everythingOnOneServerByDefault() {
		Options options = Options.parse();
		assertThat(options.servers()).isEqualTo(1);
		assertThat(options.fsync()).isTrue();
		assertThat(options.rounds()).isEqualTo(5);
		assertThat(options.effort()).isEqualTo(Effort.FULL);
		assertThat(options.scenarios()).hasSameSizeAs(Scenarios.all());
		assertThat(options.out()).isEqualTo(Path.of("docs", "benchmarks", "single"));
	}

	@Test
	void ensembleHasThreeServersAndItsOwnDirectory() {
		Options options = Options.parse("--ensemble", "--rounds", "3", "--out", "elsewhere");
		assertThat(options.servers()).isEqualTo(3);
		assertThat(options.rounds()).isEqualTo(3);
		assertThat(options.out()).isEqualTo(Path.of("elsewhere", "ensemble"));
		assertThat(options.commandLine()).as("what makes a difference").isEqualTo("--ensemble --rounds 3");
	}

	@Test
	void someScenarios() {
		assertThat(Options.parse("--scenarios", "memory,packets").scenarios()).extracting(Scenario::name)
			.containsExactly("memory", "packets");
	}

	@Test
	void someContestants() {
		assertThat(Options.parse().contestants()).hasSameSizeAs(Contestants.all());
		assertThat(Options.parse("--contestants", "zk-lock,raw-create-delete").contestants())
			.extracting(Contestant::name)
			.containsExactly("raw create+delete", "zk-lock");
	}

	@Test
	void mistakesAreNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse("--contestants", "curator,no"))
			.withMessage("Unknown contestant 'no'");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse("--scenarios", "memory,no"))
			.withMessage("Unknown scenario 'no'");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse("--fast"))
			.withMessage("Unknown option '--fast'");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse("--rounds"))
			.withMessage("'--rounds' needs a value");
	}

}
