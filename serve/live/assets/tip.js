// The small table beside the pointer.
import { element, shown } from "./report.js";

const tip = () => document.getElementById("tip");

export function hide_tip() {
  tip().hidden = true;
}

/** Shows [name, value] pairs beside a place of the window. */
export function show_tip(fields, x, y) {
  const cell = (value) => element("td", {}, typeof value === "number" ? shown(value) : value);
  const rows = fields.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), cell(value)));
  tip().replaceChildren(element("table", {}, rows));
  tip().hidden = false;
  const box = tip().getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
  const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
  tip().style.left = `${Math.max(4, left)}px`;
  tip().style.top = `${Math.max(4, top)}px`;
}
