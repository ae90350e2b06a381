// The seats.

import { byId, element, onChange, plural, setText } from "./dom.js";

const COLUMNS = 20;

const grid = byId("house");

function seats(count) {
	if (grid.children.length !== count) {
		grid.style.setProperty("--columns", Math.min(COLUMNS, Math.max(count, 1)));
		grid.replaceChildren(...Array.from({ length: count }, () => element("i", { class: "seat" })));
	}
	return grid.children;
}

export function showDoubleSales(count) {
	setText(byId("double-sales"), String(count));
	byId("double-sales").parentElement.classList.toggle("some", count > 0);
}

export const showHouse = onChange((house) => {
	const sold = new Map(house.sales.map((sale) => [sale.seat, sale.count]));
	Array.from(seats(house.seats)).forEach((seat, index) => {
		const count = sold.get(index + 1) ?? 0;
		seat.className = count > 1 ? "seat double" : count === 1 ? "seat sold" : "seat";
		setText(seat, count > 1 ? String(count) : "");
	});
	setText(byId("sold"), String(house.sold));
	showDoubleSales(house.doubleSales);
	grid.setAttribute("aria-label", `${plural(house.sold, "ticket", "tickets")} sold for ${house.seats} seats, `
			+ `${house.doubleSales} of them for a seat that was sold before`);
});
