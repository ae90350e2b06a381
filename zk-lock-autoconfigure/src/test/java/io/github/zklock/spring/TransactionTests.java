package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.spring.aop.LockAdvisingPostProcessor;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks and transactions of a real database: whoever gets the lock next sees what was
 * committed, and nothing is committed without the lock.
 */
class TransactionTests extends BlockingCallTestSupport {

	private static final LockOptions LOCK = LockOptions.of("account");

	private final AnnotationConfigApplicationContext context = closing(new AnnotationConfigApplicationContext());

	private final Accounts accounts;

	private final TransactionTemplate transaction;

	TransactionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		this.context.registerBean(LockRegistry.class, () -> this.locks);
		this.context.registerBean(LockTemplate.class, () -> this.template);
		this.context.register(Application.class);
		this.context.refresh();
		this.accounts = this.context.getBean(Accounts.class);
		this.transaction = this.context.getBean(TransactionTemplate.class);
	}

	@BeforeEach
	void nothingIsBooked() {
		assertThat(booked()).isZero();
	}

	private int booked() {
		Integer count = new JdbcTemplate(this.context.getBean(DataSource.class))
			.queryForObject("select count(*) from booking", Integer.class);
		return (count != null) ? count : 0;
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	private void inTransaction(Runnable work) {
		this.transaction.executeWithoutResult((status) -> work.run());
	}

	private void inNewTransaction(Runnable work) {
		transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((status) -> work.run());
	}

	private void assertLost(Runnable call) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(call::run)
			.withMessageContaining("'account'")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("account"));
		assertThat(this.locks.lock("account").lease()).as("nothing is left to unlock").isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
	}

	// A transaction of the method's own

	@Test
	@Tag("H18")
	void ownTransactionBeginsAndEndsInsideTheLock() {
		List<String> heard = new ArrayList<>();
		this.context.getBean(JdbcTransactionManager.class).addListener(new TransactionExecutionListener() {

			@Override
			public void beforeBegin(TransactionExecution transaction) {
				CurrentLock.assertHeld("account");
				heard.add("begin");
			}

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				assertThat(commitFailure).isNull();
				CurrentLock.assertHeld("account");
				assertThat(isFree("account")).isFalse();
				heard.add("commit");
			}

		});
		this.accounts.book(() -> heard.add("work"));
		assertThat(heard).containsExactly("begin", "work", "commit");
		assertThat(booked()).isOne();
		assertThat(isFree("account")).isTrue();
	}

	@Test
	void ownTransactionDoesNotCommitWithoutTheLock() {
		assertLost(() -> this.accounts.book(() -> lose("account")));
		assertThat(booked()).isZero();
	}

	@Test
	void ownTransactionOfAnInterruptedBodyDoesNotCommit() {
		assertLost(() -> this.accounts.bookInterruptibly(() -> {
			loseMeanwhile("account");
			spinUntil(() -> !CurrentLock.lease().isHeld());
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void ownTransactionCommitsIfALossIsIgnored() {
		this.accounts.bookAnyway(() -> lose("account"));
		assertThat(booked()).isOne();
	}

	@Test
	void ownTransactionRollsBackForTheBodysException() {
		IllegalStateException failure = new IllegalStateException();
		assertThatIllegalStateException().isThrownBy(() -> this.accounts.book(() -> {
			lose("account");
			throw failure;
		})).satisfies((ex) -> assertThat(ex).isSameAs(failure));
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		assertThat(booked()).isZero();
	}

	@Test
	void readOnlyTransactionIsToldToo() {
		assertLost(() -> this.accounts.read(() -> lose("account")));
		this.accounts.read(() -> CurrentLock.assertHeld("account"));
	}

	@Test
	void silentConnectionKeepsTheTransactionFromCommitting() {
		FaultProxy proxy = proxy();
		ZooKeeperLocks victim = closing(builder(proxy.connectString(), Duration.ofSeconds(4)).build());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> template(victim).execute("account", () -> inTransaction(() -> {
				this.accounts.insert();
				proxy.hold(Direction.TO_SERVER);
				spinUntil(() -> !CurrentLock.lease().isHeld());
			})));
		proxy.heal();
		assertThat(booked()).isZero();
	}

	// Transactions that the body ends

	@Test
	void bodyThatEndsTheOuterTransactionKeepsItsLock() {
		PlatformTransactionManager manager = this.context.getBean(PlatformTransactionManager.class);
		TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
		this.template.execute(LOCK, () -> {
			this.accounts.insert();
			manager.commit(status);
			CurrentLock.assertHeld("account");
			assertThat(isFree("account")).isFalse();
		});
		assertThat(isFree("account")).isTrue();
		assertThat(booked()).isOne();
	}

	@Test
	void bodyThatEndsTheOuterTransactionIsToldOfALoss() {
		PlatformTransactionManager manager = this.context.getBean(PlatformTransactionManager.class);
		TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
		assertLost(() -> this.template.execute(LOCK, () -> {
			manager.rollback(status);
			lose("account");
		}));
	}

	@Test
	void laterBodyThatEndsTheOuterTransactionKeepsItsLock() {
		PlatformTransactionManager manager = this.context.getBean(PlatformTransactionManager.class);
		TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
		this.template.execute(LOCK, this.accounts::insert);
		this.template.execute(LOCK, () -> {
			this.template.execute(LOCK, () -> manager.commit(status));
			CurrentLock.assertHeld("account");
			assertThat(isFree("account")).isFalse();
		});
		assertThat(isFree("account")).isTrue();
		assertThat(booked()).isOne();
	}

	// Transactions that the body begins

	@Test
	void transactionTemplateInsideTheLockDoesNotCommitWithoutIt() {
		assertLost(() -> this.template.execute(LOCK, () -> inTransaction(() -> {
			this.accounts.insert();
			lose("account");
		})));
		assertThat(booked()).isZero();
	}

	@Test
	void transactionThatHasCommittedBeforeTheLossStays() {
		assertLost(() -> this.template.execute(LOCK, () -> {
			inTransaction(this.accounts::insert);
			lose("account");
			assertLossOf(() -> inTransaction(this.accounts::insert));
		}));
		assertThat(booked()).isOne();
	}

	private static void assertLossOf(Runnable call) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(call::run);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void newTransactionBelowTheLockDoesNotCommitWithoutIt(boolean inOuterTransaction) {
		Runnable call = () -> this.template.execute(LOCK, () -> inNewTransaction(() -> {
			this.accounts.insert();
			lose("account");
		}));
		assertLost(() -> {
			if (inOuterTransaction) {
				inTransaction(call);
			}
			else {
				call.run();
			}
		});
		assertThat(booked()).isZero();
	}

	@Test
	void everyLockAroundCounts() {
		assertLost(() -> this.template.execute(LOCK, () -> this.template.execute("other", () -> inTransaction(() -> {
			this.accounts.insert();
			lose("account");
		}))));
		assertThat(booked()).isZero();
		assertThat(isFree("other")).isTrue();
	}

	@Test
	void outermostCallDecidesWhetherToCommit() {
		this.template.execute(LOCK.onLost(OnLost.IGNORE), () -> this.template.execute(LOCK, () -> inTransaction(() -> {
			this.accounts.insert();
			lose("account");
		})));
		assertThat(booked()).isOne();
	}

	// A transaction that was there before

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lockIsKeptUntilTheOuterTransactionHasEnded(boolean rollback) {
		List<String> heard = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			this.template.execute(LOCK, this.accounts::insert);
			assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
			assertThat(isFree("account")).isFalse();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.LOWEST_PRECEDENCE - 1;
				}

				@Override
				public void afterCompletion(int completion) {
					assertThat(isFree("account")).isFalse();
					assertThat(booked()).isEqualTo(rollback ? 0 : 1);
					heard.add("completed");
				}

			});
			if (rollback) {
				status.setRollbackOnly();
			}
		});
		assertThat(heard).containsExactly("completed");
		assertThat(isFree("account")).isTrue();
		assertThat(this.locks.lock("account").lease()).isEmpty();
	}

	@Test
	void outerTransactionThatFailsReleasesTheLock() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			throw new IllegalStateException();
		}));
		assertThat(booked()).isZero();
		assertThat(isFree("account")).isTrue();
	}

	@Test
	void outerTransactionDoesNotCommitIfTheLockIsLostAfterTheCall() {
		assertLost(() -> inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			lose("account");
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void outerTransactionOfAnAnnotatedMethodDoesNotCommitIfTheLockIsLost() {
		assertLost(() -> inTransaction(() -> {
			this.accounts.book(() -> {
			});
			assertThat(isFree("account")).isFalse();
			lose("account");
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void outerTransactionDoesNotCommitIfItsCodeDisregardsTheLoss() {
		assertLost(() -> inTransaction(() -> {
			this.accounts.insert();
			assertLossOf(() -> this.template.execute(LOCK, () -> lose("account")));
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void outerTransactionCommitsIfALossIsIgnored() {
		inTransaction(() -> {
			this.template.execute(LOCK.onLost(OnLost.IGNORE), this.accounts::insert);
			lose("account");
		});
		assertThat(booked()).isOne();
		assertThat(this.locks.lock("account").lease()).isEmpty();
	}

	@Test
	void outerTransactionCommitsIfTheBodyHasGivenTheLockBack() {
		inTransaction(() -> this.template.execute(LOCK, () -> {
			this.accounts.insert();
			CurrentLock.lease().close();
		}));
		assertThat(booked()).isOne();
	}

	@Test
	void secondCallInTheSameTransactionEntersAgain() {
		inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			this.template.execute(LOCK, this.accounts::insert);
			assertThat(isFree("account")).isFalse();
		});
		assertThat(booked()).isEqualTo(2);
		assertThat(this.events.awaitGranted(1)).containsExactly("account");
		assertThat(isFree("account")).isTrue();
	}

	/**
	 * The first call does not care for the loss, but the second does.
	 */
	@Test
	void secondCallInTheSameTransactionAnswersForItself() {
		assertLost(() -> inTransaction(() -> {
			this.template.execute(LOCK.onLost(OnLost.IGNORE), this.accounts::insert);
			this.template.execute(LOCK, this.accounts::insert);
			lose("account");
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void transactionIsToldOnceHoweverOftenTheLockIsEntered() {
		inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			for (int call = 0; call < 10; call++) {
				this.template.execute(LOCK, () -> CurrentLock.assertHeld("account"));
			}
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSizeLessThanOrEqualTo(3);
		});
	}

	@Test
	void callInsideAManualHoldAnswersForTheOuterTransaction() {
		NamedLock lock = this.locks.lock("account");
		lock.lock();
		assertLossOf(() -> inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			lose("account");
		}));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(booked()).isZero();
	}

	@Test
	void manualHoldOutlivesTheOuterTransaction() {
		NamedLock lock = this.locks.lock("account");
		lock.lock();
		inTransaction(() -> this.template.execute(LOCK, this.accounts::insert));
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
		assertThat(isFree("account")).isTrue();
		assertThat(booked()).isOne();
	}

	@Test
	void newTransactionAroundTheSecondCallDoesNotCommitWithoutTheLock() {
		assertLost(() -> inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			assertLossOf(() -> inNewTransaction(() -> {
				this.template.execute(LOCK, this.accounts::insert);
				lose("account");
			}));
		}));
		assertThat(booked()).isZero();
	}

	@Test
	void lockOfAnInnerTransactionEndsWithIt() {
		inTransaction(() -> {
			inNewTransaction(() -> {
				this.template.execute(LOCK, this.accounts::insert);
				assertThat(isFree("account")).isFalse();
			});
			assertThat(isFree("account")).isTrue();
		});
		assertThat(booked()).isOne();
	}

	@Test
	void lockOfTheOuterTransactionOutlivesAnInnerOne() {
		inTransaction(() -> {
			this.template.execute(LOCK, this.accounts::insert);
			inNewTransaction(() -> this.template.execute(LOCK, this.accounts::insert));
			assertThat(isFree("account")).isFalse();
		});
		assertThat(booked()).isEqualTo(2);
		assertThat(isFree("account")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { TransactionDefinition.PROPAGATION_SUPPORTS, TransactionDefinition.PROPAGATION_NOT_SUPPORTED })
	void scopeWithoutTransactionKeepsNothing(int propagation) {
		transaction(propagation).executeWithoutResult((status) -> {
			this.template.execute(LOCK, () -> CurrentLock.assertHeld("account"));
			assertThat(isFree("account")).isTrue();
		});
	}

	@Test
	void savepointKeepsTheLockUntilTheOuterTransactionHasEnded() {
		inTransaction(() -> {
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((status) -> {
				this.template.execute(LOCK, this.accounts::insert);
				status.setRollbackOnly();
			});
			assertThat(isFree("account")).isFalse();
		});
		assertThat(booked()).isZero();
		assertThat(isFree("account")).isTrue();
	}

	@Test
	void lockThatWasNotGotInAnOuterTransactionIsNotKept() {
		try (LockLease other = occupy("other")) {
			inTransaction(() -> {
				Object result = this.template
					.execute(List.of(LOCK, LockOptions.of("other").fallback((ex) -> "skipped")), () -> "ran");
				assertThat(result).isEqualTo("skipped");
				assertThat(isFree("account")).isTrue();
			});
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void lingersAfterTheOuterTransactionHasEnded() {
		inTransaction(() -> this.template.execute(LOCK.minHold(Duration.ofHours(1)), this.accounts::insert));
		assertThat(this.locks.lock("account").lease()).isEmpty();
		assertThat(isFree("account")).isFalse();
		this.locks.close();
	}

	@Test
	void callAfterTheCommitDoesNotKeepTheLock() {
		List<Boolean> free = new ArrayList<>();
		inTransaction(() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				TransactionTests.this.template.execute(LOCK, () -> CurrentLock.assertHeld("account"));
			}

			@Override
			public void afterCompletion(int status) {
				TransactionTests.this.template.execute("other", () -> CurrentLock.assertHeld("other"));
				free.add(isFree("other"));
			}

		}));
		assertThat(free).containsExactly(true);
		assertThat(isFree("account")).isTrue();
	}

	@Test
	void lockThatIsTakenJustBeforeTheCommitCounts() {
		assertLost(() -> inTransaction(() -> {
			this.accounts.insert();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					TransactionTests.this.template.execute(LOCK, TransactionTests.this.accounts::insert);
					lose("account");
				}

			});
		}));
		assertThat(booked()).isZero();
	}

	// The check itself

	/**
	 * What the check is for.
	 */
	@ParameterizedTest
	@EnumSource(names = { "THROW", "INTERRUPT" })
	void managerWithoutTheCheckCommitsWithoutTheLock(OnLost onLost) {
		JdbcTransactionManager unchecked = new JdbcTransactionManager(this.context.getBean(DataSource.class));
		assertLost(() -> this.template.execute(LOCK.onLost(onLost),
				() -> new TransactionTemplate(unchecked).executeWithoutResult((status) -> {
					this.accounts.insert();
					loseMeanwhile("account");
					spinUntil(() -> !CurrentLock.lease().isHeld());
				})));
		assertThat(booked()).isOne();
	}

	/**
	 * Made as in any application, and by hand: nothing of Spring Boot is involved.
	 */
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
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		TransactionTemplate transactionTemplate(PlatformTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

		@Bean
		Accounts accounts(DataSource dataSource) {
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			jdbc.execute("create table booking (id bigint auto_increment primary key)");
			return new Accounts(jdbc);
		}

	}

	/**
	 * A service as people write it.
	 */
	public static class Accounts {

		private final JdbcTemplate jdbc;

		public Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		public void insert() {
			this.jdbc.update("insert into booking default values");
		}

		@DistributedLock("account")
		@Transactional
		public void book(Runnable then) {
			insert();
			then.run();
		}

		@DistributedLock(name = "account", onLost = OnLost.INTERRUPT)
		@Transactional
		public void bookInterruptibly(Runnable then) {
			insert();
			then.run();
		}

		@DistributedLock(name = "account", onLost = OnLost.IGNORE)
		@Transactional
		public void bookAnyway(Runnable then) {
			insert();
			then.run();
		}

		@DistributedLock("account")
		@Transactional(readOnly = true)
		public void read(Runnable then) {
			then.run();
		}

	}

}
