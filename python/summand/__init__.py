"""BERT on a CPU: exact, batch-invariant, in C++.

    import summand
    encoder = summand.Encoder("path/to/all-MiniLM-L6-v2")
    vectors = encoder.encode(["A cat sat.", "Ein Text."])  # NumPy, float32 [2, 384]

Encoder and CrossEncoder are used as those of sentence-transformers are. Model has the heads, hidden states and taps,
Tokenizer the ids and offsets of `tokenizers`. lab(), parts() and compare() take a checkpoint apart. A text's results
have the same bits whatever else is in the call, in any order and on any number of threads.

Nothing is downloaded, and nothing but NumPy is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._summand import VERSION as __version__
from ._summand import Encoding
from .cross_encoder import CrossEncoder
from .encoder import Encoder
from .errors import CheckpointError, ConfigError, Error, IoError, TextError, UsageError
from .model import Model, ModelInfo
from .taps import Taps, Visit
from .tokenizer import Tokenizer
from .vectors import quantize, search, similarity
from .warnings import CutWarning, DefaultWarning

__all__ = [
    "CheckpointError",
    "ConfigError",
    "CrossEncoder",
    "CutWarning",
    "DefaultWarning",
    "Encoder",
    "Encoding",
    "Error",
    "IoError",
    "Model",
    "ModelInfo",
    "Report",
    "Taps",
    "TextError",
    "Tokenizer",
    "UsageError",
    "Visit",
    "compare",
    "experiments",
    "lab",
    "parts",
    "quantize",
    "search",
    "similarity",
]

if TYPE_CHECKING:
    from .laboratory import Report, compare, experiments, lab, parts
else:
    _LABORATORY = ("Report", "compare", "experiments", "lab", "parts")  # loaded at first use

    def __getattr__(name):
        if name in _LABORATORY:
            from . import laboratory

            return getattr(laboratory, name)
        raise AttributeError(f"module 'summand' has no attribute '{name}'")

    def __dir__():
        return sorted({*globals(), *_LABORATORY})
