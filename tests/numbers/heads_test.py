"""Logits of every head, reference and engine, against transformers, on random models of odd shapes.

Reference in double: within 1e-10 of a float64 run, relative to the largest logit above 1. Engine: within 2e-5 of it, or
within four times transformers' own fp32 error where that is larger.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import head_models
import numpy as np
import summand_testing
import tiny_models
import torch

REFERENCE_TOLERANCE = 1e-10
ENGINE_TOLERANCE = 2e-5
OF_FP32_ERROR = 4

LABELS = [1, 2, 3, 7, 40]
HEADS = {
    "masked-lm": ["masked language"],
    "untied-masked-lm": ["masked language"],
    "next-sentence": ["next sentence"],
    "sequence-classification": ["sequence classification"],
    "token-classification": ["token classification"],
    "question-answering": ["question answering"],
    "pre-training": ["masked language", "next sentence"],
    "untied-pre-training": ["masked language", "next sentence"],
}


def probe(directory, batch, precision="fp32"):
    """The heads' names and all logits, one after the other: (names, reference, engine)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        tiny_models.save_batch(batch, path / "batch.safetensors")
        command = [summand_testing.BIN / "heads_probe", directory, path / "batch.safetensors", path / "out", precision]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        numbers = [np.fromfile(path / f"out{suffix}", dtype=dtype) for suffix, dtype in ((".f64", "f8"), (".f32", "f4"))]
        return done.stdout.splitlines(), *(x.astype(np.float64) for x in numbers)


def transformers_logits(model, batch, heads):
    """The same numbers in the same order."""
    texts = []
    with torch.no_grad():
        for ids, segments, positions in tiny_models.texts_of(batch):
            texts.append(model(ids, token_type_ids=segments, position_ids=positions))
    logits = []
    for head in heads:
        for text, output in enumerate(texts):
            if head == "masked language":
                of_text = output.prediction_logits if len(heads) > 1 else output.logits
                begin, end = batch["offsets"][text], batch["offsets"][text + 1]
                own = batch["masked"][(batch["masked"] >= begin) & (batch["masked"] < end)] - begin
                of_text = of_text[0, own]
            elif head == "question answering":
                of_text = torch.stack([output.start_logits, output.end_logits], dim=-1)
            else:
                of_text = output.seq_relationship_logits if len(heads) > 1 else output.logits
            logits.append(of_text.double().numpy().ravel())
    return np.concatenate(logits)


class Comparison:
    def __init__(self):
        self.models, self.failures, self.logits = 0, 0, 0
        self.worst_reference, self.worst_ratio = 0.0, 0.0

    def check(self, name, model, directory, batch, heads):
        names, reference, engine = probe(directory, batch)
        assert names == heads, (name, names, heads)
        own = transformers_logits(model.float(), batch, heads)
        exact = transformers_logits(model.double(), batch, heads)
        assert exact.size == reference.size == engine.size and exact.size > 0, (name, exact.size, reference.size)
        reference_error = np.abs(reference - exact).max() / max(1, np.abs(exact).max())
        engine_error, own_error = np.abs(engine - exact).max(), np.abs(own - exact).max()
        allowed = max(ENGINE_TOLERANCE, OF_FP32_ERROR * own_error)
        self.models, self.logits = self.models + 1, self.logits + exact.size
        self.worst_reference = max(self.worst_reference, reference_error)
        self.worst_ratio = max(self.worst_ratio, engine_error / allowed)
        # Written so that a NaN fails.
        if not (reference_error <= REFERENCE_TOLERANCE and engine_error <= allowed):
            self.failures += 1
            print(f"{name}: reference {reference_error:.2e}, engine {engine_error:.2e}, allowed {allowed:.2e}")


def batch_for(config, seed):
    """A ragged batch; one text has no masked token, another has several, the last position's among them."""
    batch = tiny_models.ragged_batch(config, seed)
    random = np.random.default_rng(seed)
    masked = random.random(len(batch["ids"])) < 0.25
    masked[batch["offsets"][3] : batch["offsets"][4]] = False
    masked[batch["offsets"][1] : batch["offsets"][1] + 2] = True
    masked[batch["offsets"][2] - 1] = True
    batch["masked"] = np.flatnonzero(masked).astype(np.int64)
    return batch


def random_models(comparison):
    for index, config in tiny_models.configurations():
        kind = head_models.KINDS[index % len(head_models.KINDS)]
        # A question has a begin and an end: transformers splits its logits in two.
        config.num_labels = 2 if kind == "question-answering" else LABELS[index % len(LABELS)]
        with tempfile.TemporaryDirectory() as directory:
            model = head_models.head_model(kind, config, seed=index)
            model.save_pretrained(directory)
            name = f"model {index} ({kind}, {config.hidden_act}, {config.hidden_size})"
            comparison.check(name, model, directory, batch_for(config, 1000 + index), HEADS[kind])


def rewritten(directory, change):
    """Applies `change(config, tensors)` to a saved checkpoint."""
    from safetensors.numpy import load_file, save_file

    directory = pathlib.Path(directory)
    config, tensors = json.loads((directory / "config.json").read_text()), load_file(directory / "model.safetensors")
    change(config, tensors)
    (directory / "config.json").write_text(json.dumps(config))
    save_file(tensors, str(directory / "model.safetensors"), metadata={"format": "pt"})


def decoders_of_the_past(comparison):
    """Files that older versions wrote, and files whose decoder contradicts tie_word_embeddings."""

    def repeats_what_is_tied(config, tensors):
        tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"].copy()
        tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"].copy()

    def decoder_differs(config, tensors):
        tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"][::-1].copy()

    def bias_differs(config, tensors):
        tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"][::-1].copy()

    def only_the_decoders_bias(config, tensors):
        tensors["cls.predictions.decoder.bias"] = tensors.pop("cls.predictions.bias")

    changes = [repeats_what_is_tied, decoder_differs, bias_differs, only_the_decoders_bias]
    for seed, change in enumerate(changes):
        config = next(config for index, config in tiny_models.configurations() if index == 3)
        with tempfile.TemporaryDirectory() as directory:
            head_models.head_model("masked-lm", config, seed).save_pretrained(directory)
            rewritten(directory, change)
            model = head_models.CLASSES["masked-lm"].from_pretrained(directory, attn_implementation="eager").eval()
            comparison.check(change.__name__, model, directory, batch_for(config, seed), HEADS["masked-lm"])


def main():
    if len(sys.argv) > 1:
        summand_testing.force_instruction_set(sys.argv[1])
    comparison = Comparison()
    random_models(comparison)
    assert comparison.models >= 40, comparison.models
    decoders_of_the_past(comparison)
    print(
        f"{comparison.models} models with heads, {comparison.logits} logits, {comparison.failures} failed; worst reference "
        f"{comparison.worst_reference:.1e} (allowed {REFERENCE_TOLERANCE:.0e}), engine at most {comparison.worst_ratio:.2f} of what is allowed"
    )
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
