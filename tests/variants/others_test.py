"""Encodings inside attention in NumPy (numpy_attention.py) beside other people's code, and beside what must be so.

Every module of transformers gets random weights and hidden states; its context, or its bias, is compared at 1e-5 of
the largest absolute value. Sizes: H = 24, 3 heads, 9 tokens, or so many that distances pass clips and buckets."""

import itertools
import json
import pathlib
import unittest

import numpy as np
import numpy_attention
import numpy_bert
import torch
from safetensors.numpy import load_file
from transformers import (
    BloomConfig,
    DebertaConfig,
    DebertaV2Config,
    LlamaConfig,
    RoFormerConfig,
    RoFormerModel,
    T5Config,
    Wav2Vec2BertConfig,
    XLNetConfig,
    XLNetModel,
)
from transformers.models.bloom import modeling_bloom
from transformers.models.deberta import modeling_deberta
from transformers.models.deberta_v2 import modeling_deberta_v2
from transformers.models.llama import modeling_llama
from transformers.models.roformer import modeling_roformer
from transformers.models.t5 import modeling_t5
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert

TOLERANCE = 1e-5
HIDDEN, HEADS, WIDTH, LENGTH = 24, 3, 8, 9
LAYER = "encoder.layer.0.attention.self"
RELATIVE_KEYS = pathlib.Path(__file__).parents[1] / "data/relative_key"
worst = {}


def config_of(options=None, **changes):
    sizes = {"hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_hidden_layers": 1, "intermediate_size": 40}
    tables = {"max_position_embeddings": 40, "type_vocab_size": 2, "vocab_size": 18}
    return sizes | tables | {"hidden_act": "gelu", "layer_norm_eps": 1e-3, "summand": options or {}} | changes


def of_positions(kind, **fields):
    """What stands below "summand"."""
    return {"position_attention": kind} | {f"position_attention_{name}": value for name, value in fields.items()}


def numpy_of(tensor):
    return tensor.detach().numpy().astype(np.float64)


def randomised(module, seed=0):
    """The module with normal weights of standard deviation .5, in double precision: no term hides."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.requires_grad:
                parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
    return module.double().eval()


def states(length, seed=1):
    return np.random.default_rng(seed).standard_normal((length, HIDDEN))


def batch(x):
    return torch.tensor(x)[None]


def maps_from(**linears):
    """{name: array} of the layer's maps; a linear map without bias has zeros."""
    found = {}
    for role, module in linears.items():
        found[f"{LAYER}.{role}.weight"] = numpy_of(module.weight)
        bias = np.zeros(HIDDEN) if module.bias is None else numpy_of(module.bias)
        found[f"{LAYER}.{role}.bias"] = bias
    return found


def ours(x, weights, config, segments=None):
    """[n, H] → [n, H]: the heads' contexts side by side, in one segment where nothing is said."""
    segments = np.zeros(len(x), int) if segments is None else segments
    return numpy_attention.self_attention(x, segments, weights, LAYER, config)


class Beside(unittest.TestCase):
    def same(self, found, expected, tolerance=TOLERANCE):
        difference = np.abs(found - expected).max() / np.abs(expected).max()
        name = self.id().split(".", 1)[1]
        worst[name] = max(worst.get(name, 0), difference)
        self.assertLessEqual(difference, tolerance)

    def apart(self, found, expected, least=1e-2):
        self.assertGreater(np.abs(found - expected).max() / np.abs(expected).max(), least)


class RoFormer(Beside):
    """Su et al. 2021. Transformers holds the sines in single precision."""

    def config(self, **options):
        sizes = {"hidden_size": HIDDEN, "embedding_size": HIDDEN, "num_attention_heads": HEADS, "num_hidden_layers": 2}
        return RoFormerConfig(**sizes, intermediate_size=40, vocab_size=18, max_position_embeddings=40,
                              layer_norm_eps=1e-3, hidden_act="gelu", **options)  # fmt: skip

    def test_self_attention(self):
        for values, length in itertools.product((False, True), (LENGTH, 40)):
            module = randomised(modeling_roformer.RoFormerSelfAttention(self.config(rotary_value=values)))
            table = modeling_roformer.RoFormerSinusoidalPositionalEmbedding(40, WIDTH)
            with torch.no_grad():
                table.weight.copy_(table.create_weight())
            x = states(length)
            expected = module(batch(x), sinusoidal_pos=table(torch.Size([1, length]))[None, None].double())[0]
            weights = maps_from(query=module.query, key=module.key, value=module.value)
            config = config_of(of_positions("rotary", values=values))
            self.same(ours(x, weights, config), numpy_of(expected)[0])
            self.apart(ours(x, weights, config_of()), numpy_of(expected)[0])

    def test_whole_model(self):
        """Every hidden state; word and segment rows are added, and no positions."""
        for values in (False, True):
            torch.manual_seed(3)
            model = randomised(RoFormerModel(self.config(rotary_value=values)))
            self.assertFalse(model.encoder.embed_positions.weight.requires_grad)
            ids, segments = np.arange(4, 17), np.array([0] * 8 + [1] * 5)
            inputs = {"input_ids": torch.tensor(ids)[None], "token_type_ids": torch.tensor(segments)[None]}
            expected = model(**inputs, output_hidden_states=True).hidden_states
            options = of_positions("rotary", values=values) | {"position_kind": "none"}
            weights = {name: numpy_of(array) for name, array in model.state_dict().items()}
            found, _ = numpy_bert.forward(ids, segments, weights, config_of(options, num_hidden_layers=2))
            self.same(found, np.stack([numpy_of(state)[0] for state in expected]))


