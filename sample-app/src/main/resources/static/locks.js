// Each lock as a frame with those who hold it, and a line of those who wait.

import { byId, element, onChange, time } from "./dom.js";
import { colourOf } from "./colours.js";

const CODE = {
	"seats": "@DistributedLock(\"seats\") @Transactional",
	"catalogue": "@DistributedLock(name = \"catalogue\", mode = READ)",
	"slow-job": "@DistributedLock(name = \"slow-job\", onLost = INTERRUPT)",
	"ledger": "update ledger … where token < :token",
};

const cards = new Map();

/**
 * Show a lock for the first time.
 * @param buttons what can be done under it
 */
function makeCard(name, buttons, onBreak) {
	const frame = element("ul", { class: "frame", "aria-label": `Holders of ${name}` });
	const line = element("ol", { class: "waiters", "aria-label": `Waiting for ${name}` });
	const breakButton = element("button", { type: "button", class: "small", "data-testid": "break-lock",
		"aria-label": `Break lock ${name}`, title: "Take it away from its holder, who finds out a little later" }, "Break");
	breakButton.addEventListener("click", () => onBreak(name));
	const actions = buttons.length ? element("div", { class: "actions" }, ...buttons) : null;
	const card = element("article", { class: "lock", "data-testid": "lock", "data-name": name },
		element("div", { class: "lock-head" }, element("h3", {}, name), breakButton), element("code", {}, CODE[name] ?? ""),
		element("div", { class: "queue" }, frame, line), actions);
	byId("locks").append(card);
	return onChange(({ queue, localWaiters, stale }) => {
		const holders = queue.filter((someone) => someone.holder);
		const waiters = queue.filter((someone) => !someone.holder);
		frame.classList.toggle("held", holders.length > 0);
		frame.replaceChildren(...(holders.length ? holders.map((someone) => show(someone, "holder"))
			: [element("li", { class: "free" }, "free")]));
		line.replaceChildren(...waiters.map((someone) => element("li", {}, show(someone, "waiter", "span"))));
		const places = waiters.filter((someone) => someone.ours).length;
		if (localWaiters > places) {
			line.append(element("li", { class: "more" }, `and ${localWaiters - places} more callers here`));
		}
		breakButton.disabled = holders.length === 0;
		frame.parentElement.classList.toggle("stale", stale);
	});
}

function show(someone, testId, name = "li") {
	const reads = someone.kind === "READ";
	return element(name, {
		"class": reads ? "someone reads" : "someone",
		"data-testid": testId,
		"data-instance": someone.instance,
		"data-colour": colourOf(someone.instance),
		"title": `${reads ? "reads" : "writes"}, in the queue since ${time(someone.since)}, session ${someone.session}, token ${someone.token}`,
	}, reads ? `${someone.instance} reads` : someone.instance);
}

export function showLocks(locks, stale, buttons, onBreak) {
	for (const lock of locks) {
		if (!cards.has(lock.name)) {
			cards.set(lock.name, makeCard(lock.name, buttons(lock.name), onBreak));
		}
		cards.get(lock.name)({ ...lock, stale });
	}
}

