// The tokens in the order of their positions: cards that are dragged, or moved by arrow keys.
import { element, percent_of } from "./report.js";
import { announce, word } from "./words.js";

const drag_from = 5; // pixels: less is a click

/** A small bar of a token's three parts. */
function shares_bar(shares) {
  const parts = ["token", "position", "segment"].map((name) => Math.max(shares[name], 0));
  const all = parts.reduce((sum, share) => sum + share, 0) || 1;
  const piece = (share, i) => {
    const bar = element("i", { class: `of-${["token", "position", "segment"][i]}` });
    bar.style.width = `${(100 * share) / all}%`;
    return bar;
  };
  return element("span", { class: "card-bar", "aria-hidden": "true" }, parts.map(piece));
}

/** Moves the token at one position to another; those between make room. */
export function moved(order, from, to) {
  const at = order.map((_, i) => i).sort((a, b) => order[a] - order[b]); // tokens by position
  at.splice(to, 0, ...at.splice(from, 1));
  const result = Array(order.length);
  at.forEach((token, position) => (result[token] = position));
  return result;
}

export class Strip {
  #cards = [];
  #key = "";
  #drag = null;

  /** @param choose  takes what changes of the state */
  constructor(get_state, choose) {
    this.get_state = get_state;
    this.choose = choose;
    this.host = element("div", { class: "strip-cards", role: "list", "aria-label": word("order_title") });
    this.move_at = (event) => this.#move(event);
    this.end = (event) => this.#end(event);
  }

  /** Draws an answer's tokens. */
  show(tokens) {
    this.tokens = tokens;
    const key = tokens.map(({ id, segment }) => `${id},${segment}`).join(" ");
    if (key !== this.#key) {
      this.#stop();
      this.#key = key;
      this.#cards = tokens.map((_, i) => this.#card(i));
    }
    tokens.forEach(({ shares }, i) => this.#cards[i].querySelector(".card-bar").replaceWith(shares_bar(shares)));
    this.arrange();
  }

  #order() {
    return this.get_state().order ?? this.tokens.map((_, i) => i);
  }

  /** Puts the cards where the state has them. */
  arrange() {
    if (!this.tokens) return;
    const order = this.#order();
    if (order.length !== this.#cards.length) return;
    const { chosen } = this.get_state();
    const focused = this.#cards.find((card) => card.contains(document.activeElement));
    const by_position = this.#cards.map((_, i) => i).sort((a, b) => order[a] - order[b]);
    by_position.forEach((token, position) => {
      const card = this.#cards[token];
      if (this.host.children[position] !== card) this.host.insertBefore(card, this.host.children[position] ?? null);
      const { token: text, segment } = this.tokens[token];
      card.querySelector(".card-place").textContent = position;
      card.classList.toggle("elsewhere", position !== token);
      const button = card.firstChild;
      button.setAttribute("aria-label", `${word("card_at", { token: text, position })}. ${word("card_keys")}`);
      button.setAttribute("aria-pressed", String(token === chosen));
      card.dataset.segment = segment;
    });
    while (this.host.children.length > this.#cards.length) this.host.lastChild.remove();
    if (focused && !focused.contains(document.activeElement)) focused.firstChild.focus({ preventScroll: true });
  }

  #card(token) {
    const { token: text, shares, special } = this.tokens[token];
    const button = element("button", { class: `card-button${special ? " special" : ""}`, "data-token": token,
      pointerdown: (event) => this.#begin(event, token), keydown: (event) => this.#key_on(event, token),
      click: () => this.#click(token) },
      element("span", { class: "card-place" }), element("span", { class: "card-text" }, text), shares_bar(shares));
    return element("div", { role: "listitem", class: "strip-card" }, button);
  }

  #click(token) {
    if (this.was_dragged) return;
    const { chosen } = this.get_state();
    this.choose({ chosen: chosen === token ? null : token });
  }

  #put(token, to) {
    const order = this.#order();
    if (order[token] === to || to < 0 || to >= order.length) return;
    this.choose({ order: moved(order, order[token], to), chosen: token });
    announce(word("moved", { token: this.tokens[token].token, position: to, last: order.length - 1 }));
  }

  #key_on(event, token) {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    const ends = { Home: 0, End: this.tokens.length - 1 };
    if (event.key in steps) this.#put(token, this.#order()[token] + steps[event.key]);
    else if (event.key in ends) this.#put(token, ends[event.key]);
    else return;
    event.preventDefault();
  }

  #begin(event, token) {
    if (event.button !== 0) return;
    this.was_dragged = false;
    this.#drag = { token, x: event.clientX, y: event.clientY, pointer: event.pointerId };
    addEventListener("pointermove", this.move_at);
    addEventListener("pointerup", this.end);
    addEventListener("pointercancel", this.end);
  }

  /** The card under the pointer is the place that the dragged one takes. */
  #move(event) {
    if (event.pointerId !== this.#drag.pointer) return;
    const { token, x, y } = this.#drag;
    const card = this.#cards[token];
    if (!this.was_dragged && Math.hypot(event.clientX - x, event.clientY - y) < drag_from) return;
    this.was_dragged = true;
    card.classList.add("dragged");
    event.preventDefault();
    const under = [...this.host.children].findIndex((other) => {
      const box = other.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    });
    const here = this.#order()[token];
    if (under < 0 || under === here) return;
    // Past the middle of a wider card, so that the two do not change places again at once.
    const box = this.host.children[under].getBoundingClientRect();
    const middle = box.left + box.width / 2;
    const same_row = Math.abs(box.top - card.getBoundingClientRect().top) < box.height / 2;
    if (same_row && (under > here ? event.clientX < middle - box.width / 4 : event.clientX > middle + box.width / 4)) return;
    this.#put(token, under);
  }

  #end(event) {
    if (event.pointerId !== this.#drag?.pointer) return;
    this.#stop();
  }

  #stop() {
    if (this.#drag) this.#cards[this.#drag.token]?.classList.remove("dragged");
    this.#drag = null;
    removeEventListener("pointermove", this.move_at);
    removeEventListener("pointerup", this.end);
    removeEventListener("pointercancel", this.end);
  }
}

/** Orders at a click: at random, but for special tokens; the other way round; as written. */
export function order_buttons(strip, get_state, choose) {
  const ordinary = () => strip.tokens.flatMap(({ special }, i) => (special ? [] : [i]));
  const placed = (tokens) => {
    const order = strip.tokens.map((_, i) => i);
    ordinary().forEach((position, i) => (order[tokens[i]] = position));
    choose({ order });
  };
  const shuffle = () => {
    const tokens = ordinary();
    for (let i = tokens.length; i > 1; --i) {
      const j = Math.floor(Math.random() * i);
      [tokens[i - 1], tokens[j]] = [tokens[j], tokens[i - 1]];
    }
    placed(tokens);
  };
  const button = (key, click) => element("button", { id: key, click: () => strip.tokens && click() }, word(key));
  return [button("shuffle", shuffle), button("reverse", () => placed(ordinary().reverse())),
    button("original_order", () => choose({ order: null }))];
}
