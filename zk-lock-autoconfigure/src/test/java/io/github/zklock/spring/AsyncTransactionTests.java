package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import javax.sql.DataSource;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.Patience;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Stages and publishers that take their locks inside a transaction.
 */
class AsyncTransactionTests extends AsyncTestSupport {

	private final LockTemplate template = new LockTemplate(new AnsweredLocks(this.locks), PATIENCE, this.callers);

	private final ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);

	private final CompletableFuture<LockLease> lease = new CompletableFuture<>();

	private final DataSource dataSource = dataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final TransactionTemplate transaction = new TransactionTemplate(
			new JdbcTransactionManager(this.dataSource));

	private final RecordingTransactionManager manager = new RecordingTransactionManager();

	private final TransactionalOperator operator = TransactionalOperator.create(this.manager);

	AsyncTransactionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private DataSource dataSource() {
		JdbcDataSource h2 = new JdbcDataSource();
		h2.setURL("jdbc:h2:mem:" + System.identityHashCode(this) + ";DB_CLOSE_DELAY=-1");
		new JdbcTemplate(h2).execute("create table paid (id int)");
		return h2;
	}

	private void insert() {
		this.jdbc.update("insert into paid values (1)");
	}

	private @Nullable Integer rows() {
		return this.jdbc.queryForObject("select count(*) from paid", Integer.class);
	}

	private <T> CompletableFuture<T> execute(CompletableFuture<T> stage) {
		return execute(OnLost.THROW, stage);
	}

	private <T> CompletableFuture<T> execute(OnLost onLost, CompletableFuture<T> stage) {
		return this.template.executeAsync(LockOptions.of("lock").onLost(onLost), () -> {
			this.lease.complete(CurrentLock.lease());
			return stage;
		});
	}

	@FunctionalInterface
	private interface Work {

		void run() throws Exception;

	}

	private void inTransaction(Work work) {
		this.transaction.executeWithoutResult((status) -> {
			try {
				insert();
				work.run();
			}
			catch (RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new AssertionError(ex);
			}
		});
	}

	// Threads

	@Test
	void lockOfAStageIsKeptUntilTheTransactionHasEnded() throws Exception {
		inTransaction(() -> {
			assertThat(get(execute(CompletableFuture.completedFuture("value")))).isEqualTo("value");
			assertHeld("lock");
		});
		assertFree("lock");
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lockIsKeptUntilTheStageIsComplete() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		List<CompletableFuture<String>> results = new ArrayList<>();
		inTransaction(() -> {
			results.add(execute(stage));
			get(this.lease);
		});
		assertHeld("lock");
		stage.complete("value");
		assertThat(get(results.get(0))).isEqualTo("value");
		assertFree("lock");
	}

	@Test
	void transactionDoesNotCommitIfTheLockIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inTransaction(() -> {
			get(execute(CompletableFuture.completedFuture("value")));
			lose(get(this.lease));
		}));
		assertThat(rows()).isZero();
	}

	@Test
	void transactionDoesNotCommitIfTheLockOfAnOpenStageIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inTransaction(() -> {
			execute(new CompletableFuture<>());
			lose(get(this.lease));
		}));
		assertThat(rows()).isZero();
	}

	@Test
	void ignoredLossCommits() {
		inTransaction(() -> {
			get(execute(OnLost.IGNORE, CompletableFuture.completedFuture("value")));
			lose(get(this.lease));
		});
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void rolledBackTransactionGivesTheLockBack() throws Exception {
		IllegalStateException failure = new IllegalStateException("broken");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> inTransaction(() -> {
			get(execute(CompletableFuture.completedFuture("value")));
			throw failure;
		})).isSameAs(failure);
		assertFree("lock");
	}

	@Test
	void transactionDoesNotWaitForALockThatIsNotGranted() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		List<CompletableFuture<String>> results = new ArrayList<>();
		try (LockLease holder = this.elsewhere.lock("lock").acquire()) {
			inTransaction(() -> {
				results.add(execute(stage));
				awaitNodes("lock", 2);
			});
			assertThat(rows()).isEqualTo(1);
			assertThat(holder.isHeld()).isTrue();
		}
		stage.complete("value");
		assertThat(get(results.get(0))).isEqualTo("value");
		assertFree("lock");
	}

	@Test
	void refusedOrCancelledStageDoesNotDisturbTheTransaction() throws Exception {
		try (LockLease holder = this.elsewhere.lock("b").acquire()) {
			inTransaction(() -> {
				List<LockOptions> refused = List.of(LockOptions.of("a"),
						LockOptions.of("b").onContention(OnContention.SKIP));
				get(this.template.executeAsync(refused, CompletableFuture::new));
				assertFree("a");
				this.template.executeAsync(LockOptions.of("b"), CompletableFuture::new).cancel(false);
			});
			assertThat(rows()).isEqualTo(1);
			assertThat(holder.isHeld()).isTrue();
		}
	}

	@Test
	void cancelledStageLeavesTheLockToTheTransaction() throws Exception {
		inTransaction(() -> {
			CompletableFuture<String> stage = new CompletableFuture<>();
			CompletableFuture<String> result = execute(stage);
			// Before the body has returned, its call could not leave
			awaitClosely().until(() -> stage.getNumberOfDependents() > 0);
			result.cancel(false);
			assertHeld("lock");
		});
		awaitFree("lock");
	}

	@Test
	void threadThatWaitsKeepsItsLockForTheTransactionToo() throws Exception {
		inTransaction(() -> {
			get(this.template.executeHere(List.of(LockOptions.of("lock")),
					() -> CompletableFuture.completedFuture("value")));
			assertHeld("lock");
		});
		assertFree("lock");
	}

	// Publishers

	private Mono<String> locked() {
		return this.reactive.mono(LockOptions.of("lock"), () -> {
			this.lease.complete(CurrentLock.lease());
			return Mono.just("value");
		});
	}

	private void assertHeldUnchecked() {
		try {
			assertHeld("lock");
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void lockOfAPublisherIsKeptUntilTheTransactionHasEnded() throws Exception {
		this.manager.onCommit = this::assertHeldUnchecked;
		StepVerifier.create(this.operator.transactional(locked().doOnNext((value) -> assertHeldUnchecked())))
			.expectNext("value")
			.expectComplete()
			.verify(PATIENCE);
		assertThat(this.manager.ends).containsExactly("commit");
		assertFree("lock");
	}

	@Test
	void lockOfAPublisherIsKeptUntilTheTransactionOfItsSubscriberHasEnded() throws Exception {
		inTransaction(() -> {
			assertThat(locked().block(PATIENCE)).isEqualTo("value");
			assertHeld("lock");
			assertThat(this.reactive.flux(LockOptions.of("other"), () -> Flux.just(1, 2)).blockLast(PATIENCE))
				.isEqualTo(2);
			assertHeld("other");
		});
		assertFree("lock");
		assertFree("other");
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void transactionDoesNotCommitIfTheLockOfAPublisherIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inTransaction(() -> {
			locked().block(PATIENCE);
			lose(get(this.lease));
		}));
		assertThat(rows()).isZero();
	}

	@Test
	void transactionDoesNotKeepTheLockOfASubscriberOnAnotherThread() {
		inTransaction(() -> {
			locked().subscribeOn(Schedulers.boundedElastic()).block(PATIENCE);
			assertFree("lock");
		});
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void lockIsKeptUntilThePublisherHasEnded() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CountDownLatch subscribed = new CountDownLatch(1);
		Mono<String> longer = this.reactive.mono(LockOptions.of("lock"),
				() -> Mono.fromFuture(stage).doOnSubscribe((subscription) -> subscribed.countDown()));
		CompletableFuture<String> result = new CompletableFuture<>();
		StepVerifier.create(this.operator.transactional(Mono.deferContextual((context) -> {
			longer.contextWrite(context).subscribe(result::complete, result::completeExceptionally);
			return Mono.fromCallable(() -> Patience.await(subscribed));
		}))).expectNext(true).expectComplete().verify(PATIENCE);
		assertThat(this.manager.ends).containsExactly("commit");
		assertHeld("lock");
		stage.complete("value");
		assertThat(get(result)).isEqualTo("value");
		assertFree("lock");
	}

	@Test
	void reactiveTransactionDoesNotCommitIfTheLockIsLost() {
		StepVerifier.create(this.operator.transactional(locked().doOnNext((value) -> loseIt())))
			.expectError(LockLostException.class)
			.verify(PATIENCE);
		assertThat(this.manager.ends).containsExactly("rollback");
	}

	private void loseIt() {
		try {
			lose(get(this.lease));
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void transactionInsideTheLockDoesNotCommitIfItIsLost() {
		Mono<String> mono = this.reactive.mono(LockOptions.of("lock"), () -> {
			LockLease held = CurrentLock.lease();
			this.lease.complete(held);
			return this.operator.transactional(
					Mono.from(ReactiveLockTemplate.checked(Mono.just("value").doOnNext((value) -> loseIt()))));
		});
		StepVerifier.create(mono).expectError(LockLostException.class).verify(PATIENCE);
		assertThat(this.manager.ends).containsExactly("rollback");
	}

	@Test
	void rolledBackReactiveTransactionGivesTheLockBack() throws Exception {
		StepVerifier.create(this.operator.transactional(locked().then(Mono.error(new IllegalStateException("broken")))))
			.expectError(IllegalStateException.class)
			.verify(PATIENCE);
		assertThat(this.manager.ends).containsExactly("rollback");
		assertFree("lock");
	}

	@Test
	void cancelledReactiveTransactionGivesTheLockBack() throws Exception {
		StepVerifier.create(this.operator.transactional(locked().then(Mono.never())))
			.expectSubscription()
			.then(() -> awaitNodes("lock", 1))
			.thenCancel()
			.verify(PATIENCE);
		awaitFree("lock");
	}

	/**
	 * Commits nothing, but tells.
	 */
	private static final class RecordingTransactionManager extends AbstractReactiveTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient List<String> ends = new CopyOnWriteArrayList<>();

		private transient Runnable onCommit = () -> {
		};

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizations, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> {
				this.onCommit.run();
				this.ends.add("commit");
			});
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.ends.add("rollback"));
		}

	}

}
