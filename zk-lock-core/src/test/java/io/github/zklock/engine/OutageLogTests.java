package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the log says of a ZooKeeper that cannot be reached, and of locks that come and go.
 */
class OutageLogTests extends LockTestSupport {

	private static final Duration MOMENT = Duration.ofMillis(200);

	private final LogRecorder log = new LogRecorder("io.github.zklock", Level.DEBUG);

	OutageLogTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void stopRecording() {
		this.log.close();
	}

	private void awaitLine(Level level, String expression) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.log.texts(level)).anyMatch((line) -> line.matches(expression)));
	}

	@Test
	void outageIsWarnedOfAndItsEndIsTold() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = warmUp(
				closing(builder(proxy.connectString(), LONG_SESSION).connectTimeout(MOMENT).build()), "lock");
		String address = "ZooKeeper \\(%s,.*\\) ".formatted(proxy.connectString());
		assertThat(this.log.texts(Level.INFO)).filteredOn((line) -> line.startsWith("Session "))
			.singleElement()
			.satisfies((line) -> assertThat(line)
				.matches("Session 0x[0-9a-f]+ with %sis open, its timeout is 30000 ms".formatted(address)));
		settle(locks);
		// The first connection may have taken longer than a moment, too
		this.log.clear();
		proxy.refuse();
		awaitLine(Level.WARN, address
				+ "has been out of reach for \\d+ ms: requests for locks fail, and locks and roles that this"
				+ " process has are lost after half of the session timeout \\(30000 ms\\)\\. .*'zk.lock.connect-string'.*");
		proxy.heal();
		awaitLine(Level.INFO, address + "is back after \\d+ ms");
		assertThat(this.log.texts(Level.INFO)).as("one line for each, not one for each attempt").hasSize(2);
		locks.lock("lock").acquire().close();
	}

	@Test
	void shortOutageIsNoWarning() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = warmUp(registry(proxy), "lock");
		proxy.refuse();
		awaitDisconnected(locks);
		proxy.heal();
		awaitLine(Level.INFO, "ZooKeeper .* is back after \\d+ ms");
		assertThat(this.log.texts(Level.WARN)).isEmpty();
	}

	@Test
	void unknownHostsAreNamed() {
		ZooKeeperLocks locks = closing(
				ZooKeeperLocks.builder("zk1.invalid:2181,zk2.invalid:2181").connectTimeout(MOMENT).build());
		locks.start();
		awaitLine(Level.WARN, "ZooKeeper \\(zk1.invalid:2181,zk2.invalid:2181\\) has been out of reach for \\d+ ms"
				+ " \\(unknown hosts: zk[12].invalid.*\\): .*");
	}

	@Test
	void whoTriesOnIsRemindedOnceInAWhile() {
		EventLoop loop = new EventLoop("loop", new SystemPlatform(), Faults.NONE, false);
		List<Boolean> told = new CopyOnWriteArrayList<>();
		List<Boolean> over = new ArrayList<>();
		Outage outage = new Outage(loop, TimeUnit.MILLISECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(2),
				new Outage.Observer() {

					@Override
					public void tooLong(boolean first) {
						told.add(first);
					}

					@Override
					public void over(long nanos, boolean wasTold) {
						over.add(wasTold);
					}

				});
		outage.begin();
		await().atMost(PATIENCE).until(() -> told.size() > 3);
		outage.end();
		outage.end();
		assertThat(over).containsExactly(true);
		assertThat(told.get(0)).isTrue();
		assertThat(told.stream().skip(1)).doesNotContain(true);
		int before = told.size();
		outage.begin();
		await().atMost(PATIENCE).until(() -> told.stream().skip(before).anyMatch(Boolean::booleanValue));
		outage.stop();
		assertThat(over).as("nobody has answered").hasSize(1);
		loop.close();
	}

	@Test
	void sessionThatIsOverSaysWhy() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = warmUp(registry(proxy, Duration.ofSeconds(2)), "lock");
		LockLease lease = locks.lock("lock").acquire();
		proxy.refuse();
		awaitLine(Level.WARN,
				"Session 0x[0-9a-f]+ is over: session 0x[0-9a-f]+ with ZooKeeper \\(.*\\) has had no usable"
						+ " connection for \\d+ ms, so it was given up\\. A new one is opened");
		proxy.heal();
		lease.close();
	}

	@Test
	void locksThatComeAndGoAreThereForWhoeverLooksForThem() throws Exception {
		ZooKeeperLocks locks = registry();
		LockLease lease = locks.lock("lock").acquire();
		long token = lease.fencingToken();
		lease.close();
		locks.readLock("lock").acquire().close();
		assertThat(this.log.texts(Level.DEBUG)).filteredOn((line) -> line.startsWith("Lock 'lock'"))
			.satisfiesExactly(
					(line) -> assertThat(line)
						.matches("Lock 'lock' \\(WRITE\\) acquired after \\d+ ms, token " + token),
					(line) -> assertThat(line)
						.matches("Lock 'lock' \\(WRITE\\) released after \\d+ ms, token " + token),
					(line) -> assertThat(line).matches("Lock 'lock' \\(READ\\) acquired after \\d+ ms, token .*"),
					(line) -> assertThat(line).matches("Lock 'lock' \\(READ\\) released after \\d+ ms, token .*"));
	}

}
