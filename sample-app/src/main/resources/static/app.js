// The page: shows what the server says, and sends what buttons ask for.

import { follow, post, Problem, remove } from "./api.js";
import { assignColours, colourOf } from "./colours.js";
import { byId, byTestId, duration, element, onChange, plural, setText, time } from "./dom.js";
import { showDoubleSales, showHouse } from "./house.js";
import { showLocks } from "./locks.js";
import { showHandOvers } from "./plot.js";

const BUYERS = 50;

let latest = null;

// What the server says

function show(state) {
	latest = state;
	assignColours(state.instances);
	setText(byId("self"), state.instance.id);
	showConnection(state.zooKeeper);
	showInstances(state.instances.map(withoutHeartbeat));
	showLeader(state.leader);
	showHouse(state.house);
	showLocks(state.locks, state.zooKeeper.stale, actionsOf, breakLock);
	showHandOvers(state.handOvers);
	showLog(state.log);
	byId("release").disabled = !state.instances.some((instance) => instance.self && instance.leader);
	byId("resume").disabled = !state.zooKeeper.paused;
	byId("pause").disabled = false;
	showBanner(state.zooKeeper.connected ? null : zooKeeperIsDown(state.zooKeeper));
}

function showConnection({ connected, session }) {
	setText(byTestId("zookeeper-status"), connected ? "connected" : "not connected");
	setText(byId("session"), connected && session ? session : "");
	byId("zookeeper").className = connected ? "status up" : "status down";
}

/** A living instance looks the same after each heartbeat, so its link keeps the focus. */
const withoutHeartbeat = (instance) => instance.alive ? { ...instance, lastSeen: null } : instance;

const showInstances = onChange((instances) => byId("instances").replaceChildren(...instances.map((instance) => element("li", {
	"data-testid": "instance",
	"data-id": instance.id,
	"data-alive": String(instance.alive),
	"data-leader": String(instance.leader),
	"data-colour": colourOf(instance.id),
	"class": [instance.leader ? "leads" : "", instance.alive ? "" : "dead"].join(" ").trim(),
}, element("a", { "href": instance.url, "aria-current": instance.self ? "page" : null }, instance.id), element("p", {}, describe(instance))))));

function describe({ alive, leader, self, lastSeen }) {
	const words = [leader ? "★ leads" : null, self ? "this page" : null, alive ? null : `last seen ${time(lastSeen)}`]
		.filter((word) => word !== null);
	return words.length ? words.join(" · ") : "alive";
}

function showLeader(leader) {
	setText(byTestId("leader"), leader ? leader.id : "none");
	setText(byId("term"), leader ? `term ${leader.token}, since ${time(leader.since)}` : "");
}

const showLog = onChange((log) => byId("log").replaceChildren(...log.map((entry) => element("li", {},
	element("time", { datetime: entry.at }, time(entry.at)),
	element("span", { "class": "by", "data-colour": colourOf(entry.instance) }, entry.instance),
	element("span", { class: entry.level === "INFO" ? "what" : "what warn" }, entry.text)))));

// What is wrong

function zooKeeperIsDown({ paused, pausedUntil }) {
	return [
		element("strong", {}, paused ? "The link to ZooKeeper is cut. " : "There is no connection to ZooKeeper. "),
		"Locks cannot be taken here, and those that are held are lost in a few seconds; queues are as they were seen last. ",
		paused ? `It heals at ${time(pausedUntil)}.` : "It is tried again and again.",
	];
}

function serverIsGone() {
	const others = (latest?.instances ?? []).filter((instance) => !instance.self && instance.alive);
	return [
		element("strong", {}, "This page has lost its server. "), "It connects again by itself. ",
		...(others.length ? ["Other instances: "] : []),
		...others.flatMap((instance) => [element("a", { href: instance.url }, instance.id), " "]),
	];
}

function showBanner(content) {
	const banner = byId("offline");
	const text = content ? content.map((part) => part.textContent ?? part).join("") : "";
	if (banner.textContent !== text) {
		banner.replaceChildren(...(content ?? []));
	}
	banner.hidden = content === null;
}

