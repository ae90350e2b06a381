package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.UnavailableReason;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Whoever cannot have a lock is told why, where ZooKeeper is, and which option to look
 * at.
 */
class UnavailableReasonTests extends LockTestSupport {

	private static final Duration MOMENT = Duration.ofMillis(100);

	private final FaultProxy proxy = proxy();

	private final List<LockException> heard = new ArrayList<>();

	UnavailableReasonTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks.Builder viaProxy() {
		return builder(this.proxy.connectString(), LONG_SESSION).listener(new LockListener() {

			@Override
			public void failed(String name, Duration waited, LockException cause) {
				synchronized (UnavailableReasonTests.this.heard) {
					UnavailableReasonTests.this.heard.add(cause);
				}
			}

		});
	}

	private void assertUnavailable(NamedLock lock, Duration maxWait, UnavailableReason reason, String... texts) {
		assertTold(() -> lock.tryAcquire(maxWait), reason, texts);
		assertTold(() -> get(lock.acquireAsync(maxWait)), reason, texts);
		await().atMost(PATIENCE).untilAsserted(() -> {
			synchronized (this.heard) {
				assertThat(this.heard).hasSizeGreaterThanOrEqualTo(2)
					.allSatisfy((failure) -> assertTold(failure, reason, texts));
			}
		});
	}

	private void assertTold(ThrowingCallable request, UnavailableReason reason, String... texts) {
		Throwable failure = catchThrowable(request);
		boolean wrapped = failure instanceof ExecutionException || failure instanceof CompletionException;
		assertTold(wrapped ? failure.getCause() : failure, reason, texts);
	}

	private void assertTold(@Nullable Throwable failure, UnavailableReason reason, String... texts) {
		assertThat(failure).isInstanceOfSatisfying(LockUnavailableException.class, (unavailable) -> {
			assertThat(unavailable.reason()).isEqualTo(reason);
			assertThat(unavailable.name()).isEqualTo("lock");
			assertThat(unavailable.getMessage()).contains("'lock' is unavailable from ZooKeeper (127.0.0.1:")
				.contains(texts);
		});
	}

	@Test
	void reasonIsTheMissingConnection() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(MOMENT).build()), "lock");
		this.proxy.refuse();
		awaitDisconnected(locks);
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.NOT_CONNECTED, "out of reach for ",
				"'connectTimeout' (zk.lock.session.connect-timeout), 100 ms", "zk.lock.connect-string");
		assertTold(() -> locks.queue("lock"), UnavailableReason.NOT_CONNECTED, "Queue of 'lock'",
				"zk.lock.connect-string");
		this.proxy.heal();
	}

	@Test
	void reasonIsTheMissingConnectionForOneWhoDoesNotWaitToo() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().build()), "lock");
		this.proxy.refuse();
		awaitDisconnected(locks);
		assertUnavailable(locks.lock("lock"), Duration.ZERO, UnavailableReason.NOT_CONNECTED, "out of reach for ",
				"zk.lock.connect-string");
		this.proxy.heal();
	}

	@Test
	void reasonIsTheMissingAnswer() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().build()), "lock");
		this.proxy.hold(Direction.TO_CLIENT);
		assertUnavailable(locks.lock("lock"), MOMENT, UnavailableReason.NO_ANSWER, "it has not answered within ",
				"'maxWait', zk.lock.max-wait");
		this.proxy.heal();
	}

	@Test
	void reasonIsTheMissingAnswerForOneWhoDoesNotWaitToo() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().answerTimeout(MOMENT).build()), "lock");
		this.proxy.hold(Direction.TO_CLIENT);
		assertUnavailable(locks.lock("lock"), Duration.ZERO, UnavailableReason.NO_ANSWER, "it has not answered within ",
				"'answerTimeout', zk.lock.session.answer-timeout");
		this.proxy.heal();
	}

	@Test
	void reasonIsTheLackOfRights() throws Exception {
		ZooKeeperLocks owner = closing(
				builder().root("/private").acl(Ids.CREATOR_ALL_ACL).authInfo("digest", "user:secret").build());
		owner.lock("lock").acquire().close();
		ZooKeeperLocks stranger = closing(viaProxy().root("/private").build());
		assertUnavailable(stranger.lock("lock"), PATIENCE, UnavailableReason.REFUSED, "NoAuth", "zk.lock.auth",
				"zk.lock.acl");
		assertTold(() -> stranger.lock("lock").tryLock(), UnavailableReason.REFUSED, "NoAuth", "zk.lock.auth");
		assertTold(() -> stranger.queue("lock"), UnavailableReason.REFUSED, "NoAuth", "zk.lock.auth");
	}

	@Test
	void reasonIsThatTheCredentialsAreRefused() {
		ZooKeeperLocks locks = closing(viaProxy().authInfo("no-such-scheme", "secret").build());
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.REFUSED, "it refuses the credentials",
				"'authInfo' (property 'zk.lock.auth')");
	}

	@Test
	void reasonForARoleIsThatItIsRefused() {
		AtomicReference<RuntimeException> told = new AtomicReference<>();
		ZooKeeperLocks locks = closing(viaProxy().createRoot(false).build());
		locks.election("lock").addListener(new LeadershipListener() {

			@Override
			public void failed(String role, RuntimeException failure) {
				told.set(failure);
			}

		});
		locks.election("lock").join();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertTold(told.get(), UnavailableReason.REFUSED, "Role 'lock'", "zk.lock.root",
					"zk.lock.create-root"));
	}

	@Test
	void reasonIsThatTheQueueIsTooLong() throws Exception {
		ZooKeeperLocks others = warmUp(registry(), "lock");
		for (int index = 0; index < 100; index++) {
			others.zooKeeper()
				.create(parent("lock") + "/_c_00000000-0000-0000-0000-000000000000-lock-", new byte[0],
						Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		}
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKConfig.JUTE_MAXBUFFER, "4096");
		ZooKeeperLocks locks = closing(viaProxy().clientConfig(config).build());
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.TOO_LONG, "more than a client can read",
				"zk.lock.client-properties[jute.maxbuffer]");
		assertTold(() -> locks.queue("lock"), UnavailableReason.TOO_LONG, "zk.lock.client-properties[jute.maxbuffer]");
	}

	@Test
	void reasonIsTheLimitOfNodes() throws Exception {
		ZooKeeperLocks locks = closing(viaProxy().maxNodeBytes(150).build());
		LockLease lease = locks.lock("other").acquire();
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.LIMIT, "1 nodes",
				"'maxNodeBytes' (zk.lock.session.max-node-bytes)");
		lease.close();
	}

	@Test
	void reasonIsThatTheRegistryIsClosed() {
		ZooKeeperLocks locks = closing(viaProxy().build());
		locks.close();
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.CLOSED, "the registry is closed",
				"'closeWait', zk.lock.shutdown.wait");
		assertTold(() -> locks.election("lock").join(), UnavailableReason.CLOSED, "the registry is closed");
		assertTold(() -> locks.queue("lock"), UnavailableReason.CLOSED, "the registry is closed");
	}

	@Test
	void reasonIsAnInternalError() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		ZooKeeperLocks locks = warmUp(closing(with(viaProxy(), (options) -> options.faults((place) -> {
			if (place.equals("transition") && failing.get()) {
				throw new OutOfMemoryError("on purpose");
			}
		})).build()), "lock");
		failing.set(true);
		assertUnavailable(locks.lock("lock"), PATIENCE, UnavailableReason.INTERNAL_ERROR,
				"an unexpected error in this process, see the log of 'io.github.zklock' (on purpose)");
		failing.set(false);
	}

}
