package io.github.zklock.embedded;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoopbackTests {

	@Test
	void portIsNotGivenAgainSoSoon() {
		assertThat(Stream.generate(Loopback::freePort).limit(1_000)).doesNotHaveDuplicates();
	}

	@Test
	void slicesHaveNoPortInCommon() {
		List<Integer> all = ports(Loopback.Range.of(0));
		List<Integer> slices = IntStream.rangeClosed(1, 8)
			.mapToObj((slice) -> ports(Loopback.Range.of(slice)))
			.flatMap(List::stream)
			.toList();
		assertThat(slices).doesNotHaveDuplicates().hasSameSizeAs(all);
		assertThat(all).containsAll(slices).allMatch((port) -> port >= 10_000 && port < 32_000);
	}

	/**
	 * Maven may have put nothing there.
	 */
	@Test
	void buildGivesThisProcessASlice() {
		String slice = System.getProperty("zklock.port-slice");
		if (slice != null) {
			assertThat(Integer.getInteger("zklock.port-slice")).as(slice).isPositive();
		}
	}

	private static List<Integer> ports(Loopback.Range range) {
		return IntStream.range(0, range.count()).mapToObj(range::get).toList();
	}

	@Test
	void slicesBeginAgain() {
		Loopback.Range slice = Loopback.Range.of(3);
		assertThat(slice.get(slice.count())).isEqualTo(slice.get(0));
		assertThat(slice.get(Integer.MIN_VALUE)).isBetween(slice.get(0), slice.get(slice.count() - 1));
	}

}
