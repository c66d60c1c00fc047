// What the explorer shows, read out of the report's data: sentences, attention, logits, pairs of positions.
const explored = data.explorer;
const sentence_letters = ["A", "B"];

/** Whether the parts are those of a plain sum; a table alone says nothing else. */
const is_sum = () => ["", "sum"].includes(explored.composition);
/** What changes with the strength of the position part: nothing where no position row enters by itself. */
const has_strengths = () => explored.strengths.length > 1;
/** "strength 1", as titles say it; none where nothing changes. */
const at_strength = (step) => (has_strengths() ? [`${word("strength_short")} ${strength_text(step)}`] : []);
const has_together = () => explored.parts.length > 4;

/** Codes as numbers, without the digits beyond the step; they are read once. */
const read_codes = (() => {
  const kept = new WeakMap();
  return (coded) => {
    const { low, step } = coded;
    const scale = 10 ** (step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 15) : 15);
    const value = (code) => Math.round((low + step * code) * scale) / scale;
    if (!kept.has(coded)) kept.set(coded, Float64Array.from(decoded(coded), value));
    return kept.get(coded);
  };
})();

/** A text of the interface with values in its places: "{count} sums". */
const filled = (key, values) => word(key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
const layer_text = (layer) => filled("layer_number", { layer: layer + 1 });

const token_of = (id) => explored.tokens[id] ?? `#${id}`;
const letter_of = (segment) => sentence_letters[segment] ?? String(segment);
const is_pair = (sentence) => new Set(sentence.tokens.map(([, , segment]) => segment)).size > 1;
const name_of_sentence = ({ text, text_pair: pair }) => (pair ? `A: ${text}  B: ${pair}` : text);
/** A number without digits that say nothing: 0.25, not 0.250. */
const short_number = (value) => with_minus(String(Number(value.toPrecision(3))));
const strength_text = (step) => short_number(explored.strengths[step]);

/** "3 river", as axes and tooltips name a token. */
const placed = (sentence, i) => `${sentence.tokens[i][1]} ${token_of(sentence.tokens[i][0])}`;

function mean_matrix(matrices) {
  const sum = new Float64Array(matrices[0].length);
  for (const matrix of matrices) matrix.forEach((value, i) => (sum[i] += value / matrices.length));
  return sum;
}

const head_numbers = () => [...Array(explored.heads).keys()];

/** Attention weights [queries · keys] of one layer; a head is a number, or "mean". */
function attention_of(sentence, step, layer, head) {
  const cells = sentence.tokens.length ** 2;
  const roots = read_codes(sentence.attention[step]);
  const at = (index) => roots.subarray(index * cells, (index + 1) * cells).map((root) => root * root);
  const detail = step === explored.unchanged ? "every_head" : explored.detail;
  if (detail === "every_head") {
    const of_head = (number) => at(layer * explored.heads + number);
    return { values: head === "mean" ? mean_matrix(head_numbers().map(of_head)) : of_head(head), is_mean: false };
  }
  if (detail === "means") return { values: at(layer), is_mean: head !== "mean" };
  if (layer > 0) return { values: at(explored.heads + layer - 1), is_mean: head !== "mean" };
  return { values: head === "mean" ? mean_matrix(head_numbers().map(at)) : at(head), is_mean: false };
}

/** Whether logits fall into terms at all: those of a BERT. */
const splits_logits = (sentence) => sentence.terms.length > 0;
/** Whether it is known what sums read back as: those of a BERT. */
const reads_back = (sentence) => sentence.strengths[explored.unchanged].decoded.length > 0;
/** Whether the logits' terms are known: in the first layer of the unchanged model. */
const has_terms = ({ sentence, layer, step }) =>
  splits_logits(explored.sentences[sentence]) && layer === 0 && step === explored.unchanged;

/** One term of the first layer's logits by numbers of parts, as explored.parts; without them the sum of all. */
function logits_of(sentence, head, ...parts) {
  if (head === "mean") return mean_matrix(head_numbers().map((each) => logits_of(sentence, each, ...parts)));
  const count = explored.parts.length;
  const [query_part, key_part] = parts;
  return read_codes(sentence.terms[head][parts.length ? count * query_part + key_part : count ** 2]);
}

/** What is known of two positions; the cosines lie above and on the diagonal, row after row. */
function pair_of(m, n) {
  const { norms, cosines, by_distance: means } = explored.pairs;
  const [low, high] = m < n ? [m, n] : [n, m];
  const cosine = read_codes(cosines)[low * norms.length - (low * (low - 1)) / 2 + high - low];
  const product = cosine * norms[m] * norms[n];
  const squared = norms[m] ** 2 + norms[n] ** 2 - 2 * product;
  const distance = m === n ? 0 : Math.sqrt(Math.max(squared, 0));
  return { cosine, product, mean: means[high - low], distance, apart: high - low };
}

/** First-layer logits [m looks at n, n looks at m] of every head; none for positions that it is not known of. */
function pair_logits(m, n) {
  const { heads, of_heads: count } = explored.pairs;
  if (m >= count || n >= count) return [];
  return heads.map((head) => [read_codes(head)[m * count + n], read_codes(head)[n * count + m]]);
}

const csv_line = (values) => values.map((value) => quoted(String(value ?? ""))).join(",");
const csv_text = (head, rows) => [head, ...rows].map(csv_line).join("\n");