class Llama(Beside):
    def test_halves(self):
        """Turned queries and keys, pairs of columns n and n + d/2, at two bases."""
        for base in (10000.0, 37.0):
            config = LlamaConfig(hidden_size=HIDDEN, num_attention_heads=HEADS, max_position_embeddings=40,
                                 rope_parameters={"rope_type": "default", "rope_theta": base})  # fmt: skip
            rotary = modeling_llama.LlamaRotaryEmbedding(config)
            x = np.random.default_rng(2).standard_normal((40, WIDTH))
            rows = torch.tensor(x)[None, None]
            cosines, sines = rotary(rows, torch.arange(40)[None])
            expected, _ = modeling_llama.apply_rotary_pos_emb(rows, rows, cosines, sines)
            found = numpy_attention.turned(x, np.arange(40), {"base": base, "layout": "halves"})
            self.same(found, numpy_of(expected)[0, 0])


class T5(Beside):
    """Raffel et al. 2020. T5 has no scale: `attention_scale` 1; no biases: zeros. Its output map is the identity."""

    SIZES = ((32, 128), (8, 20), (4, 2), (6, 30), (40, 1000))

    def module(self, buckets, farthest):
        config = T5Config(d_model=HIDDEN, d_kv=WIDTH, num_heads=HEADS, relative_attention_num_buckets=buckets,
                          relative_attention_max_distance=farthest, dropout_rate=0.0)  # fmt: skip
        config._attn_implementation = "eager"
        module = randomised(modeling_t5.T5Attention(config, has_relative_attention_bias=True))
        with torch.no_grad():
            module.o.weight.copy_(torch.eye(HIDDEN))
        return module

    def test_attention(self):
        for (buckets, farthest), length in itertools.product(self.SIZES[:4], (LENGTH, 40, 300)):
            module, x = self.module(buckets, farthest), states(length)
            expected, _, _ = module(batch(x))
            weights = maps_from(query=module.q, key=module.k, value=module.v)
            weights["encoder.relative_attention_bias.weight"] = numpy_of(module.relative_attention_bias.weight)
            options = of_positions("t5_bias", buckets=buckets, max_distance=farthest) | {"attention_scale": 1}
            self.same(ours(x, weights, config_of(options, max_position_embeddings=300)), numpy_of(expected)[0])

    def test_buckets(self):
        """All offsets up to 3000, both ways. Transformers takes logarithms in single precision."""
        offsets = np.arange(-3000, 3001)
        for buckets, farthest in self.SIZES:
            sizes = {"num_buckets": buckets, "max_distance": farthest}
            expected = modeling_t5.T5Attention._relative_position_bucket(torch.tensor(offsets), True, **sizes).numpy()
            found = np.array([numpy_attention.bucket(offset, buckets, farthest) for offset in offsets])
            other = offsets[found != expected]
            self.assertEqual(len(other), 0, (buckets, farthest, other))


