"""Every way to compose the input, to tell positions and to attend (docs/variants.md), as `summand hidden` runs it,
against BERT in NumPy.

The program computes in single precision, NumPy in double: no number of a text's hidden state may differ by more than
2e-5 times the largest absolute value of that state."""

import itertools
import json
import pathlib
import re
import tempfile
import unittest
import zlib

import numpy as np
import numpy_attention
import numpy_bert
import summand_testing
from command_line import summand
from safetensors.numpy import load_file, save_file

TOLERANCE = 2e-5
SIZES = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 40}
TABLES = {"max_position_embeddings": 40, "type_vocab_size": 2}
WORDS = ["red", "green", "blue", "tree", "river", "house", "old", "new", "runs", "sleeps", "the", "a", "of"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def widths_of(*widths):
    """The fields that say how wide the three rows are, but for those of 0, the default."""
    return {f"composition_{row}_width": width for row, width in zip(numpy_bert.ROWS, widths) if width}


# What stands below "summand": every composition, the two that have widths and the two that have a rank several times.
COMPOSITIONS = [{"composition": name} for name in numpy_bert.COMPOSITIONS if name != "concatenate"]
COMPOSITIONS += [
    {"composition": kind} | widths_of(*widths)
    for kind, widths in (
        ("concatenate_project", (8, 6, 4)), ("concatenate_project", (0, 10, 2)), ("concatenate_project", (40, 0, 0)),
        ("concatenate", (12, 8, 4)), ("concatenate", (4, 18, 2)),
    )
]  # fmt: skip
RANKED = ("outside_tokens", "within_tokens")
COMPOSITIONS += [{"composition": kind, "composition_rank": rank} for kind in RANKED for rank in (7, 24)]
SINUSOID = {"position_kind": "sinusoidal", "position_base": 50.0, "position_first_index": 3, "position_scale": 0.7}
SINUSOIDS = [SINUSOID | {"position_layout": layout} for layout in ("interleaved", "halves")]
POSITIONS = [{"position_kind": "learned"}, *SINUSOIDS, {"position_kind": "none"}]
WAVES = {"position_first_index": 5, "position_scale": 0.7}
LEAST_ROWS = 7  # 7² is the first square that reaches the 40 positions
ONE_COSINE = {"position_kind": "smooth"}
OTHER_POSITIONS = [
    {"position_kind": kind} | fields | {"position_layout": layout}
    for kind, fields in (
        ("sinusoidal", WAVES | {"position_base": 200.0}), ("sinusoidal_powers", WAVES | {"position_exponent": 0.6}),
        ("sinusoidal_trained", WAVES),
    )
    for layout in ("interleaved", "halves")
]  # fmt: skip
OTHER_POSITIONS += [
    {"position_kind": "sinusoidal"}, {"position_kind": "sinusoidal_powers"}, {"position_kind": "sinusoidal_trained"},
    {"position_kind": "fixed"}, {"position_kind": "scalar"},
    ONE_COSINE, {"position_kind": "smooth", "position_cosines": 5},
    {"position_kind": "smooth", "position_cosines": 40}, {"position_kind": "extended", "position_rows": LEAST_ROWS},
    {"position_kind": "extended", "position_rows": LEAST_ROWS, "position_alpha": 0.7},
    {"position_kind": "extended", "position_rows": 40},
    {"position_kind": "hierarchical", "position_sentences": 3, "position_ends": [3, 17]},
    {"position_kind": "hierarchical", "position_sentences": 9, "position_ends": [8]},
]  # fmt: skip
ONE_OF_EACH = list({options["position_kind"]: options for options in reversed(OTHER_POSITIONS)}.values())
# The compositions that other positions are run with; the width of positions is 24, 8, 6 and 24.
BESIDE_POSITIONS = [
    {"composition": "sum"}, {"composition": "vector_gate"}, {"composition": "concatenate"} | widths_of(12, 8, 4),
    {"composition": "concatenate_project"} | widths_of(8, 6, 4),
]  # fmt: skip
# Inside attention: every kind with its defaults first, then with other values of every field.
INSIDE = [
    (kind, fields)
    for kind, several in {
        "shaw": ({}, {"clip": 4}, {"clip": 1, "values": False}, {"values": False}, {"clip": 60}),
        "relative_key": ({},),
        "relative_key_query": ({},),
        "transformer_xl": ({}, {"base": 50.0}),
        "t5_bias": ({}, {"buckets": 8, "max_distance": 20}, {"buckets": 4, "max_distance": 2}, {"buckets": 6}),
        "alibi": ({},),
        "rotary": ({}, {"base": 50.0}, {"layout": "halves"}, {"values": True},
                   {"base": 7.5, "layout": "halves", "values": True}),
        "tupe_absolute": ({}, {"untie_first": True}),
        "tupe_relative": ({}, {"untie_first": True}, {"buckets": 6, "max_distance": 12},
                          {"buckets": 10, "max_distance": 30, "untie_first": True}),
        "diet_absolute": ({}, {"rank": 3}, {"per_layer": True}, {"rank": 11, "per_layer": True}),
        "diet_relative": ({}, {"per_layer": True}),
        "pair_bias": ({}, {"per_layer": True}),
        "deberta": ({}, {"span": 5}, {"projections": "tied"}, {"position_to_position": True},
                    {"content_to_position": False}, {"position_to_content": False},
                    {"content_to_position": False, "position_to_content": False, "position_to_position": True},
                    {"span": 1, "projections": "tied", "position_to_position": True},
                    {"span": 50, "projections": "own", "position_to_position": True}),
        "rows": ({}, {"values": False}, {"projections": "own"}, {"projections": "own", "values": False},
                 {"content_to_position": False}, {"position_to_content": False}, {"position_to_position": False},
                 {"projections": "own", "content_to_position": False, "position_to_position": False},
                 {"content_to_position": False, "position_to_content": False, "position_to_position": False}),
    }.items()
    for fields in several
]  # fmt: skip
KINDS_INSIDE = [kind for kind in numpy_attention.TERMS if kind != "none"]
QUERY_KEYS = [{"attention_query_key": value} for value in ("own", "tied", "none")]
VALUES = [{"attention_value": value} for value in (True, False)]
ATTENTION_SWITCHES = [
    *QUERY_KEYS, *VALUES, {"attention_scale": 0.2}, {"attention_scale": 1}, {"attention_causal": True},
    {"attention_causal": False, "attention_scale": 0},
    {"attention_query_key": "tied", "attention_value": False, "attention_scale": 0.5, "attention_causal": True},
    {"attention_query_key": "none", "attention_value": False, "attention_scale": 0.1},
]  # fmt: skip
AGAIN = [{f"{row}_again": True} for row in numpy_bert.ROWS]
AGAIN += [{f"{row}_again": True for row in numpy_bert.ROWS}]
JOINT = {"composition": "joint_table", "position_kind": "none", "segment_kind": "none"}
SEGMENTS = [{"segment_kind": "learned"}, {"segment_kind": "none"}]
NORMALISATIONS = [{"normalise_input": True}, {"normalise_input": False}]


def inside(encoded, kind, fields):
    """What stands below "summand" for an encoding inside attention, of positions or of segments."""
    return {f"{encoded}_attention": kind} | {f"{encoded}_attention_{name}": value for name, value in fields.items()}


def words(count, first=0):
    return " ".join(WORDS[(first + 5 * index) % len(WORDS)] for index in range(count))


# An empty text, an unknown word, texts and pairs that are cut (the last position, of segment 1 too), pairs.
TEXTS = [("", None), ("red zebra house", None), (words(60), None), ("the old tree", "a new river sleeps"),
         (words(50, 1), words(10, 2)), ("", "runs"), (words(11, 3), None)]  # fmt: skip


def config_of(options, **changes):
    """What config.json holds; a large epsilon, so that one that is not read shows."""
    sizes = SIZES | TABLES | {"vocab_size": len(VOCABULARY), "hidden_act": "gelu", "layer_norm_eps": 1e-3}
    return {"model_type": "bert"} | sizes | changes | {"summand": options}


def tokens_of(text, pair):
    """([n] ids, [n] segments) of words that are whole in the vocabulary or unknown: [CLS] text [SEP] pair [SEP].

    Of a pair only the first text is so long that it is cut."""
    first, second = text.split(), (pair or "").split()
    second += ["[SEP]"] * (pair is not None)
    first = ["[CLS]", *first[: TABLES["max_position_embeddings"] - 2 - len(second)], "[SEP]"]
    ids = [VOCABULARY.index(token if token in VOCABULARY else "[UNK]") for token in first + second]
    return np.array(ids), np.array([0] * len(first) + [1] * len(second))


def model_of(config, **options):
    """Random parameters that depend on the configuration alone."""
    seed = zlib.crc32(json.dumps(config, sort_keys=True).encode())
    return numpy_bert.parameters(config, np.random.default_rng(seed), **options)


def difference(found, expected):
    """The largest absolute difference over the largest absolute value."""
    return np.abs(found - expected).max() / np.abs(expected).max()


def kinds_of_the_page(key):
    """The first column of the table whose heading is the key."""
    page = (summand_testing.ROOT / "docs" / "variants.md").read_text()
    table = page[page.index(f"| `{key}` |") :].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)[1:]


