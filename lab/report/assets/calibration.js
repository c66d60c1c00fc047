// The page of the calibration: how often each rule was right where the truth was known, and where its number lay.
const calibrated = new Map(data.calibration.claims.map((each) => [each.claim, each]));
const uncalibrated = new Map(data.calibration.without.map((each) => [each.claim, each]));
const lengths = ["full", "quick"];

// The run's own draws where they were tried, else the others.
function judged_length(claim) {
  const own = data.run.quick ? "quick" : "full";
  return claim.families.some((family) => family[own]) ? own : lengths.find((length) => length !== own);
}

/** Whether this run judges by the rule that was tried. */
const is_same_rule = (claim) => !claims.get(claim.claim)?.rule_hash || claims.get(claim.claim).rule_hash === claim.rule;

// Powers of ten where values lie far apart, and all on one side of 0.
function scale_of(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const logarithmic = low > 0 && high / low > 50;
  const at = logarithmic ? Math.log : (value) => value;
  const width = at(high) - at(low) || 1;
  return { low, high, logarithmic, place: (value) => (100 * (at(value) - at(low))) / width };
}

/** Where a family's number lies: a thin bar for 95 % of its truths, a thick one for half, a dot for the middle. */
function strip(number, thresholds, { place }) {
  const bar = (kind, from, to) =>
    element("span", { class: kind, style: `left:${place(from)}%;width:${Math.max(place(to) - place(from), 0)}%` });
  const line = (value) => element("span", { class: "threshold", style: `left:${place(value)}%` });
  if (!number) return element("div", { class: "strip" }, note("–"));
  const [lowest, lower, middle, upper, highest] = number;
  const said = `${word("median")} ${shown(middle)}, ${word("of_95")} ${shown(lowest)} … ${shown(highest)}`;
  return element("div", { class: "strip", role: "img", "aria-label": said, title: said },
    thresholds.map(line), bar("most", lowest, highest), bar("half", lower, upper),
    element("span", { class: "middle", style: `left:${place(middle)}%` }));
}

function family_row(family, length, thresholds, scale) {
  const [sign, kind, key] = family.true ? ["✓", "good", "planted_true"] : ["✕", "bad", "planted_false"];
  const mark = element("span", { class: `sign ${kind}`, title: word(key) }, sign, element("span", { class: "unseen" }, word(key)));
  const size = element("span", { class: "size" }, family.size);
  const label = element("div", { class: "family" }, mark, element("span", {}, say(family.words), " ", size));
  return element("div", { class: `planted ${kind}` }, label, strip(family[length]?.number, thresholds, scale));
}

function strips(claim) {
  const length = judged_length(claim);
  const thresholds = claim.thresholds.map((each) => each.value);
  const values = claim.families.flatMap((family) => family[length]?.number ?? []);
  const families = [...claim.families].sort((a, b) => b.true - a.true);
  const scale = scale_of(values.length ? [...values, ...thresholds] : [0, 1]);
  const rows = families.map((family) => family_row(family, length, thresholds, scale));
  const ends = element("div", { class: "planted ends" }, element("div", {}),
    element("div", { class: "strip" }, element("span", {}, shown(scale.low)), element("span", {}, shown(scale.high))));
  const bars = thresholds.length
    ? `${word("threshold")} ${[...new Set(thresholds)].map(shown).join(", ")}` : word("beside_null");
  const axis = scale.logarithmic ? ` · ${word("logarithmic")}` : "";
  const also = say(claim.also) ? ` · ${word("also_decides")}${say(claim.also)}` : "";
  const title = element("p", { class: "of" }, say(claim.number.label) || word("no_number"), " · ", bars, axis, also);
  return [title, rows, values.length ? ends : null];
}

function rates(claim, key) {
  const rows = lengths.map((length) => [length, claim[length][key]]).filter(([, rate]) => rate);
  if (!rows.length) return ["–"];
  return rows.map(([length, rate]) => element("p", { class: "rate" }, element("span", { class: "value" }, rate.value.toFixed(2)),
    element("span", { class: "interval" }, ` [${rate.interval.map((end) => end.toFixed(2)).join(", ")}]`),
    element("span", { class: "of" }, `${word(length === "full" ? "full" : "quick_mode")}, ${rate.seen}/${rate.of}`)));
}

function calibration_row(claim) {
  const of_ledger = claims.get(claim.claim);
  const name = of_ledger ? prose(of_ledger.claim) : "";
  const at = of_ledger && claim_address(of_ledger);
  const link = at ? element("a", { class: "more", href: at }, word("open")) : null;
  const lacking = say(claim.lacking) ? element("span", { class: "of" }, say(claim.lacking)) : null;
  const other = is_same_rule(claim) ? null : element("p", { class: "warning" }, word("other_rule"));
  const cell = (key, content) =>
    element("td", { "data-label": word(key), "data-empty": String(content[0] === "–") }, content);
  return element("tbody", { id: `calibration-${claim.claim}`, tabindex: "-1" }, element("tr", {},
    element("th", { scope: "row", class: "claim" }, element("span", { class: "id" }, claim.claim), " ", name, lacking, other, link),
    cell("power", rates(claim, "power")), cell("false_positives", rates(claim, "false_positive_rate")),
    cell("stability", rates(claim, "stability")), element("td", { class: "strips" }, strips(claim))));
}

function uncalibrated_row({ claim, reason }) {
  const of_ledger = claims.get(claim);
  return element("tbody", { id: `calibration-${claim}`, tabindex: "-1" }, element("tr", {},
    element("th", { scope: "row", class: "claim" }, element("span", { class: "id" }, claim), " ", of_ledger ? prose(of_ledger.claim) : ""),
    element("td", { colspan: "4", class: "why" }, say(reason))));
}

/** For a claim's card: what its rule's calibration says, and where more of it stands. */
function calibration_line(claim) {
  if (claim.kind !== "data") return null;
  const there = (text) => element("a", { href: address("calibration", claim.id) }, text);
  if (uncalibrated.has(claim.id)) return [there(word("not_calibrated")), `: ${say(uncalibrated.get(claim.id).reason)}`];
  const found = calibrated.get(claim.id);
  if (!found) return null;
  const length = judged_length(found);
  const parts = [["where_true", "power"], ["where_false", "false_positive_rate"], ["seeds_agree", "stability"]]
    .filter(([, rate]) => found[length][rate]?.of)
    .map(([key, rate]) => `${word(key)} ${found[length][rate].seen}/${found[length][rate].of}`);
  const other = is_same_rule(found) ? "" : ` · ${word("other_rule")}`;
  const runs = word(length === "full" ? "by_full_runs" : "by_quick_runs");
  return [there(parts.join(" · ") || word("calibration")), note(` ${runs}${other}`)];
}

function calibration_page(place) {
  const titles = ["claim", "power", "false_positives", "stability", "planted"].map(word);
  const bodies = [data.calibration.claims.map(calibration_row), data.calibration.without.map(uncalibrated_row)];
  const page = [
    heading(1, word("calibration")),
    element("p", { class: "lead" }, word("calibration_lead")),
    paragraph(word("calibration_reading")),
    paragraph(word("calibration_strips"), data.run.quick ? ` ${word("calibration_quick")}` : ""),
    scrolling_table("calibration", titles, bodies, word("calibration")),
  ];
  return { page, place: place ? `calibration-${place}` : null };
}
