"""Reference and engine against transformers, on random models of odd shapes and on the real one.

Reference in double: within 1e-10 of a float64 run. Engine: every hidden state and the pooled output within 2e-5 of it,
or within four times transformers' own fp32 error where that is larger.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing
import tiny_models
from transformers import AutoTokenizer, BertModel

REFERENCE_TOLERANCE = 1e-10
ENGINE_TOLERANCE = 2e-5
OF_FP32_ERROR = 4
MINILM_TOKENS = 512 if not summand_testing.EMULATOR else 48  # which takes fifty times as long


def probe(directory, batch, config, has_pooler, precision="fp32"):
    """(hidden states, pooled) of the reference and of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        tiny_models.save_batch(batch, path / "batch.safetensors")
        command = [summand_testing.BIN / "forward_probe", directory, path / "batch.safetensors", path / "out", precision]
        subprocess.run(command, check=True)
        results = []
        for suffix, dtype in ((".f64", np.float64), (".f32", np.float32)):
            numbers = np.fromfile(path / f"out{suffix}", dtype=dtype).astype(np.float64)
            tokens, texts = len(batch["ids"]), len(batch["offsets"]) - 1
            shape = (config.num_hidden_layers + 1, tokens, config.hidden_size)
            hidden, pooled = numbers[: np.prod(shape)].reshape(shape), numbers[np.prod(shape) :]
            assert pooled.size == (texts * config.hidden_size if has_pooler else 0), pooled.size
            results.append((hidden, pooled.reshape(texts, -1) if has_pooler else None))
        return results


class Comparison:
    def __init__(self):
        self.failures, self.states, self.worst_reference, self.worst_engine, self.worst_ratio = 0, 0, 0.0, 0.0, 0.0

    def state(self, name, exact, fp32, reference, engine):
        """One hidden state or the pooled output."""
        reference_error, engine_error, own_error = (np.abs(x - exact).max() for x in (reference, engine, fp32))
        allowed = max(ENGINE_TOLERANCE, OF_FP32_ERROR * own_error)
        self.states += 1
        self.worst_reference = max(self.worst_reference, reference_error)
        self.worst_engine = max(self.worst_engine, engine_error)
        self.worst_ratio = max(self.worst_ratio, engine_error / allowed)
        # Written so that a NaN fails.
        if not (reference_error <= REFERENCE_TOLERANCE and engine_error <= allowed):
            self.failures += 1
            print(f"{name}: reference {reference_error:.2e}, engine {engine_error:.2e}, allowed {allowed:.2e}")

    def model(self, name, directory, model, batch):
        has_pooler = model.pooler is not None
        fp32_hidden, fp32_pooled = tiny_models.transformers_states(model.float(), batch)
        hidden, pooled = tiny_models.transformers_states(model.double(), batch)
        (reference, reference_pooled), (engine, engine_pooled) = probe(directory, batch, model.config, has_pooler)
        for layer in range(len(hidden)):
            self.state(f"{name}, hidden {layer}", hidden[layer], fp32_hidden[layer], reference[layer], engine[layer])
        if has_pooler:
            self.state(f"{name}, pooled", pooled, fp32_pooled, reference_pooled, engine_pooled)

    def report(self, what):
        print(
            f"{what}: {self.states} states compared, {self.failures} failed; worst reference {self.worst_reference:.1e} "
            f"(allowed {REFERENCE_TOLERANCE:.0e}), worst engine {self.worst_engine:.1e}, "
            f"at most {self.worst_ratio:.2f} of what is allowed"
        )
        return self.failures == 0 and self.states > 0


def random_models():
    comparison, models, longest = Comparison(), 0, 0
    for index, config in tiny_models.configurations():
        with tempfile.TemporaryDirectory() as directory:
            model = tiny_models.random_model(config, seed=index, pooler=index % 5 != 4)
            model.save_pretrained(directory)
            batch = tiny_models.ragged_batch(config, seed=1000 + index)
            if index % 6 == 0:  # positions of the user's own choice
                random = np.random.default_rng(index)
                batch["positions"] = random.integers(0, config.max_position_embeddings, len(batch["ids"]))
            comparison.model(f"model {index} ({config.hidden_act}, {config.hidden_size})", directory, model, batch)
            models, longest = models + 1, max(longest, config.max_position_embeddings)
    assert models >= 40, models
    return comparison.report(f"{models} random models, lengths 1 to {longest}")


def minilm_batch():
    """The real model, and texts of 2 to MINILM_TOKENS tokens for it: a pair, Chinese, an empty one."""
    directory = summand_testing.minilm()
    tokenizer = AutoTokenizer.from_pretrained(directory)
    texts = [
        ("The cat sat on the mat.",),
        ("A man is playing a guitar.", "Somebody makes music."),
        ("",),
        ("我喜欢自然语言处理。", "zweiter Satz, über Maß & Ziel"),
        ("word " * 600,),
        ("one " * 300, "two " * 300),
    ]
    batch = {"ids": [], "segments": [], "positions": [], "offsets": [0]}
    for text in texts:
        encoding = tokenizer(*text, truncation=True, max_length=MINILM_TOKENS)
        batch["ids"] += encoding["input_ids"]
        batch["segments"] += encoding["token_type_ids"]
        batch["positions"] += range(len(encoding["input_ids"]))
        batch["offsets"].append(len(batch["ids"]))
    batch = {name: np.array(values, dtype=np.int64) for name, values in batch.items()}
    assert batch["segments"].max() == 1 and batch["positions"].max() == MINILM_TOKENS - 1
    return BertModel.from_pretrained(directory, attn_implementation="eager").eval(), batch


def real_model():
    comparison = Comparison()
    comparison.model("MiniLM", summand_testing.minilm(), *minilm_batch())
    return comparison.report("MiniLM")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        summand_testing.force_instruction_set(sys.argv[1])
    passed = [random_models(), real_model()]
    sys.exit(0 if all(passed) else 1)
