package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.zookeeper.Unanswered.Ticket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was sent and is not answered.
 */
class UnansweredTests {

	private final Unanswered unanswered = new Unanswered();

	@Test
	void nothingSentIsNothingOwed() {
		assertThat(this.unanswered.oldest()).isNull();
		assertThat(this.unanswered.oldestAge()).isZero();
	}

	@Test
	void oldestIsTheFirstThatIsNotAnswered() {
		Ticket first = this.unanswered.sent("same");
		Ticket second = this.unanswered.sent("same");
		Ticket third = this.unanswered.sent("other");
		assertThat(this.unanswered.oldest()).isSameAs(first);
		this.unanswered.answered(second);
		assertThat(this.unanswered.oldest()).isSameAs(first);
		assertThat(this.unanswered.oldestAge()).isPositive();
		this.unanswered.answered(first);
		this.unanswered.answered(first);
		assertThat(this.unanswered.oldest()).isSameAs(third);
		assertThat(third.what()).isEqualTo("other");
		this.unanswered.answered(third);
		assertThat(this.unanswered.oldestAge()).isZero();
	}

	@Test
	void manyThreadsLeaveNothingBehind() {
		List<CompletableFuture<Void>> senders = new ArrayList<>();
		for (int sender = 0; sender < 4; sender++) {
			senders.add(CompletableFuture.runAsync(() -> {
				for (int round = 0; round < 10_000; round++) {
					this.unanswered.answered(this.unanswered.sent("request"));
				}
			}));
		}
		senders.forEach(CompletableFuture::join);
		assertThat(this.unanswered.oldest()).isNull();
	}

}
