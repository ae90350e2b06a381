package io.github.zklock.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import io.github.zklock.sample.shop.BoxOffice;
import io.github.zklock.sample.shop.BoxOffice.Sale;
import io.github.zklock.sample.shop.Catalogue.Import;
import io.github.zklock.sample.shop.Catalogue.Report;
import io.github.zklock.sample.shop.Ledger.Entry;
import io.github.zklock.sample.shop.Rush;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the shop does.
 */
class ShopTests extends ShopTestSupport {

	@Autowired
	private BoxOffice boxOffice;

	@Autowired
	private JdbcClient store;

	@Test
	void sellsEachSeatOnceUnderTheLock() {
		Rush.Result result = read(post("/rush", "{\"count\":20,\"locked\":true}"), Rush.Result.class);
		assertThat(result.sold()).isEqualTo(20);
		assertThat(result.doubleSales()).isZero();
		assertThat(this.boxOffice.sales()).extracting(Sale::seat).doesNotHaveDuplicates().hasSize(20);
		assertThat(this.boxOffice.sales()).extracting(Sale::token).doesNotContainNull().isSorted();
	}

	@Test
	void countsDoubleSalesWithoutTheLock() {
		Rush.Result result = read(post("/rush", "{\"count\":40,\"locked\":false}"), Rush.Result.class);
		Set<Integer> seats = new HashSet<>();
		int again = (int) this.boxOffice.sales().stream().filter((sale) -> !seats.add(sale.seat())).count();
		assertThat(again).isPositive().isEqualTo(result.doubleSales());
		get("/sales").expectBody()
			.jsonPath("$.doubleSales")
			.isEqualTo(again)
			.jsonPath("$.sold")
			.isEqualTo(result.sold());
		get("/state").expectBody().jsonPath("$.house.doubleSales").isEqualTo(again);
	}

	@Test
	void refusesWhatIsSoldOut() {
		Rush.Result result = read(post("/rush", "{\"count\":%d}".formatted(SEATS + 5)), Rush.Result.class);
		assertThat(result.sold()).isEqualTo(SEATS);
		assertThat(result.refused()).isEqualTo(5);
		assertThat(result.doubleSales()).isZero();
	}

	@Test
	void goesOnSellingWithoutReset() {
		post("/rush", "{\"count\":2}").expectStatus().isOk();
		post("/rush", "{\"count\":2,\"reset\":false}").expectStatus().isOk();
		get("/sales").expectBody().jsonPath("$.sold").isEqualTo(4);
	}

	@Test
	void reportsWhatWasImported() {
		Report before = read(post("/report"), Report.class);
		Import imported = read(post("/import"), Import.class);
		Report report = read(post("/report"), Report.class);
		assertThat(imported.imported()).isPositive();
		assertThat(report.titles()).isEqualTo(before.titles() + imported.imported());
		assertThat(report.consistent()).isTrue();
	}

	@Test
	void storeRefusesStaleToken() {
		Entry fresh = read(post("/fenced-write", "{\"pause\":false}"), Entry.class);
		assertThat(fresh.accepted()).isTrue();
		assertThat(fresh.storedToken()).isEqualTo(fresh.token());
		Entry stale = read(post("/fenced-write", "{\"pause\":true}"), Entry.class);
		assertThat(stale.accepted()).isFalse();
		assertThat(stale.storedToken()).isGreaterThan(stale.token());
	}

	@Test
	void stopsSlowJobWhenItsLockIsBroken() {
		// Who does not want to wait may get no answer in time from a busy ZooKeeper
		awaiting().untilAsserted(() -> post("/slow-job").expectStatus().isAccepted());
		awaiting().untilAsserted(() -> get("/state").expectBody()
			.jsonPath("$.locks[?(@.name == 'slow-job')].queue[0].instance")
			.isEqualTo(self().id()));
		delete("/locks/slow-job/holder").expectStatus().isNoContent();
		awaiting().untilAsserted(() -> get("/state").expectBody()
			.jsonPath("$.log[?(@.text =~ /slow job: lock lost at step .*/)]")
			.isNotEmpty());
		delete("/locks/slow-job/holder").expectStatus().isNotFound();
	}

	@Test
	void answersWhileZooKeeperIsAway() {
		post("/zookeeper/pause", "{\"seconds\":60}").expectStatus().isNoContent();
		awaiting().untilAsserted(() -> get("/state").expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.zooKeeper.connected")
			.isEqualTo(false)
			.jsonPath("$.zooKeeper.paused")
			.isEqualTo(true)
			.jsonPath("$.zooKeeper.stale")
			.isEqualTo(true)
			.jsonPath("$.instances[0].alive")
			.isEqualTo(true));
		post("/zookeeper/resume").expectStatus().isNoContent();
		awaiting().untilAsserted(() -> get("/state").expectBody()
			.jsonPath("$.zooKeeper.connected")
			.isEqualTo(true)
			.jsonPath("$.zooKeeper.paused")
			.isEqualTo(false)
			.jsonPath("$.zooKeeper.stale")
			.isEqualTo(false));
	}

	@Test
	void healsByItself() {
		post("/zookeeper/pause", "{\"seconds\":5}").expectStatus().isNoContent();
		get("/state").expectBody().jsonPath("$.zooKeeper.paused").isEqualTo(true);
		awaiting().untilAsserted(() -> get("/state").expectBody().jsonPath("$.zooKeeper.paused").isEqualTo(false));
	}

	@Test
	void leadsAgainAfterRelease() {
		long before = token();
		post("/leadership/release").expectStatus().isNoContent();
		awaiting().until(() -> token() > before);
		awaiting().untilAsserted(() -> get("/state").expectBody()
			.jsonPath("$.handOvers[-1:].to")
			.isEqualTo(self().id())
			.jsonPath("$.handOvers[-1:].millis")
			.isNotEmpty());
	}

	private long token() {
		return this.store.sql("select max(token) from term where ended_at is null")
			.query(Long.class)
			.optional()
			.orElse(0L);
	}

	@Test
	void leaderSettles() {
		long token = token();
		long settled = settlements(token);
		awaiting().until(() -> settlements(token) > settled);
	}

	private long settlements(long token) {
		return this.store.sql("select count(*) from settlement where token = ?")
			.param(token)
			.query(Long.class)
			.single();
	}

	@Test
	void sendsStateToOpenPages() throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create(self().url() + "/api/events")).build();
		Queue<String> lines = new ConcurrentLinkedQueue<>();
		try (Stream<String> page = HttpClient.newHttpClient().send(request, BodyHandlers.ofLines()).body()) {
			CompletableFuture.runAsync(() -> page.forEach(lines::add));
			awaiting().untilAsserted(() -> assertThat(lines).first().isEqualTo("event:state"));
			post("/purchases", "{\"buyer\":\"ann\"}").expectStatus().isCreated();
			awaiting().untilAsserted(() -> assertThat(lines).anyMatch((line) -> line.startsWith("data:{\"instance\":")
					&& line.contains(self().id()) && line.contains("\"sold\":1,")));
		}
	}

	@Test
	void servesThePage() throws Exception {
		HttpRequest request = HttpRequest.newBuilder(URI.create(self().url() + "/")).build();
		assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body())
			.contains("data-testid=\"house\"");
	}

}
