package io.github.zklock.engine;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;

import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.Participant;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What an instance is called, and what nodes say of it.
 */
class InstanceTests extends ElectionTestSupport {

	private static final Platform PLATFORM = new SystemPlatform();

	InstanceTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pod-1", "http://10.0.0.1:8080/shop?a=b", "a b\n host=c pid=1", "\u20ac%41", ".~.", "%" })
	void nameIsReadBackByOthers(String name) throws Exception {
		ZooKeeperLocks locks = closing(builder().instance(name).build());
		assertThat(locks.instance()).isEqualTo(name);
		lead(locks);
		assertThat(registry().election(ROLE).participants()).extracting(Participant::instance, Participant::self)
			.containsExactly(tuple(name, false));
		try (LockLease lease = locks.lock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(locks.queue("lock")).extracting(LockContender::instance, LockContender::origin)
				.containsExactly(tuple(name, Origin.SELF));
			assertThat(locks.queue("lock").get(0).text()).startsWith("zk-lock instance=").doesNotContain("\n");
		}
	}

	@Test
	void threadsHaveTheName() throws Exception {
		ZooKeeperLocks locks = closing(builder().instance("pod\n1").build());
		locks.lock("lock").acquire().close();
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.anyMatch((name) -> name.equals("zk-lock-pod\\n1-EventThread"))
			.noneMatch((name) -> name.contains("pod\n1"));
	}

	@Test
	void sameNameIsNotTheSameInstance() throws Exception {
		ZooKeeperLocks one = closing(builder().instance("same").build());
		ZooKeeperLocks two = closing(builder().instance("same").build());
		lead(one);
		two.election(ROLE).join();
		awaitLeaderNodes(2);
		assertThat(one.election(ROLE).participants()).extracting(Participant::instance, Participant::self)
			.containsExactly(tuple("same", true), tuple("same", false));
		assertThat(two.election(ROLE).participants()).extracting(Participant::instance, Participant::self)
			.containsExactly(tuple("same", false), tuple("same", true));
		try (LockLease lease = one.lock("lock").acquire()) {
			assertThat(two.queue("lock")).extracting(LockContender::origin).containsExactly(Origin.PEER);
			assertThat(one.queue("lock")).extracting(LockContender::origin).containsExactly(Origin.SELF);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void nameIsThatOfTheHostWithSomethingRandomByDefault() throws Exception {
		String host = InetAddress.getLocalHost().getHostName();
		assertThat(registry().instance()).matches(Pattern.quote(host) + "-[0-9a-f]{8}")
			.isNotEqualTo(registry().instance());
	}

	@ParameterizedTest
	@CsvSource({ "host, 0", "x, 300", "\u20ac, 60", "\ud83d\ude00, 40" })
	void longNameOfAHostIsCut(String part, int times) {
		String host = part.repeat(Math.max(1, times));
		String name = new NodeData(PLATFORM, null, host).instance();
		assertThat(NodeData.requireInstance(name)).matches("(?s)(.*)-[0-9a-f]{8}");
		assertThat(host).startsWith(name.substring(0, name.length() - 9));
	}

	@Test
	void nameIsBounded() {
		for (String good : new String[] { "x".repeat(100), "\u20ac".repeat(11), "/".repeat(33) + "x" }) {
			assertThat(closing(builder().instance(good).build()).instance()).isEqualTo(good);
		}
		for (String bad : new String[] { "", "x".repeat(101), "\u20ac".repeat(12), "a\ud800", "x".repeat(1_000_000) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> builder().instance(bad))
				.withMessageContaining("'instance'")
				.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(400));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "\u00e9", "\u20ac", "\ud83d\udd12", "\ud800", "x\ud83d\udd12" })
	void dataIsBounded(String unit) {
		byte[] data = new NodeData(PLATFORM, "/".repeat(33) + "x", unit.repeat(2000)).of("a" + unit.repeat(2000));
		assertThat(data).hasSizeLessThanOrEqualTo(1024);
		assertThat(NodeData.isOurs(NodeData.text(data))).isTrue();
		String text = new String(data, StandardCharsets.UTF_8);
		assertThat(text).as("no character is cut in two").doesNotContain("\ufffd");
		NodeData.Author author = Objects.requireNonNull(NodeData.author(text));
		assertThat(author.instance()).isEqualTo("/".repeat(33) + "x");
		assertThat(author.host()).isNotEmpty();
		assertThat(author.thread()).startsWith("a").hasSizeGreaterThanOrEqualTo(100);
		assertThat(author.pid()).isEqualTo(ProcessHandle.current().pid());
	}

	@Test
	void strangeHostIsNoStranger() {
		NodeData data = new NodeData(PLATFORM, "x", "a b\nc");
		NodeData.Author author = Objects.requireNonNull(NodeData.author(NodeData.text(data.of("main"))));
		assertThat(author.host()).isEqualTo("a_b_c");
		assertThat(author.id()).isEqualTo(data.id());
	}

	@Test
	void olderTextsAreUnderstood() {
		NodeData.Author author = Objects.requireNonNull(
				NodeData.author("zk-lock instance=1a2b3c4d host=h pid=12 since=2026-11-16T00:00:00Z thread=main"));
		assertThat(author).isEqualTo(new NodeData.Author("1a2b3c4d", null, "h", 12, "main"));
	}

	@ParameterizedTest
	@CsvSource({ "%, %", "%4, %4", "%zz, %zz", "a%41, aA", "%FF, \ufffd", "\ud83d\udd12%41, \ud83d\udd12A" })
	void garbageIsNoMistake(String encoded, String shown) {
		NodeData.Author author = Objects
			.requireNonNull(NodeData.author("zk-lock instance=%s id= host= pid=1 since= thread=".formatted(encoded)));
		assertThat(author.instance()).isEqualTo(shown);
	}

	@Test
	void longGarbageIsNoMistake() throws Exception {
		ZooKeeperLocks locks = registry();
		try (LockLease lease = locks.lock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			String garbage = "%41".repeat(300_000);
			locks.zooKeeper()
				.create(parent("lock") + "/x-", "zk-lock instance=%s host= pid=1 since= thread=".formatted(garbage)
					.getBytes(StandardCharsets.UTF_8), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
			assertThat(locks.queue("lock")).extracting(LockContender::instance)
				.containsExactly(locks.instance(), garbage);
		}
	}

}
