"""WordPiece without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _summand, arguments, columns
from .errors import UsageError
from .model import TRUNCATIONS, lasting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike


class Tokenizer:
    """A checkpoint's tokenizer: the ids and offsets of `tokenizers`, under its names.

    path  a directory or a name, as for Model"""

    def __init__(self, path: str | PathLike):
        self._path = lasting(arguments.path("path", path))
        self._tokenizer = _summand.Tokenizer.load(self._path)

    @classmethod
    def from_vocabulary(cls, path: str | PathLike, lowercase: bool) -> Tokenizer:
        """A vocabulary file with a token on each line, and BERT's settings."""
        made = cls.__new__(cls)
        made._path = None
        file = arguments.path("path", path)
        made._tokenizer = _summand.Tokenizer.from_vocabulary(file, bool(arguments.flag("lowercase", lowercase)))
        return made

    def encode(self, sequence: str | Sequence[str], pair: str | None = None, is_pretokenized: bool = False, add_special_tokens: bool = True, *,
               truncation: str | None = None, max_length: int | None = None) -> _summand.Encoding:  # fmt: skip
        """One text or a pair, or the words of a text. Offsets count characters, with words those of each word. Returns Encoding."""
        if arguments.flag("is_pretokenized", is_pretokenized) and pair is not None:
            raise UsageError("[pair] expected None with words, got a second text")
        if not isinstance(sequence, (list, tuple) if is_pretokenized else str):
            arguments.refuse_type("sequence", "a list of str" if is_pretokenized else "str", sequence)
        if pair is not None and not isinstance(pair, str):
            arguments.refuse_type("pair", "str", pair)
        given = sequence if pair is None else (sequence, pair)
        return self.encode_batch([given], is_pretokenized, add_special_tokens, truncation=truncation, max_length=max_length)[0]

    def encode_batch(self, input: Iterable, is_pretokenized: bool = False, add_special_tokens: bool = True, *, truncation: str | None = None,
                     max_length: int | None = None, threads: int = 0) -> list[_summand.Encoding]:  # fmt: skip
        """A list of texts, of pairs, or of lists of words. Nothing is cut unless max_length asks for it. Returns a list of
        Encoding."""
        if truncation is not None:
            arguments.choice("truncation", truncation, TRUNCATIONS)
        words = bool(arguments.flag("is_pretokenized", is_pretokenized))
        special = bool(arguments.flag("add_special_tokens", add_special_tokens))
        return self._tokenizer.encode(columns.texts_of(input, "input"), words=words, special_tokens=special, truncation=truncation,
                                      max_length=arguments.count("max_length", max_length), threads=arguments.threads(threads))  # fmt: skip

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """The text of ids; unknown ones are left out."""
        return self._tokenizer.decode(arguments.ids(ids), bool(arguments.flag("skip_special_tokens", skip_special_tokens)))

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, or None."""
        return self._tokenizer.token_id(_required("token", token))

    def id_to_token(self, id: int) -> str | None:
        """The token of an id, or None."""
        number = arguments.count("id", id, least=0)
        return (self._tokenizer.token(number) or None) if number is not None and number < 2**31 else None

    def get_vocab_size(self) -> int:
        """One more than the largest id."""
        return self._tokenizer.vocabulary_size

    @property
    def notices(self) -> list[str]:
        """A line for each setting of the files that is not followed."""
        return self._tokenizer.notices

    def __reduce__(self):
        if self._path is None:
            raise TypeError("[Tokenizer] expected one of a checkpoint to be pickled, got one of a vocabulary file")
        return Tokenizer, (self._path,)


def _required(name, value):
    if value is None:
        arguments.refuse_type(name, "str", value)
    return arguments.text(name, value)
