"""Self-attention in float64 NumPy with encodings of positions and of segments inside, written from the papers.

One text at a time: n tokens, H = hidden_size, d = H / heads columns of a head. Token i stands at place i; x_i is its
position or its segment, of which there are T (`count`). Every kind is one function of a `Head`: its terms are [n, n],
row i of the queries, column j of the keys. Weights of a layer lie below `encoder.layer.N.attention.self.`, those that
all layers share below `encoder.`. Nothing here was taken from summand's sources."""

import dataclasses
import functools
import math

import numpy as np

ENCODED = ("position", "segment")
COUNTS = {"position": "max_position_embeddings", "segment": "type_vocab_size"}
SWITCHES = {
    "attention_query_key": "own",
    "attention_value": True,
    "attention_scale": 0,
    "attention_causal": False,
}
THREE_TERMS = ("content_to_position", "position_to_content", "position_to_position")
OF_BUCKETS = {"buckets": 32, "max_distance": 128}
FIELDS = {
    "none": {},
    "shaw": {"clip": 0, "values": True},
    "relative_key": {},
    "relative_key_query": {},
    "transformer_xl": {"base": 10000},
    "t5_bias": OF_BUCKETS,
    "alibi": {},
    "rotary": {"base": 10000, "layout": "interleaved", "values": False},
    "tupe_absolute": {"untie_first": False},
    "tupe_relative": OF_BUCKETS | {"untie_first": False},
    "diet_absolute": {"rank": 0, "per_layer": False},
    "diet_relative": {"per_layer": False},
    "pair_bias": {"per_layer": False},
    "deberta": {"span": 0, "projections": "own"} | dict(zip(THREE_TERMS, (True, True, False))),
    "rows": {"projections": "tied", "values": True} | dict.fromkeys(THREE_TERMS, True),
}


# What is chosen.


def switch(config, name):
    """A switch of self-attention, or its default."""
    return config.get("summand", {}).get(name, SWITCHES[name])


def kind_of(config, encoded):
    """The kind of `position_attention` or `segment_attention`.

    Hugging Face's `position_embedding_type` at the top of a file, other than `absolute`, is a position_attention."""
    theirs = config.get("position_embedding_type", "absolute")
    if encoded == "position" and theirs != "absolute":
        return theirs
    return config.get("summand", {}).get(f"{encoded}_attention", "none")


def fields_of(config, encoded):
    """{field: value} of the kind, without what stands before the names in the file."""
    chosen = config.get("summand", {})
    defaults = FIELDS[kind_of(config, encoded)]
    return {name: chosen.get(f"{encoded}_attention_{name}", default) for name, default in defaults.items()}


def counted(kind, fields):
    """How many terms the authors of a kind count beside q·k, for the scale. Ke et al. 2021; He et al. 2021."""
    if kind == "deberta":
        return sum(bool(fields[term]) for term in THREE_TERMS)
    return 1 if kind in ("tupe_absolute", "tupe_relative") else 0


def scale_of(config):
    """c: 1/√(d·(1 + m)), or what the file says."""
    width = config["hidden_size"] // config["num_attention_heads"]
    terms = sum(counted(kind_of(config, encoded), fields_of(config, encoded)) for encoded in ENCODED)
    return switch(config, "attention_scale") or 1 / math.sqrt(width * (1 + terms))


# Basic parts.


def linear(x, weights, name):
    """[n, in] → [n, out]: every row times the matrix, plus the bias."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def layer_norm(x, weights, name, epsilon):
    """[n, H] → [n, H]. Ba, Kiros & Hinton 2016, "Layer Normalization": row by row, by the variance that divides by H.

    BERT adds epsilon below the root (layer_norm_eps)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return centred / scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def softmax(scores):
    """[…, keys]: positive, and 1 together over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# What a kind sees.


@dataclasses.dataclass
class Head:
    """One head of one layer, as one kind sees it.

    `queries`, `keys`, `values` [n, d], none of them turned; `x` [n] whole numbers below `count`; `index` is the head's
    number of `heads`; `scale` is c; `own` the kind's parameters, of the layer or shared, by the names of the page;
    `maps` the layer's maps to all heads' queries, keys and values: role → ([H, H], [H])."""

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    x: np.ndarray
    count: int
    index: int
    heads: int
    scale: float
    epsilon: float
    own: dict
    fields: dict
    maps: dict

    def columns(self, width):
        """The head's own of a table's, or of a map's rows out, where each head has `width`."""
        return slice(self.index * width, (self.index + 1) * width)

    @property
    def mine(self):
        """Its d columns of H."""
        return self.columns(self.queries.shape[1])

    @property
    def ahead(self):
        """[n, n]: x_j − x_i."""
        return self.x[None, :] - self.x[:, None]

    @property
    def behind(self):
        """[n, n]: x_i − x_j."""
        return self.x[:, None] - self.x[None, :]


