package io.github.zklock.local;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.github.zklock.engine.Listing;
import io.github.zklock.engine.NodeAccess;
import io.github.zklock.engine.NodeEvents;
import io.github.zklock.engine.NodeSession;
import io.github.zklock.engine.ReturnCode;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * A session with {@link LocalNodes}. It is connected from the beginning to the end.
 */
final class LocalSession implements NodeSession {

	// Only a rhythm: nothing ends after it
	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	private static final ReturnCode OK = code(Meaning.OK);

	private static final ReturnCode NO_NODE = code(Meaning.NO_NODE);

	private static final ReturnCode NODE_EXISTS = code(Meaning.NODE_EXISTS);

	private static final ReturnCode NOT_EMPTY = code(Meaning.NOT_EMPTY);

	private static final ReturnCode EXPIRED = code(Meaning.EXPIRED);

	private final LocalNodes nodes;

	private final long id;

	private final NodeEvents events;

	private final Set<String> own = new HashSet<>();

	private boolean closed;

	LocalSession(LocalNodes nodes, long id, NodeEvents events) {
		this.nodes = nodes;
		this.id = id;
		this.events = events;
		events.execute(() -> events.connected(() -> TIMEOUT));
	}

	private static ReturnCode code(Meaning meaning) {
		return new ReturnCode(meaning, "it refuses the request",
				(path) -> new IllegalStateException("%s for %s".formatted(meaning, path)));
	}

	@Override
	public long id() {
		return this.id;
	}

	/**
	 * Return the paths of the nodes that go with this session.
	 */
	Set<String> own() {
		return this.own;
	}

	void changed(String path, boolean deleted) {
		this.events.execute(() -> this.events.changed(path, deleted));
	}

	private <T> void execute(Reply<T> reply, Supplier<Answer<T>> request) {
		synchronized (this.nodes) {
			this.nodes.finish();
			Answer<T> answer = this.closed ? new Answer<>(EXPIRED, null) : request.get();
			this.events.execute(() -> reply.receive(answer.code(), answer.result()));
		}
	}

	private static <T> Answer<T> ok(T result) {
		return new Answer<>(OK, result);
	}

	/**
	 * Return a result, or that there is no such node.
	 */
	private static <T> Answer<T> found(@Nullable T result) {
		return (result != null) ? ok(result) : new Answer<>(NO_NODE, null);
	}

	@Override
	public void create(String prefix, byte[] data, Reply<Created> reply) {
		execute(reply, () -> found(this.nodes.createSequential(this, prefix, data)));
	}

	@Override
	public void createParent(String path, boolean container, @Nullable NodeAccess like, Reply<String> reply) {
		execute(reply, () -> this.nodes.contains(path) ? new Answer<>(NODE_EXISTS, null)
				: found(this.nodes.createParent(path, container) ? path : null));
	}

	@Override
	public void list(String path, boolean watch, Reply<Listing> reply) {
		execute(reply, () -> found(this.nodes.list(this, path, watch)));
	}

	@Override
	public void read(String path, boolean watch, Reply<Content> reply) {
		execute(reply, () -> found(this.nodes.read(this, path, watch)));
	}

	@Override
	public void exists(String path, boolean watch, Reply<Content> reply) {
		execute(reply, () -> found(this.nodes.exists(this, path, watch)));
	}

	@Override
	public void write(String path, byte[] data, Reply<Long> reply) {
		execute(reply, () -> found(this.nodes.write(path, data)));
	}

	@Override
	public void check(String path, Reply<String> reply) {
		execute(reply, () -> found(this.nodes.contains(path) ? path : null));
	}

	@Override
	public void delete(String path, Reply<String> reply) {
		execute(reply, () -> {
			if (!this.nodes.contains(path)) {
				return new Answer<>(NO_NODE, null);
			}
			if (!this.nodes.isEmpty(path)) {
				return new Answer<>(NOT_EMPTY, null);
			}
			this.nodes.delete(path);
			return ok(path);
		});
	}

	@Override
	public void sync(String path, Reply<String> reply) {
		execute(reply, () -> ok(path));
	}

	@Override
	public void ownNodes(String prefix, Reply<List<String>> reply) {
		execute(reply,
				() -> ok(this.own.stream()
					.filter((path) -> path.startsWith(prefix) && this.nodes.contains(path))
					.map(LocalNodes::name)
					.toList()));
	}

	@Override
	public void access(String path, Reply<NodeAccess> reply) {
		execute(reply, () -> found(this.nodes.contains(path) ? new Everybody(this.nodes.isEmpty(path)) : null));
	}

	@Override
	public void close(int millis) {
		synchronized (this.nodes) {
			this.nodes.finish();
			if (!this.closed) {
				this.nodes.forget(this);
				List.copyOf(this.own).forEach(this.nodes::delete);
				this.events.execute(() -> this.events.ended(false));
				this.closed = true;
			}
		}
	}

	private record Answer<T>(ReturnCode code, @Nullable T result) {

	}

	/**
	 * Nobody is a stranger here.
	 *
	 * @param isEmpty whether the node has no children
	 */
	private record Everybody(boolean isEmpty) implements NodeAccess {

		@Override
		public String strangers() {
			return "";
		}

		@Override
		public boolean hasOthers() {
			return false;
		}

		@Override
		public String describeOthers() {
			return "";
		}

		@Override
		public boolean isComplete() {
			return true;
		}

	}

}
