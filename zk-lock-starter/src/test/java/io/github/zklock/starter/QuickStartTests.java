package io.github.zklock.starter;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.github.zklock.LockLease;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.leader.Leadership;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What the README tells newcomers to write is compiled and run.
 */
@EmbeddedZooKeeperTest
class QuickStartTests {

	private static final String IMPORTS = """
			package shop;

			import io.github.zklock.spring.CurrentLock;
			import io.github.zklock.spring.DistributedLock;
			import io.github.zklock.spring.LeaderOnly;
			import org.springframework.boot.SpringApplication;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.scheduling.annotation.EnableScheduling;
			import org.springframework.scheduling.annotation.Scheduled;
			import org.springframework.stereotype.Component;
			import org.springframework.stereotype.Service;
			import org.springframework.transaction.annotation.Transactional;

			""";

	@Test
	void quickStartOfTheReadmeRuns(@ConnectString String connectString, @TempDir Path directory) throws Throwable {
		String readme = Files.readString(Path.of("..", "README.md"));
		Path configuration = Files.writeString(directory.resolve("application.yml"), block(readme, "yaml"));
		compile(IMPORTS + block(readme, "java"), directory);
		try (URLClassLoader classes = new URLClassLoader(new URL[] { directory.toUri().toURL() },
				getClass().getClassLoader());
				ConfigurableApplicationContext context = run(classes, configuration, connectString);
				ZooKeeperLocks others = ZooKeeperLocks.builder(connectString).build()) {
			assertThat(ship(context, 7)).asString().startsWith("shipped 7 with token ");
			try (LockLease lease = others.lock("order-8").acquire()) {
				assertThat(lease.isHeld()).isTrue();
				assertThatThrownBy(() -> ship(context, 8)).isInstanceOf(LockTimeoutException.class)
					.hasMessageContaining("'order-8'")
					.hasMessageContaining("zk.lock.max-wait");
				assertThat(ship(context, 9)).asString().startsWith("shipped 9");
			}
			Leadership leadership = context.getBean(Leadership.class);
			assertThat(leadership.role()).isEqualTo("shop");
			await().atMost(Duration.ofSeconds(30)).until(leadership::isLeader);
		}
	}

	/**
	 * Return the first block of a language in the quick start.
	 */
	private static String block(String readme, String language) {
		String quickStart = readme.substring(readme.indexOf("## Quick start"));
		Matcher matcher = Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL).matcher(quickStart);
		assertThat(matcher.find()).as(language).isTrue();
		return matcher.group(1);
	}

	private static void compile(String source, Path directory) throws IOException {
		Path file = Files.writeString(directory.resolve("ShopApplication.java"), source);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		int problems = compiler.run(null, null, null, "-parameters", "-proc:none", "-d", directory.toString(), "-cp",
				System.getProperty("java.class.path"), file.toString());
		assertThat(problems).isZero();
	}

	private static ConfigurableApplicationContext run(ClassLoader classes, Path configuration, String connectString)
			throws ClassNotFoundException {
		SpringApplication application = new SpringApplication(new DefaultResourceLoader(classes),
				ClassUtils.forName("shop.ShopApplication", classes));
		return application.run("--spring.config.location=" + configuration.toUri(),
				"--zk.lock.connect-string=" + connectString, "--zk.lock.max-wait=2s");
	}

	private static Object ship(ConfigurableApplicationContext context, long id) throws Throwable {
		Object orders = context.getBean("orders");
		Method ship = orders.getClass().getMethod("ship", long.class);
		ship.setAccessible(true);
		try {
			return ship.invoke(orders, id);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
