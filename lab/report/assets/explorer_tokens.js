// The explorer's tables, token by token: the shares of the input, and what a sum reads back as.

function share_legend(prefix, colours, x, y, width) {
  const items = [];
  let at = x;
  let line = y;
  explored.parts.forEach((part, i) => {
    const text = say(part);
    const takes = 28 + text.length * (language === "zh" ? 13 : 7);
    if (at + takes > width) [at, line] = [x, line + 18];
    items.push(drawn("rect", { x: at, y: line - 10, width: 16, height: 11, fill: part_fill(prefix, i) }));
    items.push(written(at + 21, line, text));
    at += takes + 6;
  });
  return { items, bottom: line + 10 };
}

/** The picture that is saved: a row for every token. */
function shares_picture(sentence, step, width, colour_scheme) {
  const colours = palette_of(colour_scheme);
  const prefix = `saved-${colour_scheme}`;
  const shares = sentence.strengths[step].shares;
  const ends = share_ends(shares);
  const { items, bottom } = share_legend(prefix, colours, 10, 40, width);
  const rows = shares.map((parts, i) => {
    const y = bottom + 14 + i * 22;
    const name = `${placed(sentence, i)} ${letter_of(sentence.tokens[i][2])}`;
    const label = written(142, y + 11, name, { "text-anchor": "end" });
    const told = parts.filter((_, part) => part_looks[part].key !== "common").map(percent_of).join(" · ");
    const numbers = written(width - 10, y + 11, told, { "text-anchor": "end", fill: colours.soft });
    return [label, share_bar(parts, ends, { x: 150, y, width: width - 300, height: 14, prefix, colours }), numbers];
  });
  const at = has_strengths() ? `, ${word("strength")}: ${strength_text(step)}` : "";
  const title = `${word(is_sum() ? "shares_of_sum" : "shares_of_input")}${at}`;
  return svg_picture(width, bottom + 24 + shares.length * 22, colours, title, part_patterns(colours, prefix),
    written(10, 18, title, { "font-weight": 600 }), items, rows);
}

/** The shares between tokens: of all, and, where there are any, without the special ones. */
function whole_rows(sentence, step) {
  const { over_tokens: all, over_text: text } = sentence.strengths[step];
  const rows = [{ name: interface_words.over_tokens, parts: all }];
  if (sentence.special.some(Boolean)) rows.push({ name: interface_words.over_text, parts: text });
  return rows;
}

/** Parts that have a length: all but what is common. */
const long_parts = () => part_looks.slice(0, explored.parts.length).filter(({ key }) => key !== "common");

/** Lengths of a token as they enter, and centred; each in the order of long_parts. */
function lengths_of(sentence, i) {
  const count = long_parts().length;
  return { raw: sentence.norms[i].slice(0, count), centred: sentence.norms[i].slice(count) };
}

/** "token_gate" is the token's, as a part is called. */
function gate_text(name) {
  const part = part_looks.findIndex(({ key }) => `${key}_gate` === name);
  return part < 0 ? name : say(explored.parts[part]);
}

function shares_csv(sentence, step) {
  const { shares, gates } = sentence.strengths[step];
  const named = (before) => long_parts().map(({ key }) => `${before}_${key}`);
  const head = ["position", "token", "segment", "strength",
    ...explored.parts.map((_, part) => `share_${part_looks[part].key}`), ...named("norm"), ...named("centred"),
    ...explored.gates];
  const rows = sentence.tokens.map(([id, position, segment], i) => [position, token_of(id), segment,
    explored.strengths[step], ...shares[i], ...sentence.norms[i], ...(gates[i] ?? [])]);
  const between = whole_rows(sentence, step).map(({ name, parts }) =>
    ["", name.en, "", explored.strengths[step], ...parts]);
  const padded = (row) => [...row, ...Array(head.length - row.length).fill("")];
  return csv_text(head, [...rows, ...between].map(padded));
}

function token_head(sentence, i) {
  const [id, position, segment] = sentence.tokens[i];
  const place = element("span", { class: "place" }, String(position));
  const letter = element("span", { class: "letter" }, letter_of(segment));
  return element("th", { scope: "row" }, place, ` ${token_of(id)} `, letter);
}

const parts_title = () => (is_sum() ? "parts_title" : "parts_title_composed");

/** What the columns are, below the table. */
function parts_notes() {
  const names = long_parts().map(({ key }) => say(explored.parts[part_looks.findIndex((look) => look.key === key)]));
  const notes = [filled(is_sum() ? "lengths_note" : "lengths_note_composed", { parts: names.join(" · ") })];
  if (explored.composition === "joint_table") notes.push(word("joint_note"));
  if (has_together()) notes.push(word("together_note"));
  if (explored.gates.length) notes.push(filled("gates_note", { parts: explored.gates.map(gate_text).join(" · ") }));
  return element("div", {}, notes.map((text) => element("p", { class: "note" }, text)));
}

