"""Hugging Face's relative_key and relative_key_query, which transformers 5 no longer has: reference and engine beside
what transformers 4.57 computed of two tiny models, kept in tests/data/relative_key (relative_key_oracle.py wrote them).

Theirs are single-precision numbers: every hidden state and every masked-language logit within 2e-5 times the largest
absolute value."""

import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
import tiny_models

TOLERANCE = 2e-5
MODELS = summand_testing.ROOT / "tests/data/relative_key"


def batch_of(expected, count):
    """All texts one after the other, every token's logits asked for."""
    ids, segments = ([expected[f"{name}.{text}"] for text in range(count)] for name in ("ids", "segments"))
    lengths = [len(text) for text in ids]
    return {
        "ids": np.concatenate(ids), "segments": np.concatenate(segments),
        "positions": np.concatenate([np.arange(length) for length in lengths]),
        "offsets": np.cumsum([0, *lengths]), "masked": np.arange(sum(lengths)),
    }  # fmt: skip


def probed(program, kind, batch):
    """What a probe writes of a model: (reference in double precision, engine), bare numbers."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        tiny_models.save_batch(batch, path / "batch.safetensors")
        command = [summand_testing.BIN / program, MODELS / kind, path / "batch.safetensors", path / "out"]
        subprocess.run(command, check=True, capture_output=True)
        files = ((".f64", np.float64), (".f32", np.float32))
        return [np.fromfile(path / f"out{suffix}", dtype=dtype).astype(np.float64) for suffix, dtype in files]


class RelativeKeys(unittest.TestCase):
    def near(self, found, theirs):
        self.assertEqual(found.shape, theirs.shape)
        self.assertLessEqual(np.abs(found - theirs).max(), TOLERANCE * np.abs(theirs).max())

    def test_hidden_states_and_logits(self):
        for kind in ("relative_key", "relative_key_query"):
            expected = np.load(MODELS / kind / "expected.npz")
            count = sum(name.startswith("ids.") for name in expected)
            self.assertEqual(count, 6)
            batch = batch_of(expected, count)
            hidden = np.concatenate([expected[f"hidden.{text}"] for text in range(count)], axis=1)
            logits = np.concatenate([expected[f"logits.{text}"] for text in range(count)])
            for who in (0, 1):
                with self.subTest(kind=kind, who=("reference", "engine")[who]):
                    self.near(probed("forward_probe", kind, batch)[who][: hidden.size].reshape(hidden.shape), hidden)
                    self.near(probed("heads_probe", kind, batch)[who].reshape(logits.shape), logits)


if __name__ == "__main__":
    unittest.main()
