"""An embedding function for LanceDB. Import this module before you reopen a table: that registers the function."""

from __future__ import annotations

from typing import Any

from . import shared

with shared.imports_of("lancedb", "lancedb"):
    from lancedb.embeddings import TextEmbeddingFunction, register
    from pydantic import PrivateAttr


@register("summand")
class SummandEmbeddings(TextEmbeddingFunction):
    """Columns by Encoder.encode_document, queries by encode_query. A table keeps the arguments of create().

    name                           of the model: a directory, or a name, as for Encoder
    precision, threads, cache      as for Encoder
    normalize, dimensions          as for Encoder.encode
    query_prompt, document_prompt  put before every text in place of the model's own prompt
    encode_options                 further keywords of Encoder.encode"""

    name: str
    precision: str | None = None
    threads: int = 0
    cache: str | None = None
    normalize: bool | None = None
    dimensions: int | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    encode_options: dict[str, Any] | None = None
    max_retries: int = 0  # the same call gives the same error again
    _encoder: Any = PrivateAttr(None)

    @classmethod
    def create(cls, **given):
        """As of every function of LanceDB; paths may be os.PathLike."""
        return super().create(**given | {key: shared.path_text(key, given[key]) for key in ("name", "cache") if key in given})

    def model_post_init(self, context, /):
        super().model_post_init(context)
        self._encoder = shared.LazyEncoder(
            self.name, precision=self.precision, threads=self.threads, cache=self.cache, normalize=self.normalize,
            dimensions=self.dimensions, query_prompt=self.query_prompt, document_prompt=self.document_prompt,
            encode_options=self.encode_options)  # fmt: skip

    def generate_embeddings(self, texts, *args, **kwargs) -> list:
        return list(self._encoder.documents(texts))

    def compute_query_embeddings(self, query, *args, **kwargs) -> list:
        return list(self._encoder.queries(self.sanitize_input(query)))

    def ndims(self) -> int:
        return self._encoder.width()

    def __hash__(self):
        return hash((type(self), self.name))