function lose() {
	showBanner(serverIsGone());
	setText(byTestId("zookeeper-status"), "unknown");
	byId("zookeeper").className = "status";
}

// What buttons ask for

/** Do something, and say what has come of it. */
async function run(output, running, action) {
	output.classList.remove("failed");
	output.replaceChildren(running);
	try {
		output.replaceChildren(...[await action()].flat());
	}
	catch (problem) {
		output.classList.add("failed");
		output.replaceChildren(problem instanceof Problem ? problem.message : "The server cannot be reached");
	}
}

const rushButtons = [byId("rush-locked"), byId("rush-unlocked")];

async function rush(locked) {
	rushButtons.forEach((button) => { button.disabled = true; });
	await run(byId("rush-result"), `${BUYERS} buyers are coming…`, async () => {
		const result = await post("rush", { count: BUYERS, locked });
		showDoubleSales(result.doubleSales);
		return [
			element("strong", {}, result.doubleSales ? `${plural(result.doubleSales, "ticket", "tickets")} too many` : "Every seat sold once"),
			`: ${plural(result.count, "buyer", "buyers")} ${locked ? "with" : "without"} the lock, ${plural(result.sold, "ticket", "tickets")} in ${duration(result.millis)}`,
			result.refused + result.failed ? `, ${result.refused} refused, ${result.failed} failed.` : ".",
		];
	});
	rushButtons.forEach((button) => { button.disabled = false; });
}

function breakLock(name) {
	run(byId("cluster-result"), "…", async () => {
		await remove(`locks/${encodeURIComponent(name)}/holder`);
		return `Lock ${name} was taken away from its holder.`;
	});
}

function button(id, text, running, action, outputId = `${id}-result`) {
	const output = element("output", { "aria-live": "polite", "data-testid": outputId });
	const node = element("button", { "type": "button", "data-testid": id }, text);
	node.addEventListener("click", () => run(output, running, action));
	return { node, output };
}

/** Return the buttons that belong to a lock. */
function actionsOf(name) {
	const buttons = {
		"catalogue": [
			button("report", "Report (reads)", "Reading…", async () => {
				const { titles, sold } = await post("report");
				return `${plural(titles, "play", "plays")}, ${plural(sold, "ticket", "tickets")} sold.`;
			}),
			button("import", "Import (writes)", "Waiting to write…", async () => {
				const { imported } = await post("import");
				return `${plural(imported, "play", "plays")} imported.`;
			}),
		],
		"slow-job": [button("slow-job", "Start the slow job", "…", async () => {
			await post("slow-job");
			return "Started: 20 steps. Cut the link now, or break the lock.";
		})],
		"ledger": [button("fenced-write", "Write with a stale token", "Asleep with the lock, until it is lost and another writes…", async () => {
			const { accepted, token, storedToken } = await post("fenced-write", { pause: true });
			return accepted ? `Accepted with token ${token}.` : `Refused: token ${token} is older than ${storedToken}.`;
		}, "fenced-result")],
	}[name] ?? [];
	return buttons.map(({ node }) => node).concat(buttons.map(({ output }) => output));
}

byId("rush-locked").addEventListener("click", () => rush(true));
byId("rush-unlocked").addEventListener("click", () => rush(false));
byId("reset").addEventListener("click", () => run(byId("rush-result"), "…", async () => {
	await post("reset");
	return "All tickets were taken back.";
}));
byId("release").addEventListener("click", () => run(byId("cluster-result"), "Handing over…", async () => {
	await post("leadership/release");
	return "Leadership released; this instance is the last in the queue now.";
}));
byId("pause").addEventListener("click", () => run(byId("cluster-result"), "…", async () => {
	const seconds = Number(byId("seconds").value);
	await post("zookeeper/pause", { seconds });
	return `Cut for ${seconds} s.`;
}));
byId("resume").addEventListener("click", () => run(byId("cluster-result"), "…", async () => {
	await post("zookeeper/resume");
	return "Healed.";
}));

follow(show, lose);
