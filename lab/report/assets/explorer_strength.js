// The explorer's picture of what the strength of the position part does to a sentence.
const mean_of = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Series over the strengths, all parts of 1; of a model that is no BERT without what is read back. */
function strength_series(sentence) {
  const right = ({ decoded: list }) => list.filter(([, , , margin]) => margin > 0).length / list.length;
  const position_share = ({ shares }) => mean_of(shares.map((parts) => parts[1]));
  const series = [
    { key: "cosine_series", column: "cosine", colour: "purple", dash: null, sign: "circle", of: ({ cosine }) => cosine },
    { key: "decoded_series", column: "read_back", colour: "ink", dash: "7 3", sign: "square", of: right },
    { key: "share_series", column: "position_share", colour: "blue", dash: "2 3", sign: "triangle", of: position_share },
  ];
  const known = series.filter(({ of }) => of !== right || reads_back(sentence));
  return known.map((each) => ({ ...each, values: sentence.strengths.map(each.of) }));
}

function series_sign(sign, x, y, colour) {
  if (sign === "circle") return drawn("circle", { cx: x, cy: y, r: 4.5, fill: colour });
  if (sign === "square") return drawn("rect", { x: x - 4, y: y - 4, width: 8, height: 8, fill: colour });
  return drawn("path", { d: `M${x},${y - 5} l5,9 h-10 z`, fill: colour });
}

/** Lines over a horizontal axis, with signs at the points and a legend line for each. */
function lines_picture({ width, colours, title, series, x_title, x_ticks, x_domain, y_domain, here, signs = true }) {
  const [left, right, top] = [46, 14, 26 + 18 * series.length];
  const [inner, height] = [width - left - right, 220];
  const x = (value) => left + ((value - x_domain[0]) / (x_domain[1] - x_domain[0] || 1)) * inner;
  const y = (value) => top + height - ((value - y_domain[0]) / (y_domain[1] - y_domain[0] || 1)) * height;
  const legend = series.map(({ name, colour, dash, sign }, i) => {
    const at = 18 + i * 18;
    const look = { stroke: colours[colour], "stroke-width": 2, "stroke-dasharray": dash };
    return [drawn("line", { x1: left, x2: left + 30, y1: at - 4, y2: at - 4, ...look }),
      signs ? series_sign(sign, left + 15, at - 4, colours[colour]) : null, written(left + 38, at, name)];
  });
  const soft = { fill: colours.soft, "font-size": 11.5 };
  const level = (value) => [
    drawn("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: colours.grid }),
    written(left - 6, y(value) + 4, short_number(value), { ...soft, "text-anchor": "end" }),
  ];
  const tick = (value) => [
    drawn("line", { x1: x(value), x2: x(value), y1: top + height, y2: top + height + 5, stroke: colours.faint }),
    written(x(value), top + height + 18, short_number(value), { ...soft, "text-anchor": "middle" }),
  ];
  const line = ({ colour, dash, sign, values }) => [
    drawn("polyline", { points: values.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" "), fill: "none",
      stroke: colours[colour], "stroke-width": 2, "stroke-dasharray": dash }),
    signs ? values.map(([a, b]) => series_sign(sign, x(a), y(b), colours[colour])) : null,
  ];
  const now = { x1: x(here), x2: x(here), y1: top - 4, y2: top + height, stroke: colours.ink, "stroke-width": 1.5 };
  const bottom = written(left + inner / 2, top + height + 38, x_title, { "text-anchor": "middle" });
  return svg_picture(width, top + height + 46, colours, title, legend, ticks_of(...y_domain, 4).map(level),
    x_ticks.map(tick), drawn("line", now), series.map(line), bottom);
}

function strength_picture(sentence, step, width, colour_scheme) {
  const series = strength_series(sentence).map((each) => ({ ...each, name: word(each.key),
    values: each.values.map((value, i) => [explored.strengths[i], value]) }));
  const least = Math.min(0, ...series.flatMap(({ values }) => values.map(([, value]) => value)));
  return lines_picture({ width, colours: palette_of(colour_scheme), title: word("strength_title"), series,
    x_title: word("strength"), x_ticks: width < narrow ? [0, 1, 2, 3] : [0, 0.5, 1, 1.5, 2, 3], x_domain: [0, 3],
    y_domain: [least, 1], here: explored.strengths[step] });
}

function strength_csv(sentence) {
  const series = strength_series(sentence);
  return csv_text(["strength", ...series.map(({ column }) => column)],
    explored.strengths.map((strength, i) => [strength, ...series.map(({ values }) => values[i])]));
}

/** The numbers of the chosen step in words, under the picture. */
function strength_told(sentence, step) {
  const colon = language === "zh" ? "：" : ": ";
  return strength_series(sentence).map(({ key, values }) => word(key) + colon + shown(values[step])).join(" · ");
}
