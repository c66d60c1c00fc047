// Drawing: specifications with what stands for texts, sizes and colours put in, tooltips, and saving.
const dark = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => (dark.matches ? "dark" : "light");
const narrow = 520; // pixels; specification.cpp has it too

const tip = document.getElementById("tip");

function hide_tip() {
  tip.hidden = true;
}

/** Shows [name, value] pairs beside a place of the window. */
function show_tip(fields, x, y) {
  const cell = (value) => element("td", {}, typeof value === "number" ? shown(value) : value);
  const rows = fields.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), cell(value)));
  tip.replaceChildren(element("table", {}, rows));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
  const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

// Vega hands over numbers as texts in full length.
function tooltip(_, event, __, fields) {
  if (fields === null || fields === undefined || fields === "") return hide_tip();
  const entries = typeof fields === "object" ? Object.entries(fields) : [["", fields]];
  const short = entries.map(([name, value]) => {
    const number = Number(String(value).replace("−", "-").replaceAll(",", ""));
    return [name, String(value).trim() === "" || Number.isNaN(number) ? String(value) : number];
  });
  show_tip(short, event.clientX, event.clientY);
}

const panels_of = (panels, width) =>
  Math.min(Math.max(Math.floor(width / panels.panels_of), 1), panels.at_most ?? 100);

function size_of(size, width) {
  const beside = size.beside ? panels_of(size.beside, width) : 1;
  const pixels = (size.of_width * width) / beside - (size.less ?? 0);
  return Math.round(Math.min(Math.max(pixels, size.at_least ?? 40), size.at_most ?? 4000));
}

/** How many characters have room in so many pixels. */
const characters_in = (pixels) => Math.max(8, Math.floor(pixels / (language === "zh" ? 13 : 6.9)));

/** A text in lines, broken between words. */
function lines_of(text, characters) {
  if (text.length <= characters) return text;
  const lines = [""];
  for (const part of text.split(" ")) {
    const line = lines.at(-1);
    if (line && line.length + 1 + part.length > characters) lines.push(part);
    else lines[lines.length - 1] = line ? `${line} ${part}` : part;
  }
  return lines;
}

/** A Vega expression that asks how many characters have room, or a text in lines. */
function fitted(value, width) {
  const characters = characters_in(size_of(value.room, width));
  return value.fitted ? value.fitted[language].replaceAll("{}", String(characters)) : lines_of(say(value.lines_of), characters);
}

/** Puts a text, a size or a colour wherever something stands for one. specification.cpp does the same. */
function resolved(value, width, colours) {
  if (typeof value === "string") return colours[value] ?? value;
  if (Array.isArray(value)) return value.map((part) => resolved(part, width, colours));
  if (value === null || typeof value !== "object") return value;
  if ("of_width" in value) return size_of(value, width);
  if ("panels_of" in value) return panels_of(value, width);
  if ("room" in value) return fitted(value, width);
  if ("en" in value && "zh" in value && Object.keys(value).length === 2) return say(value);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part, width, colours)]));
}

/** A figure's columns as [name, values] in the reader's language. */
const columns_of = (figure) =>
  figure.data.columns.map(({ name, values }) => {
    const names = values.names?.map(say);
    return [name, names ? values.which.map((i) => names[i]) : values];
  });

function rows_of(columns, most = Infinity) {
  const count = Math.min(most, Math.max(0, ...columns.map(([, values]) => values.length)));
  const row = (_, i) => Object.fromEntries(columns.map(([name, values]) => [name, values[i]]));
  return Array.from({ length: count }, row);
}

/** What a vertical line is, beside its end: left of a line that stands near the right edge. Panels have no one width. */
function place_line_labels(layers) {
  for (const { mark, encoding } of layers) {
    const at = encoding?.x?.datum;
    if (mark?.type !== "text" || mark.align !== "left" || at === undefined) continue;
    const near = `scale('x', ${at}) > width * 3 / 4`;
    mark.align = { expr: `${near} ? 'right' : 'left'` };
    mark.dx = { expr: `${near} ? -5 : 5` };
  }
}

function whole_specification(figure, width, colour_scheme) {
  const colours = data.theme.colours[colour_scheme];
  const specification = resolved(figure.specification, width, colours);
  place_line_labels(specification.layer ?? []);
  specification.config = resolved(data.theme.config, width, colours);
  if (width < narrow) {
    for (const [key, part] of Object.entries(data.theme.narrow)) Object.assign(specification.config[key], part);
  }
  specification.background = "transparent";
  specification.description = say(figure.title);
  if (figure.data.columns) specification.data = { values: rows_of(columns_of(figure)) };
  return specification;
}

// The bundle is large: it is read when the first figure is drawn, not when the page opens.
function embed(host, specification) {
  if (!window.vegaEmbed) {
    const script = document.createElement("script");
    script.textContent = `(() => {${document.getElementById("vega").textContent}\n})();`;
    document.head.append(script);
  }
  const options = { actions: false, renderer: "svg", defaultStyle: false, tooltip, logLevel: 1 };
  return window.vegaEmbed(host, specification, options);
}

