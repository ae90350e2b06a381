package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Elements in the order in which they came, each at most once. They are linked by
 * themselves: a change that has begun needs no memory and calls nothing, so that no error
 * in the middle of it can leave it half done, as it can with the collections of the JDK.
 * Leaving costs no search. Not thread-safe.
 *
 * @param <T> the type of the elements
 */
final class Chain<T extends Chain.Link<T>> {

	private @Nullable T first;

	private @Nullable T last;

	boolean isEmpty() {
		return this.first == null;
	}

	/**
	 * Return the element that has been here longest, null if there is none.
	 */
	@Nullable T first() {
		return this.first;
	}

	boolean contains(T element) {
		return element.before != null || this.first == element;
	}

	/**
	 * Add an element, which is in no other chain.
	 * @return false if it was here already
	 */
	boolean add(T element) {
		if (contains(element)) {
			return false;
		}
		T end = this.last;
		element.before = end;
		if (end != null) {
			end.after = element;
		}
		else {
			this.first = element;
		}
		this.last = element;
		return true;
	}

	/**
	 * Remove an element.
	 * @return false if it was not here
	 */
	boolean remove(T element) {
		if (!contains(element)) {
			return false;
		}
		T before = element.before;
		T after = element.after;
		if (before != null) {
			before.after = after;
		}
		else {
			this.first = after;
		}
		if (after != null) {
			after.before = before;
		}
		else {
			this.last = before;
		}
		element.before = null;
		element.after = null;
		return true;
	}

	/**
	 * Return the element that came after another one, null if there is none.
	 */
	@Nullable T after(T element) {
		return element.after;
	}

	/**
	 * Return all elements, in their order, as they are now.
	 */
	List<T> list() {
		List<T> all = new ArrayList<>();
		for (T element = this.first; element != null; element = element.after) {
			all.add(element);
		}
		return all;
	}

	/**
	 * What can be an element of one chain at a time.
	 *
	 * @param <T> its own type
	 */
	abstract static class Link<T extends Link<T>> {

		// Both for the chain only

		@Nullable T before;

		@Nullable T after;

	}

}
