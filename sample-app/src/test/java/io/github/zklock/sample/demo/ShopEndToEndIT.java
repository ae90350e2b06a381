package io.github.zklock.sample.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.zklock.sample.demo.ShopClient.Answer;
import io.github.zklock.sample.demo.ShopCluster.Shop;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three shops that share one house, and two hundred buyers who want a seat at the same
 * time. All that counts is what the store says in the end: a buyer whose shop was killed
 * cannot know whether it has sold.
 */
class ShopEndToEndIT {

	private static final int BUYERS = 200;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final List<Integer> PORTS = FreePorts.find(3);

	private static final ShopCluster cluster = new ShopCluster(PORTS, System.out, Duration.ofSeconds(5),
			"--sample.seats=" + 2 * BUYERS, "--sample.thinking-time=50ms", "--logging.level.root=warn",
			"--spring.main.banner-mode=off");

	private static final ExecutorService buyers = Executors.newFixedThreadPool(BUYERS);

	private final ShopClient client = new ShopClient();

	private final AtomicInteger failures = new AtomicInteger();

	@BeforeAll
	static void startShops() {
		cluster.start();
	}

	@AfterAll
	static void stopShops() {
		buyers.shutdownNow();
		cluster.close();
	}

	@BeforeEach
	void openAllShopsAndEmptyTheHouse() throws Exception {
		cluster.start();
		assertThat(this.client.post(shop(0), "/api/reset", null).status()).isBetween(200, 204);
	}

	@Test
	void noSeatIsSoldTwiceWhileTheLeaderIsKilledAndZooKeeperIsRestarted() throws Exception {
		Term first = awaitLeaderOtherThan("");
		Shop leader = shop(first.id());
		Shop witness = cluster.shops().stream().filter((shop) -> !shop.equals(leader)).findFirst().orElseThrow();

		List<Future<Ticket>> purchases = rush(true);
		awaitSales(purchases, witness, (sales) -> sales.size() >= BUYERS / 8 && soldBy(leader, sales) > 0);
		leader.process().kill();
		int soldUntilKill = sales(witness).size();
		awaitSales(purchases, witness, (sales) -> sales.size() > soldUntilKill + BUYERS / 8);
		cluster.restartZooKeeper();
		int soldUntilRestart = sales(witness).size();
		List<Ticket> tickets = tickets(purchases);

		List<Sale> sales = sales(witness);
		assertThat(sales).extracting(Sale::seat).doesNotHaveDuplicates();
		assertThat(sales).extracting(Sale::ticket).containsAll(tickets);
		assertThat(sales).extracting(Sale::buyer).containsAll(names());
		assertThat(inOrderOfTokens(sales)).extracting(Sale::seat).isSorted();
		assertThat(sales).extracting(Sale::token).doesNotHaveDuplicates();
		// it was a hard day
		assertThat(this.failures).hasPositiveValue();
		assertThat(soldUntilRestart).isLessThan(BUYERS);
		Term second = awaitLeaderOtherThan(first.id());
		assertThat(second.token()).isGreaterThan(first.token());
	}

	@Test
	void seatsAreSoldTwiceWithoutTheLock() throws Exception {
		tickets(rush(false));

		List<Sale> sales = sales(shop(0));
		Set<Integer> seats = sales.stream().map(Sale::seat).collect(Collectors.toSet());
		assertThat(sales).hasSizeGreaterThanOrEqualTo(BUYERS);
		assertThat(seats).hasSizeLessThan(sales.size());
		assertThat(this.client.get(shop(0), "/api/sales").body().get("doubleSales").asInt())
			.isEqualTo(sales.size() - seats.size());
	}

	private List<Future<Ticket>> rush(boolean locked) {
		List<Future<Ticket>> purchases = new ArrayList<>();
		for (int number = 0; number < BUYERS; number++) {
			int buyer = number;
			purchases.add(buyers.submit(() -> buy(buyer, locked)));
		}
		return purchases;
	}

	/**
	 * Go from shop to shop until one of them sells a seat.
	 */
	private Ticket buy(int number, boolean locked) throws InterruptedException {
		Order order = new Order(name(number), locked);
		for (int attempt = 0;; attempt++) {
			Shop shop = shop((number + attempt) % cluster.shops().size());
			try {
				Answer answer = this.client.post(shop, "/api/purchases", order);
				if (answer.status() == 201) {
					return new Ticket(answer.body().get("seat").asInt(), name(number));
				}
				assertThat(answer.status()).as(() -> answer.body().toString()).isIn(409, 503);
				assertThat(answer.body().get("lock").asString()).isEqualTo("seats");
			}
			catch (IOException ex) {
				// killed
			}
			this.failures.incrementAndGet();
			// A polite client does not come back at once
			TimeUnit.MILLISECONDS.sleep(200);
		}
	}

	/**
	 * Wait until so much has been sold, or nobody wants to buy any more.
	 */
	private void awaitSales(List<Future<Ticket>> purchases, Shop witness, Predicate<List<Sale>> enough) {
		await().atMost(PATIENCE)
			.until(() -> enough.test(sales(witness)) || purchases.stream().allMatch(Future::isDone));
	}

	private List<Ticket> tickets(List<Future<Ticket>> purchases) throws Exception {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		List<Ticket> tickets = new ArrayList<>();
		for (Future<Ticket> purchase : purchases) {
			try {
				tickets.add(purchase.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
			}
			catch (ExecutionException ex) {
				throw new AssertionError("A purchase went wrong", ex.getCause());
			}
		}
		return tickets;
	}

	private List<Sale> sales(Shop shop) throws IOException, InterruptedException {
		JsonNode sales = this.client.get(shop, "/api/sales").body().get("sales");
		return sales.valueStream()
			.map((sale) -> new Sale(sale.get("seat").asInt(), sale.get("buyer").asString(),
					sale.get("instance").asString(), sale.get("token").asLong(0)))
			.toList();
	}

	private static long soldBy(Shop shop, List<Sale> sales) {
		return sales.stream().filter((sale) -> sale.instance().equals(shop.id())).count();
	}

	private static List<Sale> inOrderOfTokens(List<Sale> sales) {
		return sales.stream().sorted((one, other) -> Long.compare(one.token(), other.token())).toList();
	}

	private Term awaitLeaderOtherThan(String id) {
		return await().atMost(PATIENCE)
			.until(this::leader, (leader) -> !leader.id().isEmpty() && !leader.id().equals(id));
	}

	/**
	 * Ask a shop that is open who leads.
	 */
	private Term leader() throws IOException, InterruptedException {
		Shop open = cluster.shops().stream().filter((shop) -> shop.process().isAlive()).findFirst().orElseThrow();
		JsonNode leader = this.client.get(open, "/api/state").body().get("leader");
		return leader.isNull() ? new Term("", 0) : new Term(leader.get("id").asString(), leader.get("token").asLong());
	}

	private static Shop shop(int index) {
		return cluster.shops().get(index);
	}

	private static Shop shop(String id) {
		return cluster.shops().stream().filter((shop) -> shop.id().equals(id)).findFirst().orElseThrow();
	}

	private static List<String> names() {
		return IntStream.range(0, BUYERS).mapToObj(ShopEndToEndIT::name).toList();
	}

	private static String name(int buyer) {
		return "buyer-" + buyer;
	}

	private record Order(String buyer, boolean locked) {

	}

	private record Ticket(int seat, String buyer) {

	}

	private record Sale(int seat, String buyer, String instance, long token) {

		Ticket ticket() {
			return new Ticket(this.seat, this.buyer);
		}

	}

	private record Term(String id, long token) {

	}

}
