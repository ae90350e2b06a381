package io.github.zklock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What becomes of names in paths and in messages.
 */
class LockNamesTests {

	// head -c 256 /dev/zero | tr '\0' x | sha256sum
	private static final String DIGEST_OF_256_X = "85e62acd750c4eb56b7b6a1d66dca5bfaac5f062608a1a893410d0288936c09a";

	@Test
	void upTo255BytesStayPlain() {
		assertThat(LockNames.segment("x".repeat(255))).isEqualTo("x".repeat(255));
		assertThat(LockNames.segment("\u20ac".repeat(28) + "xyz")).hasSize(255).endsWith("%ACxyz").doesNotContain("~");
		assertThat(LockNames.segment("x".repeat(252) + ".")).hasSize(255).endsWith("x%2E");
	}

	@Test
	void moreAreCutAndHaveADigest() {
		assertThat(LockNames.segment("x".repeat(256))).isEqualTo("x".repeat(180) + "~" + DIGEST_OF_256_X);
		assertThat(LockNames.segment("\u20ac".repeat(28) + "xyz0")).startsWith("%E2%82%AC".repeat(20) + "~");
		assertThat(LockNames.segment("x".repeat(253) + ".")).as("the last dot is encoded")
			.startsWith("x".repeat(180) + "~");
	}

	@ParameterizedTest
	@CsvSource({ "176, 179", "177, 180", "178, 178", "179, 179", "180, 180" })
	void nothingIsCutInTwo(int plain, int prefix) throws Exception {
		String name = "x".repeat(plain) + "/".repeat(100);
		String encoded = "x".repeat(plain) + "%2F".repeat(100);
		assertThat(LockNames.segment(name)).isEqualTo(encoded.substring(0, prefix) + "~" + sha256(name));
	}

	@Test
	void characterOfSeveralBytesMayBeCutBetweenThem() throws Exception {
		String name = "xxx" + "\u20ac".repeat(100);
		assertThat(LockNames.segment(name)).isEqualTo("xxx" + "%E2%82%AC".repeat(19) + "%E2%82~" + sha256(name));
	}

	@Test
	void tildeIsEncoded() {
		String shortened = LockNames.segment("x".repeat(300));
		assertThat(shortened).hasSize(245);
		assertThat(LockNames.segment(shortened)).as("a name that looks like the segment of another one")
			.isEqualTo(shortened.replace("~", "%7E"));
		assertThat(LockNames.segment("~".repeat(86))).startsWith("%7E".repeat(60) + "~");
	}

	@ParameterizedTest
	@ValueSource(ints = { 8191, 8192, 8193, 16384, 1_100_000 })
	void digestIsThatOfTheWholeName(int length) throws Exception {
		for (String unit : new String[] { "x", "\u20ac", "\ud83d\udd12", "x\ud83d\udd12" }) {
			String name = unit.repeat(length);
			assertThat(LockNames.segment(name)).endsWith("~" + sha256(name));
			assertThat(LockNames.segment("y" + name)).endsWith("~" + sha256("y" + name));
		}
	}

	private static String sha256(String name) throws Exception {
		return HexFormat.of()
			.formatHex(MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8)));
	}

	@Test
	void differentNamesHaveDifferentSegments() {
		Random random = new Random(4711);
		String[] parts = { "x", ".", "~", "%", "/", "%7E", "\u20ac", "\ud83d\udd12", "e\u0301", "\u00e9", "X", "\n",
				"0".repeat(60), "x".repeat(178) };
		Set<String> names = new HashSet<>();
		Set<String> segments = new HashSet<>();
		while (names.size() < 20_000) {
			StringBuilder name = new StringBuilder();
			for (int part = random.nextInt(8); part >= 0; part--) {
				name.append(parts[random.nextInt(parts.length)]);
			}
			if (names.add(name.toString())) {
				String segment = LockNames.segment(name.toString());
				PathUtils.validatePath("/" + segment);
				assertThat(segment).hasSizeLessThanOrEqualTo(255).matches("[A-Za-z0-9%._-]+(~[0-9a-f]{64})?");
				assertThat(segments.add(segment)).as("%s", name).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud800", "\udc00", "a\ud800b", "\udc00\ud800", "\ud83d\udd12\udd12" })
	void halfCharactersAreRefusedWhereverTheyAre(String half) {
		for (String name : new String[] { half, half + "x".repeat(10_000), "x".repeat(10_000) + half }) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockNames.segment(name))
				.withMessageContaining("not valid Unicode")
				.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(300).doesNotContain("\udc00", "\ud800"));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> LockNames.requireValid(""));
		assertThat(LockNames.requireValid("\ud83d\udd12")).isEqualTo("\ud83d\udd12");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-42", "C:\\dir", "it's", "\u00e9\u20ac\ud83d\udd12", "\u6f22\u5b57", "~" })
	void visibleNamesAreShownAsTheyAre(String name) {
		assertThat(LockNames.shown(name)).isEqualTo(name);
	}

	@Test
	void whatCannotBeSeenIsEscaped() {
		assertThat(LockNames.shown("a\r\n\tb\u001b[2J\u0000\u007f\u0085"))
			.isEqualTo("a\\r\\n\\tb\\u001B[2J\\u0000\\u007F\\u0085");
		assertThat(LockNames.shown("\u2028\u2029\u202e\u2066\u200f\u061c\ufeff\u200b"))
			.isEqualTo("\\u2028\\u2029\\u202E\\u2066\\u200F\\u061C\\uFEFF\\u200B");
		assertThat(LockNames.shown("\ud800x\udc00")).isEqualTo("\\uD800x\\uDC00");
		assertThat(LockNames.shown("\udb40\udc01")).isEqualTo("\\uDB40\\uDC01");
	}

	@Test
	void longNamesAreShownInPart() {
		assertThat(LockNames.shown("x".repeat(200))).isEqualTo("x".repeat(200));
		assertThat(LockNames.shown("x".repeat(201))).isEqualTo("x".repeat(200) + "... (201 characters)");
		assertThat(LockNames.shown("x".repeat(199) + "\ud83d\udd12"))
			.isEqualTo("x".repeat(199) + "... (201 characters)");
		assertThat(LockNames.shown("\u0000".repeat(1_000_000)))
			.isEqualTo("\\u0000".repeat(33) + "... (1000000 characters)");
	}

}
