package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How much the ZooKeeper client logs in an application with Spring Boot's defaults.
 */
@ExtendWith(OutputCaptureExtension.class)
class QuietClientTests {

	static final String DEFAULT_LOGGING = "classpath:logback-boot-defaults.xml";

	@AfterEach
	void forgetLevels() {
		LoggingSystem system = LoggingSystem.get(getClass().getClassLoader());
		system.setLogLevel(QuietClient.CLIENT, null);
		system.setLogLevel(QuietClient.CONNECTION, null);
	}

	private static ConfigurableApplicationContext start(String property) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application
			.setDefaultProperties(Map.of("zk.lock.connect-string", "localhost:1", "logging.config", DEFAULT_LOGGING));
		return application.run("--" + property);
	}

	/**
	 * Return what the client would log, when a handle is made.
	 */
	private static String levels(ConfigurableApplicationContext context) {
		context.getBean(ZooKeeperClient.class).clientConfiguration().get();
		return "%s %s".formatted(level(QuietClient.CLIENT + ".ZooKeeper"), level(QuietClient.CONNECTION));
	}

	private static String level(String name) {
		return ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(name)).getEffectiveLevel().toString();
	}

	@Test
	void clientLogsProblemsOnly(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("zk.lock.client-log=quiet")) {
			assertThat(output).doesNotContain("client-log");
			assertThat(levels(context)).isEqualTo("WARN ERROR");
			assertThat(output).containsOnlyOnce("zk.lock.client-log=full");
			context.stop();
			context.start();
			assertThat(levels(context)).isEqualTo("WARN ERROR");
			assertThat(output).containsOnlyOnce("zk.lock.client-log=full");
		}
	}

	@ParameterizedTest
	@CsvSource({ "zk.lock.client-log=full, INFO INFO", "logging.level.org.apache.zookeeper=INFO, INFO INFO",
			"logging.level.org.apache=INFO, INFO INFO", "logging.level.org=DEBUG, DEBUG DEBUG",
			"logging.level.org.apache.zookeeper.ClientCnxn=WARN, INFO WARN", "logging.level.root=DEBUG, DEBUG DEBUG",
			"logging.level.org.apache.zookeepers=DEBUG, WARN ERROR", "logging.level.root=WARN, WARN ERROR",
			"logging.level.root=ERROR, ERROR ERROR", "logging.level.root=OFF, OFF OFF" })
	void whoSetsLevelsHasThem(String property, String levels) {
		try (ConfigurableApplicationContext context = start(property)) {
			assertThat(levels(context)).isEqualTo(levels);
		}
	}

	@Test
	void systemThatCannotTellIsLeftAlone(CapturedOutput output) {
		LoggingSystem unable = new LoggingSystem() {

			@Override
			public void beforeInitialize() {
			}

			@Override
			public List<LoggerConfiguration> getLoggerConfigurations() {
				throw new IllegalStateException("a level that nobody knows");
			}

		};
		QuietClient.quieten(unable);
		QuietClient.quieten(null);
		assertThat(output).doesNotContain("client-log");
	}

	@Test
	void systemWithoutLoggersIsLeftAlone(CapturedOutput output) {
		LoggingSystem none = new LoggingSystem() {

			@Override
			public void beforeInitialize() {
			}

			@Override
			public List<LoggerConfiguration> getLoggerConfigurations() {
				return List.of();
			}

		};
		QuietClient.quieten(none);
		assertThat(output).doesNotContain("client-log");
	}

	@EnableAutoConfiguration
	static class Application {

	}

}
