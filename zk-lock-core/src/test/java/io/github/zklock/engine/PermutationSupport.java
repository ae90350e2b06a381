package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.zookeeper.ZooKeeperLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every order in which a number of requests can come and go, in every mixture of modes,
 * against a model that says who must have the lock after each step. A request comes, and
 * later goes: it gives the lock back if it has it, and gives up if it waits.
 */
abstract class PermutationSupport extends LockTestSupport {

	private static final Duration FOREVER = Duration.ofDays(1);

	private static final int LANES = 60;

	PermutationSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * What happens: the request comes when it is named first, and goes when it is named
	 * again.
	 *
	 * @param modes what each request wants
	 * @param steps the requests by their numbers
	 */
	private record Sequence(List<LockMode> modes, List<Integer> steps) {

	}

	/**
	 * Says who has the lock.
	 */
	private interface Model {

		void come(int request);

		void go(int request);

		Set<Integer> holders();

	}

	/**
	 * Each request has a node, and the nodes are in the order of their coming.
	 */
	private static final class FirstComeFirstServed implements Model {

		private final List<LockMode> modes;

		private final List<Integer> queue = new ArrayList<>();

		FirstComeFirstServed(List<LockMode> modes) {
			this.modes = modes;
		}

		@Override
		public void come(int request) {
			this.queue.add(request);
		}

		@Override
		public void go(int request) {
			this.queue.remove((Integer) request);
		}

		@Override
		public Set<Integer> holders() {
			Set<Integer> holders = new TreeSet<>();
			for (int request : this.queue) {
				boolean reads = this.modes.get(request) == LockMode.READ;
				if (reads || holders.isEmpty()) {
					holders.add(request);
				}
				if (!reads) {
					break;
				}
			}
			return holders;
		}

	}

	/**
	 * All writers have one node together, whose turn goes to the first of them. Given
	 * back while others of them wait, it is handed over if there is no other node, and
	 * goes to the end otherwise.
	 */
	private static final class OneNodeForAllWriters implements Model {

		private static final Integer WRITERS = -1;

		private final List<LockMode> modes;

		private final List<Integer> nodes = new ArrayList<>();

		private final List<Integer> writers = new ArrayList<>();

		OneNodeForAllWriters(List<LockMode> modes) {
			this.modes = modes;
		}

		@Override
		public void come(int request) {
			if (this.modes.get(request) == LockMode.READ) {
				this.nodes.add(request);
				return;
			}
			if (this.writers.isEmpty()) {
				this.nodes.add(WRITERS);
			}
			this.writers.add(request);
		}

		@Override
		public void go(int request) {
			boolean held = holders().contains(request);
			if (this.modes.get(request) == LockMode.READ) {
				this.nodes.remove((Integer) request);
				return;
			}
			this.writers.remove((Integer) request);
			if (this.writers.isEmpty() || held) {
				this.nodes.remove(WRITERS);
			}
			if (!this.writers.isEmpty() && held) {
				this.nodes.add(WRITERS);
			}
		}

		@Override
		public Set<Integer> holders() {
			Set<Integer> holders = new TreeSet<>();
			for (Integer node : this.nodes) {
				if (!node.equals(WRITERS)) {
					holders.add(node);
					continue;
				}
				if (holders.isEmpty()) {
					holders.add(this.writers.get(0));
				}
				break;
			}
			return holders;
		}

	}

	/**
	 * Who is inside, whatever a model says.
	 */
	private static final class Inside {

		private int readers;

		private int writers;

		synchronized LockLease enter(LockMode mode, LockLease lease) {
			count(mode, 1);
			assertThat(this.writers == 0 || this.readers + this.writers == 1)
				.as("%d readers, %d writers", this.readers, this.writers)
				.isTrue();
			return lease;
		}

		synchronized void leave(LockMode mode) {
			count(mode, -1);
		}

		private void count(LockMode mode, int change) {
			if (mode == LockMode.READ) {
				this.readers += change;
			}
			else {
				this.writers += change;
			}
		}

	}

	/**
	 * Each request has a session of its own.
	 */
	void everyOrderOfSessions(int requests) throws Exception {
		run(sequences(requests), sessions(requests), FirstComeFirstServed::new);
	}

	void someOrdersOfSessions(int requests, int count, long seed) throws Exception {
		run(sample(sequences(requests), count, seed), sessions(requests), FirstComeFirstServed::new);
	}

	/**
	 * All requests are made by one process.
	 */
	void everyOrderInOneProcess(int requests) throws Exception {
		run(sequences(requests), sessions(1), OneNodeForAllWriters::new);
	}

