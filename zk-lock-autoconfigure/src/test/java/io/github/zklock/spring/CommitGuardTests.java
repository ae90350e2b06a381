package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.zklock.LockLostException;
import io.r2dbc.h2.H2ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every transaction manager is checked, whoever makes it and whatever is around it.
 */
@ExtendWith(OutputCaptureExtension.class)
class CommitGuardTests {

	private static final TransactionExecutionListener OTHER = new TransactionExecutionListener() {
	};

	private static Collection<TransactionExecutionListener> listeners(Object manager) {
		return ((ConfigurableTransactionManager) manager).getTransactionExecutionListeners();
	}

	private static CommitGuardPostProcessor check() {
		return new CommitGuardPostProcessor();
	}

	@Test
	void checksAManagerOnce() {
		DataSourceTransactionManager manager = new DataSourceTransactionManager();
		assertThat(check().postProcessAfterInitialization(manager, "manager")).isSameAs(manager);
		check().postProcessAfterInitialization(manager, "manager");
		assertThat(listeners(manager)).hasSize(1);
	}

	@Test
	void keepsTheListenersOfOthers() {
		DataSourceTransactionManager manager = new DataSourceTransactionManager();
		manager.setTransactionExecutionListeners(List.of(OTHER));
		check().postProcessAfterInitialization(manager, "manager");
		assertThat(listeners(manager)).hasSize(2).contains(OTHER);
	}

	@Test
	void checksTheManagerBehindProxies() {
		for (boolean byClass : List.of(true, false)) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager();
			ProxyFactory inner = new ProxyFactory(manager);
			inner.setProxyTargetClass(byClass);
			ProxyFactory outer = new ProxyFactory();
			outer.setTarget(inner.getProxy());
			outer.setInterfaces(PlatformTransactionManager.class);
			Object proxy = outer.getProxy();
			assertThat(check().postProcessAfterInitialization(proxy, "manager")).isSameAs(proxy);
			assertThat(listeners(manager)).as("proxy by class: %s", byClass).hasSize(1);
		}
	}

	@Test
	void warnsOfAManagerThatCannotBeChecked(CapturedOutput output) {
		PlatformTransactionManager manager = new UncheckedManager();
		check().postProcessAfterInitialization(manager, "legacy");
		assertThat(output).contains("'legacy'", "WARN");
		check().postProcessAfterInitialization("no manager", "text");
		assertThat(output).doesNotContain("'text'");
	}

	@Test
	void checksAManagerThatWasMadeTooEarly() {
		assertCommitIsRefused(true, (context) -> context.registerBean(EarlyUser.class, EarlyUser::new));
	}

	@Test
	void checksAManagerThatGetsOtherListenersLater() {
		assertCommitIsRefused(true, (context) -> context.registerBean(Object.class, () -> {
			context.getBean(JdbcTransactionManager.class).setTransactionExecutionListeners(List.of(OTHER));
			return new Object();
		}));
	}

	@Test
	void withoutItTheCommitGoesThrough() {
		assertCommitIsRefused(false, (context) -> {
		});
	}

	// Reactive managers

	@Test
	void leavesAFinalReactiveManagerAndWarnsOnce(CapturedOutput output) {
		assertIsLeftWithAWarning(FinalManager.class, FinalManager::new, output);
	}

	@Test
	void leavesAReactiveManagerWithAFinalCommitAndWarnsOnce(CapturedOutput output) {
		assertIsLeftWithAWarning(FinalCommitManager.class, FinalCommitManager::new, output);
	}

	private static <T> void assertIsLeftWithAWarning(Class<T> type, Supplier<T> supplier, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("reactive", type, supplier);
			context.registerBean(CommitGuardPostProcessor.class, CommitGuardPostProcessor::new);
			context.refresh();
			assertThat(context.getBean(ReactiveTransactionManager.class)).isExactlyInstanceOf(type);
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("'reactive'"))).singleElement()
			.asString()
			.contains("WARN", type.getName(), "final");
	}

	@Test
	void finalMethodsOfACheckedReactiveManagerSeeItsState(CapturedOutput output) {
		TenantManager manager = new TenantManager("shop");
		Object checked = check().postProcessAfterInitialization(manager, "reactive");
		assertThat(checked).isNotSameAs(manager).isInstanceOfSatisfying(TenantManager.class, (proxy) -> {
			assertThat(proxy.tenant()).isEqualTo("shop");
			assertThat(proxy.suffix()).isEqualTo("-shop");
			assertThat(proxy.getConnectionFactory()).isSameAs(manager.getConnectionFactory());
		});
		assertThat(output).doesNotContain("'reactive'");
	}

	private static void assertCommitIsRefused(boolean refused,
			Consumer<AnnotationConfigApplicationContext> customizer) {
		EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
			.generateUniqueName(true)
			.build();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			JdbcTemplate jdbc = new JdbcTemplate(database);
			jdbc.execute("create table booking (id bigint auto_increment primary key)");
			context.registerBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(database));
			if (refused) {
				context.registerBean(CommitGuardPostProcessor.class, CommitGuardPostProcessor::new);
			}
			customizer.accept(context);
			context.refresh();
			TransactionTemplate transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> BlockingCallTestSupport.template(new FakeLocks())
					.execute("a", () -> transaction.executeWithoutResult((status) -> {
						jdbc.update("insert into booking default values");
						((FakeLocks.FakeLease) CurrentLock.lease()).lose();
					})));
			assertThat(jdbc.queryForObject("select count(*) from booking", Integer.class)).isEqualTo(refused ? 0 : 1);
		}
		finally {
			database.shutdown();
		}
	}

	/**
	 * Needs a manager before all post-processors are there.
	 */
	static class EarlyUser implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

		private final List<Object> used = new ArrayList<>();

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			this.used.add(beanFactory.getBean(JdbcTransactionManager.class));
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	/**
	 * Takes no listeners.
	 */
	static class UncheckedManager implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void commit(TransactionStatus status) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void rollback(TransactionStatus status) {
			throw new UnsupportedOperationException();
		}

	}

	static final class FinalManager extends R2dbcTransactionManager {

		FinalManager() {
			super(H2ConnectionFactory.inMemory("final"));
		}

	}

	static class FinalCommitManager extends R2dbcTransactionManager {

		FinalCommitManager() {
			super(H2ConnectionFactory.inMemory("final-commit"));
		}

		@Override
		protected final Mono<Void> doCommit(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return super.doCommit(synchronizations, status);
		}

	}

	static class NamedManager extends R2dbcTransactionManager {

		private final String suffix;

		NamedManager(String suffix) {
			super(H2ConnectionFactory.inMemory("named"));
			this.suffix = suffix;
		}

		final String suffix() {
			return this.suffix;
		}

	}

	static class TenantManager extends NamedManager {

		private final String tenant;

		TenantManager(String tenant) {
			super("-" + tenant);
			this.tenant = tenant;
		}

		final String tenant() {
			return this.tenant;
		}

	}

}
