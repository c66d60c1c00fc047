// The page of several checkpoints side by side: what each answers to both questions, what each is, and every verdict.
const signs = { identical: "=", "same to rounding": "≈", different: "≠", "not on both": "–" };
const is_different = (number) => number.likeness.includes("different");
const some_different = (claim) => claim.numbers.some(is_different);

const report_of = (checkpoint, ...place) =>
  `${encodeURIComponent(checkpoint.folder)}/index.html${place.length ? address(...place) : `#/${language}`}`;
const name_of = (checkpoint) => checkpoint.folder.replace("-", " · ");

function checkpoints_table() {
  const same = ({ identical_to: at }) =>
    at === null ? null : element("span", { class: "of" }, `= ${word("same_as")} ${name_of(data.checkpoints[at])}`);
  const sizes = (checkpoint) => checkpoint.sizes.map(({ words, value }) => `${say(words)} ${value}`).join(" · ");
  const row = (checkpoint) =>
    element("tr", {},
      element("th", { scope: "row" }, element("a", { href: report_of(checkpoint) }, name_of(checkpoint)), same(checkpoint)),
      element("td", {}, code(checkpoint.hash)),
      element("td", {}, sizes(checkpoint)),
      element("td", {}, say(checkpoint.corpus)));
  const titles = ["checkpoint", "hash", "sizes", "corpus"].map(word);
  const table = scrolling_table("data", titles, element("tbody", {}, data.checkpoints.map(row)), word("checkpoints"));
  table.classList.add("checkpoints");
  return table;
}

/** Both questions that people come with, as each checkpoint answers them. */
function in_short_table() {
  const answer = (one, ...more) => {
    if (!one) return [note(word("not_in_this_run").split(/[.。]/)[0])];
    const lead = say(one.lead);
    return [lead ? element("b", {}, `${/[.。]$/.test(lead) ? lead : `${lead}${language === "zh" ? "。" : "."}`} `) : null, prose(one.text), more];
  };
  const others = ({ learned }) => {
    const line = (one) => element("li", {}, element("b", {}, say(one.name)), language === "zh" ? "：" : ": ", prose(one.words));
    return learned.length > 1 ? [element("p", {}, word("learned_too")), element("ul", { class: "learned" }, learned.slice(1).map(line))] : null;
  };
  const clocks = ({ circles, table }) =>
    say(circles) && say(circles) !== say(table?.text) ? element("p", {}, `${word("circles_too")} `, prose(circles)) : null;
  const row = (checkpoint) => {
    const known = checkpoint.in_short;
    return element("tr", {},
      element("th", { scope: "row" }, element("a", { href: report_of(checkpoint) }, name_of(checkpoint))),
      element("td", { "data-label": word("adding_question") }, answer(known.adding)),
      element("td", { "data-label": word("learned_question") }, answer(known.table, others(known), clocks(known))));
  };
  const titles = ["checkpoint", "adding_question", "learned_question"].map(word);
  return scrolling_table("answers", titles, element("tbody", {}, data.checkpoints.map(row)), word("in_short"));
}

const percent = (relative) => {
  const size = Math.abs(relative * 100);
  const text = size >= 1000 ? `×${shown(1 + relative)}` : `${relative < 0 ? "−" : "+"}${shown(size)} %`;
  return relative === null ? "" : text;
};

const overlap = (a, b) => a && b && a[0] <= b[1] && b[0] <= a[1];

// One checkpoint's number, and how it stands to that of the first that has it.
function compared_cell(number, i) {
  const own = number.values[i];
  if (!own) return element("td", {}, "–");
  const likeness = number.likeness[i];
  const first = number.values.findIndex(Boolean);
  const chance = likeness === "different" && overlap(own.interval, number.values[first].interval);
  const parts = [signs[likeness], likeness === "different" ? percent(number.relative[i]) : "", chance ? `(${word("overlapping")})` : ""];
  const differs = likeness === "different" && !chance ? " differs" : "";
  const title = say(data.likeness_words[likeness]);
  const mark = i === first ? null : element("span", { class: `likeness${differs}`, title }, parts.filter(Boolean).join(" "));
  return element("td", {}, number_cell(own.value, own.interval), mark);
}

