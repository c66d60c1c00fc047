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

/** @param extent  how far it is so: "up to layer 4 of 6" */
function badge(verdict, extent = "") {
  const [sign, kind] = marks[verdict];
  const hidden = { class: "sign", "aria-hidden": "true" };
  const said = extent ? `${verdict_word(verdict)}${language === "zh" ? "，" : " "}${extent}` : verdict_word(verdict);
  return element("span", { class: `badge ${kind}${extent ? " long" : ""}` }, element("span", hidden, sign), said);
}

/** What the document concludes, whether that is true here, and the claim that tells; nothing where it concludes nothing. */
function conclusion_badge(claim, name = word("conclusion")) {
  if (!say(claim.conclusion)) return null;
  const told_by = claim.told_by && claim.told_by !== claim.id ? ` (${claim.told_by})` : "";
  return element("span", { class: "conclusion" }, note([name, " "]), badge(claim.truth, say(claim.extent)), note(told_by));
}

/** What models trained from scratch tell of the claim, apart from what this checkpoint does. */
const study_badge = (claim) =>
  claim.study ? element("span", { class: "conclusion" }, note([word("study_badge"), " "]), badge(claim.study.verdict)) : null;

// Algebra and code are the same on every checkpoint; data are not, and say nothing.
const kind_badge = (claim) => (claim.kind && claim.kind !== "data" ? labelled("kind", badge(claim.kind)) : null);

