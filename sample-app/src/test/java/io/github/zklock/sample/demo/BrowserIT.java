package io.github.zklock.sample.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

import io.github.zklock.sample.demo.ShopCluster.Shop;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.NotFoundException;
import org.openqa.selenium.StaleElementReferenceException;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page, clicked through in a real browser, with three shops behind it. Pictures go to
 * {@code target}, or with {@code -Dscreenshots} to {@code docs/images}.
 */
class BrowserIT {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final int WIDTH = 1280;

	private static final int PHONE_WIDTH = 390;

	private static final int HEIGHT = 900;

	private static final List<Integer> PORTS = FreePorts.find(3);

	private static final ShopCluster cluster = new ShopCluster(PORTS, System.out, Duration.ofSeconds(12),
			"--sample.slow-job-time=2m", "--sample.report-time=15s", "--sample.import-time=1s", "--zk.lock.max-wait=1m",
			"--logging.level.root=warn", "--spring.main.banner-mode=off");

	private static final Page page = new Page();

	private final ShopClient client = new ShopClient();

	private final ExecutorService executor = Executors.newCachedThreadPool();

	@RegisterExtension
	private final AfterTestExecutionCallback photographer = (context) -> {
		if (context.getExecutionException().isPresent()) {
			page.photograph(Path.of("target", "failed-" + context.getRequiredTestMethod().getName() + ".png"));
		}
	};

	@BeforeAll
	static void start() {
		cluster.start();
	}

	@AfterAll
	static void stop() {
		try (cluster) {
			page.close();
		}
	}

	@BeforeEach
	void openTheFirstShopsPage() {
		cluster.start();
		page.resize(WIDTH, HEIGHT, false);
		open(shop(0));
		page.complaints();
	}

	@AfterEach
	void stopWhatHasBegun() {
		this.executor.shutdownNow();
	}

	private void open(Shop shop) {
		page.open(shop);
		awaitPage(() -> page.text("zookeeper-status"), (status) -> status.equals("connected"));
		cluster.shops()
			.forEach((each) -> awaitPage(() -> page.instance(each.id()).getDomAttribute("data-alive"), "true"::equals));
	}

	private static Shop shop(int index) {
		return cluster.shops().get(index);
	}

	/**
	 * Wait for the page, whose elements come and go.
	 */
	private static <T> void awaitPage(Callable<T> question, Predicate<T> answer) {
		await().atMost(PATIENCE)
			.ignoreExceptionsMatching(
					(ex) -> ex instanceof StaleElementReferenceException || ex instanceof NotFoundException)
			.until(question, answer);
	}

	private static void awaitPage(Callable<Boolean> question) {
		awaitPage(question, Boolean.TRUE::equals);
	}

	private Shop awaitLeader() {
		JsonNode leader = await().atMost(PATIENCE).until(this::leader, (each) -> !each.isNull());
		return cluster.shops()
			.stream()
			.filter((shop) -> shop.id().equals(leader.get("id").asString()))
			.findFirst()
			.orElseThrow();
	}

	private JsonNode leader() throws IOException, InterruptedException {
		return this.client.get(shop(0), "/api/state").body().get("leader");
	}

	@Test
	void rushWithoutTheLockSellsSeatsTwiceAndWithItDoesNot() {
		page.click("rush-unlocked");
		awaitPage(() -> page.text("rush-result"), (result) -> result.contains("too many"));
		awaitPage(() -> Integer.parseInt(page.text("double-sales")), (count) -> count > 0);
		page.click("rush-locked");
		awaitPage(() -> page.text("rush-result"), (result) -> result.contains("Every seat sold once"));
		awaitPage(() -> page.text("double-sales"), "0"::equals);
	}

	@Test
	void importWaitsForReports() {
		page.click("report");
		awaitPage(() -> page.count(page.lock("catalogue"), "holder"), (holders) -> holders == 1);
		page.click("import");
		awaitPage(() -> page.count(page.lock("catalogue"), "waiter"), (waiters) -> waiters == 1);
		awaitPage(() -> page.text("report-result"), (result) -> result.contains("sold"));
		awaitPage(() -> page.text("import-result"), (result) -> result.contains("imported"));
		awaitPage(() -> page.count(page.lock("catalogue"), "holder"), (holders) -> holders == 0);
	}

	@Test
	void brokenLockStopsTheSlowJob() {
		long stopped = page.logged("slow job: lock lost");
		startSlowJob();
		page.clickIn(page.lock("slow-job"), "break-lock");
		awaitPage(() -> page.logged("slow job: lock lost"), (times) -> times == stopped + 1);
		awaitPage(() -> page.count(page.lock("slow-job"), "holder"), (holders) -> holders == 0);
	}

