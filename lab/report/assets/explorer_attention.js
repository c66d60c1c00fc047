// The explorer's matrix: who looks at whom, in attention weights or in the first layer's logits.
const filters = ["all", "AA", "AB", "BA", "BB"];

/** Whether a cell is shown: a filter names the query's sentence, then the key's. */
function passes(sentence, filter, i, j) {
  const is_of = (token, letter) => letter_of(sentence.tokens[token][2]) === letter;
  return filter === "all" || (is_of(i, filter[0]) && is_of(j, filter[1]));
}

/** What is shown: "weights", "logits", or "logits-Q-K" with numbers of parts. */
function shown_matrix(sentence, state) {
  if (state.show === "weights" || !has_terms(state)) {
    return { ...attention_of(sentence, state.step, state.layer, state.head), unit: word("weight"), is_logit: false };
  }
  const [, query_part, key_part] = state.show.split("-");
  const parts = query_part === undefined ? [] : [Number(query_part), Number(key_part)];
  return { values: logits_of(sentence, state.head, ...parts), is_mean: false, unit: word("logit"), is_logit: true };
}

const term_name = (q, k) => `${say(explored.parts[q])} → ${say(explored.parts[k])}`;
const head_text = (head) => (head === "mean" ? word("mean_of_heads") : `${word("head")} ${head + 1}`);

/** "Layer 1, head 3, logit position → position, strength 1": the picture's title. */
function matrix_title(state, matrix) {
  const [, q, k] = matrix.is_logit ? state.show.split("-") : [];
  const head = matrix.is_mean ? word("mean_of_heads") : head_text(state.head);
  const what = q === undefined ? matrix.unit : `${matrix.unit} ${term_name(Number(q), Number(k))}`;
  const inner = (text) => text.charAt(0).toLowerCase() + text.slice(1);
  const said = [head, what, ...at_strength(state.step)].map(inner);
  return [layer_text(state.layer), ...said].join(language === "zh" ? "，" : ", ");
}

// Colours run over all of the matrix, so that a filter changes none.
function matrix_scale(matrix) {
  const most = matrix.values.reduce((high, value) => Math.max(high, Math.abs(value)), 0) || 1;
  const points = explored.colours[matrix.is_logit ? "diverging" : "sequential"];
  return { low: matrix.is_logit ? -most : 0, high: most, points };
}

function scale_legend({ low, high, points }, unit, x, y, width, colours) {
  const count = 60;
  const piece = (_, i) => drawn("rect", { x: x + (i * width) / count, y, width: width / count + 0.6, height: 9,
    fill: scale_colour(points, 0, count - 1, i) });
  const look = { fill: colours.soft, "font-size": 11 };
  return [
    Array.from({ length: count }, piece),
    written(x, y + 22, shown(low), look),
    written(x + width / 2, y + 22, unit, { ...look, "text-anchor": "middle" }),
    written(x + width, y + 22, shown(high), { ...look, "text-anchor": "end" }),
  ];
}

/** A title in lines of at most so many letters, broken between words. */
function title_lines(title, most) {
  const lines = [""];
  for (const part of title.split(/(?<=[ ，])/)) {
    if (lines.at(-1) && [...(lines.at(-1) + part)].length > most) lines.push("");
    lines[lines.length - 1] += part;
  }
  return lines;
}

/** Where the cells lie in a picture of this width. */
function matrix_layout(sentence, width) {
  const count = sentence.tokens.length;
  const letters = width < narrow ? 8 : 14;
  const longest = Math.max(...sentence.tokens.map((_, i) => [...placed(sentence, i)].length));
  const label = Math.min(7 * Math.min(longest, letters) + 14, width / 3);
  const cell = Math.min(Math.max((width - label - 34) / count, 9), 30);
  // A narrow picture's title may take two lines.
  return { count, letters, left: label + 16, top: label + (width < narrow ? 58 : 44), cell };
}

function matrix_picture(sentence, state, width, colour_scheme) {
  const colours = palette_of(colour_scheme);
  const matrix = shown_matrix(sentence, state);
  const scale = matrix_scale(matrix);
  const { count, letters, left, top, cell } = matrix_layout(sentence, width);
  const side = count * cell;
  const cells = [];
  for (let i = 0; i < count; ++i) {
    for (let j = 0; j < count; ++j) {
      if (!passes(sentence, state.filter, i, j)) continue;
      const value = matrix.values[i * count + j];
      cells.push(drawn("rect", { x: left + j * cell, y: top + i * cell, width: cell - 0.5, height: cell - 0.5,
        fill: scale_colour(scale.points, scale.low, scale.high, value), "data-cell": `${i},${j}` }));
    }
  }
  const size = Math.min(12, Math.max(cell - 1, 8));
  const labels = sentence.tokens.map((_, i) => {
    const text = shortened(placed(sentence, i), letters);
    const middle = (i + 0.5) * cell;
    return [
      written(left - 6, top + middle + size / 3, text, { "text-anchor": "end", "font-size": size }),
      written(0, 0, text, { transform: `translate(${left + middle + size / 3},${top - 6}) rotate(-90)`,
        "font-size": size }),
    ];
  });
  const border = sentence.tokens.findIndex(([, , segment]) => segment > 0);
  const borders = border > 0 ? [border * cell].flatMap((at) => [
    drawn("line", { x1: left, x2: left + side, y1: top + at, y2: top + at, stroke: colours.ink, "stroke-width": 1.5 }),
    drawn("line", { x1: left + at, x2: left + at, y1: top, y2: top + side, stroke: colours.ink, "stroke-width": 1.5 }),
  ]) : [];
  const title = matrix_title(state, matrix);
  const is_narrow = width < narrow;
  const height = top + side + 44;
  return svg_picture(Math.min(width, Math.max(left + side + 18, 300)), height, colours, title,
    title_lines(title, is_narrow ? 40 : 90).map((line, i) =>
      written(4, 16 + 15 * i, line, { "font-weight": 600, "font-size": is_narrow ? 11 : 12 })),
    written(left - 6, top - 6, `${word("query")} ↓`, { "text-anchor": "end", fill: colours.soft }),
    written(left, is_narrow ? 49 : 34, `${word("key")} →`, { fill: colours.soft }),
    drawn("rect", { x: left, y: top, width: side, height: side, fill: "none", stroke: colours.faint }),
    cells, borders, labels, scale_legend(scale, matrix.unit, left, top + side + 12, Math.min(side, 260), colours));
}