function all_numbers(claim) {
  if (!claim.numbers.length) return null;
  const different = claim.numbers.filter(is_different).length;
  const summary = element("summary", {}, `${word("numbers")}${word("colon")}${claim.numbers.length}, ${different} ${word("differ")}`);
  const row = (number) =>
    element("tr", {}, element("th", { scope: "row" }, prose(number.label)),
      data.checkpoints.map((_, i) => compared_cell(number, i)));
  const titles = [word("measure"), ...data.checkpoints.map(name_of)];
  const table = scrolling_table("numbers", titles, element("tbody", {}, claim.numbers.map(row)), `${claim.id}: ${word("numbers")}`);
  return element("details", {}, summary, table);
}

// As a report has it; a dash where the document concludes nothing.
function compared_conclusion(claim, { conclusion, conclusion_by: told_by, conclusion_extent: extent }) {
  if (conclusion === "-") return element("span", { class: "conclusion" }, note(`${word("conclusion")} –`));
  return conclusion_badge({ id: claim.id, conclusion, truth: conclusion, told_by, extent });
}

function compared_rows(claim) {
  const differs = claim.verdicts_differ ? element("span", { class: "badge differs" }, `≠ ${word("verdict_differs")}`) : null;
  const verdict_cell = (checkpoint, i) => {
    const verdict = claim.verdicts[i];
    const at = report_of(checkpoint, "question", claim.question, claim.id);
    const label = `${claim.id}, ${name_of(checkpoint)}: ${word("report")}`;
    return element("td", { class: "badges", "data-label": name_of(checkpoint) },
      badge(verdict.observation), badge(verdict.inference), compared_conclusion(claim, verdict),
      element("span", { class: "of" }, prose(verdict.reason)),
      element("a", { class: "more", href: at, "aria-label": label }, word("report")));
  };
  const head = element("th", { scope: "row", class: "claim" }, id_of(claim), " ", prose(claim.claim), " ", differs);
  const numbers = element("td", { class: "all-numbers", colspan: String(data.checkpoints.length + 1) }, all_numbers(claim));
  return element("tbody", { "data-claim": claim.id },
    element("tr", {}, head, data.checkpoints.map(verdict_cell)), claim.numbers.length ? element("tr", {}, numbers) : null);
}

const kinds = { all: () => true, verdicts_differ: (claim) => claim.verdicts_differ, numbers_differ: some_different };
let wanted = "all";

function difference_filter() {
  const choose = (kind) => () => {
    wanted = kind;
    show_comparison();
    document.querySelector(".filter [aria-pressed=true]").focus();
  };
  const button = (kind) => {
    const count = element("b", {}, ` ${data.claims.filter(kinds[kind]).length}`);
    const of = kind === "verdicts_differ" ? note(` ${counted("of_comparable", data.comparable)}`) : null;
    return element("button", { "aria-pressed": String(wanted === kind), click: choose(kind) }, word(kind), count, of);
  };
  return element("div", { class: "filter", role: "group", "aria-label": word("claims") }, Object.keys(kinds).map(button));
}

function show_comparison() {
  speak(decodeURIComponent(location.hash).split("/")[1]);
  const shown_claims = data.claims.filter(kinds[wanted]);
  const titles = [word("claim"), ...data.checkpoints.map(name_of)];
  const table = scrolling_table("verdicts beside", titles, shown_claims.map(compared_rows), word("verdicts"));
  const entry = (text, href) => element("li", {}, element("a", { href }, text));
  const side = document.getElementById("side");
  side.replaceChildren(
    element("div", { class: "brand" }, element("b", {}, "summand lab"), element("span", {}, word("side_by_side"))),
    language_switch(),
    element("nav", { "aria-label": word("checkpoints") }, element("ul", {},
      data.checkpoints.map((one) => entry(name_of(one), report_of(one))))));
  document.getElementById("skip").textContent = word("skip");
  document.getElementById("main").replaceChildren(...[
    heading(1, word("side_by_side")),
    element("p", { class: "checkpoint" }, `${word("seed")} ${data.seed}`, data.quick ? ` · ${word("quick")}` : ""),
    heading(2, word("in_short")),
    in_short_table(),
    heading(2, word("checkpoints")),
    checkpoints_table(),
    heading(2, word("verdicts")),
    paragraph(data.claims.some(kinds.verdicts_differ) ? "" : `${word("none_differ")} `, word("beside_first")),
    difference_filter(),
    table,
    heading(2, word("files")),
    element("ul", {}, entry("compare.json", "compare.json"), entry("compare.csv", "compare.csv")),
    heading(2, word("redo")),
    element("div", { class: "command" }, element("pre", { tabindex: "0" }, code(data.command))),
  ]);
  document.title = `${word("side_by_side")} · summand lab`;
}

addEventListener("hashchange", show_comparison);
document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
show_comparison();
