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
	 * What a node contains.
	 *
	 * @param text its data, as text, empty if they were not read
	 * @param stat its state
	 */
	record Content(String text, Stat stat) {

		/**
		 * Return whether a client of this library has made the node.
		 */
		boolean isOurs() {
			return NodeData.isOurs(this.text);
		}

	}

	/**
	 * Who may do what with a node.
	 *
	 * @param acl its access control list
	 * @param stat its state
	 */
	record Access(List<ACL> acl, Stat stat) {

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

	static Operation<String> createPersistent(String path, List<ACL> acl) {
		return (zooKeeper, reply) -> zooKeeper.create(path, new byte[0], acl, CreateMode.PERSISTENT,
				(AsyncCallback.StringCallback) (code, requested, context, created) -> reply.receive(code, created),
				null);
	}

	static Operation<Access> getAcl(String path) {
		return (zooKeeper, reply) -> zooKeeper.getACL(path, new Stat(), (code, requested, context, acl, stat) -> reply
			.receive(code, (stat != null) ? new Access(acl, stat) : null), null);
	}

	static Operation<Listing> list(String path, @Nullable Watcher watcher) {
		return (zooKeeper, reply) -> zooKeeper.getChildren(path, watcher, (code, requested, context, children,
				stat) -> reply.receive(code, (stat != null) ? new Listing(children, stat) : null), null);
	}

	static Operation<Content> getData(String path, @Nullable Watcher watcher) {
		return (zooKeeper, reply) -> zooKeeper.getData(path, watcher, (code, requested, context, data, stat) -> reply
			.receive(code, (stat != null) ? new Content(NodeData.text(data), stat) : null), null);
	}

	/**
	 * Look whether a node is there, without its data.
	 */
	static Operation<Content> exists(String path, @Nullable Watcher watcher) {
		return (zooKeeper, reply) -> zooKeeper.exists(path, watcher,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? new Content("", stat) : null),
				null);
	}

	/**
	 * Write a node's data. The result is the transaction that did it.
	 */
	static Operation<Long> setData(String path, byte[] data) {
		return (zooKeeper, reply) -> zooKeeper.setData(path, data, -1,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? stat.getMzxid() : null), null);
	}

	/**
	 * Ask for the transaction that has created a node.
	 */
	static Operation<Long> czxid(String path) {
		return (zooKeeper, reply) -> zooKeeper.exists(path, false,
				(code, requested, context, stat) -> reply.receive(code, (stat != null) ? stat.getCzxid() : null), null);
	}

	/**
	 * Ask for the nodes of the own session below a prefix. Neither that nor the result
	 * knows of a chroot.
	 */
	static Operation<List<String>> ownNodes(String prefix) {
		return (zooKeeper, reply) -> zooKeeper.getEphemerals(prefix,
				(code, context, paths) -> reply.receive(code, paths), null);
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
