package io.github.zklock.sample.shop;

import io.github.zklock.LockMode;
import io.github.zklock.sample.SampleProperties;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.spring.DistributedLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/**
 * The plays that are given. Any number of reports may read it at the same time; an import
 * wants it for itself, since it takes several steps to write it.
 */
@Service
public class Catalogue {

	private static final int TITLES_PER_IMPORT = 4;

	private final JdbcClient store;

	private final Self self;

	private final Journal journal;

	private final long reportMillis;

	private final long importMillis;

	Catalogue(JdbcClient store, Self self, Journal journal, SampleProperties properties) {
		this.store = store;
		this.self = self;
		this.journal = journal;
		this.reportMillis = properties.reportTime().toMillis();
		this.importMillis = properties.importTime().toMillis();
	}

	@DistributedLock(name = "catalogue", mode = LockMode.READ)
	public Report report() throws InterruptedException {
		this.journal.info("report: reads the catalogue, together with other readers");
		int before = titles();
		Thread.sleep(this.reportMillis);
		int titles = titles();
		int sold = this.store.sql("select count(*) from sale").query(Integer.class).single();
		return new Report(titles, sold, titles == before, this.self.id());
	}

	@DistributedLock("catalogue")
	public Import importTitles() throws InterruptedException {
		this.journal.info("import: writes the catalogue, alone");
		for (int number = 1; number <= TITLES_PER_IMPORT; number++) {
			Thread.sleep(this.importMillis / TITLES_PER_IMPORT);
			this.store.sql("insert into title (name) values (?)").param("Play " + number).update();
		}
		return new Import(TITLES_PER_IMPORT, titles(), this.self.id());
	}

	private int titles() {
		return this.store.sql("select count(*) from title").query(Integer.class).single();
	}

	/**
	 * What a report says.
	 *
	 * @param titles how many plays there are
	 * @param sold how many tickets were sold
	 * @param consistent whether the catalogue has stayed the same while it was read
	 * @param instance who says so
	 */
	public record Report(int titles, int sold, boolean consistent, String instance) {

	}

	/**
	 * What an import has done.
	 *
	 * @param imported how many plays are new
	 * @param titles how many plays there are now
	 * @param instance who has done it
	 */
	public record Import(int imported, int titles, String instance) {

	}

}
