// The page of verdicts, and what it has in common with the others: badges, numbers, addresses.
const documents = new Map(data.documents.map((each) => [each.name, each]));
const claims = new Map(data.claims.map((each) => [each.id, each]));
const questions = new Map(data.questions.map((each) => [each.name, each]));

// Each verdict has a sign and a word beside its colour.
const marks = {
  holds: ["✓", "good"],
  fails: ["✕", "bad"],
  "cannot be told": ["?", "open"],
  "not judged": ["–", "none"],
  "not measured": ["–", "none"],
  follows: ["→", "good"],
  "does not follow": ["↛", "bad"],
  "not tested": ["–", "none"],
  true: ["✓", "good"],
  false: ["✕", "bad"],
  open: ["?", "open"],
  algebra: ["=", "none"],
  code: ["=", "none"],
  data: ["≈", "none"],
};
const observations = ["holds", "fails", "cannot be told", "not judged", "not measured"];

const heading = (level, text) => element(`h${level}`, {}, text);
const paragraph = (...content) => element("p", {}, ...content);
const code = (text) => element("code", {}, text);
const note = (text) => element("span", { class: "note" }, text);
const id_of = (claim) => element("span", { class: "id" }, claim.id);

/** A table that scrolls within itself where it is too wide; its head is made of column titles. */
function scrolling_table(kind, titles, bodies, name = null) {
  const head = element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)));
  const table = element("table", { class: kind }, element("thead", {}, head), bodies);
  return element("div", { class: "scroll", tabindex: "0", role: name && "region", "aria-label": name }, table);
}

function badge(verdict) {
  const [sign, kind] = marks[verdict];
  const hidden = { class: "sign", "aria-hidden": "true" };
  return element("span", { class: `badge ${kind}` }, element("span", hidden, sign), verdict_word(verdict));
}

/** What the document concludes, whether that is true here, and the claim that tells; nothing where it concludes nothing. */
function conclusion_badge(claim) {
  if (!say(claim.conclusion)) return null;
  const told_by = claim.told_by && claim.told_by !== claim.id ? ` (${claim.told_by})` : "";
  return element("span", { class: "conclusion" }, note(`${word("conclusion")} `), badge(claim.truth), note(told_by));
}

// Algebra and code are the same on every checkpoint; data are not, and say nothing.
const kind_badge = (claim) => (claim.kind && claim.kind !== "data" ? badge(claim.kind) : null);

const external = (url) =>
  element("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, url.replace(/^https?:\/\//, ""));

const document_of = (name) => documents.get(name) ?? { title: name, address: "" };
const where_read = ({ address: url }) => (url ? external(url) : note(word("unpublished")));

function checkpoint_line() {
  const { checkpoint, hash } = data.run;
  return element("p", { class: "checkpoint" }, `${word("on_checkpoint")}: `, element("b", {}, checkpoint), " ", code(hash));
}

// A claim's place on its question's page; none where nothing asks after it.
const claim_address = (claim) => (claim.question ? address("question", claim.question, claim.id) : null);

function number_cell(value, interval, of) {
  const range = shown_interval(interval);
  return [
    element("span", { class: "value" }, shown(value)),
    range ? element("span", { class: "interval" }, ` ${range}`) : null,
    of ? element("span", { class: "of" }, prose(of)) : null,
  ];
}

const beside_cell = (beside) => (beside ? number_cell(beside.value, beside.interval, beside.of) : ["–"]);

/** The number that decided the verdict stands for all of a claim's. */
const deciding_number = (claim) => claim.numbers.find((number) => number.name === claim.number);

function headline(claim) {
  const number = deciding_number(claim);
  if (!number) return ["–"];
  const link = { class: "more", href: claim_address(claim) };
  const others = claim.numbers.length - 1;
  const more = others ? element("a", link, `+ ${others} ${word("more")}`) : null;
  return [...number_cell(number.value, number.interval, number.label), more];
}

function page_link(claim) {
  const at = claim_address(claim);
  if (!at) return ["–"];
  const title = say(questions.get(claim.question).title);
  return [element("a", { href: at, title, "aria-label": `${claim.id}: ${title}` }, word("open"))];
}

// Two rows: the numbers, and under them why it was judged so and what was published.
function verdict_rows(claim) {
  const number = deciding_number(claim);
  // On a narrow screen a row becomes a card, and each cell says what it is.
  const cell = (key, content) =>
    element("td", { class: key, "data-label": word(key), "data-empty": String(content[0] === "–") }, content);
  const said = (key, text) => (text ? element("p", { class: "of" }, element("b", {}, `${word(key)} `), prose(text)) : null);
  const published = say(claim.published) ? claim.published : null;
  const test = element("span", { class: "of test" }, prose(claim.test));
  const row = element(
    "tr",
    {},
    element("th", { scope: "rowgroup", rowspan: "2", class: "claim" }, id_of(claim), " ", prose(claim.claim), test),
    element("td", { class: "badges" }, badge(claim.observation), badge(claim.inference),
      conclusion_badge(claim), kind_badge(claim)),
    cell("number", headline(claim)),
    cell("null", beside_cell(number?.null)),
    cell("control", beside_cell(number?.control)),
    cell("link", page_link(claim)),
  );
  const why = element("td", { colspan: "5", class: "why" }, said("why", claim.reason), said("published", published));
  return element("tbody", { "data-claim": claim.id }, row, element("tr", {}, why));
}

function document_rows(name, of_document) {
  const read = document_of(name);
  const title = element("span", { class: "stuck" }, `${name} · ${say(read.title)} `, where_read(read));
  const head = element("th", { colspan: "6", scope: "colgroup", class: "document" }, title);
  return [element("tbody", {}, element("tr", {}, head)), of_document.map(verdict_rows)];
}

let chosen = null; // the observation that the table is narrowed to

function verdict_filter() {
  const choose = (verdict) => () => {
    chosen = verdict;
    show_page();
    document.querySelector(".filter [aria-pressed=true]")?.focus();
  };
  const button = (verdict) => {
    const count = data.claims.filter((claim) => verdict === null || claim.observation === verdict).length;
    const label = verdict === null ? word("all") : badge(verdict);
    const pressed = String(chosen === verdict);
    return element("button", { "aria-pressed": pressed, click: choose(verdict) }, label, element("b", {}, ` ${count}`));
  };
  const group = { class: "filter", role: "group", "aria-label": word("verdict") };
  return element("div", group, [null, ...observations].map(button));
}

function verdicts_page() {
  const wanted = data.claims.filter((claim) => chosen === null || claim.observation === chosen);
  const names = [...new Set(wanted.map((claim) => claim.document))];
  const titles = ["claim_and_test", "verdict", "number", "null", "control", "link"].map(word);
  const bodies = names.map((name) => document_rows(name, wanted.filter((claim) => claim.document === name)));
  return [
    heading(1, word("verdicts")),
    checkpoint_line(),
    paragraph(word("scope"), data.run.quick ? ` ${word("quick")}` : ""),
    verdict_filter(),
    scrolling_table("verdicts", titles, bodies, word("verdicts")),
  ];
}
