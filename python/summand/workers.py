"""What the workers of a cluster share: checked arguments, and a model that the processes of a node load one at a time."""

from __future__ import annotations

import contextlib
import fcntl
import inspect
import os

from . import arguments
from .encoder import Encoder
from .errors import UsageError
from .model import PRECISIONS, lasting

WITHOUT_COLUMN = ("sentences", "inputs", "out", "convert_to_tensor", "convert_to_numpy", "output_value", "show_progress_bar")


def encoder_arguments(model, precision, threads, cache):
    """Checked arguments of open_encoder(). Paths become absolute: a worker may have another working directory."""
    path = arguments.path("model", model)
    if precision is not None:
        arguments.choice("precision", precision, PRECISIONS)
    return {
        "path": lasting(path),
        "precision": precision,
        "threads": arguments.threads(threads, least=1),
        "cache": arguments.lasting_path("cache", cache),
    }


def encode_options(options):
    """Options that Encoder.encode takes for a column. Bad ones are an error here, before anything is sent to a worker."""
    for name in WITHOUT_COLUMN:
        if options.get(name) is not None:
            raise UsageError(f"[{name}] expected nothing for a column, got {options[name]!r}")
    inspect.signature(Encoder.encode).bind(None, [], **options)
    dtype = arguments.either("dtype", options.get("dtype"), "precision", options.get("precision"))
    if dtype in ("int8", "uint8") and options.get("ranges") is None:
        raise UsageError(f"[ranges] expected [2, width] for {dtype}: batches would have ranges of their own, got None")
    return options


def open_encoder(path, precision, threads, cache):
    """An Encoder. With a cache one process of the node loads at a time: the first packs the weights, and all map its file."""
    if cache is None:
        return Encoder(path, precision=precision, threads=threads)
    with locked(cache):
        before = os.listdir(cache)
        encoder = Encoder(path, precision=precision, threads=threads, cache=cache)
        if sorted(os.listdir(cache)) != sorted(before):  # it packed them, and holds a copy of its own
            encoder.close()
            encoder = Encoder(path, precision=precision, threads=threads, cache=cache)
        return encoder


@contextlib.contextmanager
def locked(folder):
    """Waits until no other process holds the folder's lock."""
    os.makedirs(folder, exist_ok=True)
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
