package io.github.zklock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggerConfiguration.ConfigurationScope;
import org.springframework.boot.logging.LoggerConfiguration.LevelConfiguration;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Lets the ZooKeeper client log problems only. While no server can be reached it would
 * log each attempt, most of them with a stack trace, for ever. What that means for locks
 * is said by zk-lock itself.
 */
final class QuietClient {

	static final String CLIENT = "org.apache.zookeeper";

	static final String CONNECTION = CLIENT + ".ClientCnxn";

	private static final Logger logger = LoggerFactory.getLogger(QuietClient.class);

	private QuietClient() {
	}

	/**
	 * Set the levels of the client's loggers, unless somebody else has, or wants to see
	 * more than usual of everything.
	 * @param system sets the levels, null if the application does not let Spring do that
	 */
	static void quieten(@Nullable LoggingSystem system) {
		if (system == null || isConfigured(system)) {
			return;
		}
		system.setLogLevel(CLIENT, LogLevel.WARN);
		system.setLogLevel(CONNECTION, LogLevel.ERROR);
		logger.info("The ZooKeeper client logs problems only (level WARN for '{}', ERROR for '{}'). To see all, set"
				+ " zk.lock.client-log=full, or logging.level.{}", CLIENT, CONNECTION, CLIENT);
	}

	/**
	 * Return whether levels are not to be set: also if the logging system does not know
	 * any, or cannot tell.
	 */
	private static boolean isConfigured(LoggingSystem system) {
		try {
			List<LoggerConfiguration> loggers = system.getLoggerConfigurations();
			return loggers.stream().noneMatch(QuietClient::isUsualRoot)
					|| loggers.stream().anyMatch(QuietClient::isConfigured);
		}
		catch (RuntimeException ex) {
			logger.debug("The levels of loggers are not known, so that of '{}' is left alone", CLIENT, ex);
			return true;
		}
	}

	/**
	 * Return whether it is the root, and lets through neither more nor less than usual.
	 */
	private static boolean isUsualRoot(LoggerConfiguration configuration) {
		LevelConfiguration level = configuration.getLevelConfiguration();
		return configuration.getName().equals(LoggingSystem.ROOT_LOGGER_NAME) && !level.isCustom()
				&& (level.getLevel() == LogLevel.INFO || level.getLevel() == LogLevel.WARN);
	}

	private static boolean isConfigured(LoggerConfiguration configuration) {
		String name = configuration.getName();
		boolean concernsClient = CLIENT.equals(name) || CLIENT.startsWith(name + ".") || name.startsWith(CLIENT + ".");
		return concernsClient && configuration.getLevelConfiguration(ConfigurationScope.DIRECT) != null;
	}

}
