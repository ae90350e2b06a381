package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.testing.DeepStack;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChainTests {

	private static final class Item extends Chain.Link<Item> {

	}

	private final Chain<Item> chain = new Chain<>();

	private final Item one = new Item();

	private final Item two = new Item();

	private final Item three = new Item();

	private void addAll() {
		this.chain.add(this.one);
		this.chain.add(this.two);
		this.chain.add(this.three);
	}

	@Test
	void elementsStayInTheOrderInWhichTheyCame() {
		assertThat(this.chain.isEmpty()).isTrue();
		assertThat(this.chain.first()).isNull();
		addAll();
		assertThat(this.chain.isEmpty()).isFalse();
		assertThat(this.chain.first()).isSameAs(this.one);
		assertThat(this.chain.after(this.one)).isSameAs(this.two);
		assertThat(this.chain.after(this.three)).isNull();
		assertThat(this.chain.list()).containsExactly(this.one, this.two, this.three);
	}

	@Test
	void elementIsThereOnce() {
		assertThat(this.chain.add(this.one)).isTrue();
		assertThat(this.chain.add(this.one)).isFalse();
		assertThat(this.chain.add(this.two)).isTrue();
		assertThat(this.chain.add(this.two)).isFalse();
		assertThat(this.chain.list()).containsExactly(this.one, this.two);
		assertThat(this.chain.contains(this.three)).isFalse();
		assertThat(this.chain.remove(this.three)).isFalse();
	}

	@Test
	void elementsLeaveFromEverywhereAndComeAgain() {
		for (Item leaving : List.of(this.one, this.two, this.three)) {
			addAll();
			assertThat(this.chain.remove(leaving)).isTrue();
			assertThat(this.chain.contains(leaving)).isFalse();
			assertThat(this.chain.remove(leaving)).isFalse();
			assertThat(this.chain.list()).hasSize(2).doesNotContain(leaving);
			this.chain.add(leaving);
			assertThat(this.chain.list()).hasSize(3).endsWith(leaving);
			List.of(this.one, this.two, this.three).forEach(this.chain::remove);
			assertThat(this.chain.isEmpty()).isTrue();
			assertThat(this.chain.list()).isEmpty();
		}
	}

	@Test
	void stackThatComesToItsEndLeavesNothingHalfDone() throws Exception {
		DeepStack stack = new DeepStack();
		for (int run = 0; run < 1_000; run++) {
			Chain<Item> all = new Chain<>();
			Item first = new Item();
			Item last = new Item();
			Item moving = new Item();
			all.add(first);
			all.add(moving);
			all.add(last);
			stack.run(() -> all.remove(moving));
			assertThat(all.list())
				.isEqualTo(all.contains(moving) ? List.of(first, moving, last) : List.of(first, last));
			all.remove(moving);
			assertThat(all.list()).containsExactly(first, last);
			stack.run(() -> all.add(moving));
			assertThat(all.list())
				.isEqualTo(all.contains(moving) ? List.of(first, last, moving) : List.of(first, last));
		}
	}

}