	private static void startSlowJob() {
		page.click("slow-job");
		awaitPage(() -> {
			String result = page.text("slow-job-result");
			if (result.startsWith("ZooKeeper cannot be asked")) {
				// Who does not want to wait may get no answer in time from a busy one
				page.click("slow-job");
			}
			return result.startsWith("Started");
		});
		awaitSlowJob();
	}

	private static void awaitSlowJob() {
		awaitPage(() -> page.count(page.lock("slow-job"), "holder"), (holders) -> holders == 1);
	}

	@Test
	void storeRefusesAStaleToken() {
		page.click("fenced-write");
		awaitPage(() -> page.text("fenced-result"), (result) -> result.startsWith("Refused"));
	}

	@Test
	void linkToZooKeeperIsCutAndMended() {
		page.click("pause-link");
		awaitPage(() -> page.text("zookeeper-status"), "not connected"::equals);
		awaitPage(() -> page.isShown("offline"));
		awaitPage(() -> page.find("resume-link").isEnabled());
		page.click("resume-link");
		awaitPage(() -> page.text("zookeeper-status"), "connected"::equals);
		awaitPage(() -> !page.isShown("offline"));
	}

	@Test
	void leaderGivesUp() {
		Shop leader = awaitLeader();
		open(leader);
		awaitPage(() -> page.find("release-leadership").isEnabled());
		page.click("release-leadership");
		awaitPage(() -> page.text("leader"), (text) -> !text.contains("none") && !text.contains(leader.id()));
	}

	@Test
	void pageShowsTheNextLeaderAndRecoversFromTheDeathOfItsShop() {
		Shop leader = awaitLeader();
		List<Shop> others = cluster.shops().stream().filter((shop) -> !shop.equals(leader)).toList();
		open(others.get(0));
		awaitPage(() -> page.text("leader"), (text) -> text.contains(leader.id()));
		leader.process().kill();
		awaitPage(() -> page.instance(leader.id()).getDomAttribute("data-alive"), "false"::equals);
		awaitPage(() -> page.text("leader"), (text) -> others.stream().anyMatch((shop) -> text.contains(shop.id())));

		others.get(0).process().kill();
		awaitPage(() -> page.isShown("offline"));
		cluster.start();
		awaitPage(() -> !page.isShown("offline"));
		awaitPage(() -> page.instance(leader.id()).getDomAttribute("data-alive"), "true"::equals);
	}

	@Test
	void pageSaysThatZooKeeperIsDownAndRecovers() {
		cluster.zooKeeper().kill();
		awaitPage(() -> page.text("zookeeper-status"), "not connected"::equals);
		awaitPage(() -> page.isShown("offline"));
		cluster.start();
		awaitPage(() -> page.text("zookeeper-status"), "connected"::equals);
		awaitPage(() -> !page.isShown("offline"));
	}

	@Test
	void looksGoodOnAnyScreen() throws Exception {
		this.client.post(shop(0), "/api/rush", new Rush(30, true, true));
		this.client.post(shop(0), "/api/rush", new Rush(40, false, false));
		// Not by its button: the browser would complain of an answer that is late
		await().atMost(PATIENCE).until(() -> this.client.post(shop(0), "/api/slow-job", null).status() == 202);
		awaitSlowJob();
		List<CompletableFuture<Integer>> readers = List.of(begin(shop(0), "/api/report"),
				begin(shop(1), "/api/report"));
		awaitPage(() -> page.count(page.lock("catalogue"), "holder"), (holders) -> holders == 2);
		CompletableFuture<Integer> writer = begin(shop(2), "/api/import");
		awaitPage(() -> page.count(page.lock("catalogue"), "waiter"), (waiters) -> waiters == 1);
		photograph("light", WIDTH, false);
		photograph("dark", WIDTH, true);
		photograph("phone", PHONE_WIDTH, false);
		assertThat(page.evaluateNumber("document.documentElement.scrollWidth")).isEqualTo(PHONE_WIDTH);
		page.clickIn(page.lock("slow-job"), "break-lock");
		assertThat(readers).extracting(CompletableFuture::join).containsOnly(200);
		assertThat(writer.join()).isEqualTo(200);
		assertThat(page.complaints()).isEmpty();
	}

	private CompletableFuture<Integer> begin(Shop shop, String path) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return this.client.post(shop, path, null).status();
			}
			catch (IOException | InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, this.executor);
	}

	private static void photograph(String name, int width, boolean dark) throws IOException {
		Path directory = (System.getProperty("screenshots") != null) ? Path.of("..", "docs", "images")
				: Path.of("target", "images");
		page.resize(width, HEIGHT, dark);
		page.photograph(directory.resolve("sample-%s.png".formatted(name)));
	}

	private record Rush(int count, boolean locked, boolean reset) {

	}

}
