package io.github.zklock.engine;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Sends requests of one session again until ZooKeeper answers them, the result is not
 * wanted any more, or the session ends: on the next connection if the connection was
 * lost, otherwise after a pause. Requests may be sent by any thread; answers and retries
 * run on the event loop.
 */
final class Retries {

	private final Session session;

	private final Strikes strikes;

	private final DeferredTasks parked;

	Retries(Session session, Strikes strikes) {
		this.session = session;
		this.strikes = strikes;
		this.parked = new DeferredTasks(session.loop());
	}

	/**
	 * List the children of a node until ZooKeeper answers.
	 * @param wanted whether the answer is still wanted
	 */
	void listUntilAnswered(BooleanSupplier wanted, String path, Consumer<Response<Listing>> answer) {
		if (this.session.hasEnded() || !wanted.getAsBoolean()) {
			return;
		}
		this.session.lists().share(path, (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, () -> listUntilAnswered(wanted, path, answer));
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Read the content of a node until ZooKeeper answers. Data that may have cost the
	 * connection are left out.
	 * @param wanted whether the answer is still wanted
	 */
	void contentUntilAnswered(BooleanSupplier wanted, String path, Consumer<Response<Content>> answer) {
		if (this.session.hasEnded() || !wanted.getAsBoolean()) {
			return;
		}
		if (this.strikes.count(path) > 0) {
			readUntilAnswered(wanted, Operation.exists(path, false), answer);
			return;
		}
		this.session.sender().readAll(path, Operation.read(path, false), (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, () -> contentUntilAnswered(wanted, path, answer));
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Send a write until ZooKeeper answers it.
	 * @param wanted whether the answer is still wanted
	 */
	<T> void writeUntilAnswered(BooleanSupplier wanted, Operation<T> operation, Consumer<Response<T>> answer) {
		untilAnswered(wanted, operation, true, answer);
	}

	/**
	 * Send a read until ZooKeeper answers it.
	 * @param wanted whether the answer is still wanted
	 */
	<T> void readUntilAnswered(BooleanSupplier wanted, Operation<T> operation, Consumer<Response<T>> answer) {
		untilAnswered(wanted, operation, false, answer);
	}

	private <T> void untilAnswered(BooleanSupplier wanted, Operation<T> operation, boolean leaderBound,
			Consumer<Response<T>> answer) {
		if (this.session.hasEnded() || !wanted.getAsBoolean()) {
			return;
		}
		Runnable again = () -> untilAnswered(wanted, operation, leaderBound, answer);
		this.session.sender().send(operation, leaderBound, (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, again);
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Run a task again that has got no useful answer: when the connection is back if it
	 * was lost, otherwise after a pause. By the event loop only.
	 */
	void later(Response<?> response, Runnable task) {
		if (!response.is(Meaning.DISCONNECTED)) {
			this.session.loop().backOff(task);
		}
		else if (!this.session.hasEnded()) {
			this.parked.add(task);
		}
	}

	/**
	 * Run what waits for a connection: there is one, and it works. By the event loop
	 * only.
	 */
	void reconnected() {
		this.parked.runAll();
	}

	/**
	 * Forget what waits for a connection: there will be none. By the event loop only.
	 */
	void clear() {
		this.parked.clear();
	}

}