function matrix_csv_text(sentence, state) {
  const { values, is_mean, is_logit } = shown_matrix(sentence, state);
  const count = sentence.tokens.length;
  const head = ["layer", "head", "strength", "shown", "query_position", "query", "query_segment",
    "key_position", "key", "key_segment", "value"];
  const [, q, k] = is_logit ? state.show.split("-") : [];
  const part = (i) => explored.parts[Number(i)].en;
  const what = !is_logit ? "attention" : q === undefined ? "logit" : `logit ${part(q)} to ${part(k)}`;
  const of_head = is_mean || state.head === "mean" ? "mean" : state.head + 1;
  const place = [state.layer + 1, of_head, explored.strengths[state.step], what];
  const rows = [];
  const named = (i) => [sentence.tokens[i][1], token_of(sentence.tokens[i][0]), sentence.tokens[i][2]];
  for (let i = 0; i < count; ++i) {
    for (let j = 0; j < count; ++j) {
      if (!passes(sentence, state.filter, i, j)) continue;
      rows.push([...place, ...named(i), ...named(j), Number(values[i * count + j].toPrecision(3))]);
    }
  }
  return csv_text(head, rows);
}

/** What a cell's tooltip says: where they are known, its weight beside the four terms of words and places. */
function cell_facts(sentence, state, i, j) {
  const at = i * sentence.tokens.length + j;
  const facts = [[word("query"), placed(sentence, i)], [word("key"), placed(sentence, j)],
    [word("weight"), attention_of(sentence, state.step, state.layer, state.head).values[at]]];
  if (!has_terms(state)) return facts;
  const term = (...parts) => logits_of(sentence, state.head, ...parts)[at];
  const pairs = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([q, k]) => [term_name(q, k), term(q, k)]);
  return [...facts, [word("logits"), term()], ...pairs];
}

/** Lets a drawn matrix answer to the pointer and to the arrow keys. */
function watch_cells(host, sentence, state) {
  const svg = host.querySelector("svg");
  const colours = palette_of(scheme());
  const { count, left, top, cell } = matrix_layout(sentence, Math.floor(host.clientWidth));
  const size = { width: cell - 0.5, height: cell - 0.5, fill: "none", visibility: "hidden" };
  const mark = drawn("rect", { ...size, stroke: colours.paper, "stroke-width": 3 });
  const inner = drawn("rect", { ...size, stroke: colours.ink, "stroke-width": 1.5 });
  svg.append(mark, inner);
  const leave = () => {
    hide_tip();
    [mark, inner].forEach((rect) => rect.setAttribute("visibility", "hidden"));
  };
  const show = (x, y) => {
    const [i, j] = host.cell;
    if (!passes(sentence, state.filter, i, j)) return leave();
    for (const rect of [mark, inner]) {
      rect.setAttribute("x", left + j * cell);
      rect.setAttribute("y", top + i * cell);
      rect.setAttribute("visibility", "visible");
    }
    show_tip(cell_facts(sentence, state, i, j), x, y);
  };
  host.onpointermove = (event) => {
    const box = svg.getBoundingClientRect();
    const [j, i] = [event.clientX - box.left - left, event.clientY - box.top - top].map((at) => Math.floor(at / cell));
    if (i < 0 || j < 0 || i >= count || j >= count) return leave();
    host.cell = [i, j];
    show(event.clientX, event.clientY);
  };
  host.onpointerleave = leave;
  host.onblur = leave;
  host.onkeydown = (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    const inside = (at) => Math.min(Math.max(at, 0), count - 1);
    host.cell = host.cell ? [inside(host.cell[0] + down), inside(host.cell[1] + right)] : [0, 0];
    const box = svg.getBoundingClientRect();
    show(box.left + left + (host.cell[1] + 0.5) * cell, box.top + top + (host.cell[0] + 0.5) * cell);
  };
}

/** Of the attention that leaves A, and of what leaves B, how much goes to A and to B. */
function attention_between(sentence, state) {
  const { values } = attention_of(sentence, state.step, state.layer, state.head);
  const count = sentence.tokens.length;
  return [0, 1].map((from) => {
    const rows = sentence.tokens.flatMap(([, , segment], i) => (segment === from ? [i] : []));
    const to = (segment) => rows.reduce((sum, i) => sum + sentence.tokens.reduce(
      (own, [, , key], j) => own + (key === segment ? values[i * count + j] : 0), 0), 0) / rows.length;
    return [to(0), to(1)];
  });
}

function between_text(sentence, state) {
  if (!is_pair(sentence)) return word("no_pair");
  const english = { of: ": ", and: ", ", then: "; ", start: " " };
  const between = language === "zh" ? { of: "：", and: "，", then: "；", start: "" } : english;
  const told = attention_between(sentence, state).map((to, from) => `${word("from")} ${letter_of(from)}${between.of}` +
    to.map((share, segment) => `→ ${letter_of(segment)} ${percent_of(share)}`).join(between.and));
  return `${word("goes_to")}${between.start}${told.join(between.then)}`;
}
