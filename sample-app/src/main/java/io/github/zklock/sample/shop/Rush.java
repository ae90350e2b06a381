package io.github.zklock.sample.shop;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.Peers;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;

/**
 * Many buyers at the same time, at all instances of the shop.
 */
@Service
public class Rush {

	private static final int NO_ANSWER = 0;

	private final Peers peers;

	private final BoxOffice boxOffice;

	private final Journal journal;

	Rush(Peers peers, BoxOffice boxOffice, Journal journal) {
		this.peers = peers;
		this.boxOffice = boxOffice;
		this.journal = journal;
	}

	/**
	 * Send all buyers at once, each to the next instance.
	 * @param count how many
	 * @param locked whether they buy under the lock
	 */
	public Result run(int count, boolean locked) {
		List<String> instances = this.peers.all();
		long begin = System.nanoTime();
		List<CompletableFuture<Integer>> answers = IntStream.range(0, count)
			.mapToObj((number) -> buy(instances.get(number % instances.size()), number, locked))
			.toList();
		List<Integer> statuses = answers.stream().map(CompletableFuture::join).toList();
		Duration time = Duration.ofNanos(System.nanoTime() - begin);
		int sold = Collections.frequency(statuses, HttpStatus.CREATED.value());
		int refused = Collections.frequency(statuses, HttpStatus.CONFLICT.value());
		Result result = new Result(count, locked, sold, this.boxOffice.house().doubleSales(), refused,
				count - sold - refused, time.toMillis());
		this.journal.info("rush of %d buyers %s the lock: %d sold, %d double sales".formatted(count,
				locked ? "with" : "without", result.sold(), result.doubleSales()));
		return result;
	}

	private CompletableFuture<Integer> buy(String instance, int number, boolean locked) {
		String purchase = "{\"buyer\":\"buyer-%d\",\"locked\":%s}".formatted(number, locked);
		return this.peers.post(instance, "/api/purchases", purchase).exceptionally((ex) -> NO_ANSWER);
	}

	/**
	 * What has come of it.
	 *
	 * @param count how many wanted to buy
	 * @param locked whether the lock was used
	 * @param sold how many have bought
	 * @param doubleSales how many tickets there are for a seat that was sold before
	 * @param refused how many were told that all is sold, or that others were faster
	 * @param failed how many got another answer, or none
	 * @param millis how long it took
	 */
	public record Result(int count, boolean locked, int sold, int doubleSales, int refused, int failed, long millis) {

	}

}
