package io.github.zklock.engine;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The {@link Dependent dependents} that are active: those which have something in the
 * session or wait for it, in the order in which they came. Thread-safe.
 */
final class Dependents {

	private final EventLoop loop;

	private final Set<Dependent> active = Collections.synchronizedSet(new LinkedHashSet<>());

	Dependents(EventLoop loop) {
		this.loop = loop;
	}

	/**
	 * Add a dependent.
	 * @return false if it was active already
	 */
	boolean add(Dependent dependent) {
		return this.active.add(dependent);
	}

	/**
	 * Remove a dependent.
	 * @return false if it was not active
	 */
	boolean remove(Dependent dependent) {
		return this.active.remove(dependent);
	}

	boolean isEmpty() {
		return this.active.isEmpty();
	}

	/**
	 * Return those which are active now.
	 */
	List<Dependent> list() {
		return List.copyOf(this.active);
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
