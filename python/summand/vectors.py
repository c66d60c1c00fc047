"""Sentence vectors: search, similarity, number types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _summand, arguments, columns
from .errors import UsageError

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
DTYPES = ("float32", "float16", "int8", "uint8", "binary", "ubinary")


def nothing(width, kind):
    """Vectors of so many coordinates, in another number type, of no text."""
    import numpy

    return numpy.empty((0, (width + 7) // 8 if "binary" in kind else width), dtype={"binary": "int8", "ubinary": "uint8"}.get(kind, kind))


def _rows(name, vectors):
    """Rows of any type of number: [rows, width]. One vector is one row. Also of a column of vectors of pandas, polars or
    pyarrow."""
    import numpy

    if columns.is_column(vectors):
        vectors = columns.matrix(name, vectors)
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
    return array


def matrix(name, vectors):
    """_rows() in float32, as the binding reads them."""
    import numpy

    array = numpy.asarray(_rows(name, vectors), dtype=numpy.float32)
    row, element = array.strides
    lie_well = array.flags.aligned and element == 4 and row % 4 == 0 and row >= 4 * array.shape[1]
    return array if lie_well else numpy.ascontiguousarray(array)


def similarity(a: Any, b: Any, similarity: str = "cosine") -> np.ndarray:
    """The similarity of every row of `a` with every row of `b`; larger is more similar.

    Returns NumPy, float64 [rows of a, rows of b]."""
    arguments.choice("similarity", similarity, SIMILARITIES)
    return _summand.similarity(matrix("a", a), matrix("b", b), similarity)


def search(queries: Any, corpus: Any, top_k: int = 10, *, similarity: str = "cosine", threads: int = 0, as_arrays: bool = False,
           packed_bits: bool = False) -> Any:  # fmt: skip
    """The rows of the corpus that are most similar to each query. All rows are compared, in double precision; scores have
    the same bits whatever else is in the call.

    queries      [queries, width], or one vector
    corpus       [rows, width]; may be a numpy.memmap, or a column of vectors
    as_arrays    return (indices int64, scores float64), each [queries, top_k], in place of dictionaries
    packed_bits  the corpus, and the queries unless they are floats, are of encode(dtype="binary") or "ubinary": bits that
                 count as -1 and 1. Without it they would be compared as numbers. Bits that fill the last byte count too

    Returns, of each query, a list of {"corpus_id", "score"}, best first, as sentence-transformers' semantic_search."""
    arguments.choice("similarity", similarity, SIMILARITIES)
    top_k, threads = arguments.number("top_k", top_k), arguments.threads(threads)
    if arguments.flag("packed_bits", packed_bits):
        queries, corpus = _unpacked(queries, corpus)
    indices, scores = _summand.search(matrix("queries", queries), matrix("corpus", corpus), top_k=top_k, similarity=similarity, threads=threads)
    if arguments.flag("as_arrays", as_arrays):
        return indices, scores
    return [[{"corpus_id": index, "score": score} for index, score in zip(*rows)] for rows in zip(indices.tolist(), scores.tolist())]


def _unpacked(queries, corpus):
    """Both as rows of -1 and 1; the queries as they are if they are not packed."""
    left, right = _rows("queries", queries), _rows("corpus", corpus)
    if right.dtype.name not in ("int8", "uint8"):
        raise UsageError(f"[corpus] expected packed bits, of type int8 or uint8, got {right.dtype}")
    if left.dtype.name in ("int8", "uint8"):
        return _bits(left), _bits(right)
    unused = 8 * right.shape[1] - left.shape[1]
    if not 0 <= unused < 8:
        raise UsageError(f"[queries] expected packed bits, or vectors of {8 * right.shape[1]} numbers as the corpus has bits, got {left.shape[1]} numbers")
    return left, _bits(right)[:, : left.shape[1]]


def _bits(array):
    """Bits of dtype "ubinary", or of "binary", which is 128 less: -1 and 1."""
    import numpy

    raw = array if array.dtype.name == "uint8" else (array.astype("int16") + 128).astype("uint8")
    return numpy.unpackbits(raw, axis=1).astype("float32") * 2 - 1


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
    known = None
    if ranges is not None:
        import numpy

        known = matrix("ranges", ranges)
        if dtype not in ("int8", "uint8") or known.shape != (2, rows.shape[1]) or not numpy.isfinite(known).all():
            raise UsageError(f"[ranges] expected finite numbers [2, {rows.shape[1]}] for int8 or uint8, got {list(known.shape)} for {dtype}")
    made = _summand.quantize(rows, dtype, ranges=known)
    return made.view({"float16": "float16", "int8": "int8", "binary": "int8"}.get(dtype, "uint8"))
