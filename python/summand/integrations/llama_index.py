"""Embeddings for LlamaIndex."""

from __future__ import annotations

import asyncio
from typing import Any

from . import shared

with shared.imports_of("llama_index", "llama-index-core"):
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import Field, PrivateAttr

BATCH = 256  # texts between two events of the callback manager


class SummandEmbedding(BaseEmbedding):
    """Texts of nodes by Encoder.encode_document, queries by encode_query.

    model_name  a directory, or a name, as for Encoder"""

    precision: str | None = Field(default=None, description="as for Encoder")
    threads: int = Field(default=0, description="as for Encoder")
    cache: str | None = Field(default=None, description="as for Encoder")
    normalize: bool | None = Field(default=None, description="as for Encoder.encode")
    dimensions: int | None = Field(default=None, description="as for Encoder.encode")
    query_prompt: str | None = Field(default=None, description="put before every query in place of the model's prompt")
    text_prompt: str | None = Field(default=None, description="put before every text in place of the model's prompt")
    encode_options: dict[str, Any] = Field(default_factory=dict, description="further keywords of Encoder.encode")
    _encoder: Any = PrivateAttr(None)

    def __init__(self, model_name, *, embed_batch_size=BATCH, cache=None, **options):
        super().__init__(model_name=shared.path_text("model_name", model_name), embed_batch_size=embed_batch_size,
                         cache=shared.path_text("cache", cache), **options)  # fmt: skip

    def model_post_init(self, context, /):
        super().model_post_init(context)
        self._encoder = shared.LazyEncoder(
            self.model_name, precision=self.precision, threads=self.threads, cache=self.cache, normalize=self.normalize,
            dimensions=self.dimensions, query_prompt=self.query_prompt, document_prompt=self.text_prompt,
            encode_options=self.encode_options)  # fmt: skip

    @classmethod
    def class_name(cls) -> str:
        return "SummandEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._encoder.queries([query])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.documents(texts).tolist()
