// Small helpers to write and change elements. Text is always text, never markup.

export const byId = (id) => document.getElementById(id);

export const byTestId = (id) => document.querySelector(`[data-testid="${id}"]`);

/** Make an element. Attributes that are null or false are left out. */
export function element(name, attributes = {}, ...children) {
	return fill(document.createElement(name), attributes, children);
}

/** Make an element of a drawing. */
export function shape(name, attributes = {}, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value !== null && value !== undefined && value !== false) {
			node.setAttribute(name, value === true ? "" : value);
		}
	}
	node.append(...children.filter((child) => child !== null));
	return node;
}

/** Write a text only if it is another one, so that nothing is announced twice. */
export function setText(node, text) {
	if (node.textContent !== text) {
		node.textContent = text;
	}
}

/** Return a function that draws only what has changed since the last time. */
export function onChange(draw) {
	let drawn;
	return (data) => {
		const key = JSON.stringify(data);
		if (key !== drawn) {
			drawn = key;
			draw(data);
		}
	};
}

export const time = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

export function duration(millis) {
	return millis < 1000 ? `${millis} ms` : `${(millis / 1000).toFixed(1)} s`;
}

export const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
