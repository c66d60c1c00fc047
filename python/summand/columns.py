"""Columns of texts of pandas, polars and pyarrow, and of vectors."""

from __future__ import annotations

import importlib.util

from . import arguments
from .errors import UsageError


def library_of(column):
    """"pandas", "polars", "pyarrow", or another module's name."""
    return type(column).__module__.partition(".")[0]


def is_column(column):
    """Whether it is a column of one of the three libraries."""
    known = {"pandas": "index", "polars": "dtype", "pyarrow": "type"}.get(library_of(column))
    return known is not None and hasattr(column, known) and not hasattr(column, "columns")


def texts_of(given, name="texts"):
    """What the binding reads: a list, or an object with __arrow_c_stream__ or __arrow_c_array__, which it reads in place."""
    if isinstance(given, (str, bytes)) or given is None:
        arguments.refuse_type(name, "a list of str", given)
    if hasattr(given, "columns") and hasattr(given, "__arrow_c_stream__"):
        arguments.refuse_type(name, "a column", given)
    if library_of(given) == "pandas" and (str(getattr(given, "dtype", "")) in ("object", "category") or not _has_pyarrow()):
        return given.tolist()
    if library_of(given) == "numpy":
        return given.ravel().tolist() if given.ndim == 1 else refuse_shape(name, given)
    if isinstance(given, dict):
        arguments.refuse_type(name, "a list of str", given)
    return given


def elements(given):
    """A list of what texts_of() gives."""
    return given.to_pylist() if library_of(given) == "pyarrow" else list(given)


def _has_pyarrow():
    """What pandas' columns are read by."""
    return importlib.util.find_spec("pyarrow") is not None


def matrix(column):
    """NumPy [rows, width] of a column of vectors, as encode_column() gives it, or of lists."""
    import numpy

    library = library_of(column)
    if library == "pandas":
        return numpy.array(column.tolist())
    if library == "polars":
        return numpy.array(column.to_list())
    return numpy.array(column.to_pylist())


def refuse_shape(name, array):
    raise UsageError(f"[{name}] expected an array of one dimension, got {array.ndim}")


def like(column, vectors):
    """Vectors as a column of the library that the texts' column is of, without a copy: pyarrow's FixedSizeListArray, polars'
    Array, pandas' Series of ArrowDtype with the texts' index."""
    width = vectors.shape[1]
    library = library_of(column)
    if library == "polars":
        import polars

        return polars.Series(column.name, vectors.reshape(-1)).reshape((-1, width)) if len(vectors) else polars.Series(column.name, [], polars.Array(polars.Float32, width))
    import pyarrow

    array = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), width)
    if library == "pyarrow":
        return array
    import pandas

    return pandas.Series(array, index=column.index, name=column.name, dtype=pandas.ArrowDtype(array.type))