	void someOrdersInOneProcess(int requests, int count, long seed) throws Exception {
		run(sample(sequences(requests), count, seed), sessions(1), OneNodeForAllWriters::new);
	}

	private List<ZooKeeperLocks> sessions(int count) {
		return Stream.generate(this::registry).limit(count).toList();
	}

	private static List<Sequence> sample(List<Sequence> sequences, int count, long seed) {
		Collections.shuffle(sequences, new Random(seed));
		return sequences.subList(0, count);
	}

	private void run(List<Sequence> sequences, List<ZooKeeperLocks> sessions, Function<List<LockMode>, Model> models)
			throws Exception {
		AtomicInteger next = new AtomicInteger();
		List<CompletableFuture<Void>> lanes = new ArrayList<>();
		for (int lane = 0; lane < LANES; lane++) {
			String name = "lane-" + lane;
			for (ZooKeeperLocks locks : sessions) {
				warmUp(locks, name);
			}
			lanes.add(call(() -> {
				for (int index = next.getAndIncrement(); index < sequences.size(); index = next.getAndIncrement()) {
					Sequence sequence = sequences.get(index);
					run(sequence, name, sessions, models.apply(sequence.modes()));
				}
				return null;
			}));
		}
		CompletableFuture.allOf(lanes.toArray(CompletableFuture[]::new)).get();
		assertThat(next.get()).isEqualTo(sequences.size() + LANES);
	}

	private static void run(Sequence sequence, String name, List<ZooKeeperLocks> sessions, Model model)
			throws Exception {
		Inside inside = new Inside();
		List<CompletableFuture<LockLease>> asked = new ArrayList<>();
		List<CompletableFuture<LockLease>> entered = new ArrayList<>();
		List<Integer> done = new ArrayList<>();
		try {
			for (int request : sequence.steps()) {
				LockMode mode = sequence.modes().get(request);
				ZooKeeperLocks locks = sessions.get(request % sessions.size());
				done.add(request);
				if (request == asked.size()) {
					asked.add(lock(locks, name, mode).acquireAsync(FOREVER));
					entered.add(asked.get(request).thenApply((lease) -> inside.enter(mode, lease)));
					model.come(request);
				}
				else if (model.holders().contains(request)) {
					inside.leave(mode);
					entered.get(request).get().close();
					model.go(request);
				}
				else {
					assertThat(asked.get(request).cancel(false)).as("waits").isTrue();
					model.go(request);
				}
				hear(locks);
				Set<Integer> holders = model.holders();
				for (int holder : holders) {
					assertThat(get(entered.get(holder)).isHeld()).isTrue();
				}
				for (int other = 0; other < asked.size(); other++) {
					boolean gone = done.indexOf(other) != done.lastIndexOf(other);
					assertThat(asked.get(other).isDone()).as("request %d", other)
						.isEqualTo(gone || holders.contains(other));
				}
			}
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError("%s after %s".formatted(sequence, done), ex);
		}
	}

	private static NamedLock lock(ZooKeeperLocks locks, String name, LockMode mode) {
		return (mode == LockMode.READ) ? locks.readLock(name) : locks.writeLock(name);
	}

	private static List<Sequence> sequences(int requests) {
		List<List<Integer>> orders = new ArrayList<>();
		addOrders(new ArrayList<>(), new int[requests], 0, orders);
		List<Sequence> sequences = new ArrayList<>();
		for (int modes = 0; modes < 1 << requests; modes++) {
			List<LockMode> wanted = new ArrayList<>();
			for (int request = 0; request < requests; request++) {
				wanted.add(((modes >> request & 1) == 0) ? LockMode.READ : LockMode.WRITE);
			}
			orders.forEach((order) -> sequences.add(new Sequence(wanted, order)));
		}
		return sequences;
	}

	/**
	 * Add all orders that begin in the given way. Those in which all have gone before the
	 * last has come are made of shorter ones.
	 */
	private static void addOrders(List<Integer> begun, int[] named, int come, List<List<Integer>> orders) {
		if (begun.size() == 2 * named.length) {
			orders.add(List.copyOf(begun));
			return;
		}
		if (come > 0 && begun.size() == 2 * come) {
			return;
		}
		for (int request = 0; request < named.length && request <= come; request++) {
			if (named[request] < 2) {
				int[] counts = Arrays.copyOf(named, named.length);
				counts[request]++;
				List<Integer> longer = new ArrayList<>(begun);
				longer.add(request);
				addOrders(longer, counts, Math.max(come, request + 1), orders);
			}
		}
	}

}
