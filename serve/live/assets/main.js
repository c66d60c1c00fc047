// The page: a state, a column for each model that is looked into, and panels that show what they answer.
import { element } from "./report.js";
import { ask } from "./asking.js";
import { Claims } from "./claims.js";
import { Column, panel_names } from "./columns.js";
import { Controls } from "./controls.js";
import { differences_table } from "./differences.js";
import { MaskedWords } from "./masks.js";
import { sentence_editor } from "./neighbours.js";
import { begin_scheme, choose_scheme, chosen_scheme, schemes } from "./scheme.js";
import { fragment_of, state_of } from "./state.js";
import { Strip, order_buttons } from "./strip.js";
import { hide_tip } from "./tip.js";
import { language_now, load_words, panel, speak, word } from "./words.js";

const to_address = 300; // milliseconds: a browser takes no new address at every step of a slider

let state = state_of(location.hash);
let models = [];
let columns = [];
let controls = null;
let strip = null;
let claims = null;
const masked_words = new MaskedWords();
let written = "";
let notice = null; // a line that stays until other models are chosen

const get_state = () => state;

/** What a change asks the models for anew; the others show what is known already. */
const asks = ["text", "pair", "token", "position", "segment", "noise", "seed", "order", "head", "sentences"];

/** Takes what changes of the state, and shows it. */
function choose(changed) {
  const before = state;
  state = { ...state, ...changed };
  const has = (names) => names.some((name) => name in changed && changed[name] !== before[name]);
  write_address();
  if (has(["language"])) return draw_page();
  if (has(["text", "pair", "model", "with"])) for (const column of columns) column.order_fits = true;
  controls.update();
  strip.arrange();
  if (has(["model", "with"])) {
    notice = null;
    return make_columns();
  }
  if (has(asks)) for (const column of columns) column.ask();
  if (!has(["text", "pair"])) for (const column of columns) draw_column(column);
  show_actions();
}

let waiting = 0;
function write_address() {
  clearTimeout(waiting);
  waiting = setTimeout(write_now, to_address);
}

function write_now() {
  clearTimeout(waiting);
  const fragment = fragment_of({ ...state, language: language_now() });
  if (fragment === written) return;
  written = fragment;
  history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
}

/** Puts content into its place; the keyboard and what was scrolled stay where they were. */
function replace(host, content) {
  const focus = host.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolled = [...host.querySelectorAll(".scroll")].map((each) => [each.scrollTop, each.scrollLeft]);
  host.replaceChildren(...[content].flat(Infinity).filter(Boolean));
  [...host.querySelectorAll(".scroll")].forEach((each, i) => {
    if (scrolled[i]) [each.scrollTop, each.scrollLeft] = scrolled[i];
  });
  if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
}

function draw_column(column) {
  if (!column.look) return;
  hide_tip();
  for (const name of panel_names) {
    const host = document.getElementById(`${name}-${column.number}`);
    if (host) replace(host, column.view(name));
  }
  const is_whole = columns.length > 1 && columns.every(({ look }) => look);
  const together = document.getElementById("differences");
  together.hidden = !is_whole;
  if (!is_whole) return;
  const note = columns[1].order_fits ? null : element("p", { class: "note" }, columns[1].model.name + word("colon") + word("order_not_shared"));
  replace(together.querySelector(".content"), [differences_table(columns, state), note]);
}

function on_answer(column) {
  controls.tell_error(notice);
  document.getElementById("loading").hidden = true;
  document.getElementById("results").classList.remove("stale");
  document.getElementById("main").dataset.answered = String(Number(document.getElementById("main").dataset.answered ?? 0) + 1);
  if (column.number === 0) {
    strip.show(column.look.tokens);
    const { cut } = column.look;
    const note = document.getElementById("cut");
    note.hidden = !cut;
    note.textContent = cut ? word("cut", { count: cut, limit: column.model.limit }) : "";
    show_actions();
  }
  say_unknown();
  controls.tell_effect(columns);
  draw_column(column);
}