class Bloom(Beside):
    def test_slopes(self):
        """The slopes are what build_alibi_tensor gives beside place 1."""
        for heads in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20, 25, 32):
            tensor = modeling_bloom.build_alibi_tensor(torch.ones(1, 2), heads, torch.float64)
            self.same(numpy_attention.slopes(heads), numpy_of(tensor)[:, 0, 1])

    def test_causal_attention(self):
        """Bloom adds m·j: for a query i that is −m·(i − j) + m·i, the last the same for every key."""
        length = 12
        config = BloomConfig(hidden_size=HIDDEN, n_head=HEADS, attention_dropout=0.0, hidden_dropout=0.0)
        module = randomised(modeling_bloom.BloomAttention(config, layer_idx=0))
        with torch.no_grad():
            module.dense.weight.copy_(torch.eye(HIDDEN))
            module.dense.bias.zero_()
        x = states(length)
        bias = modeling_bloom.build_alibi_tensor(torch.ones(1, length), HEADS, torch.float64)
        mask = torch.full((length, length), -1e300, dtype=torch.float64).triu(1)[None, None]
        expected = module(batch(x), torch.zeros(1, length, HIDDEN).double(), bias, mask)[0]
        by_head = numpy_of(module.query_key_value.weight).reshape(HEADS, 3, WIDTH, HIDDEN)
        biases = numpy_of(module.query_key_value.bias).reshape(HEADS, 3, WIDTH)
        weights = {}
        for index, role in enumerate(("query", "key", "value")):
            weights[f"{LAYER}.{role}.weight"] = by_head[:, index].reshape(HIDDEN, HIDDEN)
            weights[f"{LAYER}.{role}.bias"] = biases[:, index].reshape(HIDDEN)
        config = config_of(of_positions("alibi") | {"attention_causal": True})
        self.same(ours(x, weights, config), numpy_of(expected)[0])


class XLNet(Beside):
    """Dai et al. 2019. XLNet's maps lie as [H, heads, d] and have no biases."""

    def test_relative_core(self):
        config = XLNetConfig(vocab_size=18, d_model=HIDDEN, n_layer=1, n_head=HEADS, d_inner=40, dropout=0.0)
        model = XLNetModel(config)
        module = randomised(model.layer[0].rel_attn)
        for length in (LENGTH, 40):
            x = states(length)
            r = model.relative_positional_encoding(length, length, bsz=1).double()
            columns = torch.tensor(x)[:, None]
            q, k, v = (torch.einsum("ibh,hnd->ibnd", columns, each) for each in (module.q, module.k, module.v))
            expected = module.rel_attn_core(q, k, v, torch.einsum("ibh,hnd->ibnd", r, module.r))
            weights = {}
            for role, parameter in (("query", module.q), ("key", module.k), ("value", module.v)):
                weights[f"{LAYER}.{role}.weight"] = numpy_of(parameter).reshape(HIDDEN, HIDDEN).T
                weights[f"{LAYER}.{role}.bias"] = np.zeros(HIDDEN)
            weights[f"{LAYER}.content_bias"] = numpy_of(module.r_w_bias).reshape(HIDDEN)
            weights[f"{LAYER}.position_bias"] = numpy_of(module.r_r_bias).reshape(HIDDEN)
            weights[f"{LAYER}.relative_projection.weight"] = numpy_of(module.r).reshape(HIDDEN, HIDDEN).T
            found = ours(x, weights, config_of(of_positions("transformer_xl")))
            self.same(found, numpy_of(expected)[:, 0].reshape(length, HIDDEN))


class Shaw(Beside):
    """Shaw et al. 2018: keys alone, as Wav2Vec2-BERT has them. Its output map is the identity."""

    def test_keys(self):
        for clip, length in ((3, LENGTH), (3, 30), (16, LENGTH)):
            config = Wav2Vec2BertConfig(hidden_size=HIDDEN, num_attention_heads=HEADS,
                                        position_embeddings_type="relative_key", left_max_position_embeddings=clip,
                                        right_max_position_embeddings=clip, attention_dropout=0.0)  # fmt: skip
            config._attn_implementation = "eager"
            module = randomised(modeling_wav2vec2_bert.Wav2Vec2BertSelfAttention(config))
            with torch.no_grad():
                module.linear_out.weight.copy_(torch.eye(HIDDEN))
                module.linear_out.bias.zero_()
            x = states(length)
            expected = module(batch(x))[0]
            weights = maps_from(query=module.linear_q, key=module.linear_k, value=module.linear_v)
            weights[f"{LAYER}.relative_key.weight"] = numpy_of(module.distance_embedding.weight)
            found = ours(x, weights, config_of(of_positions("shaw", clip=clip, values=False)))
            self.same(found, numpy_of(expected)[0])

    def test_values_one_by_one(self):
        """Equation 3 with loops: z_i = Σ_j a_ij·(v_j + V[clip(j − i, −k, k) + k])."""
        options, x = of_positions("shaw", clip=3), states(12)
        config = config_of(options)
        weights = weights_of(config)
        q, k, v = (numpy_attention.linear(x, weights, f"{LAYER}.{role}") for role in ("query", "key", "value"))
        keys, values = (weights[f"{LAYER}.relative_{role}.weight"] for role in ("key", "value"))
        expected = np.zeros_like(x)
        for h, i in itertools.product(range(HEADS), range(12)):
            mine = slice(h * WIDTH, (h + 1) * WIDTH)
            rows = [max(-3, min(3, j - i)) + 3 for j in range(12)]
            scores = np.array([q[i, mine] @ (k[j, mine] + keys[rows[j]]) / np.sqrt(WIDTH) for j in range(12)])
            shares = np.exp(scores) / np.exp(scores).sum()
            expected[i, mine] = sum(shares[j] * (v[j, mine] + values[rows[j]]) for j in range(12))
        self.same(ours(x, weights, config), expected)


