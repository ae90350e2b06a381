package io.github.zklock.engine;

import java.util.concurrent.TimeUnit;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All 22,592 sequences of five requests that are not made of shorter ones.
 */
@Tag("soak")
@Tag("H16")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class PermutationIT extends PermutationSupport {

	PermutationIT(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void fiveSessionsAreServedInOrder() throws Exception {
		everyOrderOfSessions(5);
	}

	@Test
	void fiveRequestsOfOneProcessAreServedInOrder() throws Exception {
		everyOrderInOneProcess(5);
	}

}
