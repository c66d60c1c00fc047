// A run of the laboratory's claims: begun here, and read while it goes on.
import { element } from "./report.js";
import { ask, post } from "./asking.js";
import { announce, said_in, word } from "./words.js";

const between = 1000; // milliseconds from one look to the next

const answer_to_question = "3.1"; // the claim that tests whether adding loses anything

// A claim that fails can be good news: only what cannot be told has a colour of its own.
const kinds = { holds: "judged", fails: "judged", "cannot be told": "open" };

export class Claims {
  #verdicts = [];
  #state = { state: "idle" };
  #timer = 0;

  /** @param get_model  the name of the model that a run is of */
  constructor(get_model) {
    this.get_model = get_model;
    this.only = "";
    this.host = element("div", {});
    this.#follow();
  }

  /** In the language that is spoken now. */
  redraw() {
    const { state } = this.#state;
    const is_running = state === "running";
    const only = element("input", { id: "only", type: "text", value: this.only, placeholder: word("only_example"), autocomplete: "off",
      disabled: is_running, input: ({ target }) => this.#take_only(target.value) });
    const run_question = () => {
      this.only = answer_to_question;
      this.#run();
    };
    const buttons = is_running
      ? element("button", { id: "cancel_claims", type: "button", click: () => this.#cancel() }, word("cancel_claims"))
      : [element("button", { id: "run_claims", class: "main-button" }, word("run_claims")),
        element("button", { id: "run_question", type: "button", click: run_question }, word("run_question"))];
    const submit = (event) => {
      event.preventDefault();
      if (this.#state.state !== "running") this.#run();
    };
    this.place = element("div", {});
    this.host.replaceChildren(element("form", { class: "claims-bar", submit },
      element("div", { class: "field" }, element("label", { for: "only" }, word("only")), only), buttons), this.place);
    this.#show();
  }

  /** What the reader writes; a refusal of what stood there before goes. */
  #take_only(text) {
    this.only = text;
    if (this.#state.state !== "failed") return;
    this.#state = { state: "idle" };
    this.#show();
  }

  #told() {
    const { state, ended, count, under_way: names, error, model } = this.#state;
    if (state === "running") return count ? word("claims_running", { ended, count, names: names || "…" }) : word("claims_starting", { model });
    if (state === "finished") return word("claims_finished", { model });
    if (state === "cancelled") return word("claims_cancelled");
    return state === "failed" ? word("claims_failed", { error }) : null;
  }

  #show() {
    const { state, share } = this.#state;
    const told = this.#told();
    const row = ({ claim, says, observation, inference, reason }) => element("tr", {},
      element("th", { scope: "row" }, element("span", { class: "id" }, claim), ` ${said_in(says)}`,
        element("p", { class: "of" }, said_in(reason))),
      element("td", {}, element("span", { class: `badge ${kinds[observation.en] ?? "none"}` }, said_in(observation)),
        element("p", { class: "of" }, word("inference"), word("colon"), said_in(inference))));
    const heads = ["claim", "verdict"].map((key) => element("th", { scope: "col" }, word(key)));
    this.place.replaceChildren(...[
      told ? element("p", { class: state === "failed" ? "error" : "told", role: "status" }, told) : null,
      state === "running" ? element("progress", { max: 1, value: share ?? 0, "aria-label": word("claims_title") }) : null,
      state === "finished" ? element("p", {}, element("a", { href: "live/report/index.html", id: "open_report" }, word("open_report"))) : null,
      this.#verdicts.length ? element("div", { class: "scroll tall" }, element("table", { class: "verdict-list" },
        element("thead", {}, element("tr", {}, heads)), element("tbody", {}, this.#verdicts.map(row)))) : null,
    ].filter(Boolean));
  }

  async #run() {
    const only = this.only.split(/[\s,，、]+/).filter(Boolean);
    try {
      await post("live/claims", { model: this.get_model(), ...(only.length ? { only } : {}) });
      this.#verdicts = [];
      this.#state = { state: "running", model: this.get_model() };
      this.redraw();
      await this.#follow();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #cancel() {
    try {
      await ask("live/claims", { method: "DELETE" });
      await this.#follow();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    this.#state = { state: "failed", error: error.message };
    this.redraw();
  }

  /** Reads what has been found since, and goes on while there is more to come. */
  async #follow() {
    clearTimeout(this.#timer);
    const before = this.#state.state;
    try {
      const state = await ask(`live/claims?after=${this.#verdicts.length}`);
      if (state.next < this.#verdicts.length) this.#verdicts = []; // another reader's run
      this.#verdicts.push(...state.verdicts);
      this.#state = state;
    } catch (error) {
      if (before === "running") this.#fail(error);
      return;
    }
    if (this.#state.state !== before) {
      if (this.place) this.redraw();
      if (before === "running") announce(this.#told() ?? "");
    } else if (this.place) this.#show();
    if (this.#state.state === "running") this.#timer = setTimeout(() => this.#follow(), between);
  }
}
