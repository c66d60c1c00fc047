"""Random BERT checkpoints of odd shapes, and ragged batches for them."""

import itertools

import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import BertConfig, BertModel
from transformers.utils import logging

logging.disable_progress_bar()

ACTIVATIONS = ["gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "swish", "tanh"]
# (hidden, heads, intermediate, layers): every head size from 1, no factor of two, wider and narrower than hidden.
SHAPES = [
    (1, 1, 3, 1), (5, 1, 7, 2), (5, 5, 1, 1), (12, 4, 37, 3), (12, 3, 24, 1), (30, 6, 60, 2), (36, 4, 17, 2),
    (65, 5, 130, 1), (64, 4, 256, 4), (33, 3, 66, 0), (96, 2, 100, 5), (20, 20, 80, 2),
]  # fmt: skip
EPSILONS = [1e-12, 1e-5, 1e-7]


def configurations(count=48):
    """Configurations that between them reach every activation, shape, segment count, length and epsilon."""
    activations, shapes, epsilons = (itertools.cycle(x) for x in (ACTIVATIONS, SHAPES, EPSILONS))
    segments, lengths = itertools.cycle([1, 2, 3, 2]), itertools.cycle([1, 2, 7, 16, 40, 64, 129])
    for index in range(count):
        hidden, heads, intermediate, layers = next(shapes)
        yield index, BertConfig(
            vocab_size=50 + index,
            hidden_size=hidden,
            num_attention_heads=heads,
            intermediate_size=intermediate,
            num_hidden_layers=layers,
            max_position_embeddings=next(lengths),
            type_vocab_size=next(segments),
            hidden_act=next(activations),
            layer_norm_eps=next(epsilons),
            initializer_range=0.3,
        )


def randomised(model):
    """The model with every parameter random, norms and biases included, so that no term can hide as 0 or 1."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "LayerNorm.weight" in name:
                parameter.uniform_(0.5, 1.5)
            else:
                parameter.normal_(0, 0.3)
    return model


def random_model(config, seed, pooler=True):
    torch.manual_seed(seed)
    return randomised(BertModel(config, add_pooling_layer=pooler).eval())


def ragged_batch(config, seed, texts=7):
    """Lengths 1 and the longest among them, segments 0 … k-1 in runs as in pairs, positions in order."""
    random = np.random.default_rng(seed)
    longest = config.max_position_embeddings
    lengths = [1, longest, *random.integers(1, longest + 1, texts - 2)]
    batch = {"ids": [], "segments": [], "positions": [], "offsets": [0]}
    for length in lengths:
        batch["ids"] += list(random.integers(0, config.vocab_size, length))
        cuts = np.sort(random.integers(0, length + 1, config.type_vocab_size - 1))
        batch["segments"] += list(np.searchsorted(cuts, np.arange(length), side="right"))
        batch["positions"] += list(range(length))
        batch["offsets"].append(len(batch["ids"]))
    return {name: np.array(values, dtype=np.int64) for name, values in batch.items()}


def save_batch(batch, path):
    save_file(batch, str(path))


def texts_of(batch):
    """(ids, segments, positions) of each text, as tensors with a batch dimension of one."""
    for begin, end in zip(batch["offsets"][:-1], batch["offsets"][1:]):
        yield tuple(torch.tensor(batch[name][begin:end])[None] for name in ("ids", "segments", "positions"))


def transformers_states(model, batch):
    """What transformers gives text by text: hidden states [layers + 1, tokens, hidden] and pooled rows or None."""
    hidden, pooled = [], []
    with torch.no_grad():
        for ids, segments, positions in texts_of(batch):
            output = model(ids, token_type_ids=segments, position_ids=positions, output_hidden_states=True)
            # A model without layers names no hidden states, but has one.
            states = output.hidden_states or (output.last_hidden_state,)
            hidden.append(torch.stack([state[0] for state in states]))
            if output.pooler_output is not None:
                pooled.append(output.pooler_output[0])
    return torch.cat(hidden, dim=1).double().numpy(), torch.stack(pooled).double().numpy() if pooled else None
