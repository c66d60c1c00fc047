// What each sum reads back as.
import { element, shown } from "./report.js";
import { by_position, is_pair, token_head } from "./parts.js";
import { parts } from "./state.js";
import { word } from "./words.js";

export const read_back_count = ({ tokens }) => tokens.filter(({ read_back }) => read_back?.itself).length;
export const reads_back = ({ tokens }) => tokens[0]?.read_back !== null;

const letter_of = (segment) => String.fromCharCode("A".charCodeAt(0) + segment);

/** Whether a part of the sum was read back. */
const is_right = (token, part) => token.read_back.itself || token.read_back[part] === token[part];

/** "segment B instead of A, position 15 instead of 1": the parts that were read wrongly. */
function wrong_parts(token) {
  const name = (part, value) => (part === "segment" ? letter_of(value) : value);
  const told = parts.filter((part) => !is_right(token, part)).map((part) =>
    word(`wrong_${part}`, { other: name(part, token.read_back[part]), own: name(part, token[part]) }));
  return told.join(word("comma"));
}

/** "token 10 of 10, position 0 of 10, segment 10 of 10 read back" */
function counts_of(tokens) {
  const right = (part) => tokens.filter((token) => is_right(token, part)).length;
  return word("read_back_parts", { all: tokens.length, ...Object.fromEntries(parts.map((part) => [part, right(part)])) });
}

export function read_back_table(look, chosen) {
  if (!reads_back(look)) return element("p", { class: "note" }, word("not_bert"));
  const { tokens } = look;
  const pair = is_pair(tokens);
  const sign = (itself) => element("span", { class: `badge ${itself ? "good" : "bad"}` },
    element("span", { "aria-hidden": "true" }, itself ? "✓" : "✕"), itself ? word("itself") : null);
  const row = (token) => element("tr", { class: token.index === chosen ? "chosen" : null }, token_head(token, pair),
    element("td", {}, sign(token.read_back.itself), token.read_back.itself ? null : ` ${wrong_parts(token)}`),
    element("td", { class: "number" }, shown(token.read_back.margin)));
  const heads = [element("th", { scope: "col" }, word("token")), element("th", { scope: "col" }, word("nearest")),
    element("th", { scope: "col", class: "number", title: word("margin_note") }, word("margin"))];
  return [
    element("p", { class: "told" }, counts_of(tokens)),
    element("div", { class: "scroll tall short-lines" }, element("table", { class: "tokens of-read-back" },
      element("thead", {}, element("tr", {}, heads)), element("tbody", {}, by_position(tokens).map(row)))),
  ];
}
