package io.github.zklock.spring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.spring.aop.LockAdvisingPostProcessor;
import io.r2dbc.h2.CloseableConnectionFactory;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks and reactive transactions of a real database: nothing is committed without the
 * lock, wherever the transaction begins.
 */
class ReactiveCommitTests extends BlockingCallTestSupport {

	private static final LockOptions LOCK = LockOptions.of("account");

	private final H2 database = closing(new H2());

	private final ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);

	private final AnnotationConfigApplicationContext context = context(true);

	ReactiveCommitTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private AnnotationConfigApplicationContext context(boolean checked) {
		AnnotationConfigApplicationContext context = closing(new AnnotationConfigApplicationContext());
		context.registerBean(LockTemplate.class, () -> this.template);
		context.registerBean(ConnectionFactory.class, () -> this.database.connections);
		context.register(Application.class);
		if (checked) {
			context.register(CommitGuardPostProcessor.class);
		}
		context.refresh();
		return context;
	}

	@BeforeEach
	void nothingIsBooked() {
		assertThat(booked()).isZero();
	}

	private @Nullable Long booked() {
		return this.database.client.sql("select count(*) from booking").mapValue(Long.class).one().block(PATIENCE);
	}

	private TransactionalOperator operator() {
		return TransactionalOperator.create(this.context.getBean(ReactiveTransactionManager.class));
	}

	private Mono<Long> insert() {
		return this.database.insert();
	}

	private Mono<Long> insertAndLose() {
		return insert().doOnSuccess((rows) -> lose("account"));
	}

	private void assertLost(Mono<?> call) {
		StepVerifier.create(call)
			.expectErrorSatisfies(
					(ex) -> assertThat(ex).isInstanceOf(LockLostException.class).hasMessageContaining("'account'"))
			.verify(PATIENCE);
	}

	private static void assertDone(Mono<?> call) {
		StepVerifier.create(call).expectNextCount(1).expectComplete().verify(PATIENCE);
	}

	// Transactions that begin further inside

	@Test
	void transactionOfAnotherBeanDoesNotCommitWithoutTheLock() {
		assertLost(this.context.getBean(Service.class).bookElsewhere(insertAndLose()));
		assertThat(booked()).isZero();
	}

	@Test
	void operatorInsideTheLockDoesNotCommitWithoutIt() {
		assertLost(this.reactive.mono(LOCK, () -> operator().transactional(insertAndLose())));
		assertThat(booked()).isZero();
	}

	@Test
	void everyLockAroundCounts() {
		assertLost(this.reactive.mono(LOCK,
				() -> this.reactive.mono(LockOptions.of("other"), () -> operator().transactional(insertAndLose()))));
		assertThat(booked()).isZero();
	}

	@Test
	void commitsWhatWasDoneUnderTheLock() {
		assertDone(this.context.getBean(Service.class).bookElsewhere(insert()));
		assertDone(this.reactive.mono(LOCK, () -> operator().transactional(insert())));
		assertDone(operator().transactional(insert()));
		assertThat(booked()).isEqualTo(3);
	}

	@Test
	void ignoredLossCommits() {
		assertDone(this.reactive.mono(LOCK.onLost(OnLost.IGNORE), () -> operator().transactional(insertAndLose())));
		assertThat(booked()).isOne();
	}

	/**
	 * What the check is for.
	 */
	@Test
	void managerWithoutTheCheckCommitsWithoutTheLock() {
		TransactionalOperator unchecked = TransactionalOperator
			.create(new R2dbcTransactionManager(this.database.connections));
		assertLost(this.reactive.mono(LOCK, () -> unchecked.transactional(insertAndLose())));
		assertThat(booked()).isOne();
	}

	// The transaction of the method itself

	@Test
	void ownTransactionDoesNotCommitWithoutTheLock() {
		assertLost(this.context.getBean(Service.class).book(insertAndLose()));
		assertThat(booked()).isZero();
	}

	/**
	 * Only what is inside the transaction can keep it from committing here.
	 */
	@Test
	void ownTransactionOfAnUncheckedManagerDoesNotCommitWithoutTheLock() {
		Service service = context(false).getBean(Service.class);
		assertLost(service.book(insertAndLose()));
		assertThat(booked()).isZero();
		assertDone(service.book(insert()));
		assertThat(booked()).isOne();
	}

	// A transaction that was there before

	@Test
	void lockThatIsTakenJustBeforeTheCommitCounts() {
		assertLost(operator().transactional(insert().delayUntil((rows) -> beforeCommit(
				this.reactive.mono(LOCK, () -> Mono.just("locked")).doOnSuccess((value) -> lose("account"))))));
		assertThat(booked()).isZero();
	}

	private static Mono<?> beforeCommit(Mono<?> action) {
		return TransactionSynchronizationManager.forCurrentTransaction().doOnNext((manager) -> {
			manager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> beforeCommit(boolean readOnly) {
					return action.then();
				}

			});
		});
	}

	// Managers

	@Test
	void managerKeepsItsClassAndItsListeners() {
		R2dbcTransactionManager manager = this.context.getBean(R2dbcTransactionManager.class);
		List<String> heard = new CopyOnWriteArrayList<>();
		manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				heard.add("commit");
			}

		}));
		assertThat(manager.getConnectionFactory()).isSameAs(this.database.connections);
		assertDone(TransactionalOperator.create(manager).transactional(insert()));
		assertThat(heard).containsExactly("commit");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void managerOfAnyKindIsCheckedOnce(boolean proxied) {
		CommitGuardPostProcessor check = new CommitGuardPostProcessor();
		Object manager = new OtherManager(new R2dbcTransactionManager(this.database.connections));
		if (proxied) {
			manager = new ProxyFactory(manager).getProxy();
		}
		Object checked = check.postProcessAfterInitialization(manager, "other");
		assertThat(check.postProcessAfterInitialization(checked, "other")).isSameAs(checked);
		TransactionalOperator operator = TransactionalOperator.create((ReactiveTransactionManager) checked);
		assertLost(this.reactive.mono(LOCK, () -> operator.transactional(insertAndLose())));
		assertThat(booked()).isZero();
		assertDone(this.reactive.mono(LOCK, () -> operator.transactional(insert())));
		assertThat(booked()).isOne();
	}

	/**
	 * Made as in any application, and by hand: nothing of Spring Boot is involved.
	 */
	@Configuration
	@EnableTransactionManagement
	static class Application {

		@Bean
		static LockAdvisingPostProcessor lockAdvice() {
			return new LockAdvisingPostProcessor(Ordered.LOWEST_PRECEDENCE - 100, true);
		}

		@Bean
		R2dbcTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		Inner inner() {
			return new Inner();
		}

		@Bean
		Service service(Inner inner) {
			return new Service(inner);
		}

	}

	public static class Service {

		private final Inner inner;

		public Service(Inner inner) {
			this.inner = inner;
		}

		@DistributedLock("account")
		@Transactional
		public Mono<Long> book(Mono<Long> work) {
			return work;
		}

		@DistributedLock("account")
		public Mono<Long> bookElsewhere(Mono<Long> work) {
			return this.inner.book(work);
		}

	}

	public static class Inner {

		@Transactional
		public Mono<Long> book(Mono<Long> work) {
			return work;
		}

	}

	/**
	 * Not of the usual kind, and nobody can extend it.
	 */
	private static final class OtherManager implements ReactiveTransactionManager {

		private final ReactiveTransactionManager delegate;

		OtherManager(ReactiveTransactionManager delegate) {
			this.delegate = delegate;
		}

		@Override
		public Mono<ReactiveTransaction> getReactiveTransaction(@Nullable TransactionDefinition definition) {
			return this.delegate.getReactiveTransaction(definition);
		}

		@Override
		public Mono<Void> commit(ReactiveTransaction transaction) {
			return this.delegate.commit(transaction);
		}

		@Override
		public Mono<Void> rollback(ReactiveTransaction transaction) {
			return this.delegate.rollback(transaction);
		}

	}

	private static final class H2 implements AutoCloseable {

		private final CloseableConnectionFactory connections = H2ConnectionFactory
			.inMemory("bookings-" + System.identityHashCode(this));

		private final DatabaseClient client = DatabaseClient.create(this.connections);

		H2() {
			this.client.sql("create table booking (id bigint auto_increment primary key)").then().block(PATIENCE);
		}

		Mono<Long> insert() {
			return this.client.sql("insert into booking default values").fetch().rowsUpdated();
		}

		@Override
		public void close() {
			Mono.from(this.connections.close()).block(PATIENCE);
		}

	}

}
