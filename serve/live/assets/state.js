// What the page shows, and the link that restores it: everything that is not as at the beginning, in the fragment.
export const parts = ["token", "position", "segment"];

const beginning = {
  text: "The river burst its banks after the storm.", pair: "", model: "", with: "", language: "",
  token: 1, position: 1, segment: 1, noise: 0, seed: 1,
  order: null, layer: 1, head: 1, term: "sum", chosen: null, sentences: null,
};

const number = (text, low, high, otherwise) => {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? Math.min(Math.max(value, low), high) : otherwise;
};
const whole = (text, low, high, otherwise) => Math.round(number(text, low, high, otherwise ?? low));

const order_of = (text) => {
  const order = text.split(".").map((each) => (/^\d+$/.test(each) ? Number(each) : -1));
  const is_whole = [...order].sort((a, b) => a - b).every((position, i) => position === i);
  return is_whole ? order : null;
};

const readers = {
  text: (text) => text, pair: (text) => text, model: (text) => text, with: (text) => text,
  language: (text) => (["en", "zh"].includes(text) ? text : ""),
  token: (text) => number(text, 0, 3, 1), position: (text) => number(text, 0, 3, 1),
  segment: (text) => number(text, 0, 3, 1), noise: (text) => number(text, 0, 2, 0),
  seed: (text) => whole(text, 0, 1e9, 1),
  order: order_of,
  layer: (text) => whole(text, 1, 999, 1), head: (text) => whole(text, 1, 999, 1),
  term: (text) => (/^[0-3]-[0-3]$/.test(text) ? text : "sum"),
  chosen: (text) => (text === "" ? null : whole(text, 0, 63, 0)),
  sentences: (text) => text.split("\n").filter((line) => line.trim()),
};

const writers = { order: (order) => order.join("."), sentences: (sentences) => sentences.join("\n") };

// As links are read by people: spaces as "+", and what a fragment may hold as it is.
const written = (text) => encodeURIComponent(text).replaceAll("%20", "+").replace(/%(2C|3A|3B|40|2F|3F)/g, decodeURIComponent);
const read = (text) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return "";
  }
};

/** The fragment of a state, without "#". */
export function fragment_of(state) {
  const differs = ([name, value]) => value !== beginning[name] && value !== null;
  const said = ([name, value]) => `${name}=${written(String((writers[name] ?? String)(value)))}`;
  return Object.entries(state).filter(([name]) => name in beginning).filter(differs).map(said).join("&");
}

/** What a fragment asks for; what it does not name, or names wrongly, is as at the beginning. */
export function state_of(fragment) {
  const state = { ...beginning };
  for (const field of fragment.replace(/^#/, "").split("&")) {
    const at = field.indexOf("=");
    const name = field.slice(0, at);
    if (at > 0 && Object.hasOwn(readers, name)) state[name] = readers[name](read(field.slice(at + 1)));
  }
  return state;
}

/** Whether a state leaves the model's input as it is. */
export const is_unchanged = (state) =>
  parts.every((part) => state[part] === 1) && state.noise === 0 && state.order === null;

export const without_changes = { token: 1, position: 1, segment: 1, noise: 0, order: null };
