package io.github.zklock.benchmarks.report;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes maps, collections, texts and numbers as JSON.
 */
final class Json {

	private Json() {
	}

	static String write(Object value) {
		return write(value, "\n");
	}

	private static String write(Object value, String line) {
		if (value instanceof Map<?, ?> map) {
			return map.entrySet()
				.stream()
				.map((entry) -> line + "  " + quote(entry.getKey().toString()) + ": "
						+ write(entry.getValue(), line + "  "))
				.collect(Collectors.joining(",", "{", line + "}"));
		}
		if (value instanceof Collection<?> items) {
			return items.stream()
				.map((item) -> line + "  " + write(item, line + "  "))
				.collect(Collectors.joining(",", "[", line + "]"));
		}
		if (value instanceof Number || value instanceof Boolean) {
			return value.toString();
		}
		return quote(value.toString());
	}

	private static String quote(String text) {
		StringBuilder quoted = new StringBuilder("\"");
		text.chars().forEach((character) -> {
			if (character == '"' || character == '\\') {
				quoted.append('\\').append((char) character);
			}
			else if (character < ' ') {
				quoted.append("\\u%04x".formatted(character));
			}
			else {
				quoted.append((char) character);
			}
		});
		return quoted.append('"').toString();
	}

}
