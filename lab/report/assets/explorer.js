// The explorer's page: one sentence, one layer and head, one strength, two positions, all kept in the address.
const written_names = { layer: "layer", head: "head", strength: "step", show: "show", tokens: "filter", m: "m", n: "n",
  heads: "heads", special: "special" };

/** What an address asks for; what does not exist is the first of its kind. */
function explorer_state(name, place) {
  const parted = (part) => [part.slice(0, part.indexOf("-")), part.slice(part.indexOf("-") + 1)];
  const asked = new Map((place ?? "").split("_").map(parted));
  const number = (key, most, otherwise) => {
    const value = Number(asked.get(key));
    return asked.has(key) && Number.isInteger(value) && value >= 0 && value <= most ? value : otherwise;
  };
  const last = explored.pairs ? explored.pairs.norms.length - 1 : 0;
  const layer = number("layer", explored.layers, 1) || 1;
  const head = number("head", explored.heads, null);
  const step = explored.strengths.indexOf(Number(asked.get("strength") ?? 1));
  const sentence = Number(name) - 1;
  const filter = filters.includes(asked.get("tokens")) ? asked.get("tokens") : "all";
  const known_show = /^(weights|logits(-[0-3]-[0-3])?)$/.test(asked.get("show") ?? "");
  const found = Number.isInteger(sentence) && sentence >= 0 && sentence < explored.sentences.length ? sentence : 0;
  const of_pair = explored.sentences.length > 0 && is_pair(explored.sentences[found]);
  return {
    sentence: found,
    layer: layer - 1,
    head: asked.get("head") === "mean" ? "mean" : (head || 1) - 1,
    step: step < 0 ? explored.unchanged : step,
    show: known_show ? asked.get("show") : "weights",
    filter: of_pair ? filter : "all",
    m: number("m", last, Math.min(4, last)),
    n: number("n", last, Math.min(8, last)),
    heads: heads_of(asked.get("heads")),
    special: asked.get("special") === "hidden" ? "hidden" : "kept",
  };
}

function state_address(state) {
  const head = state.head === "mean" ? "mean" : state.head + 1;
  const said = { ...state, layer: state.layer + 1, head, step: explored.strengths[state.step],
    heads: heads_text(state.heads) };
  return Object.entries(written_names).map(([name, key]) => `${name}-${said[key]}`).join("_");
}

const option = (value, text, chosen_value) =>
  element("option", { value, selected: String(value) === String(chosen_value) }, text);

/** A list to pick from, with a button for the one before and one for the one after. */
function stepper(id, label, options, chosen_value, choose) {
  const listed = options.map(([value, text]) => option(value, text, chosen_value));
  const select = element("select", { id, change: ({ target }) => choose(target.value) }, listed);
  const at = options.findIndex(([value]) => String(value) === String(chosen_value));
  const move = (by, sign, name) => {
    const to = options[at + by];
    const label_of_it = { id: `${id}-${name}`, "aria-label": `${label}: ${word(name)}` };
    return element("button", { class: "small", ...label_of_it, disabled: !to, click: () => choose(String(to[0])) }, sign);
  };
  const before = [element("label", { for: id }, label), move(-1, "‹", "previous")];
  return element("div", { class: "stepper" }, before, select, move(1, "›", "next"));
}

const strength_told_at = (step) =>
  strength_text(step) + (step === explored.unchanged ? ` (${word("strength_unchanged")})` : "");

function strength_slider(state, choose) {
  const change = ({ target }) => choose({ step: Number(target.value) });
  const range = { type: "range", min: 0, max: explored.strengths.length - 1, step: 1, value: state.step };
  const told = { "aria-valuetext": strength_told_at(state.step), "aria-describedby": "strength-note" };
  const slider = element("input", { id: "strength", ...range, ...told, input: change });
  const texts = explored.strengths.map((_, step) => element("span", {}, strength_text(step)));
  const now = element("b", {}, strength_told_at(state.step));
  const label = element("label", { for: "strength" }, `${word("strength")}: `, now);
  const row = element("div", { class: "marks", "aria-hidden": "true" }, texts);
  return element("div", { class: "slider" }, label, slider, row);
}

/** Says the slider's new value; the slider itself stays, since a finger may be on it. */
function move_slider(bar, step) {
  const slider = bar.querySelector("#strength");
  slider.value = step;
  slider.setAttribute("aria-valuetext", strength_told_at(step));
  bar.querySelector(".slider b").textContent = strength_told_at(step);
}

function layer_stepper(id, state, choose) {
  const layers = [...Array(explored.layers).keys()].map((layer) => [layer, String(layer + 1)]);
  return stepper(id, word("layer"), layers, state.layer, (layer) => choose({ layer: Number(layer) }));
}

