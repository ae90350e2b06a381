package io.github.zklock.engine;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnansweredTests {

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

	private final Unanswered unanswered = new Unanswered(this.now::get);

	@Test
	void nothingIsOwedAtFirst() {
		assertThat(this.unanswered.oldestAge()).isZero();
	}

	@Test
	void oldestCountsInWhicheverOrderTheAnswersCome() {
		Unanswered.Ticket first = this.unanswered.sent();
		this.now.addAndGet(10);
		Unanswered.Ticket second = this.unanswered.sent();
		this.now.addAndGet(10);
		Unanswered.Ticket third = this.unanswered.sent();
		this.now.addAndGet(10);
		assertThat(this.unanswered.oldestAge()).isEqualTo(30);
		this.unanswered.answered(second);
		assertThat(this.unanswered.oldestAge()).isEqualTo(30);
		this.unanswered.answered(first);
		assertThat(this.unanswered.oldestAge()).isEqualTo(10);
		this.unanswered.answered(third);
		assertThat(this.unanswered.oldestAge()).isZero();
	}

}