// Names beside an axis may have made a figure wider than it was asked to be: it is asked for less. Panels have no one
// width that could be set, so that they are drawn anew.
async function drawn_within(figure, host, width) {
  const specification = whole_specification(figure, width, scheme());
  const drawn = await embed(host, specification);
  const excess = Math.ceil((host.querySelector("svg")?.getBoundingClientRect().width ?? 0) - width);
  if (excess <= 1) return drawn;
  if ("width" in specification) {
    const inner = drawn.view.width();
    if (inner - excess > 80) await drawn.view.width(inner - excess).runAsync();
    return drawn;
  }
  drawn.finalize();
  return embed(host, whole_specification(figure, width - excess, scheme()));
}

async function draw(figure, host) {
  const width = Math.floor(host.clientWidth);
  host.drawn?.finalize();
  try {
    const drawn = await drawn_within(figure, host, width);
    host.drawn = drawn;
    host.drawn_width = width;
    if (figure.data.matrix) watch_matrix(figure.data.matrix, host);
    host.dataset.state = "drawn";
  } catch (error) {
    console.error(figure.name, error);
    host.replaceChildren(`${word("no_figure")}${word("colon")}${error.message}`);
    host.dataset.state = "failed";
  }
}

function save(text_or_url, name, type) {
  const made = type ? URL.createObjectURL(new Blob([text_or_url], { type })) : text_or_url;
  element("a", { href: made, download: name }).click();
  if (type) setTimeout(() => URL.revokeObjectURL(made), 60000);
}

const quoted = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function csv_of(figure) {
  if (figure.data.matrix) return matrix_csv(figure.data.matrix);
  const columns = columns_of(figure);
  const names = columns.map(([name]) => name);
  const lines = rows_of(columns).map((row) => names.map((name) => quoted(String(row[name] ?? ""))).join(","));
  return [names.map(quoted).join(","), ...lines].join("\n");
}

// Saved pictures go onto white paper, whatever the screen looks like.
async function save_picture(figure, format) {
  const specification = { ...whole_specification(figure, 720, "light"), background: "white" };
  const { view, finalize } = await embed(document.createElement("div"), specification);
  if (format === "svg") save(await view.toSVG(), `${figure.name}.svg`, "image/svg+xml");
  else save(await view.toImageURL("png", 2), `${figure.name}.png`);
  finalize();
}

const most_rows = 200;

function data_table(figure) {
  const columns = columns_of(figure);
  const count = Math.max(0, ...columns.map(([, values]) => values.length));
  const head = element("tr", {}, columns.map(([name]) => element("th", { scope: "col" }, name)));
  const cell = (value) =>
    typeof value === "string" ? element("td", {}, value) : element("td", { class: "number" }, shown(value));
  const rows = rows_of(columns, most_rows).map((row) => element("tr", {}, columns.map(([name]) => cell(row[name]))));
  const table = element("table", { class: "data" }, element("thead", {}, head), element("tbody", {}, rows));
  const note = count > most_rows ? element("p", { class: "note" }, `${word("rows_of")} ${count}`) : null;
  return element("div", {}, note, element("div", { class: "scroll tall", tabindex: "0" }, table));
}

/** What every figure has below it: its data and pictures to save, and its first rows. */
function figure_tools(figure) {
  const button = (text, click) => element("button", { class: "small", click }, text);
  const saves = [
    button("CSV", () => save(csv_of(figure), `${figure.name}.csv`, "text/csv")),
    button("SVG", () => save_picture(figure, "svg")),
    button("PNG", () => save_picture(figure, "png")),
  ];
  const tools = element("div", { class: "tools" }, element("span", {}, `${word("save")}${word("colon")}`), saves);
  if (figure.data.matrix) return [tools];
  const fill = ({ currentTarget: table }) => table.children.length === 1 && table.append(data_table(figure));
  return [tools, element("details", { class: "rows", toggle: fill }, element("summary", {}, word("table")))];
}

function figure_element(figure) {
  const matrix = figure.data.matrix;
  const label = matrix ? `${say(figure.title)}. ${word("matrix_keys")}` : null;
  const keys = matrix ? { tabindex: "0", role: "group", "aria-label": label } : {};
  const host = element("div", { class: "plot", ...keys });
  const hint = matrix ? element("span", { class: "note" }, ` ${word("matrix_keys")}`) : null;
  const caption = element("figcaption", {}, prose(figure.caption), hint);
  const title = element("h3", {}, say(figure.title));
  const result = element("figure", { id: `figure-${figure.name}` }, title, host, caption, figure_tools(figure));
  result.draw = () => draw(figure, host);
  result.redraw = () => host.drawn && draw(figure, host);
  result.is_stale = () => host.drawn && Math.floor(host.clientWidth) !== host.drawn_width;
  return result;
}