def as_the_paper(module):
    """The module's position-to-content term reads Q[δ(i − j)], as its authors' code does; equation 4 of the paper, and
    the page, Q[δ(j − i)]. Each term is asked for alone, that one with every distance's sign changed."""
    name = "disentangled_att_bias" if hasattr(module, "disentangled_att_bias") else "disentangled_attention_bias"
    theirs, chosen = getattr(module, name), list(module.pos_att_type)

    def terms(query_layer, key_layer, relative_pos, *rest):
        total = 0
        for term in chosen:
            module.pos_att_type = [term]
            total = total + theirs(query_layer, key_layer, relative_pos if term == "c2p" else -relative_pos, *rest)
        module.pos_att_type = chosen
        return total

    setattr(module, name, terms)
    return module


TERMS = (["c2p"], ["p2c"], ["c2p", "p2c"])


def deberta_options(terms, projections, span):
    chosen = {"content_to_position": "c2p" in terms, "position_to_content": "p2c" in terms}
    return of_positions("deberta", projections=projections, span=span, **chosen)


class Deberta(Beside):
    """He et al. 2021, the first: maps of its own without the key's bias, and in_proj by heads: q, k, v of one head."""

    def module(self, terms, span):
        config = DebertaConfig(hidden_size=HIDDEN, num_attention_heads=HEADS, relative_attention=True,
                               max_relative_positions=span, pos_att_type=terms, max_position_embeddings=40,
                               hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)  # fmt: skip
        return randomised(modeling_deberta.DisentangledSelfAttention(config))

    def weights(self, module, rows):
        by_head = numpy_of(module.in_proj.weight).reshape(HEADS, 3, WIDTH, HIDDEN)
        biases = {"query": numpy_of(module.q_bias), "key": np.zeros(HIDDEN), "value": numpy_of(module.v_bias)}
        found = {"encoder.relative_rows.weight": rows}
        for index, role in enumerate(("query", "key", "value")):
            found[f"{LAYER}.{role}.weight"] = by_head[:, index].reshape(HIDDEN, HIDDEN)
            found[f"{LAYER}.{role}.bias"] = biases[role]
        zeros = {"weight": np.zeros((HIDDEN, HIDDEN)), "bias": np.zeros(HIDDEN)}  # where a term's map is not there
        for name, map_ in (("key", getattr(module, "pos_proj", None)), ("query", getattr(module, "pos_q_proj", None))):
            for part, nothing in zeros.items():
                array = getattr(map_, part, None)
                found[f"{LAYER}.position_{name}_projection.{part}"] = nothing if array is None else numpy_of(array)
        return found

    def test_each_term_and_both(self):
        for terms, (span, length) in itertools.product(TERMS, ((16, LENGTH), (16, 16), (4, LENGTH), (4, 30))):
            module, x = self.module(terms, span), states(length)
            rows = np.random.default_rng(4).standard_normal((2 * span, HIDDEN))
            places = torch.arange(length)
            inputs = {"attention_mask": torch.ones(1, 1, length, length), "rel_embeddings": torch.tensor(rows),
                      "relative_pos": (places[:, None] - places)[None]}  # fmt: skip
            theirs = numpy_of(module(batch(x), **inputs)[0])[0]
            expected = numpy_of(as_the_paper(module)(batch(x), **inputs)[0])[0]
            found = ours(x, self.weights(module, rows), config_of(deberta_options(terms, "own", span)))
            with self.subTest(terms=terms, span=span, length=length):
                self.same(found, expected)
                if "p2c" in terms:
                    self.apart(found, theirs)
                else:
                    self.same(found, theirs)


