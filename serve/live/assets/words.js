// The page's words in its two languages, and what it says aloud.
import { element, set_language, with_minus } from "./report.js";

let words = {};
let language = "en";

export async function load_words() {
  words = await (await fetch("live/words.json")).json();
}

/** Takes a language; of the browser where none is asked for. */
export function speak(asked) {
  const of_browser = navigator.language.startsWith("zh") ? "zh" : "en";
  language = ["en", "zh"].includes(asked) ? asked : of_browser;
  set_language(language);
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
}

export const language_now = () => language;

/** A text of the page; values take the places of "{names}". */
export const word = (key, values = {}) => words[key][language].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** A text that the server gives in both languages. */
export const said_in = (texts) => with_minus(texts?.[language] || texts?.en || "");

/** A probability in per cent, with a digit more where it is small. */
export const likelihood = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}${language === "zh" ? "" : "\u00a0"}%`;

/** Tells a reader of the screen what has changed. */
export function announce(text) {
  document.getElementById("said").textContent = text;
}

/** A panel: a heading, one sentence on what is seen, and its content. */
export function panel(name, content, title = word(`${name}_title`)) {
  const id = `${name}-title`;
  return element("section", { class: "panel", id: name, "aria-labelledby": id },
    element("h2", { id }, title), element("p", { class: "caption" }, word(`${name}_caption`)), content);
}
