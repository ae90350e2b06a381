package io.github.zklock.engine;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import io.github.zklock.engine.Request.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The local callers who wait for one node, first in, first out, and how their waits end
 * without the lock. Under the monitor of their {@link LockQueue}.
 */
final class Waiters {

	private static final long NEVER = Long.MIN_VALUE;

	private final LockQueues family;

	private final Chain<Request> chain = new Chain<>();

	// When somebody else was last known to have the lock, by the clock of deadlines
	private long contendedAt = NEVER;

	Waiters(LockQueues family) {
		this.family = family;
	}

	private SessionKeeper keeper() {
		return this.family.context().keeper();
	}

	// Who waits

	boolean isEmpty() {
		return this.chain.isEmpty();
	}

	/**
	 * Return who has waited longest.
	 */
	Request first() {
		return Objects.requireNonNull(this.chain.first(), "Nobody waits");
	}

	boolean contains(Request request) {
		return this.chain.contains(request);
	}

	/**
	 * Return all who wait, in their order.
	 */
	List<Request> all() {
		return this.chain.list();
	}

	void add(Request request) {
		this.chain.add(request);
	}

	/**
	 * Forget a request.
	 * @return false if it does not wait here
	 */
	boolean remove(Request request) {
		return this.chain.remove(request);
	}

	// How a wait ends

	/**
	 * Return how the wait of a new request ends before it begins, if it does.
	 * @param held whether the lock is held here
	 */
	@Nullable Outcome outcomeAtOnce(Request request, boolean held) {
		if (keeper().isClosed()) {
			return failed(keeper().refusal());
		}
		if (request.deadline().isEndless()) {
			return null;
		}
		boolean patient = request.deadline().mayQueue();
		if (held && !patient) {
			return Outcome.REFUSED;
		}
		Reachability reachability = keeper().reachability();
		if (reachability.isUnreachable() || (reachability.hasLostConnection() && !patient)) {
			keeper().start();
			return failed(reachability.notConnected());
		}
		if (patient || isEmpty()) {
			return null;
		}
		return hasFallenSilent() ? failed(reachability.unanswered(request.deadline())) : Outcome.REFUSED;
	}

	/**
	 * Decide how a wait ends, before the request is forgotten. Who finds it decided sees
	 * to it that the caller hears of it: an error may have prevented it.
	 * @return false if it was decided before
	 */
	static boolean decide(Request request, Outcome outcome) {
		boolean decided = request.decide(outcome);
		if (!decided) {
			request.tellAgain();
		}
		return decided;
	}

	Outcome failed(Failure failure) {
		return Outcome.failed(failure.ofLock(this.family.name(), keeper().place()));
	}

	/**
	 * Refuse those who do not want to wait.
	 */
	void refuseImpatient(Predicate<Request> condition) {
		end(Outcome.REFUSED, (request) -> !request.deadline().mayQueue() && condition.test(request));
	}

	/**
	 * Fail those who do not want to wait.
	 */
	void failImpatient(Failure failure) {
		end(failed(failure), (request) -> !request.deadline().mayQueue());
	}

	/**
	 * Fail those who do not wait for ever.
	 */
	void failTimed(Failure failure) {
		end(failed(failure), (request) -> !request.deadline().isEndless());
	}

	void failAll(Failure failure) {
		end(failed(failure), (request) -> true);
	}

	private void end(Outcome outcome, Predicate<Request> condition) {
		Request next;
		for (Request request = this.chain.first(); request != null; request = next) {
			next = this.chain.after(request);
			if (condition.test(request)) {
				decide(request, outcome);
				remove(request);
			}
		}
	}

	/**
	 * Decide about a request that is out of time.
	 * @param others whether others are known to have the lock
	 */
	void endLate(Request request, boolean others) {
		decide(request, others ? Outcome.REFUSED : failed(keeper().reachability().unanswered(request.deadline())));
		remove(request);
	}

	/**
	 * After an error: forget those who were thrown out, and tell those who were not told.
	 */
	void repair() {
		Request next;
		for (Request request = this.chain.first(); request != null; request = next) {
			next = this.chain.after(request);
			if (hasLeft(request)) {
				remove(request);
			}
		}
	}

	private static boolean hasLeft(Request request) {
		if (request.forsaken) {
			request.leave();
		}
		request.tellAgain();
		return request.outcome() != null;
	}

	// What they are told of others

	/**
	 * Somebody else has the lock. That is true for all who wait now, until the connection
	 * is lost.
	 */
	void noteContention() {
		this.contendedAt = keeper().loop().platform().nanoTime();
	}

	void forgetContention() {
		this.contendedAt = NEVER;
	}

	/**
	 * Return whether somebody else has had the lock while a request waited.
	 */
	boolean wereContended(Request request) {
		return this.contendedAt != NEVER && request.deadline().hasBegunBefore(this.contendedAt);
	}

	/**
	 * Return whether ZooKeeper says nothing.
	 */
	boolean isSilent() {
		return keeper().reachability().isSilent(this.family.context().answerNanos());
	}

	/**
	 * Return whether ZooKeeper was there and says nothing now.
	 */
	boolean hasFallenSilent() {
		return keeper().reachability().hasEverConnected() && isSilent();
	}

}
