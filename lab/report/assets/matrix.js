// A matrix under its image: what the pointer, or the arrow keys, are on.
function decoded({ codes, bytes }) {
  const text = atob(codes);
  const at = (i) => text.charCodeAt(i);
  const code = bytes === 2 ? (_, i) => at(2 * i) | (at(2 * i + 1) << 8) : (_, i) => at(i);
  return Uint16Array.from({ length: text.length / bytes }, code);
}

/** Looks cells up by row and column; undefined outside, NaN where the value is missing. */
function matrix_reader(matrix) {
  const codes = decoded(matrix);
  const missing = matrix.bytes === 2 ? 65535 : 255;
  // Digits beyond the step are its own, not the value's.
  const digits = matrix.step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(matrix.step)), 0), 100) : 100;
  return (row, column) => {
    if (!(row >= 0 && row < matrix.rows && column >= 0 && column < matrix.columns)) return undefined;
    const code = codes[row * matrix.columns + column];
    return code === missing ? NaN : Number((matrix.low + matrix.step * code).toFixed(digits));
  };
}

function matrix_csv(matrix) {
  const read = matrix_reader(matrix);
  const indices = [...Array(matrix.columns).keys()];
  const lines = [["", ...indices].join(",")];
  for (let row = 0; row < matrix.rows; ++row) {
    const values = indices.map((column) => read(row, column));
    lines.push([row, ...values.map((x) => (Number.isNaN(x) ? "" : x))].join(","));
  }
  return lines.join("\n");
}

/** Lets a drawn matrix answer to the pointer and to the arrow keys. */
function watch_matrix(matrix, host) {
  const read = matrix_reader(matrix);
  const image = host.querySelector("svg image");
  const cell = { row: 0, column: 0 };
  const show = (x, y) => {
    const value = read(cell.row, cell.column);
    if (value === undefined) return hide_tip();
    show_tip([[say(matrix.row), cell.row], [say(matrix.column), cell.column], [say(matrix.value), value]], x, y);
  };
  host.onpointermove = (event) => {
    const box = image.getBoundingClientRect();
    cell.column = Math.floor(((event.clientX - box.left) / box.width) * matrix.columns);
    cell.row = Math.floor(((event.clientY - box.top) / box.height) * matrix.rows);
    show(event.clientX, event.clientY);
  };
  host.onpointerleave = hide_tip;
  host.onblur = hide_tip;
  host.onkeydown = (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    cell.row = Math.min(Math.max(cell.row + down, 0), matrix.rows - 1);
    cell.column = Math.min(Math.max(cell.column + right, 0), matrix.columns - 1);
    const box = image.getBoundingClientRect();
    const x = box.left + ((cell.column + 0.5) / matrix.columns) * box.width;
    show(x, box.top + ((cell.row + 0.5) / matrix.rows) * box.height);
  };
}
