// Matrices as pictures: small ones to compare, and one to read, by pointer and by arrow keys.
import { element, palette_of, percent_of, scale_colour, shortened, shown } from "./report.js";
import { colour_scheme } from "./scheme.js";
import { hide_tip, show_tip } from "./tip.js";
import { word } from "./words.js";

/** Points of a scale: of weights from nothing to all, of scores from the most negative to the most positive. */
function points_of(is_signed) {
  const colours = palette_of(colour_scheme());
  return is_signed ? [colours.red, colours.paper, colours.ink] : [colours.paper, colours.ink];
}

/** Fills a canvas with a matrix, a pixel a cell. @param most  of the scale; weights are shown by their roots */
function fill(canvas, values, count, most, is_signed) {
  canvas.width = canvas.height = count;
  const context = canvas.getContext("2d");
  const image = context.createImageData(count, count);
  const points = points_of(is_signed);
  const shades = Array.from({ length: 257 }, (_, i) => { // the middle one is that of 0
    const colour = scale_colour(points, 0, 256, i);
    return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  });
  for (let i = 0; i < values.length; ++i) {
    const part = is_signed ? 0.5 + values[i] / (2 * most || 1) : Math.sqrt(values[i] / (most || 1));
    const [red, green, blue] = shades[Math.round(256 * Math.min(Math.max(part, 0), 1))];
    image.data.set([red, green, blue, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
}

/** What the colours say: a bar from the least to the most, and the values at its ends. */
export function scale(most, is_signed) {
  const points = points_of(is_signed);
  const stops = Array.from({ length: 9 }, (_, i) => `${scale_colour(points, 0, 8, i)} ${100 * (is_signed ? i / 8 : (i / 8) ** 2)}%`);
  const bar = element("i", {});
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const [low, high] = is_signed ? [shown(-most), `+${shown(most)}`] : [percent_of(0), percent_of(most)];
  return element("p", { class: "scale" }, element("span", {}, low), bar, element("span", {}, high));
}

/** A small matrix. */
export function thumbnail(values, count, most, is_signed) {
  const canvas = element("canvas", { class: "thumbnail", "aria-hidden": "true" });
  fill(canvas, values, count, most, is_signed);
  return canvas;
}

const letters = 12;
const close = 24; // tokens from which on names are small
const most_named = 40; // tokens of which each has its name

/**
 * A matrix with its tokens' names beside it.
 * @param id      of the part that takes the keyboard
 * @param names   of the tokens @param order  indices of the tokens, as rows and columns come
 * @param chosen  a token whose row is marked, or null
 * @param facts   what a cell's tooltip says, for (query, key)
 */
export function heat_map({ id, values, names, order, most, is_signed, chosen, label, facts, choose }) {
  const count = names.length;
  const ordered = new Float64Array(count * count);
  order.forEach((query, i) => order.forEach((key, j) => (ordered[i * count + j] = values[query * count + key])));
  const canvas = element("canvas", { "aria-hidden": "true" });
  fill(canvas, ordered, count, most, is_signed);
  const mark = element("span", { class: "cell-mark", hidden: true });
  const row_mark = element("span", { class: "row-mark", hidden: chosen === null });
  const cells = element("div", { class: "cells", id, tabindex: "0", role: "group", "aria-label": label }, canvas, row_mark, mark);
  const place_row = () => {
    row_mark.style.top = `${(100 * order.indexOf(chosen)) / count}%`;
    row_mark.style.height = `${100 / count}%`;
  };
  if (chosen !== null) place_row();
  let at = null;
  const leave = () => {
    hide_tip();
    mark.hidden = true;
  };
  const show = (x, y) => {
    const [i, j] = at;
    Object.assign(mark.style, { top: `${(100 * i) / count}%`, left: `${(100 * j) / count}%`, width: `${100 / count}%`, height: `${100 / count}%` });
    mark.hidden = false;
    show_tip(facts(order[i], order[j]), x, y);
  };
  const cell_at = (event) => {
    const box = cells.getBoundingClientRect();
    const inside = (part) => Math.min(Math.max(Math.floor(part * count), 0), count - 1);
    return [inside((event.clientY - box.top) / box.height), inside((event.clientX - box.left) / box.width)];
  };
  cells.addEventListener("pointermove", (event) => {
    at = cell_at(event);
    show(event.clientX, event.clientY);
  });
  cells.addEventListener("pointerleave", leave);
  cells.addEventListener("blur", leave);
  cells.addEventListener("click", (event) => choose?.(order[cell_at(event)[0]]));
  cells.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    const inside = (place) => Math.min(Math.max(place, 0), count - 1);
    at = at ? [inside(at[0] + down), inside(at[1] + right)] : [0, 0];
    const box = cells.getBoundingClientRect();
    show(box.left + ((at[1] + 0.5) * box.width) / count, box.top + ((at[0] + 0.5) * box.height) / count);
  });
  const step = count > most_named ? Math.ceil(count / close) : 1; // of many tokens every step-th is named
  const name = (along) => (i, place) => {
    if (place % step > 0) return null;
    const span = element("span", { class: i === chosen ? "chosen" : null, title: names[i] }, shortened(names[i], letters));
    span.style[along] = `span ${Math.min(step, count - place)}`;
    return span;
  };
  const side = (kind, along) => element("div", { class: kind, "aria-hidden": "true" }, order.map(name(along)));
  return element("div", { class: `heat-map${count > close ? " close" : ""}${step > 1 ? " stepped" : ""}` }, side("columns", "gridColumn"),
    side("rows", "gridRow"), cells, scale(most, is_signed), step > 1 ? element("p", { class: "note" }, word("point_at_cells")) : null);
}
