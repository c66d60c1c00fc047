"""Embeddings and a reranker for LangChain."""

from __future__ import annotations

from typing import Any

from . import shared

with shared.imports_of("langchain_core", "langchain-core"):
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.embeddings import Embeddings
    from pydantic import ConfigDict, PrivateAttr


class SummandEmbeddings(Embeddings):
    """Documents by Encoder.encode_document, queries by encode_query.

    model                          a directory, or a name, as for Encoder
    precision, threads, cache      as for Encoder
    normalize, dimensions          as for Encoder.encode
    query_prompt, document_prompt  put before every text in place of the model's own prompt
    encode_options                 further keywords of Encoder.encode"""

    def __init__(self, model, *, precision=None, threads=0, cache=None, normalize=None, dimensions=None, query_prompt=None,
                 document_prompt=None, encode_options=None):  # fmt: skip
        self.model = shared.path_text("model", model)
        self._encoder = shared.LazyEncoder(
            model, precision=precision, threads=threads, cache=cache, normalize=normalize, dimensions=dimensions,
            query_prompt=query_prompt, document_prompt=document_prompt, encode_options=encode_options)  # fmt: skip

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self._encoder.queries([text])[0].tolist()

    def __repr__(self):
        return f"SummandEmbeddings({self.model!r})"


class SummandReranker(BaseDocumentCompressor):
    """The documents that a cross-encoder scores highest, best first, with the score in metadata["relevance_score"].

    model  of CrossEncoder, with one label
    top_n  how many documents are kept. None: all"""

    model_config = ConfigDict(extra="forbid")

    model: str
    top_n: int | None = 3
    precision: str | None = None
    threads: int = 0
    cache: str | None = None
    _cross_encoder: Any = PrivateAttr(None)

    def __init__(self, model, **options):
        super().__init__(model=shared.path_text("model", model), **options)

    def model_post_init(self, context, /):
        self._cross_encoder = shared.LazyCrossEncoder(self.model, precision=self.precision, threads=self.threads, cache=self.cache)

    def compress_documents(self, documents: list[Document], query: str, callbacks: Callbacks | None = None) -> list[Document]:
        def scored(document, score):
            return document.model_copy(update={"metadata": document.metadata | {"relevance_score": score}})

        ranked = self._cross_encoder.rank(query, [document.page_content for document in documents], self.top_n)
        return [scored(documents[place], score) for place, score in ranked]
