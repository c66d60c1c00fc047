// What the reader sets: sentence, models, the strength of the parts, noise.
import { element, with_minus } from "./report.js";
import { read_back_count, reads_back } from "./read_back.js";
import { is_unchanged, parts, without_changes } from "./state.js";
import { word } from "./words.js";

const option = (value, text, chosen) => element("option", { value, selected: value === chosen }, text);

/** A labelled field. */
const field = (id, label, input, note = null) =>
  element("div", { class: "field" }, element("label", { for: id }, label), input, note);

function text_fields(get_state, choose) {
  const text = (id, rows) => {
    const area = element("textarea", { id, rows, maxlength: "2000", spellcheck: "false", autocomplete: "off",
      input: ({ target }) => choose({ [id]: target.value, order: null, chosen: null }) });
    area.value = get_state()[id];
    return area;
  };
  return [field("text", word("text"), text("text", 2)), field("pair", word("pair"), text("pair", 1),
    element("p", { class: "note", id: "no-pairs", hidden: true }, word("no_pairs")))];
}

function model_fields(models, get_state, choose) {
  const state = get_state();
  const of = (id, label, first) => field(id, label, element("select", { id, change: ({ target }) => choose({ [id]: target.value }) },
    first, models.map(({ name }) => option(name, name, state[id]))));
  const none = option("", word("no_second"), state.with);
  return element("div", { class: "two-fields" }, of("model", word("model"), null), of("with", word("beside"), none));
}

const two_digits = (value) => String(Math.round(100 * value) / 100);

/** A slider that a double click, or the button beside it, sets back. */
function slider({ id, most, otherwise, label }, get_state, choose) {
  const input = element("input", { id, type: "range", min: 0, max: most, step: 0.05, "aria-describedby": `${id}-value`,
    input: ({ target }) => choose({ [id]: Number(target.value) }), dblclick: () => choose({ [id]: otherwise }) });
  input.value = get_state()[id];
  const value = element("output", { id: `${id}-value`, for: id });
  const reset = element("button", { class: "small", id: `${id}-reset`, "aria-label": word("reset") + word("colon") + label, click: () => choose({ [id]: otherwise }) }, "↺");
  return element("div", { class: `slider-row of-${id}` }, element("label", { for: id }, label), input, value, reset);
}

export class Controls {
  /** @param choose  takes what changes of the state */
  constructor(models, masked_words, get_state, choose) {
    Object.assign(this, { models, masked_words, get_state });
    const strengths = parts.map((part) => slider({ id: part, most: 3, otherwise: 1, label: word(part) }, get_state, choose));
    const noise = slider({ id: "noise", most: 2, otherwise: 0, label: word("noise") }, get_state, choose);
    this.host = element("section", { class: "controls-card", "aria-label": word("controls") },
      text_fields(get_state, choose),
      element("p", { class: "error", id: "error", role: "alert", hidden: true }),
      model_fields(models, get_state, choose),
      element("fieldset", {}, element("legend", {}, word("strength")), strengths,
        element("p", { class: "note", id: "strength-note" }, word("strength_note"))),
      element("fieldset", {}, element("legend", { class: "unseen" }, word("noise")), noise,
        element("p", { class: "note" }, `${word("noise_note")} `,
          element("button", { class: "small", id: "draw_again", click: () => choose({ seed: get_state().seed + 1 }) }, word("draw_again")))),
      element("p", { class: "effect", id: "effect" }),
      element("button", { id: "reset_all", click: () => choose({ ...without_changes, ...masked_words.original(get_state()) }) }, word("reset_all")));
    this.update();
  }

  /** Says what the state has now; what a reader is about to change stays theirs. */
  update() {
    const state = this.get_state();
    const find = (id) => this.host.querySelector(`#${id}`);
    for (const id of ["text", "pair"]) {
      if (find(id).value !== state[id]) find(id).value = state[id];
    }
    for (const id of ["model", "with"]) find(id).value = state[id];
    for (const id of [...parts, "noise"]) {
      const otherwise = id === "noise" ? 0 : 1;
      const input = find(id);
      if (Number(input.value) !== state[id]) input.value = state[id];
      const text = two_digits(state[id]);
      find(`${id}-value`).textContent = text;
      input.setAttribute("aria-valuetext", state[id] === otherwise && id !== "noise" ? `${text}, ${word("unchanged")}` : text);
      input.style.setProperty("--filled", `${(100 * state[id]) / Number(input.max)}%`);
      find(`${id}-reset`).disabled = state[id] === otherwise;
    }
    find("reset_all").disabled = is_unchanged(state) && !this.masked_words.any(state);
    find("draw_again").disabled = state.noise === 0;
    const model = this.models.find(({ name }) => name === state.model);
    for (const part of parts) {
      const can = model?.strengths[part] !== false;
      find(part).disabled = !can;
      find(part).title = can ? "" : word("not_for_model");
    }
    find("pair").disabled = model?.takes_pairs === false;
    find("no-pairs").hidden = model?.takes_pairs !== false;
  }

  /** What the changes came to, in a line for each model: on a telephone the results are far below the sliders. */
  tell_effect(columns) {
    const shown_columns = columns.filter(({ look }) => look);
    const line = ({ look, model }) => [
      columns.length > 1 ? model.name : null,
      reads_back(look) ? word("effect_read_back", { right: read_back_count(look), all: look.tokens.length }) : null,
      look.vector ? word("effect_cosine", { cosine: with_minus(look.vector.cosine.toFixed(3)) }) : null,
      look.masks.length ? word("effect_mask", { token: look.masks[0].fillings[0].token }) : null,
    ].filter(Boolean).join(" · ");
    this.host.querySelector("#effect").replaceChildren(...shown_columns.map((column) => element("span", {}, line(column))));
  }

  /** One line near the sentence; none clears it. */
  tell_error(line) {
    const place = this.host.querySelector("#error");
    place.textContent = line ?? "";
    place.hidden = !line;
  }
}
