package io.github.zklock.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

class ServerLogsExtensionTests {

	private final @Nullable String ownLog = System.getProperty(ServerLogsExtension.LOG_PROPERTY);

	private final Path log;

	ServerLogsExtensionTests(@TempDir Path directory) {
		this.log = directory.resolve("servers.log");
	}

	@BeforeEach
	void useTheLogOfTheTest() {
		System.setProperty(ServerLogsExtension.LOG_PROPERTY, this.log.toString());
	}

	@AfterEach
	void useTheOwnLogAgain() {
		if (this.ownLog != null) {
			System.setProperty(ServerLogsExtension.LOG_PROPERTY, this.ownLog);
		}
		else {
			System.clearProperty(ServerLogsExtension.LOG_PROPERTY);
		}
	}

	/**
	 * Let a test fail, and return what it shows of the servers' logs.
	 */
	static String logsOfAFailedTest() {
		return logsOf(failures(FailingTest.class).get(0));
	}

	private static List<Throwable> failures(Class<?> testClass) {
		return EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(testClass))
			.execute()
			.testEvents()
			.failed()
			.stream()
			.map((event) -> event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow())
			.toList();
	}

	private static String logsOf(Throwable failure) {
		return IntStream.range(0, failure.getSuppressed().length)
			.mapToObj((index) -> failure.getSuppressed()[index].getMessage())
			.reduce("", String::concat);
	}

	@Test
	void failureShowsTheEndOfTheLog() throws IOException {
		Files.write(this.log, IntStream.rangeClosed(1, 1000).mapToObj((line) -> "line " + line).toList());
		assertThat(failures(FailingTest.class)).singleElement().satisfies((failure) -> {
			assertThat(failure).hasMessage("it fails");
			assertThat(logsOf(failure).lines()).startsWith("The log of the servers in this JVM ends with:", "line 976")
				.endsWith("line 1000");
		});
	}

	@Test
	void failureBeforeTheTestShowsItToo() throws IOException {
		Files.writeString(this.log, "the line");
		assertThat(failures(FailingLifecycle.class)).hasSize(1)
			.allSatisfy((failure) -> assertThat(logsOf(failure)).contains("the line"));
	}

	@Test
	void failureDoesNotShowWhatAnotherJvmHasLoggedBefore() throws IOException {
		Files.writeString(this.log, "the line");
		assertThat(this.log.toFile().setLastModified(1_000)).isTrue();
		assertThat(failures(FailingTest.class)).singleElement()
			.satisfies((failure) -> assertThat(failure).hasNoSuppressedExceptions());
	}

	@Test
	void failureWithoutLogIsAsItWas() {
		assertThat(failures(FailingTest.class)).singleElement()
			.satisfies((failure) -> assertThat(failure).hasMessage("it fails").hasNoSuppressedExceptions());
	}

	@ExtendWith(ServerLogsExtension.class)
	static class FailingTest {

		@Test
		void fails() {
			throw new AssertionError("it fails");
		}

	}

	@ExtendWith(ServerLogsExtension.class)
	static class FailingLifecycle {

		@BeforeEach
		void fails() {
			throw new AssertionError("it fails before");
		}

		@Test
		void succeeds() {
		}

	}

}
