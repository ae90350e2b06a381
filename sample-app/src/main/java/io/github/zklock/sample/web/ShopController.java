package io.github.zklock.sample.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.sample.shop.BoxOffice;
import io.github.zklock.sample.shop.BoxOffice.House;
import io.github.zklock.sample.shop.BoxOffice.Sale;
import io.github.zklock.sample.shop.BoxOffice.Ticket;
import io.github.zklock.sample.shop.Catalogue;
import io.github.zklock.sample.shop.Ledger;
import io.github.zklock.sample.shop.Rush;
import io.github.zklock.sample.shop.SlowJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.task.TaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * What customers and clerks do.
 */
@RestController
@RequestMapping("/api")
class ShopController {

	private static final Logger logger = LoggerFactory.getLogger(ShopController.class);

	private static final int LONGEST_NAME = 200;

	private static final int LARGEST_RUSH = 500;

	private final BoxOffice boxOffice;

	private final Rush rush;

	private final Catalogue catalogue;

	private final Ledger ledger;

	private final SlowJob slowJob;

	private final TaskExecutor executor;

	ShopController(BoxOffice boxOffice, Rush rush, Catalogue catalogue, Ledger ledger, SlowJob slowJob,
			TaskExecutor applicationTaskExecutor) {
		this.boxOffice = boxOffice;
		this.rush = rush;
		this.catalogue = catalogue;
		this.ledger = ledger;
		this.slowJob = slowJob;
		this.executor = applicationTaskExecutor;
	}

	@PostMapping("/purchases")
	@ResponseStatus(HttpStatus.CREATED)
	Ticket buy(@RequestBody Purchase purchase) throws InterruptedException {
		String buyer = purchase.buyer();
		if (buyer == null || buyer.isBlank() || buyer.length() > LONGEST_NAME) {
			throw new BadInputException("'buyer' must be a name of 1 to %d characters".formatted(LONGEST_NAME));
		}
		return isTrue(purchase.locked()) ? this.boxOffice.sell(buyer) : this.boxOffice.sellWithoutLock(buyer);
	}

	@PostMapping("/rush")
	Rush.Result rush(@RequestBody RushOrder order) {
		int count = (order.count() != null) ? order.count() : 0;
		if (count < 1 || count > LARGEST_RUSH) {
			throw new BadInputException("'count' must be between 1 and %d".formatted(LARGEST_RUSH));
		}
		if (isTrue(order.reset())) {
			this.boxOffice.reset();
		}
		return this.rush.run(count, isTrue(order.locked()));
	}

	@PostMapping("/reset")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void reset() {
		this.boxOffice.reset();
		this.ledger.reset();
	}

	@GetMapping("/sales")
	Sales sales() {
		House house = this.boxOffice.house();
		return new Sales(house.seats(), house.sold(), house.doubleSales(), this.boxOffice.sales());
	}

	@PostMapping("/report")
	Catalogue.Report report() throws InterruptedException {
		return this.catalogue.report();
	}

	@PostMapping("/import")
	Catalogue.Import importTitles() throws InterruptedException {
		return this.catalogue.importTitles();
	}

	/**
	 * Start the slow job. The answer comes as soon as the lock is had, or not.
	 */
	@PostMapping("/slow-job")
	@ResponseStatus(HttpStatus.ACCEPTED)
	CompletableFuture<Started> startSlowJob() {
		CompletableFuture<Started> started = new CompletableFuture<>();
		this.executor.execute(() -> {
			try {
				this.slowJob.run(() -> started.complete(new Started("slow-job")));
			}
			catch (InterruptedException | RuntimeException ex) {
				if (!started.completeExceptionally(ex)) {
					logger.info("The slow job has ended early: {}", ex.toString());
				}
			}
		});
		return started;
	}

	@PostMapping("/fenced-write")
	Ledger.Entry fencedWrite(@RequestBody FencedWrite write) throws InterruptedException {
		return isTrue(write.pause()) ? this.ledger.writeAfterPause() : this.ledger.write();
	}

	private static boolean isTrue(@Nullable Boolean value) {
		return value == null || value;
	}

	/**
	 * Somebody wants to buy a ticket.
	 *
	 * @param buyer who
	 * @param locked false to do without the lock
	 */
	record Purchase(@Nullable String buyer, @Nullable Boolean locked) {

	}

	/**
	 * Many want to.
	 *
	 * @param count how many
	 * @param locked false to do without the lock
	 * @param reset false to leave the house as it is
	 */
	record RushOrder(@Nullable Integer count, @Nullable Boolean locked, @Nullable Boolean reset) {

	}

	/**
	 * A line is to be written into the ledger.
	 *
	 * @param pause false to write at once
	 */
	record FencedWrite(@Nullable Boolean pause) {

	}

	/**
	 * A job runs.
	 *
	 * @param job which
	 */
	record Started(String job) {

	}

	/**
	 * What was sold.
	 *
	 * @param seats how many seats the house has
	 * @param sold how many tickets were sold
	 * @param doubleSales how many of them are for a seat that was sold before
	 * @param sales all of them
	 */
	record Sales(int seats, int sold, int doubleSales, List<Sale> sales) {

	}

}
