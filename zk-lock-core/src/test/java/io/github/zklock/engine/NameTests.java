package io.github.zklock.engine;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is in names, numbers and codes.
 */
class NameTests {

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			abc-XYZ_019,  abc-XYZ_019
			a.b..c,       a.b..c
			.,            %2E
			..,           %2E%2E
			.a.,          %2Ea%2E
			a/b,          a%2Fb
			a%2Fb,        a%252Fb
			"a b",        a%20b
			\u00e9,       %C3%A9
			\u20ac,       %E2%82%AC
			\uD83D\uDD12, %F0%9F%94%92
			~,            %7E
			""")
	void namesAreEncodedIntoOneSegment(String name, String segment) {
		assertThat(LockPath.encode(name)).isEqualTo(segment);
		assertThat(LockPath.of("/base", "locks", name).parent()).isEqualTo("/base/locks/" + segment);
		assertThat(LockPath.of("/", "locks", name).parent()).isEqualTo("/locks/" + segment);
	}

	@Test
	void controlCharactersAreEncoded() {
		assertThat(LockPath.encode("\u0000\n\u007f")).isEqualTo("%00%0A%7F");
	}

	@Test
	void emptyNamesAndLoneSurrogatesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockPath.encode(""));
		assertThatIllegalArgumentException().isThrownBy(() -> LockPath.encode("a\ud800b"));
		assertThatIllegalArgumentException().isThrownBy(() -> LockPath.encode("\udc00"));
	}

	@Test
	void levelsAreListedFromTheTop() {
		assertThat(new LockPath("x", "/a/b/c").levels()).containsExactly("/a", "/a/b", "/a/b/c");
	}

	@ParameterizedTest
	@CsvSource({ "_c_guid-lock-0000000012, 12", "lock-2147483647, 2147483647", "lock--2147483648, -2147483648",
			"__READ__-2147483648, -2147483648", "__READ__0000000001, 1", "0000000007, 7", "x0000000007, 7",
			"lock-0000000000, 0", "x-1234567890, 1234567890" })
	void contendersEndInTenDigits(String name, long sequence) {
		assertThat(node(name).name()).isEqualTo(name);
		assertThat(node(name).sequence()).isEqualTo(sequence);
	}

	private static ContenderNode node(String name) {
		return Objects.requireNonNull(ContenderNode.parse(name));
	}

	@ParameterizedTest
	@CsvSource({ "_c_guid-__READ__0000000012", "__READ__-2147483648", "guid__rlock__0000000001", "read-0000000001",
			"_c_guid-read-0000000001", "read--2147483648" })
	void readersAreKnownByWhatComesBeforeTheNumber(String name) {
		assertThat(node(name).isShared()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "_c_guid-lock-0000000012", "_c_guid-__WRIT__0000000012", "guid__lock__0000000001", "thread-0000000001",
			"write-0000000001", "0000000001", "__READ__x0000000001", "__READ__lock-0000000001" })
	void everythingElseIsExclusive(String name) {
		assertThat(node(name).isShared()).isFalse();
	}

	@Test
	void readersBlockWritersOnly() {
		ContenderNode reader = node("__READ__0000000001");
		assertThat(reader.blocks(node("__READ__0000000002"))).isFalse();
		assertThat(reader.blocks(node("__READ__x0000000001"))).isTrue();
		assertThat(reader.blocks(node("a-lock-0000000002"))).isTrue();
		assertThat(node("a-lock-0000000001").blocks(node("__READ__0000000002"))).isTrue();
		assertThat(node("a-lock-0000000003").blocks(node("__READ__0000000002"))).isFalse();
	}

	/**
	 * The rule as a regular expression, which is easier to read and slower.
	 */
	@Test
	void contendersAreThoseThatTheRuleDescribes() {
		Pattern rule = Pattern.compile("(?:(?<=[-_])-)?(?<!\\d)\\d{10}$");
		Random random = new Random(4711);
		String[] parts = { "lock", "-", "--", "_", "__READ__", "1", "0000000001", "2147483648", "x", "read-", "\u0661",
				"000000000" };
		int contenders = 0;
		for (int round = 0; round < 100_000; round++) {
			StringBuilder name = new StringBuilder();
			for (int part = random.nextInt(5); part >= 0; part--) {
				name.append(parts[random.nextInt(parts.length)]);
			}
			Matcher expected = rule.matcher(name);
			ContenderNode node = ContenderNode.parse(name.toString());
			assertThat(node != null).as("%s", name).isEqualTo(expected.find());
			if (node != null) {
				contenders++;
				assertThat(node.sequence()).as("%s", name).isEqualTo(Long.parseLong(expected.group()));
			}
		}
		assertThat(contenders).isGreaterThan(10_000);
	}

	@ParameterizedTest
	@CsvSource({ "foo", "x-abc", "lock-123456789", "lock-12345678901", "lock-0000000001x", "-", "''" })
	void otherChildrenAreNoContenders(String name) {
		assertThat(ContenderNode.parse(name)).isNull();
	}

	@Test
	@Tag("H09")
	void equalNumbersBlockEachOther() {
		ContenderNode one = node("a-lock-2147483647");
		ContenderNode other = node("b-lock-2147483647");
		assertThat(one.blocks(other)).isTrue();
		assertThat(other.blocks(one)).isTrue();
		assertThat(one.blocks(one)).isFalse();
		assertThat(node("c-lock--2147483648").blocks(one)).isTrue();
	}

	@Test
	void plainLocksAndReadersNeverComeBack() {
		for (String name : List.of("_c_guid-lock-0000000001", "x-lock-0000000001", "_c_guid-__READ__0000000001")) {
			assertThat(node(name).staysAway()).as(name).isTrue();
		}
		for (String name : List.of("_c_guid-__WRIT__0000000001", "lock-0000000001", "guid__lock__0000000001",
				"x-lock--0000000001", "__READ__-0000000001")) {
			assertThat(node(name).staysAway()).as(name).isFalse();
		}
	}

}
