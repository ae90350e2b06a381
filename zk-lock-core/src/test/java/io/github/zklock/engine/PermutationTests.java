package io.github.zklock.engine;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("H16")
class PermutationTests extends PermutationSupport {

	private static final int SAMPLE = 1_000;

	PermutationTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void sessionsAreServedInOrder(int requests) throws Exception {
		everyOrderOfSessions(requests);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void requestsOfOneProcessAreServedInOrder(int requests) throws Exception {
		everyOrderInOneProcess(requests);
	}

	@Test
	void someSequencesOfFiveSessionsAreServedInOrder() throws Exception {
		Seeded.run((seed) -> someOrdersOfSessions(5, SAMPLE, seed));
	}

	@Test
	void someSequencesOfFiveRequestsOfOneProcessAreServedInOrder() throws Exception {
		Seeded.run((seed) -> someOrdersInOneProcess(5, SAMPLE, seed));
	}

}
