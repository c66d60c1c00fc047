"""A text that the vocabulary cannot read is said to be one, once, by every verb that reads texts."""

import pathlib
import tempfile
import unittest

import sentence_models
from command_line import summand

ENGLISH = pathlib.Path(__file__).parents[1] / "data/vocab/bert-base-uncased.txt"
CHINESE = ["今天天气很好，我们去公园散步。", "这部电影的结尾令人难忘。"]
SAID = "of the tokens are [UNK], words that the vocabulary does not have"


class UnknownWords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.folder = pathlib.Path(cls.keep.name)
        cls.model = sentence_models.transformer_directory(cls.folder / "model")
        cls.texts = [word for text in CHINESE for word in ("--text", text)]

    def said(self, *arguments):
        result = summand(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [line for line in result.stderr.splitlines() if SAID in line]

    def test_the_share_is_of_all_tokens(self):
        lines = self.said("tokenize", "--vocab", ENGLISH, "--lowercase", "true", "--text", "𓀀 ꙮ the")
        self.assertEqual(len(lines), 1)
        self.assertIn("40 % of the tokens", lines[0])  # [CLS] [UNK] [UNK] the [SEP]
        self.assertIn("(2 of 5)", lines[0])

    def test_a_fifth_is_not_more_than_a_fifth(self):
        self.assertEqual(self.said("tokenize", "--vocab", ENGLISH, "--lowercase", "true", "--text", "𓀀 the cat"), [])

    def test_every_verb_says_it_once_for_all_its_texts(self):
        unreadable = ["--text", "𓀀 ꙮ 𓀀", "--text", "ꙮ 𓀀 ꙮ"]
        model = ["--model", self.model, *unreadable]
        for verb, *options in (["embed", "-o", self.folder / "v.npy"], ["similarity"], ["parts"], ["tokenize"],
                               ["hidden", "-o", self.folder / "h.safetensors"]):
            with self.subTest(verb):
                self.assertEqual(len(self.said(verb, *model, *options)), 1)


if __name__ == "__main__":
    unittest.main()
