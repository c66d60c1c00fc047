// The sentence vector among those of other sentences.
import { element, shown, with_minus } from "./report.js";
import { word } from "./words.js";

const few = 7;

const signed = (value) => (Math.abs(value) < 0.0005 ? "" : `${value > 0 ? "+" : ""}${with_minus(value.toFixed(3))}`);

/** Whether a column shows all sentences or the nearest. */
const shows_all = new Set();

function row(look, { sentence, cosine, unchanged }) {
  const inner = element("i", {});
  inner.style.width = `${100 * Math.max(cosine, 0)}%`;
  const was = element("b", {});
  was.style.left = `${100 * Math.max(unchanged, 0)}%`;
  const moved = cosine - unchanged;
  return element("li", {}, element("span", { class: "sentence" }, look.sentences[sentence]),
    element("span", { class: "line-bar", "aria-hidden": "true" }, inner, was),
    element("span", { class: "number" }, with_minus(cosine.toFixed(3))),
    element("span", { class: `number moved ${moved > 0 ? "nearer" : "farther"}` }, signed(moved)));
}

/** Neighbours but the sentence itself, which would be its own nearest. */
export const other_sentences = ({ neighbours, sentences }, { text, pair }) =>
  neighbours.filter(({ sentence }) => pair || sentences[sentence].trim() !== text.trim());

/** What cosines the unchanged sentence has with others: a yardstick for how far a change moved it. */
function yardstick(others) {
  if (others.length === 0) return null;
  const cosines = others.map(({ unchanged }) => unchanged).sort((a, b) => a - b);
  const middle = cosines.length / 2;
  const median = (cosines[Math.ceil(middle) - 1] + cosines[Math.floor(middle)]) / 2;
  const number = (value) => with_minus(value.toFixed(3));
  return element("p", { class: "note yardstick" }, word("yardstick", { median: number(median), nearest: number(cosines.at(-1)) }));
}

/** @param request  what was asked */
export function neighbours_view(look, request, column, redraw) {
  if (!look.vector) return element("p", { class: "note" }, word("no_vectors"));
  const all = shows_all.has(column);
  const others = other_sentences(look, request);
  const shown_now = all ? others : others.slice(0, few);
  const toggle = () => {
    shows_all[all ? "delete" : "add"](column);
    redraw();
  };
  return [
    element("p", { class: "told" }, word("cosine_with_unchanged"), word("colon"), element("b", {}, with_minus(look.vector.cosine.toFixed(3)))),
    yardstick(others),
    element("ol", { class: "neighbours" }, shown_now.map((each) => row(look, each))),
    others.length > few ? element("button", { class: "small", id: `all-sentences-${column}`, "aria-expanded": String(all), click: toggle },
      all ? word("show_fewer") : word("show_all", { count: others.length })) : null,
  ];
}

/** The list, to edit. @param sentences  that the answer was of */
export function sentence_editor(get_sentences, choose) {
  const area = element("textarea", { id: "sentences", rows: 8, spellcheck: "false", "aria-label": word("sentences_label"),
    input: ({ target }) => choose({ sentences: target.value.split("\n").filter((line) => line.trim()) }) });
  const fill = () => (area.value = get_sentences().join("\n"));
  const back = () => {
    choose({ sentences: null });
    details.open = false;
  };
  const details = element("details", { class: "editor", toggle: () => details.open && fill() },
    element("summary", {}, word("edit_sentences")), element("p", { class: "note" }, word("sentences_label")), area,
    element("p", {}, element("button", { class: "small", id: "built_in_list", click: back }, word("built_in_list"))));
  return details;
}
