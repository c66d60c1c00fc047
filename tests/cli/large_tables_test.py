"""Tables of real size, above the limit of what is read in place, through the whole program."""

import json
import pathlib
import tempfile
import unittest

import numpy as np
import summand_testing
from command_line import summand
from safetensors.numpy import save_file

HIDDEN = 8
MANY = (48 << 20) // (4 * HIDDEN) + 1  # rows of a table in F32 just above 48 MiB: 1,572,865
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "of", "a", "river"]
TOLERANCE = 2e-5  # fp32 against the reference in double precision
ROWS = {"word": len(WORDS), "position": 64, "token_type": 2}


def write_model(folder, large):
    """One layer and the three tables, of which `large` has MANY rows."""
    rows = ROWS | {large: MANY}
    shapes = {f"embeddings.{name}_embeddings.weight": (rows[name], HIDDEN) for name in rows}
    norms = ["embeddings.LayerNorm"]
    prefix = "encoder.layer.0."
    for name, out, into in (("attention.self.query", HIDDEN, HIDDEN), ("attention.self.key", HIDDEN, HIDDEN),
                            ("attention.self.value", HIDDEN, HIDDEN), ("attention.output.dense", HIDDEN, HIDDEN),
                            ("intermediate.dense", 16, HIDDEN), ("output.dense", HIDDEN, 16)):  # fmt: skip
        shapes[f"{prefix}{name}.weight"], shapes[f"{prefix}{name}.bias"] = (out, into), (out,)
    norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
    random = np.random.default_rng(1)
    tensors = {name: random.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    for norm in norms:
        tensors[f"{norm}.weight"], tensors[f"{norm}.bias"] = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    save_file(tensors, folder / "model.safetensors")
    config = {"model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN, "num_attention_heads": 2,
              "num_hidden_layers": 1, "intermediate_size": 16, "vocab_size": rows["word"],
              "max_position_embeddings": rows["position"], "type_vocab_size": rows["token_type"]}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")


class LargeTables(unittest.TestCase):
    def test_verify_agrees_with_a_table_above_48_MiB(self):
        for large in ("position", "token_type"):  # a vocabulary is smaller; memory_test.py has a wide one
            with self.subTest(large), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                write_model(folder, large)
                texts = ("--text", "the bank of a river", "--text-pair", "a river")
                done = summand("verify", "--model", folder, *texts, "--json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                said = json.loads(done.stdout)
                self.assertTrue(said["agrees"], said)
                worst = max(state["engine"] for state in said["states"])
                print(f"{large}: {MANY} rows, largest difference {worst:.1e}")
                self.assertLess(worst, TOLERANCE)


if __name__ == "__main__":
    unittest.main()
