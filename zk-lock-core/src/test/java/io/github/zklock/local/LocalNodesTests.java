package io.github.zklock.local;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.zklock.engine.NodeEvents;
import io.github.zklock.engine.NodeSession;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.testing.DeepStack;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes in memory whose callers come to the end of their stacks.
 */
class LocalNodesTests {

	private static final int RUNS = 1_000;

	private final Tasks tasks = new Tasks();

	private final LocalNodes nodes = new LocalNodes(() -> 0);

	private final NodeSession session = this.nodes.open(this.tasks);

	private final DeepStack stack = new DeepStack();

	/**
	 * What is to be done by the event loop.
	 */
	private static final class Tasks implements NodeEvents {

		private final Queue<Runnable> left = new ArrayDeque<>();

		private int changes;

		@Override
		public void connected(Supplier<Duration> timeout) {
		}

		@Override
		public void disconnected() {
		}

		@Override
		public void ended(boolean refused) {
		}

		@Override
		public void changed(String path, boolean deleted) {
			this.changes++;
		}

		@Override
		public void execute(Runnable task) {
			this.left.add(task);
		}

		void run() {
			for (Runnable task = this.left.poll(); task != null; task = this.left.poll()) {
				task.run();
			}
		}

	}

	private String create() {
		AtomicReference<Created> created = new AtomicReference<>();
		this.session.create("/parent/node-", new byte[0],
				(code, result) -> created.set(Objects.requireNonNull(result)));
		this.tasks.run();
		return created.get().path();
	}

	private void createParent() {
		this.session.createParent("/parent", false, null, (code, result) -> {
		});
	}

	/**
	 * The parent has no children, whatever was left half done.
	 */
	private void assertNoChildren() {
		this.session.list("/parent", false, (code, result) -> {
		});
		assertThat(this.nodes.isEmpty("/parent")).isTrue();
		assertThat(this.nodes.size()).as("top and parent").isEqualTo(2);
	}

	@Test
	void deleteThatIsRepeatedLeavesNothing() throws Exception {
		createParent();
		for (int run = 0; run < RUNS; run++) {
			String path = create();
			this.session.exists(path, true, (code, result) -> {
			});
			this.tasks.run();
			this.tasks.changes = 0;
			this.stack.run(() -> this.session.delete(path, (code, result) -> {
			}));
			this.session.delete(path, (code, result) -> {
			});
			assertNoChildren();
			this.tasks.run();
			assertThat(this.tasks.changes).as("who watches hears of it").isPositive();
		}
	}

}
