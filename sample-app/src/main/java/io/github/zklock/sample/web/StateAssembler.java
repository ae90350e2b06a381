package io.github.zklock.sample.web;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockInspector;
import io.github.zklock.sample.cluster.Instances;
import io.github.zklock.sample.cluster.Journal;
import io.github.zklock.sample.cluster.LockWatch;
import io.github.zklock.sample.cluster.Self;
import io.github.zklock.sample.cluster.Terms;
import io.github.zklock.sample.cluster.Terms.Term;
import io.github.zklock.sample.cluster.ZooKeeperLink;
import io.github.zklock.sample.shop.BoxOffice;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Puts together what the page shows. Never waits for ZooKeeper.
 */
@Component
class StateAssembler {

	private static final int HAND_OVERS = 50;

	private static final int LOG_ENTRIES = 100;

	private final Self self;

	private final Instances instances;

	private final LockWatch watch;

	private final ZooKeeperLink link;

	private final LockInspector inspector;

	private final BoxOffice boxOffice;

	private final Terms terms;

	private final Journal journal;

	StateAssembler(Self self, Instances instances, LockWatch watch, ZooKeeperLink link, LockInspector inspector,
			BoxOffice boxOffice, Terms terms, Journal journal) {
		this.self = self;
		this.instances = instances;
		this.watch = watch;
		this.link = link;
		this.inspector = inspector;
		this.boxOffice = boxOffice;
		this.terms = terms;
		this.journal = journal;
	}

	State assemble() {
		List<Instances.Instance> seen = this.instances.seen();
		Map<String, String> names = new HashMap<>();
		seen.forEach((instance) -> names.put(instance.zkLockId(), instance.id()));
		LockWatch.View view = this.watch.latest();
		List<State.Contender> candidates = contenders(view.candidates(), names);
		State.Connection connection = connection(view);
		State.Leader leader = connection.stale() ? leaderInStore() : leader(candidates);
		return new State(new State.Who(this.self.id(), this.self.url()), connection,
				seen.stream().map((instance) -> instance(instance, leader)).toList(), leader, candidates,
				locks(view, names), house(), this.terms.handOvers(HAND_OVERS), this.journal.latest(LOG_ENTRIES));
	}

	private State.Connection connection(LockWatch.View view) {
		boolean connected = this.watch.isConnected();
		Instant pausedUntil = this.link.pausedUntil();
		return new State.Connection(connected, pausedUntil != null, pausedUntil, this.link.target(),
				hex(this.watch.session()), !connected || view.isStale());
	}

	private State.Instance instance(Instances.Instance instance, State.@Nullable Leader leader) {
		return new State.Instance(instance.id(), instance.url(), instance.alive(),
				leader != null && instance.id().equals(leader.id()), instance.id().equals(this.self.id()),
				instance.lastSeen());
	}

	/**
	 * ZooKeeper knows who leads, and the store since when.
	 */
	private State.@Nullable Leader leader(List<State.Contender> candidates) {
		return candidates.stream()
			.findFirst()
			.map((first) -> new State.Leader(LockWatch.ROLE, first.id(),
					this.terms.present()
						.filter((term) -> term.token() == first.token())
						.map(Term::since)
						.orElse(first.since()),
					first.token()))
			.orElse(null);
	}

	/**
	 * The others may have elected a new one since ZooKeeper could be asked.
	 */
	private State.@Nullable Leader leaderInStore() {
		return this.terms.present()
			.map((term) -> new State.Leader(LockWatch.ROLE, term.instance(), term.since(), term.token()))
			.orElse(null);
	}

	private List<State.Lock> locks(LockWatch.View view, Map<String, String> names) {
		return view.locks()
			.entrySet()
			.stream()
			.map((lock) -> new State.Lock(lock.getKey(), contenders(lock.getValue(), names),
					localWaiters(lock.getKey())))
			.toList();
	}

	private long localWaiters(String name) {
		return this.inspector.waiting().stream().filter((waiting) -> waiting.name().equals(name)).count();
	}

	private static List<State.Contender> contenders(List<LockContender> queue, Map<String, String> names) {
		return queue.stream().map((contender) -> contender(contender, names)).toList();
	}

	private static State.Contender contender(LockContender contender, Map<String, String> names) {
		String zkLockId = (contender.instance() != null) ? contender.instance() : contender.text();
		String id = names.getOrDefault(zkLockId, zkLockId);
		return new State.Contender(id, contender.mode(), contender.holding(), id, contender.host(), contender.thread(),
				contender.since(), contender.token(), "0x" + Long.toHexString(contender.session()),
				contender.origin() == Origin.SELF);
	}

	private static @Nullable String hex(@Nullable Long session) {
		return (session != null) ? "0x" + Long.toHexString(session) : null;
	}

	private State.House house() {
		BoxOffice.House house = this.boxOffice.house();
		return new State.House(house.seats(), house.sold(), house.doubleSales(), house.sales());
	}

}
