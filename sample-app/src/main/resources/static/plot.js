// Hand-over times, on a logarithmic scale: a leader that leaves is replaced in milliseconds, one that dies in seconds.

import { byId, duration, onChange, shape, time } from "./dom.js";
import { colourOf } from "./colours.js";

const SCALE = [1, 10, 100, 1000, 10000, 100000];

const NAMES = ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"];

const MARGIN = { top: 20, right: 14, bottom: 20, left: 52 };

const svg = byId("handovers");

let shown = [];

function draw() {
	const { width, height } = svg.getBoundingClientRect();
	if (width === 0) {
		return;
	}
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	const worst = Math.max(100, ...shown.map((handOver) => handOver.millis));
	const top = SCALE.findIndex((value) => value >= worst);
	const highest = top < 0 ? SCALE.length - 1 : top;
	const y = (millis) => height - MARGIN.bottom
		- (height - MARGIN.top - MARGIN.bottom) * Math.min(1, Math.log10(Math.max(1, millis)) / highest);
	const x = (index) => MARGIN.left + (width - MARGIN.left - MARGIN.right) * (index + 0.5) / Math.max(shown.length, 8);
	const lines = SCALE.slice(0, highest + 1).flatMap((value, index) => [
		shape("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
		shape("text", { "x": MARGIN.left - 8, "y": y(value) + 4, "text-anchor": "end" }, NAMES[index]),
	]);
	const points = shown.map((handOver, index) => shape("g", { "data-colour": colourOf(handOver.to) },
		shape("title", {}, `${time(handOver.at)}: from ${handOver.from} to ${handOver.to} in ${duration(handOver.millis)}`),
		shape("line", { class: "stem", x1: x(index), x2: x(index), y1: y(1), y2: y(handOver.millis) }),
		shape("circle", { cx: x(index), cy: y(handOver.millis), r: 5 }),
		index === shown.length - 1
			? shape("text", { "class": "value", "x": x(index), "y": y(handOver.millis) - 10, "text-anchor": "middle" }, duration(handOver.millis))
			: null));
	const hint = shown.length ? [] : [shape("text", { "x": width / 2, "y": height / 2, "text-anchor": "middle" }, "none yet: release leadership, or kill the leader")];
	svg.replaceChildren(...lines, ...points, ...hint);
}

export const showHandOvers = onChange((handOvers) => {
	shown = handOvers;
	const latest = handOvers.at(-1);
	svg.setAttribute("aria-label", latest
		? `${handOvers.length} hand-overs, the latest from ${latest.from} to ${latest.to} in ${duration(latest.millis)}`
		: "No hand-over yet");
	draw();
});

new ResizeObserver(draw).observe(svg);
