package io.github.zklock.zookeeper;

import java.util.List;

import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An operation that can be sent, and sent again.
 *
 * @param <T> the type of its result
 */
@FunctionalInterface
interface Operation<T> {

	/**
	 * Send the operation, without waiting for the answer.
	 */
	void send(ZooKeeper zooKeeper, Reply<T> reply);

	/**
	 * Takes the answer from any thread.
	 *
	 * @param <T> the type of the result
	 */
	interface Reply<T> {

		void receive(int code, @Nullable T result);

	}

	/**
	 * A node that was created.
	 *
	 * @param path its path
	 * @param czxid the transaction that created it
	 */
	record Created(String path, long czxid) {

	}

	/**
	 * The children of a node.
	 *
	 * @param children their names
	 * @param parent the state of the node itself
	 */
	record Listing(List<String> children, Stat parent) {

		/**
		 * Return how many children were ever created, which is the next child's number.
		 */
		long counter() {
			return Integer.toUnsignedLong(this.parent.getCversion() + this.parent.getNumChildren()) / 2;
		}

	}

	/**
	 * What a node contains.
	 *
	 * @param text its data, as text
	 * @param stat its state
	 */
	record Content(String text, Stat stat) {

	}

	static Operation<Created> createContender(String prefix, byte[] data, List<ACL> acl) {
		return (zooKeeper, reply) -> zooKeeper.create(prefix, data, acl, CreateMode.EPHEMERAL_SEQUENTIAL,
				(code, requested, context, path, stat) -> reply.receive(code,
						(stat != null) ? new Created(path, stat.getCzxid()) : null),
				null);
	}

	static Operation<String> createContainer(String path, List<ACL> acl) {
		return (zooKeeper, reply) -> zooKeeper.create(path, new byte[0], acl, CreateMode.CONTAINER,
				(AsyncCallback.StringCallback) (code, requested, context, created) -> reply.receive(code, created),
				null);
	}

	static Operation<Listing> list(String path, @Nullable Watcher watcher) {
		return (zooKeeper, reply) -> zooKeeper.getChildren(path, watcher, (code, requested, context, children,
				stat) -> reply.receive(code, (stat != null) ? new Listing(children, stat) : null), null);
	}

	static Operation<byte[]> getData(String path, Watcher watcher) {
		return (zooKeeper, reply) -> zooKeeper.getData(path, watcher,
				(code, requested, context, data, stat) -> reply.receive(code, (data != null) ? data : new byte[0]),
				null);
	}

	static Operation<Content> read(String path) {
		return (zooKeeper, reply) -> zooKeeper.getData(path, false, (code, requested, context, data, stat) -> reply
			.receive(code, (stat != null) ? new Content(NodeData.text(data), stat) : null), null);
	}

	/**
	 * Write a node's data. The result is the transaction that did it.
	 */
	static Operation<Long> setData(String path, byte[] data) {
		return (zooKeeper, reply) -> zooKeeper.setData(path, data, -1,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? stat.getMzxid() : null), null);
	}

	static Operation<Integer> countChildren(String path) {
		return (zooKeeper, reply) -> zooKeeper.exists(path, false,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? stat.getNumChildren() : null),
				null);
	}

	/**
	 * Ask for the transaction that has created a node.
	 */
	static Operation<Long> czxid(String path) {
		return (zooKeeper, reply) -> zooKeeper.exists(path, false,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? stat.getCzxid() : null), null);
	}

	/**
	 * Have the leader confirm that a node exists, as a transaction: when it is answered,
	 * everything that this session has sent before is decided.
	 */
	static Operation<String> check(String path) {
		return (zooKeeper, reply) -> zooKeeper.multi(List.of(Op.check(path, -1)),
				(code, requested, context, results) -> reply.receive(code, path), null);
	}

	static Operation<String> delete(String path) {
		return (zooKeeper, reply) -> zooKeeper.delete(path, -1,
				(code, requested, context) -> reply.receive(code, requested), null);
	}

	static Operation<String> sync(String path) {
		return (zooKeeper, reply) -> zooKeeper.sync(path, (code, requested, context) -> reply.receive(code, requested),
				null);
	}

}
