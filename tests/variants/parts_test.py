"""What `summand parts` says of every composition (docs/variants.md, "What `parts` shows"), against NumPy: each part is the
mean of the input over all rows of the other tables less the mean of all; a gate is a number."""

import itertools
import json
import unittest

import numpy as np
import numpy_bert
import variants_test as variants
from command_line import summand

PAIR = ("the old red tree", "a river sleeps")
GATED = ("scalar_gate", "vector_gate")
PLACES = 8


def every_input(tables, own, kind):
    """[tokens, positions, segments, H]: what is composed of every row with every other."""
    sizes = [len(table) for table in tables]
    indices = np.array(list(itertools.product(*map(range, sizes))))
    rows = [table[column] for table, column in zip(tables, indices.T)]
    return numpy_bert.COMPOSITIONS[kind](*rows, own).reshape(*sizes, -1)


def effects(inputs):
    """The addends of a table of inputs as functions of (token, position, segment)."""
    mean = inputs.mean(axis=(0, 1, 2))
    alone = [inputs.mean(axis=axes) - mean for axes in ((1, 2), (0, 2), (0, 1))]
    for at in itertools.product(*map(range, inputs.shape[:3])):
        parts = {"common": mean} | {name: part[i] for name, part, i in zip(numpy_bert.ROWS, alone, at)}
        yield at, parts | {"together": inputs[at] - sum(parts.values())}


def gated(tables, own, at):
    """The addends of one input, whose gates are numbers, and these."""
    rows = [table[i] for table, i in zip(tables, at)]
    parts, gates = {"common": 0}, {}
    for name, row, table in zip(numpy_bert.ROWS, rows, tables):
        gate = 1 / (1 + np.exp(-(own[f"{name}_gate.weight"] @ np.concatenate(rows) + own[f"{name}_gate.bias"])))
        parts |= {name: gate * (row - table.mean(axis=0)), "common": parts["common"] + gate * table.mean(axis=0)}
        gates[name] = gate.mean()
    return parts, gates


class Parts(variants.Models):
    def shown(self, config, weights):
        source = self.folder / "pair.jsonl"
        source.write_text(json.dumps({"text": PAIR[0], "text_pair": PAIR[1]}) + "\n")
        ran = summand("parts", "--model", self.write(config, weights), source, "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def check(self, options):
        config = variants.config_of(options)
        weights = variants.model_of(config)
        exact = {name: array.astype(np.float64) for name, array in weights.items()}
        ids, segments = variants.tokens_of(*PAIR)
        prefix = "embeddings.composition."
        own = {name.removeprefix(prefix): array for name, array in exact.items() if name.startswith(prefix)}
        kind = options["composition"]
        places = [*zip(ids, range(len(ids)), segments)]
        if kind == "joint_table":
            sizes = (len(variants.VOCABULARY), variants.TABLES["max_position_embeddings"], 2)
            of_all = dict(effects(exact[numpy_bert.JOINT].reshape(*sizes, -1)))
        else:
            tables = [exact[numpy_bert.TABLES[row]] for row in numpy_bert.ROWS]
            of_all = None if kind in GATED else dict(effects(every_input(tables, own, kind)))
        shown = self.shown(config, weights)
        parts_of_text = []
        for line, at in zip(shown["tokens"], places, strict=True):
            parts, gates = gated(tables, own, at) if kind in GATED else (of_all[at], {})
            parts_of_text.append(parts)
            x = sum(parts.values())
            has_together = kind in ("multiplicative", "joint_table")
            self.assertEqual("together" in line["share"], has_together)
            for name, share in line["share"].items():
                self.assertAlmostEqual(share, np.cov(parts[name], x)[0, 1] / np.var(x, ddof=1), PLACES)
            for name, norm in line["centred_norm"].items():
                self.assertAlmostEqual(norm, np.linalg.norm(parts[name]), PLACES)
            self.assertEqual(line.get("gate", {}).keys(), gates.keys())
            for name, gate in gates.items():
                self.assertAlmostEqual(line["gate"][name], gate, PLACES)
        x = np.array([sum(parts.values()) for parts in parts_of_text])
        deviation = x - x.mean(axis=0)
        for name, share in shown["share_between_tokens"].items():
            part = np.array([parts[name] for parts in parts_of_text])
            self.assertAlmostEqual(share, ((part - part.mean(axis=0)) * deviation).sum() / (deviation**2).sum(), PLACES)

    def test_every_composition(self):
        for options in [*variants.COMPOSITIONS, variants.JOINT]:
            with self.subTest(**options):
                self.check(options)

    def test_the_text_says_what_was_composed(self):
        for options, expected in (
            ({"composition": "sum"}, ["norms of the rows", "sum = common + token + position + segment: each row less its table's mean row"]),
            ({"composition": "multiplicative"}, ["t⊙(1 + p + s) = common + token + position + segment + together."]),
            ({"composition": "scalar_gate"}, ["gate: a row's factor"]),
            (variants.JOINT, ["= J[t, p, s] = common", "the row, which all three have together"]),
        ):
            config = variants.config_of(options)
            ran = summand("parts", "--model", self.write(config, variants.model_of(config)), "--text", PAIR[0])
            self.assertEqual(ran.returncode, 0, ran.stderr)
            for words in [*expected, "between tokens ", "between tokens, without [CLS] and [SEP]"]:
                self.assertIn(words, ran.stdout)

    def test_gates_that_are_no_numbers_give_other_parts(self):
        """The choice can be seen: as means over all rows a gated part would be another."""
        config = variants.config_of({"composition": "scalar_gate"})
        weights = {name: array.astype(np.float64) for name, array in variants.model_of(config).items()}
        prefix = "embeddings.composition."
        own = {name.removeprefix(prefix): array for name, array in weights.items() if name.startswith(prefix)}
        tables = [weights[numpy_bert.TABLES[row]] for row in numpy_bert.ROWS]
        of_all = dict(effects(every_input(tables, own, "scalar_gate")))
        parts, _ = gated(tables, own, (5, 1, 1))
        self.assertGreater(np.abs(parts["token"] - of_all[5, 1, 1]["token"]).max(), 1e-3)


if __name__ == "__main__":
    unittest.main()
