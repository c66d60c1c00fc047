"""BERT's forward pass in float64 NumPy, written from the papers, with all compositions, positions and switches of
docs/variants.md. What stands inside attention is in numpy_attention.py.

One text at a time: n tokens, H = hidden_size. `config` is what config.json holds. `weights` has float arrays under
Hugging Face's names without the prefix `bert.`; a matrix is [out, in]. Nothing here was taken from summand's sources.
"""

import math

import numpy as np
from numpy_attention import layer_norm, linear, self_attention
from numpy_attention import shapes as attention_shapes

ROWS = ("token", "position", "segment")
TABLES = {
    "token": "embeddings.word_embeddings.weight",
    "position": "embeddings.position_embeddings.weight",
    "segment": "embeddings.token_type_embeddings.weight",
}
SENTENCES, JOINT = "embeddings.sentence_position_embeddings.weight", TABLES["token"]
COUNTS = ("vocab_size", "max_position_embeddings", "type_vocab_size")
DEFAULTS = {
    "composition": "sum",
    "composition_token_width": 0,
    "composition_position_width": 0,
    "composition_segment_width": 0,
    "composition_rank": 1,
    "normalise_input": True,
    "position_kind": "learned",
    "position_base": 10000,
    "position_exponent": 1,
    "position_first_index": 0,
    "position_layout": "interleaved",
    "position_scale": 1,
    "position_cosines": 1,
    "position_alpha": 0.4,
    "position_sentences": 16,
    "position_ends": (),
    "segment_kind": "learned",
    "token_again": False,
    "position_again": False,
    "segment_again": False,
}


# The encoder.


def gelu(x):
    """x·Φ(x), coordinate by coordinate. Hendrycks & Gimpel 2016, "Gaussian Error Linear Units (GELUs)"."""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


ACTIVATIONS = {"gelu": gelu, "linear": lambda x: x, "half": lambda x: x / 2}


def feed_forward(x, weights, name, config):
    """[n, H] → [n, H]. Vaswani et al. 2017, with GELU for ReLU, or what docs/variants.md puts in its place.

    Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"."""
    inner = ACTIVATIONS[config["hidden_act"]](linear(x, weights, f"{name}.intermediate.dense"))
    return linear(inner, weights, f"{name}.output.dense")


def layer(x, segments, weights, name, config):
    """[n, H] and [n] → [n, H]. Vaswani et al. 2017: LayerNorm(x + Sublayer(x)), twice."""
    epsilon = config["layer_norm_eps"]
    contexts = self_attention(x, segments, weights, f"{name}.attention.self", config)
    x = x + linear(contexts, weights, f"{name}.attention.output.dense")
    x = layer_norm(x, weights, f"{name}.attention.output.LayerNorm", epsilon)
    return layer_norm(x + feed_forward(x, weights, name, config), weights, f"{name}.output.LayerNorm", epsilon)


def pooled(x, weights):
    """[n, H] → [H]: the first token's row through a dense layer and tanh. Google's bert, modeling.py, BertModel."""
    return np.tanh(linear(x[:1], weights, "pooler.dense"))[0]


# The three rows.


def choices(config):
    """What is chosen in place of BERT's own."""
    return config.get("summand", {})


def option(config, name):
    """A field's value, or its default. A `position_embedding_type` of Hugging Face's leaves the input no positions."""
    if name == "position_kind" and config.get("position_embedding_type", "absolute") != "absolute":
        return "none"
    return choices(config).get(name, DEFAULTS.get(name))


def widths(config):
    """Columns of each of the three rows: H, but for what the two concatenations say."""
    return {row: option(config, f"composition_{row}_width") or config["hidden_size"] for row in ROWS}


def segment_rows(segments, weights, config):
    """[n] → [n, segment width]"""
    if option(config, "segment_kind") == "none":
        return np.zeros((len(segments), widths(config)["segment"]))
    return weights[TABLES["segment"]][segments]


# The positions: rows 0 to n − 1 of the table, [n, width].


def looked_up(n, width, weights, config):
    """Rows of a table: learned as in Devlin et al. 2019, or `fixed`, which differs in training alone."""
    return weights[TABLES["position"]][:n]


def absent(n, width, weights, config):
    """0: attention without positions permutes with its input. docs/variants.md"""
    return np.zeros((n, width))


