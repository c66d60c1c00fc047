// Which page is open is written in the address, #/LANGUAGE/PAGE/…, so that a link, a reload and "back" keep it.
let figures = [];

function route() {
  const [, asked, kind = "short", name, place] = decodeURIComponent(location.hash).split("/");
  return { asked, kind: kind || "short", name, place };
}

function contents({ asked, kind, name, place }) {
  if (kind === "question" && questions.has(name)) return question_page(questions.get(name), place);
  if (kind === "explorer" && data.explorer) return explorer_page(name, place);
  if (kind === "calibration") return calibration_page(name);
  if (kind === "glossary") return glossary_page(name);
  if (kind === "about") return { page: about_page() };
  if (kind === "verdicts") return { page: verdicts_page() };
  const { page, figures: drawn } = short_page();
  const lost = kind === "short" && (!asked || ["en", "zh"].includes(asked)) ? [] : [element("p", { class: "warning", role: "alert" }, word("nowhere"))];
  return { page: [lost, page], figures: drawn };
}

// What every question is about, in the order of the navigation.
const groups = {
  table: [
    "clocks", "circle_readers", "path", "spectrum", "oscillation", "first_row", "initialisation", "tails", "norms",
    "continuity", "distance", "relative_position", "shift_readings",
  ],
  sum: ["decoding", "variance_shares", "subspaces", "probes", "folding", "one_hot", "interventions", "removed_components"],
  attention: [
    "position_strength", "identical_words", "symmetry", "self_match", "score_scale", "attention_cost", "expansion",
    "toeplitz", "covariance", "kernel",
  ],
  limits: ["first_token", "non_linearity", "tied_output", "beyond_the_table", "long_texts"],
};

/** Questions that came from a file of the reader's. */
function own_questions() {
  const known = new Set(Object.values(groups).flat());
  return [...questions.values()].filter(({ name }) => !known.has(name));
}

/** [heading, questions of this run] of every group that has any; the reader's own come last. */
function grouped_questions() {
  const grouped = Object.entries(groups).map(([group, names]) => [`group_${group}`, names.filter((name) => questions.has(name))]);
  grouped.push(["own_experiments", own_questions().map(({ name }) => name)]);
  return grouped.filter(([, names]) => names.length);
}

function navigation(here) {
  const entry = (text, ...parts) => {
    const current = parts[0] === here.kind && (parts[1] ?? null) === (here.kind === "question" ? here.name : null);
    return element("li", {}, element("a", { href: address(...parts), "aria-current": current ? "page" : null }, text));
  };
  return element("nav", { "aria-label": "summand lab" }, element("ul", {},
    entry(word("in_short"), "short"),
    entry(word("verdicts"), "verdicts"),
    data.explorer ? entry(word("explorer"), "explorer") : null,
    grouped_questions().map(([group, names]) => [
      element("li", { class: "heading", "aria-hidden": "true" }, word(group)),
      names.map((name) => entry(say(questions.get(name).title), "question", name)),
    ]),
    element("li", { class: "line", "aria-hidden": "true" }),
    entry(word("calibration"), "calibration"), entry(word("glossary"), "glossary"), entry(word("about"), "about")));
}

// On a narrow screen the navigation lies behind a button.
function menu_button(side) {
  const toggle = (event) => {
    const open = side.classList.toggle("open");
    event.currentTarget.setAttribute("aria-expanded", String(open));
  };
  const closed = { class: "menu", "aria-expanded": "false", "aria-controls": "side", click: toggle };
  return element("button", closed, word("menu"));
}

let drawing = 0; // counts pages, so that one that was left draws no further

async function draw_all() {
  const mine = ++drawing;
  for (const figure of figures) {
    if (mine !== drawing) return;
    await figure.draw();
  }
}

function show_page() {
  const here = route();
  speak(here.asked);
  linked.clear();
  hide_tip();
  const { page, figures: drawn = [], place } = contents(here);
  figures = drawn;
  const side = document.getElementById("side");
  side.classList.remove("open");
  const name = element("b", {}, "summand lab");
  const brand = element("div", { class: "brand" }, name, element("span", {}, data.run.checkpoint));
  side.replaceChildren(brand, language_switch(here.kind, here.name, here.place), menu_button(side), navigation(here));
  document.getElementById("skip").textContent = word("skip");
  document.getElementById("main").replaceChildren(...page.flat(Infinity).filter(Boolean));
  document.title = `${document.querySelector("h1").textContent} · ${data.run.checkpoint} · summand lab`;
  return { finished: draw_all(), target: place ? document.getElementById(place) : null };
}

let last_page = "";

/** Writes what a page has come to show into the address: a link, a reload and the other language keep it. */
function keep_address(...parts) {
  history.replaceState(null, "", address(...parts));
  last_page = parts.join("/");
  document.querySelector(".languages").replaceWith(language_switch(route()));
}

async function open_page() {
  const here = route();
  const { finished, target } = show_page();
  // Another language of the same page keeps the reader where they were.
  const page = [here.kind, here.name, here.place].join("/");
  const keep = page === last_page;
  last_page = page;
  if (keep) return;
  scrollTo(0, 0);
  if (!target) return;
  await finished; // figures push what stands below them
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => figures.forEach((figure) => figure.is_stale() && figure.redraw()), 150);
});
dark.addEventListener("change", () => figures.forEach((figure) => figure.redraw()));
addEventListener("hashchange", open_page);
addEventListener("scroll", hide_tip, { passive: true });
addEventListener("keydown", (event) => event.key === "Escape" && hide_tip());
document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
open_page();
