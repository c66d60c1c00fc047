// What two models make of the same, in numbers.
import { element, percent_of, shown, with_minus } from "./report.js";
import { attention_of, shown_head } from "./attention.js";
import { other_sentences } from "./neighbours.js";
import { mean_share } from "./parts.js";
import { read_back_count, reads_back } from "./read_back.js";
import { parts } from "./state.js";
import { word } from "./words.js";

/** Percentage points between two shares, as they are shown. */
function points(first, second) {
  const count = Math.round(100 * second) - Math.round(100 * first);
  return word("points", { count: `${count > 0 ? "+" : ""}${with_minus(String(count))}` });
}

const same_tokens = (a, b) => a.tokens.length === b.tokens.length && a.tokens.every(({ token }, i) => token === b.tokens[i].token);

/** Mean absolute difference of two heads' weights, where both have the same tokens. */
function attention_difference(a, b, state) {
  if (!same_tokens(a, b) || !a.attention.layers || !b.attention.layers) return null;
  const at = (look) => {
    const { layer, head } = shown_head(look, state);
    return { name: word("layer_head", { layer, head }), values: attention_of(look, layer, head) };
  };
  const [first, second] = [at(a), at(b)];
  const total = first.values.reduce((sum, value, i) => sum + Math.abs(value - second.values[i]), 0) / a.tokens.length / 2;
  return [word("attention_moved"), first.name, second.name, percent_of(total)];
}

export function differences_table(columns, state) {
  const [a, b] = columns.map(({ look }) => look);
  const equal = (one, other) => word(one === other ? "same" : "different");
  const rows = [...parts, "common"].map((part) => [word("mean_share", { part: word(part) }), ...[a, b].map((look) => percent_of(mean_share(look, part))),
    points(mean_share(a, part), mean_share(b, part))]);
  if (reads_back(a) && reads_back(b)) {
    const shares = [a, b].map((look) => read_back_count(look) / look.tokens.length);
    rows.push([word("read_back_share"), ...shares.map(percent_of), points(...shares)]);
  }
  const of_attention = attention_difference(a, b, state);
  if (of_attention) rows.push(of_attention);
  if (a.masks.length && b.masks.length) {
    const best = [a, b].map((look) => look.masks[0].fillings[0].token);
    rows.push([word("best_filling"), ...best, equal(...best)]);
  }
  if (a.vector && b.vector) {
    const cosines = [a, b].map((look) => look.vector.cosine);
    rows.push([word("cosine_with_unchanged"), ...cosines.map((value) => with_minus(value.toFixed(3))), shown(Number((cosines[1] - cosines[0]).toFixed(3)))]);
    const nearest = columns.map(({ look, request }) => look.sentences[other_sentences(look, request)[0]?.sentence] ?? "");
    rows.push([word("nearest_sentence"), ...nearest, equal(...nearest)]);
  }
  const heads = [word("what"), ...columns.map(({ model }) => model.name), word("difference")];
  return element("div", { class: "scroll" }, element("table", { class: "differences" },
    element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, rows.map(([what, ...cells]) => element("tr", {}, element("th", { scope: "row" }, what),
      cells.map((cell, i) => element("td", { "data-label": heads[i + 1] }, cell)))))));
}
