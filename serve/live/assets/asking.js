// Requests: never more than one on the way for each model, the newest next, and no answer to a text that has gone.
import { word } from "./words.js";

const pause = 30; // milliseconds that a slider may go on moving

/** The answer's JSON. @throws Error with the server's line */
export async function ask(address, options = {}) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(word("unreachable"));
  }
  const text = await answer.text();
  let json = null;
  try {
    json = JSON.parse(text);
  } catch {
    // an error's plain line
  }
  if (answer.ok && json !== null) return json;
  throw new Error(json?.error?.message ?? json?.error ?? (text.trim() || `${answer.status}`));
}

export const post = (address, body, options = {}) =>
  ask(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...options });

/** Asks for looks of one column. */
export class Asker {
  #newest = null;
  #sent = null;
  #timer = 0;
  #abort = null;

  /** @param on_answer  takes (answer, request) @param on_error  takes a line */
  constructor(on_answer, on_error) {
    this.on_answer = on_answer;
    this.on_error = on_error;
  }

  ask(request) {
    this.#newest = request;
    if (this.#sent && this.#is_other_text(this.#sent)) this.#abort.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), pause);
  }

  stop() {
    this.#newest = null;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  #is_other_text(request) {
    return ["model", "text", "pair"].some((name) => request[name] !== this.#newest?.[name]);
  }

  async #send() {
    if (this.#sent || !this.#newest) return;
    const request = (this.#sent = this.#newest);
    this.#abort = new AbortController();
    try {
      const answer = await post("live/look", request, { signal: this.#abort.signal });
      if (!this.#is_other_text(request)) this.on_answer(answer, request);
    } catch (error) {
      if (error.name !== "AbortError" && request === this.#newest) this.on_error(error.message);
    }
    this.#sent = null;
    if (this.#newest && this.#newest !== request) this.#send();
  }
}