class DebertaV2(Beside):
    """He, Gao & Chen 2023: without share_att_key the key's relative map has a bias, which adds the same to a query's
    every score: softmax takes it out, and the page has none."""

    def module(self, terms, span, share):
        config = DebertaV2Config(hidden_size=HIDDEN, num_attention_heads=HEADS, relative_attention=True,
                                 share_att_key=share, max_relative_positions=span, pos_att_type=terms,
                                 position_buckets=-1, max_position_embeddings=40, hidden_dropout_prob=0.0,
                                 attention_probs_dropout_prob=0.0)  # fmt: skip
        return randomised(modeling_deberta_v2.DisentangledSelfAttention(config))

    def weights(self, module, rows):
        found = maps_from(query=module.query_proj, key=module.key_proj, value=module.value_proj)
        found["encoder.relative_rows.weight"] = rows
        for role in ("key", "query"):
            own = getattr(module, f"pos_{role}_proj", None)
            zeros = np.zeros((HIDDEN, HIDDEN))
            found[f"{LAYER}.position_{role}_projection.weight"] = zeros if own is None else numpy_of(own.weight)
            if role == "query":
                found[f"{LAYER}.position_query_projection.bias"] = (
                    np.zeros(HIDDEN) if own is None else numpy_of(own.bias)
                )
        return found

    def test_each_term_and_both(self):
        sizes = ((16, LENGTH), (16, 16), (4, LENGTH), (4, 30))
        for terms, share, (span, length) in itertools.product(TERMS, (True, False), sizes):
            module, x = self.module(terms, span, share), states(length)
            rows = np.random.default_rng(4).standard_normal((2 * span, HIDDEN))
            places = torch.arange(length)
            inputs = {"attention_mask": torch.ones(1, 1, length, length), "rel_embeddings": torch.tensor(rows),
                      "relative_pos": (places[:, None] - places)[None]}  # fmt: skip
            expected = numpy_of(as_the_paper(module)(batch(x), **inputs)[0])[0]
            options = deberta_options(terms, "tied" if share else "own", span)
            with self.subTest(terms=terms, share=share, span=span, length=length):
                self.same(ours(x, self.weights(module, rows), config_of(options)), expected)


class RelativeKey(Beside):
    """BertForMaskedLM of transformers 4.57, which wrote the files (relative_key_oracle.py)."""

    def logits(self, x, weights, config):
        """[n, H] → [n, vocabulary]. Devlin et al. 2019: dense, GELU, norm; the token table, and a bias."""
        rows = numpy_bert.gelu(numpy_bert.linear(x, weights, "cls.predictions.transform.dense"))
        rows = numpy_bert.layer_norm(rows, weights, "cls.predictions.transform.LayerNorm", config["layer_norm_eps"])
        return rows @ weights[numpy_bert.TABLES["token"]].T + weights["cls.predictions.bias"]

    def test_hidden_states_and_logits(self):
        for kind in ("relative_key", "relative_key_query"):
            config = json.loads((RELATIVE_KEYS / kind / "config.json").read_text())
            weights = load_file(RELATIVE_KEYS / kind / "model.safetensors")
            weights = {name.removeprefix("bert."): array.astype(np.float64) for name, array in weights.items()}
            theirs = np.load(RELATIVE_KEYS / kind / "expected.npz")
            below = {"position_attention": kind, "position_kind": "none"}
            same = {name: value for name, value in config.items() if name != "position_embedding_type"}
            for index in range(sum(name.startswith("ids.") for name in theirs)):
                ids, segments = theirs[f"ids.{index}"], theirs[f"segments.{index}"]
                found, _ = numpy_bert.forward(ids, segments, weights, config)
                again, _ = numpy_bert.forward(ids, segments, weights, same | {"summand": below})
                self.same(found, theirs[f"hidden.{index}"])
                self.same(self.logits(found[-1], weights, config), theirs[f"logits.{index}"])
                np.testing.assert_array_equal(again, found)
                other = {"relative_key": "relative_key_query", "relative_key_query": "relative_key"}[kind]
                if len(ids) > 1:
                    for wrong in ("none", other):
                        options = below | {"position_attention": wrong}
                        apart, _ = numpy_bert.forward(ids, segments, weights, same | {"summand": options})
                        self.apart(apart[-1], theirs[f"hidden.{index}"][-1])


# What must be so, whoever wrote it.

