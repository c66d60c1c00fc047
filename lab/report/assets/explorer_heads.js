// The explorer's head view: tokens that look on the left, tokens that are looked at on the right, a line for each weight.
const row_height = 24; // pixels: a finger finds it
const least_drawn = 0.005; // a fainter line cannot be seen

/** A colour by lightness, chroma and hue (radians) as eyes have them. Source: Ottosson 2020, "A perceptual color space". */
function perceived_colour(lightness, chroma, hue) {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  const coded = (part) => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055);
  const byte = (part) => Math.round(255 * Math.min(Math.max(coded(Math.max(part, 0)), 0), 1));
  return `#${linear.map((part) => byte(part).toString(16).padStart(2, "0")).join("")}`;
}

/** One colour a head, far apart on the circle of hues where the numbers are neighbours. */
function head_colours(colour_scheme) {
  const count = explored.heads;
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  const strides = Array.from({ length: count }, (_, i) => i + 1);
  const stride = strides.find((each) => each >= 0.38 * count && divisor(each, count) === 1) ?? 1;
  const [even, odd] = colour_scheme === "dark" ? [0.8, 0.7] : [0.62, 0.52];
  return head_numbers().map((head) => {
    const place = (head * stride) % count;
    return perceived_colour(place % 2 ? odd : even, 0.15, 0.45 + (2 * Math.PI * place) / count);
  });
}

const heads_text = (heads) => (heads.length === explored.heads ? "all" : heads.map((head) => head + 1).join(".") || "none");

/** The heads that an address names: "all", "none", or numbers between points. */
function heads_of(text) {
  if (text === "none") return [];
  const asked = new Set((text ?? "").split(".").map((number) => Number(number) - 1));
  const heads = head_numbers().filter((head) => asked.has(head));
  return heads.length ? heads : head_numbers();
}

/** [{ head, values }] of the heads that are on; where the page has only their mean, that. */
function view_matrices(sentence, state) {
  const of_head = (head) => attention_of(sentence, state.step, state.layer, head);
  const first = of_head(0);
  if (first.is_mean) return [{ head: "mean", values: first.values }];
  return state.heads.map((head) => ({ head, values: of_head(head).values }));
}

const is_special = (sentence, i) => Boolean(sentence.special[i]);

/** Whether the head view has a token on a side, 0 for the left. */
function stands(sentence, state, side, i) {
  if (state.special === "hidden" && is_special(sentence, i)) return false;
  return state.filter === "all" || letter_of(sentence.tokens[i][2]) === state.filter[side];
}

/** Lines of the head view as [head, query, key, weight], of what the filters leave. */
function view_lines(sentence, state) {
  const places = [0, 1].map((side) => sentence.tokens.flatMap((_, i) => (stands(sentence, state, side, i) ? [i] : [])));
  const count = sentence.tokens.length;
  return view_matrices(sentence, state).flatMap(({ head, values }) =>
    places[0].flatMap((i) => places[1].map((j) => [head, i, j, values[i * count + j]])));
}

/** Where everything lies in a picture of this width. */
function view_layout(sentence, state, room) {
  const is_narrow = room < narrow;
  const width = Math.min(room, 760);
  const letters = is_narrow ? 11 : 16;
  const longest = Math.max(...sentence.tokens.map((_, i) => Math.min([...placed(sentence, i)].length, letters)));
  const label = Math.min(7.2 * longest + 12, width * 0.3);
  const top = 52;
  const columns = [0, 1].map((side) => {
    const found = { rows: new Map(), headings: [], bottom: top };
    let segment = null;
    sentence.tokens.forEach((token, i) => {
      if (!stands(sentence, state, side, i)) return;
      if (is_pair(sentence) && token[2] !== segment) {
        found.headings.push([letter_of(token[2]), found.bottom + row_height / 2]);
        found.bottom += row_height;
      }
      segment = token[2];
      found.rows.set(i, found.bottom + row_height / 2);
      found.bottom += row_height;
    });
    return found;
  });
  const bottom = Math.max(...columns.map((column) => column.bottom));
  return { width, letters, columns, left: label, right: width - label, bottom };
}

