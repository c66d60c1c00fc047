// The explorer's tables, token by token: the shares of the sum, and what it reads back as.

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
    const told = parts.slice(0, 3).map(percent_of).join(" · ");
    const numbers = written(width - 10, y + 11, told, { "text-anchor": "end", fill: colours.soft });
    return [label, share_bar(parts, ends, { x: 150, y, width: width - 300, height: 14, prefix, colours }), numbers];
  });
  const title = `${word("shares_of_sum")}, ${word("strength")}: ${strength_text(step)}`;
  return svg_picture(width, bottom + 24 + shares.length * 22, colours, title, part_patterns(colours, prefix),
    written(10, 18, title, { "font-weight": 600 }), items, rows);
}

function shares_csv(sentence, step) {
  const head = ["position", "token", "segment", "strength",
    "share_token", "share_position", "share_segment", "share_common",
    "norm_token", "norm_position", "norm_segment", "centred_token", "centred_position", "centred_segment"];
  const rows = sentence.tokens.map(([id, position, segment], i) => [position, token_of(id), segment,
    explored.strengths[step], ...sentence.strengths[step].shares[i], ...sentence.norms[i]]);
  return csv_text(head, rows);
}

function token_head(sentence, i) {
  const [id, position, segment] = sentence.tokens[i];
  const place = element("span", { class: "place" }, String(position));
  const letter = element("span", { class: "letter" }, letter_of(segment));
  return element("th", { scope: "row" }, place, ` ${token_of(id)} `, letter);
}

/** The shares' table into its place. */
function show_shares(host, sentence, step) {
  const colours = palette_of(scheme());
  const prefix = "share";
  const { shares, over_tokens: over } = sentence.strengths[step];
  const ends = share_ends(shares);
  const bar_width = host.clientWidth < narrow ? 120 : 170;
  const bar = (parts, name) => {
    const text = explored.parts.map((part, i) => `${say(part)} ${percent_of(parts[i])}`).join(", ");
    return svg_picture(bar_width, 18, colours, `${name}: ${text}`,
      share_bar(parts, ends, { x: 1, y: 3, width: bar_width - 2, height: 12, prefix, colours }));
  };
  const lengths = (values) => element("td", { class: "lengths" }, values.map(shown).join(" · "));
  const row = (parts, i) => element("tr", {}, token_head(sentence, i), element("td", {}, bar(parts, placed(sentence, i))),
    parts.map((share) => element("td", { class: "number" }, percent_of(share))),
    lengths(sentence.norms[i].slice(3)), lengths(sentence.norms[i].slice(0, 3)));
  const size = { width: 16, height: 11 };
  const swatch = (i) => drawn("svg", { class: "swatch", ...size, "aria-hidden": "true" },
    drawn("rect", { ...size, fill: part_fill(prefix, i) }));
  const named = explored.parts.map((part, i) => element("span", {}, swatch(i), ` ${say(part)}`));
  const legend = element("p", { class: "swatches" }, named);
  const titles = [word("token_name"), word("shares_of_sum"), ...explored.parts.map(say),
    word("lengths_centred"), word("lengths_raw")];
  const whole_name = element("th", { scope: "row" }, word("over_tokens"));
  const last = element("tr", { class: "whole" }, whole_name, element("td", {}, bar(over, word("over_tokens"))),
    over.map((share) => element("td", { class: "number" }, percent_of(share))), element("td", { colspan: "2" }));
  const unseen = { width: 0, height: 0, class: "patterns", "aria-hidden": "true" };
  const patterns = drawn("svg", unseen, part_patterns(colours, prefix));
  const table = scrolling_table("tokens shares", titles, element("tbody", {}, shares.map(row), last), word("parts_title"));
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
    "normalised_read_back", "normalised_margin"];
  const rows = sentence.tokens.map((truth, i) => {
    const sum = decoding_of(truth, sentence.strengths[step].decoded[i]);
    const behind = decoding_of(truth, sentence.normalised[i]);
    return [truth[1], token_of(truth[0]), truth[2], explored.strengths[step], sum.is_true,
      combination(sum.nearest), combination(sum.next), sum.margin, behind.is_true, behind.margin];
  });
  return csv_text(head, rows);
}

function show_decoded(host, sentence, step) {
  const sign = (is_true) => element("span", { class: `badge ${is_true ? "good" : "bad"}` },
    element("span", { "aria-hidden": "true" }, is_true ? "✓" : "✕"), is_true ? word("itself") : "");
  const cells = (truth, found) => [
    element("td", {}, sign(found.is_true), found.is_true ? null : ` ${combination(found.nearest)}`),
    element("td", {}, found.is_true ? combination(found.next) : element("span", { class: "note" }, word("true_is"))),
    element("td", { class: "number" }, found.is_true ? shown(found.margin) : `−${shown(found.margin)}`),
  ];
  const row = (truth, i) => {
    const behind = decoding_of(truth, sentence.normalised[i]);
    const after = [element("td", {}, sign(behind.is_true), behind.is_true ? null : ` ${combination(behind.nearest)}`),
      element("td", { class: "number" }, shown(behind.is_true ? behind.margin : -behind.margin))];
    const sum = decoding_of(truth, sentence.strengths[step].decoded[i]);
    return element("tr", {}, token_head(sentence, i), cells(truth, sum), after);
  };
  const titles = [...["token_name", "reads_as", "next_best", "margin", "behind_norm"].map(word),
    `${word("margin")} (${word("strength_unchanged")})`];
  const body = element("tbody", {}, sentence.tokens.map(row));
  const right = sentence.strengths[step].decoded.filter(([, , , margin]) => margin > 0).length;
  const told = `${right} ${word("of_all")} ${sentence.tokens.length} ${word("read_back")} ${strength_text(step)}`;
  host.replaceChildren(element("p", { class: "told", role: "status" }, told),
    scrolling_table("tokens decoded", titles, body, word("decoded_title")));
}
