package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.zklock.autoconfigure.ZkLockProperties.Auth;
import io.github.zklock.autoconfigure.ZkLockProperties.Embedded;
import io.github.zklock.autoconfigure.ZkLockProperties.Session;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The properties, once it is clear that they can work, alone and together. Messages name
 * the properties, and never show what may be secret.
 */
final class ValidatedProperties {

	private static final String EMBEDDED_CLASS = "io.github.zklock.embedded.EmbeddedZooKeeper";

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

	private static final int HIGHEST_PORT = 65_535;

	private final ZkLockProperties properties;

	private final @Nullable String applicationName;

	private final @Nullable List<ACL> acl;

	ValidatedProperties(ZkLockProperties properties, Environment environment, @Nullable ClassLoader classLoader) {
		this.properties = properties;
		this.applicationName = environment.getProperty("spring.application.name");
		checkEmbedded(environment, classLoader);
		checkDurations();
		checkMaxNodeBytes();
		checkPhaseTimeout(environment);
		checkRoot();
		checkInstance();
		checkAuth();
		checkRoles();
		List<String> entries = properties.acl();
		this.acl = (entries != null) ? AccessControl.parse(entries) : null;
	}

	ZkLockProperties get() {
		return this.properties;
	}

	/**
	 * Return the name of this instance: the one that the user has given it, or else a new
	 * one.
	 */
	String instance() {
		String instance = this.properties.instance();
		return StringUtils.hasText(instance) ? instance : InstanceName.next(this.applicationName);
	}

	/**
	 * Return what {@code zk.lock.acl} means, if it is set.
	 */
	@Nullable List<ACL> acl() {
		return this.acl;
	}

	private void checkEmbedded(Environment environment, @Nullable ClassLoader classLoader) {
		Embedded embedded = this.properties.embedded();
		if (!embedded.enabled()) {
			return;
		}
		if (!ClassUtils.isPresent(EMBEDDED_CLASS, classLoader)) {
			throw new LockConfigurationException(
					"'zk.lock.embedded.enabled' is true, but zk-lock-embedded is not on the class path.",
					"Add the dependency io.github.zklock:zk-lock-embedded, or remove 'zk.lock.embedded.enabled' and let 'zk.lock.connect-string' name a server.");
		}
		if (this.properties.type() == ZkLockProperties.Type.LOCAL) {
			throw new LockConfigurationException(
					"'zk.lock.embedded.enabled' is true, but 'zk.lock.type' is 'local', which uses no ZooKeeper.",
					"Remove one of 'zk.lock.embedded.enabled' and 'zk.lock.type'.");
		}
		if (Binder.get(environment).bind("zk.lock.connect-string", String.class).isBound()) {
			throw new LockConfigurationException(
					"'zk.lock.embedded.enabled' is true, but 'zk.lock.connect-string' names another server.",
					"Remove one of 'zk.lock.embedded.enabled' and 'zk.lock.connect-string'. To choose the port of the embedded server, set 'zk.lock.embedded.port'.");
		}
		if (this.properties.ssl().bundle() != null) {
			throw new LockConfigurationException(
					"'zk.lock.embedded.enabled' is true, but 'zk.lock.ssl.bundle' is set, and the embedded server has no TLS.",
					"Remove one of 'zk.lock.embedded.enabled' and 'zk.lock.ssl.bundle'.");
		}
		if (embedded.port() < 0 || embedded.port() > HIGHEST_PORT) {
			throw new LockConfigurationException("'zk.lock.embedded.port' must be between 0 and %d but is %d."
				.formatted(HIGHEST_PORT, embedded.port()), "Correct 'zk.lock.embedded.port'; 0 takes any free port.");
		}
	}

	private void checkDurations() {
		requireNotNegative("zk.lock.max-wait", this.properties.maxWait());
		requireNotNegative("zk.lock.shutdown.wait", this.properties.shutdown().waitTime());
		requireNotNegative("zk.lock.leader.hand-over-wait", this.properties.leader().handOverWait());
		Session session = this.properties.session();
		requireMillis("zk.lock.session.timeout", session.timeout());
		requireMillis("zk.lock.session.connect-timeout", session.connectTimeout());
		requireMillis("zk.lock.session.answer-timeout", session.answerTimeout());
		requireMillis("zk.lock.session.server-tick", session.serverTick());
	}

