package io.github.zklock.embedded;

import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class ZooKeeperEnsembleTests {

	@Test
	void ensembleThatCannotBePreparedLeavesNothing() throws Exception {
		String cannotBeEncoded = "\ud800";
		Set<Thread> relays = relayThreads();
		assertThatExceptionOfType(ZooKeeperStartException.class)
			.isThrownBy(() -> ZooKeeperEnsemble.builder().property("name", cannotBeEncoded).start())
			.satisfies((ex) -> assertThat(directoryNamedIn(ex)).doesNotExist());
		await().atMost(TestClient.PATIENCE).untilAsserted(() -> assertThat(relayThreads()).isSubsetOf(relays));
	}

	private static Path directoryNamedIn(Exception ex) {
		Matcher quoted = Pattern.compile("'(.+zk-lock-embedded-.+)'").matcher(String.valueOf(ex.getMessage()));
		assertThat(quoted.find()).isTrue();
		return Path.of(quoted.group(1));
	}

	private static Set<Thread> relayThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("relay-"))
			.collect(Collectors.toSet());
	}

}
