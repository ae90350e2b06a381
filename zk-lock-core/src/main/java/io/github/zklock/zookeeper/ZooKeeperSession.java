package io.github.zklock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.github.zklock.engine.Listing;
import io.github.zklock.engine.NodeAccess;
import io.github.zklock.engine.NodeEvents;
import io.github.zklock.engine.NodeSession;
import io.github.zklock.engine.ReturnCode;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A session with ZooKeeper: one handle of its client. This object is the only watcher,
 * however many are interested in a path.
 */
final class ZooKeeperSession implements NodeSession, Watcher {

	private static final byte[] NO_DATA = {};

	private final NodeEvents events;

	private final AccessRules rules;

	private final @Nullable String chroot;

	private volatile @Nullable Thread eventThread;

	@SuppressWarnings("NullAway.Init") // by open()
	private volatile ZooKeeper zooKeeper;

	ZooKeeperSession(NodeEvents events, AccessRules rules, @Nullable String chroot) {
		this.events = events;
		this.rules = rules;
		this.chroot = chroot;
	}

	ZooKeeperSession open(ZooKeeperFactory factory) throws IOException {
		this.zooKeeper = factory.create(this);
		return this;
	}

	ZooKeeper zooKeeper() {
		return this.zooKeeper;
	}

	@Override
	public long id() {
		return this.zooKeeper.getSessionId();
	}

	@Override
	public void close(int millis) throws InterruptedException {
		this.zooKeeper.close(millis);
	}

	// Events

	@Override
	public void process(WatchedEvent event) {
		this.eventThread = Thread.currentThread();
		if (event.getType() != Event.EventType.None) {
			this.events.changed(event.getPath(), event.getType() == Event.EventType.NodeDeleted);
			return;
		}
		Event.KeeperState state = event.getState();
		if (state == null) {
			// SASL has failed. What follows from that comes as another event
			return;
		}
		switch (state) {
			case SyncConnected -> connected();
			case Disconnected, ConnectedReadOnly -> this.events.disconnected();
			case Expired, Closed -> this.events.ended(false);
			case AuthFailed -> this.events.ended(true);
			default -> {
				// SASL has succeeded
			}
		}
	}

	private void connected() {
		// The first event may come before the constructor of the handle has returned
		ZooKeeper handle = this.zooKeeper;
		int millis = (handle != null) ? handle.getSessionTimeout() : 0;
		this.events.connected(() -> Duration.ofMillis((millis > 0) ? millis : this.zooKeeper.getSessionTimeout()));
	}

	/**
	 * Deliver an answer. Once a handle is dead, its callbacks run on the thread that
	 * calls it.
	 */
	private <T> void answer(Reply<T> reply, int code, @Nullable T result) {
		ReturnCode known = ReturnCodes.of(code, result);
		if (Thread.currentThread() == this.eventThread) {
			reply.receive(known, result);
		}
		else {
			this.events.execute(() -> reply.receive(known, result));
		}
	}

	// Requests

	@Override
	public void create(String prefix, byte[] data, Reply<Created> reply) {
		this.zooKeeper.create(prefix, data, this.rules.wanted(), CreateMode.EPHEMERAL_SEQUENTIAL, (code, requested,
				context, path, stat) -> answer(reply, code, (stat != null) ? new Created(path, stat.getCzxid()) : null),
				null);
	}

	@Override
	public void createParent(String path, boolean container, @Nullable NodeAccess like, Reply<String> reply) {
		List<ACL> acl = (like instanceof ZooKeeperAccess access) ? access.acl() : this.rules.wanted();
		StringCallback callback = (code, requested, context, created) -> answer(reply, code, created);
		this.zooKeeper.create(path, NO_DATA, acl, container ? CreateMode.CONTAINER : CreateMode.PERSISTENT, callback,
				null);
	}

	@Override
	public void list(String path, boolean watch, Reply<Listing> reply) {
		this.zooKeeper.getChildren(path, watcher(watch), (code, requested, context, children, stat) -> answer(reply,
				code, (stat != null) ? new Listing(children, stat.getPzxid(), counter(stat)) : null), null);
	}

	private @Nullable Watcher watcher(boolean watch) {
		return watch ? this : null;
	}

	/**
	 * Return how many children a node has ever had, which is the next child's number.
	 */
	static long counter(Stat stat) {
		return Integer.toUnsignedLong(stat.getCversion() + stat.getNumChildren()) / 2;
	}

	@Override
	public void read(String path, boolean watch, Reply<Content> reply) {
		this.zooKeeper.getData(path, watcher(watch), (code, requested, context, data, stat) -> answer(reply, code,
				(stat != null) ? content(data, stat) : null), null);
	}

	@Override
	public void exists(String path, boolean watch, Reply<Content> reply) {
		this.zooKeeper.exists(path, watcher(watch),
				(code, requested, context, stat) -> answer(reply, code, (stat != null) ? content(null, stat) : null),
				null);
	}

	private static Content content(byte @Nullable [] data, Stat stat) {
		return Content.of(data, stat.getCzxid(), stat.getMzxid(), stat.getCtime(), stat.getEphemeralOwner());
	}

	@Override
	public void write(String path, byte[] data, Reply<Long> reply) {
		this.zooKeeper.setData(path, data, -1,
				(code, requested, context, stat) -> answer(reply, code, (stat != null) ? stat.getMzxid() : null), null);
	}

	@Override
	public void check(String path, Reply<String> reply) {
		this.zooKeeper.multi(List.of(Op.check(path, -1)),
				(code, requested, context, results) -> answer(reply, code, path), null);
	}

	@Override
	public void delete(String path, Reply<String> reply) {
		this.zooKeeper.delete(path, -1, (code, requested, context) -> answer(reply, code, requested), null);
	}

	@Override
	public void sync(String path, Reply<String> reply) {
		this.zooKeeper.sync(path, (code, requested, context) -> answer(reply, code, requested), null);
	}

	/**
	 * Ask for the own nodes. Neither the question nor the answer knows of a chroot, so
	 * that has to be known here.
	 */
	@Override
	public void ownNodes(String prefix, Reply<List<String>> reply) {
		if (this.chroot == null) {
			this.events.execute(() -> reply.receive(ReturnCodes.of(Code.UNIMPLEMENTED.intValue()), null));
			return;
		}
		this.zooKeeper.getEphemerals(this.chroot + prefix,
				(code, context, paths) -> answer(reply, code, (paths != null) ? names(paths) : null), null);
	}

	private static List<String> names(List<String> paths) {
		return paths.stream().map((path) -> path.substring(path.lastIndexOf('/') + 1)).toList();
	}

	@Override
	public void access(String path, Reply<NodeAccess> reply) {
		this.zooKeeper.getACL(path, new Stat(), (code, requested, context, acl, stat) -> answer(reply, code,
				(stat != null) ? new ZooKeeperAccess(this.zooKeeper, this.rules, acl, stat) : null), null);
	}

}
