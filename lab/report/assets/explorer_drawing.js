// The explorer's panels, and saving its pictures as the figures are saved.
async function png_of(svg) {
  const text = new XMLSerializer().serializeToString(svg);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = element("canvas", { width: 2 * svg.getAttribute("width"), height: 2 * svg.getAttribute("height") });
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return canvas.toDataURL("image/png");
}

/** Buttons that save, as every figure has them. @param picture  draws for (width, scheme); none: there is no picture */
function save_tools(name, csv, picture) {
  const on_paper = () => {
    const svg = picture(720, "light");
    svg.insertBefore(drawn("rect", { width: "100%", height: "100%", fill: "white" }), svg.firstChild);
    return svg;
  };
  const svg_text = () => new XMLSerializer().serializeToString(on_paper());
  const button = (text, click) => element("button", { class: "small", click }, text);
  return element("div", { class: "tools" }, element("span", {}, `${word("save")}:`), [
    button("CSV", () => save(csv(), `${name}.csv`, "text/csv")),
    picture ? button("SVG", () => save(svg_text(), `${name}.svg`, "image/svg+xml")) : null,
    picture ? button("PNG", async () => save(await png_of(on_paper()), `${name}.png`)) : null,
  ]);
}

/**
 * A panel of the explorer that main.js treats as a figure.
 * @param show  fills the plot's place for (host, width)
 */
function panel({ name, title, caption, before = null, after = null, show, tools, keys = null }) {
  const host = element("div", { class: "plot", ...(keys ?? {}) });
  const text = element("figcaption", {}, prose(interface_words[caption]));
  const result = element("figure", { id: `figure-${name}`, class: "panel" },
    element("h3", {}, word(title)), before, host, text, after, tools);
  let width = 0;
  result.draw = () => {
    width = Math.floor(host.clientWidth);
    show(host, width);
    host.dataset.state = "drawn";
  };
  result.redraw = () => result.draw();
  result.is_stale = () => Math.floor(host.clientWidth) !== width;
  return result;
}
