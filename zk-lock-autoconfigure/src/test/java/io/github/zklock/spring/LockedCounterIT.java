package io.github.zklock.spring;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import javax.sql.DataSource;

import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.spring.aop.LockAdvisingPostProcessor;
import io.github.zklock.testing.Patience;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three instances of an application with many threads each, and a number in a database
 * that they all read, change and write back.
 */
class LockedCounterIT extends BlockingCallTestSupport {

	private static final int INSTANCES = 3;

	private static final int THREADS = 6;

	private static final int ROUNDS = 15;

	private final JdbcConnectionPool database = JdbcConnectionPool.create("jdbc:h2:mem:counter;LOCK_TIMEOUT=60000",
			"sa", "");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final List<Counter> counters = new ArrayList<>();

	LockedCounterIT(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		this.database.setMaxConnections(INSTANCES * THREADS + 1);
		closing(this.database::dispose);
		// keeps the database
		closing(openConnection());
		this.jdbc.execute("create table counter (number int not null)");
		this.jdbc.update("insert into counter values (0)");
		for (int instance = 0; instance < INSTANCES; instance++) {
			this.counters.add(startInstance().getBean(Counter.class));
		}
	}

	private AutoCloseable openConnection() {
		try {
			return this.database.getConnection();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private AnnotationConfigApplicationContext startInstance() {
		LockRegistry registry = registry();
		AnnotationConfigApplicationContext context = closing(new AnnotationConfigApplicationContext());
		context.registerBean(LockTemplate.class, () -> template(registry));
		context.registerBean(DataSource.class, () -> this.database);
		context.register(Application.class);
		context.refresh();
		return context;
	}

	private int count(Increment increment) throws Exception {
		List<CompletableFuture<Integer>> running = new ArrayList<>();
		CountDownLatch start = new CountDownLatch(1);
		for (Counter counter : this.counters) {
			for (int thread = 0; thread < THREADS; thread++) {
				running.add(call(() -> {
					start.await();
					int done = 0;
					while (done < ROUNDS) {
						increment.on(counter);
						done++;
					}
					return done;
				}));
			}
		}
		start.countDown();
		int done = 0;
		for (CompletableFuture<Integer> each : running) {
			done += get(each);
		}
		assertThat(done).isEqualTo(INSTANCES * THREADS * ROUNDS);
		Integer number = this.jdbc.queryForObject("select number from counter", Integer.class);
		return (number != null) ? number : -1;
	}

	@Test
	void lockedCounterIsExact() throws Exception {
		assertThat(count(Counter::increment)).isEqualTo(INSTANCES * THREADS * ROUNDS);
	}

	@Test
	void unlockedCounterIsNot() throws Exception {
		assertThat(count(Counter::incrementWithoutLock)).isLessThan(INSTANCES * THREADS * ROUNDS);
	}

	@FunctionalInterface
	interface Increment {

		void on(Counter counter);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		static LockAdvisingPostProcessor lockAdvice() {
			return new LockAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 100, true);
		}

		@Bean
		static CommitGuardPostProcessor lockCheckOnCommit() {
			return new CommitGuardPostProcessor();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Counter counter(DataSource dataSource) {
			return new Counter(new JdbcTemplate(dataSource));
		}

	}

	/**
	 * Reads, changes, writes back.
	 */
	public static class Counter {

		/**
		 * The first two read before any of them writes, whoever gets a processor.
		 */
		private static final CountDownLatch TOGETHER = new CountDownLatch(2);

		private final JdbcTemplate jdbc;

		public Counter(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock("counter")
		@Transactional
		public void increment() {
			readChangeWrite(new CountDownLatch(1));
		}

		@Transactional
		public void incrementWithoutLock() {
			readChangeWrite(TOGETHER);
		}

		private void readChangeWrite(CountDownLatch read) {
			Integer number = this.jdbc.queryForObject("select number from counter", Integer.class);
			read.countDown();
			try {
				assertThat(Patience.await(read)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.jdbc.update("update counter set number = ?", Objects.requireNonNull(number) + 1);
		}

	}

}