class Models(unittest.TestCase):
    """A folder per test, in which one model after the other is written and run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "states.safetensors"
        self.written = 0

    def write(self, config, weights):
        self.written += 1
        directory = self.folder / f"model{self.written}"
        directory.mkdir()
        (directory / "config.json").write_text(json.dumps(config))
        (directory / "vocab.txt").write_text("".join(f"{token}\n" for token in VOCABULARY))
        save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
        return directory

    def run_hidden(self, directory, texts, *options):
        source = self.folder / "texts.jsonl"
        records = [{"text": text} | ({} if pair is None else {"text_pair": pair}) for text, pair in texts]
        source.write_text("".join(json.dumps(record) + "\n" for record in records))
        return summand("hidden", "--model", directory, source, "-o", self.out, "--threads", 1, "--overwrite", *options)

    def hidden(self, config, weights, *options, texts=TEXTS):
        """Text by text (ids [n], segments [n], states [layers + 1, n, H], pooled [H] or None)."""
        ran = self.run_hidden(self.write(config, weights), texts, *options)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        found = load_file(self.out)
        states = np.stack([found[f"hidden.{index}"] for index in range(config["num_hidden_layers"] + 1)])
        self.assertEqual(len(found["offsets"]), len(texts) + 1)
        for index, (begin, end) in enumerate(itertools.pairwise(found["offsets"])):
            row = found["pooled"][index] if "pooled" in found else None
            yield found["ids"][begin:end], found["segments"][begin:end], states[:, begin:end], row


class Compared(Models):
    def check(self, config, pooler=True, unread=()):
        """The program beside NumPy; `unread` are parameters that the file has and that nothing reads."""
        weights = model_of(config, pooler=pooler) | dict(unread)
        for (text, pair), (ids, segments, states, pooled) in zip(TEXTS, self.hidden(config, weights), strict=True):
            expected_ids, expected_segments = tokens_of(text, pair)
            np.testing.assert_array_equal(ids, expected_ids)
            np.testing.assert_array_equal(segments, expected_segments)
            expected_states, expected_pooled = numpy_bert.forward(ids, segments, weights, config)
            for depth, (found, expected) in enumerate(zip(states, expected_states, strict=True)):
                self.assertLessEqual(difference(found, expected), TOLERANCE, f"hidden.{depth} of {text!r}, {pair!r}")
            self.assertEqual(pooled is None, not pooler)
            if pooler:
                self.assertLessEqual(difference(pooled, expected_pooled), TOLERANCE, f"pooled of {text!r}, {pair!r}")


class AgainstNumpy(Compared):
    def test_every_composition_with_every_switch(self):
        for parts in itertools.product(COMPOSITIONS, POSITIONS, SEGMENTS, NORMALISATIONS):
            options = {key: value for part in parts for key, value in part.items()}
            with self.subTest(**options):
                self.check(config_of(options))

    def test_every_kind_of_positions(self):
        """Normalised with segments, as it is without them."""
        switches = [segment | normalised for segment, normalised in zip(SEGMENTS, NORMALISATIONS)]
        for parts in itertools.product(BESIDE_POSITIONS, OTHER_POSITIONS, switches):
            options = {key: value for part in parts for key, value in part.items()}
            with self.subTest(**options):
                self.check(config_of(options))

    def test_what_is_left_out_is_bert(self):
        config = config_of({})
        self.check(config, pooler=False)
        del config["summand"]
        self.check(config)

    def test_what_the_first_layer_reads_is_in_single_precision(self):
        """In every precision that runs here."""
        info = json.loads(summand("info", "--json").stdout)
        for options, precision in itertools.product(COMPOSITIONS + ONE_OF_EACH, info["precisions"]):
            config = config_of(options)
            weights = model_of(config)
            for ids, segments, states, _ in self.hidden(config, weights, "--precision", precision):
                expected, _ = numpy_bert.forward(ids, segments, weights, config)
                self.assertLessEqual(difference(states[0], expected[0]), TOLERANCE, (options, precision))

    def test_concatenation_at_three_times_the_size(self):
        """Every part keeps its width, 24, where the hidden size is 72."""
        for normalised in NORMALISATIONS:
            options = {"composition": "concatenate"} | widths_of(24, 24, 24) | normalised
            self.check(config_of(options, hidden_size=72))


class Attention(Compared):
    """Encodings inside attention, and the switches of attention and of layers."""

    def all(self, several, **changes):
        """Each beside learned positions and beside none."""
        for options, position in itertools.product(several, BESIDE_ATTENTION):
            with self.subTest(**changes, **options, **position):
                self.check(config_of(options | position, **changes))

    def test_every_encoding_of_positions(self):
        self.all(inside("position", *each) for each in INSIDE)

    def test_every_encoding_of_segments(self):
        self.all(inside("segment", *each) for each in INSIDE)

    @summand_testing.long
    def test_every_pair_of_encodings(self):
        """Defaults; every other pair beside learned positions, and those without segments at the input."""
        for index, kinds in enumerate(itertools.product(KINDS_INSIDE, repeat=2)):
            options = pair_of(*((kind, {}) for kind in kinds)) | BESIDE_ATTENTION[index % 2] | SEGMENTS[index % 2]
            with self.subTest(**options):
                self.check(config_of(options))

    def test_pairs_with_fields(self):
        """Every setting of positions beside one of segments, and the other way round."""
        for one, other in zip(INSIDE, INSIDE[17:] + INSIDE[:17]):
            with self.subTest(one=one, other=other):
                self.check(config_of(pair_of(one, other)))

    def test_every_encoding_is_off(self):
        self.all([inside("position", "none", {}) | inside("segment", "none", {})])

    def test_other_numbers_of_heads(self):
        """Of 1, 2, 4 (powers of two), 6 and 12; two columns of a head at the least."""
        for heads, (kind, fields) in itertools.product((1, 2, 4, 6, 12), one_of_each_kind()):
            options = pair_of((kind, fields), (kind, fields))
            with self.subTest(heads=heads, **options):
                self.check(config_of(options, num_attention_heads=heads))

    def test_every_switch(self):
        self.all(ATTENTION_SWITCHES)

    def test_every_switch_beside_encodings(self):
        some = [("rows", {}), ("deberta", {"projections": "tied", "position_to_position": True}), ("shaw", {}),
                ("rotary", {"values": True}), ("transformer_xl", {}), ("tupe_relative", {"untie_first": True}),
                ("relative_key_query", {})]  # fmt: skip
        for each, switches in itertools.product(some, ATTENTION_SWITCHES):
            tied = numpy_attention.FIELDS[each[0]].get("projections") == "tied" or each[1].get("projections") == "tied"
            if tied and (switches.get("attention_query_key") == "none" or not switches.get("attention_value", True)):
                continue  # refused: the maps that it takes are not there
            with self.subTest(kind=each, **switches):
                self.check(config_of(pair_of(each, each) | switches))

    def test_activations(self):
        for name in ("linear", "half"):
            self.all([{}, {"attention_query_key": "none", "attention_value": False}], hidden_act=name)

    def test_rows_that_come_again(self):
        """Before the second and the third of three layers."""
        beside = [{"composition": kind} for kind in ("sum", "scaled_sum", "vector_gate", "multiplicative")]
        tables = [{"position_kind": "learned"}, SINUSOID, HIERARCHICAL, {"position_kind": "learned"} | SEGMENTS[1]]
        for again, composition, table in itertools.product(AGAIN, beside, tables):
            if "segment_again" in again and table.get("segment_kind") == "none":
                continue  # refused
            with self.subTest(**again, **composition, **table):
                self.check(config_of(again | composition | table, num_hidden_layers=3))

    def test_a_joint_table(self):
        for normalised, each in itertools.product(NORMALISATIONS, [("none", {}), *one_of_each_kind()]):
            options = JOINT | normalised | pair_of(each, each)
            with self.subTest(**options):
                self.check(config_of(options))
        self.check(config_of(JOINT, type_vocab_size=3, max_position_embeddings=40), pooler=False)

    def test_hierarchical_positions(self):
        for composition, ends, sentences in itertools.product(BESIDE_POSITIONS, ([3], [17, 3, 8], [4]), (1, 2, 12)):
            options = HIERARCHICAL | {"position_ends": ends, "position_sentences": sentences} | composition
            with self.subTest(**options):
                self.check(config_of(options))

    def test_what_hugging_face_calls_them(self):
        """At the top of the file, with a table of positions that no one reads, as their files have it, and without."""
        for kind in ("relative_key", "relative_key_query"):
            for unread in ({}, {numpy_bert.TABLES["position"]: np.full((40, 24), 0.5, np.float32)}):
                with self.subTest(kind=kind, unread=list(unread)):
                    self.check(config_of({}, position_embedding_type=kind), unread=unread)
        self.check(config_of({}, position_embedding_type="absolute"))


def pair_of(of_positions, of_segments):
    return inside("position", *of_positions) | inside("segment", *of_segments)


def one_of_each_kind():
    """The last, the least usual setting of each."""
    return list({kind: (kind, fields) for kind, fields in INSIDE}.values())


BESIDE_ATTENTION = [{"position_kind": "learned"}, {"position_kind": "none"}]
HIERARCHICAL = {"position_kind": "hierarchical", "position_sentences": 3, "position_ends": [3, 17]}


class TheTestOfAttention(unittest.TestCase):
    """The comparison would see a term, a field or a parameter that is missing: the oracle alone."""

    LEAST = 1e-2

    def states(self, config, weights, depth=-1):
        """The last hidden state of all texts in a row: [n, H]."""
        return np.concatenate([numpy_bert.forward(*tokens_of(*text), weights, config)[0][depth] for text in TEXTS])

    def test_every_kind_and_every_field_is_there(self):
        self.assertEqual({kind for kind, _ in INSIDE}, set(KINDS_INSIDE))
        for kind in KINDS_INSIDE:
            run = {name: {fields.get(name, default) for one, fields in INSIDE if one == kind}
                   for name, default in numpy_attention.FIELDS[kind].items()}  # fmt: skip
            for name, values in run.items():
                self.assertGreater(len(values), 1, (kind, name))

    def removed(self, config, encoded):
        """The same with the same c, without the kind of positions or of segments inside attention."""
        kept = {key: value for key, value in config["summand"].items() if not key.startswith(f"{encoded}_attention")}
        return config | {"summand": kept | {"attention_scale": numpy_attention.scale_of(config)}}

    def far(self, one, other, *what):
        self.assertGreater(difference(one, other), self.LEAST, what)

    def test_no_encoding_hides(self):
        """Where all three terms and the values of `rows` are off there is nothing to see, and of nothing to remove."""
        for encoded, (kind, fields), beside in itertools.product(numpy_attention.ENCODED, INSIDE, BESIDE_ATTENTION):
            config = config_of(inside(encoded, kind, fields) | beside)
            weights = model_of(config)
            states = self.states(config, weights)
            self.far(self.states(self.removed(config, encoded), weights), states, encoded, kind, fields, beside)

    @summand_testing.long
    def test_no_encoding_hides_beside_another(self):
        for index, kinds in enumerate(itertools.product(KINDS_INSIDE, repeat=2)):
            options = pair_of(*((kind, {}) for kind in kinds)) | BESIDE_ATTENTION[index % 2] | SEGMENTS[index % 2]
            config = config_of(options)
            weights = model_of(config)
            states = self.states(config, weights)
            for encoded in numpy_attention.ENCODED:
                self.far(self.states(self.removed(config, encoded), weights), states, encoded, options)

    @summand_testing.long
    def test_no_parameter_hides(self):
        """But for what adds the same to all of a query's scores."""
        for encoded, (kind, fields) in itertools.product(numpy_attention.ENCODED, INSIDE):
            config = config_of(inside(encoded, kind, fields))
            begin = "segment_" if encoded == "segment" else ""
            layer, shared = numpy_attention.kind_shapes(
                kind, numpy_attention.fields_of(config, encoded), config[numpy_attention.COUNTS[encoded]], 24, 3
            )
            names = [f"encoder.{begin}{name}" for name in shared]
            names += [f"encoder.layer.0.attention.self.{begin}{name}" for name in layer]
            weights = model_of(config)
            states, rng = self.states(config, weights), np.random.default_rng(0)
            for name in names:
                other = weights[name] + rng.normal(0, 0.2, weights[name].shape)
                moved = self.states(config, weights | {name: other})
                seen = difference(moved, states)
                if self.unseen(kind, numpy_attention.fields_of(config, encoded), name):
                    self.assertLess(seen, 1e-6, (encoded, kind, fields, name))
                else:
                    self.assertGreater(seen, 10 * TOLERANCE, (encoded, kind, fields, name))

    def unseen(self, kind, fields, name):
        """Does softmax take it out, or does no term read it?"""
        if kind.startswith("tupe"):
            return name.endswith("first_as_query" if fields["untie_first"] else "position_key.bias")
        return False

    def test_no_field_hides(self):
        """Of the same weights, wherever another value asks for no other shape."""
        changes = {"values": False, "base": 61.0, "layout": "halves", "max_distance": 40, "untie_first": False,
                   "projections": None, **dict.fromkeys(numpy_attention.THREE_TERMS)}  # fmt: skip
        for encoded, (kind, fields) in itertools.product(numpy_attention.ENCODED, one_of_each_kind()):
            whole = numpy_attention.FIELDS[kind] | fields | {"untie_first": True, "values": True}
            whole = {name: value for name, value in whole.items() if name in numpy_attention.FIELDS[kind]}
            if kind in ("deberta", "rows"):
                whole |= {"projections": "own"} | dict.fromkeys(numpy_attention.THREE_TERMS, True)
            if kind == "rotary":
                whole |= {"layout": "interleaved"}
            config = config_of(inside(encoded, kind, whole))
            weights = model_of(config)
            states = self.states(config, weights)
            for name in (name for name in whole if name in changes):
                if encoded == "segment" and name == "max_distance":
                    continue  # no two segments are so far apart
                other = {None: "tied" if name == "projections" else False}.get(changes[name], changes[name])
                moved = self.states(config_of(inside(encoded, kind, whole | {name: other})), weights)
                self.assertGreater(difference(moved, states), 10 * TOLERANCE, (encoded, kind, name))

    def test_no_switch_hides(self):
        plain = config_of({})
        weights = model_of(plain)
        states = self.states(plain, weights)
        for switches in ATTENTION_SWITCHES:
            moved = self.states(config_of(switches), weights)
            if all(numpy_attention.SWITCHES[name] == value for name, value in switches.items()):
                np.testing.assert_array_equal(moved, states)
            else:
                self.far(moved, states, switches)
        for name in ("linear", "half"):
            self.far(self.states(config_of({}, hidden_act=name), weights), states, name)

    def test_no_row_that_comes_again_hides(self):
        for again in AGAIN:
            config = config_of(again, num_hidden_layers=3)
            weights = model_of(config)
            plain = config | {"summand": {}}
            self.far(self.states(config, weights), self.states(plain, weights), again)
            np.testing.assert_array_equal(self.states(config, weights, 1), self.states(plain, weights, 1))

    def test_a_joint_table_is_a_sum_where_its_rows_are(self):
        """Rows of sums give what the sum gives, and of them every one is another."""
        plain, config = config_of({}), config_of(JOINT)
        weights = model_of(plain)
        t, p, s = (weights[numpy_bert.TABLES[row]] for row in numpy_bert.ROWS)
        rows = t[:, None, None] + p[None, :, None] + s[None, None, :]
        joined = weights | {numpy_bert.JOINT: rows.reshape(-1, rows.shape[-1])}
        self.assertLess(difference(self.states(config, joined), self.states(plain, weights)), 1e-6)
        self.assertEqual(numpy_bert.shapes(config)[numpy_bert.JOINT], joined[numpy_bert.JOINT].shape)
        others = set(numpy_bert.TABLES.values()) - {numpy_bert.JOINT}
        self.assertFalse(others & set(numpy_bert.shapes(config)))

    def test_hierarchical_rows_by_hand(self):
        """[CLS] red of green of of tree [SEP], sentences end with `of` and with [SEP], three of them are told apart."""
        config = config_of(HIERARCHICAL)
        weights = model_of(config)
        ids, _ = tokens_of("red of green of of tree", None)
        sentences, places = weights[numpy_bert.SENTENCES], weights[numpy_bert.TABLES["position"]]
        expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 0), (2, 1)]
        found = numpy_bert.hierarchical(ids, weights, config)
        np.testing.assert_array_equal(found, [sentences[z] + places[w] for z, w in expected])

    def test_what_hugging_face_calls_them(self):
        for kind in ("relative_key", "relative_key_query"):
            theirs = config_of({}, position_embedding_type=kind)
            ours = config_of({"position_attention": kind, "position_kind": "none"})
            weights = model_of(ours)
            self.assertEqual(numpy_bert.shapes(theirs), numpy_bert.shapes(ours))
            np.testing.assert_array_equal(self.states(theirs, weights), self.states(ours, weights))


