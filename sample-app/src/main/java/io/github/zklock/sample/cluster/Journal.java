package io.github.zklock.sample.cluster;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.github.zklock.spring.LockLostEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What has happened in all instances, for people to read.
 */
@Component
public class Journal {

	private static final Logger logger = LoggerFactory.getLogger(Journal.class);

	private final JdbcClient store;

	private final Self self;

	Journal(JdbcClient store, Self self) {
		this.store = store;
		this.self = self;
	}

	public void info(String text) {
		write(Level.INFO, text);
	}

	public void warn(String text) {
		write(Level.WARN, text);
	}

	private void write(Level level, String text) {
		logger.atLevel(level).log(text);
		try {
			LastWords.write(text,
					() -> this.store.sql("insert into journal (instance, level, text) values (?, ?, ?)")
						.params(this.self.id(), level.name(), text)
						.update());
		}
		catch (DataAccessException ex) {
			logger.warn("The journal cannot be written", ex);
		}
	}

	@EventListener
	void lost(LockLostEvent event) {
		warn("lost lock '%s': %s".formatted(event.name(),
				event.reason().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
	}

	/**
	 * Return what was written last.
	 * @return the latest entry first
	 */
	public List<Entry> latest(int limit) {
		return this.store.sql("select written_at, instance, level, text from journal order by id desc limit ?")
			.param(limit)
			.query((row, number) -> new Entry(Times.read(row, "written_at"), row.getString("instance"),
					row.getString("level"), row.getString("text")))
			.list();
	}

	/**
	 * Something that has happened.
	 *
	 * @param at when
	 * @param instance where
	 * @param level how serious it is
	 * @param text what
	 */
	public record Entry(Instant at, String instance, String level, String text) {

	}

}
