package io.github.zklock.benchmarks.report;

import java.util.Locale;
import java.util.Map;

/**
 * A drawing that can be read on light and on dark pages.
 */
final class Svg {

	private static final Map<String, String> COLOURS = Map.of("zk-lock", "#2f7ed8", "Curator", "#e0662f",
			"Spring Integration", "#1f9d74", "ShedLock", "#9a62c7", "naive recipe", "#b8860b", "herd lock", "#d6406b");

	private static final String OTHER_COLOUR = "#8a8f98";

	private final StringBuilder content = new StringBuilder();

	private final int width;

	private final int height;

	Svg(int width, int height) {
		this.width = width;
		this.height = height;
	}

	static String colour(String contestant) {
		return COLOURS.getOrDefault(contestant, OTHER_COLOUR);
	}

	Svg add(String format, Object... arguments) {
		this.content.append(String.format(Locale.ROOT, format, arguments)).append('\n');
		return this;
	}

	Svg text(double x, double y, String kind, String text) {
		return add("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>", x, y, kind,
				text.replace("&", "&amp;").replace("<", "&lt;"));
	}

	String finish(String title) {
		return """
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" aria-label="%3$s">
				<style>
				svg { color: #1f2328; background: #ffffff; font: 13px system-ui, sans-serif; }
				text { fill: currentColor; }
				.title { font-size: 16px; font-weight: 600; }
				.end { text-anchor: end; }
				.middle { text-anchor: middle; }
				.grid { stroke: currentColor; stroke-opacity: 0.15; }
				.own { font-weight: 700; }
				@media (prefers-color-scheme: dark) { svg { color: #e6edf3; background: #0d1117; } }
				</style>
				<rect width="%1$d" height="%2$d" fill="none"/>
				%4$s</svg>
				"""
			.formatted(this.width, this.height, title, this.content);
	}

}