class TheTestItself(unittest.TestCase):
    """Every kind of the page is compared, and the comparison would see a term that is missing."""

    def test_every_kind_of_the_page_is_there(self):
        self.assertEqual(kinds_of_the_page("composition"), [*numpy_bert.COMPOSITIONS, "joint_table"])
        self.assertEqual({options["composition"] for options in COMPOSITIONS}, set(numpy_bert.COMPOSITIONS))
        of_the_page = set(kinds_of_the_page("position_kind"))
        self.assertEqual(of_the_page, {*numpy_bert.POSITIONS, "hierarchical"})
        run = {options["position_kind"] for options in POSITIONS + OTHER_POSITIONS}
        self.assertEqual(run, of_the_page)
        self.assertEqual(set(kinds_of_the_page("position_attention")), {"none", *numpy_attention.TERMS})

    def states(self, config, weights):
        """What the first layer reads, all texts in a row: [1, n, H]."""
        config = config | {"num_hidden_layers": 0}
        return np.concatenate([numpy_bert.forward(*tokens_of(*text), weights, config)[0] for text in TEXTS], axis=1)

    def test_no_parameter_of_the_input_hides(self):
        for options in COMPOSITIONS + OTHER_POSITIONS:
            config = config_of(options)
            weights = model_of(config)
            states = self.states(config, weights)
            for name in (name for name in weights if name.startswith("embeddings.")):
                moved = self.states(config, weights | {name: weights[name] * 1.05})
                self.assertGreater(difference(moved, states), 10 * TOLERANCE, (options, name))

    def moves(self, options, changes):
        """Each change of a field, of the same weights, moves what the first layer reads."""
        config = config_of(options)
        weights = model_of(config)
        states = self.states(config, weights)
        for field, value in changes.items():
            moved = self.states(config | {"summand": options | {field: value}}, weights)
            self.assertGreater(difference(moved, states), 10 * TOLERANCE, (options, field))

    def test_no_field_of_the_sinusoid_hides(self):
        changes = {"position_base": 51.0, "position_first_index": 4, "position_scale": 0.71}
        for options in COMPOSITIONS:
            self.moves(options | SINUSOIDS[0], changes | {"position_layout": "halves"})

    def test_no_field_of_other_positions_hides(self):
        changes = {"position_first_index": 4, "position_scale": 0.71, "position_base": 190.0, "position_exponent": 0.61,
                   "position_alpha": 0.71}  # fmt: skip
        for options, positions in itertools.product(BESIDE_POSITIONS, OTHER_POSITIONS):
            self.moves(options | positions, {field: changes[field] for field in positions if field in changes})

    def test_the_least_rows_reach(self):
        self.assertLess((LEAST_ROWS - 1) ** 2, TABLES["max_position_embeddings"])
        self.assertGreaterEqual(LEAST_ROWS**2, TABLES["max_position_embeddings"])

    def test_an_extended_table_begins_as_it_was(self):
        config = config_of({"position_kind": "extended", "position_rows": LEAST_ROWS})
        weights = model_of(config)
        rows = numpy_bert.extended(40, 24, weights, config)
        np.testing.assert_allclose(rows[:LEAST_ROWS], weights[numpy_bert.TABLES["position"]], rtol=0, atol=1e-6)

    def test_cosines_are_orthonormal(self):
        config = config_of({"position_kind": "smooth", "position_cosines": 40})
        rows = numpy_bert.smooth(40, 40, {"embeddings.position_cosines.weight": np.eye(40)}, config)
        np.testing.assert_allclose(rows.T @ rows, np.eye(40), rtol=0, atol=1e-12)