KINDS = [
    ("shaw", {}), ("shaw", {"clip": 3}), ("shaw", {"values": False}), ("relative_key", {}),
    ("relative_key_query", {}), ("transformer_xl", {}), ("t5_bias", {"buckets": 8, "max_distance": 20}),
    ("alibi", {}), ("rotary", {}), ("rotary", {"layout": "halves"}), ("rotary", {"values": True}),
    ("tupe_absolute", {}), ("tupe_absolute", {"untie_first": True}), ("tupe_relative", {}),
    ("tupe_relative", {"untie_first": True}), ("diet_absolute", {}), ("diet_absolute", {"rank": 3}),
    ("diet_relative", {}), ("pair_bias", {}), ("deberta", {}), ("deberta", {"projections": "tied", "span": 3}),
    ("deberta", {"position_to_position": True}), ("rows", {}), ("rows", {"projections": "own"}),
]  # fmt: skip
RELATIVE = ("shaw", "relative_key", "relative_key_query", "transformer_xl", "t5_bias", "alibi", "diet_relative",
            "deberta")  # fmt: skip


def weights_of(config, seed=5):
    found = numpy_bert.parameters(config, np.random.default_rng(seed))
    return {name: array.astype(np.float64) for name, array in found.items()}


def head_of(kind, fields, x, config=None, weights=None, same_rows=True, index=1):
    """A head in which all queries are equal, and all keys, or none."""
    config = config or config_of(of_positions(kind, **fields))
    weights = weights or weights_of(config)
    rng = np.random.default_rng(6)
    rows = np.tile(rng.standard_normal(HIDDEN), (len(x), 1)) if same_rows else rng.standard_normal((len(x), HIDDEN))
    maps = numpy_attention.maps_of(weights, LAYER, config)
    roles = [rows @ maps[role][0].T + maps[role][1] for role in ("query", "key", "value")]
    return numpy_attention.head_of(roles, index, np.asarray(x), "position", weights, LAYER, config, maps)