function view_title(state, is_mean) {
  const heads = state.heads.map((head) => head + 1).join(language === "zh" ? "、" : ", ");
  const named = state.heads.length > 5 ? filled("so_many_heads", { count: state.heads.length }) : `${word("heads")} ${heads}`;
  const some = state.heads.length === explored.heads ? word("all_heads") : named;
  const of_heads = is_mean ? word("mean_of_heads") : state.heads.length ? some : word("no_head");
  const inner = (text) => text.charAt(0).toLowerCase() + text.slice(1);
  return [layer_text(state.layer), inner(of_heads), ...at_strength(state.step)].join(language === "zh" ? "，" : ", ");
}

/** One side's tokens; the numbers beside them are empty until a token is looked at. */
function view_column(sentence, layout, side, colours) {
  const { columns, left, right, width, letters } = layout;
  const anchor = side ? "start" : "end";
  const x = side ? right : left;
  const heading = ([letter, y]) =>
    written(x, y + 4, `${word("sentence")} ${letter}`, { "text-anchor": anchor, fill: colours.soft, "font-size": 11 });
  const token = ([i, y]) => {
    const from = side ? right - 5 : 0;
    const box = { x: from, y: y - row_height / 2, width: side ? width - from : left + 5, height: row_height };
    // Over the ends of lines, on the paper's colour.
    const on_paper = { stroke: colours.paper, "stroke-width": 5, "paint-order": "stroke", "stroke-linejoin": "round" };
    return drawn("g", { "data-token": `${side},${i}` },
      drawn("rect", { ...box, rx: 4, fill: colours.grid, visibility: "hidden" }),
      written(x, y + 4, shortened(placed(sentence, i), letters), { "text-anchor": anchor }),
      drawn("text", { x: side ? right - 9 : left + 9, y: y + 4, "text-anchor": side ? "end" : "start", "font-size": 11,
        class: "weight", ...on_paper }));
  };
  return [columns[side].headings.map(heading), [...columns[side].rows].map(token)];
}

function view_picture(sentence, state, room, colour_scheme) {
  const colours = palette_of(colour_scheme);
  const of_heads = head_colours(colour_scheme);
  const layout = view_layout(sentence, state, room);
  const { columns, left, right } = layout;
  const lines = view_lines(sentence, state).filter(([, , , weight]) => weight >= least_drawn);
  const is_mean = view_matrices(sentence, state)[0]?.head === "mean";
  const order = is_mean ? ["mean"] : state.heads;
  // Heads lie side by side where they join the same two tokens.
  const apart = Math.min(1.5, (row_height - 8) / order.length);
  const shift = new Map(order.map((head, i) => [head, (i - (order.length - 1) / 2) * apart]));
  const line = ([head, i, j, weight]) => drawn("line", {
    x1: left + 8, y1: columns[0].rows.get(i) + shift.get(head), x2: right - 8, y2: columns[1].rows.get(j) + shift.get(head),
    stroke: head === "mean" ? colours.ink : of_heads[head], "stroke-opacity": String(Number(weight.toFixed(3))),
    "stroke-width": 1.8, "data-line": `${i},${j}`, "data-head": head === "mean" ? head : head + 1 });
  const title = view_title(state, is_mean);
  const soft = { fill: colours.soft, "font-size": 11 };
  return svg_picture(layout.width, layout.bottom + 8, colours, `${word("heads_title")}: ${title}`,
    written(4, 16, title, { "font-weight": 600, "font-size": layout.width < narrow ? 11 : 12 }),
    written(4, 40, word("side_query"), soft), written(layout.width - 4, 40, word("side_key"), { ...soft, "text-anchor": "end" }),
    lines.map(line), [0, 1].map((side) => view_column(sentence, layout, side, colours)));
}

