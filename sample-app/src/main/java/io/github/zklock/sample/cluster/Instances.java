package io.github.zklock.sample.cluster;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import io.github.zklock.autoconfigure.ZooKeeperClient;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * All instances of the shop. Each one writes into the store every second that it is
 * alive; the store's clock counts.
 */
@Component
public class Instances implements DisposableBean {

	private final JdbcClient store;

	private final Self self;

	private final ZooKeeperClient zooKeeper;

	private volatile boolean known;

	Instances(JdbcClient store, Self self, ZooKeeperClient zooKeeper) {
		this.store = store;
		this.self = self;
		this.zooKeeper = zooKeeper;
	}

	@Scheduled(fixedRate = 1000)
	void sayAlive() {
		int updated = this.store
			.sql("update instance set url = :url, zk_lock_id = :zkLockId, last_seen = current_timestamp where id = :id")
			.param("url", this.self.url())
			.param("zkLockId", this.zooKeeper.instance())
			.param("id", this.self.id())
			.update();
		if (updated == 0) {
			this.store.sql("insert into instance values (:id, :url, :zkLockId, current_timestamp)")
				.param("url", this.self.url())
				.param("zkLockId", this.zooKeeper.instance())
				.param("id", this.self.id())
				.update();
		}
		this.known = true;
	}

	/**
	 * Return the instances that were seen during the last minute, dead or alive.
	 */
	public List<Instance> seen() {
		return this.store.sql("""
				select id, url, zk_lock_id, last_seen, last_seen > current_timestamp - interval '5' second as alive
				from instance where last_seen > current_timestamp - interval '60' second order by id
				""").query(Instances::read).list();
	}

	/**
	 * Return the instances that work can be given to.
	 */
	public List<Instance> alive() {
		return seen().stream().filter(Instance::alive).toList();
	}

	private static Instance read(ResultSet row, int number) throws SQLException {
		return new Instance(row.getString("id"), row.getString("url"), row.getString("zk_lock_id"),
				Times.read(row, "last_seen"), row.getBoolean("alive"));
	}

	/**
	 * An orderly end: the others need not find out by themselves.
	 */
	@Override
	public void destroy() {
		if (this.known) {
			LastWords.write("this instance ends",
					() -> this.store.sql("delete from instance where id = ?").param(this.self.id()).update());
		}
	}

	/**
	 * An instance of the shop.
	 *
	 * @param id what it is called
	 * @param url where it is
	 * @param zkLockId what zk-lock calls it in its nodes
	 * @param lastSeen when it last wrote that it is alive
	 * @param alive whether that was only just now
	 */
	public record Instance(String id, String url, String zkLockId, Instant lastSeen, boolean alive) {

	}

}