/** Says which models do not know the words: more than a third of a text's tokens are their unknown token. */
function say_unknown() {
  const lines = columns.map(({ look, model }) => {
    const ordinary = look?.tokens.filter(({ special }) => !special) ?? [];
    const count = model.unknown_token ? ordinary.filter(({ token }) => token === model.unknown_token).length : 0;
    if (3 * count <= ordinary.length) return null;
    const line = word("unknown", { count, all: ordinary.length, token: model.unknown_token });
    return columns.length > 1 ? model.name + word("colon") + line : line;
  });
  const note = document.getElementById("unknown");
  note.textContent = lines.filter(Boolean).join(" ");
  note.hidden = !note.textContent;
}

function on_error(column, line) {
  if (line.startsWith("[order]") && state.order) return choose({ order: null }); // of another text
  controls.tell_error(columns.length > 1 ? column.model.name + word("colon") + line : line);
  document.getElementById("loading").hidden = true;
  document.getElementById("results").classList.add("stale");
}

/** What can be done with the chosen token. */
function show_actions() {
  const token = columns[0]?.look?.tokens[state.chosen];
  const model = columns.map((column) => column.model).find(({ has_mask_head }) => has_mask_head);
  const button = document.getElementById("mask_it");
  const is_made = masked_words.has(state, state.chosen);
  button.hidden = !model;
  button.disabled = !is_made && (!token || token.special || (is_of_state(columns[0]) && token.token === model?.mask_token));
  button.textContent = word(is_made ? "unmask_it" : "mask_it");
  document.getElementById("original_order").disabled = state.order === null;
}

/** Whether a column's answer is of the text that stands there now. */
const is_of_state = ({ request, model }) => request?.text === state.text && (request.pair ?? "") === (model.takes_pairs ? state.pair : "");

/** Masks the chosen token, or puts back the word that a mask stands for. */
function mask_or_unmask() {
  if (!is_of_state(columns[0])) return; // it is on the way
  const token = columns[0].look.tokens[state.chosen];
  if (masked_words.has(state, state.chosen)) return choose(masked_words.unmask(state, state.chosen, token));
  const { mask_token } = columns.map(({ model }) => model).find(({ has_mask_head }) => has_mask_head);
  choose(masked_words.mask(state, state.chosen, token, mask_token)); // in the same order: one token takes the place of another
}

/** A column for each model that the state names, and their sides of the panels. */
function make_columns() {
  for (const column of columns) column.asker.stop();
  const named = (name) => models.find((model) => model.name === name);
  const chosen = [named(state.model), state.with ? named(state.with) : null].filter(Boolean);
  const tells = { get_state, choose, on_answer, on_error };
  columns = chosen.map((model, number) => new Column(number, model, tells));
  for (const name of panel_names) {
    const sides = document.querySelector(`#${name} .sides`);
    sides.classList.toggle("two", columns.length > 1);
    sides.replaceChildren(...columns.map((column) => column.side(name, columns.length > 1)));
  }
  document.getElementById("differences").hidden = true;
  for (const column of columns) column.ask();
  show_actions();
}

function top_bar() {
  const language = (key, text) => element("button", { class: "small", lang: key, id: `language-${key}`, "aria-pressed": String(key === language_now()),
    click: () => choose({ language: key }) }, text);
  const of_scheme = element("select", { id: "scheme", "aria-label": word("scheme"), change: ({ target }) => take_scheme(target.value) },
    schemes.map((scheme) => element("option", { value: scheme, selected: scheme === chosen_scheme() }, word(`scheme_${scheme}`))));
  const copy = element("button", { class: "small", id: "copy_link", click: () => copy_link(copy) }, word("copy_link"));
  document.getElementById("top").replaceChildren(
    element("a", { class: "skip", href: "#main", click: (event) => (event.preventDefault(), document.getElementById("results").focus()) }, word("skip")),
    element("div", { class: "brand-line" }, element("b", {}, "summand"), ` · ${word("title")}`),
    element("div", { class: "top-tools" }, copy, of_scheme,
      element("div", { class: "language-switch", role: "group", "aria-label": "Language / 语言" }, language("en", "English"), language("zh", "中文"))));
}

