// One model's side of the page: what it is asked, what it answered, and its side of each panel.
import { element } from "./report.js";
import { Asker } from "./asking.js";
import { attention_view } from "./attention.js";
import { masks_view } from "./masks.js";
import { neighbours_view } from "./neighbours.js";
import { parts_table } from "./parts.js";
import { read_back_table } from "./read_back.js";
import { scores_view } from "./scores.js";
import { parts } from "./state.js";

/** The panels that every model has a side of, in their order. */
export const panel_names = ["parts", "read_back", "attention", "scores", "masks", "neighbours"];

export class Column {
  /** @param on_answer, on_error  told of this column */
  constructor(number, model, { get_state, choose, on_answer, on_error }) {
    Object.assign(this, { number, model, get_state, choose, look: null, request: null, order_fits: true });
    this.asker = new Asker(
      (answer, request) => {
        Object.assign(this, { look: answer, request });
        on_answer(this);
      },
      (line) => {
        // Another model may divide the text into other tokens.
        if (this.number > 0 && this.order_fits && line.startsWith("[order]")) {
          this.order_fits = false;
          this.ask();
        } else on_error(this, line);
      },
    );
  }

  /** Asks for what the state says now. */
  ask() {
    const state = this.get_state();
    const strength = (part) => (this.model.strengths[part] ? state[part] : 1);
    this.asker.ask({
      model: this.model.name, text: state.text, ...(state.pair && this.model.takes_pairs ? { pair: state.pair } : {}),
      strengths: Object.fromEntries(parts.map((part) => [part, strength(part)])),
      ...(state.order && this.order_fits ? { order: state.order } : {}),
      ...(state.noise > 0 ? { noise: state.noise, seed: state.seed } : {}),
      scores: Math.min(state.head, this.model.heads),
      ...(state.sentences ? { sentences: state.sentences } : {}),
    });
  }

  /** Content of its side of a panel. */
  view(name) {
    const { look, request, number, model, choose } = this;
    const state = this.get_state();
    const views = {
      parts: () => parts_table(look, number, state.chosen),
      read_back: () => read_back_table(look, state.chosen),
      attention: () => attention_view(look, number, state, choose),
      scores: () => scores_view(look, number, state, choose),
      masks: () => masks_view(look, model),
      neighbours: () => neighbours_view(look, request, number, () => choose({})),
    };
    return views[name]();
  }

  /** Its side of a panel; named where there is another. */
  side(name, is_named) {
    return element("div", { class: "side-of-panel" }, is_named ? element("h3", { class: "model-name" }, this.model.name) : null,
      element("div", { class: "content", id: `${name}-${this.number}` }));
  }
}
