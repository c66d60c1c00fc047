"""The laboratory on corpora of a few texts: no interval over fewer than four of them, and one line that says so."""

import json
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

import summand_testing
from safetensors.numpy import load_file, save_file

MODEL = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
POSITIONS = "bert.embeddings.position_embeddings.weight"
ROWS, LAYERS, WORDS = 64, 2, 8
LEAST = 4
# Claims that are judged by intervals over texts. Q7 fits on half of the texts; Q10 joins them, until documents are
# longer than the table.
OVER_TEXTS = {"0.1", "0.8", "0.10", "Q1", "Q4", "Q6b", "Q7", "Q8c", "Q9", "Q10", "4.2", "4.9", "4.10"}
NEED_MORE = {"Q7", "Q10"}
# Other numbers that have them: of claims that are judged without.
BESIDE = {"4.8": ("centred_ratio_corpus", "centred_ratio_words", "raw_ratio_corpus"), "Q6": ("shared_pieces",)}
# Intervals over rows, draws, drawn functions, and texts made of the corpus' words: a corpus of one text has as many.
OVER_OTHERS = {"E1", "E2", "E3", "E6", "E7", "3.1", "3.3", "3.5", "4.5", "4.6", "4.11", "Q3"}


def cut_model(folder):
    """The tiny model with fewer positions and layers, which takes seconds."""
    shutil.copytree(MODEL, folder)
    tensors = load_file(folder / "model.safetensors")
    gone = tuple(f"bert.encoder.layer.{layer}." for layer in range(LAYERS, 4))
    kept = {name: value for name, value in tensors.items() if not name.startswith(gone)}
    kept[POSITIONS] = kept[POSITIONS][:ROWS].copy()
    save_file(kept, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    config |= {"max_position_embeddings": ROWS, "num_hidden_layers": LAYERS}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


class FewTexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.model = cut_model(cls.folder / "model")
        words = [word for word in (MODEL / "vocab.txt").read_text().split() if word.isalpha() and len(word) > 2]
        draws = random.Random(1)

        def line():
            return " ".join(draws.choice(words) for _ in range(WORDS))

        cls.texts = [json.dumps({"text": line(), "text_pair": line()}) for _ in range(3 * LEAST)]

    def claims(self, name, texts):
        """Of a quick run on these texts."""
        corpus, report = self.folder / f"{name}.jsonl", self.folder / f"report of {name}"
        corpus.write_text("\n".join(texts) + "\n")
        command = [summand_testing.BIN / "summand-lab", "--quick", "--model", self.model, "--corpus", corpus]
        ran = subprocess.run([*command, "-o", report], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), name)
        return {claim["id"]: claim for claim in json.loads((report / "results.json").read_text())["claims"]}

    def with_intervals(self, claims):
        def has_one(claim):
            return any(number["interval"] for number in claim["numbers"].values())

        return {name for name, claim in claims.items() if has_one(claim)}

    def beside(self, claims):
        """Whether the numbers beside, as far as they are there, have intervals."""
        numbers = [claims[claim]["numbers"].get(name) for claim, names in BESIDE.items() for name in names]
        return {number["interval"] is not None for number in numbers if number}

    def halves(self, claims):
        """Whether what position is worth in either half of the pairs has an interval."""
        names = [f"position_over_word_in_{half}" for half in ("shorter", "longer")]
        return {claims["0.8"]["numbers"][name]["interval"] is not None for name in names}

    def check_few(self, claims, count):
        """Of `count` texts with a word, fewer than LEAST."""
        self.assertLessEqual(self.with_intervals(claims), OVER_OTHERS)
        for name in OVER_TEXTS:
            self.assertEqual((claims[name]["observation"], claims[name]["numbers"]), ("not measured", {}), name)
        for name in OVER_TEXTS - {"Q10"}:
            got = count // 2 if name == "Q7" else count
            self.assertRegex(claims[name]["reason"], rf"needs at least {LEAST} .* for an interval, got {got}$", name)
        self.assertEqual(self.beside(claims), {False})
        # What needs no interval is told as before.
        for name in ("0.6", "3.4", "4.8", "Q6"):
            self.assertNotEqual(claims[name]["observation"], "not measured", name)

    def test_fewer_texts_have_no_interval_and_it_is_said(self):
        for count in range(1, LEAST):
            with self.subTest(texts=count):
                self.check_few(self.claims(f"{count} texts", self.texts[:count]), count)
                page = (self.folder / f"report of {count} texts" / "index.html").read_text()
                self.assertIn(f"No interval: needs at least {LEAST} texts with a word to draw anew", page)

    def test_texts_without_a_word_do_not_count(self):
        few = LEAST - 1
        empty = json.dumps({"text": "", "text_pair": ""})
        self.check_few(self.claims("empty texts", [*self.texts[:few], empty, empty]), few)

    def test_words_that_are_repeated_are_items_too(self):
        few = LEAST - 1
        model = shutil.copytree(self.model, self.folder / "model of few words")
        words = (model / "vocab.txt").read_text().split()
        whole = [word for word in words if word.isalpha() and len(word) > 2][:few]
        kept = {*whole, "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
        lines = [word if word in kept else f"##{i}" for i, word in enumerate(words)]
        (model / "vocab.txt").write_text("\n".join(lines) + "\n")
        for name, directory, has_interval in (("few words", model, False), ("words", self.model, True)):
            report = self.folder / f"report of {name}"
            command = [summand_testing.BIN / "summand-lab", "--quick", "--only", "identical_words", "-o", report]
            ran = subprocess.run([*command, "--model", directory], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            experiment, = json.loads((report / "results.json").read_text())["experiments"]
            for metric in ("toeplitz", "symmetry", "monotonicity"):
                self.assertEqual(experiment["numbers"][metric]["interval"] is not None, has_interval, metric)
            said = f"whole words in the vocabulary to draw anew for an interval, got {few}"
            self.assertEqual(said not in (report / "index.html").read_text(), has_interval)

    def test_four_texts_have_intervals(self):
        claims = self.claims("four texts", self.texts[:LEAST])
        self.assertLessEqual(OVER_TEXTS - NEED_MORE, self.with_intervals(claims))
        self.assertEqual(self.beside(claims), {True})
        self.assertEqual(self.halves(claims), {False})  # of two pairs each
        self.assertRegex(claims["Q7"]["reason"], f"got {LEAST // 2}$")

    def test_more_texts_have_those_that_need_more(self):
        claims = self.claims("more texts", self.texts)
        self.assertLessEqual(OVER_TEXTS, self.with_intervals(claims))
        self.assertEqual(self.halves(claims), {True})


if __name__ == "__main__":
    unittest.main()
