// Light and dark: the system's, or what the reader chose. The style sheets know the system's alone, so that their rules
// for dark are switched here.
import { palette_of, part_looks } from "./report.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const key = "summand-live-scheme";
let chosen = "auto";

/** Rules of the style sheets that hold in the dark, as they were written. */
const rules_for_dark = (() => {
  let found = null;
  const is_for_dark = (rule) => rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme");
  return () => (found ??= [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].filter(is_for_dark)));
})();

const kept = () => {
  try {
    return localStorage.getItem(key) ?? "auto";
  } catch {
    return "auto"; // without storage
  }
};

export const schemes = ["auto", "light", "dark"];
export const chosen_scheme = () => chosen;
export const colour_scheme = () => (chosen === "auto" ? (dark.matches ? "dark" : "light") : chosen);

export function choose_scheme(scheme) {
  chosen = schemes.includes(scheme) ? scheme : "auto";
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // it holds until the page is left
  }
  const media = { auto: "(prefers-color-scheme: dark)", dark: "all", light: "not all" }[chosen];
  for (const rule of rules_for_dark()) rule.media.mediaText = media;
  const root = document.documentElement.style;
  root.colorScheme = chosen === "auto" ? "light dark" : chosen;
  const colours = palette_of(colour_scheme());
  for (const { key: part, colour } of part_looks) root.setProperty(`--${part}`, colours[colour]);
  root.setProperty("--noise", colours.red);
}

/** Takes what was chosen before. @param changed  called when the system's scheme changes what is seen */
export function begin_scheme(changed) {
  choose_scheme(kept());
  dark.addEventListener("change", () => {
    choose_scheme(chosen);
    changed();
  });
}
