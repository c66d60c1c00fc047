"""What rounding MiniLM's encoder to 8 bits does to its sentence vectors, for several ways to round. Simulated in PyTorch:
weights symmetric, one scale per output; activations asymmetric, one scale per token. Nothing looks at texts beforehand.

    .venv/bin/python bench/int8_rounding.py TEXTS.txt [--count 2000]
"""

import argparse
import copy
import pathlib
import sys

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "support"))
import summand_testing  # noqa: E402

CLIPS = [1 - 0.02 * step for step in range(32)]


def rounded(weight, scale):
    return torch.round(weight / scale).clamp(-127, 127) * scale


def largest(weight, _norm):
    return rounded(weight, weight.abs().amax(1, keepdim=True) / 127)


def clipped(weight, _norm):
    """Each row's scale is the one of 32 that leaves the least squared error."""
    scales = [weight.abs().amax(1, keepdim=True) * clip / 127 for clip in CLIPS]
    candidates = torch.stack([rounded(weight, scale) for scale in scales])
    best = ((candidates - weight) ** 2).sum(2).argmin(0)
    return candidates[best, torch.arange(len(weight))]


def compensated(weight, norm):
    """Later columns take up what rounding did to earlier ones (Frantar et al. 2022, GPTQ), with the second moment that
    the normalisation before the layer would have on independent coordinates in place of that of texts."""
    if norm is None:
        return largest(weight, norm)
    gamma, beta = norm.weight.data.double(), norm.bias.data.double()
    moment = torch.diag(gamma**2) + torch.outer(beta, beta)
    moment += 0.01 * moment.diagonal().mean() * torch.eye(len(moment))
    order = moment.diagonal().argsort(descending=True)
    factor = torch.linalg.cholesky(torch.linalg.inv(moment[order][:, order]), upper=True)
    scale = weight.abs().amax(1, keepdim=True).double() / 127
    rest, result = weight.double()[:, order].clone(), torch.zeros_like(weight, dtype=torch.double)
    for column in range(len(order)):
        result[:, column] = rounded(rest[:, [column]], scale)[:, 0]
        rest -= (rest[:, [column]] - result[:, [column]]) / factor[column, column] * factor[[column]]
    return result[:, order.argsort()].float()


class Layer(torch.nn.Module):
    """A dense layer on rounded activations, one scale for every `group` of a token's coordinates."""

    def __init__(self, weight, bias, scales=None, group=None, bits=8):
        super().__init__()
        self.weight, self.bias, self.scales, self.group, self.most = weight, bias, scales, group, 2**bits - 1

    def forward(self, rows):
        rows = rows if self.scales is None else rows / self.scales
        parts = rows.unflatten(-1, (-1, self.group or rows.shape[-1]))
        least, most = parts.amin(-1, keepdim=True).clamp(max=0), parts.amax(-1, keepdim=True).clamp(min=0)
        step = ((most - least) / self.most).clamp(min=1e-30)
        zero = torch.round(-least / step)
        parts = ((torch.round(parts / step) + zero).clamp(0, self.most) - zero) * step
        return torch.nn.functional.linear(parts.flatten(-2), self.weight, self.bias)


def moved_scales(norm, weights):
    """Part of each coordinate's size goes from the activations into the weights (Xiao et al. 2022, SmoothQuant), the
    size being that of the normalisation's own parameters."""
    size = norm.weight.data.abs() + norm.bias.data.abs()
    scales = (size / torch.stack([weight.abs().amax(0) for weight in weights]).amax(0)).sqrt()
    return scales / scales.mean()


def rounded_model(bert, rounding=largest, smooth=False, **settings):
    bert = copy.deepcopy(bert)
    norm = bert.embeddings.LayerNorm
    for layer in bert.encoder.layer:
        own, between = layer.attention.self, layer.attention.output.LayerNorm
        groups = [
            (norm, [(own, "query"), (own, "key"), (own, "value")]),
            (None, [(layer.attention.output, "dense")]),
            (between, [(layer.intermediate, "dense")]),
            (None, [(layer.output, "dense")]),
        ]
        for before, places in groups:
            layers = [getattr(parent, name) for parent, name in places]
            scales = moved_scales(before, [dense.weight.data for dense in layers]) if smooth and before else None
            for (parent, name), dense in zip(places, layers):
                weight = dense.weight.data if scales is None else dense.weight.data * scales
                setattr(parent, name, Layer(rounding(weight, before), dense.bias.data, scales, **settings))
        norm = layer.output.LayerNorm
    return bert


def ranks(vectors):
    similarities = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return similarities.argsort(kind="stable").argsort(kind="stable")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=2000)
    arguments = parser.parse_args()
    texts = arguments.texts.read_text().splitlines()[: arguments.count]
    model = SentenceTransformer(str(summand_testing.minilm()), device="cpu")
    bert, exact = model[0].model, model.encode(texts)
    ways = {
        "largest magnitude over 127": {},
        "scale of least squared error": {"rounding": clipped},
        "rounding compensated": {"rounding": compensated},
        "scales moved into the weights": {"smooth": True},
        "activations in groups of 128": {"group": 128},
        "activations in 7 bits": {"bits": 7},
    }
    print(f"{len(texts)} texts {'':16} mean cosine   worst  Spearman of pairs")
    for name, settings in ways.items():
        model[0].model = rounded_model(bert, **settings)
        vectors = model.encode(texts)
        cosines = (vectors * exact).sum(axis=1)
        spearman = np.corrcoef(ranks(exact), ranks(vectors))[0, 1]
        print(f"{name:32} {cosines.mean():.6f} {cosines.min():.6f}  {spearman:.6f}", flush=True)


if __name__ == "__main__":
    with torch.no_grad():
        main()