class WithoutPositions(Models):
    ORDERS = ([0, 1, 2, 3, 4], [3, 0, 4, 2, 1])
    CHOSEN = ["red", "tree", "of", "sleeps", "zebra"]

    def both(self, options, pair):
        """The states of five words in two orders, rows in the first one's order: [layers + 1, n, H] each."""
        config = config_of(options)
        texts = [(" ".join(self.CHOSEN[index] for index in order), pair) for order in self.ORDERS]
        for order, (ids, _, states, _) in zip(self.ORDERS, self.hidden(config, model_of(config), texts=texts)):
            rows = np.arange(len(ids))
            rows[1 + np.array(order)] = 1 + np.arange(len(order))  # behind [CLS]
            yield states[:, rows]

    def test_outputs_permute_with_inputs(self):
        for options, segment, pair in itertools.product(COMPOSITIONS, SEGMENTS, (None, "the old house")):
            with self.subTest(**options, **segment, pair=pair):
                one, other = self.both(options | segment | {"position_kind": "none"}, pair)
                self.assertLessEqual(difference(other, one), TOLERANCE)

    def test_the_first_cosine_alone_tells_no_positions(self):
        for options in BESIDE_POSITIONS:
            one, other = self.both(options | ONE_COSINE, None)
            self.assertLessEqual(difference(other, one), TOLERANCE, options)

    def test_with_positions_they_do_not(self):
        others = [({"composition": "sum"}, position) for position in OTHER_POSITIONS if position != ONE_COSINE]
        for options, position in [*itertools.product(COMPOSITIONS, POSITIONS[:3]), *others]:
            with self.subTest(**options, **position):
                one, other = self.both(options | position, None)
                self.assertGreater(difference(other, one), 0.01)


