"""From texts to batches and back: tokenizing, sorting, padding. What every rival but sentence-transformers needs."""

import concurrent.futures
import dataclasses
import time

import numpy as np
from tokenizers import Tokenizer


@dataclasses.dataclass(frozen=True)
class Settings:
    """How one rival embeds one kind of work.

    variant: a name that the rival knows, how its model is loaded; batch: texts at a time; order: "sorted" by length or
    "given"; max_length: tokens at which a text is cut.
    """

    variant: str
    batch: int
    order: str
    max_length: int


@dataclasses.dataclass(frozen=True)
class Batch:
    """`ids` and `mask` [texts, longest], int64, 0 where padded."""

    ids: np.ndarray
    mask: np.ndarray

    @property
    def lengths(self):
        return self.mask.sum(1)

    @property
    def segments(self):
        return np.zeros_like(self.ids)


def fast_tokenizer(model, max_length):
    """`tokenizers` without padding: each batch is padded later, to its own longest."""
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    return tokenizer


def padded(rows):
    """One batch. @param rows  the ids of each text"""
    longest = max(map(len, rows))
    ids, mask = (np.zeros((len(rows), longest), np.int64) for _ in range(2))
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return Batch(ids, mask)


def divided(rows, settings):
    """Places of the texts in each batch; long ones first where sorted, so that streams end together."""
    order = range(len(rows))
    if settings.order == "sorted":
        order = sorted(order, key=lambda place: -len(rows[place]))
    return [order[begin : begin + settings.batch] for begin in range(0, len(order), settings.batch)]


class BatchedRival:
    """Embeds texts batch by batch.

    @param runner  a loaded variant: `vectors(batch)` gives [texts, width]; `streams` says how many calls at once it wants
    """

    def __init__(self, runner, tokenizer):
        self.runner, self.tokenizer = runner, tokenizer
        self.pool = None
        if runner.streams > 1:
            begin = getattr(runner, "begin_stream", None)
            self.pool = concurrent.futures.ThreadPoolExecutor(runner.streams, initializer=begin)

    def vectors(self, texts, settings):
        """Sentence vectors [texts, width] in the order given, and the seconds they took."""
        begin = time.perf_counter()
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch_fast(texts)]
        places = divided(rows, settings)
        batches = (padded([rows[place] for place in batch]) for batch in places)
        parts = self.pool.map(self.runner.vectors, batches) if self.pool else map(self.runner.vectors, batches)
        out = None
        for batch, part in zip(places, parts):
            if out is None:
                out = np.empty((len(texts), part.shape[1]), np.float32)
            out[batch] = part
        return out, time.perf_counter() - begin


def mean_vectors(states, batch, normalize):
    """Mean over tokens and L2 norm, for rivals whose graph ends with hidden states.

    @param states  [texts, longest, width], float32
    """
    weights = (batch.mask / batch.lengths[:, None]).astype(np.float32)
    means = np.matmul(weights[:, None, :], states)[:, 0]
    return means / np.linalg.norm(means, axis=1, keepdims=True) if normalize else means
