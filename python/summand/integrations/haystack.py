"""Embedders and a ranker for Haystack."""

from __future__ import annotations

import dataclasses

from . import shared

with shared.imports_of("haystack", "haystack-ai"):
    from haystack import Document, component, default_from_dict, default_to_dict


class _Component:
    """`_given` are the arguments of the constructor, for to_dict; `_lazy` is the model."""

    def _keep(self, given):
        self._given = given | {name: shared.path_text(name, given[name]) for name in ("model", "cache")}

    def warm_up(self):
        """Loads the model; otherwise the first run() does."""
        self._lazy.load()

    def to_dict(self) -> dict:
        return default_to_dict(self, **self._given)

    @classmethod
    def from_dict(cls, data: dict):
        return default_from_dict(cls, data)


class _Embedder(_Component):
    def _keep(self, given):
        super()._keep(given)
        options = {name: given[name] for name in ("precision", "threads", "cache", "normalize", "dimensions", "encode_options")}
        self._lazy = shared.LazyEncoder(given["model"], query_prompt=given["prefix"], document_prompt=given["prefix"], **options)


@component
class SummandTextEmbedder(_Embedder):
    """The vector of a query, by Encoder.encode_query.

    model                      a directory, or a name, as for Encoder
    precision, threads, cache  as for Encoder
    normalize, dimensions      as for Encoder.encode
    prefix                     put before every text in place of the model's own prompt
    suffix                     put after every text
    encode_options             further keywords of Encoder.encode"""

    def __init__(self, model: str, *, precision: str | None = None, threads: int = 0, cache: str | None = None, normalize: bool | None = None,
                 dimensions: int | None = None, prefix: str | None = None, suffix: str = "", encode_options: dict | None = None):  # fmt: skip
        self._keep(dict(model=model, precision=precision, threads=threads, cache=cache, normalize=normalize, dimensions=dimensions,
                        prefix=prefix, suffix=suffix, encode_options=encode_options))  # fmt: skip

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict:
        if not isinstance(text, str):
            raise TypeError(f"[text] expected str, got {type(text).__name__}; SummandDocumentEmbedder takes documents")
        return {"embedding": self._lazy.queries([text + self._given["suffix"]])[0].tolist()}


@component
class SummandDocumentEmbedder(_Embedder):
    """Documents with their vectors, by Encoder.encode_document. Those that are given stay as they are.

    meta_fields_to_embed  keys of `meta` whose values are put before the content
    embedding_separator   between these and the content

    The other parameters are those of SummandTextEmbedder."""

    def __init__(self, model: str, *, precision: str | None = None, threads: int = 0, cache: str | None = None, normalize: bool | None = None,
                 dimensions: int | None = None, prefix: str | None = None, suffix: str = "", meta_fields_to_embed: list[str] | None = None,
                 embedding_separator: str = "\n", encode_options: dict | None = None):  # fmt: skip
        self._keep(dict(model=model, precision=precision, threads=threads, cache=cache, normalize=normalize, dimensions=dimensions,
                        prefix=prefix, suffix=suffix, meta_fields_to_embed=meta_fields_to_embed, embedding_separator=embedding_separator,
                        encode_options=encode_options))  # fmt: skip

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict:
        _check(documents)
        vectors = self._lazy.documents([self._text_of(document) for document in documents])
        return {"documents": [dataclasses.replace(document, embedding=vector.tolist()) for document, vector in zip(documents, vectors)]}

    def _text_of(self, document):
        fields = (document.meta.get(key) for key in self._given["meta_fields_to_embed"] or [])
        parts = [str(value) for value in fields if value is not None]
        return self._given["embedding_separator"].join([*parts, document.content or ""]) + self._given["suffix"]


@component
class SummandRanker(_Component):
    """The documents that a cross-encoder scores highest, best first, with their scores.

    model  of CrossEncoder, with one label
    top_k  how many documents are kept. None: all"""

    def __init__(self, model: str, *, precision: str | None = None, threads: int = 0, cache: str | None = None, top_k: int | None = 10):
        self._keep(dict(model=model, precision=precision, threads=threads, cache=cache, top_k=top_k))
        self._lazy = shared.LazyCrossEncoder(model, precision=precision, threads=threads, cache=cache)

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document], top_k: int | None = None) -> dict:
        """top_k: in place of the constructor's."""
        _check(documents)
        ranked = self._lazy.rank(query, [document.content or "" for document in documents], top_k or self._given["top_k"])
        return {"documents": [dataclasses.replace(documents[place], score=score) for place, score in ranked]}


def _check(documents):
    for document in documents:
        if not isinstance(document, Document):
            raise TypeError(f"[documents] expected a list of Document, got {type(document).__name__}; SummandTextEmbedder takes one text")
