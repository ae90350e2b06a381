package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * Lists the children of nodes in one session. Those who come while a list is under way
 * share the next one, which is sent when that is answered: it shows all that any of them
 * has done before. A list that may have cost the connection is sent alone, and if it has
 * done so three times, it is {@link Meaning#TOO_LONG too long} for everybody for a while.
 * Thread-safe; answers come on the event loop.
 */
final class NodeLists {

	private final Session session;

	private final Strikes strikes;

	private final Map<String, Shared> underWay = new HashMap<>();

	NodeLists(Session session, Strikes strikes) {
		this.session = session;
		this.strikes = strikes;
	}

	/**
	 * Return whether the children of a node are not to be listed now.
	 */
	boolean isTooLong(String path) {
		return this.strikes.isOut(path);
	}

	/**
	 * List in the flight of what was sent before, once, whatever becomes of it.
	 */
	void list(String path, Consumer<Response<Listing>> answer) {
		if (this.strikes.count(path) > 0) {
			share(path, answer);
		}
		else {
			this.session.sender().readAll(path, Operation.list(path, false), answer);
		}
	}

	/**
	 * List and set a watch, once, whatever becomes of it.
	 */
	void listAndWatch(String path, Consumer<Response<Listing>> answer) {
		if (this.strikes.isOut(path)) {
			refuse(answer);
		}
		else {
			read(path, Operation.list(path, true), answer);
		}
	}

	/**
	 * Send a list, alone if it may have cost the connection.
	 */
	private void read(String path, Operation<Listing> list, Consumer<Response<Listing>> answer) {
		if (this.strikes.count(path) == 0) {
			this.session.sender().readAll(path, list, answer);
			return;
		}
		this.session.suspects().sendAlone((done) -> this.session.sender().readAll(path, list, (response) -> {
			done.run();
			answer.accept(response);
		}));
	}

	/**
	 * List once, together with all others who want to share a list, whatever becomes of
	 * it.
	 */
	synchronized void share(String path, Consumer<Response<Listing>> answer) {
		Shared present = this.underWay.get(path);
		if (present != null) {
			present.next.add(answer);
		}
		else if (this.strikes.tryRead(path)) {
			send(path, new Shared(List.of(answer)));
		}
		else {
			refuse(answer);
		}
	}

	private void send(String path, Shared shared) {
		this.underWay.put(path, shared);
		boolean sent = false;
		try {
			read(path, Operation.list(path, false), (response) -> answered(path, shared, response));
			sent = true;
		}
		finally {
			if (!sent) {
				this.underWay.remove(path, shared);
			}
		}
	}

	private void answered(String path, Shared shared, Response<Listing> response) {
		Shared following = following(path, shared, response);
		tell(shared, response);
		if (following != null) {
			tell(following, response);
		}
	}

	/**
	 * Send the next list, if anybody waits for it.
	 * @return those who wait for one that is not to be sent
	 */
	private synchronized @Nullable Shared following(String path, Shared shared, Response<Listing> response) {
		this.underWay.remove(path, shared);
		if (shared.next.isEmpty()) {
			return null;
		}
		Shared following = new Shared(shared.next);
		if (response.is(Meaning.DISCONNECTED)) {
			return following;
		}
		send(path, following);
		return null;
	}

	private void tell(Shared shared, Response<Listing> response) {
		shared.served.forEach((answer) -> this.session.loop().run(() -> answer.accept(response)));
	}

	private void refuse(Consumer<Response<Listing>> answer) {
		// The caller may be in the midst of something
		this.session.loop().execute(() -> answer.accept(new Response<>(ReturnCode.TOO_LONG, null)));
	}

	/**
	 * A list for several.
	 */
	private static final class Shared {

		private final List<Consumer<Response<Listing>>> served;

		private final List<Consumer<Response<Listing>>> next = new ArrayList<>();

		Shared(List<Consumer<Response<Listing>>> served) {
			this.served = served;
		}

	}

}
