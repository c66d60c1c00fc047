"""Sentence vectors."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from . import _summand, arguments, columns, vectors
from .errors import TextError, UsageError
from .model import Model
from .progress import progress_bar
from .tokenizer import Tokenizer
from .warnings import DefaultWarning, say, say_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike
    from typing import Any

    import numpy as np

POOLINGS = ("cls", "mean", "max", "mean_sqrt_length", "weighted_mean", "last_token", "last_four_mean", "last_four_concat")
QUERY_PROMPTS = ("query",)
DOCUMENT_PROMPTS = ("document", "passage", "corpus")
BYTES_OF_TOKEN = 4  # about: for how many texts stream() asks at a time


class Encoder(Model):
    """A model of sentence vectors, used as sentence-transformers' SentenceTransformer is.

    Parameters as for Model; truncate_dim keeps the first coordinates of every vector, similarity_fn_name is the measure
    of similarity() in place of the model's own, max_seq_length the tokens at which texts are cut."""

    def __init__(self, path: str | PathLike, *, precision: str | None = None, threads: int = 0, cache: str | PathLike | None = None,
                 truncate_dim: int | None = None, similarity_fn_name: str | None = None, max_seq_length: int | None = None,
                 device: str | None = None):  # fmt: skip
        arguments.on_this_device(device)
        super().__init__(path, precision=precision, threads=threads, cache=cache)
        self.truncate_dim = arguments.count("truncate_dim", truncate_dim)
        if truncate_dim is not None and self.info.sentence_width and truncate_dim > self.info.sentence_width:
            raise UsageError(f"[truncate_dim] expected at most {self.info.sentence_width}, the vectors' width, got {truncate_dim}")
        if not self.info.has_sentence_modules:
            say(f"[{self.info.directory}] no modules.json: mean pooling, vectors not normalised", DefaultWarning)
        self.similarity_fn_name = self.info.similarity
        if similarity_fn_name is not None:
            self.similarity_fn_name = arguments.choice("similarity_fn_name", similarity_fn_name, vectors.SIMILARITIES)
        self._max_seq_length = None
        self.max_seq_length = max_seq_length

    @property
    def max_seq_length(self) -> int:
        """Tokens at which a text is cut, special tokens included; may be set, up to the model's positions."""
        return self._max_seq_length or self.info.sentence_limit

    @max_seq_length.setter
    def max_seq_length(self, tokens: int | None):
        number = arguments.count("max_seq_length", tokens)
        if number is not None and number > self.info.position_limit:
            raise UsageError(f"[max_seq_length] expected at most {self.info.position_limit}, the model's positions, got {number}")
        self._max_seq_length = number

    def get_max_seq_length(self) -> int:
        return self.max_seq_length

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's, without the model."""
        return Tokenizer(self.info.directory)

    @property
    def prompts(self) -> dict[str, str]:
        """By name, what is put before every text."""
        return dict(self.info.prompts)

    @property
    def default_prompt_name(self) -> str | None:
        return self.info.default_prompt_name

    def get_embedding_dimension(self) -> int:
        """Coordinates of a vector."""
        return self.truncate_dim or self.info.sentence_width

    get_sentence_embedding_dimension = get_embedding_dimension

    def _set_later(self):
        return {"truncate_dim": self.truncate_dim, "similarity_fn_name": self.similarity_fn_name, "max_seq_length": self._max_seq_length}

    def encode(self, sentences: str | Iterable[str | tuple[str, str]] | None = None, prompt_name: str | None = None, prompt: str | None = None,
               batch_size: int | None = None, show_progress_bar: bool | None = None, output_value: str = "sentence_embedding",
               precision: str | None = None, convert_to_numpy: bool = True, convert_to_tensor: bool = False, device: str | None = None,
               normalize_embeddings: bool = False, truncate_dim: int | None = None, *, batch_tokens: int = 16384,
               normalize: bool | None = None, dimensions: int | None = None, dtype: str | None = None, ranges: np.ndarray | None = None,
               out: np.ndarray | None = None, pooling: str | Sequence[str] | None = None, truncation: str | None = None,
               windows: str | None = None, overlap: int = 0, inputs: str | Iterable[str | tuple[str, str]] | None = None) -> Any:  # fmt: skip
        """Sentence vectors, as sentence-transformers computes them: prompt, transformer, pooling, dense layers,
        normalisation, truncation.

        sentences          (or inputs) one, or a list of str or of pairs of str, or a column of strings of pandas, polars or pyarrow
        prompt_name        of one of the model's prompts; or `prompt`, the text itself
        show_progress_bar  by tqdm, where it is installed
        output_value       "token_embeddings": the last hidden state of each text, [tokens, hidden], in place of vectors
        normalize          True (or normalize_embeddings): to length 1, after truncation. None: as the model does.
                           False: not at the end, even if the model does
        dimensions         (or truncate_dim) keep the first coordinates
        dtype              (or precision) float32, float16, int8, uint8, binary or ubinary: vectors.quantize
        ranges             for int8 and uint8: [2, width], in place of those of these vectors
        out                float32 [texts, width], C order, that is filled and returned
        pooling            in place of the model's own; several are put side by side
        windows            "mean" or "max": long texts are divided into windows that share `overlap` tokens, not cut
        truncation         which end is cut: longest_first, only_first, only_second, none, head, tail, head_tail
        batch_tokens       tokens that are worked on at a time; no vector depends on it
        batch_size         is taken, and has no effect: texts are batched by tokens
        convert_to_tensor  a torch.Tensor in place of an array

        Returns NumPy [texts, width]; [width] for one str. Texts that are cut are told by a CutWarning."""
        sentences = inputs if sentences is None else sentences
        if sentences is None:
            arguments.refuse_type("sentences", "str or a list of str", sentences)
        is_one = isinstance(sentences, str)
        given = [sentences] if is_one else columns.texts_of(sentences, "sentences")
        arguments.count("batch_size", batch_size)
        arguments.on_this_device(device)
        keywords = self._embedding_keywords(prompt_name, prompt, arguments.either("normalize", normalize, "normalize_embeddings", normalize_embeddings or None),
                                            arguments.either("dimensions", dimensions, "truncate_dim", truncate_dim), pooling, truncation, windows, overlap)  # fmt: skip
        keywords["batch_tokens"] = arguments.number("batch_tokens", batch_tokens)
        kind = arguments.either("dtype", dtype, "precision", precision) or "float32"
        arguments.choice("dtype", kind, vectors.DTYPES)
        arguments.choice("output_value", output_value, ("sentence_embedding", "token_embeddings"))
        if ranges is not None and kind not in ("int8", "uint8"):
            raise UsageError(f"[ranges] expected None for {kind}, got an array")
        if output_value == "token_embeddings":
            for name, value in (("out", out), ("windows", windows), ("dtype", None if kind == "float32" else kind)):
                if value is not None:
                    raise UsageError(f"[{name}] expected nothing with token_embeddings, got {value if isinstance(value, str) else type(value).__name__}")
            found = self._token_embeddings(given, keywords)
            return found[0] if is_one else found
        if out is not None:
            self._check_out(out, kind)
        with progress_bar(arguments.flag("show_progress_bar", show_progress_bar), given) as progress:
            found, count = self._model.embed(given, out=out, progress=progress, **keywords)
        say_cut(count["texts_cut"], count["texts"], keywords["max_length"] or self.max_seq_length)
        if kind != "float32":
            found = vectors.quantize(found, kind, ranges=ranges) if len(found) else vectors.nothing(found.shape[1], kind)
        if is_one:
            found = found[0]
        if arguments.flag("convert_to_tensor", convert_to_tensor) or not arguments.flag("convert_to_numpy", convert_to_numpy):
            return _tensors(found, convert_to_tensor)
        return found

    def encode_query(self, sentences: str | Iterable[str] | None = None, prompt_name: str | None = None, prompt: str | None = None, *more: Any, **options: Any) -> Any:
        """encode() with the model's prompt "query", if it has one and no other is asked for."""
        return self.encode(sentences, self._prompt_name(prompt_name, prompt, QUERY_PROMPTS), prompt, *more, **options)

    def encode_document(self, sentences: str | Iterable[str] | None = None, prompt_name: str | None = None, prompt: str | None = None, *more: Any, **options: Any) -> Any:
        """encode() with the model's prompt "document", "passage" or "corpus", the first that it has, if no other is asked
        for."""
        return self.encode(sentences, self._prompt_name(prompt_name, prompt, DOCUMENT_PROMPTS), prompt, *more, **options)

    def encode_column(self, column: Any, **options: Any) -> Any:
        """The vectors of a column of strings, as a column of the same library: pyarrow's FixedSizeListArray, polars' Array,
        pandas' ArrowDtype with the same index. Neither the texts nor the vectors are copied where the library allows it.

        options  of encode(), without out, dtype and convert_to_tensor"""
        if not columns.is_column(column):
            arguments.refuse_type("column", "a column of pandas, polars or pyarrow", column)
        for name, usual in (("out", None), ("dtype", None), ("precision", None), ("convert_to_tensor", False), ("convert_to_numpy", True), ("output_value", None), ("inputs", None)):
            if (given := options.get(name)) is not None and given is not usual:
                raise UsageError(f"[{name}] expected nothing for a column, got {given if isinstance(given, (str, bool)) else type(given).__name__}")
        return columns.like(column, self.encode(column, **options))

    def stream(self, sentences: Iterable[str], *, batch_tokens: int = 16384, **options: Any) -> Iterator[np.ndarray]:
        """Yields the vector of each text of any iterable, in order, with one batch in memory at a time.

        options  of encode(), without out; int8 and uint8 need ranges"""
        if isinstance(sentences, (str, bytes)):
            arguments.refuse_type("sentences", "an iterable of str", sentences)
        try:
            remaining = iter(sentences)
        except TypeError:
            arguments.refuse_type("sentences", "an iterable of str", sentences)
        number = arguments.number("batch_tokens", batch_tokens)
        if options.get("out") is not None:
            raise UsageError("[out] expected nothing for a stream, got an array")
        kind = arguments.either("dtype", options.get("dtype"), "precision", options.get("precision"))
        if kind in ("int8", "uint8") and options.get("ranges") is None:
            raise UsageError("[ranges] expected [2, width] for int8 and uint8 in a stream, got None")
        return self._stream(remaining, number, options)

    def _stream(self, remaining, batch_tokens, options):
        done = 0
        while batch := list(_some(remaining, batch_tokens * BYTES_OF_TOKEN)):
            try:
                found = self.encode(batch, batch_tokens=batch_tokens, **options)
            except (TextError, TypeError) as fault:
                raise type(fault)(f"{fault}, counted after {done} texts of the stream") if done else fault
            yield from found
            done += len(batch)

    def similarity(self, a: Any, b: Any) -> np.ndarray:
        """Every row of `a` with every row of `b`, by similarity_fn_name: NumPy, float64 [rows of a, rows of b]."""
        return vectors.similarity(a, b, self.similarity_fn_name)

    def similarity_pairwise(self, a: Any, b: Any) -> np.ndarray:
        """Each row of `a` with the row of `b` at the same place: NumPy, float64 [rows]."""
        import numpy

        left, right = vectors.matrix("a", a), vectors.matrix("b", b)
        if len(left) != len(right):
            raise UsageError(f"[b] expected {len(left)} rows, as many as a has, got {len(right)}")
        measure = self.similarity_fn_name
        return numpy.array([_summand.similarity(left[i : i + 1], right[i : i + 1], measure)[0, 0] for i in range(len(left))])

    def _prompt_name(self, prompt_name, prompt, candidates):
        if prompt_name is not None or prompt is not None:
            return prompt_name
        return next((name for name in candidates if name in self.info.prompts), None)

    def _prompt(self, name, prompt):
        """The text of a prompt, as the engine chooses it."""
        if name is not None and prompt is not None:
            raise UsageError("[prompt] expected either a prompt or the name of one, got both")
        name = name or self.default_prompt_name
        if prompt is not None or name is None:
            return prompt
        return self.prompts[arguments.choice("prompt_name", name, tuple(self.prompts))]

    def _embedding_keywords(self, prompt_name, prompt, normalize, dimensions, pooling, truncation, windows, overlap):
        pooled = arguments.names("pooling", pooling)
        for name in pooled:
            arguments.choice("pooling", name, POOLINGS)
        return self._lengths(truncation, self._max_seq_length, windows, overlap) | self._tapped() | {
            "prompt_name": arguments.text("prompt_name", prompt_name),
            "prompt": arguments.text("prompt", prompt),
            "normalize": arguments.flag("normalize", normalize),
            "dimensions": arguments.count("dimensions", self.truncate_dim if dimensions is None else dimensions),
            "pooling": pooled,
        }  # fmt: skip

    def _token_embeddings(self, given, keywords):
        lengths = {name: keywords[name] for name in ("truncation", "max_length", "points", "visit") if name in keywords}
        lengths["max_length"] = lengths["max_length"] or self.max_seq_length
        if prompt := self._prompt(keywords["prompt_name"], keywords["prompt"]):
            given = [_after(prompt, one) for one in columns.elements(given)]
        last = self.info.layers
        states = self._model.hidden_states(given, layers=[last], **lengths)
        offsets = states["offsets"]
        return [states["states"][0][begin:end] for begin, end in itertools.pairwise(offsets)]

    @staticmethod
    def _check_out(out, kind):
        import numpy

        if not isinstance(out, numpy.ndarray):
            arguments.refuse_type("out", "a NumPy array", out)
        if kind != "float32":
            raise UsageError(f"[out] expected dtype float32 with it, got {kind}")
        if out.dtype != numpy.float32 or out.ndim != 2 or not out.flags.c_contiguous or not out.flags.writeable:
            order = "C order" if out.flags.c_contiguous else "not C order"
            can = "writable" if out.flags.writeable else "read-only"
            raise UsageError(f"[out] expected float32 [texts, width] in C order, writable, got {out.dtype} {list(out.shape)}, {order}, {can}")


def _after(prompt, text):
    """A text, or a pair's first, behind a prompt. What is neither is left for the engine to refuse."""
    if isinstance(text, str):
        return prompt + text
    if isinstance(text, (list, tuple)) and text and isinstance(text[0], str):
        return (prompt + text[0], *text[1:])
    return text


def _some(texts, most_bytes):
    """Texts from an iterator, of about so many bytes."""
    taken = 0
    for text in texts:
        yield text
        taken += 2 * BYTES_OF_TOKEN  # [CLS] and [SEP]
        taken += len(text) if isinstance(text, str) else sum(len(part) for part in text if isinstance(part, str)) if isinstance(text, (list, tuple)) else most_bytes
        if taken >= most_bytes:
            return


def _tensors(array, as_one):
    import torch

    return torch.from_numpy(array) if as_one or array.ndim == 1 else [torch.from_numpy(row) for row in array]
