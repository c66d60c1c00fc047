// The first page: the two questions that people come with. Each has an answer, a figure, how sure that is, and what it
// cannot tell; the verdicts follow on a page of their own.
const short_questions = [
  { key: "adding", question: "decoding", claim: "3.1", figure: (question) => drawn_figure(question, "decoding-noise") },
  { key: "learned", question: "clocks", claim: "X1", figure: dials_or_spectrum },
];

const figure_named = (question, name) => question.figures.find((figure) => figure.name === name);

function drawn_figure(question, name) {
  const figure = figure_named(question, name);
  return figure ? figure_element(figure) : null;
}

function dials_or_spectrum(question) {
  const dials = figure_named(question, dials_figure);
  return dials ? dials_element(dials) : drawn_figure(question, "clocks-spectrum");
}

/** The number that decided, with what stands beside it, and how often the rule is right where the truth is known. */
function how_sure(claim) {
  const number = deciding_number(claim);
  if (!number) return [];
  const side = (key) => (number[key] ? [element("br"), note(`${word(key)} `), number_cell(number[key].value, number[key].interval), note(` ${say(number[key].of)}`)] : []);
  const calibrated = calibration_line(claim);
  return [
    number_cell(number.value, number.interval), note(` ${say(number.label)}`), side("null"), side("control"),
    calibrated ? [element("br"), note(`${word("calibration")} `), calibrated] : [],
  ];
}

/** "Not at the input.", by what the claim that decides came out as; where that is open, the answer says so itself. */
function short_lead({ key }, claim) {
  const lead = interface_words[`${key}_${claim.observation.replaceAll(" ", "_")}`];
  return lead ? element("b", {}, `${say(lead)} `) : null;
}

/** The answer without its "yes" or "no", which a lead has said of another question. */
function behind_lead(answer) {
  const without = (text, yes_or_no) => {
    const rest = text.replace(yes_or_no, "");
    return rest.charAt(0).toUpperCase() + rest.slice(1);
  };
  return { en: without(answer.en, /^(Yes|No)[:,] /), zh: without(answer.zh, /^(是的|不是)[：，]/) };
}

function short_answer(asked) {
  const title = heading(2, word(`${asked.key}_question`));
  const question = questions.get(asked.question);
  const claim = claims.get(asked.claim);
  if (!question) {
    return { page: [title, paragraph(word("not_in_this_run")), command_element(command_for(asked.question))], figures: [] };
  }
  const figure = asked.figure(question);
  const lead = short_lead(asked, claim);
  const page = [
    title,
    element("section", { class: "answer" },
      element("p", { class: "verdict-line" }, lead, prose(lead ? behind_lead(question.answer) : question.answer))),
    figure,
    described([
      ["how_sure", how_sure(claim)],
      ["cannot_tell", word(`${asked.key}_cannot_tell`)],
    ]),
    paragraph(element("a", { href: address("question", question.name) }, `${word("more_on")} ${say(question.title)}`)),
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
  const answers = short_questions.map(short_answer);
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
