package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether ZooKeeper can be used, for {@code zk.lock.startup=fail}.
 */
final class StartupCheck {

	private final String address;

	private final String root;

	private final Duration patience;

	StartupCheck(String address, ZkLockProperties properties) {
		this.address = address;
		this.root = properties.root();
		this.patience = properties.session().connectTimeout();
	}

	/**
	 * Connect, read the root, and look who may touch it.
	 * @throws LockConfigurationException if that is not possible
	 */
	void check(ZooKeeperLocks locks) {
		Code answer = readRoot(connect(locks));
		if (answer == Code.NOAUTH) {
			throw new LockConfigurationException(
					"ZooKeeper (%s) does not let this application read '%s', which is 'zk.lock.root'."
						.formatted(this.address, this.root),
					"Check 'zk.lock.auth' and 'zk.lock.acl' against the access control list of the node, as docs/security.md says, or choose another 'zk.lock.root'.");
		}
		if (answer != Code.OK && answer != Code.NONODE) {
			throw unreachable("%s when '%s' was read".formatted(answer, this.root), null);
		}
		checkAccess(locks);
	}

	private void checkAccess(ZooKeeperLocks locks) {
		List<String> problems;
		try {
			problems = locks.accessProblems();
		}
		catch (IllegalStateException ex) {
			throw unreachable("no answer within %d ms".formatted(this.patience.toMillis()), ex);
		}
		if (!problems.isEmpty()) {
			throw new LockConfigurationException(
					"The nodes in ZooKeeper (%s) cannot be trusted. 'zk.lock.startup' is 'fail', so the application does not start. %s."
						.formatted(this.address, String.join(". ", problems)),
					"""
							Make 'zk.lock.root' and what is below it with the right access control list, as docs/security.md says, \
							check 'zk.lock.acl', 'zk.lock.auth' and 'zk.lock.create-root', or choose another 'zk.lock.root'. \
							To start all the same, with a warning, set 'zk.lock.startup' to 'continue'.""");
		}
	}

	private ZooKeeper connect(ZooKeeperLocks locks) {
		try {
			return locks.zooKeeper();
		}
		catch (IllegalStateException ex) {
			throw unreachable("no connection within %d ms".formatted(this.patience.toMillis()), ex);
		}
	}

	private Code readRoot(ZooKeeper zooKeeper) {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		zooKeeper.getChildren(this.root, false, (code, path, context, children) -> answer.complete(Code.get(code)),
				null);
		try {
			return answer.get(this.patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw unreachable("interrupted", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw unreachable("no answer within %d ms".formatted(this.patience.toMillis()), ex);
		}
	}

	private LockConfigurationException unreachable(String problem, @Nullable Throwable cause) {
		return new LockConfigurationException(
				"ZooKeeper (%s) cannot be used: %s. 'zk.lock.startup' is 'fail', so the application does not start."
					.formatted(this.address, problem),
				"""
						Check that ZooKeeper runs and that 'zk.lock.connect-string' is right. \
						If the servers want credentials, check 'zk.lock.auth'. \
						If they want TLS, check 'zk.lock.ssl.bundle': it must trust their certificate, which must have their names. \
						If they are slow, raise 'zk.lock.session.connect-timeout'. \
						To start without ZooKeeper, set 'zk.lock.startup' to 'continue'.""",
				cause);
	}

}
