// The first page: the two questions that people come with. Each has an answer, a figure, how sure that is, and what it
// cannot tell; the verdicts follow on a page of their own. The answers are lab/results/in_short.cpp's.
const figure_named = (question, name) => question.figures.find((figure) => figure.name === name);

function drawn_figure(question, name) {
  const figure = figure_named(question, name);
  return figure ? figure_element(figure) : null;
}

function dials_or_spectrum(question) {
  const dials = figure_named(question, dials_figure);
  return dials ? dials_element(dials) : drawn_figure(question, "clocks-spectrum");
}

/** The number that an answer rests on, with what stands beside it, and how often the rule is right where the truth is known. */
function how_sure(claim, number, calibrated) {
  if (!number) return [];
  const side = (key) => (number[key] ? [element("br"), note(`${word(key)} `), number_cell(number[key].value, number[key].interval), note(` ${say(number[key].of)}`)] : []);
  const rates = calibrated ? calibration_line(claim) : null;
  return [
    number_cell(number.value, number.interval), note(` ${say(number.label)}`), side("null"), side("control"),
    rates ? [element("br"), note(`${word("calibration")} `), rates] : [],
  ];
}

const ended = (text) => (/[.。?？!！:：]$/.test(text) ? text : `${text}${language === "zh" ? "。" : "."}`);

/** "A smooth path." in bold, and its number in sentences. */
function learned_lines(learned) {
  const line = (one) => {
    const claim = claims.get(one.claim);
    const at = claim ? claim_address(claim) : null;
    return element("li", {}, element("b", {}, `${ended(say(one.name))} `), prose(one.words),
      at ? [" ", element("a", { href: at }, one.claim)] : null);
  };
  return element("ul", { class: "learned" }, learned.map(line));
}

const answer_line = ({ lead, text }) =>
  element("p", { class: "verdict-line" }, say(lead) ? element("b", {}, `${ended(say(lead))} `) : null, prose(text));

/** What the run left out, and the command that runs it. */
const left_out_of_run = (names) => [paragraph(word("not_in_this_run")), command_element(command_for(names.join(",")))];

function adding_answer() {
  const { adding } = data.in_short;
  const question = questions.get("decoding");
  const title = heading(2, word("adding_question"));
  if (!adding || !question) return { page: [title, left_out_of_run(["decoding"])], figures: [] };
  const figure = drawn_figure(question, "decoding-noise");
  const claim = claims.get("3.1");
  const page = [
    title,
    element("section", { class: "answer" }, answer_line(adding)),
    figure,
    described([
      ["how_sure", claim ? how_sure(claim, deciding_number(claim), true) : []],
      ["cannot_tell", word("adding_cannot_tell")],
    ]),
    paragraph(element("a", { href: address("question", question.name) }, `${word("more_on")} ${say(question.title)}`)),
  ];
  return { page, figures: figure ? [figure] : [] };
}

/** What the first of all that was learned rests on; where nothing was, what X1 does. */
function surest(learned) {
  const claim = claims.get(learned.length ? learned[0].claim : "X1");
  if (!claim) return [];
  if (!learned.length) return how_sure(claim, deciding_number(claim), true);
  return how_sure(claim, claim.numbers.find(({ name }) => name === learned[0].number), learned[0].is_verdict);
}

function table_answer() {
  const { table, learned, circles, not_run } = data.in_short;
  const title = heading(2, word("learned_question"));
  if (!table) return { page: [title, left_out_of_run(not_run)], figures: [] };
  const clocks = questions.get("clocks");
  const figure = clocks ? dials_or_spectrum(clocks) : null;
  const others = learned.slice(1);
  const asked = clocks ?? questions.get(claims.get(learned[0]?.claim)?.question);
  const page = [
    title,
    element("section", { class: "answer" },
      answer_line(table),
      others.length ? [paragraph(word("learned_too")), learned_lines(others)] : null,
      say(circles) && say(circles) !== say(table.text) ? element("p", { class: "also" }, `${word("circles_too")} `, prose(circles)) : null),
    figure,
    described([
      ["how_sure", surest(learned)],
      ["cannot_tell", word("learned_cannot_tell")],
    ]),
    asked ? paragraph(element("a", { href: address("question", asked.name) }, `${word("more_on")} ${say(asked.title)}`)) : null,
    not_run.length ? [paragraph(word("would_tell_more")), command_element(command_for(not_run.join(",")))] : null,
  ];
  return { page, figures: figure ? [figure] : [] };
}

/** What the reader's own experiments found: they have no claim, and so no verdict. */
function own_answers() {
  const answers = own_questions().map((question) => [
    element("dt", {}, element("a", { href: address("question", question.name) }, say(question.title))),
    element("dd", {}, prose(question.answer)),
  ]);
  return answers.length ? [heading(2, word("own_experiments")), element("dl", { class: "own" }, answers)] : [];
}

/** How many claims came out how. */
function verdict_counts() {
  const count = (observation) => data.claims.filter((claim) => claim.observation === observation).length;
  const one = (observation) => element("li", {}, badge(observation), element("b", {}, ` ${count(observation)}`));
  return element("ul", { class: "counts" }, observations.filter(count).map(one));
}

function short_page() {
  const answers = [adding_answer(), table_answer()];
  const page = [
    heading(1, word("in_short")),
    checkpoint_line(),
    paragraph(word("scope"), data.run.quick ? ` ${word("quick")}` : ""),
    answers.map((answer) => answer.page),
    own_answers(),
    heading(2, word("verdicts")),
    verdict_counts(),
    paragraph(element("a", { href: address("verdicts") }, word("all_verdicts"))),
  ];
  return { page, figures: answers.flatMap((answer) => answer.figures) };
}
