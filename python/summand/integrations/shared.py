"""What the adapters share: a model that is loaded at its first use, and the error for a missing library."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref

from .. import arguments
from ..cross_encoder import CrossEncoder
from ..encoder import Encoder

_LOADED = weakref.WeakValueDictionary()  # {(class, working directory, path, precision, threads, cache): model}
_LOADING = threading.Lock()
os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release)


@contextlib.contextmanager
def imports_of(module, package):
    """For the imports of an adapter's library: where `module` is missing, one ImportError names the pip package."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module:
            raise
        message = f"this adapter of summand needs {module}, which is not installed: pip install {package}"
        raise ImportError(message, name=module) from None


def path_text(name, value):
    """A path as str, which every framework can serialise; None stays None."""
    return None if value is None else arguments.path(name, value)


class Lazy:
    """A model that is loaded at its first use. Those with the same arguments share one loaded model; a copy made by pickle
    loads its own in another process."""

    kind = None

    def __init__(self, path, *, precision=None, threads=0, cache=None):
        self._given = {"path": path_text("model", path), "precision": precision, "threads": threads, "cache": path_text("cache", cache)}
        self._loaded = None

    def load(self):
        """The model. Raises what the constructor of Encoder or CrossEncoder raises."""
        if self._loaded is None:
            key = (self.kind, os.getcwd(), *self._given.values())
            with _LOADING:
                found = _LOADED.get(key)
                if found is None or found.closed:
                    found = _LOADED[key] = self.kind(**self._given)
                self._loaded = found
        return self._loaded

    def __getstate__(self):
        return self.__dict__ | {"_loaded": None}


class LazyEncoder(Lazy):
    """An Encoder with the options that every adapter has.

    normalize, dimensions           as for Encoder.encode
    query_prompt, document_prompt   put before every query or document in place of the model's own prompt
    encode_options                  further keywords of Encoder.encode, as {"windows": "mean"}"""

    kind = Encoder

    def __init__(self, path, *, normalize=None, dimensions=None, query_prompt=None, document_prompt=None, encode_options=None, **given):
        super().__init__(path, **given)
        self._options = {"normalize": normalize, "dimensions": dimensions}
        self._more = dict(encode_options or {})
        self._prompts = {"query": query_prompt, "document": document_prompt}

    def documents(self, texts):
        """NumPy, float32 [texts, width]."""
        return self.load().encode_document(list(texts), prompt=self._prompts["document"], **self._options, **self._more)

    def queries(self, texts):
        """NumPy, float32 [texts, width]."""
        return self.load().encode_query(list(texts), prompt=self._prompts["query"], **self._options, **self._more)

    def width(self):
        """Coordinates of a vector. Loads the model."""
        return self.documents([]).shape[1]


class LazyCrossEncoder(Lazy):
    kind = CrossEncoder

    def rank(self, query, texts, top_k):
        """[(index of the text, score)], best first."""
        return [(one["corpus_id"], one["score"]) for one in self.load().rank(query, texts, top_k)]
