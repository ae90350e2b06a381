package io.github.zklock.sample.shop;

import io.github.zklock.leader.Leadership;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.spring.LeaderOnly;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/**
 * What is done every night, here every few seconds, by one instance of all: it counts the
 * sales, and tidies up.
 */
@Service
public class Settlement {

	private final JdbcClient store;

	private final Self self;

	private final Leadership leadership;

	Settlement(JdbcClient store, Self self, @Qualifier("nightly") Leadership leadership) {
		this.store = store;
		this.self = self;
		this.leadership = leadership;
	}

	@Scheduled(fixedRateString = "${sample.settlement-interval}")
	@LeaderOnly("nightly")
	void settle() {
		this.store.sql("insert into settlement (instance, token, sold) select ?, ?, count(*) from sale")
			.params(this.self.id(), this.leadership.fencingToken())
			.update();
		this.store.sql("delete from settlement where settled_at < current_timestamp - interval '1' day").update();
		this.store.sql("delete from journal where written_at < current_timestamp - interval '1' day").update();
		this.store.sql("delete from instance where last_seen < current_timestamp - interval '1' day").update();
	}

}
