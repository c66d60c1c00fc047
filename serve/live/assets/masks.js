// What the model fills each [MASK] with.
import { element, with_minus } from "./report.js";
import { language_now, word } from "./words.js";

/** A probability in per cent, with a digit more where it is small. */
const likelihood = (score) =>
  with_minus(`${(100 * score).toFixed(score < 0.0995 ? 1 : 0)}${language_now() === "zh" ? "" : "\u00a0"}%`);

function bar(score, kind) {
  const inner = element("i", { class: kind });
  inner.style.width = `${100 * score}%`;
  return element("span", { class: "line-bar", "aria-hidden": "true" }, inner);
}

const list = (fillings, kind) => element("ol", { class: `fillings ${kind}` }, fillings.map(({ token, score }) =>
  element("li", {}, element("span", { class: "filling" }, token), bar(score, kind), element("span", { class: "number" }, likelihood(score)))));

export function masks_view(look, model) {
  if (!model.has_mask_head) return element("p", { class: "note" }, word("no_mask_head"));
  if (look.masks.length === 0) return element("p", { class: "note" }, word("no_mask", { mask: model.mask_token }));
  const half = (key, fillings, kind) => element("div", {}, element("h3", {}, word(key)), list(fillings, kind));
  const mask = ({ token, fillings, unchanged }) => element("div", { class: "mask" },
    look.masks.length > 1 ? element("p", { class: "told" }, `${look.tokens[token].position} ${look.tokens[token].token}`) : null,
    element("div", { class: "halves" }, half("now", fillings, "now"), half("before", unchanged, "before")));
  return look.masks.map(mask);
}

/** The text with one of its tokens masked. @param mask  the model's mask token */
export function masked(state, token, mask) {
  const name = token.second ? "pair" : "text";
  const bytes = new TextEncoder().encode(state[name]);
  const read = (begin, end) => new TextDecoder().decode(bytes.slice(begin, end));
  const [begin, end] = token.bytes;
  return { [name]: read(0, begin) + mask + read(end) };
}
