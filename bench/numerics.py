"""Prints the tables of docs/numerics.md: how far each precision on each instruction set is from float64.

Run: SUMMAND_BUILD=build PYTHONPATH=tests/support:tests/numbers .venv/bin/python bench/numerics.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import head_models
import heads_test
import numbers_test
import numpy as np
import summand_testing
import tiny_models
from transformers import BertConfig, BertModel


def information():
    """`summand info` under the instruction set that is set."""
    answer = subprocess.run([summand_testing.BIN / "summand", "info", "--json"], capture_output=True, check=True)
    return json.loads(answer.stdout)


def combinations():
    """Every instruction set of this machine with every precision that runs on it. It is set while it is used."""
    for name in information()["instruction_sets"]:
        os.environ["SUMMAND_ISA"] = name
        for precision in information()["precisions"]:
            yield precision, name


def bert_base(folder):
    """bert-base's shape with its own initialiser's weights, and texts of 1, 33 and 128 tokens and a pair."""
    config = BertConfig(attn_implementation="eager")
    tiny_models.torch.manual_seed(0)
    model = BertModel(config).eval()
    model.save_pretrained(folder)
    random = np.random.default_rng(0)
    lengths = [1, 33, 128, 20]
    batch = {
        "ids": random.integers(0, config.vocab_size, sum(lengths)),
        "segments": np.concatenate([np.zeros(n, np.int64) for n in lengths[:3]] + [np.repeat([0, 1], 10)]),
        "positions": np.concatenate([np.arange(n) for n in lengths[:2]] + [np.arange(384, 512), np.arange(20)]),
        "offsets": np.cumsum([0, *lengths]),
    }
    return model, {name: values.astype(np.int64) for name, values in batch.items()}


class Exact:
    """What transformers gives in float64, and its own error in float32."""

    def __init__(self, name, directory, model, batch):
        self.name, self.directory, self.batch, self.config = name, directory, batch, model.config
        own = tiny_models.transformers_states(model.float(), batch)
        self.hidden, self.pooled = tiny_models.transformers_states(model.double(), batch)
        self.own = max(np.abs(own[0] - self.hidden).max(), np.abs(own[1] - self.pooled).max())

    def errors(self, precision="fp32"):
        """Largest differences of the engine: hidden states, pooled output; and of the reference in double."""
        (reference, _), (hidden, pooled) = numbers_test.probe(self.directory, self.batch, self.config, True, precision)
        return np.abs(hidden - self.hidden).max(), np.abs(pooled - self.pooled).max(), np.abs(reference - self.hidden).max()


def head_errors(precision):
    """Largest difference of a logit from float64 over a model of every head, and transformers' own in float32."""
    worst, own_worst = 0.0, 0.0
    for seed, kind in enumerate(head_models.KINDS):
        config = head_models.head_config(kind, vocab_size=400, hidden_size=64, num_attention_heads=4, intermediate_size=256)
        with tempfile.TemporaryDirectory() as folder:
            model = head_models.head_model(kind, config, seed)
            model.save_pretrained(folder)
            batch = heads_test.batch_for(config, seed)
            _, _, engine = heads_test.probe(folder, batch, precision)
            own = heads_test.transformers_logits(model.float(), batch, heads_test.HEADS[kind])
            exact = heads_test.transformers_logits(model.double(), batch, heads_test.HEADS[kind])
            worst, own_worst = max(worst, np.abs(engine - exact).max()), max(own_worst, np.abs(own - exact).max())
    return worst, own_worst


def main():
    with tempfile.TemporaryDirectory() as folder:
        minilm, batch = numbers_test.minilm_batch()
        models = [
            Exact("all-MiniLM-L6-v2", summand_testing.minilm(), minilm, batch),
            Exact("bert-base, random", pathlib.Path(folder), *bert_base(folder)),
        ]
        print("| precision | instruction set | model | hidden states | pooled | logits of heads |")
        print("|---|---|---|---|---|---|")
        for precision, name in combinations():
            logits = head_errors(precision)
            for model in models:
                hidden, pooled, _ = model.errors(precision)
                print(f"| {precision} | {name} | {model.name} | {hidden:.1e} | {pooled:.1e} | {logits[0]:.1e} |", flush=True)
        print("\n| who | model | largest error |\n|---|---|---|")
        for model in models:
            print(f"| transformers, PyTorch float32 | {model.name} | {model.own:.1e} |")
            print(f"| summand's reference in double | {model.name} | {model.errors()[2]:.1e} |")
        print(f"| transformers, PyTorch float32 | the models with heads | {logits[1]:.1e} |")


if __name__ == "__main__":
    sys.exit(main())