/** The shares' table into its place. */
function show_shares(host, sentence, step) {
  const colours = palette_of(scheme());
  const prefix = "share";
  const { shares, gates } = sentence.strengths[step];
  const ends = share_ends(shares);
  const is_wide = explored.gates.length > 0 || has_together();  // more columns, which have less room each
  const bar_width = host.clientWidth < narrow ? 120 : is_wide ? 130 : 170;
  const bar = (parts, name) => {
    const text = explored.parts.map((part, i) => `${say(part)} ${percent_of(parts[i])}`).join(", ");
    return svg_picture(bar_width, 18, colours, `${name}: ${text}`,
      share_bar(parts, ends, { x: 1, y: 3, width: bar_width - 2, height: 12, prefix, colours }));
  };
  // Lengths stand below one another in the same digits, so that no column is wider than it must be.
  const digits = has_together() ? 1 : 2;
  const numbers = (values, name) =>
    element("td", { class: "lengths", "data-label": word(name) }, values.map((value) => value.toFixed(name === "gates" ? 2 : digits)).join(" · "));
  const raw_name = is_sum() ? "lengths_raw" : "lengths_entering";
  const has_gates = explored.gates.length > 0;
  const share_cells = (parts) => parts.map((share, i) =>
    element("td", { class: "number", "data-label": say(explored.parts[i]) }, percent_of(share)));
  const row = (parts, i) => element("tr", {}, token_head(sentence, i),
    element("td", { class: "bar" }, bar(parts, placed(sentence, i))), share_cells(parts),
    numbers(lengths_of(sentence, i).centred, "lengths_centred"), numbers(lengths_of(sentence, i).raw, raw_name),
    has_gates ? numbers(gates[i], "gates") : null);
  const size = { width: 16, height: 11 };
  const swatch = (i) => drawn("svg", { class: "swatch", ...size, "aria-hidden": "true" },
    drawn("rect", { ...size, fill: part_fill(prefix, i) }));
  const named = explored.parts.map((part, i) => element("span", {}, swatch(i), ` ${say(part)}`));
  const legend = element("p", { class: "swatches" }, named);
  const titles = [word("token_name"), word(is_sum() ? "shares_of_sum" : "shares_of_input"), ...explored.parts.map(say),
    word("lengths_centred"), word(raw_name), ...(has_gates ? [word("gates")] : [])];
  const whole = ({ name, parts }) => element("tr", { class: "whole" }, element("th", { scope: "row" }, say(name)),
    element("td", { class: "bar" }, bar(parts, say(name))), share_cells(parts),
    element("td", { colspan: has_gates ? "3" : "2", "data-empty": "true" }));
  const unseen = { width: 0, height: 0, class: "patterns", "aria-hidden": "true" };
  const patterns = drawn("svg", unseen, part_patterns(colours, prefix));
  const body = element("tbody", {}, shares.map(row), whole_rows(sentence, step).map(whole));
  const table = scrolling_table(`tokens shares${is_wide ? " wide" : ""}${has_together() ? " together" : ""}`, titles, body, word(parts_title()));
  host.replaceChildren(patterns, legend, table);
}

const combination = ([id, position, segment]) => `${token_of(id)} · ${position} · ${letter_of(segment)}`;

/** [nearest, runner-up, margin]: another combination may be nearer than the true one. */
function decoding_of(truth, [id, position, segment, margin]) {
  const other = [id, position, segment];
  if (margin > 0) return { nearest: truth, next: other, margin, is_true: true };
  return { nearest: other, next: truth, margin: -margin, is_true: false };
}

function decoded_csv(sentence, step) {
  const head = ["position", "token", "segment", "strength", "read_back", "nearest", "runner_up_or_true", "margin",
    "normalised_read_back", "normalised_nearest", "normalised_margin"];
  const rows = sentence.tokens.map((truth, i) => {
    const sum = decoding_of(truth, sentence.strengths[step].decoded[i]);
    const behind = decoding_of(truth, sentence.strengths[step].normalised[i]);
    return [truth[1], token_of(truth[0]), truth[2], explored.strengths[step], sum.is_true,
      combination(sum.nearest), combination(sum.next),
      sum.is_true ? sum.margin : -sum.margin, behind.is_true, combination(behind.nearest), behind.is_true ? behind.margin : -behind.margin];
  });
  return csv_text(head, rows);
}

/** How many of the sums are read back as themselves, before and after normalisation. */
function read_back_text(sentence, step) {
  const all = sentence.tokens.length;
  const text = (seen, name) => {
    const right = sentence.strengths[step][seen].filter(([, , , margin]) => margin > 0).length;
    const how = right === all ? "all" : right ? "some" : "none";
    return filled(`${name}_${how}`, { right, all, strength: strength_text(step) });
  };
  return text("decoded", "read_back") + text("normalised", "behind_read_back");
}

function show_decoded(host, sentence, step) {
  const sign = (is_true) => element("span", { class: `badge ${is_true ? "good" : "bad"}` },
    element("span", { "aria-hidden": "true" }, is_true ? "✓" : "✕"), is_true ? word("itself") : "");
  const margin = (found, name) => element("td", { class: "number", "data-label": word(name), "data-short": word("margin") },
    shown(found.is_true ? found.margin : -found.margin));
  const nearest = (found, name) => element("td", { "data-label": word(name) },
    element("span", {}, sign(found.is_true), found.is_true ? null : ` ${combination(found.nearest)}`));
  const row = (truth, i) => {
    const [sum, behind] = ["decoded", "normalised"].map((seen) => decoding_of(truth, sentence.strengths[step][seen][i]));
    const next = sum.is_true ? combination(sum.next) : element("span", { class: "note" }, word("true_is"));
    return element("tr", {}, token_head(sentence, i), nearest(sum, "reads_as"),
      element("td", { "data-label": word("next_best") }, next), margin(sum, "margin"),
      nearest(behind, "behind_norm"), margin(behind, "margin_behind"));
  };
  const titles = ["token_name", "reads_as", "next_best", "margin", "behind_norm", "margin_behind"].map(word);
  const body = element("tbody", {}, sentence.tokens.map(row));
  const told = read_back_text(sentence, step);
  host.replaceChildren(element("p", { class: "told", role: "status" }, told),
    scrolling_table("tokens decoded", titles, body, word("decoded_title")));
}
