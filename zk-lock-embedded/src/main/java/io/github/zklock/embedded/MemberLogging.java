package io.github.zklock.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Lets the members of an ensemble log what they do to their output, with Logback or
 * slf4j-simple, whatever these are told on the class path: that is meant for the JVM that
 * starts the members.
 */
final class MemberLogging {

	private static final String LOGBACK_FILE = "logback.xml";

	private static final String LOGBACK = """
			<configuration>
				<appender name="output" class="ch.qos.logback.core.ConsoleAppender">
					<encoder>
						<pattern>%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0}: %msg%n</pattern>
					</encoder>
				</appender>
				<!-- It logs whenever somebody asks the server for its mode -->
				<logger name="org.apache.zookeeper.server.NIOServerCnxn" level="warn" />
				<root level="info">
					<appender-ref ref="output" />
				</root>
			</configuration>
			""";

	private MemberLogging() {
	}

	/**
	 * Write what a member's logging library reads.
	 * @param home the member's directory
	 */
	static void configure(Path home) throws IOException {
		Files.writeString(home.resolve(LOGBACK_FILE), LOGBACK);
	}

	/**
	 * Return the options that lead the libraries there.
	 * @param home the member's directory
	 * @return options of a member's JVM
	 */
	static List<String> jvmOptions(Path home) {
		return List.of("-Dlogback.configurationFile=" + home.resolve(LOGBACK_FILE),
				"-Dorg.slf4j.simpleLogger.logFile=System.err", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
				"-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxn=warn",
				"-Dorg.slf4j.simpleLogger.showDateTime=true", "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");
	}

}
