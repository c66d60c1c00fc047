"""Scores of pairs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import arguments, columns
from .errors import UsageError
from .model import Model
from .progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike
    from typing import Any


class CrossEncoder(Model):
    """A model that scores pairs of texts, used as sentence-transformers' CrossEncoder is. Parameters as for Model."""

    @property
    def num_labels(self) -> int:
        return len(self.info.labels)

    def __init__(self, path: str | PathLike, *, max_length: int | None = None, device: str | None = None, **given: Any):
        arguments.on_this_device(device)
        super().__init__(path, **given)
        self.max_length = arguments.count("max_length", max_length)

    def _set_later(self):
        return {"max_length": self.max_length}

    def predict(self, sentences: tuple[str, str] | Iterable[tuple[str, str]] | None = None, prompt_name: None = None, prompt: None = None,
                batch_size: int | None = None, show_progress_bar: bool | None = None, activation_fn: Callable | None = None, apply_softmax: bool = False,
                convert_to_numpy: bool = True, convert_to_tensor: bool = False, device: str | None = None, *,
                truncation: str | None = None, max_length: int | None = None, windows: str | None = None, overlap: int = 0,
                inputs: tuple[str, str] | Iterable[tuple[str, str]] | None = None) -> Any:  # fmt: skip
        """The score of each pair: with one label the sigmoid of the logit, or the activation that the checkpoint names; with
        several the logits.

        sentences      (or inputs) a list of pairs of str, or one pair
        prompt_name, prompt  have to be None
        activation_fn  in place of the model's own: takes and returns an array of logits [pairs, labels] or [pairs]
        apply_softmax  softmax over several labels
        batch_size     is taken, and has no effect: pairs are batched by tokens
        truncation, max_length, windows  None: as info.reading says; a truncation cuts, whatever that says

        Returns NumPy, float32 [pairs], or [pairs, labels] with several labels; without the first dimension for one pair."""
        import numpy

        sentences = inputs if sentences is None else sentences
        arguments.count("batch_size", batch_size)
        arguments.on_this_device(device)
        for name, value in (("prompt_name", prompt_name), ("prompt", prompt)):
            if value is not None:
                raise UsageError(f"[{name}] expected None for pairs, got {value!r}")
        if isinstance(sentences, (str, bytes)) or sentences is None:
            arguments.refuse_type("sentences", "a pair of str, or a list of such pairs", sentences)
        if type(sentences).__module__ == "numpy" and sentences.ndim == 2:
            sentences = sentences.tolist()
        is_one = isinstance(sentences, (list, tuple)) and len(sentences) == 2 and all(isinstance(part, str) for part in sentences)
        given = [tuple(sentences)] if is_one else columns.texts_of(sentences, "sentences")
        keywords = self._lengths(truncation, self.max_length if max_length is None else max_length, windows, overlap) | self._tapped()
        with progress_bar(arguments.flag("show_progress_bar", show_progress_bar), given) as progress:
            scores, logits = self._model.score(given, progress=progress, **keywords)
        found = scores.astype(numpy.float32)
        if activation_fn is not None:
            found = numpy.asarray(_applied(activation_fn, logits))
        if arguments.flag("apply_softmax", apply_softmax) and self.num_labels > 1:
            raised = numpy.exp(found - found.max(axis=1, keepdims=True))
            found = raised / raised.sum(axis=1, keepdims=True)
        if self.num_labels == 1:
            found = found.reshape(-1)
        if is_one:
            found = found[0]
        if arguments.flag("convert_to_tensor", convert_to_tensor) or not arguments.flag("convert_to_numpy", convert_to_numpy):
            import torch

            return torch.as_tensor(found)
        return found

    def rank(self, query: str, documents: Sequence[str], top_k: int | None = None, return_documents: bool = False,
             prompt_name: None = None, prompt: None = None, batch_size: int | None = None, show_progress_bar: bool | None = None,
             activation_fn: Callable | None = None, device: str | None = None, *, truncation: str | None = None, max_length: int | None = None, windows: str | None = None,
             overlap: int = 0) -> list[dict]:  # fmt: skip
        """The documents by how well they answer the query, best first; equal ones in their order.

        Returns a list of {"corpus_id", "score"}, with "text" if return_documents is true."""
        import numpy

        if not isinstance(query, str):
            arguments.refuse_type("query", "str", query)
        if self.num_labels != 1:
            raise UsageError(f"[rank] expected a model with one label, got {self.num_labels} labels")
        top_k = arguments.count("top_k", top_k)
        texts = columns.elements(columns.texts_of(documents, "documents"))
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                arguments.refuse_type(f"documents[{place}]", "str", text)
        scores = self.predict([(query, text) for text in texts], prompt_name, prompt, batch_size, show_progress_bar, activation_fn, device=device,
                              truncation=truncation, max_length=max_length, windows=windows, overlap=overlap)  # fmt: skip
        order = numpy.argsort(-scores, kind="stable")[:top_k]
        ranked = [{"corpus_id": place, "score": float(scores[place])} for place in order.tolist()]
        if arguments.flag("return_documents", return_documents):
            for one in ranked:
                one["text"] = texts[one["corpus_id"]]
        return ranked


def _applied(function, logits):
    """A function of NumPy or of torch."""
    is_module = type(function).__module__.partition(".")[0] == "torch"
    if not is_module:
        try:
            return function(logits)
        except TypeError:  # as torch.sigmoid says of an array
            if "torch" not in sys.modules:
                raise
    import torch

    return function(torch.from_numpy(logits)).detach().numpy()
