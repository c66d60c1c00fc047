// A run of the laboratory's claims: begun here, and read while it goes on.
import { element, shown } from "./report.js";
import { ask, post } from "./asking.js";
import { announce, said_in, word } from "./words.js";

const between = 1000; // milliseconds from one look to the next

const answer_to_question = "3.1"; // the claim that tests whether adding loses anything

// A claim that fails can be good news: its colour is another one, not that of what is bad.
const kinds = { holds: "holds", fails: "fails", "cannot be told": "open" };

const words_of = (text) => text.split(/[\s,，、]+/).filter(Boolean);

/** A reason as the page says it: the command line has an option for what it lacks. */
const plain = (reason) => said_in(reason).replace(/run without --quick|请去掉 --quick 再运行/, word("longer_run"));

/** What went wrong; a claim that there is none of, in the page's words. */
function told_of_failure(error) {
  const unknown = /^\[(?:--)?only\].* got '([^']*)'/.exec(error);
  return unknown ? word("no_such_claim", { name: unknown[1] }) : word("claims_failed", { error });
}

/** "0.998 share of sums …; null 0.01 (…); positive control 1 (…)" */
function measured(number) {
  if (!number) return null;
  const reference = (key) => (number[key] ? `${word(`of_${key}`)} ${shown(number[key].value)} (${said_in(number[key].of)})` : null);
  return [`${said_in(number.label)}${word("colon")}${shown(number.value)}`, reference("null"), reference("control")]
    .filter(Boolean).map((line) => element("p", { class: "of" }, line));
}

export class Claims {
  #verdicts = [];
  #state = { state: "idle" };
  #timer = 0;
  #is_own = false; // whether the run was begun here
  #list = []; // claims that there are, those about the sum first

  /** @param get_model  the name of the model that a run is of */
  constructor(get_model) {
    this.get_model = get_model;
    this.only = "";
    this.host = element("div", {});
    this.#read_list();
    this.#follow();
  }

  async #read_list() {
    this.#list = await ask("live/claims.json").catch(() => []);
    if (this.place) this.redraw();
  }

  /** In the language that is spoken now. */
  redraw() {
    const is_running = this.#state.state === "running";
    const only = element("input", { id: "only", type: "text", value: this.only, placeholder: word("only_example"), autocomplete: "off",
      disabled: is_running, input: ({ target }) => this.#take_only(target.value) });
    const add = ({ target }) => {
      only.value = [...words_of(only.value), target.value].join(", ");
      target.value = "";
      this.#take_only(only.value);
    };
    const menu = element("select", { id: "choose_claim", "aria-label": word("choose_claim"), disabled: is_running, change: add },
      element("option", { value: "" }, word("choose_claim")),
      this.#list.map(({ id, says }) => element("option", { value: id }, `${id} ${said_in(says)}`)));
    const buttons = is_running
      ? element("button", { id: "cancel_claims", type: "button", click: () => this.#cancel() }, word("cancel_claims"))
      : [element("button", { id: "run_claims", class: "main-button" }, this.#run_label()),
        element("button", { id: "run_question", type: "button", click: () => this.#run([answer_to_question]) }, word("run_question"))];
    const submit = (event) => {
      event.preventDefault();
      if (this.#state.state !== "running") this.#run(words_of(this.only));
    };
    const focus = this.host.contains(document.activeElement) ? document.activeElement.id : "";
    this.place = element("div", {});
    this.host.replaceChildren(element("form", { class: "claims-bar", submit },
      element("div", { class: "field" }, element("label", { for: "only" }, word("only")), only, menu), buttons), this.place);
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
    this.#show();
  }

  #run_label() {
    return word(words_of(this.only).length ? "run_claims" : "run_all_claims");
  }

  /** What the reader writes; a refusal of what stood there before goes. */
  #take_only(text) {
    this.only = text;
    this.host.querySelector("#run_claims").textContent = this.#run_label();
    if (this.#state.state !== "failed") return;
    this.#state = { state: "idle" };
    this.#show();
  }

  #told() {
    const { state, ended, count, titles, error, model } = this.#state;
    if (state === "running") return count ? word("claims_running", { ended, count, titles: said_in(titles) || "…" }) : word("claims_starting", { model });
    if (state === "finished") return word("claims_finished", { model });
    if (state === "cancelled") return word("claims_cancelled");
    return state === "failed" ? told_of_failure(error) : null;
  }

  /** The verdicts so far, in the menu's order. */
  #in_order() {
    const place = ({ claim }) => this.#list.findIndex(({ id }) => id === claim);
    return [...this.#verdicts].sort((a, b) => place(a) - place(b));
  }

  #show() {
    const { state, share, answer } = this.#state;
    const told = this.#told();
    const opened = new Set([...this.place.querySelectorAll("details[open]")].map(({ id }) => id));
    const line = (key, said) => element("p", { class: "of" }, word(key), word("colon"), said_in(said));
    const row = ({ claim, says, observation, inference, conclusion, reason, number }) => element("tr", {},
      element("th", { scope: "row" }, element("span", { class: "id" }, claim), ` ${said_in(says)}`,
        element("details", { id: `why-${claim}`, open: opened.has(`why-${claim}`) }, element("summary", {}, word("why")),
          element("p", { class: "of" }, plain(reason)), measured(number))),
      element("td", {}, element("span", { class: `badge ${kinds[observation.en] ?? "none"}` }, said_in(observation)),
        line("inference", inference), conclusion ? line("conclusion", conclusion.truth) : null));
    const heads = ["claim", "verdict"].map((key) => element("th", { scope: "col" }, word(key)));
    this.place.replaceChildren(...[
      told ? element("p", { class: state === "failed" ? "error" : "told", role: "status" }, told) : null,
      state === "running" ? element("progress", { max: 1, value: share ?? 0, "aria-label": word("claims_title") }) : null,
      answer ? element("p", { class: "short-answer" }, element("b", {}, said_in(answer.lead)), " ", said_in(answer.text)) : null,
      state === "finished" ? element("p", {}, element("a", { href: "live/report/index.html", id: "open_report" }, word("open_report"))) : null,
      this.#verdicts.length ? element("div", { class: "scroll tall" }, element("table", { class: "verdict-list" },
        element("thead", {}, element("tr", {}, heads)), element("tbody", {}, this.#in_order().map(row)))) : null,
    ].filter(Boolean));
  }

  /** @param only  claims; none: all */
  async #run(only) {
    try {
      await post("live/claims", { model: this.get_model(), ...(only.length ? { only } : {}) });
      this.#is_own = true;
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
      const is_old_failure = state.state === "failed" && !this.#is_own && before !== "running";
      this.#verdicts.push(...(is_old_failure ? [] : state.verdicts));
      this.#state = is_old_failure ? { state: "idle" } : state;
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
