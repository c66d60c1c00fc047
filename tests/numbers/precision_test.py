"""How far MiniLM's sentence vectors in bf16 and int8 are from those in fp32, on the sentences of src/calibration/texts and,
where shared/ lies beside the repository, on 2,000 of its; and that their bits do not depend on batches, order or
threads."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
from command_line import summand
from scipy.stats import spearmanr

# Least mean cosine, worst cosine, and Spearman correlation of all pairs' similarities. int8: what the program promises.
# bf16 keeps eight bits of each number; measured .99999, .9999, .99999.
LEAST = {"bf16": (0.9999, 0.9995, 0.9999), "int8": (0.998, 0.990, 0.998)}


# An emulator takes fifty times as long.
MOST_SENTENCES, CHINESE_STEP, MOST_WORDS = (2000, 5, 600) if not summand_testing.EMULATOR else (30, 30, 60)


def sentences():
    """The collections of sentences by name."""
    paths = {"own": summand_testing.SAMPLE / "english.txt"}
    beside = summand_testing.ROOT.parent / "shared" / "data" / "english_valid.txt"
    if beside.exists():
        paths["shared"] = beside
    lines = {name: path.read_text(encoding="utf-8").splitlines() for name, path in paths.items()}
    return {name: [line for line in each if line.strip()][:MOST_SENTENCES] for name, each in lines.items()}


class Precision(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.folder = pathlib.Path(cls.keep.name)
        cls.collections = sentences()
        runs = json.loads(summand("info", "--json").stdout)["precisions"]
        cls.precisions = [precision for precision in LEAST if precision in runs]

    @classmethod
    def vectors(cls, precision, texts, *options, model=None):
        source, out = cls.folder / "in.jsonl", cls.folder / "out.npy"
        out.unlink(missing_ok=True)
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        result = summand("embed", "--model", model or summand_testing.minilm(), source, "-o", out, "--overwrite", "--precision", precision, *options)
        assert result.returncode == 0, result.stderr
        return np.load(out)

    def stays_near(self, name, texts):
        pairs = np.triu_indices(len(texts), 1)
        exact = self.vectors("fp32", texts).astype(np.float64)
        for precision in self.precisions:
            vectors = self.vectors(precision, texts).astype(np.float64)
            cosines = (vectors * exact).sum(1)
            rank = spearmanr((exact @ exact.T)[pairs], (vectors @ vectors.T)[pairs]).statistic
            print(
                f"{precision}, {len(texts)} sentences ({name}): mean cosine {cosines.mean():.5f}, "
                f"worst {cosines.min():.5f}, Spearman {rank:.5f}"
            )
            for got, least in zip((cosines.mean(), cosines.min(), rank), LEAST[precision]):
                self.assertGreaterEqual(got, least, f"{precision}, {name}")

    def test_vectors_stay_near_those_in_fp32(self):
        for name, texts in self.collections.items():
            with self.subTest(name):
                self.stays_near(name, texts)

    def test_bits_do_not_depend_on_batch_order_or_threads(self):
        chinese = (summand_testing.SAMPLE / "chinese.txt").read_text(encoding="utf-8").splitlines()
        texts = self.collections["own"][::7] + chinese[::CHINESE_STEP] + ["", "[MASK] 我喜欢猫 naïve", "word " * MOST_WORDS]
        order = np.random.default_rng(0).permutation(len(texts))
        for precision in ["fp32", *self.precisions]:
            one_by_one = self.vectors(precision, texts, "--batch-tokens", "1", "--threads", "1")
            shuffled = self.vectors(precision, [texts[i] for i in order], "--threads", "2")
            np.testing.assert_array_equal(shuffled.view(np.uint32), one_by_one[order].view(np.uint32), precision)


if __name__ == "__main__":
    unittest.main()
