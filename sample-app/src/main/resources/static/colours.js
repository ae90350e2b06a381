// Each instance has a colour, wherever it is shown.

const COLOURS = 6;

const known = new Map();

/** Give instances their colours, in the order of their names. */
export function assignColours(instances) {
	for (const { id } of instances) {
		if (!known.has(id)) {
			known.set(id, known.size % COLOURS);
		}
	}
}

/** Return the number of an instance's colour, null for somebody unknown. */
export const colourOf = (id) => known.get(id) ?? null;
