package io.github.zklock.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Records what a class, or all classes of a package, log.
 */
public final class LogRecorder extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger logger;

	private final @Nullable Level previous;

	private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

	public LogRecorder(Class<?> type, Level level) {
		this(type.getName(), level);
	}

	/**
	 * Record what is logged from now on, by loggers that have no level of their own.
	 */
	public LogRecorder(String loggerName, Level level) {
		this.logger = (Logger) LoggerFactory.getLogger(loggerName);
		this.previous = this.logger.getLevel();
		this.logger.setLevel(level);
		start();
		this.logger.addAppender(this);
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.events.add(event);
	}

	public List<String> texts(Level least) {
		return this.events.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(least))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	/**
	 * Return the texts with their levels, such as "DEBUG text".
	 */
	public List<String> lines() {
		return this.events.stream().map((event) -> event.getLevel() + " " + event.getFormattedMessage()).toList();
	}

	public void clear() {
		this.events.clear();
	}

	@Override
	public void close() {
		this.logger.detachAppender(this);
		this.logger.setLevel(this.previous);
	}

}
