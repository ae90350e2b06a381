package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.ReturnCode.Meaning;
import io.github.zklock.local.LocalStores;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.Options;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes in memory are as those in ZooKeeper: whatever is asked for, both give the same
 * answers and events in the same order. Containers stay out of it, except the rule by
 * which they go: the servers look for empty ones once in a minute.
 */
@EmbeddedZooKeeperTest
class NodeStoreTests {

	private static final int CONVERSATIONS = 20;

	private static final int REQUESTS = 100;

	private static final String[] PARENTS = { "/a", "/a/b", "/c" };

	private final String connectString;

	NodeStoreTests(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@Test
	void storesGiveTheSameAnswersAndEvents() throws Exception {
		Seeded.run((seed) -> {
			for (int conversation = 0; conversation < CONVERSATIONS; conversation++) {
				String top = "/conversation-" + conversation;
				List<String> expected;
				try (Client real = new Client(Options.nodes(ZooKeeperLocks.builder(this.connectString)), top)) {
					expected = real.talk(new Random(seed + conversation));
				}
				try (Client local = new Client(LocalStores.create(), top)) {
					assertThat(local.talk(new Random(seed + conversation))).isEqualTo(expected);
				}
			}
		});
	}

	@Test
	void containerGoesWithItsLastChild() throws Exception {
		try (Client client = new Client(LocalStores.create(), "/top")) {
			client.ask(Operation.createContainer("/top/parent"));
			client.ask(Operation.list("/top/parent", true));
			client.ask(Operation.create("/top/parent/x-", new byte[0]));
			client.ask(Operation.exists("/top/parent", true));
			client.ask(Operation.delete("/top/parent/x-0000000000"));
			client.ask(Operation.list("/top/parent", false));
			assertThat(client.ranked()).endsWith("changed /top/parent true", "OK /top/parent/x-0000000000", "NO_NODE");
		}
	}

	@Test
	void nodesGoWithTheirSession() throws Exception {
		NodeStore store = LocalStores.create();
		try (Client watching = new Client(store, "/top"); Client ending = new Client(store, "/top")) {
			ending.ask(Operation.create("/top/x-", new byte[0]));
			watching.ask(Operation.read("/top/x-0000000000", true));
			ending.session.close(0);
			watching.ask(Operation.sync("/"));
			assertThat(watching.ranked()).contains("changed /top/x-0000000000 true");
			assertThat(ending.ask(Operation.sync("/"))).isEqualTo(Meaning.EXPIRED);
			assertThat(ending.ranked()).contains("ended false");
		}
	}

	/**
	 * Sends requests, and writes down what it hears, on a thread that is its event loop.
	 */
	private static final class Client implements NodeEvents, AutoCloseable {

		private final ExecutorService loop = Executors.newSingleThreadExecutor();

		private final CountDownLatch connected = new CountDownLatch(1);

		private final List<Supplier<String>> heard = new ArrayList<>();

		private final TreeSet<Long> zxids = new TreeSet<>();

		private final NodeSession session;

		private final String top;

		Client(NodeStore store, String top) throws Exception {
			this.top = top;
			this.session = Patience.get(this.loop.submit(() -> store.open(this)));
			assertThat(Patience.await(this.connected)).isTrue();
			ask(Operation.createPersistent(top, null));
		}

		@Override
		public void connected(Supplier<Duration> timeout) {
			this.connected.countDown();
		}

		@Override
		public void disconnected() {
			hear(() -> "disconnected");
		}

		@Override
		public void ended(boolean refused) {
			hear(() -> "ended " + refused);
		}

		@Override
		public void changed(String path, boolean deleted) {
			hear(() -> "changed " + path + " " + deleted);
		}

		@Override
		public void execute(Runnable task) {
			this.loop.execute(task);
		}

		private synchronized void hear(Supplier<String> what) {
			this.heard.add(what);
		}

		/**
		 * Return what was heard, with transactions as ranks: a server counts those of
		 * others, too.
		 */
		synchronized List<String> ranked() {
			return this.heard.stream().map(Supplier::get).toList();
		}

		<T> Meaning ask(Operation<T> request) throws Exception {
			CompletableFuture<Meaning> answer = new CompletableFuture<>();
			send(request, answer);
			return Patience.get(answer);
		}

		private <T> void send(Operation<T> request, CompletableFuture<Meaning> answer) {
			request.send(this.session, (code, result) -> {
				describe(code, result);
				answer.complete(code.meaning());
			});
		}

		private synchronized void describe(ReturnCode code, @Nullable Object result) {
			if (result instanceof NodeSession.Created created) {
				this.zxids.add(created.czxid());
				hear(() -> code.meaning() + " " + created.path() + " " + rank(created.czxid()));
			}
			else if (result instanceof Content content) {
				this.zxids.addAll(List.of(content.czxid(), content.mzxid()));
				hear(() -> "%s '%s' %d %d own %s".formatted(code.meaning(), content.text(), rank(content.czxid()),
						rank(content.mzxid()), content.owner() == this.session.id()));
			}
			else if (result instanceof Listing listing) {
				this.zxids.add(listing.pzxid());
				hear(() -> "%s %s %d %d".formatted(code.meaning(),
						listing.contenders().stream().map(ContenderNode::name).sorted().toList(), listing.counter(),
						rank(listing.pzxid())));
			}
			else if (result instanceof Long zxid) {
				this.zxids.add(zxid);
				hear(() -> code.meaning() + " " + rank(zxid));
			}
			else if (result instanceof List<?> names) {
				hear(() -> code.meaning() + " " + names.stream().map(Object::toString).sorted().toList());
			}
			else {
				hear(() -> code.meaning() + ((code.meaning() == Meaning.OK) ? " " + result : ""));
			}
		}

		private int rank(long zxid) {
			return this.zxids.headSet(zxid).size();
		}

		/**
		 * Make up requests, and send some of them before earlier ones are answered.
		 */
		List<String> talk(Random random) throws Exception {
			for (int count = 0; count < REQUESTS; count++) {
				CompletableFuture<Meaning> answer = new CompletableFuture<>();
				send(random, answer);
				if (random.nextInt(4) == 0) {
					Patience.get(answer);
				}
			}
			ask(Operation.sync("/"));
			return ranked();
		}

		private void send(Random random, CompletableFuture<Meaning> answer) {
			String parent = this.top + PARENTS[random.nextInt(PARENTS.length)];
			String node = parent + "/x-000000000" + random.nextInt(4);
			boolean watch = random.nextBoolean();
			byte[] data = { (byte) ('a' + random.nextInt(26)) };
			switch (random.nextInt(12)) {
				case 0, 1 -> send(Operation.createPersistent(parent, null), answer);
				case 2, 3 -> send(Operation.create(parent + "/x-", data), answer);
				case 4 -> send(Operation.list(parent, watch), answer);
				case 5 -> send(Operation.read(node, watch), answer);
				case 6 -> send(Operation.exists(node, watch), answer);
				case 7 -> send(Operation.write(node, data), answer);
				case 8 -> send(Operation.check(parent), answer);
				case 9 -> send(Operation.delete(node), answer);
				case 10 -> send(Operation.delete(parent), answer);
				default -> send(Operation.ownNodes(parent + "/x-"), answer);
			}
		}

		@Override
		public void close() throws Exception {
			this.session.close(1_000);
			this.loop.shutdown();
			assertThat(this.loop.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}

	}

}
