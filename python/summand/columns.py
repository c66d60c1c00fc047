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


def matrix(name, column):
    """NumPy [rows, width] of a column of vectors, as encode_column() gives it, mostly without a copy; or of a column of
    lists."""
    import numpy

    library = library_of(column)
    if library == "polars":
        found = column
    elif library == "pyarrow":
        found = _rows(column)
    else:
        found = _rows(_arrow(column)) if hasattr(column.dtype, "pyarrow_dtype") else column.tolist()
    try:
        array = numpy.asarray(found)
    except ValueError:  # of several widths
        array = None
    if array is None or array.ndim != 2 or array.dtype.kind == "O":
        raise UsageError(f"[{name}] expected a column of vectors of one width, got another column")
    return array


def _arrow(series):
    import pyarrow

    return pyarrow.array(series.array)


def _rows(column):
    """Of pyarrow's column: an array, or a list of what is no row of numbers."""
    import numpy
    import pyarrow

    if not pyarrow.types.is_fixed_size_list(column.type) or column.null_count:
        return column.to_pylist()
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks]
    return (parts[0] if len(parts) == 1 else numpy.concatenate([numpy.empty(0, "float32"), *parts])).reshape(-1, column.type.list_size)


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
