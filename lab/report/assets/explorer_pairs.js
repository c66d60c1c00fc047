// The explorer's two positions: how their rows of the table lie to each other.
function pair_lines(m) {
  const places = explored.pairs.norms.map((_, n) => n);
  const found = places.map((n) => pair_of(m, n));
  return { own: found.map(({ product }, n) => [n, product]), means: found.map(({ mean }, n) => [n, mean]) };
}

function pairs_picture(m, n, width, colour_scheme) {
  const { own, means } = pair_lines(m);
  const values = [...own, ...means].map(([, value]) => value);
  const series = [
    { name: filled("pair_series", { m }), colour: "blue", dash: null, sign: "circle", values: own },
    { name: word("mean_series"), colour: "orange", dash: "6 3", sign: "square", values: means },
  ];
  const last = own.length - 1;
  const title = `${word("pairs_title")}: m = ${m}, n = ${n}`;
  const x_ticks = ticks_of(0, last || 1, width < narrow ? 3 : 6).filter(Number.isInteger);
  return lines_picture({ width, colours: palette_of(colour_scheme), title, series, signs: false,
    x_title: word("pair_second"), x_ticks,
    x_domain: [0, last || 1], y_domain: [Math.min(0, ...values), Math.max(...values, 0) || 1], here: n });
}

function pairs_csv(m) {
  const heads = explored.pairs.heads.flatMap((_, i) => [`head_${i + 1}_m_looks_at_n`, `head_${i + 1}_n_looks_at_m`]);
  const rows = explored.pairs.norms.map((_, n) => {
    const { cosine, product, mean, distance, apart } = pair_of(m, n);
    const values = [m, n, apart, cosine, product, mean, distance, ...pair_logits(m, n).flat()];
    return values.map((value) => Number(value.toPrecision(6)));
  });
  const head = ["m", "n", "positions_apart", "cosine", "inner_product", "mean_at_distance", "distance", ...heads];
  const padded = (row) => [...row, ...Array(head.length - row.length).fill("")];
  return csv_text(head, rows.map(padded));
}

function pair_table(m, n) {
  const pair = pair_of(m, n);
  const row = (key) => element("tr", {}, element("th", { scope: "row" }, word(`pair_${key}`)),
    element("td", { class: "number" }, shown(pair[key])));
  const keys = ["apart", "cosine", "product", "mean", "distance"];
  return element("table", { class: "facts pair" }, element("tbody", {}, keys.map(row)));
}

function pair_heads(m, n) {
  const { heads, of_heads: count } = explored.pairs;
  if (!heads.length) return null;
  const found = pair_logits(m, n);
  const row = ([to, back], i) => element("tr", {}, element("th", { scope: "row" }, `${word("head")} ${i + 1}`),
    [to, back].map((value) => element("td", { class: "number" }, shown(value))));
  const told = element("p", { class: "note" }, `${word("pair_heads_note")} ${count - 1}.`);
  const titles = [word("head"), word("m_looks"), word("n_looks")];
  const table = scrolling_table("tokens", titles, element("tbody", {}, found.map(row)), word("pair_heads"));
  return element("div", { class: "heads" }, element("h4", {}, word("pair_heads")), found.length ? table : null, told);
}

/** Two fields for positions; what they say is told to `choose`. */
function pair_fields(state, choose) {
  const last = explored.pairs.norms.length - 1;
  const field = (key, label) => {
    const change = ({ target }) => {
      const asked = Math.round(Number(target.value));
      if (target.value !== "" && asked >= 0 && asked <= last) choose({ [key]: asked });
    };
    const range = { type: "number", min: 0, max: last, step: 1, value: state[key] };
    const input = element("input", { id: `pair-${key}`, ...range, input: change });
    return element("label", {}, word(label), input);
  };
  return element("div", { class: "controls" }, field("m", "pair_first"), field("n", "pair_second"));
}
