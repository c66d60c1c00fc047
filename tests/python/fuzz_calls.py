"""Random calls of the package summand: fuzz_calls.py CALLS DIRECTORY…; prints how many returned and how many raised. Anything but
an exception ends the process, which the test that started it sees."""

import os
import random
import sys
import traceback
import warnings

import numpy as np
import summand
from summand import _summand

warnings.simplefilter("ignore")
draw = random.Random(1)
PACKAGE = os.path.dirname(summand.__file__)


class Odd:
    """Says that it is many things, and is none."""

    def __iter__(self):
        return iter(["a", self])

    def __len__(self):
        return -1

    def __index__(self):
        return 10**30

    def __fspath__(self):
        return 3


class Changing(list):
    """Shrinks while it is read."""

    def __iter__(self):
        while self:
            yield self.pop()


class Text(str):
    __slots__ = ()


TEXTS = ["", "a", "a cat [MASK] sat", "中文 🙂", "word " * 50, "\ud800", "x" * 300, "\0", Text("mine")]
NUMBERS = [0, 1, 2, 3, 7, 64, 80, 81, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**64, 10**30]


def array():
    shape = draw.choice([(), (0,), (1,), (3,), (0, 24), (1, 24), (2, 24), (2, 0), (4, 3), (1, 2, 3)])
    made = np.ones(shape, draw.choice(["float32", "float64", "float16", "int8", "int64", "bool", "complex64", "U1", "O"]))
    kind = draw.randrange(6)
    if kind == 0 and made.ndim == 2:
        made = made.T
    elif kind == 1 and made.ndim:
        made = made[::2]
    elif kind == 2 and made.ndim:
        made = made[::-1]
    elif kind == 3:
        made.flags.writeable = False
    elif kind == 4 and made.dtype == "float32" and made.size:
        made.flat[0] = draw.choice([np.nan, np.inf, 1e38])
    return made


def texts():
    count = draw.randrange(4)
    kind = draw.randrange(9)
    if kind < 4:
        return [draw.choice(TEXTS[:5]) for _ in range(count)]
    if kind == 4:
        return [(draw.choice(TEXTS), draw.choice(TEXTS)) for _ in range(count)]
    if kind == 5:
        return [[draw.choice(TEXTS) for _ in range(draw.randrange(4))] for _ in range(count)]
    if kind == 6:
        return Changing(draw.choice(TEXTS) for _ in range(count))
    if kind == 7:
        return (text for text in TEXTS)
    return [anything(1) for _ in range(count)]


def anything(depth=0):
    kinds = [None, True, False, 0.5, float("nan"), b"bytes", bytearray(b"a"), Odd(), object(), {"a": "b"}, {"a"}, range(3), len, "mean", "max", "int8", "attention", "sum"]
    kind = draw.randrange(5)
    if kind == 0:
        return draw.choice(NUMBERS)
    if kind == 1:
        return draw.choice(TEXTS)
    if kind == 2 and depth == 0:
        return draw.choice([texts, array])()
    return draw.choice(kinds)


OPTIONS = {
    "sentence": ("prompt_name", "prompt", "batch_size", "output_value", "precision", "convert_to_tensor", "device", "normalize_embeddings", "truncate_dim", "batch_tokens", "normalize", "dimensions", "dtype", "ranges", "out", "pooling", "truncation", "windows", "overlap"),
    "length": ("truncation", "max_length", "windows", "overlap", "top_k", "targets", "is_split_into_words", "aggregation_strategy", "layers", "add_special_tokens"),
    "bound": ("out", "progress", "prompt", "prompt_name", "normalize", "dimensions", "pooling", "truncation", "max_length", "windows", "overlap", "batch_tokens", "points", "visit", "words", "layers", "top_k", "targets", "aggregation"),
}  # fmt: skip


def options(of):
    return {name: anything() for name in draw.sample(OPTIONS[of], draw.choice([0, 0, 1, 1, 2, 3]))}


def calls_of(directories):
    models = [summand.Model(directory, threads=1) for directory in directories]
    encoders = [summand.Encoder(directory, threads=1) for directory in directories]
    rerankers = [summand.CrossEncoder(directory, threads=1) for directory in directories]
    tokenizers = [summand.Tokenizer(directory) for directory in directories]
    closed = summand.Encoder(directories[0], threads=1)
    closed.close()
    bound = [_summand.load(str(directory), threads=1) for directory in directories]

    def any_of(objects, names, of):
        return lambda: getattr(draw.choice(objects), draw.choice(names))(draw.choice([texts, anything])(), **options(of))

    def with_taps():
        with summand.Taps(draw.choice(encoders), draw.sample(summand.Taps.POINTS, 2), draw.choice([None, lambda visit: visit.values.resize(0, refcheck=False), lambda visit: visit.values.fill(np.nan), anything()])):
            draw.choice(encoders).encode(texts())

    return [
        any_of([*encoders, closed], ["encode", "encode_query", "encode_document"], "sentence"),
        lambda: list(draw.choice(encoders).stream(draw.choice([texts, anything])(), **options("sentence"))),
        any_of(models, ["fill_mask", "classify", "tag", "hidden_states", "tokenize", "next_sentence", "answer", "decode"], "length"),
        any_of(rerankers, ["predict"], "length"),
        lambda: draw.choice(rerankers).rank(anything(), texts(), anything()),
        any_of(tokenizers, ["encode", "encode_batch", "decode", "token_to_id", "id_to_token"], "length"),
        lambda: summand.search(array(), array(), draw.choice(NUMBERS), as_arrays=True),
        lambda: summand.similarity(array(), array()),
        lambda: summand.quantize(array(), draw.choice(["int8", "float16", "ubinary", "float32"]), ranges=draw.choice([None, array()])),
        any_of(bound, ["embed", "fill_mask", "classify", "score", "next_sentence", "tag", "answer", "hidden_states", "tokenize", "decode", "token", "token_id"], "bound"),
        lambda: getattr(_summand, draw.choice(["search", "similarity", "quantize", "load"]))(*[draw.choice([anything, array])() for _ in range(draw.randrange(5))]),
        lambda: draw.choice([summand.Model, summand.Encoder, summand.Tokenizer])(anything(), **{"precision": anything()} if draw.randrange(2) else {}),
        with_taps,
    ]


def main():
    count, *directories = sys.argv[1:]
    calls = calls_of(directories)
    returned = 0
    for _ in range(int(count)):
        try:
            draw.choice(calls)()
            returned += 1
        except Exception as fault:  # noqa: BLE001: which exception it is, other tests say
            files = [os.path.dirname(frame.filename) for frame in traceback.extract_tb(fault.__traceback__)]
            if "incompatible function arguments" in str(fault) and PACKAGE in files:  # of the binding: Python did not check
                raise
    print(returned, int(count) - returned)


if __name__ == "__main__":
    main()