const external = (url) =>
  element("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, url.replace(/^https?:\/\//, ""));

const document_of = (name) => documents.get(name) ?? { title: name, address: "" };
const where_read = ({ address: url }) => (url ? external(url) : note(word("unpublished")));

function checkpoint_line() {
  const { checkpoint, hash } = data.run;
  return element("p", { class: "checkpoint" }, `${word("on_checkpoint")}${word("colon")}`, element("b", {}, checkpoint), " ", code(hash));
}

// A claim's place on its question's page; none where nothing asks after it.
const claim_address = (claim) => (claim.question ? address("question", claim.question, claim.id) : null);

function number_cell(value, interval, of) {
  return [
    element("span", { class: "value" }, shown(value)),
    shown_interval(interval),
    of ? element("span", { class: "of" }, prose(of)) : null,
  ];
}

const beside_cell = (beside) => (beside ? number_cell(beside.value, beside.interval, beside.of) : ["–"]);

/** The command of this run, for one experiment. */
const command_for = (question) => `${data.run.command.replace(/ --only \S+/, "")} --only ${question}`;

/** The number that decided the verdict stands for all of a claim's. */
const deciding_number = (claim) => claim.numbers.find((number) => number.name === claim.number);

function headline(claim) {
  const number = deciding_number(claim);
  if (!number) return ["–"];
  const link = { class: "more", href: claim_address(claim) };
  const others = claim.numbers.length - 1;
  const more = others ? element("a", link, counted("more", others)) : null;
  return [...number_cell(number.value, number.interval, number.label), more];
}

/** In ten words, which lead to its page. */
function brief_link(claim) {
  const at = claim_address(claim);
  const brief = prose(claim.brief);
  return at ? element("a", { href: at, title: say(questions.get(claim.question).title) }, brief) : brief;
}

// Two rows: the numbers, and under them, folded, all that is said of it.
function verdict_rows(claim) {
  const number = deciding_number(claim);
  // On a narrow screen a row becomes a card, and each cell says what it is.
  const cell = (key, content) =>
    element("td", { class: key, "data-label": word(key), "data-empty": String(content[0] === "–") }, content);
  const row = element(
    "tr",
    {},
    element("th", { scope: "rowgroup", class: "claim" }, id_of(claim), " ", brief_link(claim)),
    element("td", { class: "badges" }, badge(claim.observation), badge(claim.inference),
      conclusion_badge(claim), kind_badge(claim), study_badge(claim)),
    cell("number", headline(claim)),
    cell("null", beside_cell(number?.null)),
    cell("control", beside_cell(number?.control)),
  );
  const texts = [["in_full", claim.claim], ["quote", claim.quote.text], ["why", claim.reason], ["study", claim.study?.text], ["test", claim.test], ["published", claim.published],
    ["worked_out", claim.worked_out]];
  const missing = claim.asked_by && !questions.has(claim.asked_by);
  const folded = element("details", {}, element("summary", {}, word("why_and_how")),
    described([...texts.map(([key, text]) => [key, prose(text)]),
      ["to_run", missing ? command_element(command_for(claim.asked_by)) : null]]));
  return element("tbody", { "data-claim": claim.id }, row, element("tr", {}, element("td", { colspan: "5", class: "why" }, folded)));
}

function document_rows(name, of_document) {
  const read = document_of(name);
  const title = element("span", { class: "stuck" }, `${name} · ${say(read.title)} `, where_read(read));
  const head = element("th", { colspan: "5", scope: "colgroup", class: "document" }, title);
  return [element("tbody", { class: "of-document" }, element("tr", {}, head)), of_document.map(verdict_rows)];
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

let sought = ""; // what the table is searched for

/** Marks the words that are sought, where the browser can. */
function mark_found(table, words) {
  if (!CSS.highlights) return;
  const ranges = [];
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  while (words.length && texts.nextNode()) {
    const text = texts.currentNode.data.toLowerCase();
    for (const each of words) {
      for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + each.length)) {
        const range = new Range();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + each.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

/** Opens what is folded where the words that are sought stand in nothing else that is shown. */
function unfold_found(body, words) {
  const folded = body.querySelector("details");
  const open = body.firstElementChild.textContent.toLowerCase();
  folded.open = words.length > 0 && !words.every((each) => open.includes(each));
}

/** Hides what has not every word that is sought, and the documents of which nothing is left. */
function show_found(table) {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  let heading_row = null;
  let found = 0;
  for (const body of table.querySelectorAll("tbody")) {
    if (body.classList.contains("of-document")) {
      heading_row = body;
      heading_row.hidden = true;
      continue;
    }
    const text = body.textContent.toLowerCase(); // what is folded, too
    body.hidden = !words.every((each) => text.includes(each));
    if (body.hidden) continue;
    heading_row.hidden = false;
    unfold_found(body, words);
    ++found;
  }
  mark_found(table, words);
  return found;
}

function search_field(table) {
  const nothing = element("p", { class: "note", role: "status" });
  const find = () => {
    const found = show_found(table);
    nothing.textContent = found ? "" : word("no_claim_found");
    table.hidden = found === 0;
  };
  const input = element("input", {
    type: "search", value: sought, placeholder: word("search"), "aria-label": word("search"),
    input: (event) => {
      sought = event.target.value;
      find();
    },
  });
  find();
  return element("div", { class: "search" }, input, nothing);
}

/** Where the claims come from, and how many. */
function documents_list() {
  const line = (read) => {
    const count = data.claims.filter((claim) => claim.document === read.name).length;
    if (!count) return null;
    const own = read.name === "own";
    return element("li", {}, own ? null : `${read.name} · `, say(read.title), own ? null : [" · ", where_read(read)], ` · ${counted("claims_of", count)}. `,
      own || read.address ? null : word("never_published"));
  };
  return [paragraph(word("documents_lead")), element("ul", { class: "documents" }, data.documents.map(line))];
}

function verdicts_page() {
  const wanted = data.claims.filter((claim) => chosen === null || claim.observation === chosen);
  const names = [...new Set(wanted.map((claim) => claim.document))];
  const titles = ["claim", "verdict", "number", "null", "control"].map(word);
  const bodies = names.map((name) => document_rows(name, wanted.filter((claim) => claim.document === name)));
  const table = scrolling_table("verdicts", titles, bodies, word("verdicts"));
  return [
    heading(1, word("verdicts")),
    checkpoint_line(),
    paragraph(word("scope"), data.run.quick ? ` ${word("quick")}` : ""),
    documents_list(),
    verdict_filter(),
    search_field(table),
    table,
  ];
}
