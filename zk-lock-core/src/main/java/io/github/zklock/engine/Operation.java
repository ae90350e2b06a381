package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.NodeSession.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A request that can be sent, and sent again.
 *
 * @param <T> the type of its result
 */
@FunctionalInterface
interface Operation<T> {

	/**
	 * Send the request, without waiting for the answer.
	 */
	void send(NodeSession nodes, Reply<T> reply);

	static Operation<Created> create(String prefix, byte[] data) {
		return (nodes, reply) -> nodes.create(prefix, data, reply);
	}

	static Operation<String> createContainer(String path) {
		return (nodes, reply) -> nodes.createParent(path, true, null, reply);
	}

	static Operation<String> createPersistent(String path, @Nullable NodeAccess like) {
		return (nodes, reply) -> nodes.createParent(path, false, like, reply);
	}

	static Operation<NodeAccess> access(String path) {
		return (nodes, reply) -> nodes.access(path, reply);
	}

	static Operation<Listing> list(String path, boolean watch) {
		return (nodes, reply) -> nodes.list(path, watch, reply);
	}

	static Operation<Content> read(String path, boolean watch) {
		return (nodes, reply) -> nodes.read(path, watch, reply);
	}

	static Operation<Content> exists(String path, boolean watch) {
		return (nodes, reply) -> nodes.exists(path, watch, reply);
	}

	static Operation<Long> write(String path, byte[] data) {
		return (nodes, reply) -> nodes.write(path, data, reply);
	}

	static Operation<List<String>> ownNodes(String prefix) {
		return (nodes, reply) -> nodes.ownNodes(prefix, reply);
	}

	static Operation<String> check(String path) {
		return (nodes, reply) -> nodes.check(path, reply);
	}

	static Operation<String> delete(String path) {
		return (nodes, reply) -> nodes.delete(path, reply);
	}

	static Operation<String> sync(String path) {
		return (nodes, reply) -> nodes.sync(path, reply);
	}

}