# Terms of relative positions: [n, n].


def shaw_rows(head):
    """[n, n] rows of Shaw's tables: clip(x_j − x_i, −k, k) + k."""
    reach = head.fields["clip"] or head.count - 1
    return np.clip(head.ahead, -reach, reach) + reach


def shaw(head):
    """c·q_i·K[…]. Shaw, Uszkoreit & Vaswani 2018, "Self-Attention with Relative Position Representations", eq. 4."""
    return head.scale * np.einsum("id,ijd->ij", head.queries, head.own["relative_key.weight"][shaw_rows(head)])


def shaw_values(head):
    """[n, n, d], what is added to v_j for query i. Shaw et al. 2018, equation 3."""
    return head.own["relative_value.weight"][shaw_rows(head)]


def relative_key(head):
    """c·q_i·E[x_i − x_j + T − 1]. Hugging Face's transformers 4, BertSelfAttention, after Shaw et al. 2018."""
    rows = head.own["distance_embedding.weight"][head.behind + head.count - 1]
    return head.scale * np.einsum("id,ijd->ij", head.queries, rows)


def relative_key_query(head):
    """c·(q_i + k_j)·E[x_i − x_j + T − 1].

    Huang et al. 2020, "Improve Transformer Models with Better Relative Position Embeddings", method 4."""
    rows = head.own["distance_embedding.weight"][head.behind + head.count - 1]
    return relative_key(head) + head.scale * np.einsum("jd,ijd->ij", head.keys, rows)