/** Who looks at whom in a pair; none for a single text. */
function filter_buttons(prefix, state, sentence, choose) {
  if (!is_pair(sentence)) return null;
  const name = (filter) => (filter === "all" ? word("all") : `${filter[0]} → ${filter[1]}`);
  const button = (filter) => {
    const pressed = { "aria-pressed": String(filter === state.filter), click: () => choose({ filter }) };
    return element("button", { class: "small", id: `${prefix}-${filter}`, ...pressed }, name(filter));
  };
  const group = { class: "stepper", role: "group", "aria-label": word("from_to") };
  return element("div", group, element("span", {}, word("pairs_of")), filters.map(button));
}

function attention_controls(state, sentence, choose) {
  const heads = [...head_numbers().map((head) => [head, String(head + 1)]), ["mean", word("mean_of_heads")]];
  const parts = [0, 1, 2, 3].flatMap((q) => [0, 1, 2, 3].map((k) => [`logits-${q}-${k}`, term_name(q, k)]));
  const splits = splits_logits(sentence);
  const known = has_terms(state);
  const shown_now = known ? state.show : "weights";
  const show = element("select", { id: "show", disabled: !known, change: ({ target }) => choose({ show: target.value }) },
    option("weights", word("weights"), shown_now), option("logits", word("logits"), shown_now),
    element("optgroup", { label: word("logits_of") }, parts.map(([value, text]) => option(value, text, shown_now))));
  const is_mean = attention_of(sentence, state.step, state.layer, state.head).is_mean;
  const of_head = (head) => choose({ head: head === "mean" ? "mean" : Number(head) });
  return [
    element("div", { class: "controls" },
      layer_stepper("layer", state, choose),
      stepper("head", word("head"), heads, state.head, of_head),
      splits ? element("div", { class: "stepper" }, element("label", { for: "show" }, word("show")), show) : null,
      filter_buttons("filter", state, sentence, choose)),
    known || !splits ? null : element("p", { class: "note" }, word("no_split")),
    is_mean ? element("p", { class: "note" }, word("only_means")) : null,
  ];
}

/** Everything about sentences; `choose` takes what changes of the state. */
function sentence_panels(get, choose) {
  const sentence = () => explored.sentences[get().sentence];
  const here = (make) => (...rest) => make(sentence(), get().step, ...rest);
  const parts_caption = is_sum() ? "parts_caption" : "parts_caption_composed";
  const shares = panel({ name: "explorer-shares", title: parts_title(), caption: parts_caption, after: parts_notes(),
    show: (host) => show_shares(host, sentence(), get().step),
    tools: save_tools("explorer-shares", here(shares_csv), here(shares_picture)) });
  const decoding = () => panel({ name: "explorer-decoded", title: "decoded_title", caption: "decoded_caption",
    show: (host) => show_decoded(host, sentence(), get().step),
    tools: save_tools("explorer-decoded", here(decoded_csv)) });
  const controls = element("div", { id: "attention-controls" });
  const between = element("p", { class: "told", id: "between" });
  const fill = () => {
    controls.replaceChildren(...attention_controls(get(), sentence(), choose).filter(Boolean));
    between.textContent = between_text(sentence(), get());
    const caption = shown_matrix(sentence(), get()).is_logit ? "logits_caption" : "attention_caption";
    const text = [...prose(interface_words[caption]), " ", note(word("matrix_keys"))];
    attention.querySelector("figcaption").replaceChildren(...text);
  };
  const attention = panel({ name: "explorer-attention", title: "attention_title", caption: "attention_caption",
    before: controls, after: between,
    keys: { tabindex: "0", role: "group", "aria-label": `${word("attention_title")}. ${word("matrix_keys")}` },
    show: (host, width) => {
      fill();
      host.replaceChildren(matrix_picture(sentence(), get(), width, scheme()));
      watch_cells(host, sentence(), get());
    },
    tools: save_tools("explorer-attention", () => matrix_csv_text(sentence(), get()),
      (...size) => matrix_picture(sentence(), get(), ...size)) });
  const told = element("p", { class: "told" });
  const strength_caption = reads_back(sentence()) ? "strength_caption" : "strength_caption_composed";
  const strength = () => panel({ name: "explorer-strength", title: "strength_title", caption: strength_caption,
    after: told,
    show: (host, width) => {
      host.replaceChildren(strength_picture(sentence(), get().step, width, scheme()));
      told.textContent = strength_told(sentence(), get().step);
    },
    tools: save_tools("explorer-strength", () => strength_csv(sentence()), here(strength_picture)) });
  return {
    shares,
    ...(reads_back(sentence()) ? { decoding: decoding() } : {}),
    heads: heads_panel(get, choose),
    attention,
    ...(has_strengths() ? { strength: strength() } : {}),
  };
}

