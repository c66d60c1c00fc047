// What the model fills each [MASK] with.
import { element } from "./report.js";
import { likelihood, word } from "./words.js";

function bar(score, kind) {
  const inner = element("i", { class: kind });
  inner.style.width = `${100 * score}%`;
  return element("span", { class: "line-bar", "aria-hidden": "true" }, inner);
}

const list = (fillings, kind) => element("ol", { class: `fillings ${kind}` }, fillings.map(({ token, score }) =>
  element("li", {}, element("span", { class: "filling" }, token), bar(score, kind), element("span", { class: "number" }, likelihood(score)))));

export function masks_view(look, model) {
  if (!model.has_mask_head) return element("p", { class: "note" }, word("no_mask_head"));
  if (look.masks.length === 0) return element("p", { class: "note" }, word("no_mask", { mask: model.mask_token }));
  const half = (key, fillings, kind) => element("div", {}, element("h3", {}, word(key)), list(fillings, kind));
  const mask = ({ token, fillings, unchanged }) => element("div", { class: "mask" },
    look.masks.length > 1 ? element("p", { class: "told" }, `${look.tokens[token].position} ${look.tokens[token].token}`) : null,
    element("div", { class: "halves" }, half("now", fillings, "now"), half("before", unchanged, "before")));
  return look.masks.map(mask);
}

/** Words that a button put masks in place of; another text or model forgets them. */
export class MaskedWords {
  #words = new Map(); // by the token's index
  #original = null; // text and pair before the first mask
  #left = null; // text, pair and model as the button left them

  /** Masks a token. @param mask  the model's mask token @returns what changes of the state */
  mask(state, index, token, mask) {
    if (!this.any(state)) this.#original = { text: state.text, pair: state.pair };
    const { changed, word: taken } = this.#replaced(state, token, mask);
    this.#words.set(index, taken);
    return changed;
  }

  /** Puts a word back. */
  unmask(state, index, token) {
    if (this.#words.size === 1) return this.original(state);
    const { changed } = this.#replaced(state, token, this.#words.get(index));
    this.#words.delete(index);
    return changed;
  }

  has(state, index) {
    return this.any(state) && this.#words.has(index);
  }

  any(state) {
    if (["text", "pair", "model"].some((name) => this.#left?.[name] !== state[name])) this.#words.clear();
    return this.#words.size > 0;
  }

  /** Puts all words back. */
  original(state) {
    if (!this.any(state)) return {};
    this.#words.clear();
    return this.#original;
  }

  #replaced(state, token, by) {
    const name = token.second ? "pair" : "text";
    const bytes = new TextEncoder().encode(state[name]);
    const read = (begin, end) => new TextDecoder().decode(bytes.slice(begin, end));
    const [begin, end] = token.bytes;
    const changed = { [name]: read(0, begin) + by + read(end) };
    this.#left = { text: state.text, pair: state.pair, model: state.model, ...changed };
    return { changed, word: read(begin, end) };
  }
}