def waves(offsets, width, base):
    """[…] → […, width]: all sines, then all cosines, as in transformer-xl's PositionalEmbedding."""
    angles = np.multiply.outer(offsets, float(base) ** (-2 * np.arange(width // 2) / width))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


def transformer_xl(head):
    """c·(u·k_j + (q_i + v)·W·r(x_i − x_j)): terms b, c and d; a is q·k.

    Dai et al. 2019, "Transformer-XL: Attentive Language Models beyond a Fixed-Length Context", section 3.3."""
    u, v = head.own["content_bias"][head.mine], head.own["position_bias"][head.mine]
    weight = head.own["relative_projection.weight"]
    rows = waves(head.behind, weight.shape[1], head.fields["base"]) @ weight[head.mine].T
    content = np.tile(head.keys @ u, (len(head.x), 1))
    return head.scale * (content + np.einsum("id,ijd->ij", head.queries + v, rows))


@functools.cache
def bucket(offset, buckets, farthest):
    """One bucket of T5, in whole numbers: half of the buckets are for offsets above 0; of each half, half are for one
    distance each, others for e·(farthest/e)^(b/s) on, e the first of them, s how many, b = 0, 1, ….

    Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", section
    2.1; mesh-tensorflow, _relative_position_bucket with bidirectional=True."""
    distance, half = abs(int(offset)), buckets // 2
    first, exact = half if offset > 0 else 0, half // 2
    if distance < exact:
        return first + distance
    steps, b = half - exact, 0
    while b + 1 < steps and distance**steps * exact ** (b + 1) >= farthest ** (b + 1) * exact**steps:
        b += 1
    return first + exact + b


def t5_bias(head):
    """B[bucket(x_j − x_i), h], without c. Raffel et al. 2020, section 2.1."""
    sizes = head.fields["buckets"], head.fields["max_distance"]
    rows = [[bucket(offset, *sizes) for offset in line] for line in head.ahead.tolist()]
    return head.own["relative_attention_bias.weight"][np.array(rows), head.index]


def slopes(heads):
    """[heads]. Press, Smith & Lewis 2022, "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", section 3; for heads that are no power of two their get_slopes."""
    power = 2 ** int(math.log2(heads))
    of_power = [2.0 ** (-8 * (h + 1) / power) for h in range(power)]
    of_next = [2.0 ** (-8 * (h + 1) / (2 * power)) for h in range(2 * power)]
    return np.array(of_power + of_next[0::2][: heads - power])


def alibi(head):
    """−m_h·|x_i − x_j|, without c. Press et al. 2022, section 3, both ways."""
    return -slopes(head.heads)[head.index] * np.abs(head.behind)


# Terms of absolute positions: [n, n].


def tupe_absolute(head):
    """c·(U_Q·N(P[x_i]) + b_Q)·(U_K·N(P[x_j]) + b_K), where untied θ₁ for the first place's query, θ₂ for its key.

    Ke, He & Liu 2021, "Rethinking Positional Encoding in Language Pre-training", sections 3.1 and 3.2."""
    rows = layer_norm(head.own["position_rows.weight"], head.own, "position_norm", head.epsilon)[head.x]
    queries = linear(rows, head.own, "position_query")[:, head.mine]
    keys = linear(rows, head.own, "position_key")[:, head.mine]
    return untied(head, head.scale * queries @ keys.T)


def tupe_relative(head):
    """The same and B[bucket(x_j − x_i), h]. Ke et al. 2021, equation 14."""
    absolute = tupe_absolute(dataclasses.replace(head, fields=head.fields | {"untie_first": False}))
    return untied(head, absolute + t5_bias(head))


def untied(head, terms):
    """[n, n] → [n, n]: reset_θ. Ke et al. 2021, section 3.2."""
    if head.fields["untie_first"]:
        terms[1:, 0] = head.own["first_as_key"][head.index]
        terms[0, :] = head.own["first_as_query"][head.index]
    return terms


def diet_absolute(head):
    """P_Q[x_i]·P_K[x_j] of a head, without c.

    Chen et al. 2021, "A Simple and Effective Positional Encoding for Transformers", DIET-ABS."""
    queries, keys = head.own["position_query_rows.weight"], head.own["position_key_rows.weight"]
    mine = head.columns(queries.shape[1] // head.heads)
    return queries[head.x, mine] @ keys[head.x, mine].T


def diet_relative(head):
    """R[x_i − x_j + T − 1, h], without c. Chen et al. 2021, DIET-REL."""
    return head.own["relative_bias.weight"][head.behind + head.count - 1, head.index]


def pair_bias(head):
    """E[x_i·T + x_j, h], without c. Chen et al. 2021, of segments."""
    return head.own["pair_bias.weight"][head.x[:, None] * head.count + head.x[None, :], head.index]


# Terms of rows that maps of their own, or the layer's, make to queries and keys: [n, n].


def mapped(head, rows, role):
    """[r, H] → [r, d], a head's columns, by a map of the kind's own. A query's may have a bias."""
    name = f"position_{role}_projection"
    return (rows @ head.own[f"{name}.weight"].T + head.own.get(f"{name}.bias", 0))[:, head.mine]


def tied(head, rows, role, biased):
    """[r, H] → [r, d], a head's columns, by the layer's map of its own hidden states."""
    matrix, bias = head.maps[role]
    return (rows @ matrix.T + (bias if biased else 0))[:, head.mine]


def deberta(head):
    """Terms of queries q with relative keys K and of keys k with relative queries Q, one by one.

    He et al. 2021, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention", equations 2 to 4; position to
    position is the fourth term of equation 2."""
    rows = head.own["relative_rows.weight"]
    reach = len(rows) // 2

    def relative(role, offsets):
        """[n, n, d]: rows at δ of the offsets, as queries or as keys."""
        made = tied(head, rows, role, biased=True) if head.fields["projections"] == "tied" else mapped(head, rows, role)
        return made[np.clip(offsets + reach, 0, 2 * reach - 1)]

    terms = {
        "content_to_position": lambda: np.einsum("id,ijd->ij", head.queries, relative("key", head.behind)),
        "position_to_content": lambda: np.einsum("jd,ijd->ij", head.keys, relative("query", head.ahead)),
        "position_to_position": lambda: np.einsum(
            "ijd,ijd->ij", relative("query", head.ahead), relative("key", head.behind)
        ),
    }
    return head.scale * sum(term() for name, term in terms.items() if head.fields[name])


def own_rows(head, role):
    """[n, d]: A·P[x] of a head, without a bias."""
    rows = head.own["attention_rows.weight"][head.x]
    return tied(head, rows, role, biased=False) if head.fields["projections"] == "tied" else mapped(head, rows, role)


def rows(head):
    """The terms of (q_i + A_Q·P[x_i])·(k_j + A_K·P[x_j]) beside q·k, one by one. docs/variants.md"""
    terms = {
        "content_to_position": lambda: head.queries @ own_rows(head, "key").T,
        "position_to_content": lambda: own_rows(head, "query") @ head.keys.T,
        "position_to_position": lambda: own_rows(head, "query") @ own_rows(head, "key").T,
    }
    nothing = np.zeros((len(head.x), len(head.x)))
    return head.scale * sum((term() for name, term in terms.items() if head.fields[name]), nothing)


def rows_values(head):
    """[n, n, d]: A_V·P[x_j], whichever the query."""
    return np.tile(own_rows(head, "value"), (len(head.x), 1, 1))


def without_terms(head):
    return np.zeros((len(head.x), len(head.x)))


TERMS = {
    "none": without_terms,
    "shaw": shaw,
    "relative_key": relative_key,
    "relative_key_query": relative_key_query,
    "transformer_xl": transformer_xl,
    "t5_bias": t5_bias,
    "alibi": alibi,
    "rotary": without_terms,
    "tupe_absolute": tupe_absolute,
    "tupe_relative": tupe_relative,
    "diet_absolute": diet_absolute,
    "diet_relative": diet_relative,
    "pair_bias": pair_bias,
    "deberta": deberta,
    "rows": rows,
}
TO_VALUES = {"shaw": shaw_values, "rows": rows_values}


def turned(columns, x, fields):
    """[n, d] → [n, d]: pair p of token i by the angle x_i·base^(−2p/d).

    Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equations 14 to 16."""
    width, result = columns.shape[1], np.empty_like(columns)
    for pair in range(width // 2):
        one, other = (2 * pair, 2 * pair + 1) if fields["layout"] == "interleaved" else (pair, pair + width // 2)
        angles = x * float(fields["base"]) ** (-2 * pair / width)
        result[:, one] = columns[:, one] * np.cos(angles) - columns[:, other] * np.sin(angles)
        result[:, other] = columns[:, other] * np.cos(angles) + columns[:, one] * np.sin(angles)
    return result


# The whole.


def maps_of(weights, name, config):
    """{role: ([H, H], [H])}: the layer's maps. Where the hidden state itself is taken the map is the identity."""
    hidden, query_key = config["hidden_size"], switch(config, "attention_query_key")
    nothing = np.eye(hidden), np.zeros(hidden)
    found = {
        role: (weights[f"{name}.{role}.weight"], weights[f"{name}.{role}.bias"])
        for role in ("query", "key", "value")
        if f"{name}.{role}.weight" in weights
    }
    if query_key == "none":
        found |= {"query": nothing, "key": nothing}
    if query_key == "tied":
        found |= {"key": found["query"]}
    return found if switch(config, "attention_value") else found | {"value": nothing}


def parameters_of(weights, name, encoded):
    """The parameters of a kind, of the layer and shared, without what stands before their names."""
    begin = "segment_" if encoded == "segment" else ""
    found = {}
    for prefix in ("encoder.", f"{name}."):
        start = prefix + begin
        found |= {key.removeprefix(start): array for key, array in weights.items() if key.startswith(start)}
    return found


def head_of(roles, index, x, encoded, weights, name, config, maps):
    """What the kind of `encoded` sees of head `index`; roles are three times [n, H]."""
    heads = config["num_attention_heads"]
    width = config["hidden_size"] // heads
    queries, keys, values = (role[:, index * width : (index + 1) * width] for role in roles)
    own, fields = parameters_of(weights, name, encoded), fields_of(config, encoded)
    count, scale, epsilon = config[COUNTS[encoded]], scale_of(config), config["layer_norm_eps"]
    return Head(queries, keys, values, x, count, index, heads, scale, epsilon, own, fields, maps)


def context(seen, config):
    """[n, d] of one head. `seen` is {"position": Head, "segment": Head}.

    Softmax over j of c·q_i·k_j and all terms, times v_j and what is added to it. Rotations turn the q and k of that
    product, and v where they say so; every other term reads q and k as they were before."""
    head = seen["position"]
    queries, keys, values = head.queries, head.keys, head.values
    for encoded, head in seen.items():
        if kind_of(config, encoded) == "rotary":
            queries, keys = (turned(columns, head.x, head.fields) for columns in (queries, keys))
            values = turned(values, head.x, head.fields) if head.fields["values"] else values
    scores = head.scale * queries @ keys.T
    added = np.zeros((len(head.x), *values.shape))
    for encoded, head in seen.items():
        kind = kind_of(config, encoded)
        scores = scores + TERMS[kind](head)
        if kind in TO_VALUES and head.fields["values"]:
            added += TO_VALUES[kind](head)
    if switch(config, "attention_causal"):
        scores[np.triu_indices(len(scores), 1)] = -np.inf
    return np.einsum("ij,ijd->id", softmax(scores), values[None, :, :] + added)


def self_attention(x, segments, weights, name, config):
    """[n, H] and [n] → [n, H], the heads' contexts side by side. `name` is `encoder.layer.N.attention.self`."""
    maps = maps_of(weights, name, config)
    roles = [x @ maps[role][0].T + maps[role][1] for role in ("query", "key", "value")]
    where = {"position": np.arange(len(x)), "segment": np.asarray(segments)}
    contexts = []
    for index in range(config["num_attention_heads"]):
        seen = {
            encoded: head_of(roles, index, where[encoded], encoded, weights, name, config, maps)
            for encoded in ENCODED
        }
        contexts.append(context(seen, config))
    return np.hstack(contexts)


# Shapes of parameters.


def roles_read(fields):
    """The roles that `own` projections are there for: those that a term, or values, read."""
    if fields["projections"] != "own":
        return []
    keys, queries, both = (fields[term] for term in THREE_TERMS)
    read = {"query": queries or both, "key": keys or both, "value": fields.get("values", False)}
    return [role for role in read if read[role]]


def kind_shapes(kind, fields, count, hidden, heads):
    """({of a layer: shape}, {that all layers share: shape}), by the names of the page."""
    width, between = hidden // heads, 2 * count - 1
    square = {"weight": (hidden, hidden), "bias": (hidden,)}
    layer, shared = {}, {}
    if kind == "shaw":
        names = ("relative_key", "relative_value") if fields["values"] else ("relative_key",)
        layer = {f"{name}.weight": (2 * (fields["clip"] or count - 1) + 1, width) for name in names}
    if kind in ("relative_key", "relative_key_query"):
        layer = {"distance_embedding.weight": (between, width)}
    if kind == "transformer_xl":
        layer = {"content_bias": (hidden,), "position_bias": (hidden,), "relative_projection.weight": (hidden, hidden)}
    if kind in ("t5_bias", "tupe_relative"):
        shared = {"relative_attention_bias.weight": (fields["buckets"], heads)}
    if kind in ("tupe_absolute", "tupe_relative"):
        shared |= {"position_rows.weight": (count, hidden)}
        shared |= {f"position_norm.{part}": (hidden,) for part in square}
        shared |= {f"position_{role}.{part}": square[part] for role in ("query", "key") for part in square}
        if fields["untie_first"]:
            shared |= {"first_as_query": (heads,), "first_as_key": (heads,)}
    if kind == "diet_absolute":
        wide = heads * (fields["rank"] or width)
        shared = {f"position_{role}_rows.weight": (count, wide) for role in ("query", "key")}
    if kind == "diet_relative":
        shared = {"relative_bias.weight": (between, heads)}
    if kind == "pair_bias":
        shared = {"pair_bias.weight": (count**2, heads)}
    if fields.get("per_layer"):
        layer, shared = shared, layer
    if kind == "deberta":
        shared = {"relative_rows.weight": (2 * (fields["span"] or count), hidden)}
        layer = {f"position_{role}_projection.weight": (hidden, hidden) for role in roles_read(fields)}
        if "query" in roles_read(fields):
            layer["position_query_projection.bias"] = (hidden,)
    if kind == "rows":
        shared = {"attention_rows.weight": (count, hidden)}
        layer = {f"position_{role}_projection.weight": (hidden, hidden) for role in roles_read(fields)}
    return layer, shared


def shapes(config):
    """{name: shape} of all encodings inside attention and of the maps to queries, keys and values."""
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    roles = {"own": ("query", "key"), "tied": ("query",), "none": ()}[switch(config, "attention_query_key")]
    roles += ("value",) if switch(config, "attention_value") else ()
    of_layer = {f"{role}.weight": (hidden, hidden) for role in roles} | {f"{role}.bias": (hidden,) for role in roles}
    found = {}
    for encoded in ENCODED:
        begin = "segment_" if encoded == "segment" else ""
        kind, fields = kind_of(config, encoded), fields_of(config, encoded)
        layer, shared = kind_shapes(kind, fields, config[COUNTS[encoded]], hidden, heads)
        of_layer |= {begin + name: shape for name, shape in layer.items()}
        found |= {f"encoder.{begin}{name}": shape for name, shape in shared.items()}
    for index in range(config["num_hidden_layers"]):
        found |= {f"encoder.layer.{index}.attention.self.{name}": shape for name, shape in of_layer.items()}
    return found
