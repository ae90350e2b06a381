package io.github.zklock.benchmarks.report;

import java.util.Map;

import io.github.zklock.benchmarks.contestant.Contestants;

/**
 * Horizontal bars from zero on, with the spread or the interval as a thin line.
 */
final class BarChart {

	private static final int WIDTH = 720;

	private static final int TOP = 50;

	private static final int LEFT = 160;

	private static final int RIGHT = 90;

	private static final int ROW = 32;

	private final String title;

	private final Map<String, Summary> bars;

	BarChart(String title, Map<String, Summary> bars) {
		this.title = title;
		this.bars = bars;
	}

	String svg() {
		double longest = this.bars.values().stream().mapToDouble(Summary::max).max().orElse(1);
		double scale = (WIDTH - LEFT - RIGHT) / longest;
		Svg svg = new Svg(WIDTH, TOP + ROW * this.bars.size() + 10).text(16, 28, "title", this.title);
		double y = TOP;
		for (Map.Entry<String, Summary> bar : this.bars.entrySet()) {
			Summary value = bar.getValue();
			double middle = y + ROW / 2.0;
			boolean own = bar.getKey().equals(Contestants.ZK_LOCK);
			svg.text(LEFT - 10.0, middle + 4, own ? "end own" : "end", bar.getKey())
				.add("<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"%s\"/>", LEFT, y + 4,
						value.median() * scale, ROW - 8, Svg.colour(bar.getKey()))
				.add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\"/>",
						LEFT + value.min() * scale, LEFT + value.max() * scale, middle, middle)
				.text(LEFT + value.max() * scale + 8, middle + 4, own ? "own" : "value",
						Numbers.format(value.median()));
			y += ROW;
		}
		return svg.finish(this.title);
	}

}
