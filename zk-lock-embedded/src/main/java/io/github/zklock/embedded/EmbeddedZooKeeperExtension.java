package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Starts a server for a test class and makes a chroot for each test that asks for one.
 */
final class EmbeddedZooKeeperExtension implements BeforeAllCallback, ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(EmbeddedZooKeeperExtension.class);

	@Override
	public void beforeAll(ExtensionContext context) {
		server(context);
	}

	/**
	 * A store looks into those of the enclosing contexts first, so nested classes find
	 * the server of their outermost class.
	 */
	private static SharedServer server(ExtensionContext context) {
		return computeIfAbsent(context, SharedServer.class, SharedServer.class,
				() -> new SharedServer(tickTime(context)));
	}

	@SuppressWarnings("deprecation") // JUnit 5 has no other
	private static <T> T computeIfAbsent(ExtensionContext context, Object key, Class<T> type, Supplier<T> creator) {
		return Objects
			.requireNonNull(context.getStore(NAMESPACE).getOrComputeIfAbsent(key, (absent) -> creator.get(), type));
	}

	private static Duration tickTime(ExtensionContext context) {
		return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), EmbeddedZooKeeperTest.class)
			.map((annotation) -> Duration.ofMillis(annotation.tickTimeMillis()))
			.orElseThrow();
	}

	@Override
	public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
		return ExtensionContextScope.TEST_METHOD;
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		Class<?> type = parameter.getParameter().getType();
		return type == EmbeddedZooKeeper.class || (type == String.class && parameter.isAnnotated(ConnectString.class));
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		SharedServer server = server(context);
		if (parameter.getParameter().getType() == EmbeddedZooKeeper.class) {
			return server.zooKeeper;
		}
		return computeIfAbsent(context, context.getUniqueId(), String.class, server::newRoot);
	}

	private static final class SharedServer implements AutoCloseable {

		private static final int TIMEOUT_MILLIS = 30_000;

		private final EmbeddedZooKeeper zooKeeper;

		private final AtomicInteger roots = new AtomicInteger();

		SharedServer(Duration tickTime) {
			this.zooKeeper = EmbeddedZooKeeper.builder().tickTime(tickTime).start();
		}

		/**
		 * Make a new root, by a session that is over when this method returns, so that
		 * tests can count sessions.
		 */
		String newRoot() {
			String path = "/test-" + this.roots.incrementAndGet();
			try {
				CountDownLatch connected = new CountDownLatch(1);
				ZooKeeper client = new ZooKeeper(this.zooKeeper.connectString(), TIMEOUT_MILLIS,
						(event) -> connected.countDown());
				try {
					if (!connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
						throw new ParameterResolutionException(
								"No connection to ZooKeeper at " + this.zooKeeper.connectString());
					}
					client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
				}
				finally {
					client.close();
				}
			}
			catch (IOException | KeeperException ex) {
				throw new ParameterResolutionException("Cannot create '%s' in ZooKeeper".formatted(path), ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new ParameterResolutionException("Interrupted while creating " + path, ex);
			}
			return this.zooKeeper.connectString() + path;
		}

		@Override
		public void close() {
			this.zooKeeper.close();
		}

	}

}
