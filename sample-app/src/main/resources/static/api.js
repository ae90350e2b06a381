// Talks to the instance that has served this page.

/** What the server did not want to do, in its own words. */
export class Problem extends Error {

	constructor(status, problem) {
		super(problem.detail ? `${problem.title}: ${problem.detail}` : (problem.title ?? `Status ${status}`));
		this.status = status;
		this.title = problem.title ?? "";
	}

}

async function send(method, path, body) {
	const response = await fetch(`api/${path}`, {
		method,
		headers: body === undefined ? {} : { "Content-Type": "application/json" },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const text = await response.text();
	const answer = text ? JSON.parse(text) : {};
	if (!response.ok) {
		throw new Problem(response.status, answer);
	}
	return answer;
}

export const post = (path, body) => send("POST", path, body);

export const remove = (path) => send("DELETE", path);

/** The server sends its state every second. */
const LONGEST_SILENCE_MILLIS = 10_000;

/**
 * Follow the state. The browser connects again by itself; where it gives up, we do not.
 */
export function follow(onState, onLoss) {
	const source = new EventSource("api/events");
	let alarm;
	source.addEventListener("state", (event) => {
		clearTimeout(alarm);
		alarm = setTimeout(onLoss, LONGEST_SILENCE_MILLIS);
		onState(JSON.parse(event.data));
	});
	source.addEventListener("error", () => {
		clearTimeout(alarm);
		onLoss();
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(() => follow(onState, onLoss), 2000);
		}
	});
}