function pairs_panel(get, choose) {
  const numbers = element("div", { class: "pair-numbers", role: "status" });
  return panel({ name: "explorer-pairs", title: "pairs_title", caption: "pairs_caption", before: pair_fields(get(), choose),
    after: numbers, keys: {},
    show: (host, width) => {
      const { m, n } = get();
      host.replaceChildren(pairs_picture(m, n, width, scheme()));
      const { left_out: count } = explored.pairs;
      const left_out = count ? element("p", { class: "note" }, `${count} ${word("positions_left_out")}`) : null;
      numbers.replaceChildren(...[pair_table(m, n), pair_heads(m, n), left_out].filter(Boolean));
    },
    tools: save_tools("explorer-pairs", () => pairs_csv(get().m), (...size) => pairs_picture(get().m, get().n, ...size)) });
}

/** The sentence and the strength: they stay in view while what they change is read. */
function explorer_head(state, choose) {
  const options = explored.sentences.map((sentence, i) => [i, `${i + 1}. ${name_of_sentence(sentence)}`]);
  const sentence = explored.sentences[state.sentence];
  const cut = sentence.cut ? ` · ${sentence.cut} ${word("cut_off")} ${explored.most_tokens}` : "";
  return [
    stepper("sentence", word("sentence"), options, state.sentence, (number) => choose({ sentence: Number(number) })),
    element("p", { class: "note" }, `${say(sentence.why)} · ${sentence.tokens.length} ${word("tokens_unit")}${cut}`),
    has_strengths() ? strength_slider(state, choose) : null,
  ].filter(Boolean);
}

/** What tokens are made of here, and what is not shown. */
function explorer_lead() {
  const [between, end] = language === "zh" ? ["", "。"] : [" ", "."];
  const formula = element("span", { class: "formula" }, explored.formula + end);
  const composed = [filled("explorer_lead_composed", explored), between, formula];
  const then = has_strengths() ? [between, word("explorer_lead_strength")] : null;
  return [
    element("p", { class: "lead" }, is_sum() ? word("explorer_lead") : composed, then),
    explored.left_out.map((text) => element("p", { class: "note" }, say(text))),
  ];
}

function explorer_page(name, place) {
  let state = explorer_state(name, place);
  const get = () => state;
  const bar = element("section", { class: "explorer-bar", "aria-label": word("explorer") });
  const has_sentences = explored.sentences.length > 0;
  let panels = {};
  const choose = (changed) => {
    const focus = document.activeElement?.id;
    state = { ...state, ...changed };
    if (has_sentences && !is_pair(explored.sentences[state.sentence])) state.filter = "all";
    hide_tip();
    keep_address("explorer", String(state.sentence + 1), state_address(state));
    if ("sentence" in changed) bar.replaceChildren(...explorer_head(state, choose));
    if ("step" in changed) move_slider(bar, state.step);
    const keys = Object.keys(changed);
    const of_pairs = keys.every((key) => key === "m" || key === "n");
    const of_attention = keys.every((key) => ["layer", "head", "show", "filter"].includes(key));
    const of_heads = keys.every((key) => key === "heads" || key === "special");
    const { pairs, heads, attention, ...others } = panels;  // some models have no pairs
    const of_sentence = of_attention ? [heads, attention] : [...Object.values(others), heads, attention];
    const stale = of_pairs ? [pairs] : of_heads ? [heads] : of_sentence;
    stale.forEach((each) => each.draw());
    if (!focus || document.activeElement?.id === focus) return;
    // A button at the end of its list takes no focus: the list itself does.
    const again = document.getElementById(focus);
    const list_of_it = document.getElementById(focus.replace(/-(previous|next)$/, ""));
    (again?.disabled ? list_of_it : again)?.focus({ preventScroll: true });
  };
  panels = { ...(has_sentences ? sentence_panels(get, choose) : {}),
    ...(explored.pairs ? { pairs: pairs_panel(get, choose) } : {}) };
  if (has_sentences) bar.append(...explorer_head(state, choose));
  const shown_panels = Object.values(panels);
  const how = [has_strengths() ? `${word("strength_note")} ` : "", prose(interface_words.add_sentence)];
  const page = [
    heading(1, word("explorer")),
    checkpoint_line(),
    explorer_lead(),
    has_sentences ? bar : element("p", {}, element("b", {}, `${word("sentences_missing")}: `), say(explored.no_sentences)),
    has_sentences ? element("p", { class: "note", id: "strength-note" }, how) : null,
    shown_panels,
  ];
  return { page, figures: shown_panels };
}
