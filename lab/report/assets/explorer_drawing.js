// Pictures that the explorer draws itself: SVG elements, patterns, colour scales, and saving as the figures are saved.
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

async function png_of(svg) {
  const text = new XMLSerializer().serializeToString(svg);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = element("canvas", { width: 2 * svg.getAttribute("width"), height: 2 * svg.getAttribute("height") });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return canvas.toDataURL("image/png");
}

/** Buttons that save, as every figure has them. @param picture  draws for (width, scheme); none: there is no picture */
function save_tools(name, csv, picture) {
  const on_paper = () => {
    const svg = picture(720, "light");
    svg.insertBefore(drawn("rect", { width: "100%", height: "100%", fill: "white" }), svg.firstChild);
    return svg;
  };
  const svg_text = () => new XMLSerializer().serializeToString(on_paper());
  const button = (text, click) => element("button", { class: "small", click }, text);
  return element("div", { class: "tools" }, element("span", {}, `${word("save")}:`), [
    button("CSV", () => save(csv(), `${name}.csv`, "text/csv")),
    picture ? button("SVG", () => save(svg_text(), `${name}.svg`, "image/svg+xml")) : null,
    picture ? button("PNG", async () => save(await png_of(on_paper()), `${name}.png`)) : null,
  ]);
}

/**
 * A panel of the explorer that main.js treats as a figure.
 * @param show  fills the plot's place for (host, width)
 */
function panel({ name, title, caption, before = null, after = null, show, tools, keys = null }) {
  const host = element("div", { class: "plot", ...(keys ?? {}) });
  const text = element("figcaption", {}, prose(interface_words[caption]));
  const result = element("figure", { id: `figure-${name}`, class: "panel" },
    element("h3", {}, word(title)), before, host, text, after, tools);
  let width = 0;
  result.draw = () => {
    width = Math.floor(host.clientWidth);
    show(host, width);
    host.dataset.state = "drawn";
  };
  result.redraw = () => result.draw();
  result.is_stale = () => Math.floor(host.clientWidth) !== width;
  return result;
}