def waves(n, frequencies, config):
    """Sines and cosines of y·f, y = x + first index, times a scale. Vaswani et al. 2017: side by side.

    `halves`, all sines before all cosines, is the order of tensor2tensor's get_timing_signal_1d."""
    angles = np.multiply.outer(np.arange(n) + option(config, "position_first_index"), frequencies)
    axis = {"interleaved": 2, "halves": 1}[option(config, "position_layout")]
    rows = np.stack([np.sin(angles), np.cos(angles)], axis=axis).reshape(n, 2 * len(frequencies))
    return option(config, "position_scale") * rows


def sinusoidal(n, width, weights, config):
    """f = base^(−2i/width). Vaswani et al. 2017, "Attention Is All You Need"."""
    return waves(n, np.float64(option(config, "position_base")) ** (-2 * np.arange(width // 2) / width), config)


def sinusoidal_powers(n, width, weights, config):
    """f = (i + 1)^−exponent. docs/variants.md"""
    return waves(n, (1.0 + np.arange(width // 2)) ** -option(config, "position_exponent"), config)


def sinusoidal_trained(n, width, weights, config):
    """f as the file holds them. docs/variants.md"""
    return waves(n, weights["embeddings.position_frequencies"], config)


def scalar(n, width, weights, config):
    """x/L times one direction. docs/variants.md"""
    return np.outer(np.arange(n) / config["max_position_embeddings"], weights["embeddings.position_direction"])


def smooth(n, width, weights, config):
    """A combination of the first cosines of L places. Ahmed, Natarajan & Rao 1974, "Discrete Cosine Transform".

    With √(1/L) for the first and √(2/L) for others they are orthonormal over all L places."""
    length, order = config["max_position_embeddings"], np.arange(option(config, "position_cosines"))
    cosines = np.cos(np.pi * np.multiply.outer(np.arange(n) + 0.5, order) / length)
    return cosines * np.sqrt(np.where(order == 0, 1, 2) / length) @ weights["embeddings.position_cosines.weight"]


def extended(n, width, weights, config):
    """A table p of r rows made longer: row i·r + j is α·u_i + (1 − α)·u_j, u = (p − α·p_0) / (1 − α).

    Su 2020, kexue.fm/archives/7947; the first r rows are p's."""
    table, alpha = weights[TABLES["position"]], option(config, "position_alpha")
    bases = (table - alpha * table[0]) / (1 - alpha)
    high, low = np.divmod(np.arange(n), len(table))
    return alpha * bases[high] + (1 - alpha) * bases[low]


def hierarchical(ids, weights, config):
    """[n] → [n, width]: A[z] + B[w], after z sentences and w tokens of the token's own. docs/variants.md"""
    sentences = weights[SENTENCES]
    table = weights[TABLES["position"]]
    rows, ended, before = [], 0, 0
    for token in ids:
        rows.append(sentences[min(ended, option(config, "position_sentences") - 1)] + table[before])
        ends = token in option(config, "position_ends")
        ended, before = (ended + 1, 0) if ends else (ended, before + 1)
    return np.array(rows)


# All but `hierarchical`, which reads the tokens.
POSITIONS = {
    "learned": looked_up,
    "fixed": looked_up,
    "none": absent,
    "sinusoidal": sinusoidal,
    "sinusoidal_powers": sinusoidal_powers,
    "sinusoidal_trained": sinusoidal_trained,
    "scalar": scalar,
    "smooth": smooth,
    "extended": extended,
}


# The compositions: [n, width] three times → [n, H]. `own` has the parameters below `embeddings.composition.`.


def logistic(x):
    """σ(x) = 1 / (1 + e^−x). Hochreiter & Schmidhuber 1997, "Long Short-Term Memory"."""
    return 1 / (1 + np.exp(-x))


def added(t, p, s, own):
    """t + p + s. Devlin et al. 2019."""
    return t + p + s


def scaled(t, p, s, own):
    """Each row times a parameter, of one number in `scaled_sum`, of H in `weighted_sum`. docs/variants.md.

    Next of kin: the tokens' √H, Vaswani et al. 2017; LayerScale, Touvron et al. 2021, "Going deeper with Image
    Transformers"."""
    return own["token_scale"] * t + own["position_scale"] * p + own["segment_scale"] * s


def gated(t, p, s, own):
    """Each row times σ(U·[t; p; s] + b), of one number in `scalar_gate`, of H in `vector_gate`. docs/variants.md.

    Gates, which multiply by a logistic function of what they read: Hochreiter & Schmidhuber 1997."""
    everything = np.hstack([t, p, s])
    return sum(logistic(linear(everything, own, f"{name}_gate")) * row for name, row in zip(ROWS, (t, p, s)))


def concatenated(t, p, s, own):
    """[t; p; s]: lookup tables of several features, side by side.

    Collobert et al. 2011, "Natural Language Processing (Almost) from Scratch"."""
    return np.hstack([t, p, s])


def concatenated_and_projected(t, p, s, own):
    """A·[t; p; s]; where tables are narrow, a product as in Lan et al. 2020, "ALBERT: A Lite BERT for Self-supervised
    Learning of Language Representations"."""
    return concatenated(t, p, s, own) @ own["projection.weight"].T


def multiplied(t, p, s, own):
    """t ⊙ (1 + p + s): FiLM without its addend.

    Perez et al. 2018, "FiLM: Visual Reasoning with a General Conditioning Layer"."""
    return t * (1 + p + s)


def projected(x, directions):
    """[n, H] → [n, H]: BᵀBx of B [k, H]: onto B's rows, where they are orthonormal.

    Trefethen & Bau 1997, "Numerical Linear Algebra"."""
    return x @ directions.T @ directions


def outside_tokens(t, p, s, own):
    """t + s + (p − BᵀBp). docs/variants.md"""
    return t + s + (p - projected(p, own["token_directions.weight"]))


def within_tokens(t, p, s, own):
    """t + s + BᵀBp. docs/variants.md"""
    return t + s + projected(p, own["token_directions.weight"])


# All but `joint_table`, which has no three rows.
COMPOSITIONS = {
    "sum": added,
    "scaled_sum": scaled,
    "weighted_sum": scaled,
    "scalar_gate": gated,
    "vector_gate": gated,
    "concatenate_project": concatenated_and_projected,
    "concatenate": concatenated,
    "multiplicative": multiplied,
    "outside_tokens": outside_tokens,
    "within_tokens": within_tokens,
}


# The whole.


def position_rows(ids, weights, config):
    """[n] → [n, position width]"""
    if option(config, "position_kind") == "hierarchical":
        return hierarchical(ids, weights, config)
    return POSITIONS[option(config, "position_kind")](len(ids), widths(config)["position"], weights, config)


def parts(ids, segments, weights, config):
    """{row: [n, width]}, before they are composed."""
    t = weights[TABLES["token"]][ids]
    return dict(zip(ROWS, (t, position_rows(ids, weights, config), segment_rows(segments, weights, config))))


def joint(ids, segments, weights, config):
    """[n] and [n] → [n, H]: row (t·L + x)·S + s of one table. docs/variants.md"""
    length, kinds = config["max_position_embeddings"], config["type_vocab_size"]
    table = weights[JOINT]
    return np.array([table[(t * length + x) * kinds + s] for x, (t, s) in enumerate(zip(ids, segments))])


def composed(ids, segments, weights, config):
    """[n] and [n] → [n, H], before it is normalised."""
    if option(config, "composition") == "joint_table":
        return joint(ids, segments, weights, config)
    prefix = "embeddings.composition."
    own = {name.removeprefix(prefix): array for name, array in weights.items() if name.startswith(prefix)}
    rows = parts(ids, segments, weights, config)
    return COMPOSITIONS[option(config, "composition")](*(rows[row] for row in ROWS), own)


def embedded(ids, segments, weights, config):
    """[n] and [n] → [n, H], what the first layer reads."""
    x = composed(ids, segments, weights, config)
    if not option(config, "normalise_input"):
        return x
    return layer_norm(x, weights, "embeddings.LayerNorm", config["layer_norm_eps"])


def again(ids, segments, weights, config):
    """[n, H] or 0: what every layer but the first reads beside the hidden state. docs/variants.md"""
    chosen = [row for row in ROWS if option(config, f"{row}_again")]
    rows = parts(ids, segments, weights, config) if chosen else {}
    return sum(rows[row] for row in chosen)


def forward(ids, segments, weights, config):
    """[n] and [n] → ([layers + 1, n, H], [H] or None): every hidden state; the pooled row where there is a pooler.

    A hidden state is what a layer gives, before a row is added to it again."""
    weights = {name: np.asarray(array, np.float64) for name, array in weights.items()}
    states = [embedded(ids, segments, weights, config)]
    added = again(ids, segments, weights, config)
    for index in range(config["num_hidden_layers"]):
        x = states[-1] + added if index else states[-1]
        states.append(layer(x, segments, weights, f"encoder.layer.{index}", config))
    return np.stack(states), pooled(states[-1], weights) if "pooler.dense.weight" in weights else None


# Random models.


def composition_shapes(config):
    """What docs/variants.md lists for the composition, below `embeddings.composition.`."""
    hidden, kind = config["hidden_size"], option(config, "composition")
    if kind in ("scaled_sum", "weighted_sum"):
        return {f"{row}_scale": (1 if kind == "scaled_sum" else hidden,) for row in ROWS}
    if kind in ("scalar_gate", "vector_gate"):
        out = 1 if kind == "scalar_gate" else hidden
        weights = {f"{row}_gate.weight": (out, 3 * hidden) for row in ROWS}
        return weights | {f"{row}_gate.bias": (out,) for row in ROWS}
    if kind == "concatenate_project":
        return {"projection.weight": (hidden, sum(widths(config).values()))}
    if kind in ("outside_tokens", "within_tokens"):
        return {"token_directions.weight": (option(config, "composition_rank"), hidden)}
    return {}


def position_shapes(config):
    """What docs/variants.md lists for the kind of positions."""
    kind, width = option(config, "position_kind"), widths(config)["position"]
    if kind in ("learned", "fixed"):
        return {TABLES["position"]: (config["max_position_embeddings"], width)}
    if kind == "sinusoidal_trained":
        return {"embeddings.position_frequencies": (width // 2,)}
    if kind == "scalar":
        return {"embeddings.position_direction": (width,)}
    if kind == "smooth":
        return {"embeddings.position_cosines.weight": (option(config, "position_cosines"), width)}
    if kind == "extended":
        return {TABLES["position"]: (option(config, "position_rows"), width)}
    if kind == "hierarchical":
        sentences = {SENTENCES: (option(config, "position_sentences"), width)}
        return sentences | {TABLES["position"]: (config["max_position_embeddings"], width)}
    return {}


def table_shapes(config):
    """The tables of the three rows; a joint one is the only one."""
    if option(config, "composition") == "joint_table":
        return {JOINT: (math.prod(config[name] for name in COUNTS), config["hidden_size"])}
    found = {TABLES["token"]: (config["vocab_size"], widths(config)["token"])} | position_shapes(config)
    if option(config, "segment_kind") == "learned":
        found[TABLES["segment"]] = (config["type_vocab_size"], widths(config)["segment"])
    return found


def shapes(config, pooler=True):
    """Every parameter of a model of this configuration, and no other: {name: shape}."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    matrices = {"pooler.dense": (hidden, hidden)} if pooler else {}
    norms = ["embeddings.LayerNorm"] if option(config, "normalise_input") else []
    for name in (f"encoder.layer.{index}" for index in range(config["num_hidden_layers"])):
        matrices[f"{name}.attention.output.dense"] = (hidden, hidden)
        matrices |= {f"{name}.intermediate.dense": (inner, hidden), f"{name}.output.dense": (hidden, inner)}
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
    found = table_shapes(config) | attention_shapes(config)
    found |= {f"embeddings.composition.{name}": shape for name, shape in composition_shapes(config).items()}
    found |= {f"{name}.weight": shape for name, shape in matrices.items()}
    found |= {f"{name}.bias": shape[:1] for name, shape in matrices.items()}
    return found | {f"{name}.{part}": (hidden,) for name in norms for part in ("weight", "bias")}


SMALL = (*TABLES.values(), SENTENCES)
UNSCALED = ("embeddings.position_direction", "embeddings.position_cosines.weight", "relative_key.weight",
            "relative_value.weight", "distance_embedding.weight", "content_bias", "position_bias",
            "relative_attention_bias.weight", "position_rows.weight", "first_as_query", "first_as_key",
            "position_query_rows.weight", "position_key_rows.weight", "relative_bias.weight", "pair_bias.weight",
            "relative_rows.weight", "attention_rows.weight")  # fmt: skip


def parameters(config, rng, pooler=True):
    """A random model as {name: float32 array}, in which no term hides as 0 or 1.

    Standard deviations: matrices 1/√in, tables and biases .3, the direction and the cosines of positions 1, what
    encodings inside attention look up or add 1, and .3 about 1 for scales, frequencies and the weights of norms."""
    model = {}
    for name, shape in shapes(config, pooler).items():
        array = rng.standard_normal(shape)
        if name.endswith(UNSCALED):
            pass
        elif name in SMALL or name.endswith(".bias"):
            array *= 0.3
        elif len(shape) == 2:
            array /= math.sqrt(shape[1])
        else:
            array = 1 + 0.3 * array
        model[name] = array.astype(np.float32)
    return model
