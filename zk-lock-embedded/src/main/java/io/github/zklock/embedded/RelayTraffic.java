package io.github.zklock.embedded;

import java.io.DataInputStream;
import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * Reads the chunks that pass through a relay and decides on them. One per relay.
 */
interface RelayTraffic {

	/**
	 * Read the next chunk.
	 * @return the chunk, null at the end of the stream
	 */
	byte @Nullable [] read(DataInputStream in) throws IOException;

	/**
	 * Begin the observation of a new connection.
	 * @return the observer, called by one thread for each direction
	 */
	Observer open();

	/**
	 * Let everything pass from now on.
	 */
	default void forgetFaults() {
	}

	/**
	 * Sees the chunks of one connection.
	 */
	interface Observer {

		Decision onChunk(Direction direction, byte[] chunk);

	}

	/**
	 * What to do with a chunk, and whom to tell once it is done.
	 *
	 * @param verdict what to do
	 * @param done called when it is done: a connection to cut is closed by then
	 */
	record Decision(Verdict verdict, Runnable done) {

		static final Decision PASS = new Decision(Verdict.PASS, () -> {
		});

	}

	/**
	 * What to do with a chunk.
	 */
	enum Verdict {

		PASS, DROP, CUT, PASS_THEN_CUT, HOLD

	}

}
