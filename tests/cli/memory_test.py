"""How much memory a run takes at most, against the weights that it computes with."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
from command_line import peak_bytes
from safetensors.numpy import save_file

MEGABYTE = 1e6
ALLOWED = 80 * MEGABYTE
SIZES = {"hidden_size": 512, "num_hidden_layers": 12, "num_attention_heads": 8, "intermediate_size": 2048, "vocab_size": 30522}
BYTES = {"fp32": 4, "bf16": 2, "int8": 1}


def dense_weights():
    hidden, wide = SIZES["hidden_size"], SIZES["intermediate_size"]
    return SIZES["num_hidden_layers"] * (4 * hidden * hidden + 2 * hidden * wide)


def write_model(folder):
    """A model of 214 MB, 63 of them its token table, with texts to run."""
    hidden, wide = SIZES["hidden_size"], SIZES["intermediate_size"]
    shapes = {f"embeddings.{name}_embeddings.weight": (rows, hidden) for name, rows in {"word": SIZES["vocab_size"], "position": 512, "token_type": 2}.items()}
    for layer in range(SIZES["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[prefix + name + ".weight"], shapes[prefix + name + ".bias"] = (hidden, hidden), (hidden,)
        shapes[prefix + "intermediate.dense.weight"], shapes[prefix + "intermediate.dense.bias"] = (wide, hidden), (wide,)
        shapes[prefix + "output.dense.weight"], shapes[prefix + "output.dense.bias"] = (hidden, wide), (hidden,)
    norms = ["embeddings"] + [f"encoder.layer.{layer}.{part}output" for layer in range(SIZES["num_hidden_layers"]) for part in ("attention.", "")]
    random = np.random.default_rng(0)
    tensors = {name: random.standard_normal(shape, dtype=np.float32) * np.float32(0.03) for name, shape in shapes.items()}
    for norm in norms:
        tensors[f"{norm}.LayerNorm.weight"] = np.ones(hidden, np.float32)
        tensors[f"{norm}.LayerNorm.bias"] = np.zeros(hidden, np.float32)
    save_file(tensors, folder / "model.safetensors")
    config = SIZES | {"model_type": "bert", "hidden_act": "gelu", "max_position_embeddings": 512, "type_vocab_size": 2}
    (folder / "config.json").write_text(json.dumps(config))
    vocabulary = (summand_testing.DATA / "vocab" / "bert-base-uncased.txt").read_text()
    (folder / "vocab.txt").write_text(vocabulary)
    (folder / "texts.txt").write_text("".join(f"the river bank was quiet in the morning of day {day}\n" for day in range(1500)))


class Memory(unittest.TestCase):
    def peak(self, folder, precision):
        """Most bytes resident at a time, file pages included."""
        return peak_bytes("embed", "--model", folder, folder / "texts.txt", "-o", folder / f"{precision}.npy",
                          "--precision", precision, "--batch-tokens", "16384", "--threads", "2", "--overwrite")  # fmt: skip

    def test_a_run_takes_the_packed_weights_and_little_more(self):
        runs = json.loads(subprocess.run([summand_testing.BIN / "summand", "info", "--json"], capture_output=True, check=True).stdout)["precisions"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_model(folder)
            for precision, size in BYTES.items():
                if precision not in runs:
                    continue
                peak = self.peak(folder, precision)
                self.assertEqual(len(np.load(folder / f"{precision}.npy")), 1500)
                self.assertGreater(peak, dense_weights() * size, "it cannot be less than the weights")
                self.assertLess(peak, dense_weights() * size + ALLOWED, precision)
                print(f"{precision}: peak {peak / MEGABYTE:.0f} MB, packed weights {dense_weights() * size / MEGABYTE:.0f} MB")


if __name__ == "__main__":
    if summand_testing.build_setting("SUMMAND_SANITIZE"):
        print("skipped: a sanitizer keeps memory of its own")
        raise SystemExit(77)
    unittest.main()
