// What pages are made of in either language: elements, drawn elements, numbers. `language` is the page's.
// A hyphen before a number that no letter or number precedes is a minus, but for what is `code`.
const hyphens = /`[^`]*`|(?<![\w.)\]}"'/-])-(?=\.?\d)/g;
const with_minus = (text) => text.replace(hyphens, (found) => (found === "-" ? "−" : found));
// No line begins with a "%".
const together = (text) => text.replace(/(\d) %/g, "$1\u00a0%");

/** An element with attributes (functions become listeners) and children; null children are left out. */
function element(tag, attributes = {}, ...children) {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") result.addEventListener(name, value);
    else if (value === true) result.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) result.setAttribute(name, value);
  }
  result.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return result;
}

const svg_space = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; numbers are rounded to a tenth of a pixel. */
function drawn(tag, attributes = {}, ...children) {
  const result = document.createElementNS(svg_space, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) {
      result.setAttribute(name, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
    }
  }
  result.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return result;
}

const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A number with three significant digits, whole numbers in full; a dash where it is missing. */
function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [digits, power] = value.toExponential(2).split("e");
    return `${digits}×10${[...power.replace("+", "")].map((c) => superscripts[c]).join("")}`.replace("-", "−");
  }
  if (Number.isInteger(value)) return String(value).replace("-", "−");
  const rounded = Number(value.toPrecision(3));
  return (Math.abs(rounded) >= 1000 ? value.toFixed(0) : value.toPrecision(3)).replace("-", "−");
}

/** A share in whole per cent, as the reader's language writes it. */
const percent_of = (share) => with_minus(`${Math.round(100 * share)}${language === "zh" ? "" : "\u00a0"}%`);
