package io.github.zklock.engine;

import java.util.List;
import java.util.function.Consumer;

/**
 * The {@link Dependent dependents} that are active: those which have something in the
 * session or wait for it, in the order in which they came. Thread-safe.
 */
final class Dependents {

	private final EventLoop loop;

	private final Chain<Dependent> active = new Chain<>();

	Dependents(EventLoop loop) {
		this.loop = loop;
	}

	/**
	 * Add a dependent.
	 * @return false if it was active already
	 */
	synchronized boolean add(Dependent dependent) {
		return this.active.add(dependent);
	}

	/**
	 * Remove a dependent.
	 * @return false if it was not active
	 */
	synchronized boolean remove(Dependent dependent) {
		return this.active.remove(dependent);
	}

	synchronized boolean isEmpty() {
		return this.active.isEmpty();
	}

	/**
	 * Return those which are active now.
	 */
	synchronized List<Dependent> list() {
		return this.active.list();
	}

	/**
	 * Do something with each dependent, on the event loop. If that fails for one, it is
	 * done with the others nevertheless.
	 */
	void forEach(Consumer<Dependent> action) {
		this.loop.pass("notify");
		list().forEach((dependent) -> this.loop.run(() -> action.accept(dependent)));
	}

}
