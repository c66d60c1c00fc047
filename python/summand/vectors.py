"""Sentence vectors: search, similarity, number types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _summand, arguments
from .errors import UsageError

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
DTYPES = ("float32", "float16", "int8", "uint8", "binary", "ubinary")


def matrix(name, vectors):
    """Rows of float32: [rows, width]. One vector is one row."""
    import numpy

    if hasattr(vectors, "detach"):  # a tensor of torch
        vectors = vectors.detach().cpu().numpy()
    try:
        array = numpy.asarray(vectors)
        if array.dtype.kind not in "fiu":
            raise TypeError
    except (TypeError, ValueError):
        arguments.refuse_type(name, "an array of numbers [rows, width]", vectors)
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2:
        raise UsageError(f"[{name}] expected an array of two dimensions, [rows, width], got {array.ndim}")
    array = numpy.asarray(array, dtype=numpy.float32)
    return array if array.strides[1] == 4 and array.strides[0] >= 4 * array.shape[1] else numpy.ascontiguousarray(array)


def similarity(a: Any, b: Any, similarity: str = "cosine") -> np.ndarray:
    """The similarity of every row of `a` with every row of `b`; larger is more similar.

    Returns NumPy, float64 [rows of a, rows of b]."""
    arguments.choice("similarity", similarity, SIMILARITIES)
    return _summand.similarity(matrix("a", a), matrix("b", b), similarity)


def search(queries: Any, corpus: Any, top_k: int = 10, *, similarity: str = "cosine", threads: int = 0, as_arrays: bool = False) -> Any:
    """The rows of the corpus that are most similar to each query. All rows are compared, in double precision; scores have
    the same bits whatever else is in the call.

    queries    [queries, width], or one vector
    corpus     [rows, width]; may be a numpy.memmap
    as_arrays  return (indices int64, scores float64), each [queries, top_k], in place of dictionaries

    Returns, of each query, a list of {"corpus_id", "score"}, best first, as sentence-transformers' semantic_search."""
    arguments.choice("similarity", similarity, SIMILARITIES)
    top_k, threads = arguments.count("top_k", top_k), arguments.threads(threads)
    indices, scores = _summand.search(matrix("queries", queries), matrix("corpus", corpus), top_k=top_k, similarity=similarity, threads=threads)
    if arguments.flag("as_arrays", as_arrays):
        return indices, scores
    return [[{"corpus_id": index, "score": score} for index, score in zip(*rows)] for rows in zip(indices.tolist(), scores.tolist())]


def quantize(vectors: Any, dtype: str, *, ranges: Any = None) -> np.ndarray:
    """Vectors in another number type, as sentence-transformers' quantize_embeddings; float16 rounds to nearest.

    ranges  for int8 and uint8: [2, width], the least and the largest value of each coordinate. None: those of `vectors`

    Returns NumPy [rows, width], for binary and ubinary an eighth of the width."""
    arguments.choice("dtype", dtype, DTYPES)
    rows = matrix("vectors", vectors)
    if dtype == "float32":
        return rows
    if dtype in ("int8", "uint8") and ranges is None and len(rows) < 2:
        raise UsageError(f"[ranges] expected [2, width], the least and the largest value of each coordinate, for {len(rows)} vectors in {dtype}, got None")
    known = None if ranges is None else matrix("ranges", ranges)
    made = _summand.quantize(rows, dtype, ranges=known)
    return made.view({"float16": "float16", "int8": "int8", "binary": "int8"}.get(dtype, "uint8"))
