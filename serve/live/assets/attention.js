// Attention of every layer and head, and of one of them in full.
import { element, palette_of, scale_colour } from "./report.js";
import { heat_map } from "./heat_map.js";
import { by_position } from "./parts.js";
import { colour_scheme } from "./scheme.js";
import { likelihood, word } from "./words.js";

const gap = 2; // cells between two small matrices
const small = 46; // pixels of a small matrix, if there is room

const bytes_of = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** An answer's weights, read once: codes are roots. */
const codes_of = (() => {
  const kept = new WeakMap();
  return (look) => {
    if (!kept.has(look)) kept.set(look, bytes_of(look.attention.codes));
    return kept.get(look);
  };
})();

/** Weights [queries · keys]; layer and head from 1. */
export function attention_of(look, layer, head) {
  const cells = look.tokens.length ** 2;
  const at = ((layer - 1) * look.attention.heads + head - 1) * cells;
  return Float64Array.from(codes_of(look).subarray(at, at + cells), (code) => (code / 255) ** 2);
}

/** Layer and head that the model has, nearest to those of the state. */
export const shown_head = (look, { layer, head }) =>
  ({ layer: Math.min(layer, look.attention.layers), head: Math.min(head, look.attention.heads) });

/** All layers and heads in one picture: layers from top to bottom, heads from left to right. */
function overview(look) {
  const { layers, heads } = look.attention;
  const order = by_position(look.tokens).map(({ index }) => index);
  const count = order.length;
  const step = count + gap;
  const canvas = element("canvas", { class: count > small ? null : "crisp", width: heads * step - gap, height: layers * step - gap, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const { paper, ink } = palette_of(colour_scheme());
  const shades = Array.from({ length: 256 }, (_, i) => {
    const colour = scale_colour([paper, ink], 0, 255, i);
    return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  });
  const codes = codes_of(look);
  for (let layer = 0; layer < layers; ++layer) {
    for (let head = 0; head < heads; ++head) {
      const from = (layer * heads + head) * count * count;
      for (let i = 0; i < count; ++i) {
        let to = 4 * ((layer * step + i) * canvas.width + head * step);
        for (let j = 0; j < count; ++j, to += 4) {
          const [red, green, blue] = shades[codes[from + order[i] * count + order[j]]];
          image.data[to] = red;
          image.data[to + 1] = green;
          image.data[to + 2] = blue;
          image.data[to + 3] = 255;
        }
      }
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The overview, from which layer and head are chosen. */
function chooser(look, column, { layer, head }, choose) {
  const { layers, heads } = look.attention;
  const mark = element("span", { class: "cell-mark chosen-head" });
  const label = `${word("layer_head", { layer, head })}. ${word("grid_keys")}`;
  const host = element("div", { class: "all-heads", id: `all-heads-${column}`, tabindex: "0", role: "group", "aria-label": label }, overview(look), mark);
  host.style.maxWidth = `${heads * small}px`;
  Object.assign(mark.style, { left: `${(100 * (head - 1)) / heads}%`, width: `${100 / heads}%`, top: `${(100 * (layer - 1)) / layers}%`, height: `${100 / layers}%` });
  const inside = (place, most) => Math.min(Math.max(place, 1), most);
  host.addEventListener("click", (event) => {
    const box = host.getBoundingClientRect();
    choose({ layer: inside(Math.ceil(((event.clientY - box.top) / box.height) * layers), layers),
      head: inside(Math.ceil(((event.clientX - box.left) / box.width) * heads), heads) });
  });
  host.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    choose({ layer: inside(layer + down, layers), head: inside(head + right, heads) });
  });
  return host;
}

/** "river looks most at: the 22 %, …", of a chosen token. */
function told_of(look, values, chosen) {
  const { tokens } = look;
  const most = tokens.map((token, j) => [token, values[chosen * tokens.length + j]]).sort((a, b) => b[1] - a[1]).slice(0, 3);
  const told = most.map(([{ token }, weight]) => `${token} ${likelihood(weight)}`).join(word("comma"));
  return word("looks_at", { token: tokens[chosen].token, told });
}

export function attention_view(look, column, state, choose) {
  if (look.attention.layers === 0) return element("p", { class: "note" }, word("no_layers"));
  const { tokens } = look;
  const at = shown_head(look, state);
  const values = attention_of(look, at.layer, at.head);
  const names = tokens.map(({ token }) => token);
  const chosen = state.chosen !== null && state.chosen < tokens.length ? state.chosen : null;
  const facts = (query, key) => [[word("looks"), `${tokens[query].position} ${names[query]}`],
    [word("looked_at"), `${tokens[key].position} ${names[key]}`], [word("weight"), likelihood(values[query * tokens.length + key])]];
  const order = by_position(tokens).map(({ index }) => index);
  const label = `${word("layer_head", at)}. ${word("matrix_keys")}`;
  const pictures = element("div", { class: "pictures" },
    element("div", {}, chooser(look, column, at, choose),
      element("p", { class: "told" }, element("b", {}, word("layer_head", at)), chosen === null ? null : ` · ${told_of(look, values, chosen)}`)),
    heat_map({ id: `attention-cells-${column}`, values, names, order, most: 1, is_signed: false, chosen, label, facts,
      choose: (token) => choose({ chosen: token === chosen ? null : token }) }));
  pictures.style.setProperty("--first", `${look.attention.heads * small}px`);
  return pictures;
}
