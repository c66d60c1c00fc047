// The first layer's scores as sums of terms: a part of the token that looks with a part of the one that is looked at.
import { element, shown } from "./report.js";
import { heat_map, scale, thumbnail } from "./heat_map.js";
import { by_position } from "./parts.js";
import { word } from "./words.js";

const parts = ["token", "position", "segment", "common"];
const least_scale = 0.01; // a score of this changes a weight by 1 %: terms of less are blank

/** Seventeen matrices, read once: the terms, the query's token part first, and their sum. */
const terms_of = (() => {
  const kept = new WeakMap();
  return (look) => {
    if (!kept.has(look)) {
      const bytes = Uint8Array.from(atob(look.scores.floats), (c) => c.charCodeAt(0));
      const floats = new Float32Array(bytes.buffer);
      const cells = look.tokens.length ** 2;
      kept.set(look, Array.from({ length: 17 }, (_, i) => floats.subarray(i * cells, (i + 1) * cells)));
    }
    return kept.get(look);
  };
})();

/** How strongly a term tells keys apart: the deviation of its rows, whose means no softmax sees. */
function spread(values, count) {
  let total = 0;
  for (let i = 0; i < count; ++i) {
    const row = values.subarray(i * count, (i + 1) * count);
    const mean = row.reduce((sum, value) => sum + value, 0) / count;
    total += row.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  }
  return Math.sqrt(total / values.length);
}

const most_of = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), least_scale);

const term_name = (term) => {
  if (term === "sum") return word("all_terms");
  const [query, key] = term.split("-").map((part) => word(parts[part]));
  return word("term", { query, key });
};

export function scores_view(look, column, state, choose) {
  if (!look.scores) return element("p", { class: "note" }, word("not_bert"));
  const { tokens } = look;
  const count = tokens.length;
  const terms = terms_of(look);
  const order = by_position(tokens).map(({ index }) => index);
  const ordered = (values) => Float32Array.from(order.flatMap((query) => order.map((key) => values[query * count + key])));
  const most = Math.max(...terms.slice(0, 15).map(most_of)); // the common part with itself tells no keys apart
  const chosen = state.term;
  const button = (term, values) => element("button", { class: "term", id: `term-${column}-${term}`, "aria-pressed": String(term === chosen),
    "aria-label": `${term_name(term)}${word("colon")}${shown(spread(values, count))}`, click: () => choose({ term }) },
    thumbnail(ordered(values), count, most, true), element("span", {}, shown(spread(values, count))));
  const head = (part, kind) => element("span", { class: `term-head ${kind} of-${part}` }, element("i", {}), word(part));
  const grid = element("div", { class: "terms" }, element("span", { class: "term-corner" }), parts.map((part) => head(part, "key")),
    parts.map((part, q) => [head(part, "query"), parts.map((_, k) => button(`${q}-${k}`, terms[4 * q + k]))]));
  const [q, k] = chosen === "sum" ? [] : chosen.split("-").map(Number);
  const values = chosen === "sum" ? terms[16] : terms[4 * q + k];
  const names = tokens.map(({ token }) => token);
  const facts = (query, key) => [[word("looks"), `${tokens[query].position} ${names[query]}`],
    [word("looked_at"), `${tokens[key].position} ${names[key]}`],
    ...(chosen === "sum" ? [] : [[term_name(chosen), values[query * count + key]]]),
    [word("all_terms"), terms[16][query * count + key]]];
  const token = state.chosen !== null && state.chosen < count ? state.chosen : null;
  const label = `${term_name(chosen)}. ${word("matrix_keys")}`;
  return element("div", { class: "pictures" },
    element("div", {}, element("p", { class: "told" }, element("b", {}, word("layer_head", { layer: 1, head: look.scores.head })),
      ` · ${word("part_looks")} · ${word("part_looked_at")}`, state.noise > 0 ? ` · ${word("noise_in_common")}` : null),
      grid, element("div", { class: "all-terms" }, button("sum", terms[16]), element("span", {}, word("all_terms")), scale(most, true))),
    element("div", {}, element("p", { class: "told" }, element("b", {}, term_name(chosen))),
      heat_map({ id: `scores-cells-${column}`, values, names, order, most: most_of(values), is_signed: true, chosen: token, label, facts, choose: null })));
}
