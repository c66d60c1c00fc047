// The page of a question, the glossary, and what is told of the run.
const chinese = /[\u4e00-\u9fff]/;

/** A document's sentence; where it is in the other language, below what it says in the reader's. */
function sentence(claim) {
  const of_quote = chinese.test(claim.quote.text) ? "zh" : "en";
  if (of_quote === language) return paragraph(claim.quote.text);
  const original = element("p", { class: "original", lang: of_quote === "zh" ? "zh-Hans" : "en" }, claim.quote.text);
  return [paragraph(prose(claim.claim)), original];
}

function quotation(claim) {
  const read = document_of(claim.document);
  const place = language === "zh" ? `第 ${claim.quote.line} 行` : `line ${claim.quote.line}`;
  const from = `${claim.id} · ${word("document")} ${claim.document}, ${say(read.title)}, ${place} · `;
  return element("blockquote", {}, sentence(claim), element("footer", {}, from, where_read(read)));
}

function opening(of_question) {
  const [first, ...others] = of_question.filter((claim) => claim.quote.text);
  if (!first) return [];
  const summary = element("summary", {}, `${word("other_sentences")} (${others.length})`);
  return [quotation(first), others.length ? element("details", {}, summary, others.map(quotation)) : null];
}

const shown_numbers = 3; // what follows is folded

function numbers_table(numbers) {
  if (!numbers.length) return null;
  const pairs = with_surrogates(numbers);
  const columns_of_sides = (rows) => ["null", "control"].filter((key) => rows.some(([number]) => number[key]));
  const columns_of_surrogates = (rows) => surrogate_names.filter((key) => rows.some(([, beside]) => beside[key]));
  const table = (rows) => {
    const [surrogates, sides] = [columns_of_surrogates(rows), columns_of_sides(rows)];
    // What it is exactly, and beside which null, shows under the pointer.
    const surrogate_cell = (number) => element("td", { title: number && say(number.label) },
      number ? number_cell(number.value, number.interval) : "–");
    const row = ([number, beside]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, prose(number.label)),
        element("td", {}, number_cell(number.value, number.interval)),
        surrogates.map((key) => surrogate_cell(beside[key])),
        sides.map((key) => element("td", {}, beside_cell(number[key]))),
      );
    const titles = ["measure", "number", ...surrogates, ...sides].map(word);
    return scrolling_table("numbers", titles, element("tbody", {}, rows.map(row)));
  };
  const first = pairs.slice(0, shown_numbers);
  const rest = pairs.slice(shown_numbers);
  if (!rest.length) return table(first);
  const folded = element("details", { class: "fold" }, element("summary", {}, counted("fold_more", rest.length)), table(rest));
  return [table(first), folded];
}

/** Titled texts, without those that are empty. */
function described(pairs) {
  const is_there = (content) => content && (!Array.isArray(content) || content.some((part) => part !== ""));
  const kept = pairs.filter(([, content]) => is_there(content));
  return element("dl", {}, kept.map(([key, content]) => [element("dt", {}, word(key)), element("dd", {}, content)]));
}

function claim_card(claim) {
  const name_of = (key) => labelled(key, word(key));
  const verdict = (key) => element("span", {}, note([name_of(key), " "]), badge(claim[key]));
  return element(
    "section",
    { class: "card", id: `claim-${claim.id}`, tabindex: "-1" },
    element("h3", {}, id_of(claim), " ", prose(claim.claim)),
    element("p", { class: "badges wide" }, note(word("on_checkpoint")), verdict("observation"), verdict("inference"),
      conclusion_badge(claim, name_of("conclusion")), kind_badge(claim), study_badge(claim)),
    say(claim.reason) ? paragraph(prose(claim.reason)) : null,
    numbers_table(claim.numbers),
    described([
      ["study", prose(claim.study?.text)],
      ["test", prose(claim.test)],
      ["published", prose(claim.published)],
      ["worked_out", prose(claim.worked_out)],
      ["observation_rule", prose(claim.rule?.observation)],
      ["inference_rule", prose(claim.rule?.inference)],
      ["conclusion", prose(claim.conclusion)],
      ["calibration", calibration_line(claim)],
      ["rule_hash", claim.rule_hash && [code(claim.rule_hash), ` ${say(claim.rule_state)}`]],
    ]),
  );
}

function command_element(command) {
  const text = code(command);
  const copy = async (event) => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = word("copied");
    } catch {
      getSelection().selectAllChildren(text); // no clipboard from disk: one key copies what is marked
    }
  };
  const button = element("button", { class: "small", click: copy }, word("copy"));
  return element("div", { class: "command" }, element("pre", { tabindex: "0" }, text), button);
}

