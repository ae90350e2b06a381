package io.github.zklock.zookeeper;

import java.util.concurrent.TimeUnit;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The 22,592 sequences of five requests that are not made of shorter ones.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PermutationIT extends PermutationSupport {

	PermutationIT(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void h16_fiveSessions() throws Exception {
		everyOrderOfSessions(5);
	}

	@Test
	void h16_fiveRequestsOfOneProcess() throws Exception {
		everyOrderInOneProcess(5);
	}

}
