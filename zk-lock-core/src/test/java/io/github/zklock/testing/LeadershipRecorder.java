package io.github.zklock.testing;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Remembers what it has heard of an election, and notices what does not fit.
 */
public final class LeadershipRecorder implements LeadershipListener {

	private final LeaderElection election;

	private final List<String> events = new ArrayList<>();

	private final List<Long> tokens = new ArrayList<>();

	private final List<String> terms = new ArrayList<>();

	public LeadershipRecorder(LeaderElection election) {
		this.election = election;
		election.addListener(this);
	}

	@Override
	public synchronized void granted(String role, long fencingToken) {
		record("granted", "", fencingToken);
		this.tokens.add(fencingToken);
		this.terms.add("granted " + fencingToken);
	}

	@Override
	public void suspended(String role, long fencingToken) {
		record("suspended", "granted resumed", fencingToken);
	}

	@Override
	public void resumed(String role, long fencingToken) {
		record("resumed", "suspended", fencingToken);
	}

	@Override
	public synchronized void revoked(String role, long fencingToken) {
		record("revoked", "granted suspended resumed", fencingToken);
		this.terms.add("revoked " + fencingToken);
	}

	private synchronized void record(String event, String after, long token) {
		String last = lastEvent();
		boolean fits = event.equals("granted") ? last.isEmpty() || last.equals("revoked")
				: after.contains(last) && !last.isEmpty() && token == this.tokens.get(this.tokens.size() - 1);
		this.events.add(fits ? event : "%s after %s".formatted(event, last));
	}

	public synchronized List<String> events() {
		return List.copyOf(this.events);
	}

	public synchronized String lastEvent() {
		return this.events.isEmpty() ? "" : this.events.get(this.events.size() - 1);
	}

	public synchronized List<Long> tokens() {
		return List.copyOf(this.tokens);
	}

	public void awaitEvents(String... expected) {
		Patience.awaitClosely()
			.untilAsserted(() -> assertThat(events()).as("%s", this.election).containsExactly(expected));
	}

	/**
	 * The events fit together, and the last one says whether the process leads.
	 */
	public void assertOrderly() {
		assertThat(events()).allMatch((event) -> !event.contains(" "));
	}

	/**
	 * Return the grants and revocations with their tokens, such as "granted 17".
	 */
	public synchronized List<String> terms() {
		return List.copyOf(this.terms);
	}

	public synchronized String lastTerm() {
		return this.terms.isEmpty() ? "" : this.terms.get(this.terms.size() - 1);
	}

	public void awaitTerms(String... expected) {
		Patience.awaitClosely().untilAsserted(() -> assertThat(terms()).containsExactly(expected));
	}

	/**
	 * Each grant is followed by its own revocation.
	 */
	public void assertAlternating() {
		List<String> heard = terms();
		for (int index = 0; index < heard.size(); index++) {
			String expected = (index % 2 == 0) ? "granted " : heard.get(index - 1).replace("granted", "revoked");
			assertThat(heard.get(index)).startsWith(expected);
		}
	}

}
