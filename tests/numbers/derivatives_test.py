"""Dual numbers through the reference against PyTorch's double autograd: first and mixed second derivatives."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing
import tiny_models
import torch
from transformers import BertConfig

TOLERANCE = 1e-6  # relative to the largest derivative of its kind, absolute below 1


def torch_derivatives(model, batch, places):
    """∂f/∂x_a and ∂²f/∂x_a∂x_b of f = Σ sin(1 + i)·h_i at the sum of the three rows."""
    ids, segments, positions = next(tiny_models.texts_of(batch))
    tables = model.embeddings
    total = tables.word_embeddings(ids) + tables.token_type_embeddings(segments) + tables.position_embeddings(positions)

    def f(x):
        hidden = model.encoder(tables.LayerNorm(x.view_as(total))).last_hidden_state.flatten()
        return (hidden * torch.sin(torch.arange(1, hidden.numel() + 1, dtype=torch.float64))).sum()

    flat = total.detach().flatten()
    gradient, hessian = torch.func.grad(f)(flat), torch.autograd.functional.hessian(f, flat)
    width = total.shape[-1]
    index = [(a * width + i, b * width + j) for a, i, b, j in places]
    return np.array([[gradient[p].item(), hessian[p, q].item()] for p, q in index])


def compare(activation, seed):
    config = BertConfig(
        vocab_size=40, hidden_size=12, num_attention_heads=3, intermediate_size=20, num_hidden_layers=2,
        max_position_embeddings=9, type_vocab_size=2, hidden_act=activation, attn_implementation="eager",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        model = tiny_models.random_model(config, seed)
        model.save_pretrained(path)
        batch = tiny_models.ragged_batch(config, seed, texts=2)
        batch = {name: values[1:] - (1 if name == "offsets" else 0) for name, values in batch.items()}
        tiny_models.save_batch(batch, path / "batch.safetensors")
        random = np.random.default_rng(seed)
        places = [(*random.integers(0, [9, 12]), *random.integers(0, [9, 12])) for _ in range(60)]
        lines = "\n".join(" ".join(map(str, place)) for place in places)
        answer = subprocess.run(
            [summand_testing.BIN / "derivative_probe", path, path / "batch.safetensors"],
            input=lines, capture_output=True, text=True, check=True,
        )  # fmt: skip
    ours = np.array([line.split() for line in answer.stdout.splitlines()], dtype=np.float64)
    theirs = torch_derivatives(model.double(), batch, places)
    assert ours.shape == theirs.shape == (60, 2)
    assert np.abs(theirs).min(axis=0).max() > 0 and np.abs(theirs[:, 1]).max() > 1e-3, "the derivatives must not vanish"
    error = np.abs(ours - theirs) / np.maximum(1, np.abs(theirs).max(axis=0))
    print(f"{activation}: 60 first and 60 mixed second derivatives, largest errors {error.max(axis=0)}")
    return bool((error <= TOLERANCE).all())


if __name__ == "__main__":
    torch.manual_seed(0)
    results = [compare(activation, seed) for seed, activation in enumerate(tiny_models.ACTIVATIONS)]
    sys.exit(0 if all(results) else 1)
