package io.github.zklock.sample.shop;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.zklock.sample.SampleProperties;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.sample.cluster.Times;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells the seats of the house. A sale reads which seat is free, thinks, and writes: what
 * any two callers must not do at the same time, in whatever instance they are.
 */
@Service
public class BoxOffice {

	private final JdbcClient store;

	private final Self self;

	private final int seats;

	private final Duration thinkingTime;

	BoxOffice(JdbcClient store, Self self, SampleProperties properties) {
		this.store = store;
		this.self = self;
		this.seats = properties.seats();
		this.thinkingTime = properties.thinkingTime();
	}

	/**
	 * Sell the lowest free seat. The lock is taken before the transaction begins, and
	 * given back after it has ended.
	 */
	@DistributedLock("seats")
	@Transactional
	public Ticket sell(String buyer) throws InterruptedException {
		return sellFreeSeat(buyer, CurrentLock.lease().fencingToken());
	}

	/**
	 * Do the same without the lock, to see what happens.
	 */
	@Transactional
	public Ticket sellWithoutLock(String buyer) throws InterruptedException {
		return sellFreeSeat(buyer, null);
	}

	private Ticket sellFreeSeat(String buyer, @Nullable Long token) throws InterruptedException {
		int seat = freeSeat();
		Thread.sleep(this.thinkingTime.toMillis());
		this.store.sql("insert into sale (seat, buyer, instance, token) values (:seat, :buyer, :instance, :token)")
			.param("seat", seat)
			.param("buyer", buyer)
			.param("instance", this.self.id())
			.param("token", token)
			.update();
		return new Ticket(seat, buyer, this.self.id(), token);
	}

	private int freeSeat() {
		Set<Integer> sold = new HashSet<>(this.store.sql("select seat from sale").query(Integer.class).list());
		return IntStream.rangeClosed(1, this.seats)
			.filter((seat) -> !sold.contains(seat))
			.findFirst()
			.orElseThrow(SoldOutException::new);
	}

	/**
	 * Take all tickets back.
	 */
	public void reset() {
		this.store.sql("delete from sale").update();
	}

	public House house() {
		return new House(this.seats,
				this.store.sql("select seat, count(*) as tickets from sale group by seat order by seat")
					.query((row, number) -> new SoldSeat(row.getInt("seat"), row.getInt("tickets")))
					.list());
	}

	public List<Sale> sales() {
		return this.store.sql("select id, seat, buyer, instance, token, sold_at from sale order by id")
			.query((row, number) -> new Sale(row.getLong("id"), row.getInt("seat"), row.getString("buyer"),
					row.getString("instance"), row.getObject("token", Long.class), Times.read(row, "sold_at")))
			.list();
	}

	/**
	 * What a buyer gets.
	 *
	 * @param seat the seat
	 * @param buyer whose it is
	 * @param instance where it was sold
	 * @param token the fencing token of the lock under which it was sold, if there was
	 * one
	 */
	public record Ticket(int seat, String buyer, String instance, @Nullable Long token) {

	}

	/**
	 * A sale that was made.
	 *
	 * @param id its number
	 * @param seat the seat
	 * @param buyer who has bought it
	 * @param instance where it was sold
	 * @param token the fencing token of the lock, if there was one
	 * @param at when
	 */
	public record Sale(long id, int seat, String buyer, String instance, @Nullable Long token, Instant at) {

	}

	/**
	 * A seat that is not free any more.
	 *
	 * @param seat the seat
	 * @param count how often it was sold
	 */
	public record SoldSeat(int seat, int count) {

	}

	/**
	 * The house.
	 *
	 * @param seats how many seats it has
	 * @param sales those that are not free any more
	 */
	public record House(int seats, List<SoldSeat> sales) {

		/**
		 * Return how many tickets were sold.
		 */
		public int sold() {
			return this.sales.stream().mapToInt(SoldSeat::count).sum();
		}

		/**
		 * Return how many tickets are for a seat that was sold before.
		 */
		public int doubleSales() {
			return sold() - this.sales.size();
		}

	}

}