const list = (texts) => (texts.length ? element("ul", {}, texts.map((text) => element("li", {}, prose(text)))) : null);

// The dials are drawn by hand, for a slider to turn them; they come first.
const question_figure = (figure) => (figure.name === dials_figure ? dials_element(figure) : figure_element(figure));
const dials_first = (a, b) => (b.name === dials_figure) - (a.name === dials_figure);

function question_page(question, place) {
  const of_question = question.claims.map((id) => claims.get(id)).filter(Boolean);
  const { command } = data.run;
  const answer = [heading(2, word("answer")), checkpoint_line(), paragraph(prose(question.answer))];
  // In the order of the page: a term is linked where it stands first.
  const head = [
    heading(1, say(question.title)),
    element("p", { class: "lead" }, prose(question.question)),
    opening(of_question),
    element("section", { class: "answer" }, answer),
  ];
  const figures = question.figures.toSorted(dials_first).map(question_figure);
  const page = [
    head,
    figures.length ? heading(2, word("figures")) : null,
    figures,
    of_question.length ? heading(2, word("claims_title")) : null,
    of_question.map(claim_card),
    question.numbers.length ? [heading(2, word("numbers")), numbers_table(question.numbers)] : null,
    heading(2, word("how")),
    described([
      ["definition", prose(question.definition)],
      ["null", prose(question.null)],
      ["control", prose(question.control)],
      ["source", prose(question.source)],
      ["remarks", list(question.remarks)],
      ["left_out", list(question.left_out)],
      ["took", `${shown(question.seconds)} ${word("seconds")}`],
    ]),
    heading(2, word("redo")),
    command_element(/--(only|experiment)/.test(command) ? command : `${command} --only ${question.name}`),
  ];
  return { page, figures, place: place ? `claim-${place}` : null };
}

function glossary_page(place) {
  const sorted = [...data.glossary].sort((a, b) => say(a.name).localeCompare(say(b.name), language));
  const entry = ({ id, name, meaning }) => [
    element("dt", { id: `term-${id}`, tabindex: "-1" }, say(name)),
    element("dd", {}, say(meaning)),
  ];
  const page = [heading(1, word("glossary")), element("dl", { class: "glossary" }, sorted.map(entry))];
  return { page, place: place ? `term-${place}` : null };
}

/** A section of named facts, without those that are empty. */
function facts(title, pairs) {
  const row = ([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value));
  const rows = pairs.filter(([, value]) => value).map(row);
  if (!rows.length) return [];
  return [heading(2, title), element("table", { class: "facts" }, element("tbody", {}, rows))];
}

function about_page() {
  const { run } = data;
  const times = data.questions.map((each) => [say(each.title), `${shown(each.seconds)} ${word("seconds")}`]);
  const left_out = data.questions.flatMap(({ title, left_out: texts }) =>
    texts.map((text) => element("li", {}, `${say(title)}${word("colon")}`, prose(text))),
  );
  const checkpoint = [
    [word("name"), run.checkpoint],
    [word("path"), code(run.path)],
    [word("hash"), code(run.hash)],
    ...run.sizes.map(({ words, value }) => [say(words), value]),
  ];
  const conditions = [
    [word("mode"), word(run.quick ? "quick_mode" : "full")],
    [word("seed"), run.seed],
    [word("corpus"), say(run.corpus)],
    [word("warning"), say(run.corpus_warning) && element("span", { class: "warning" }, say(run.corpus_warning))],
    [`${word("corpus")} · ${word("hash")}`, run.corpus_hash && code(run.corpus_hash)],
  ];
  const reading = ["reading_observation", "reading_inference", "reading_conclusion", "reading_kind", "reading_measured", "scope"];
  const file = (name, key) => element("li", {}, code(name), `: ${word(key)}`);
  const licences = element("pre", { class: "licences" }, document.getElementById("licences").textContent);
  return [
    heading(1, word("about")),
    facts(word("checkpoint"), checkpoint),
    facts(word("run"), conditions),
    facts(word("took"), times),
    left_out.length ? [heading(2, word("left_out")), element("ul", {}, left_out)] : null,
    heading(2, word("redo")),
    command_element(run.command),
    heading(2, word("reading")),
    reading.map((key) => paragraph(word(key))),
    element("p", { class: "legend" }, Object.keys(marks).map(badge)),
    heading(2, word("files")),
    element("ul", {}, file("results.json", "files_results"), file("figures/", "files_figures")),
    facts(word("versions"), Object.entries(run.versions)),
    element("details", {}, element("summary", {}, word("licences")), licences),
  ];
}
