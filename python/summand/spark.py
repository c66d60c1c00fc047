"""Sentence vectors as a pandas UDF of Spark. Needs `pip install pyspark pandas pyarrow`, and Java."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from . import arguments
from .workers import encode_options, encoder_arguments, open_encoder

TYPES = {"float32": "FloatType", "int8": "ByteType", "binary": "ByteType"}  # of a coordinate


def udf(model, *, threads=1, cache=None, precision=None, **options):
    """A pandas UDF from texts to their sentence vectors, for withColumn or select: array<float>, or array<tinyint> with
    dtype int8 or binary.

    model      a directory or a name that every executor has
    threads    of a Python worker; as many as spark.task.cpus
    cache      a folder of the node that keeps the packed weights: its workers map them and share the memory
    precision  of the model's matrix products, as for Encoder
    options    of Encoder.encode: normalize, dimensions, dtype, prompt_name, ...; int8 needs ranges

    A Python worker loads the model at its first batch and keeps it as long as Spark keeps the worker
    (spark.python.worker.reuse). A row's vector has the same bits as in one process; null is an error.

    Raises ImportError without Spark, and TypeError or UsageError for a bad argument."""
    try:
        import pandas
        from pyspark.sql import functions, types
    except ImportError:
        raise ImportError("summand.spark needs Spark: pip install pyspark pandas pyarrow") from None
    given = encoder_arguments(model, precision, threads, cache)
    dtype = arguments.choice("dtype", encode_options(options).get("dtype") or "float32", tuple(TYPES))

    def embed(batches):
        encoder = _encoder(**given)
        for texts in batches:
            yield pandas.Series(list(encoder.encode(texts, **options)), dtype=object)

    embed.__annotations__ = {"batches": Iterator[pandas.Series], "return": Iterator[pandas.Series]}  # Spark reads its kind there
    return functions.pandas_udf(embed, types.ArrayType(getattr(types, TYPES[dtype])(), containsNull=False))


@functools.lru_cache(maxsize=None)
def _encoder(path, precision, threads, cache):
    """The Python worker's own, by its arguments."""
    return open_encoder(path, precision, threads, cache)
