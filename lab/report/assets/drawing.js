// Pictures in the report's colours: SVG elements, patterns of the parts, colour scales, bars of shares. `data.theme` is theme.json.
const palette_of = (colour_scheme) => {
  const colours = data.theme.colours[colour_scheme];
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name.slice(1), colour]));
};

function svg_picture(width, height, colours, title, ...content) {
  const size = { width, height, viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}` };
  const look = { "font-family": data.theme.config.font, "font-size": 12, fill: colours.ink };
  return drawn("svg", { xmlns: svg_space, ...size, ...look, role: "img", "aria-label": title }, content);
}

const written = (x, y, text, attributes = {}) => drawn("text", { x, y, ...attributes }, text);

// A part has a pattern beside its colour, as its lines have dashes elsewhere in the report.
const part_looks = [
  { key: "token", colour: "orange", marks: "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4" },
  { key: "position", colour: "blue", marks: null },
  { key: "segment", colour: "green", marks: "M2,2 h2 v2 h-2 z M6,6 h2 v2 h-2 z" },
  { key: "common", colour: "faint", marks: "M0,4 h8" },
  { key: "together", colour: "purple", marks: "M0,0 l8,8 M0,8 l8,-8" },
];

/** Fills for the parts: use `url(#…)` of what `part_fill` names, in a picture that has these. */
function part_patterns(colours, prefix) {
  const pattern = ({ key, colour, marks }) => {
    const fill = key === "segment" ? colours.paper : "none";
    return drawn("pattern", { id: `${prefix}-${key}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
      drawn("rect", { width: 8, height: 8, fill: colours[colour] }),
      marks ? drawn("path", { d: marks, stroke: colours.paper, "stroke-width": 1.3, fill }) : null);
  };
  return drawn("defs", {}, part_looks.map(pattern));
}
const part_fill = (prefix, i) => `url(#${prefix}-${part_looks[i].key})`;

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** The colour of a value between two ends, on the report's scales. */
function scale_colour(points, low, high, value) {
  const part = high > low ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0.5;
  const at = part * (points.length - 1);
  const left = Math.min(Math.floor(at), points.length - 2);
  const [from, to] = [channels(points[left]), channels(points[left + 1])];
  const mixed = from.map((channel, i) => Math.round(channel + (at - left) * (to[i] - channel)));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** Round numbers that divide a range in about `count` steps. */
function ticks_of(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** How far bars reach to the left (negative shares) and to the right. */
function share_ends(shares) {
  const sum_of = (parts, sign) => parts.filter((share) => sign * share > 0).reduce((sum, share) => sum + share, 0);
  const reach = (sign) => shares.map((parts) => sum_of(parts, sign));
  return { low: Math.min(0, ...reach(-1)), high: Math.max(1, ...reach(1)) };
}

/** One stacked bar: positive shares to the right of 0, negative ones to its left. */
function share_bar(parts, { low, high }, { x, y, width, height, prefix, colours }) {
  const at = (share) => x + ((share - low) / (high - low)) * width;
  const ends = { left: 0, right: 0 };
  const pieces = parts.map((share, i) => {
    const from = share < 0 ? ends.left + share : ends.right;
    if (share < 0) ends.left += share;
    else ends.right += share;
    const box = { x: at(from), y, width: Math.max(at(from + Math.abs(share)) - at(from), 0), height };
    return drawn("rect", { ...box, fill: part_fill(prefix, i), stroke: colours.paper, "stroke-width": 1 });
  });
  return [pieces, drawn("line", { x1: at(0), x2: at(0), y1: y - 2, y2: y + height + 2, stroke: colours.ink })];
}

const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
