"""Experiments from a file: what changes nothing has the effect 0, an edited checkpoint gives the same number, a null is not
above itself, and whatever a file may not hold is refused in one line."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
from safetensors.numpy import load_file, save_file

LAB = summand_testing.BIN / "summand-lab"
MODEL = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
POSITIONS = "embeddings.position_embeddings.weight"
TEXTS = ["the house is old .", "he went to the river with her .", "it was a good day for all of them .",
         "they said that the war was over .", "the first of them was a man of the church .", "she did not know what it is ."]  # fmt: skip
SETUP = {"name": "mine", "title": "What is it?", "intervention": {"part": "position", "change": "zero"},
         "readout": "sentence_vector", "null": "one_word", "repetitions": 10}  # fmt: skip


class OwnExperiment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.corpus = self.folder / "corpus.txt"
        self.corpus.write_text("\n".join(TEXTS) + "\n")

    def file(self, **changes):
        path = self.folder / "mine.json"
        path.write_text(json.dumps({key: value for key, value in (SETUP | changes).items() if value is not None}))
        return path

    def run_lab(self, *options, model=MODEL):
        command = [LAB, "--model", model, "--corpus", self.corpus, "-o", self.folder / "report", *options]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def numbers(self, *options, fresh=True, **changes):
        if fresh:
            shutil.rmtree(self.folder / "report", ignore_errors=True)
        ran = self.run_lab("--experiment", self.file(**changes), *options)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.printed = " ".join(ran.stdout.split())
        results = json.loads((self.folder / "report" / "results.json").read_text())
        return next(one for one in results["experiments"] if one["name"] == SETUP["name"])["numbers"]

    def vectors(self, model):
        """What `summand embed` makes of the corpus, each of length 1."""
        out = self.folder / f"{model.name}.npy"
        subprocess.run([summand_testing.BIN / "summand", "embed", "--model", model, self.corpus, "-o", out], check=True,
                       capture_output=True)  # fmt: skip
        rows = np.load(out).astype(np.float64)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def refused(self, expected, *options, **changes):
        ran = self.run_lab("--experiment", self.file(**changes), *options)
        self.assertIn(ran.returncode, (1, 2), ran.stdout)
        self.assertEqual(len(ran.stderr.strip().splitlines()), 1, ran.stderr)
        self.assertIn(expected, ran.stderr)

    def test_a_strength_of_one_has_the_effect_0(self):
        for part in ("token", "position", "segment"):
            for readout in ("sentence_vector", "hidden_states", "attention", "masked_language"):
                effect = self.numbers(readout=readout, intervention={"part": part, "change": {"scale": 1.0}})["effect"]
                self.assertEqual(effect["value"], 0, (part, readout))
                self.assertEqual(effect["interval"], [0, 0])
                self.assertGreater(effect["control"], 0)

    def edited(self):
        """A copy of the model whose position rows 2 to 5 are 0."""
        edited = self.folder / "edited"
        shutil.copytree(MODEL, edited)
        tensors = dict(load_file(edited / "model.safetensors"))
        name = next(name for name in tensors if name.endswith(POSITIONS))
        tensors[name][2:6] = 0
        save_file(tensors, edited / "model.safetensors", metadata={"format": "pt"})
        return edited

    def test_attention_moves_as_in_transformers(self):
        import torch
        from transformers import AutoTokenizer, BertModel

        tokenizer = AutoTokenizer.from_pretrained(MODEL)
        models = [BertModel.from_pretrained(path, attn_implementation="eager").double().eval() for path in (MODEL, self.edited())]
        moved = []
        for text in TEXTS:
            ids = tokenizer(text, return_tensors="pt")
            with torch.no_grad():
                before, after = (torch.stack(model(**ids, output_attentions=True).attentions) for model in models)
            moved.append((before - after).abs().sum(-1).mean().item() / 2)
        own = self.numbers(readout="attention", intervention={"part": "position", "change": "zero", "rows": [2, 5]})["effect"]
        self.assertGreater(own["value"], 1e-3)
        self.assertAlmostEqual(own["value"], np.mean(moved), delta=1e-6)

    def test_a_key_that_stands_twice_is_refused(self):
        path = self.file()
        for key, value in (("readout", '"hidden_states"'), ("part", '"token"')):
            path.write_text(json.dumps(SETUP).replace(f'"{key}"', f'"{key}": {value}, "{key}"', 1))
            ran = self.run_lab("--experiment", path)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(f"mine.json] {key}: expected once, got twice", ran.stderr)

    def test_zeroed_positions_are_those_of_an_edited_checkpoint(self):
        a, b = self.vectors(MODEL), self.vectors(self.edited())
        own = self.numbers(intervention={"part": "position", "change": "zero", "rows": [2, 5]})["effect"]["value"]
        self.assertGreater(own, 1e-3)
        self.assertAlmostEqual(own, np.mean(1 - np.sum(a * b, axis=1)), delta=1e-6)

    @summand_testing.long
    def test_a_null_is_hardly_ever_above_itself(self):
        above = 0
        for seed in range(12):
            numbers = self.numbers("--seed", seed, intervention={"part": "position", "change": "shuffle"}, null="shuffled",
                                   repetitions=40)  # fmt: skip
            above += numbers["effect"]["value"] > numbers["null_limit"]["value"]
        self.assertLessEqual(above, 3)  # 1 of 20 is expected: more than 3 come of it once in 500

    def test_of_two_words_the_one_replaced_is_the_other(self):
        self.corpus.write_text("\n".join(["year", "war"] * 3) + "\n")
        year, war = self.vectors(MODEL)[:2]
        effect = self.numbers()["effect"]  # every draw of the null is the same, as nothing is left to draw
        self.assertGreater(effect["null"], 1e-3)
        for each in (effect["null"], *effect["null_interval"]):
            self.assertAlmostEqual(each, 1 - year @ war, delta=1e-6)

    def test_what_is_kept_and_what_is_dropped_are_the_table(self):
        def effect(change):
            return self.numbers(intervention={"part": "position", "change": change, "rows": [0, 5]})["effect"]["value"]

        self.assertLess(effect({"keep_components": 5}), 1e-10)  # six rows have five
        self.assertAlmostEqual(effect({"drop_components": 5}), effect("mean"), delta=1e-10)
        self.assertGreater(effect({"drop_components": 5}), 1e-3)

    def test_results_page_and_terminal_say_the_same(self):
        numbers = self.numbers()
        effect = numbers["effect"]
        self.assertEqual(numbers["items"]["value"], len(TEXTS))
        self.assertEqual(numbers["repetitions"]["value"], SETUP["repetitions"])
        self.assertLessEqual(effect["interval"][0], effect["value"])
        self.assertLessEqual(effect["null_interval"][0], effect["null"])
        self.assertEqual(effect["null_interval"][1], numbers["null_limit"]["value"])
        side = "above" if effect["value"] > numbers["null_limit"]["value"] else "not above"
        self.assertIn(f"{effect['value']:.3g}", self.printed)
        self.assertIn(f"(n = {len(TEXTS)}), {side} the null's 97.5 %", self.printed)
        page = (self.folder / "report" / "index.html").read_text()
        self.assertIn(SETUP["title"], page)
        draws = (self.folder / "report" / "figures" / "own-mine.csv").read_text().splitlines()
        self.assertEqual(len(draws), 1 + 1 + SETUP["repetitions"] + 1)

    def test_a_run_without_its_file_says_that_it_is_left_out(self):
        self.numbers()
        ran = self.run_lab("--quick", "--only", "norms")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("kept there but not shown: 1 experiment of your own; --experiment FILE shows it again", ran.stderr)
        ran = self.run_lab("--quick", "--only", "norms", "--experiment", self.file())
        self.assertNotIn("of your own", ran.stderr)

    def test_a_name_changes_no_number_and_a_null_of_nothing_is_no_null(self):
        named = self.numbers(null="shuffled")
        self.assertEqual(named["effect"], self.numbers_of("another", null="shuffled")["effect"])
        self.corpus.write_text("war\n" * 5)
        self.numbers()
        self.assertIn("The null changed nothing in 10 draws", self.printed)

    def numbers_of(self, name, **changes):
        shutil.rmtree(self.folder / "report", ignore_errors=True)
        ran = self.run_lab("--experiment", self.file(name=name, **changes))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        results = json.loads((self.folder / "report" / "results.json").read_text())
        return next(one for one in results["experiments"] if one["name"] == name)["numbers"]

    def test_the_same_is_kept_and_a_changed_file_runs_again(self):
        first = self.numbers()
        kept = next((self.folder / "report" / "experiments").glob("mine*.cbor"))
        written = kept.stat().st_mtime_ns
        self.assertEqual(self.numbers(fresh=False), first)
        self.assertEqual(kept.stat().st_mtime_ns, written)
        other = self.numbers(fresh=False, intervention={"part": "position", "change": "mean"})
        self.assertNotEqual(kept.stat().st_mtime_ns, written)
        self.assertNotEqual(other["effect"]["value"], first["effect"]["value"])

    def test_threads_change_nothing_and_the_seed_does(self):
        first = self.numbers("--threads", 1)
        self.assertEqual(self.numbers("--threads", 2), first)
        self.assertNotEqual(self.numbers("--seed", 3)["effect"]["null"], first["effect"]["null"])
        quick = self.numbers("--quick", repetitions=40)
        self.assertEqual(quick["repetitions"]["value"], 10)

    def test_what_a_file_may_not_hold_is_refused(self):
        self.refused("repetition: expected one of the keys", repetition=3)
        self.refused("did you mean 'repetitions'?", repetition=3)
        for key, value, expected in (
            ("name", "My Name", "name: expected 1 to 60 of small letters"),
            ("name", None, "name: expected 1 to 60 of small letters"),
            ("name", "norms", "name: expected one that no other experiment has, got 'norms'"),
            ("title", 3, "title: expected"),
            ("title", "", "title: expected a text"),
            ("readout", "sentence_vectors", "did you mean 'sentence_vector'?"),
            ("readout", None, "readout: expected one of sentence_vector"),
            ("null", "oneword", "did you mean 'one_word'?"),
            ("repetitions", 9, "repetitions: expected 10 to 1000, got 9"),
            ("repetitions", 1001, "repetitions: expected 10 to 1000, got 1001"),
            ("intervention", "zero", "intervention: expected"),
            ("readout", "retrieval", "readout: expected a corpus with 4 pairs or more, got 0"),
        ):
            self.refused(expected, **{key: value})

    def test_what_an_intervention_may_not_hold_is_refused(self):
        for change, expected in (
            ({"part": "positions"}, "intervention.part: expected one of token, position, segment, got 'positions'; did you mean"),
            ({"change": "zeros"}, "intervention.change: expected one of mean, zero, shuffle, reverse, got 'zeros'; did you mean"),
            ({"change": 3}, "intervention.change: expected one of"),
            ({"change": {"scales": 2}}, "intervention.change.scales: expected one of the keys"),
            ({"change": {}}, "intervention.change: expected one of the keys"),
            ({"change": {"scale": 1, "keep_components": 2}}, "got 2 of them"),
            ({"change": {"scale": "half"}}, "intervention.change.scale: expected a number from -100 to 100"),
            ({"change": {"keep_components": 0}}, "intervention.change.keep_components: expected"),
            ({"change": {"drop_components": 6}, "rows": [0, 5]}, "intervention.change: expected at most 5 components"),
            ({"rows": [5, 2]}, "intervention.rows: expected [FIRST, LAST]"),
            ({"rows": [0, 100000]}, "intervention.rows: expected rows of the position table, 0 to"),
            ({"rows": [80, 100]}, "intervention.rows: expected rows that the texts reach, which are cut at 80 tokens, got 80 to 100"),
            ({"row": [0, 1]}, "intervention.row: expected one of the keys part, change, rows, got this one; did you mean 'rows'?"),
        ):
            self.refused(expected, intervention=SETUP["intervention"] | change)

    def test_a_table_alone_and_two_of_one_name_are_refused(self):
        ran = subprocess.run([LAB, "--table", f"{MODEL}/model.safetensors:{POSITIONS}", "-o", self.folder / "table",
                              "--experiment", self.file()], capture_output=True, text=True)  # fmt: skip
        self.assertEqual(ran.returncode, 2)
        self.assertIn("expected --experiment beside --model, got it beside --table", ran.stderr)
        self.refused("name: expected one that no other experiment has", "--experiment", self.file())

    def test_a_model_without_a_head_has_no_masked_language(self):
        ran = self.run_lab("--experiment", self.file(readout="masked_language"), model=summand_testing.minilm())
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, re.escape("got 'masked_language': the checkpoint has no masked-language head"))

    @summand_testing.long
    def test_the_examples_run(self):
        for file in sorted((summand_testing.ROOT / "examples" / "experiments").glob("*.json")):
            ran = subprocess.run([LAB, "--model", summand_testing.minilm(), "-o", self.folder / file.stem, "--quick",
                                  "--experiment", file], capture_output=True, text=True)  # fmt: skip
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn(json.loads(file.read_text())["title"], " ".join(ran.stdout.split()))


if __name__ == "__main__":
    summand_testing.run_cases()
