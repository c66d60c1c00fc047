"""Segment rows that no text gets may hold anything: they change no output, and so no verdict and no number."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
import torch
import transformers
from safetensors.numpy import load_file, save_file

MODEL = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
SEGMENTS = "bert.embeddings.token_type_embeddings.weight"
# Those that look at the segment table, at its mean or its variance, or search it.
EXPERIMENTS = "beyond_the_table,decoding,folding,interventions,norms,one_hot,position_strength,probes,subspaces,variance_shares"
ROUNDING = 1e-4  # a random number's null is drawn anew where a table has another size
TABLE_SIZES = {"Q3"}  # what it counts is the table's rows


def with_more_segments(folder, rows):
    shutil.copytree(MODEL, folder)
    tensors = load_file(folder / "model.safetensors")
    tensors[SEGMENTS] = np.concatenate([tensors[SEGMENTS], rows.astype(tensors[SEGMENTS].dtype)])
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    config["type_vocab_size"] = len(tensors[SEGMENTS])
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def outputs(model):
    tokenizer = transformers.BertTokenizerFast.from_pretrained(model)
    encoded = tokenizer("he said it was the first", "and nobody asked him why", return_tensors="pt")
    with torch.no_grad():
        return transformers.BertForMaskedLM.from_pretrained(model, dtype=torch.float32).eval()(**encoded).logits.numpy()


def claims_of(model, report):
    ran = subprocess.run([summand_testing.BIN / "summand-lab", "--model", model, "-o", report, "--quick", "--only",
                          EXPERIMENTS], capture_output=True, text=True)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    claims = json.loads((report / "results.json").read_text())["claims"]
    return {claim["id"]: claim for claim in claims if claim["experiment"] in EXPERIMENTS.split(",")}


class MoreSegments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.root = pathlib.Path(cls.directory.name)
        cls.before = claims_of(MODEL, cls.root / "before")

    def check(self, name, rows):
        model = with_more_segments(self.root / name, rows)
        np.testing.assert_array_equal(outputs(model), outputs(MODEL))
        after = claims_of(model, self.root / f"{name}-report")
        self.assertEqual(after.keys(), self.before.keys())
        for claim, one in after.items():
            before = self.before[claim]
            for verdict in ("observation", "inference", "conclusion"):
                self.assertEqual(one[verdict], before[verdict], (claim, verdict, one["reason"]))
            if claim in TABLE_SIZES or not before["number"]:
                continue
            self.assertEqual(one["number"], before["number"], claim)
            now, then = one["numbers"][one["number"]]["value"], before["numbers"][one["number"]]["value"]
            self.assertLessEqual(abs(now - then), ROUNDING * max(1, abs(then)), claim)

    def test_a_copy_of_a_row(self):
        rows = load_file(MODEL / "model.safetensors")[SEGMENTS]
        self.check("copy", rows[:1])

    def test_rows_of_large_numbers(self):
        width = load_file(MODEL / "model.safetensors")[SEGMENTS].shape[1]
        self.check("large", np.random.default_rng(0).normal(0, 4, (14, width)))


if __name__ == "__main__":
    unittest.main()
