package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.github.zklock.benchmarks.contestant.Contestants;

/**
 * Lines with points, both axes logarithmic, each line labelled at its end.
 */
final class LineChart {

	private static final int WIDTH = 720;

	private static final int HEIGHT = 420;

	private static final int LEFT = 80;

	private static final int RIGHT = 190;

	private static final int TOP = 60;

	private static final int BOTTOM = 60;

	private static final double LABEL_HEIGHT = 16;

	private final String title;

	private final String xAxis;

	private final String yAxis;

	private final Map<String, List<Point>> series;

	private final Scale x;

	private final Scale y;

	LineChart(String title, String xAxis, String yAxis, Map<String, List<Point>> series) {
		this.title = title;
		this.xAxis = xAxis;
		this.yAxis = yAxis;
		this.series = series;
		this.x = scale(Point::x, LEFT, WIDTH - RIGHT);
		this.y = scale(Point::y, HEIGHT - BOTTOM, TOP);
	}

	private Scale scale(ToDoubleFunction<Point> coordinate, double from, double to) {
		List<Point> points = this.series.values().stream().flatMap(List::stream).toList();
		double low = points.stream().mapToDouble(coordinate).min().orElse(1);
		double high = points.stream().mapToDouble(coordinate).max().orElse(10);
		double lowDecade = Math.floor(Math.log10(low));
		return new Scale(lowDecade, Math.max(lowDecade + 1, Math.ceil(Math.log10(high))), from, to);
	}

	String svg() {
		Svg svg = new Svg(WIDTH, HEIGHT).text(16, 28, "title", this.title);
		grid(svg);
		// the own line last, where lines cover each other
		this.series.entrySet()
			.stream()
			.sorted(Comparator.comparing((line) -> line.getKey().equals(Contestants.ZK_LOCK)))
			.forEach((line) -> line(svg, line.getKey(), line.getValue()));
		labels(svg);
		return svg.finish(this.title);
	}

	private void grid(Svg svg) {
		for (double decade = this.y.low(); decade <= this.y.high(); decade++) {
			double at = this.y.at(Math.pow(10, decade));
			svg.add("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>", LEFT, WIDTH - RIGHT, at, at)
				.text(LEFT - 8.0, at + 4, "end", Numbers.format(Math.pow(10, decade)));
		}
		this.series.values()
			.stream()
			.flatMap(List::stream)
			.mapToDouble(Point::x)
			.distinct()
			.sorted()
			.forEach((value) -> {
				double at = this.x.at(value);
				svg.add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"grid\"/>", at, at, TOP,
						HEIGHT - BOTTOM)
					.text(at, HEIGHT - BOTTOM + 18.0, "middle", Numbers.format(value));
			});
		svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0, "middle", this.xAxis)
			.text(16, TOP - 12.0, "axis", this.yAxis);
	}

	private void line(Svg svg, String name, List<Point> points) {
		String path = points.stream()
			.map((point) -> String.format(Locale.ROOT, "%.1f,%.1f", this.x.at(point.x()), this.y.at(point.y())))
			.collect(Collectors.joining(" "));
		svg.add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>", path, Svg.colour(name),
				name.equals(Contestants.ZK_LOCK) ? "3" : "1.5");
		points.forEach((point) -> svg.add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>",
				this.x.at(point.x()), this.y.at(point.y()), Svg.colour(name)));
	}

	/**
	 * Write each name beside the last point of its line, moved apart where lines end
	 * close together.
	 */
	private void labels(Svg svg) {
		List<Map.Entry<String, List<Point>>> lines = new ArrayList<>(this.series.entrySet());
		lines.sort(Comparator.comparingDouble((entry) -> this.y.at(last(entry).y())));
		double free = TOP - LABEL_HEIGHT;
		for (Map.Entry<String, List<Point>> line : lines) {
			double at = Math.max(this.y.at(last(line).y()), free + LABEL_HEIGHT);
			free = at;
			svg.add("<text x=\"%d\" y=\"%.1f\" class=\"%s\" style=\"fill:%s\">%s, %s</text>", WIDTH - RIGHT + 10,
					at + 4, line.getKey().equals(Contestants.ZK_LOCK) ? "own" : "label", Svg.colour(line.getKey()),
					line.getKey(), Numbers.format(last(line).y()));
		}
	}

	private static Point last(Map.Entry<String, List<Point>> line) {
		return line.getValue().get(line.getValue().size() - 1);
	}

	/**
	 * A point of a line.
	 *
	 * @param x the size
	 * @param y the value, positive
	 */
	record Point(double x, double y) {

	}

	/**
	 * A logarithmic axis.
	 *
	 * @param low the lowest decade
	 * @param high the highest decade
	 * @param from where the lowest is
	 * @param to where the highest is
	 */
	private record Scale(double low, double high, double from, double to) {

		double at(double value) {
			return this.from + (Math.log10(value) - this.low) / (this.high - this.low) * (this.to - this.from);
		}

	}

}
