"""A checkpoint: heads, hidden states, tokens."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from . import _summand, arguments, columns
from .errors import UsageError
from .taps import no_taps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    import numpy as np
    from typing_extensions import Self

TRUNCATIONS = ("longest_first", "only_first", "only_second", "none", "head", "tail", "head_tail")
AGGREGATIONS = ("none", "simple", "first", "average", "max")
PRECISIONS = ("fp32", "bf16", "fp16", "int8", "auto")


@dataclasses.dataclass(frozen=True)
class ModelInfo:
    """Sizes and limits of a loaded model."""

    directory: str  #: where it was loaded from
    layers: int  #: of the encoder; there is one more hidden state
    hidden_size: int  #: width of a token's vector
    attention_heads: int  #: in each layer
    intermediate_size: int  #: width inside the feed-forward block
    vocabulary_size: int  #: rows of the token table
    segments: int  #: rows of the segment table
    position_limit: int  #: the longest sequence in tokens, special tokens included
    sentence_limit: int  #: tokens at which Encoder.encode cuts a text, unless max_seq_length is set
    heads: list[str]  #: that the directory has weights for
    labels: list[str]  #: of a classifier's outputs, in order
    reading: dict[str, str | int] | None  #: how training read its texts, as keywords: what those leave open that label texts
    most_windows: int  #: of a text, which its transformer over windows reads, and loses the rest; 0: it has none
    precision: str  #: of the encoder's matrix products: fp32, bf16, fp16 or int8
    attention_precision: str  #: of attention between tokens
    has_pooler: bool  #: whether hidden_states() has pooled output
    has_sentence_modules: bool  #: whether the directory has sentence-transformers' modules
    sentence_width: int  #: coordinates of a sentence vector; 0: the directory allows none
    prompts: dict[str, str]  #: by name, what is put before every text
    default_prompt_name: str | None  #: of the prompt that is put there unless another is asked for
    similarity: str  #: measure of its sentence vectors: cosine, dot, euclidean or manhattan
    notices: list[str]  #: a line for each file or setting that was ignored or replaced


class Model:
    """A checkpoint in Hugging Face's or sentence-transformers' layout, which stays memory-mapped.

    path       a directory, or a name that lies in the local hub cache or in the folder SUMMAND_MODELS: "org/name" or
               "org/name@revision". Nothing is downloaded
    precision  of the encoder's matrix products: "fp32", "bf16", "fp16", "int8" or "auto". None: int8 for a checkpoint in
               int8, else fp32. None of them falls back to another, but for "auto" and None, which `info` reports
    threads    of a call, the caller included. 0: as many as quota and affinity allow
    cache      a folder that keeps the packed weights, which the next load maps: several processes share them

    Calls from several threads run at once; the GIL is released while they compute. A process made by fork may go on with
    the model. Results have the same bits whatever else is in a call.

    Raises IoError, ConfigError, CheckpointError, TextError or UsageError, each one line."""

    def __init__(self, path: str | PathLike, *, precision: str | None = None, threads: int = 0, cache: str | PathLike | None = None):
        self._given = {"path": lasting(arguments.path("path", path)), "precision": precision, "threads": threads, "cache": arguments.lasting_path("cache", cache)}
        if precision is not None:
            arguments.choice("precision", precision, PRECISIONS)
        number = arguments.threads(0 if threads is None else threads)
        self._model = _summand.load(self._given["path"], precision=precision, threads=number, cache=self._given["cache"])
        self._info = ModelInfo(**self._model.info())
        self._taps = no_taps()

    # Life

    @property
    def info(self) -> ModelInfo:
        """Sizes and limits."""
        return self._info

    def close(self) -> None:
        """Frees the model when the calls that run have ended; later calls raise UsageError."""
        self._model.close()

    @property
    def closed(self) -> bool:
        return self._model.is_closed

    def release_memory(self) -> None:
        """Frees the workspaces that finished calls leave for later ones."""
        self._model.release_memory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def device(self) -> str:
        """Always "cpu"."""
        return "cpu"

    def __reduce__(self):
        return _reopened, (type(self), self._given | self._set_later())

    def _set_later(self):
        """Arguments of the constructor that may have been set since."""
        return {}

    def __repr__(self):
        state = "closed" if self.closed else self._info.precision
        return f"{type(self).__name__}({self._given['path']!r}, {state})"

    # What calls have in common

    def _tapped(self):
        """Keywords of the taps that are set."""
        taps = self._taps.get()
        return {} if taps is None else {"points": taps.points, "visit": taps._on_visit}

    @staticmethod
    def _lengths(truncation, max_length, windows=None, overlap=0):
        """Keywords of how long texts are handled."""
        if truncation is not None:
            arguments.choice("truncation", truncation, TRUNCATIONS)
        keywords = {"truncation": truncation, "max_length": arguments.count("max_length", max_length)}
        if windows is not None:
            arguments.choice("windows", windows, ("mean", "max", "transformer"))
            keywords |= {"windows": windows, "overlap": arguments.number("overlap", overlap, least=0)}
        elif overlap:
            raise UsageError(f"[overlap] expected 0 without windows, got {overlap!r}")
        return keywords

    def _each(self, texts, call, is_one=lambda texts: isinstance(texts, str)):
        """What `call` gives for a list of texts, or for one."""
        if is_one(texts):
            return call([texts])[0]
        return call(columns.texts_of(texts))

    # Heads

    def fill_mask(self, texts: str | Iterable[str], *, top_k: int = 5, targets: str | Sequence[str] | None = None,
                  truncation: str | None = None, max_length: int | None = None) -> list:  # fmt: skip
        """The likeliest tokens of each [MASK], as transformers' pipeline "fill-mask".

        texts    one, or a list
        targets  tokens of the vocabulary: only these are looked at

        Returns, of each text, a list of {"score", "token", "token_str", "sequence"}, best first; a list of such lists
        if the text has several masks."""
        keywords = self._lengths(truncation, max_length) | self._tapped()
        keywords |= {"top_k": arguments.number("top_k", top_k), "targets": arguments.names("targets", targets)}

        def call(given):
            return [masks[0] if len(masks) == 1 else masks for masks in self._model.fill_mask(given, **keywords)]

        return self._each(texts, call)

    def classify(self, texts: str | Iterable[str | tuple[str, str]], *, top_k: int | None = None, truncation: str | None = None,
                 max_length: int | None = None, windows: str | None = None, overlap: int = 0) -> list:  # fmt: skip
        """The labels of each text or pair, as transformers' pipeline "text-classification".

        texts    one, or a list of str or of pairs of str
        top_k    labels of a text. None: the best one, or all above one half where labels do not exclude each other
        windows  "mean" or "max": long texts are divided, and their logits combined, instead of cut
        truncation, max_length, windows  None: as info.reading says; a truncation cuts, whatever that says

        Returns, of each text, a list of {"label", "score"}, best first."""
        keywords = self._lengths(truncation, max_length, windows, overlap) | self._tapped()
        keywords["top_k"] = arguments.count("top_k", top_k)
        return self._each(texts, lambda given: self._model.classify(given, **keywords))

    def next_sentence(self, pairs: Iterable[tuple[str, str]], *, truncation: str | None = None, max_length: int | None = None) -> np.ndarray:
        """How likely the second text of each pair follows the first.

        Returns NumPy, float64 [pairs]."""
        import numpy

        keywords = self._lengths(truncation, max_length) | self._tapped()
        return numpy.array(self._model.next_sentence(columns.texts_of(pairs, "pairs"), **keywords), dtype="float64")

    def tag(self, texts: str | Iterable[str | Sequence[str]], *, aggregation_strategy: str = "simple", is_split_into_words: bool = False,
            truncation: str | None = None, max_length: int | None = None, windows: str | None = None, overlap: int = 0) -> list:  # fmt: skip
        """Labelled spans, as transformers' pipeline "token-classification".

        texts                one, or a list of str, or of lists of words
        is_split_into_words  whether each text is a list of words; `start` and `end` then count in the words joined by
                             spaces, and "words" says which they are
        truncation, max_length, windows  None: as info.reading says; a truncation cuts, whatever that says

        Returns, of each text, a list of {"entity_group", "score", "word", "start", "end"}, start and end in
        characters; without aggregation "entity" and "index" in place of "entity_group"."""
        arguments.choice("aggregation_strategy", aggregation_strategy, AGGREGATIONS)
        words = bool(arguments.flag("is_split_into_words", is_split_into_words))
        keywords = self._lengths(truncation, max_length, windows, overlap) | self._tapped()
        keywords |= {"aggregation": aggregation_strategy, "words": words}
        return self._each(texts, lambda given: self._model.tag(given, **keywords), lambda given: _is_one(given, words))

    def answer(self, question: str | Iterable[tuple[str, str]], context: str | None = None, *, top_k: int = 1, max_answer_len: int = 15,
               handle_impossible_answer: bool = False, max_seq_len: int | None = None, doc_stride: int | None = None) -> list:  # fmt: skip
        """The spans of a context that answer a question, as transformers' pipeline "question-answering".

        answer(question, context), or answer([(question, context), …])

        Returns, of each question, a list of {"score", "start", "end", "answer"}, best first; an empty answer means that
        the context has none."""
        keywords = {"top_k": arguments.number("top_k", top_k), "max_answer_len": arguments.number("max_answer_len", max_answer_len),
                    "no_answer": bool(arguments.flag("handle_impossible_answer", handle_impossible_answer)),
                    "max_length": arguments.count("max_seq_len", max_seq_len), "stride": arguments.count("doc_stride", doc_stride, least=0)}  # fmt: skip
        keywords |= self._tapped()
        if context is not None:
            return self._model.answer([(question, context)], **keywords)[0]
        return self._model.answer(columns.texts_of(question, "question"), **keywords)

    # Inside

    def hidden_states(self, texts: str | Iterable, *, layers: Sequence[int] | None = None, is_split_into_words: bool = False,
                      truncation: str | None = None, max_length: int | None = None) -> HiddenStates:  # fmt: skip
        """The vectors of every token.

        texts   one, or a list of str, of pairs of str, or of lists of words
        layers  numbers of hidden states: 0 is the normalised sum of the embeddings, l the output of layer l. None: all

        Returns HiddenStates."""
        words = bool(arguments.flag("is_split_into_words", is_split_into_words))
        keywords = self._lengths(truncation, max_length) | self._tapped()
        if layers is not None:
            try:
                layers = list(layers)
            except TypeError:
                arguments.refuse_type("layers", "a list of whole numbers", layers)
            layers = [arguments.number(f"layers[{place}]", layer, least=0) for place, layer in enumerate(layers)]
        given = [texts] if _is_one(texts, words) else columns.texts_of(texts)
        return HiddenStates(**self._model.hidden_states(given, layers=layers, words=words, **keywords))

    def tokenize(self, texts: str | Iterable, *, add_special_tokens: bool = True, is_split_into_words: bool = False,
                 truncation: str | None = None, max_length: int | None = None) -> _summand.Encoding | list[_summand.Encoding]:  # fmt: skip
        """Ids, segments and offsets, as `tokenizers` gives them. Nothing is cut unless max_length asks for it.

        Returns an Encoding, or a list of them."""
        words = bool(arguments.flag("is_split_into_words", is_split_into_words))
        keywords = self._lengths(truncation, max_length)
        keywords |= {"words": words, "special_tokens": bool(arguments.flag("add_special_tokens", add_special_tokens))}
        return self._each(texts, lambda given: self._model.tokenize(given, **keywords), lambda given: _is_one(given, words))

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        """The text of ids."""
        return self._model.decode(arguments.ids(ids), bool(arguments.flag("skip_special_tokens", skip_special_tokens)))


@dataclasses.dataclass(frozen=True)
class HiddenStates:
    """The vectors of every token in some layers, rows of all texts one after another."""

    encodings: list[_summand.Encoding]  #: Encoding of each text
    offsets: list[int]  #: [texts + 1]: text t has the rows offsets[t] … offsets[t + 1] - 1
    layers: list[int]  #: which hidden states these are, ascending
    states: list[np.ndarray]  #: NumPy, float32 [tokens, hidden], one for each of `layers`
    pooled: np.ndarray | None  #: NumPy, float32 [texts, hidden]; None if the model has no pooler

    def of(self, text: int, layer: int) -> np.ndarray:
        """Of one text in one layer: NumPy, float32 [tokens of the text, hidden]."""
        if layer not in self.layers:
            raise UsageError(f"[layer] expected one of {', '.join(map(str, self.layers))}, got {layer}")
        if not 0 <= text < len(self.encodings):
            raise UsageError(f"[text] expected 0 to {len(self.encodings) - 1}, got {text}")
        return self.states[self.layers.index(layer)][self.offsets[text] : self.offsets[text + 1]]


def _is_one(texts, words):
    """Whether it is one text, and no list of them: a str, or a list of words."""
    if isinstance(texts, str):
        return True
    return words and isinstance(texts, (list, tuple)) and len(texts) > 0 and isinstance(texts[0], str)


def lasting(path):
    """The same from another working directory; a model's name stays."""
    return os.path.abspath(path) if os.path.isdir(path) else path


def _reopened(kind, given):
    given = dict(given)
    return kind(given.pop("path"), **given)
