package io.github.zklock.spring.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.leader.LeaderRoles;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Small applications with locked beans, and another process that wants the same locks.
 */
@EmbeddedZooKeeperTest
abstract class LockedBeansSupport {

	static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private static String address;

	private static ZooKeeperLocks locks;

	private static ZooKeeperLocks others;

	private final List<AnnotationConfigApplicationContext> contexts = new ArrayList<>();

	@BeforeAll
	static void connect(@ConnectString String connectString) {
		address = connectString;
		locks = registry(Duration.ofSeconds(30));
		others = registry(Duration.ofSeconds(30));
		// Who does not want to wait has no time for that
		locks.zooKeeper();
		others.zooKeeper();
	}

	static ZooKeeperLocks registry(Duration sessionTimeout) {
		return ZooKeeperLocks.builder(address)
			.sessionTimeout(sessionTimeout)
			.connectTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO)
			.build();
	}

	@AfterAll
	static void disconnect() {
		others.close();
		locks.close();
	}

	@AfterEach
	void closeContextsAndLookForLeaks() {
		this.contexts.forEach(AnnotationConfigApplicationContext::close);
		assertThat(locks.held()).isEmpty();
		assertThat(locks.waiting()).isEmpty();
	}

	/**
	 * The locks of the application.
	 */
	static ZooKeeperLocks locks() {
		return locks;
	}

	/**
	 * The locks of the other process.
	 */
	static ZooKeeperLocks others() {
		return others;
	}

	/**
	 * Return those names of locks that the running call holds and the other process is
	 * refused.
	 */
	static List<String> locked(String... names) {
		return Arrays.stream(names).filter((name) -> holds(name) && !isFree(name)).toList();
	}

	private static boolean holds(String name) {
		try {
			return CurrentLock.lease(name).isHeld();
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/**
	 * Return whether the other process can have a lock.
	 */
	static boolean isFree(String name) {
		return LockProbe.isFree(others, name);
	}

	/**
	 * The other process takes a lock.
	 */
	static LockLease heldByOthers(String name) throws InterruptedException {
		return others.lock(name).acquire();
	}

	static LockAdvisingPostProcessor byClass() {
		return new LockAdvisingPostProcessor(ORDER, true);
	}

	static LockAdvisingPostProcessor byInterface() {
		return new LockAdvisingPostProcessor(ORDER, false);
	}

	AnnotationConfigApplicationContext start(Class<?>... components) {
		return start(byClass(), components);
	}

	AnnotationConfigApplicationContext start(LockAdvisingPostProcessor postProcessor, Class<?>... components) {
		return start(postProcessor, new AnsweredLocks(locks), (context) -> context.register(components));
	}

	AnnotationConfigApplicationContext start(Consumer<AnnotationConfigApplicationContext> beans) {
		return start(byClass(), new AnsweredLocks(locks), beans);
	}

	/**
	 * Start an application with roles, which it joins.
	 */
	AnnotationConfigApplicationContext startLeading(boolean byClass, Class<?>... components) {
		return start((context) -> {
			context.registerBean(LeaderAdvisingPostProcessor.class,
					() -> new LeaderAdvisingPostProcessor(ORDER - 1, byClass));
			context.registerBean(LeaderRoles.class,
					() -> new LeaderRoles(context, LockedBeansSupport::locks, "shop", List.of(), true));
			context.register(components);
		});
	}

	AnnotationConfigApplicationContext start(LockAdvisingPostProcessor postProcessor, LockRegistry registry,
			Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		this.contexts.add(context);
		context.registerBean(LockAdvisingPostProcessor.class, () -> postProcessor);
		context.registerBean(LockTemplate.class, () -> new LockTemplate(registry, PATIENCE, Runnable::run));
		beans.accept(context);
		context.refresh();
		return context;
	}

	/**
	 * Start an application that cannot start.
	 */
	LockConfigurationException failure(Class<?>... components) {
		return failure(() -> start(components));
	}

	static LockConfigurationException failure(Runnable start) {
		Throwable thrown = catchThrowable(start::run);
		assertThat(thrown).as("an error").isNotNull();
		@Nullable Throwable cause = thrown;
		while (cause != null && !(cause instanceof LockConfigurationException)) {
			cause = cause.getCause();
		}
		if (cause instanceof LockConfigurationException failure) {
			return failure;
		}
		throw new AssertionError("Not an error of the configuration", thrown);
	}

}
