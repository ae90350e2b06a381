package io.github.zklock.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * What a session has sent and ZooKeeper has not answered, the oldest first. ZooKeeper
 * answers in the order of sending, so an answer is nearly always found at the front.
 * Requests that several threads send at the same moment may be in another order here than
 * in the client's queue. Thread-safe.
 */
final class Unanswered {

	private final LongSupplier clock;

	private final Queue<Ticket> tickets = new ConcurrentLinkedQueue<>();

	/**
	 * Begin with nothing.
	 * @param clock the time, as {@link System#nanoTime()}
	 */
	Unanswered(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Take note of something that is about to be sent.
	 * @return to be handed in with the answer
	 */
	Ticket sent() {
		Ticket ticket = new Ticket(this.clock.getAsLong());
		this.tickets.add(ticket);
		return ticket;
	}

	/**
	 * Take note of an answer, whatever it is: the loss of the connection is one.
	 */
	void answered(Ticket ticket) {
		this.tickets.remove(ticket);
	}

	/**
	 * Return for how long the oldest has been waiting for its answer, in nanoseconds; 0
	 * if everything is answered.
	 */
	long oldestAge() {
		Ticket oldest = this.tickets.peek();
		while (oldest != null && oldest.unsent) {
			this.tickets.remove(oldest);
			oldest = this.tickets.peek();
		}
		return (oldest != null) ? this.clock.getAsLong() - oldest.at : 0;
	}

	/**
	 * Something that was sent. Two are never equal.
	 */
	static final class Ticket {

		private final long at;

		/**
		 * An error has kept it from being sent. A field, since a stack that has come to
		 * its end has no room for a call.
		 */
		volatile boolean unsent;

		private Ticket(long at) {
			this.at = at;
		}

	}

}