class Refused(Models):
    """Every refusal is one line that names the field or the tensor, exit status 1, and no file."""

    def refused(self, options, *expected, weights=None):
        config = config_of(options)
        directory = self.write(config, model_of(config_of({})) if weights is None else weights)
        ran = self.run_hidden(directory, TEXTS)
        with self.subTest(**options):
            self.assertEqual((ran.returncode, ran.stdout), (1, ""), ran.stderr)
            self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
            for each in expected:
                self.assertIn(each, ran.stderr)
            self.assertFalse(self.out.exists())
            self.assertEqual([path.name for path in self.folder.iterdir() if path.is_file()], ["texts.jsonl"])

    def test_misspelt_keys_and_values(self):
        for key, meant in (
            ("compositon", "composition"),
            ("normalize_input", "normalise_input"),
            ("position_kinds", "position_kind"),
            ("segments_kind", "segment_kind"),
        ):
            self.refused({key: "sum"}, key, meant)
        self.refused({"composition": "outside_tokens", "composition_rnak": 3}, "composition_rnak", "composition_rank")
        self.refused({"composition": "concatenate_project", "composition_tokens_width": 3}, "composition_tokens_width")
        self.refused(SINUSOID | {"position_layouts": "halves"}, "position_layouts", "position_layout")
        for key, value in (("composition", "scaled-sum"), ("position_kind", "sinusoid"), ("position_attention", "alib")):
            self.refused({key: value}, key, value)

    def test_every_kind_of_the_program_is_on_the_page(self):
        for key in ("composition", "position_kind", "position_attention", "segment_attention"):
            directory = self.write(config_of({key: "no such kind"}), model_of(config_of({})))
            names = re.search(r"expected one of ([\w, ]+), got", self.run_hidden(directory, TEXTS).stderr).group(1)
            page = kinds_of_the_page(key.replace("segment_", "position_"))
            self.assertEqual(set(names.split(", ")), set(page), key)
        self.refused({"segment_kind": "learnt"}, "segment_kind", "learnt")
        self.refused(SINUSOID | {"position_layout": "half"}, "position_layout", "half")

    def test_values_of_another_type(self):
        for key, values in (("normalise_input", ("false", 0)), ("composition", (3,)), ("segment_kind", (True, {}))):
            for value in values:
                self.refused({key: value}, key)
        for value in ("3", 2.5, [3]):
            self.refused({"composition": "within_tokens", "composition_rank": value}, "composition_rank")
            width = {"composition_token_width": value}
            self.refused({"composition": "concatenate_project"} | width, "composition_token_width")
            self.refused(SINUSOID | {"position_first_index": value}, "position_first_index")

    def test_fields_that_another_kind_honours(self):
        widths = [f"composition_{row}_width" for row in numpy_bert.ROWS]
        for name in numpy_bert.COMPOSITIONS:
            own = next(options for options in COMPOSITIONS if options["composition"] == name)
            for field in ("composition_rank", *widths):
                takes = "tokens" in name if field == "composition_rank" else "concatenate" in name
                if not takes:
                    self.refused(own | {field: 8}, field)
        of_waves = ("position_first_index", "position_layout", "position_scale")
        takes = {
            "sinusoidal": ("position_base", *of_waves),
            "sinusoidal_powers": ("position_exponent", *of_waves),
            "sinusoidal_trained": of_waves,
            "smooth": ("position_cosines",),
            "extended": ("position_rows", "position_alpha"),
        }
        fields = {"position_base": 50.0, "position_exponent": 0.6, "position_first_index": 3, "position_scale": 0.7,
                  "position_layout": "halves", "position_cosines": 5, "position_rows": 7,
                  "position_alpha": 0.3}  # fmt: skip
        for kind, (field, value) in itertools.product(numpy_bert.POSITIONS, fields.items()):
            if field not in takes.get(kind, ()):
                own = {"position_kind": kind} | ({"position_rows": 7} if kind == "extended" else {})
                self.refused(own | {field: value}, field, kind, weights=model_of(config_of(own)))
        self.refused({"composition_rank": 3}, "composition_rank")  # of the default, sum
        self.refused({"position_scale": 0.7}, "position_scale")

    def test_widths_that_do_not_make_the_hidden_size(self):
        for widths in ((12, 8, 5), (12, 8, 3), (24, 24, 24)):
            self.refused({"composition": "concatenate"} | widths_of(*widths), "width")
        for kind in ("concatenate", "concatenate_project"):
            self.refused({"composition": kind} | widths_of(-12, 20, 16), "composition_token_width")

    def test_concatenation_needs_three_widths(self):
        self.refused({"composition": "concatenate"}, "composition_token_width")
        for missing, row in enumerate(numpy_bert.ROWS):
            fields = widths_of(*(0 if index == missing else 12 for index in range(3)))
            width = f"composition_{row}_width"
            self.refused({"composition": "concatenate"} | fields, width)
            self.refused({"composition": "concatenate"} | fields | {width: 0}, width)

    def test_a_width_that_is_left_out_is_not_what_is_left(self):
        """22 and nothing do not make 24, though weights of 22 + 1 + 1 are there."""
        options = {"composition": "concatenate"}
        self.refused(options | widths_of(22), "width", weights=model_of(config_of(options | widths_of(22, 1, 1))))

    def test_numbers_of_cosines_that_are_none(self):
        """Also where the file has as many."""
        for cosines in (0, -1, 41):
            options = {"position_kind": "smooth", "position_cosines": cosines}
            weights = model_of(config_of(options | {"position_cosines": max(cosines, 1)}))
            self.refused(options, "position_cosines", weights=weights)

    def test_extended_rows_that_do_not_reach(self):
        for rows in (LEAST_ROWS - 1, 1, 0, -7):
            options = {"position_kind": "extended", "position_rows": rows}
            weights = model_of(config_of(options | {"position_rows": max(rows, 1)}))
            self.refused(options, "position_rows", weights=weights)
        self.refused({"position_kind": "extended"}, "position_rows")  # it has no default

    def test_alphas_that_tell_no_places_apart(self):
        options = {"position_kind": "extended", "position_rows": LEAST_ROWS}
        for alpha in (0, 0.5, 1):
            weights = model_of(config_of(options))
            self.refused(options | {"position_alpha": alpha}, "position_alpha", weights=weights)

    def test_odd_widths_beside_sines(self):
        for kind in (kind for kind in numpy_bert.POSITIONS if kind.startswith("sinusoidal")):
            for composition, widths in (("concatenate", (12, 7, 5)), ("concatenate_project", (8, 7, 4))):
                options = {"composition": composition, "position_kind": kind} | widths_of(*widths)
                self.refused(options, "position_kind", "even", weights=model_of(config_of(options)))

    def test_ranks_that_are_none(self):
        for kind, rank in itertools.product(("outside_tokens", "within_tokens"), (0, -1, 25)):
            self.refused({"composition": kind, "composition_rank": rank}, "composition_rank")

    def test_parameters_that_are_missing_or_of_another_shape(self):
        for options in COMPOSITIONS + ONE_OF_EACH:
            whole = model_of(config_of(options))
            for name in (name for name in whole if name.startswith("embeddings.")):
                rest = {other: array for other, array in whole.items() if other != name}
                self.refused(options, name, weights=rest)
                self.refused(options, name, weights=rest | {name: np.ones((*whole[name].shape[:-1], 5), np.float32)})


if __name__ == "__main__":
    summand_testing.run_cases()