class Properties(Beside):
    def test_relative_terms_depend_on_the_offset_alone(self):
        """Equal queries, equal keys: every diagonal is constant, and the same where all places are moved by 7."""
        for kind, fields in KINDS:
            if kind not in RELATIVE:
                continue
            terms = numpy_attention.TERMS[kind](head_of(kind, fields, np.arange(20)))
            moved = numpy_attention.TERMS[kind](head_of(kind, fields, np.arange(20) + 7))
            np.testing.assert_allclose(moved, terms, rtol=0, atol=1e-10, err_msg=f"{kind} {fields}")
            for offset in range(-19, 20):
                diagonal = np.diagonal(terms, offset)
                np.testing.assert_allclose(diagonal, diagonal[0], rtol=0, atol=1e-10, err_msg=f"{kind} {fields}")
            self.assertGreater(np.ptp(terms), 0.05, kind)

    def test_absolute_terms_do_not(self):
        for kind in ("tupe_absolute", "diet_absolute", "pair_bias", "rows"):
            terms = numpy_attention.TERMS[kind](head_of(kind, {}, np.arange(20)))
            self.assertGreater(np.ptp(np.diagonal(terms, 1)), 0.1, kind)

    def test_rotations_move_keys_by_their_place(self):
        """(R_i q)·(R_j k) = q·(R_{j−i} k), lengths stay, place 0 stays, and others move."""
        rng = np.random.default_rng(8)
        for layout in ("interleaved", "halves"):
            fields = {"base": 50.0, "layout": layout}
            q, k = (np.tile(rng.standard_normal(WIDTH), (20, 1)) for _ in range(2))
            queries, keys = (numpy_attention.turned(each, np.arange(20), fields) for each in (q, k))
            for i, j in itertools.product(range(20), repeat=2):
                turned = numpy_attention.turned(k[:1], np.array([j - i]), fields)[0]
                self.assertAlmostEqual(queries[i] @ keys[j], q[0] @ turned)
            np.testing.assert_allclose(np.linalg.norm(keys, axis=1), np.linalg.norm(k, axis=1))
            np.testing.assert_array_equal(keys[0], k[0])
            self.assertGreater(np.abs(keys[1:] - k[1:]).max(axis=1).min(), 0.1)

    def test_without_positions_outputs_permute_with_inputs(self):
        order = np.array([3, 0, 4, 2, 1, 5])
        maps = [{"attention_query_key": value} for value in ("own", "tied", "none")] + [{"attention_value": False}]
        for options in maps:
            config, x = config_of(options), states(6)
            weights = weights_of(config)
            self.same(ours(x[order], weights, config), ours(x, weights, config)[order], 1e-12)
            causal = config_of(options | {"attention_causal": True})
            self.apart(ours(x[order], weights, causal), ours(x, weights, causal)[order])

    def test_with_any_kind_they_do_not(self):
        order = np.array([3, 0, 4, 2, 1, 5])
        for kind, fields in KINDS:
            config, x = config_of(of_positions(kind, **fields)), states(6)
            weights = weights_of(config)
            self.apart(ours(x[order], weights, config), ours(x, weights, config)[order])

    def test_segments_permute_with_their_tokens(self):
        """Every kind of segments, but for the places of an untied first token."""
        order, segments = np.array([3, 0, 4, 2, 1, 5]), np.array([0, 0, 0, 1, 1, 1])
        for kind, fields in KINDS:
            options = {f"segment_attention_{name}": value for name, value in fields.items()}
            config, x = config_of(options | {"segment_attention": kind}), states(6)
            weights = weights_of(config)
            as_it_was = ours(x, weights, config, segments)
            one, other = as_it_was[order], ours(x[order], weights, config, segments[order])
            if fields.get("untie_first"):
                self.apart(other, one)
            else:
                self.same(other, one, 1e-12)
            self.apart(ours(x, weights, config, np.ones(6, int)), as_it_was, 1e-3)

    def test_causal_contexts_do_not_read_what_comes_later(self):
        for kind, fields in [("none", {}), *KINDS]:
            config = config_of(of_positions(kind, **fields) | {"attention_causal": True})
            weights, x = weights_of(config), states(12)
            self.same(ours(x[:5], weights, config), ours(x, weights, config)[:5], 1e-12)

    def test_neutral_parameters_take_every_kind_away(self):
        """Tables and biases of zeros; the same c. ALiBi and rotations have no parameters."""
        maps = {f"{LAYER}.{role}.{part}" for role in ("query", "key", "value") for part in ("weight", "bias")}
        for kind, fields in KINDS:
            if kind in ("alibi", "rotary"):
                continue
            config, x = config_of(of_positions(kind, **fields)), states(12)
            weights = weights_of(config)
            for name in weights:
                if "encoder." in name and name not in maps:
                    weights[name] = np.zeros_like(weights[name])
            if kind == "deberta" and fields.get("projections") == "tied":  # rows of 0 keep the biases of the maps
                weights |= {f"{LAYER}.{role}.bias": np.zeros(HIDDEN) for role in ("query", "key")}
            plain = config_of({"attention_scale": numpy_attention.scale_of(config)})
            self.same(ours(x, weights, config), ours(x, weights, plain), 1e-12)

    def test_what_kinds_count(self):
        root = np.sqrt(WIDTH)
        for kind, fields, segment, expected in (
            ("none", {}, "none", 1), ("shaw", {}, "rows", 1), ("tupe_absolute", {}, "none", 2),
            ("tupe_relative", {}, "tupe_absolute", 3), ("deberta", {}, "none", 3), ("deberta", {}, "deberta", 5),
            ("deberta", {"position_to_position": True}, "none", 4),
            ("deberta", {"position_to_content": False}, "none", 2),
        ):  # fmt: skip
            config = config_of(of_positions(kind, **fields) | {"segment_attention": segment})
            self.assertAlmostEqual(numpy_attention.scale_of(config), 1 / (root * np.sqrt(expected)))
            config["summand"]["attention_scale"] = 0.3
            self.assertEqual(numpy_attention.scale_of(config), 0.3)


