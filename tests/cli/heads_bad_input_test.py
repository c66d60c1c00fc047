"""The verbs of the heads refuse bad input with one line that says where, exit status 1 (2 for bad usage), and leave nothing behind."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import head_models
import sentence_models
import summand_testing
from command_line import summand

HEADS = {
    "fill-mask": ("masked-lm", "masked language"), "next-sentence": ("next-sentence", "next sentence"),
    "classify": ("sequence-classification", "sequence classification"), "rerank": ("sequence-classification", "sequence classification"),
    "tag": ("token-classification", "token classification"),
}  # fmt: skip


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.models = {}
        for kind in {kind for kind, _ in HEADS.values()} | {"pre-training"}:
            changes = {"num_labels": 1} if kind == "sequence-classification" else {}
            cls.models[kind], _ = head_models.head_directory(pathlib.Path(cls.keep.name) / kind, kind, **changes)
        cls.models["none"] = sentence_models.transformer_directory(pathlib.Path(cls.keep.name) / "none")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out" / "logits.safetensors"
        self.out.parent.mkdir()

    def run_verb(self, verb, *arguments, model=None, **options):
        query = ("--query", "q") if verb == "rerank" else ()
        return summand(verb, "--model", self.models[model or HEADS[verb][0]], *query, *arguments, **options)

    def refused(self, result, *fragments, status=1):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("summand: ["), result.stderr)
        self.assertEqual(result.stdout, "")
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
        self.assertEqual(list(self.out.parent.iterdir()), [], "nothing may be left behind")

    def records(self, *lines):
        path = self.folder / "in.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    def test_a_model_without_the_head_says_which_it_has(self):
        has = {"none": "none", "masked-lm": "masked language", "pre-training": "masked language, next sentence",
               "token-classification": "token classification", "sequence-classification": "sequence classification"}  # fmt: skip
        for verb, (kind, name) in HEADS.items():
            for model, heads in has.items():
                if name in heads:
                    continue
                for extra in ((), ("--logits", "-o", self.out)):
                    with self.subTest(verb, model=model, extra=extra):
                        self.refused(self.run_verb(verb, "--text", "a [MASK]", *extra, model=model), f"[heads] this model has no {name} head; it has: {heads}")

    def test_a_text_without_a_mask_is_named(self):
        path = self.records({"text": "a [MASK]"}, {"text": "no mask here"})
        for extra in ((), ("--logits", "-o", self.out)):
            self.refused(self.run_verb("fill-mask", path, *extra), "[fill-mask] text 2: expected [MASK] at least once, got none")
        cut = "word " * 100 + "[MASK]"
        self.refused(self.run_verb("fill-mask", "--text", cut), "text 1: expected [MASK] at least once, got none (23 tokens were cut)")

    def test_windows_in_which_special_tokens_leave_no_room(self):
        """[CLS] and [SEP] beside a text; beside a pair [CLS], the query's token and two [SEP]."""
        for verb, special in {"tag": 2, "classify": 2, "rerank": 4}.items():
            for length in range(1, special + 1):
                for way in ("mean", "max"):
                    with self.subTest(verb, length=length, way=way):
                        windows = ("--text", "a b c", "--windows", way, "--max-length", length)
                        self.refused(self.run_verb(verb, *windows), f"[windows] text 1: expected windows of more than {special} tokens", f" take {special} of each, got {length}\n")
            result = self.run_verb(verb, "--text", "a b c", "--windows", "mean", "--max-length", special + 1)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("1 of 1 text took more than one window, 3 windows in all\n", result.stderr)
        overlapping = ("--text", "a b c d e", "--windows", "mean", "--max-length", 6, "--overlap", 4)
        self.refused(self.run_verb("tag", *overlapping), "[windows] text 1: expected an overlap of less than 4 tokens", "got 4\n")

    def test_targets_without_a_token(self):
        self.refused(self.run_verb("fill-mask", "--text", "[MASK]", "--targets", "\u200d"), "[targets] expected at least one word with a token", status=2)

    def test_a_record_that_is_no_pair_is_named(self):
        path = self.records({"text": "a", "text_pair": "b"}, {"text": "alone"})
        for extra in ((), ("--logits", "-o", self.out)):
            self.refused(self.run_verb("next-sentence", path, *extra), "[next-sentence] text 2: expected a pair of texts, got one text")

    def test_a_pair_where_one_text_is_expected_is_named(self):
        path = self.records({"text": "a"}, {"text": "a", "text_pair": "b"})
        self.refused(self.run_verb("tag", path), "[tag] text 2: expected one text, got a pair")
        self.refused(self.run_verb("rerank", path), "[rerank] text 2: expected a passage as one text, got a pair")
        self.refused(self.run_verb("rerank", self.records({"tokens": ["a"]})), "[rerank] text 1: expected a passage as one text, got words")

    def test_a_reranker_has_one_label(self):
        directory, _ = head_models.head_directory(self.folder / "three", "sequence-classification", num_labels=3)
        self.refused(summand("rerank", "--model", directory, "--query", "q", "--text", "a"), "[rerank] expected a model with one label, got 3 labels")

    def test_bad_lines_are_named_by_line(self):
        good = {"fill-mask": {"text": "[MASK]"}, "next-sentence": {"text": "a", "text_pair": "b"}}
        for verb in HEADS:
            for bad in ("{", '{"text": 3}', '{"other": "x"}', "[]", '{"tokens": ["a", 1]}'):
                with self.subTest(verb, bad=bad):
                    path = self.records(good.get(verb, {"text": "a"}), bad)
                    self.refused(self.run_verb(verb, path), "in.jsonl:2")
                    self.refused(self.run_verb(verb, path, "--logits", "-o", self.out), "in.jsonl:2")

    def test_bad_usage_has_status_2(self):
        for verb in HEADS:
            with self.subTest(verb):
                self.refused(self.run_verb(verb, "--text", "[MASK]", "--logits"), "expected -o OUT.safetensors with --logits", status=2)
                self.refused(self.run_verb(verb, "--text", "[MASK]", "-o", self.out), "-o is for --logits", status=2)
                self.refused(self.run_verb(verb), "expected INPUT or --text, got neither", status=2)
                self.refused(self.run_verb(verb, "--text", "[MASK]", "--max-length", "81"), "expected at most 80", status=2)
        self.refused(self.run_verb("next-sentence", "--text", "a", "--text", "b", "--text-pair", "c"), "expected a --text-pair for each --text, got 1 for 2", status=2)
        self.refused(self.run_verb("tag", "--text", "a", "--aggregate", "median"), status=2)
        self.refused(self.run_verb("fill-mask", "--text", "[MASK]", "--top", "0"), status=2)
        self.refused(summand("rerank", "--model", self.models["none"], "--text", "a"), "--query", status=2)

    def test_an_output_that_cannot_be_written(self):
        for verb in HEADS:
            pair = ("--text-pair", "b") if verb == "next-sentence" else ()
            self.refused(self.run_verb(verb, "--text", "[MASK]", *pair, "--logits", "-o", self.folder / "none" / "x.safetensors"), "no directory")
            self.refused(self.run_verb(verb, "--text", "[MASK]", *pair, "--logits", "-o", "/dev/full"), "No space left on device")

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            for verb, (kind, _) in HEADS.items():
                extra = ["--query", "q"] if verb == "rerank" else ["--text-pair", "b"] if verb == "next-sentence" else []
                command = [summand_testing.BIN / "summand", verb, "--model", self.models[kind], "--text", "[MASK]", "--json", *extra]
                result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 1, verb)
                self.assertIn("[standard output] cannot be written", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