/** What is saved has its heads' colours below. */
function saved_view_picture(sentence, state, width, colour_scheme) {
  const svg = view_picture(sentence, state, width, colour_scheme);
  if (view_matrices(sentence, state)[0]?.head === "mean") return svg;
  const of_heads = head_colours(colour_scheme);
  const bottom = Number(svg.getAttribute("height"));
  const in_line = Math.floor((Number(svg.getAttribute("width")) - 20) / 40);
  const items = state.heads.map((head, i) => {
    const [x, y] = [10 + (i % in_line) * 40, bottom + 8 + Math.floor(i / in_line) * 20];
    return [drawn("rect", { x, y, width: 12, height: 12, fill: of_heads[head] }), written(x + 16, y + 11, String(head + 1))];
  });
  const height = bottom + 16 + Math.ceil(state.heads.length / in_line) * 20;
  svg.append(...items.flat());
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${height}`);
  return svg;
}

function view_csv(sentence, state) {
  const head_row = ["layer", "head", "strength", "query_position", "query", "query_segment",
    "key_position", "key", "key_segment", "weight"];
  const named = (i) => [sentence.tokens[i][1], token_of(sentence.tokens[i][0]), sentence.tokens[i][2]];
  const rows = view_lines(sentence, state).map(([head, i, j, weight]) => [state.layer + 1, head === "mean" ? head : head + 1,
    explored.strengths[state.step], ...named(i), ...named(j), Number(weight.toPrecision(3))]);
  return csv_text(head_row, rows);
}

/** [other token, weight] of one token's lines, the mean over the heads that are on. */
function weights_of(sentence, state, [side, i]) {
  const matrices = view_matrices(sentence, state);
  const count = sentence.tokens.length;
  const at = (j) => (side ? j * count + i : i * count + j);
  const others = sentence.tokens.flatMap((_, j) => (stands(sentence, state, 1 - side, j) ? [j] : []));
  return matrices.length ? others.map((j) => [j, mean_of(matrices.map(({ values }) => values[at(j)]))]) : [];
}

/** What is told under the picture: of the token that is looked at, or how many heads are on. */
function view_told(sentence, state, at) {
  const matrices = view_matrices(sentence, state);
  const is_mean = matrices[0]?.head === "mean";
  if (!is_mean && !matrices.length) return word("no_head_on");
  if (!at) return is_mean ? word("only_means") : filled("heads_on", { on: matrices.length, all: explored.heads });
  const strongest = weights_of(sentence, state, at).sort(([, a], [, b]) => b - a).slice(0, 4);
  const told = strongest.map(([j, weight]) => `${placed(sentence, j)} ${shown(weight)}`).join(" · ");
  const of_what = is_mean || matrices.length > 1 ? ` (${word("mean_of_on")})` : "";
  return filled(at[0] ? "looked_at_by" : "looks_at", { token: placed(sentence, at[1]), told }) + of_what;
}

/** Shows one token's lines and weights only; without a token all lines. */
function look_at(host, sentence, state, at) {
  const weights = new Map(at ? weights_of(sentence, state, at) : []);
  for (const line of host.querySelectorAll("[data-line]")) {
    const is_own = !at || Number(line.dataset.line.split(",")[at[0]]) === at[1];
    if (is_own) line.removeAttribute("visibility");
    else line.setAttribute("visibility", "hidden");
  }
  for (const token of host.querySelectorAll("[data-token]")) {
    const [side, i] = token.dataset.token.split(",").map(Number);
    const is_own = at && side === at[0] && i === at[1];
    token.querySelector("rect").setAttribute("visibility", is_own ? "visible" : "hidden");
    token.querySelector(".weight").textContent = at && side !== at[0] && weights.has(i) ? weights.get(i).toFixed(2) : "";
  }
}

/** The token that a key moves to: up and down in a column, left and right to the other. */
function moved_token(columns, at, key) {
  const rows = columns.map((column) => [...column.rows.keys()]);
  if (!at) return rows[0].length ? [0, rows[0][0]] : null;
  const [side, i] = at;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const other = key === "ArrowLeft" ? 0 : 1;
    const nearest = [...rows[other]].sort((a, b) => Math.abs(a - i) - Math.abs(b - i))[0];
    return nearest === undefined ? at : [other, nearest];
  }
  const place = rows[side].indexOf(i) + (key === "ArrowUp" ? -1 : 1);
  return [side, rows[side][Math.min(Math.max(place, 0), rows[side].length - 1)]];
}

/** Lets the drawn view answer to the pointer, to a finger and to the arrow keys. */
function watch_tokens(host, told, sentence, state) {
  const { columns, width } = view_layout(sentence, state, Math.floor(host.clientWidth));
  const svg = host.querySelector("svg");
  const look = (at) => {
    if (String(at) === String(host.at)) return;
    host.at = at;
    look_at(host, sentence, state, at);
    told.textContent = view_told(sentence, state, at);
  };
  if (host.at && !columns[host.at[0]].rows.has(host.at[1])) host.at = null;
  look_at(host, sentence, state, host.at ?? null);
  told.textContent = view_told(sentence, state, host.at ?? null);
  const point = (event) => {
    const box = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const side = x < width / 2 ? 0 : 1;
    const found = [...columns[side].rows].find(([, middle]) => Math.abs(y - middle) <= row_height / 2);
    look(found && x >= 0 && x <= width ? [side, found[0]] : null);
  };
  host.onpointermove = point;
  host.onpointerdown = point;
  host.onpointerleave = (event) => event.pointerType === "touch" || look(null);
  host.onblur = () => look(null);
  host.onkeydown = (event) => {
    if (event.key === "Escape") look(null);
    if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    look(moved_token(columns, host.at, event.key));
  };
}

/** A coloured square that switches a head: twice, or with Shift, for that head alone. */
function head_square(head, get, choose) {
  const only = () => {
    const is_only = get().heads.length === 1 && get().heads[0] === head;
    choose({ heads: is_only ? head_numbers() : [head] });
  };
  const toggle = (event) => {
    if (event.shiftKey) return only();
    const heads = get().heads.filter((each) => each !== head);
    if (heads.length === get().heads.length) heads.push(head);
    choose({ heads: heads.sort((a, b) => a - b) });
  };
  const look = { class: "head-square", id: `view-head-${head + 1}`, "aria-label": `${word("head")} ${head + 1}` };
  return element("button", { ...look, click: toggle, dblclick: only },
    element("span", { class: "square", "aria-hidden": "true" }), String(head + 1));
}

/** The squares stay while they change, since a double click needs both clicks on one. */
function head_squares(get, choose) {
  const squares = head_numbers().map((head) => head_square(head, get, choose));
  const set = (name, heads) =>
    element("button", { class: "small", id: `view-heads-${name}`, click: () => choose({ heads }) }, word(`${name}_on`));
  const group = element("div", { class: "head-squares", role: "group", "aria-label": word("heads") },
    element("span", {}, word("heads")), squares, set("all", head_numbers()), set("none", []));
  group.refresh = () => {
    const colours = head_colours(scheme());
    const { is_mean } = attention_of(explored.sentences[get().sentence], get().step, get().layer, 0);
    squares.forEach((square, head) => {
      square.setAttribute("aria-pressed", String(get().heads.includes(head)));
      square.style.setProperty("--head", colours[head]);
    });
    group.querySelectorAll("button").forEach((button) => (button.disabled = is_mean));
  };
  return group;
}

function view_controls(state, sentence, choose) {
  const switch_special = ({ target }) => choose({ special: target.checked ? "kept" : "hidden" });
  const has_special = sentence.special.some(Boolean);
  const special = element("input", { type: "checkbox", id: "view-special", checked: state.special === "kept",
    change: switch_special });
  return [layer_stepper("view-layer", state, choose), filter_buttons("view", state, sentence, choose),
    has_special ? element("label", { class: "switch" }, special, ` ${word("special_kept")}`) : null];
}

function heads_panel(get, choose) {
  const sentence = () => explored.sentences[get().sentence];
  const controls = element("div", { class: "controls", id: "view-controls" });
  const squares = head_squares(get, choose);
  const told = element("p", { class: "told view-told", role: "status" });
  return panel({ name: "explorer-heads", title: "heads_title", caption: "heads_caption",
    before: element("div", {}, controls, squares), after: told,
    keys: { tabindex: "0", role: "group", "aria-label": `${word("heads_title")}. ${word("view_keys")}` },
    show: (host, width) => {
      controls.replaceChildren(...view_controls(get(), sentence(), choose).filter(Boolean));
      squares.refresh();
      host.replaceChildren(view_picture(sentence(), get(), width, scheme()));
      watch_tokens(host, told, sentence(), get());
    },
    tools: save_tools("explorer-heads", () => view_csv(sentence(), get()),
      (...size) => saved_view_picture(sentence(), get(), ...size)) });
}
