"""Where tokenizer.json and the files beside it differ: said once by every verb that reads texts, and nothing else changes."""

import json
import pathlib
import shutil
import tempfile
import unittest

import sentence_models
from command_line import summand
from transformers import AutoTokenizer

TEXT = "The Capital of PARIS élan"
SAID = "tokenizer.json: as in transformers' BertTokenizer, other files and defaults win: lowercase true, not false"


def change(path, **keys):
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


class Folders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.plain = sentence_models.transformer_directory(pathlib.Path(cls.keep.name) / "plain")
        cls.model = shutil.copytree(cls.plain, pathlib.Path(cls.keep.name) / "model")
        path = cls.model / "tokenizer.json"
        content = json.loads(path.read_text())
        content["normalizer"]["lowercase"] = False
        path.write_text(json.dumps(content))
        change(cls.model / "tokenizer_config.json", tokenizer_class="BertTokenizer", do_lower_case=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_ok(self, *arguments):
        result = summand(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_difference_is_said_once_by_every_verb(self):
        text = ["--text", TEXT]
        verbs = [["tokenize", *text], ["embed", *text, "-o", self.folder / "v.npy"], ["similarity", *text, "--text", "a"],
                 ["hidden", *text, "-o", self.folder / "h.safetensors"], ["parts", *text], ["verify", *text],
                 ["search", "--corpus", self.texts(), "--query", TEXT]]  # fmt: skip
        for verb, *options in verbs:
            with self.subTest(verb):
                said = self.run_ok(verb, "--model", self.model, *options).stderr
                self.assertEqual(said.count(SAID), 1, said)
                self.assertEqual(len([line for line in said.splitlines() if "tokenizer.json" in line]), 1, said)
        self.assertIn(SAID, self.run_ok("inspect", "--model", self.model).stdout)
        self.assertNotIn("tokenizer.json", self.run_ok("tokenize", "--model", self.plain, *text).stderr)

    def texts(self):
        path = self.folder / "corpus.txt"
        path.write_text(f"{TEXT}\na cat\n")
        return path

    def test_ids_are_those_of_autotokenizer(self):
        expected = AutoTokenizer.from_pretrained(self.model)(TEXT)["input_ids"]
        self.assertEqual(json.loads(self.run_ok("tokenize", "--model", self.model, "--text", TEXT).stdout)["ids"], expected)
        self.assertIn("paris", AutoTokenizer.from_pretrained(self.model).convert_ids_to_tokens(expected))

    def test_keys_without_effect_are_said(self):
        model = shutil.copytree(self.plain, self.folder / "model")
        change(model / "tokenizer_config.json", never_split=["paris"], do_basic_tokenize=False)
        said = self.run_ok("tokenize", "--model", model, "--text", TEXT).stderr
        self.assertIn("tokenizer_config.json: do_basic_tokenize, never_split without effect, as in transformers", said)

    def test_other_tokenizers_are_refused_by_name(self):
        for file in ("config.json", "tokenizer_config.json"):
            for keys in ({"tokenizer_class": "BertJapaneseTokenizer"}, {"word_tokenizer_type": "mecab"}):
                with self.subTest(file, keys=keys), tempfile.TemporaryDirectory() as folder:
                    model = shutil.copytree(self.plain, pathlib.Path(folder) / "model")
                    change(model / file, **keys)
                    for verb in (["tokenize"], ["embed", "-o", self.folder / "v.npy"]):
                        result = summand(*verb, "--model", model, "--text", TEXT)
                        self.assertEqual(result.returncode, 1, result.stderr)
                        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                        ((key, value),) = keys.items()
                        self.assertIn(f"{file}] {key}: expected", result.stderr)
                        self.assertIn(f'got "{value}"', result.stderr)

    def test_another_type_of_model_is_refused_by_name(self):
        """Where no file names a class, AutoTokenizer takes the one of the model's type."""
        for kind, is_of_bert in (("mpnet", False), ("roberta", False), ("nothing-known", False), ("electra", True), ("nomic_bert", True)):
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                model = shutil.copytree(self.plain, pathlib.Path(folder) / "model")
                change(model / "config.json", model_type=kind, tokenizer_class=None)
                change(model / "tokenizer_config.json", tokenizer_class=None)
                result = summand("tokenize", "--model", model, "--text", TEXT, "--json")
                if is_of_bert:
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(json.loads(result.stdout)["ids"], AutoTokenizer.from_pretrained(model)(TEXT)["input_ids"])
                    continue
                self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
                self.assertIn(f'config.json] model_type: expected bert or another whose tokenizer is BERT\'s, or a tokenizer_class, got "{kind}"', result.stderr)

    def test_the_side_that_is_cut_is_the_files_unless_an_option_names_one(self):
        model = shutil.copytree(self.plain, self.folder / "model")
        change(model / "tokenizer_config.json", truncation_side="left")
        reference = AutoTokenizer.from_pretrained(model)

        def ids(*options):
            return json.loads(self.run_ok("tokenize", "--model", model, "--text", TEXT, "--max-length", "4", *options).stdout)["ids"]

        left = reference(TEXT, truncation=True, max_length=4)["input_ids"]
        reference.truncation_side = "right"
        right = reference(TEXT, truncation=True, max_length=4)["input_ids"]
        self.assertNotEqual(left, right)
        self.assertEqual(ids(), left)
        for how, expected in {"longest_first": left, "only_first": left, "head": right, "tail": left}.items():
            self.assertEqual(ids("--truncation", how), expected, how)


if __name__ == "__main__":
    unittest.main()
