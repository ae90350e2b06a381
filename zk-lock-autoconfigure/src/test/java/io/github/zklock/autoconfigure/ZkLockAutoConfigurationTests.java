package io.github.zklock.autoconfigure;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.CommitGuardPostProcessor;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.leader.LeaderRoles;
import io.github.zklock.local.LocalLocks;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Which beans there are, and which properties are refused. Nothing here connects to
 * ZooKeeper.
 */
@ExtendWith(OutputCaptureExtension.class)
class ZkLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, SslAutoConfiguration.class,
				TaskExecutionAutoConfiguration.class))
		.withPropertyValues("zk.lock.connect-string=localhost:1");

	private final ApplicationContextRunner bareRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class));

	// Beans

	@Test
	void beansHaveNamesOfTheirOwn() {
		this.runner.run((context) -> {
			assertThat(context).getBean("zkLockRegistry").isInstanceOf(LockRegistry.class);
			assertThat(context).getBean("zkLockInspector").isInstanceOf(LockInspector.class);
			assertThat(context).getBean("zkLockClient").isInstanceOf(ZooKeeperClient.class);
			assertThat(context).getBean("zkLockTemplate").isInstanceOf(LockTemplate.class);
			assertThat(context).getBean("zkLockConnectionDetails").isInstanceOf(ZooKeeperConnectionDetails.class);
			assertThat(context.getBeanDefinitionNames()).filteredOn((name) -> isOurs(context.getType(name)))
				.allMatch((name) -> name.startsWith("zkLock") || name.contains("io.github.zklock"));
		});
	}

	private static boolean isOurs(@Nullable Class<?> type) {
		return type != null && type.getPackageName().startsWith("io.github.zklock");
	}

	@Test
	void everyTypeIsThereOnce() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
			.hasSingleBean(LockInspector.class)
			.hasSingleBean(LockTemplate.class)
			.hasSingleBean(ZooKeeperClient.class));
	}

	@Test
	void unusedApplicationOpensNoSessionAndWarnsOfNothing(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(ZooKeeperClient.class).isRunning()).isTrue();
			assertThat(context.getBean(LockInspector.class).held()).isEmpty();
			assertThat(context.getBean(LockRegistry.class).lock("name").isHeldByCurrentThread()).isFalse();
			awaitNoConnecting();
		});
		assertThat(output).doesNotContain("WARN").doesNotContain("ERROR");
	}

	/**
	 * Nobody tries to connect, or goes on trying: a thread ends a little later than what
	 * it worked for.
	 */
	private static void awaitNoConnecting() {
		await().atMost(ServerTestSupport.PATIENCE)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((name) -> name.contains("SendThread(localhost:1)")));
	}

	@Test
	void disabledMeansNothingAtAll() {
		this.runner.withPropertyValues("zk.lock.enabled=false", "zk.lock.root=nowhere")
			.run((context) -> assertThat(context).doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockInspector.class)
				.doesNotHaveBean(LockTemplate.class)
				.doesNotHaveBean(ZooKeeperClient.class)
				.doesNotHaveBean(ZooKeeperConnectionDetails.class)
				.hasSingleBean(ZkLockProperties.class));
	}

	// Properties are read as Spring Boot binds them

	@ParameterizedTest
	@ValueSource(strings = { "on", "yes", "1", "TRUE" })
	void anyTrueValueEnables(String value) {
		this.runner.withUserConfiguration(Locked.class)
			.withPropertyValues("zk.lock.type=local", "zk.lock.enabled=" + value)
			.run((context) -> {
				assertThat(context.getBean(Locked.class).call()).isEqualTo("locked");
				assertThat(context).hasSingleBean(CommitGuardPostProcessor.class);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "off", "no", "0", "FALSE" })
	void anyFalseValueDisables(String value) {
		ApplicationContextRunner disabled = this.runner.withPropertyValues("zk.lock.enabled=" + value);
		disabled.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(LockRegistry.class)
			.doesNotHaveBean(CommitGuardPostProcessor.class));
		disabled.withUserConfiguration(Locked.class)
			.run((context) -> assertThat(Failures.textOf(context)).contains("zk.lock.enabled=false",
					"zk.lock.type=local"));
	}

	@Test
	void environmentVariableDisables() {
		this.bareRunner.withInitializer((context) -> environmentVariable(context.getEnvironment(), "ZK_LOCK_ENABLED=0"))
			.withUserConfiguration(Locked.class)
			.run((context) -> assertThat(Failures.textOf(context)).contains("zk.lock.enabled=false"));
	}

	@ParameterizedTest
	@CsvSource({ "zk.lock.enabled,perhaps", "zk.lock.enabled,''", "zk.lock.embedded.enabled,perhaps",
			"zk.lock.type,elsewhere" })
	void valueThatMeansNothingStopsTheStart(String name, String value) {
		this.bareRunner.withPropertyValues(name + "=" + value).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining("'" + name + "'")
				.rootCause()
				.isInstanceOf(IllegalArgumentException.class);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "Zoo-Keeper", "ZOOKEEPER", "" })
	void anySpellingOfTheTypeDoes(String type) {
		this.runner.withPropertyValues("zk.lock.type=" + type)
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperClient.class));
	}

	@Test
	void runsWithoutItsNeighbours() {
		this.bareRunner.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class));
	}

	@Test
	void runsWithoutTheEmbeddedServer() {
		this.runner.withClassLoader(new FilteredClassLoader(EmbeddedZooKeeper.class.getPackageName()))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(ZooKeeperClient.class));
	}

	// The user's own beans

	@Test
	void registryOfTheUserNeedsNoConnection() {
		this.runner.withUserConfiguration(OwnRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.hasBean("lockRegistry")
				.doesNotHaveBean(ZooKeeperClient.class)
				.doesNotHaveBean(ZooKeeperConnectionDetails.class)
				.doesNotHaveBean("zkLockInspector")
				.hasSingleBean(LockTemplate.class));
	}

	@Test
	void severalRegistriesOfTheUserAreFineUntilOneIsNeeded() {
		this.runner.withUserConfiguration(TwoRegistries.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockTemplate.class));
	}

	@Test
	void severalRegistriesOfTheUserAreToldApartByPrimary() {
		this.runner.withUserConfiguration(TwoRegistries.class, MainRegistry.class, Locked.class)
			.withPropertyValues("zk.lock.leader.roles=orders")
			.run((context) -> {
				assertThat(context.getBean(Locked.class).call()).isEqualTo("locked");
				assertThat(context.getBean("main", LocalLocks.class).election("orders").leadership().isLeader())
					.isTrue();
			});
	}

	@Test
	void severalRegistriesOfTheUserStopTheStartOfLockedMethods() {
		this.runner.withUserConfiguration(TwoRegistries.class, Locked.class)
			.run(ZkLockAutoConfigurationTests::assertRegistriesAreNamed);
	}

	@Test
	void severalRegistriesOfTheUserStopTheStartOfRoles() {
		this.runner.withUserConfiguration(TwoRegistries.class)
			.withPropertyValues("zk.lock.leader.roles=orders")
			.run(ZkLockAutoConfigurationTests::assertRegistriesAreNamed);
	}

	private static void assertRegistriesAreNamed(AssertableApplicationContext context) {
		FailureAnalysis analysis = Failures.of(context);
		assertThat(analysis.getDescription()).contains("LockRegistry", "'first', 'second'");
		assertThat(analysis.getAction()).contains("@Primary");
	}

	@Test
	void lazyBeanIsToldOfSeveralRegistriesWhenItIsMade() {
		this.runner.withUserConfiguration(TwoRegistries.class)
			.withBean(Locked.class, Locked::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> context.getBean(Locked.class))
				.withRootCauseInstanceOf(NoSuchBeanDefinitionException.class)
				.havingCause()
				.isInstanceOf(LockConfigurationException.class)
				.withMessageContaining("'first', 'second'"));
	}

	@Test
	void rolesOfTheUserGiveTheLeadershipBeans() {
		this.runner.withUserConfiguration(OwnRoles.class)
			.withPropertyValues("zk.lock.type=local", "spring.application.name=shop")
			.run((context) -> {
				assertThat(context).hasSingleBean(LeaderRoles.class);
				assertThat(context.getBean(Leadership.class).role()).isEqualTo("shop");
				assertThat(context.getBean(LeaderRoles.class).roles()).containsExactly("shop");
			});
	}

	@Test
	void registryOfTheUserKeepsTheEmbeddedServerAway() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withUserConfiguration(OwnRegistry.class)
			.withPropertyValues("zk.lock.embedded.enabled=true", "zk.lock.embedded.port=0")
			.run((context) -> assertThat(context).doesNotHaveBean(ZooKeeperConnectionDetails.class));
	}

	@Test
	void inspectorOfTheUserIsTheOnlyOne() {
		this.runner.withUserConfiguration(OwnInspector.class)
			.run((context) -> assertThat(context).hasSingleBean(LockInspector.class)
				.hasBean("lockInspector")
				.hasSingleBean(LockRegistry.class));
	}

	@Test
	void templateOfTheUserIsTheOnlyOne() {
		this.runner.withUserConfiguration(OwnTemplate.class)
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class).hasBean("lockTemplate"));
	}

	@Test
	void connectionDetailsOfTheUserWin() {
		this.runner.withUserConfiguration(OwnDetails.class)
			.withPropertyValues("zk.lock.startup=fail", "zk.lock.session.connect-timeout=50ms")
			.run((context) -> assertThat(Failures.of(context).getDescription()).contains("127.0.0.1:2"));
	}

	@Test
	void uselessConnectionDetailsOfTheUserAreNamed() {
		this.runner.withBean(UselessDetails.class, UselessDetails::new).run((context) -> {
			FailureAnalysis analysis = Failures.of(context);
			assertThat(analysis.getDescription()).contains("'host:2181/a/'", UselessDetails.class.getName())
				.doesNotContain("zk.lock.connect-string");
			assertThat(analysis.getAction()).contains("getConnectString()", UselessDetails.class.getName());
		});
	}

	@Test
	void connectionDetailsOfTheUserKeepTheEmbeddedServerAway() {
		this.bareRunner.withUserConfiguration(OwnDetails.class)
			.withPropertyValues("zk.lock.embedded.enabled=true", "zk.lock.embedded.port=0")
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperConnectionDetails.class).hasBean("details"));
	}

	// The template

	@Test
	void templateRunsTasksOnTheApplicationsExecutor() {
		this.runner.run((context) -> assertThat(threadOf(context.getBean(LockTemplate.class))).startsWith("task-"));
	}

	@Test
	void templateHasThreadsWhereThereIsNoExecutor() {
		this.bareRunner
			.run((context) -> assertThat(threadOf(context.getBean(LockTemplate.class))).startsWith("zk-lock-task-"));
	}

	private static String threadOf(LockTemplate template) throws Exception {
		Executor executor = (Executor) read(template, "executor");
		return Patience.get(CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), executor));
	}

	@Test
	void templateWaitsAsThePropertySays() {
		this.runner.withPropertyValues("zk.lock.max-wait=3s")
			.run((context) -> assertThat(read(context.getBean(LockTemplate.class), "maxWait"))
				.isEqualTo(Duration.ofSeconds(3)));
	}

	private static Object read(Object target, String field) {
		Field found = Objects.requireNonNull(ReflectionUtils.findField(target.getClass(), field));
		ReflectionUtils.makeAccessible(found);
		return Objects.requireNonNull(ReflectionUtils.getField(found, target));
	}

	// Lifecycle

	@Test
	void stopsAfterExecutorsAndBeforeTheRest() {
		this.runner.run((context) -> assertThat(context.getBean(ZooKeeperClient.class).getPhase())
			.isEqualTo(ExecutorConfigurationSupport.DEFAULT_PHASE - 1024));
	}

	@Test
	void destructionIsFinal() {
		this.runner.run((context) -> {
			ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
			context.close();
			assertThatIllegalStateException().isThrownBy(client::start);
		});
	}

	// Properties that cannot work

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			zk.lock.root=nowhere                        | zk.lock.root
			zk.lock.root=/ends/                         | zk.lock.root
			zk.lock.max-wait=-1s                        | zk.lock.max-wait
			zk.lock.shutdown.wait=-1s                   | zk.lock.shutdown.wait
			zk.lock.leader.hand-over-wait=-1s           | zk.lock.leader.hand-over-wait
			zk.lock.session.timeout=0                   | zk.lock.session.timeout
			zk.lock.session.connect-timeout=0           | zk.lock.session.connect-timeout
			zk.lock.session.answer-timeout=0            | zk.lock.session.answer-timeout
			zk.lock.session.server-tick=-1              | zk.lock.session.server-tick
			zk.lock.session.max-node-bytes=0            | zk.lock.session.max-node-bytes
			zk.lock.connect-string=                     | zk.lock.connect-string
			zk.lock.connect-string=host:2181/a/         | zk.lock.connect-string
			zk.lock.acl=nobody                          | zk.lock.acl[0]
			zk.lock.auth[0].scheme=digest               | zk.lock.auth[0]
			zk.lock.auth=hush                           | zk.lock.auth[0]
			zk.lock.leader.roles[0]=                    | zk.lock.leader.roles
			zk.lock.ssl.bundle=none                     | spring.ssl.bundle.pem.none
			""")
	void mistakeIsNamed(String property, String named) {
		this.runner.withPropertyValues(property).run((context) -> {
			FailureAnalysis analysis = Failures.of(context);
			assertThat(analysis.getDescription() + analysis.getAction()).contains("'" + named).doesNotContain("hush");
			assertThat(analysis.getAction()).contains("'zk.lock.");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					zk.lock.shutdown.wait=31s         | x.y=z                                             | zk.lock.shutdown.wait | spring.lifecycle.timeout-per-shutdown-phase
					zk.lock.leader.hand-over-wait=31s | x.y=z                                             | zk.lock.leader.hand-over-wait | spring.lifecycle.timeout-per-shutdown-phase
					zk.lock.shutdown.wait=10s         | spring.lifecycle.timeout-per-shutdown-phase=9s    | zk.lock.shutdown.wait | spring.lifecycle.timeout-per-shutdown-phase
					zk.lock.embedded.enabled=true     | zk.lock.connect-string=localhost:2181             | zk.lock.embedded.enabled | zk.lock.connect-string
					zk.lock.embedded.enabled=true     | ZK_LOCK_CONNECTSTRING=localhost:2181              | zk.lock.embedded.enabled | zk.lock.connect-string
					zk.lock.embedded.enabled=true     | zk.lock.type=local                                | zk.lock.embedded.enabled | zk.lock.type
					zk.lock.embedded.enabled=true     | zk.lock.ssl.bundle=some                           | zk.lock.embedded.enabled | zk.lock.ssl.bundle
					zk.lock.embedded.enabled=true     | zk.lock.embedded.port=65536                       | zk.lock.embedded.port | 65535
					zk.lock.acl=creator               | x.y=z                                             | zk.lock.acl | zk.lock.auth
					""")
	void contradictionIsNamed(String one, String other, String name, String otherName) {
		this.bareRunner.withPropertyValues(one, other)
			.withInitializer((context) -> environmentVariable(context.getEnvironment(), other))
			.run((context) -> assertThat(Failures.of(context).getDescription()).contains(name, otherName));
	}

	private static void environmentVariable(ConfigurableEnvironment environment, String pair) {
		if (pair.startsWith("ZK_")) {
			int equals = pair.indexOf('=');
			Map<String, Object> variables = Map.of(pair.substring(0, equals), pair.substring(equals + 1));
			environment.getPropertySources()
				.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								variables));
		}
	}

	@Test
	void longWaitsAreFineInALongPhase() {
		this.runner
			.withPropertyValues("zk.lock.shutdown.wait=31s", "zk.lock.leader.hand-over-wait=40s",
					"spring.lifecycle.timeout-per-shutdown-phase=40s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void embeddedServerMustBeOnTheClassPath() {
		this.bareRunner.withClassLoader(new FilteredClassLoader(EmbeddedZooKeeper.class.getPackageName()))
			.withPropertyValues("zk.lock.embedded.enabled=true")
			.run((context) -> assertThat(Failures.textOf(context)).contains("zk.lock.embedded.enabled",
					"io.github.zklock:zk-lock-embedded"));
	}

	@Test
	void otherContradictionsAreToldWithoutTheEmbeddedServer() {
		this.bareRunner.withClassLoader(new FilteredClassLoader(EmbeddedZooKeeper.class.getPackageName()))
			.withPropertyValues("zk.lock.embedded.enabled=true", "zk.lock.type=local")
			.run((context) -> assertThat(Failures.textOf(context)).contains("zk.lock.embedded.enabled"));
	}

	@Test
	void unreachableServerStopsTheStartIfWanted(CapturedOutput output) {
		this.runner
			.withPropertyValues("zk.lock.startup=fail", "zk.lock.session.connect-timeout=100ms",
					"zk.lock.auth[0].value=user:hush", "zk.lock.acl=creator")
			.run((context) -> {
				FailureAnalysis analysis = Failures.of(context);
				assertThat(analysis.getDescription()).contains("localhost:1", "100 ms", "zk.lock.startup");
				assertThat(analysis.getAction()).contains("zk.lock.connect-string", "zk.lock.auth",
						"zk.lock.ssl.bundle");
			});
		awaitNoConnecting();
		assertThat(output).doesNotContain("hush");
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		ZooKeeperLocks lockRegistry() {
			return ZooKeeperLocks.builder("localhost:1").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoRegistries {

		@Bean
		LocalLocks first() {
			return new LocalLocks();
		}

		@Bean
		LocalLocks second() {
			return new LocalLocks();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MainRegistry {

		@Bean
		@Primary
		LocalLocks main() {
			return new LocalLocks();
		}

	}

	static class Locked {

		@DistributedLock("job")
		public String call() {
			CurrentLock.assertHeld("job");
			return "locked";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRoles {

		@Bean
		LeaderRoles myRoles(ApplicationContext context, LockRegistry registry) {
			return new LeaderRoles(context, () -> registry, "shop", List.of(), true);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnInspector {

		@Bean
		LockInspector lockInspector() {
			return new LocalLocks().inspector();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTemplate {

		@Bean
		LockTemplate lockTemplate(LockRegistry registry) {
			return new LockTemplate(registry, Duration.ZERO, Runnable::run);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDetails {

		@Bean
		ZooKeeperConnectionDetails details() {
			return () -> "127.0.0.1:2";
		}

	}

	static class UselessDetails implements ZooKeeperConnectionDetails {

		@Override
		public String getConnectString() {
			return "host:2181/a/";
		}

	}

}
