"""Closed forms against PyTorch's own counts; the plain graph that exporters get, against transformers."""

import json
import sys
import types

import bench_support
import numpy as np
import summand_testing
import torch
from scipy import spatial, stats
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModel

from comparison import quality
from comparison.arithmetic import Shape, limit_seconds
from rivals.plain_bert import load_plain_bert

MINILM, BERT_BASE = Shape(6, 384, 1536), Shape(12, 768, 3072)
ROUNDING = 1e-12
SUMS_IN_FLOAT = 2e-6  # two orders of summation of unit vectors' coordinates


def a_token_of_minilm_needs_21_megaflop():
    assert MINILM.product_flop == 21_233_664
    assert BERT_BASE.product_flop == 169_869_312
    assert MINILM.weight_bytes("fp32") == 42_467_328 and MINILM.weight_bytes("int8") == 10_616_832
    assert BERT_BASE.weight_bytes("fp32") == 339_738_624 and BERT_BASE.weight_bytes("bf16") == 169_869_312


def a_text_needs_what_pytorch_counts():
    model = AutoModel.from_pretrained(summand_testing.minilm(), attn_implementation="eager", add_pooling_layer=False)
    for tokens in (1, 7, 200):
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            model(input_ids=torch.ones(1, tokens, dtype=torch.int64))
        assert counter.get_total_flops() == MINILM.product_flop * tokens + MINILM.attention_flop(tokens)


def the_limit_adds_products_and_each_texts_attention():
    gflops = {"fp32": 200.0, "bf16": 400.0, "int8": 800.0}
    lengths = [10, 100]
    attention = 6 * 4 * 384 * (10**2 + 100**2)
    for precision, rate, attention_rate in (("fp32", 200e9, 200e9), ("bf16", 400e9, 400e9), ("int8", 800e9, 400e9)):
        expected = 21_233_664 * 110 / rate + attention / attention_rate
        assert abs(limit_seconds(MINILM, lengths, precision, gflops) / expected - 1) < ROUNDING


def a_rate_that_is_not_known_gives_no_limit():
    assert limit_seconds(MINILM, [10], "int8", {"int8": 800.0}) is None
    assert limit_seconds(MINILM, [10], "fp32", {"int8": 800.0, "bf16": 400.0}) is None


def similarities(vectors):
    return 1 - spatial.distance.cdist(vectors.astype(float), vectors.astype(float), "cosine")


def vectors_agree_as_scipy_says():
    numbers = np.random.default_rng(0)
    reference = numbers.normal(size=(40, 8)).astype(np.float32)
    vectors = reference * 3 + numbers.normal(size=(40, 8)).astype(np.float32)
    cosines = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(vectors.astype(float), reference.astype(float))]
    pairs = np.triu_indices(40, 1)
    found = quality.agreement(vectors, reference)
    expected = stats.spearmanr(similarities(vectors)[pairs], similarities(reference)[pairs])[0]
    assert abs(found["mean"] - np.mean(cosines)) < ROUNDING and abs(found["worst"] - min(cosines)) < ROUNDING
    assert abs(found["spearman"] - expected) < ROUNDING and 0.5 < expected < 0.99


def the_plain_graph_is_transformers_bert():
    directory = summand_testing.minilm()
    config = json.loads((directory / "config.json").read_text())
    place = types.SimpleNamespace(model=directory, config=config, normalize=True)
    numbers = np.random.default_rng(0)
    ids = torch.from_numpy(numbers.integers(1000, 20000, (3, 40)))
    mask = torch.tensor([[1] * 40, [1] * 7 + [0] * 33, [1] * 39 + [0]])
    model = AutoModel.from_pretrained(directory).eval()
    with torch.no_grad():
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        means = torch.stack([rows[:length].mean(0) for rows, length in zip(states, mask.sum(1))])
        expected = means / means.norm(dim=1, keepdim=True)
        for fused in (False, True):
            found = load_plain_bert(place, fused)(ids, mask, torch.zeros_like(ids))
            assert (found - expected).abs().max() < SUMS_IN_FLOAT, (found - expected).abs().max()


if __name__ == "__main__":
    sys.exit(
        bench_support.run([
            a_token_of_minilm_needs_21_megaflop,
            a_text_needs_what_pytorch_counts,
            the_limit_adds_products_and_each_texts_attention,
            a_rate_that_is_not_known_gives_no_limit,
            vectors_agree_as_scipy_says,
            the_plain_graph_is_transformers_bert,
        ])
    )
