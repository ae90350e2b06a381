package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnNodesTests {

	private static final String PREFIX = "/root/locks/ä/_c_id-lock-";

	private static final String NODE = PREFIX + "0000000001";

	/**
	 * A length, the chroot, the path with its two bytes for the umlaut, the number.
	 */
	private static final long BYTES = 4L + "/chroot".length() + PREFIX.length() + 1 + 10;

	private final OwnNodes nodes = new OwnNodes("/chroot".length(), 2 * BYTES);

	private final List<String> known = new ArrayList<>();

	private final List<String> deleting = new ArrayList<>();

	private final List<String> undecided = new ArrayList<>();

	private void collect() {
		List.of(this.known, this.deleting, this.undecided).forEach(List::clear);
		this.nodes.forEach(this.known::add, this.deleting::add, this.undecided::add);
	}

	private void answer(Meaning meaning) {
		this.nodes.answered(PREFIX, new Response<>(new ReturnCode(meaning, "", IllegalStateException::new),
				(meaning == Meaning.OK) ? new Created(NODE, 1) : null));
	}

	@Test
	void isCountedFromTheCreateToTheAnswerOfTheDelete() {
		assertThat(this.nodes.reserve(PREFIX, false)).isTrue();
		assertThat(this.nodes.bytes()).isEqualTo(BYTES);
		collect();
		assertThat(this.undecided).containsExactly(PREFIX);
		answer(Meaning.OK);
		assertThat(this.nodes.bytes()).isEqualTo(BYTES);
		collect();
		assertThat(this.known).containsExactly(NODE);
		assertThat(this.undecided).isEmpty();
		this.nodes.known(NODE);
		collect();
		assertThat(this.known).as("to be deleted, but not sent").containsExactly(NODE);
		this.nodes.deleting(NODE);
		assertThat(this.nodes.bytes()).isEqualTo(BYTES);
		collect();
		assertThat(this.deleting).containsExactly(NODE);
		assertThat(this.known).isEmpty();
		this.nodes.deleted(NODE);
		assertThat(this.nodes.bytes()).isZero();
		assertThat(this.nodes.isEmpty()).isTrue();
		this.nodes.deleted(NODE);
		assertThat(this.nodes.bytes()).isZero();
	}

	@Test
	void thirdOneIsRefusedUnlessItReplacesAnother() {
		assertThat(this.nodes.reserve(PREFIX, false)).isTrue();
		assertThat(this.nodes.reserve(PREFIX + "b", false)).as("one byte too much").isFalse();
		assertThat(this.nodes.reserve(PREFIX.replace("id", "ie"), false)).isTrue();
		assertThat(this.nodes.reserve(PREFIX.replace("id", "if"), false)).isFalse();
		assertThat(this.nodes.bytes()).isEqualTo(2 * BYTES);
		assertThat(this.nodes.reserve(PREFIX.replace("id", "if"), true)).isTrue();
		assertThat(this.nodes.bytes()).isEqualTo(3 * BYTES);
		assertThat(this.nodes.count()).isEqualTo(3);
	}

	@Test
	void refusedCreateGivesBackAtOnce() {
		for (Meaning meaning : new Meaning[] { Meaning.REFUSED, Meaning.NO_NODE, Meaning.BUSY }) {
			this.nodes.reserve(PREFIX, false);
			answer(meaning);
			assertThat(this.nodes.bytes()).as("%s", meaning).isZero();
		}
	}

	@Test
	void createThatMayFollowStaysCounted() {
		this.nodes.reserve(PREFIX, false);
		answer(Meaning.DISCONNECTED);
		answer(Meaning.UNKNOWN);
		assertThat(this.nodes.bytes()).isEqualTo(BYTES);
		this.nodes.mayFollow(PREFIX);
		assertThat(this.nodes.reserve(PREFIX, false)).isTrue();
		assertThat(this.nodes.bytes()).as("the same attempt").isEqualTo(BYTES);
		answer(Meaning.NO_NODE);
		assertThat(this.nodes.bytes()).as("says nothing of the first create").isEqualTo(BYTES);
		answer(Meaning.OK);
		assertThat(this.nodes.bytes()).isEqualTo(2 * BYTES);
		collect();
		assertThat(this.known).containsExactly(NODE);
		assertThat(this.undecided).containsExactly(PREFIX);
		this.nodes.decided(PREFIX);
		this.nodes.deleted(NODE);
		assertThat(this.nodes.bytes()).isZero();
	}

}
