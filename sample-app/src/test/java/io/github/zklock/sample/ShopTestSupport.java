package io.github.zklock.sample;

import java.time.Duration;
import java.util.Objects;

import io.github.zklock.LockRegistry;
import io.github.zklock.leader.Leadership;
import io.github.zklock.sample.cluster.LockWatch;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.sample.cluster.Terms;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

/**
 * One instance of the shop, with a ZooKeeper and a store of its own, for all tests.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:shop", "zk.lock.embedded.port=0",
				"zk.lock.embedded.data-dir=target/zookeeper/${random.uuid}", "zk.lock.session.timeout=24s",
				"zk.lock.session.server-tick=500ms", "zk.lock.session.connect-timeout=30s", "zk.lock.max-wait=50s",
				"sample.seats=" + ShopTestSupport.SEATS, "sample.report-time=100ms", "sample.import-time=100ms",
				"sample.slow-job-time=10m", "sample.settlement-interval=200ms",
				"logging.file.name=${zklock.server-log:target/servers.log}",
				"logging.level.org.apache.zookeeper.server=info", "logging.threshold.console=warn" })
abstract class ShopTestSupport {

	static final int SEATS = 30;

	@Autowired
	private Self self;

	@Autowired
	private Terms terms;

	@Autowired
	private LockRegistry registry;

	private RestTestClient client;

	@BeforeEach
	void openEmptyHouse() {
		this.client = RestTestClient.bindToServer().baseUrl(this.self.url() + "/api").build();
		post("/reset").expectStatus().isNoContent();
		awaiting().until(this::leads);
	}

	/**
	 * Return whether this instance leads and the store knows.
	 */
	private boolean leads() {
		Leadership leadership = this.registry.election(LockWatch.ROLE).leadership();
		return leadership.begin().map((work) -> {
			try (work) {
				return this.terms.present().filter((term) -> term.token() == work.fencingToken()).isPresent();
			}
		}).orElse(false);
	}

	@AfterEach
	void heal() {
		post("/zookeeper/resume").expectStatus().isNoContent();
		awaiting().untilAsserted(() -> get("/state").expectBody()
			.jsonPath("$.zooKeeper.stale")
			.isEqualTo(false)
			.jsonPath("$.leader.id")
			.isEqualTo(this.self.id()));
	}

	Self self() {
		return this.self;
	}

	ResponseSpec get(String path) {
		return this.client.get().uri(path).exchange();
	}

	ResponseSpec post(String path) {
		return this.client.post().uri(path).exchange();
	}

	ResponseSpec post(String path, String json) {
		return this.client.post().uri(path).contentType(MediaType.APPLICATION_JSON).body(json).exchange();
	}

	ResponseSpec delete(String path) {
		return this.client.delete().uri(path).exchange();
	}

	/**
	 * Return what a successful answer says.
	 */
	static <T> T read(ResponseSpec response, Class<T> type) {
		return Objects.requireNonNull(
				response.expectStatus().is2xxSuccessful().expectBody(type).returnResult().getResponseBody());
	}

	static ConditionFactory awaiting() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
