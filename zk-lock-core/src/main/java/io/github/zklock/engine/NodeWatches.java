package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.github.zklock.engine.NodeSession.Content;

/**
 * Watches nodes in one session until they have gone: one read and one watch for each,
 * however many are interested in it. A read leaves no watch behind if the node has gone.
 * Thread-safe.
 */
final class NodeWatches {

	private final Session session;

	private final Strikes strikes;

	private final Map<String, Node> nodes = new HashMap<>();

	NodeWatches(Session session, Strikes strikes) {
		this.session = session;
		this.strikes = strikes;
	}

	/**
	 * Tell somebody of a node from now on, and whether it is there: at once, if that is
	 * known.
	 */
	void watch(String path, Observer observer) {
		boolean isOurs;
		synchronized (this) {
			Node node = this.nodes.computeIfAbsent(path, (key) -> new Node());
			node.add(observer);
			if (!node.watched) {
				read(path, node);
				return;
			}
			isOurs = node.isOurs;
		}
		observer.present(path, isOurs);
	}

	synchronized void forget(String path, Observer observer) {
		Node node = this.nodes.get(path);
		if (node != null && node.remove(observer) && node.observers.isEmpty()) {
			this.nodes.remove(path);
		}
	}

	/**
	 * Return whether a node was there when it was last looked at, and nothing has been
	 * heard of it since.
	 */
	synchronized boolean isWatched(String path) {
		Node node = this.nodes.get(path);
		return node != null && node.watched;
	}

	synchronized boolean isEmpty() {
		return this.nodes.isEmpty();
	}

	private void read(String path, Node node) {
		if (node.reading) {
			return;
		}
		node.reading = true;
		boolean sent = false;
		try {
			send(path, node);
			sent = true;
		}
		finally {
			node.reading = sent;
		}
	}

	private void send(String path, Node node) {
		int count = this.strikes.count(path);
		if (count == 0) {
			this.session.sender()
				.readAll(path, Operation.read(path, true), (response) -> answered(path, node, response));
		}
		else if (count < Strikes.OUT) {
			this.session.suspects()
				.sendAlone((done) -> this.session.sender().readAll(path, Operation.read(path, true), (response) -> {
					done.run();
					answered(path, node, response);
				}));
		}
		else {
			// Its data are more than a client can read. Should it go just now, this
			// leaves a watch behind
			this.session.read(Operation.exists(path, true), (response) -> answered(path, node, response));
		}
	}

	private void answered(String path, Node node, Response<Content> response) {
		switch (response.meaning()) {
			case OK -> tell(present(path, node, response.result()),
					(observer) -> observer.present(path, response.result().isOurs()));
			case NO_NODE -> tell(removed(path, node), (observer) -> observer.deleted(path));
			case DISCONNECTED, UNKNOWN, BUSY -> {
				lost(node);
				this.session.retries().later(response, () -> readAgain(path, node));
			}
			default -> tell(removed(path, node), (observer) -> observer.refused(path, response));
		}
	}

	private synchronized List<Observer> present(String path, Node node, Content content) {
		node.reading = false;
		node.watched = true;
		node.isOurs = content.isOurs();
		return isCurrent(path, node) ? List.copyOf(node.observers) : List.of();
	}

	private synchronized List<Observer> removed(String path, Node node) {
		node.reading = false;
		return this.nodes.remove(path, node) ? new ArrayList<>(node.observers) : List.of();
	}

	private synchronized void lost(Node node) {
		node.reading = false;
	}

	private synchronized void readAgain(String path, Node node) {
		if (isCurrent(path, node) && !node.watched) {
			read(path, node);
		}
	}

	private boolean isCurrent(String path, Node node) {
		return this.nodes.get(path) == node;
	}

	/**
	 * A node has changed, so it is not watched any more.
	 */
	void changed(String path, boolean deleted) {
		if (deleted) {
			tell(deleted(path), (observer) -> observer.deleted(path));
		}
		else {
			unwatch(path);
		}
	}

	private synchronized List<Observer> deleted(String path) {
		Node node = this.nodes.remove(path);
		return (node != null) ? new ArrayList<>(node.observers) : List.of();
	}

	private synchronized void unwatch(String path) {
		Node node = this.nodes.get(path);
		if (node != null) {
			node.watched = false;
			read(path, node);
		}
	}

	private void tell(List<Observer> observers, Consumer<Observer> news) {
		observers.forEach((observer) -> this.session.loop().run(() -> news.accept(observer)));
	}

	/**
	 * The connection is lost.
	 */
	synchronized void disconnected() {
		this.nodes.values().forEach((node) -> node.watched = false);
	}

	/**
	 * The connection is back. The client sets its watches again by itself, unless it was
	 * told not to.
	 */
	synchronized void reconnected() {
		this.nodes.forEach((path, node) -> {
			if (!node.watched) {
				read(path, node);
			}
		});
	}

	private static final class Node {

		// Nearly always one
		private Set<Observer> observers = Set.of();

		private boolean reading;

		private boolean watched;

		private boolean isOurs;

		void add(Observer observer) {
			if (this.observers.isEmpty()) {
				this.observers = Set.of(observer);
			}
			else {
				if (this.observers.size() == 1) {
					this.observers = new LinkedHashSet<>(this.observers);
				}
				this.observers.add(observer);
			}
		}

		boolean remove(Observer observer) {
			boolean contained = this.observers.contains(observer);
			if (contained && this.observers.size() == 1) {
				this.observers = Set.of();
			}
			else if (contained) {
				this.observers.remove(observer);
			}
			return contained;
		}

	}

	/**
	 * Hears of a node.
	 */
	interface Observer {

		/**
		 * The node is there.
		 * @param isOurs whether a client of this library has made it
		 */
		default void present(String path, boolean isOurs) {
		}

		void deleted(String path);

		/**
		 * ZooKeeper does not let us look at the node.
		 */
		default void refused(String path, Response<?> response) {
		}

	}

}