class OneKindAsAnother(Beside):
    """Where two kinds say the same, with parameters of one made from the other's."""

    def both(self, one, other, made, seed=5, x=None, segments=None):
        """`made` gives other's parameters of one's."""
        x = states(20) if x is None else x
        config = config_of(one)
        weights = weights_of(config, seed)
        return ours(x, weights, config), ours(x, weights | made(weights), config_of(other))

    def test_shaw_is_relative_key_from_the_other_end(self):
        def made(weights):
            return {f"{LAYER}.distance_embedding.weight": weights[f"{LAYER}.relative_key.weight"][::-1]}

        self.same(*self.both(of_positions("shaw", values=False), of_positions("relative_key"), made), 1e-12)

    def test_biases_of_buckets_are_biases_of_offsets(self):
        def made(weights):
            rows = [numpy_attention.bucket(-offset, 8, 20) for offset in range(-39, 40)]
            return {"encoder.relative_bias.weight": weights["encoder.relative_attention_bias.weight"][rows]}

        one = of_positions("t5_bias", buckets=8, max_distance=20)
        self.same(*self.both(one, of_positions("diet_relative"), made), 1e-12)

    def test_biases_of_offsets_are_biases_of_pairs(self):
        def made(weights):
            rows = np.array([39 + i - j for i in range(40) for j in range(40)])
            return {"encoder.pair_bias.weight": weights["encoder.relative_bias.weight"][rows]}

        self.same(*self.both(of_positions("diet_relative"), of_positions("pair_bias"), made), 1e-12)

    def test_alibi_is_a_bias_of_offsets(self):
        def made(weights):
            slopes = np.array([1 / 16, 1 / 256, 1 / 4])
            return {"encoder.relative_bias.weight": -np.abs(np.arange(-39, 40))[:, None] * slopes}

        self.same(*self.both(of_positions("alibi"), of_positions("diet_relative"), made), 1e-12)

    def test_untied_positions_are_a_product_of_rows(self):
        """TUPE's tables mapped beforehand, by the c of one counted term."""

        def made(weights):
            table = weights["encoder.position_rows.weight"]
            deviations = table - table.mean(axis=1, keepdims=True)
            rows = deviations / np.sqrt((deviations**2).mean(axis=1, keepdims=True) + 1e-3)
            rows = rows * weights["encoder.position_norm.weight"] + weights["encoder.position_norm.bias"]
            found = {}
            for role, scale in (("query", 1 / np.sqrt(2 * WIDTH)), ("key", 1)):
                mapped = rows @ weights[f"encoder.position_{role}.weight"].T + weights[f"encoder.position_{role}.bias"]
                found[f"encoder.position_{role}_rows.weight"] = scale * mapped
            return found

        other = of_positions("diet_absolute") | {"attention_scale": 1 / np.sqrt(2 * WIDTH)}
        self.same(*self.both(of_positions("tupe_absolute"), other, made), 1e-12)

    def test_untied_first_tokens_by_loops(self):
        """θ₁ in row 0, θ₂ in the rest of column 0, and the rest as it was."""
        for kind in ("tupe_absolute", "tupe_relative"):
            config = config_of(of_positions(kind, untie_first=True))
            weights = weights_of(config)
            head = head_of(kind, {}, np.arange(6), config, weights, same_rows=False)
            plain = head_of(kind, {}, np.arange(6), config_of(of_positions(kind)), weights, same_rows=False)
            terms, tied = (numpy_attention.TERMS[kind](each) for each in (head, plain))
            for i, j in itertools.product(range(6), repeat=2):
                expected = tied[i, j]
                if i == 0:
                    expected = weights["encoder.first_as_query"][1]
                elif j == 0:
                    expected = weights["encoder.first_as_key"][1]
                self.assertAlmostEqual(terms[i, j], expected)

    def test_rows_are_what_a_sum_has(self):
        """All terms with the layer's maps over tokens are plain attention over tokens + rows."""
        for query_key in ("own", "tied", "none"):
            switches = {"attention_query_key": query_key, "attention_value": query_key == "own"}
            config, x = config_of(of_positions("rows") | switches), states(20)
            weights = weights_of(config)
            summed = x + weights["encoder.attention_rows.weight"][:20]
            self.same(ours(x, weights, config), ours(summed, weights, config_of(switches)), 1e-12)

    def test_rows_by_own_maps_equal_to_the_layers(self):
        def made(weights):
            roles = ("query", "key", "value")
            return {f"{LAYER}.position_{role}_projection.weight": weights[f"{LAYER}.{role}.weight"] for role in roles}

        self.same(*self.both(of_positions("rows"), of_positions("rows", projections="own"), made), 1e-12)

    def test_deberta_by_loops(self):
        """All three terms of equation 2, distances beyond the span too."""
        config = config_of(of_positions("deberta", span=3, position_to_position=True))
        weights = weights_of(config)
        head = head_of("deberta", {}, np.arange(12), config, weights, same_rows=False, index=2)
        rows, mine = weights["encoder.relative_rows.weight"], slice(16, 24)
        keys = rows @ weights[f"{LAYER}.position_key_projection.weight"].T
        queries = rows @ weights[f"{LAYER}.position_query_projection.weight"].T
        queries = (queries + weights[f"{LAYER}.position_query_projection.bias"])[:, mine]
        found = numpy_attention.deberta(head)
        for i, j in itertools.product(range(12), repeat=2):
            there = 0 if i - j <= -3 else 5 if i - j >= 3 else i - j + 3
            back = 0 if j - i <= -3 else 5 if j - i >= 3 else j - i + 3
            key, query = keys[there, mine], queries[back]
            expected = (head.queries[i] @ key + head.keys[j] @ query + query @ key) / np.sqrt(WIDTH * 4)
            self.assertAlmostEqual(found[i, j], expected)


def report():
    for name, difference in worst.items():
        print(f"{difference:.1e} {name}")


if __name__ == "__main__":
    unittest.main(exit=False)
    report()
