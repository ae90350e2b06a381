package io.github.zklock.sample.cluster;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.github.zklock.spring.LeadershipGrantedEvent;
import io.github.zklock.spring.LeadershipRevokedEvent;

import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Who has led, and how long there was no leader in between. A leader that was killed
 * cannot tell when its term ended: its last sign of life has to do.
 */
@Component
public class Terms {

	/**
	 * Longer gaps are no hand-over: the whole shop was closed.
	 */
	private static final Duration LONGEST_GAP = Duration.ofMinutes(1);

	private final JdbcClient store;

	private final Self self;

	private final Journal journal;

	Terms(JdbcClient store, Self self, Journal journal) {
		this.store = store;
		this.self = self;
		this.journal = journal;
	}

	@EventListener
	void begin(LeadershipGrantedEvent event) {
		Ended before = this.store.sql("""
				select t.instance, coalesce(t.ended_at, i.last_seen, t.began_at) as ended_at,
					current_timestamp as present
				from term t left join instance i on i.id = t.instance order by t.id desc limit 1
				""").query(Ended::read).optional().filter(Ended::isRecent).orElse(null);
		this.store.sql("""
				insert into term (instance, token, began_at, predecessor, gap_millis)
				values (:instance, :token, current_timestamp, :predecessor, :gap)
				""")
			.param("instance", this.self.id())
			.param("token", event.fencingToken())
			.param("predecessor", (before != null) ? before.instance() : null)
			.param("gap", (before != null) ? before.gap().toMillis() : null)
			.update();
		this.journal.info("leads in '%s', fencing token %d".formatted(event.role(), event.fencingToken()));
	}

	@EventListener
	void end(LeadershipRevokedEvent event) {
		LastWords.write("this instance does not lead any more", () -> this.store.sql("""
				update term set ended_at = current_timestamp
				where instance = :instance and token = :token and ended_at is null
				""").param("instance", this.self.id()).param("token", event.fencingToken()).update());
		this.journal.info("does not lead in '%s' any more".formatted(event.role()));
	}

	/**
	 * Return who leads as far as the store knows: for those who cannot ask ZooKeeper.
	 */
	public Optional<Term> present() {
		return this.store.sql("""
				select instance, token, began_at from term
				where id = (select max(id) from term) and ended_at is null
				""")
			.query((row, number) -> new Term(row.getString("instance"), row.getLong("token"),
					Times.read(row, "began_at")))
			.optional();
	}

	/**
	 * Return the latest hand-overs.
	 * @return the oldest first
	 */
	public List<HandOver> handOvers(int limit) {
		return this.store.sql("""
				select * from (
					select id, began_at, predecessor, instance, gap_millis from term
					where predecessor is not null order by id desc limit ?
				) latest order by id
				""")
			.param(limit)
			.query((row, number) -> new HandOver(Times.read(row, "began_at"), row.getString("predecessor"),
					row.getString("instance"), row.getLong("gap_millis")))
			.list();
	}

	/**
	 * The time during which somebody leads.
	 *
	 * @param instance who
	 * @param token with which fencing token
	 * @param since since when
	 */
	public record Term(String instance, long token, Instant since) {

	}

	/**
	 * A change of the leader.
	 *
	 * @param at when the new one began
	 * @param from who led before
	 * @param to who leads since
	 * @param millis how long nobody did
	 */
	public record HandOver(Instant at, String from, String to, long millis) {

	}

	private record Ended(String instance, Duration gap) {

		static Ended read(ResultSet row, int number) throws SQLException {
			Duration gap = Duration.between(Times.read(row, "ended_at"), Times.read(row, "present"));
			return new Ended(row.getString("instance"), gap.isNegative() ? Duration.ZERO : gap);
		}

		boolean isRecent() {
			return this.gap.compareTo(LONGEST_GAP) < 0;
		}

	}

}
