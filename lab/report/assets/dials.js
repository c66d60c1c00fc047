// The clocks: a dial for every circle of the position table, and a slider over the positions that turns them together.
const dials_figure = "clocks-dials";

const dials_of = (figure) => {
  const columns = Object.fromEntries(columns_of(figure));
  const dials = new Map();
  columns.plane.forEach((name, i) => {
    if (!dials.has(name)) dials.set(name, { name, pace: columns.pace[i], period: columns.period[i], turns: columns.turns?.[i], counted: columns.counted?.[i], places: new Map() });
    dials.get(name).places.set(columns.position[i], [columns.x[i], columns.y[i]]);
  });
  const lengths = new Map(columns.position.map((position, i) => [position, columns.length?.[i]]));
  return { dials: [...dials.values()], lengths };
};

/** One face: every position a point, as far out as the row lies, and a hand that is moved. */
function dial_face(dial) {
  const places = [...dial.places.values()];
  const most = Math.max(...places.map(([x, y]) => Math.hypot(x, y)));
  const at = ([x, y]) => [(90 * x) / most, (-90 * y) / most];
  const points = places.map((place) => {
    const [x, y] = at(place);
    return drawn("circle", { class: "place", cx: x, cy: y, r: 1.3 });
  });
  const hand = drawn("line", { class: "hand", x1: 0, y1: 0, x2: 0, y2: 0 });
  const tip_of_hand = drawn("circle", { class: "tip", r: 6 });
  const middle = drawn("circle", { class: "middle", r: 2.5 });
  const face = drawn("svg", { viewBox: "-100 -100 200 200", "aria-hidden": "true" }, ...points, hand, middle, tip_of_hand);
  const move = (place) => {
    const [x, y] = place ? at(place) : [0, 0];
    hand.setAttribute("x2", x);
    hand.setAttribute("y2", y);
    tip_of_hand.setAttribute("cx", x);
    tip_of_hand.setAttribute("cy", y);
    hand.style.visibility = tip_of_hand.style.visibility = place ? "visible" : "hidden";
  };
  return { face, move };
}

/** What the dials have of a row, dial by dial, and what is missing, as one bar. */
function rebuilt_bar(count) {
  const parts = Array.from({ length: count }, (_, i) => element("span", { class: `part part-${i % 2}` }));
  const bar = element("div", { class: "share-bar", "aria-hidden": "true" }, parts);
  const show = (shares) => {
    const all = Math.max(1, shares?.reduce((sum, share) => sum + share, 0) ?? 0);
    parts.forEach((part, i) => (part.style.width = `${(100 * (shares?.[i] ?? 0)) / all}%`));
  };
  return { bar, show };
}

const rebuilt_figure = "clocks-rebuilt";

/** A row's numbers as colours, as the matrices have them: orange above 0, blue below, the paper's own at 0. */
function number_strip(label) {
  const canvas = element("canvas", { height: 1, "aria-hidden": "true" });
  const show = (numbers, most) => {
    const colours = data.theme.colours[scheme()];
    const channels = (name) => [1, 3, 5].map((at) => parseInt(colours[name].slice(at, at + 2), 16));
    const [paper, above, below] = ["@paper", "@red", "@blue"].map(channels);
    canvas.width = numbers.length;
    const context = canvas.getContext("2d");
    const image = context.createImageData(numbers.length, 1);
    numbers.forEach((number, i) => {
      const much = Number.isNaN(number) ? 0 : Math.min(Math.abs(number) / most, 1);
      const end = number > 0 ? above : below;
      paper.forEach((value, channel) => (image.data[4 * i + channel] = value + much * (end[channel] - value)));
      image.data[4 * i + 3] = 255;
    });
    context.putImageData(image, 0, 0);
  };
  return { strip: element("div", { class: "number-strip" }, note(label), canvas), show };
}

/** The row, the sum of the dials, and what is missing; nothing where the run has kept no such rows. */
function rebuilt_strips() {
  const matrix = questions.get("clocks").figures.find((figure) => figure.name === rebuilt_figure)?.data.matrix;
  if (!matrix) return { strips: [], show: () => {} };
  const read = matrix_reader(matrix);
  const width = matrix.columns / 2;
  const strips = ["dials_row", "dials_sum", "dials_rest"].map((key) => number_strip(word(key)));
  const show = (position) => {
    const row = Array.from({ length: width }, (_, column) => read(position, column));
    const sum = Array.from({ length: width }, (_, column) => read(position, width + column));
    const rest = row.map((number, i) => number - sum[i]);
    const most = Math.max(...row.filter((number) => !Number.isNaN(number)).map(Math.abs), 1e-9);
    [row, sum, rest].forEach((numbers, i) => strips[i].show(numbers, most));
  };
  return { strips: strips.map(({ strip }) => strip), show };
}

function dials_element(figure) {
  const { dials, lengths } = dials_of(figure);
  const positions = [...lengths.keys()].sort((a, b) => a - b);
  const faces = dials.map(dial_face);
  const { bar, show } = rebuilt_bar(dials.length);
  const rebuilt = rebuilt_strips();
  const said = element("output", { class: "dials-said", "aria-live": "polite" });
  const slider = element("input", {
    type: "range", min: 0, max: positions.at(-1), step: 1, value: positions[Math.floor(positions.length / 8)], "aria-label": word("position"),
  });
  const move = () => {
    const position = Number(slider.value);
    const places = dials.map((dial) => dial.places.get(position));
    places.forEach((place, i) => faces[i].move(place));
    const length = lengths.get(position);
    const shares = length ? places.map(([x, y]) => (x * x + y * y) / (length * length)) : null;
    show(shares);
    rebuilt.show(position);
    const kept = shares?.reduce((sum, share) => sum + share, 0);
    const text = !places[0]
      ? word("dials_left_out")
      : shares && `${word("dials_kept")} ${percent_of(kept)} · ${kept > 1 ? word("dials_beyond") : `${word("dials_missing")} ${percent_of(1 - kept)}`}`;
    said.replaceChildren(element("b", {}, `${word("position")} ${position}`), text ? ` · ${text}` : "");
  };
  slider.addEventListener("input", move);
  const one = (dial, i) =>
    element("div", { class: "dial" }, faces[i].face, element("span", { class: "of" },
      `${shown(dial.pace)}° ${word("a_step")}`, element("br"), `${shown(dial.period)} ${word("positions_a_turn")}`,
      dial.counted ? [element("br"), `${dial.turns.toFixed(1)} ${word("turns_in_all")}`, element("br"), say(dial.counted)] : ""));
  const result = element("figure", { class: "dials", id: `figure-${figure.name}` },
    element("h3", {}, word("dials_title")),
    element("div", { class: "faces" }, dials.map(one)),
    element("label", { class: "dials-slider" }, slider), said, bar, rebuilt.strips,
    element("figcaption", {}, word("dials_caption")), figure_tools(figure));
  result.draw = move;
  result.redraw = move; // in the other colours
  result.is_stale = () => false;
  return result;
}
