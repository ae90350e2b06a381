package io.github.zklock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.UnaryOperator;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.flow.StateFlow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications that lack what other applications have: real ones, with a class path of
 * their own.
 */
class MissingLibrariesTests extends ServerTestSupport {

	private static final String COROUTINE_ADVICE = " Add io.projectreactor:reactor-core and "
			+ "org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the class path, or ";

	MissingLibrariesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@ParameterizedTest
	@CsvSource({ "spring-tx-, org.springframework.transaction.TransactionManager",
			"reactor-core-, reactor.core.publisher.Mono" })
	void annotatedBeansWork(String jar, String absent) throws Exception {
		assertThat(run(jar, absent, Application.class)).isEqualTo("locked, locked later, led");
	}

	@Test
	void publishersAreRefusedWithoutReactor() throws Exception {
		assertThat(run("reactor-core-", "reactor.core.publisher.Mono", RefusedApplication.class))
			.isEqualTo("@DistributedLock on " + RefusedApplication.Publishing.class.getName()
					+ ".publish() returns a Publisher, and its lock cannot be held until that is complete."
					+ " Add io.projectreactor:reactor-core to the class path, or return a CompletionStage.");
	}

	@Test
	void kotlinPublishersAreRefusedWithoutTheirLibraries() throws Exception {
		String jar = "kotlinx-coroutines-reactor-";
		String absent = "kotlinx.coroutines.reactor.MonoKt";
		String problem = ", and its lock cannot be held until that is complete." + COROUTINE_ADVICE
				+ "return a CompletionStage.";
		assertThat(run(jar, absent, FlowApplication.class)).isEqualTo("@DistributedLock on "
				+ FlowApplication.Flowing.class.getName() + ".flow() returns a StateFlow" + problem);
		assertThat(run(jar, absent, DeferredApplication.class)).isEqualTo("@LeaderOnly on "
				+ DeferredApplication.Deferring.class.getName() + ".defer() returns a Deferred" + problem);
	}

	@Test
	void suspendingFunctionsAreRefusedWithoutReactor() throws Exception {
		assertThat(run("reactor-core-", "reactor.core.publisher.Mono", SuspendApplication.class))
			.startsWith("@DistributedLock on " + SuspendApplication.SUSPENDING + ".")
			.endsWith(" suspends, and nobody can tell when that has ended." + COROUTINE_ADVICE
					+ "remove 'suspend' from the function.");
	}

	/**
	 * Run an application without a library.
	 */
	@SuppressWarnings("unchecked")
	private String run(String jar, String absent, Class<? extends UnaryOperator<String>> application) throws Exception {
		List<File> files = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(File::new)
			.toList();
		assertThat(files).anyMatch((file) -> file.getName().startsWith(jar));
		URL[] urls = files.stream()
			.filter((file) -> !file.getName().startsWith(jar))
			.map(MissingLibrariesTests::url)
			.toArray(URL[]::new);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			assertThat(ClassUtils.isPresent(absent, before)).isTrue();
			assertThat(ClassUtils.isPresent(absent, loader)).isFalse();
			Thread.currentThread().setContextClassLoader(loader);
			Class<?> type = loader.loadClass(application.getName());
			assertThat(type).isNotEqualTo(application);
			return ((UnaryOperator<String>) type.getConstructor().newInstance()).apply(connectString());
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	private static URL url(File file) {
		try {
			return file.toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(new IOException(ex));
		}
	}

	private static ConfigurableApplicationContext start(Class<?> application, String connectString) {
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "zk.lock.connect-string=" + connectString,
					"zk.lock.max-wait=" + PATIENCE, "spring.application.name=shop")
			.run();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	public static class Application implements UnaryOperator<String> {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

		@Override
		public String apply(String connectString) {
			try (ConfigurableApplicationContext context = start(Application.class, connectString)) {
				Jobs jobs = context.getBean(Jobs.class);
				Optional<String> led = await().atMost(PATIENCE).until(jobs::lead, Optional::isPresent);
				return jobs.lock() + ", " + get(jobs.lockLater()) + ", " + led.orElseThrow();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	public static class Jobs {

		@DistributedLock("job-#{#root.method.name}")
		public String lock() {
			CurrentLock.assertHeld("job-lock");
			return "locked";
		}

		@DistributedLock("later")
		public CompletableFuture<String> lockLater() {
			CurrentLock.assertHeld("later");
			return CompletableFuture.completedFuture("locked later");
		}

		@LeaderOnly
		public Optional<String> lead() {
			return Optional.of("led");
		}

	}

	/**
	 * Tells why it does not start.
	 */
	abstract static class Refused implements UnaryOperator<String> {

		@Override
		public String apply(String connectString) {
			try (ConfigurableApplicationContext context = start(getClass(), connectString)) {
				return "started " + context.getId();
			}
			catch (RuntimeException ex) {
				Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
				return (cause instanceof LockConfigurationException refused)
						? refused.getMessage() + " " + refused.action() : cause.toString();
			}
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	public static class RefusedApplication extends Refused {

		@Bean
		Publishing publishing() {
			return new Publishing();
		}

		public static class Publishing {

			@DistributedLock("publish")
			public Flow.@Nullable Publisher<String> publish() {
				return new SubmissionPublisher<>();
			}

		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	public static class FlowApplication extends Refused {

		@Bean
		Flowing flowing() {
			return new Flowing();
		}

		public static class Flowing {

			@DistributedLock("flow")
			public @Nullable StateFlow<String> flow() {
				return null;
			}

		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	public static class DeferredApplication extends Refused {

		@Bean
		Deferring deferring() {
			return new Deferring();
		}

		public static class Deferring {

			@LeaderOnly
			public @Nullable Deferred<String> defer() {
				return null;
			}

		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	@Import(SuspendApplication.Selector.class)
	public static class SuspendApplication extends Refused {

		// Java does not see Kotlin
		static final String SUSPENDING = "io.github.zklock.spring.SuspendMethodTests$Suspending";

		static class Selector implements ImportSelector {

			@Override
			public String[] selectImports(AnnotationMetadata importing) {
				return new String[] { SUSPENDING };
			}

		}

	}

}
