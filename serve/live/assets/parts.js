// The parts of each sum, token by token.
import { drawn, element, palette_of, part_fill, part_looks, part_patterns, percent_of, share_bar, share_ends, svg_picture } from "./report.js";
import { colour_scheme } from "./scheme.js";
import { word } from "./words.js";

const known = ["token", "position", "segment", "common", "together", "noise"];
const bar_width = 150;

/** The parts that an answer has, in the report's order; noise has a colour of its own. */
const names_of = (tokens) => known.filter((name) => name in tokens[0].shares && (name !== "noise" || tokens.some(({ shares }) => shares.noise !== 0)));

/** Tokens by the positions that they take, each with its index. */
export const by_position = (tokens) =>
  tokens.map((token, index) => ({ ...token, index })).sort((a, b) => a.position - b.position);

/** A token's name as tables have it: where it stands, what it is, and which sentence it is of. */
export function token_head({ position, token, segment }, is_pair) {
  return element("th", { scope: "row" }, element("span", { class: "place" }, String(position)), ` ${token} `,
    is_pair ? element("span", { class: "letter" }, segment === 0 ? "A" : "B") : null);
}

export const is_pair = (tokens) => new Set(tokens.map(({ segment }) => segment)).size > 1;

function bar(token, names, ends, prefix, colours) {
  const shares = part_looks.map(({ key }) => token.shares[key] ?? 0);
  const told = names.map((name) => `${word(name)} ${percent_of(token.shares[name])}`).join(word("comma"));
  return svg_picture(bar_width, 16, colours, `${token.token}${word("colon")}${told}`,
    share_bar(shares, ends, { x: 1, y: 2, width: bar_width - 2, height: 12, prefix, colours }));
}

export function parts_table({ tokens }, column, chosen) {
  const colours = palette_of(colour_scheme());
  const prefix = `part-${column}`;
  const names = names_of(tokens);
  const ends = share_ends(tokens.map(({ shares }) => part_looks.map(({ key }) => shares[key] ?? 0)));
  const pair = is_pair(tokens);
  const cell = (name, token) => element("td", { class: `number of-${name}` }, percent_of(token.shares[name]));
  const row = (token) => element("tr", { class: token.index === chosen ? "chosen" : null }, token_head(token, pair),
    element("td", { class: "bar" }, bar(token, names, ends, prefix, colours)), names.map((name) => cell(name, token)),
    element("td", { class: "number of-length" }, token.norm.toFixed(2)));
  const size = { width: 12, height: 12 };
  const swatch = (name) => {
    const at = part_looks.findIndex(({ key }) => key === name);
    const fill = at < 0 ? colours.red : part_fill(prefix, at);
    return drawn("svg", { ...size, class: "swatch", "aria-hidden": "true" }, drawn("rect", { ...size, fill }));
  };
  const heads = [element("th", { scope: "col" }, word("token")), element("th", { scope: "col" }, word("shares")),
    names.map((name) => element("th", { scope: "col", class: `number of-${name}` }, swatch(name), ` ${word(name)}`)),
    element("th", { scope: "col", class: "number of-length" }, word("length"))];
  // In a narrow side some parts have no column, but they are in the bars.
  const legend = names.filter((name) => !["token", "position", "segment"].includes(name))
    .map((name) => element("span", { class: `of-${name}` }, swatch(name), ` ${word(name)} ${percent_of(mean_share({ tokens }, name))}`));
  return [
    drawn("svg", { width: 0, height: 0, class: "patterns", "aria-hidden": "true" }, part_patterns(colours, prefix)),
    element("div", { class: "scroll tall" }, element("table", { class: "tokens of-parts" },
      element("thead", {}, element("tr", {}, heads)), element("tbody", {}, by_position(tokens).map(row)))),
    element("p", { class: "note parts-legend" }, word("also_in_bars"), legend),
  ];
}

/** Mean share of a part over the tokens. */
export const mean_share = ({ tokens }, name) => tokens.reduce((sum, { shares }) => sum + shares[name] / tokens.length, 0);
