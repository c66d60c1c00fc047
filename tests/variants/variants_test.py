"""Every way to compose the input and to tell positions (docs/variants.md), as `summand hidden` runs it, against BERT
in NumPy.

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
]  # fmt: skip
ONE_OF_EACH = list({options["position_kind"]: options for options in reversed(OTHER_POSITIONS)}.values())
# The compositions that other positions are run with; the width of positions is 24, 8, 6 and 24.
BESIDE_POSITIONS = [
    {"composition": "sum"}, {"composition": "vector_gate"}, {"composition": "concatenate"} | widths_of(12, 8, 4),
    {"composition": "concatenate_project"} | widths_of(8, 6, 4),
]  # fmt: skip
SEGMENTS = [{"segment_kind": "learned"}, {"segment_kind": "none"}]
NORMALISATIONS = [{"normalise_input": True}, {"normalise_input": False}]


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


class AgainstNumpy(Models):
    def check(self, config, pooler=True):
        weights = model_of(config, pooler=pooler)
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


class TheTestItself(unittest.TestCase):
    """Every kind of the page is compared, and the comparison would see a term that is missing."""

    def test_every_kind_of_the_page_is_there(self):
        self.assertEqual(kinds_of_the_page("composition"), list(numpy_bert.COMPOSITIONS))
        self.assertEqual({options["composition"] for options in COMPOSITIONS}, set(numpy_bert.COMPOSITIONS))
        self.assertEqual(set(kinds_of_the_page("position_kind")), set(numpy_bert.POSITIONS))
        run = {options["position_kind"] for options in POSITIONS + OTHER_POSITIONS}
        self.assertEqual(run, set(numpy_bert.POSITIONS))

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
        for key, value in (("composition", "scaled-sum"), ("position_kind", "sinusoid")):
            self.refused({key: value}, key, value, *kinds_of_the_page(key))
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
    unittest.main()
