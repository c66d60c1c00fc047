// What each sum reads back as.
import { element, shown } from "./report.js";
import { by_position, is_pair, token_head } from "./parts.js";
import { word } from "./words.js";

export const read_back_count = ({ tokens }) => tokens.filter(({ read_back }) => read_back?.itself).length;
export const reads_back = ({ tokens }) => tokens[0]?.read_back !== null;

export function read_back_table(look, chosen) {
  if (!reads_back(look)) return element("p", { class: "note" }, word("not_bert"));
  const { tokens } = look;
  const pair = is_pair(tokens);
  const letter = (segment) => (pair ? ` · ${segment === 0 ? "A" : "B"}` : "");
  const sign = (itself) => element("span", { class: `badge ${itself ? "good" : "bad"}` },
    element("span", { "aria-hidden": "true" }, itself ? "✓" : "✕"), itself ? word("itself") : null);
  const other = ({ token, position, segment }) => ` ${token} · ${position}${letter(segment)}`;
  const row = (token) => element("tr", { class: token.index === chosen ? "chosen" : null }, token_head(token, pair),
    element("td", {}, sign(token.read_back.itself), token.read_back.itself ? null : other(token.read_back)),
    element("td", { class: "number" }, shown(token.read_back.margin)));
  const heads = [element("th", { scope: "col" }, word("token")), element("th", { scope: "col" }, word("nearest")),
    element("th", { scope: "col", class: "number", title: word("margin_note") }, word("margin"))];
  return [
    element("p", { class: "told" }, word("read_back_count", { right: read_back_count(look), all: tokens.length })),
    element("div", { class: "scroll tall short-lines" }, element("table", { class: "tokens of-read-back" },
      element("thead", {}, element("tr", {}, heads)), element("tbody", {}, by_position(tokens).map(row)))),
  ];
}