async function copy_link(button) {
  write_now();
  try {
    await navigator.clipboard.writeText(`${location.href.split("#")[0]}#${fragment_of({ ...state, language: "" })}`); // in its reader's language
    button.textContent = word("copied");
  } catch {
    button.textContent = word("not_copied");
  }
  setTimeout(() => (button.textContent = word("copy_link")), 2000);
}

function take_scheme(scheme) {
  choose_scheme(scheme);
  for (const column of columns) draw_column(column);
}

const sentences_now = () => state.sentences ?? columns.find(({ look }) => look?.sentences.length)?.look.sentences ?? [];

/** Everything, in the language that the state asks for. */
function draw_page() {
  speak(state.language);
  document.title = `${word("title")} · summand`;
  top_bar();
  controls = new Controls(models, masked_words, get_state, choose);
  strip = new Strip(get_state, choose);
  claims ??= new Claims(() => state.model);
  claims.redraw();
  const tools = element("div", { class: "strip-tools" }, order_buttons(strip, get_state, choose),
    element("button", { id: "mask_it", click: mask_or_unmask, hidden: true }, word("mask_it")));
  const panels = panel_names.map((name) => panel(name, [element("div", { class: "sides" }),
    name === "neighbours" ? sentence_editor(sentences_now, choose) : null]));
  const differences = panel("differences", element("div", { class: "content" }));
  differences.hidden = true;
  const results = element("div", { class: "results", id: "results", tabindex: "-1", "aria-label": word("results") },
    panel("order", [element("p", { class: "note", id: "loading", role: "status" }, word("loading")), strip.host, tools, element("p", { class: "note", id: "cut", hidden: true }),
      element("p", { class: "note", id: "unknown", hidden: true })]), differences, panels,
    panel("claims", claims.host));
  document.getElementById("main").replaceChildren(
    element("div", { class: "intro" }, element("h1", {}, word("question")), element("p", { class: "lead" }, word("lead")),
      element("p", { class: "note" },
        element("a", { href: "live/study.md" }, word("study_link")), " · ", element("a", { href: "live/glossary.md" }, word("glossary_link")),
        " · ", element("a", { href: "docs" }, word("routes")))),
    element("div", { class: "workplace" }, controls.host, results));
  document.getElementById("loading").hidden = models.length === 0 || columns.some(({ look }) => look);
  if (models.length === 0) return controls.tell_error(word("no_models"));
  make_columns();
}

/** The models that a state names; the first where it names none. */
function settle_models() {
  const is_there = (name) => models.some((model) => model.name === name);
  const missing = [state.model, state.with].filter((name) => name && !is_there(name));
  notice = missing.length ? word("unknown_model", { name: missing.join(", ") }) : null;
  if (!is_there(state.model)) state.model = models[0]?.name ?? "";
  if (!is_there(state.with)) state.with = "";
}

/** What the address says. */
function restore() {
  const fragment = location.hash.slice(1);
  if (fragment === written) return;
  written = fragment;
  state = state_of(fragment);
  speak(state.language);
  settle_models();
  draw_page();
  if (notice) controls.tell_error(notice);
}

async function begin() {
  await load_words();
  speak(state.language);
  begin_scheme(() => columns.forEach(draw_column));
  document.getElementById("main").replaceChildren(element("p", { class: "note", role: "status" }, word("loading")));
  let fault = null;
  try {
    const all = await ask("live/models");
    models = all.filter(({ error }) => !error);
    fault = all.filter(({ error }) => error).map(({ name, error }) => name + word("colon") + error).join(" ");
  } catch (error) {
    fault = error.message;
  }
  written = null;
  restore();
  if (fault) controls.tell_error(fault);
  addEventListener("hashchange", restore);
  addEventListener("scroll", hide_tip, { passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hide_tip());
}

begin();