	private void checkMaxNodeBytes() {
		int value = this.properties.session().maxNodeBytes();
		if (value < 1) {
			throw new LockConfigurationException(
					"'zk.lock.session.max-node-bytes' must be positive but is %d.".formatted(value),
					"Correct 'zk.lock.session.max-node-bytes', or remove it.");
		}
	}

	private static void requireNotNegative(String name, Duration value) {
		if (value.isNegative()) {
			throw new LockConfigurationException("'%s' must not be negative but is %s.".formatted(name, text(value)),
					"Correct '%s'; 0 means not to wait.".formatted(name));
		}
	}

	private static void requireMillis(String name, Duration value) {
		if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
			throw new LockConfigurationException(
					"'%s' must be between a millisecond and 24 days but is %s.".formatted(name, text(value)),
					"Correct '%s'.".formatted(name));
		}
	}

	/**
	 * Spring goes on without a bean that takes longer to stop, and others would be
	 * stopped while locks are still held.
	 */
	private void checkPhaseTimeout(Environment environment) {
		Duration limit = Binder.get(environment).bind(PHASE_TIMEOUT, Duration.class).orElse(DEFAULT_PHASE_TIMEOUT);
		requireWithin(limit, "zk.lock.shutdown.wait", this.properties.shutdown().waitTime());
		requireWithin(limit, "zk.lock.leader.hand-over-wait", this.properties.leader().handOverWait());
	}

	private static void requireWithin(Duration limit, String name, Duration value) {
		if (value.compareTo(limit) > 0) {
			throw new LockConfigurationException("'%s' is %s, which is longer than the %s of '%s'.".formatted(name,
					text(value), text(limit), PHASE_TIMEOUT),
					"Make '%s' shorter or '%s' longer.".formatted(name, PHASE_TIMEOUT));
		}
	}

	private static String text(Duration value) {
		return value.toMillis() + " ms";
	}

	private void checkRoot() {
		try {
			PathUtils.validatePath(this.properties.root());
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"'zk.lock.root' is '%s', which is not a path in ZooKeeper: %s".formatted(this.properties.root(),
							ex.getMessage()),
					"Let 'zk.lock.root' begin with a slash and not end with one, for example '/zk-lock'.", ex);
		}
		try {
			anyBuilder().root(this.properties.root());
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException("'zk.lock.root' cannot be used: %s.".formatted(ex.getMessage()),
					"Make 'zk.lock.root' shorter, for example '/zk-lock'.", ex);
		}
	}

	private void checkInstance() {
		try {
			anyBuilder().instance(instance());
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException("'zk.lock.instance' cannot be used: %s.".formatted(ex.getMessage()),
					"Make 'zk.lock.instance' shorter, or remove it for a name that is made of the application's and the host's.",
					ex);
		}
	}

	private static ZooKeeperLocks.Builder anyBuilder() {
		return ZooKeeperLocks.builder("localhost");
	}

	private void checkAuth() {
		for (int index = 0; index < this.properties.auth().size(); index++) {
			Auth auth = this.properties.auth().get(index);
			if (!StringUtils.hasText(auth.scheme()) || !StringUtils.hasText(auth.value())) {
				String name = "zk.lock.auth[%d]".formatted(index);
				throw new LockConfigurationException("'%s' lacks a scheme or a value.".formatted(name),
						"Set '%s.scheme', for example to 'digest', and '%s.value', for that scheme to a user and a password separated by a colon."
							.formatted(name, name));
			}
		}
	}

	private void checkRoles() {
		if (!this.properties.leader().roles().stream().allMatch(StringUtils::hasText)) {
			throw new LockConfigurationException("'zk.lock.leader.roles' contains an empty role.",
					"Give each role in 'zk.lock.leader.roles' a name.");
		}
	}

}
