package io.github.zklock.embedded;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Lets a failure in a test or lifecycle method say what ZooKeeper has logged last: each
 * member of all ensembles that are open, and the servers in this JVM if the system
 * property {@code zklock.server-log} names the file that they log to. The lines come as a
 * suppressed exception of the failure, so that they are seen wherever it is.
 *
 * <pre class="code">
 * &#64;ExtendWith(ServerLogsExtension.class)
 * class OrderServiceTests {
 * </pre>
 */
public final class ServerLogsExtension
		implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

	/**
	 * The system property that names the log of the servers in this JVM.
	 */
	public static final String LOG_PROPERTY = "zklock.server-log";

	private static final int LINES = 25;

	@Override
	public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		throw withLogs(failure);
	}

	@Override
	public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		throw withLogs(failure);
	}

	@Override
	public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		throw withLogs(failure);
	}

	@Override
	public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		throw withLogs(failure);
	}

	@Override
	public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		throw withLogs(failure);
	}

	private static Throwable withLogs(Throwable failure) {
		List<String> logs = new ArrayList<>(ZooKeeperEnsemble.logsOfAllOpen(LINES));
		String log = inProcessLog();
		if (log != null) {
			logs.add(log);
		}
		if (!logs.isEmpty()) {
			failure.addSuppressed(new ServerLogs(String.join("\n", logs)));
		}
		return failure;
	}

	private static @Nullable String inProcessLog() {
		String property = System.getProperty(LOG_PROPERTY);
		if (property == null || !isOfThisJvm(Path.of(property))) {
			return null;
		}
		return "The log of the servers in this JVM ends with:\n" + LogTail.of(Path.of(property), LINES);
	}

	/**
	 * Another JVM may have logged to the same file before.
	 */
	private static boolean isOfThisJvm(Path log) {
		long start = ManagementFactory.getRuntimeMXBean().getStartTime();
		return log.toFile().lastModified() >= start;
	}

	/**
	 * Carries the lines. Where it was made tells nothing.
	 */
	private static final class ServerLogs extends Exception {

		ServerLogs(String logs) {
			super(logs, null, false, false);
		}

	}

}
