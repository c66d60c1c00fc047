"""An embedding function for Chroma. Import this module before you reopen a collection: that registers the function."""

from __future__ import annotations

from typing import Any

from . import shared

with shared.imports_of("chromadb", "chromadb"):
    from chromadb import Documents, EmbeddingFunction, Embeddings
    from chromadb.utils.embedding_functions import register_embedding_function

WITHOUT_EFFECT = ("threads", "cache")  # on vectors
SPACES = {"cosine": "cosine", "dot": "ip", "euclidean": "l2"}  # by the model's similarity


@register_embedding_function
class SummandEmbeddingFunction(EmbeddingFunction[Documents]):
    """Documents by Encoder.encode_document, queries by encode_query. A collection keeps the arguments.

    model                          a directory, or a name, as for Encoder
    precision, threads, cache      as for Encoder
    normalize, dimensions          as for Encoder.encode
    query_prompt, document_prompt  put before every text in place of the model's own prompt
    encode_options                 further keywords of Encoder.encode"""

    def __init__(self, model, *, precision=None, threads=0, cache=None, normalize=None, dimensions=None, query_prompt=None,
                 document_prompt=None, encode_options=None):  # fmt: skip
        self._config = dict(
            model=shared.path_text("model", model), precision=precision, threads=threads, cache=shared.path_text("cache", cache), normalize=normalize,
            dimensions=dimensions, query_prompt=query_prompt, document_prompt=document_prompt, encode_options=encode_options)  # fmt: skip
        options = dict(self._config)
        self._encoder = shared.LazyEncoder(options.pop("model"), **options)

    def __call__(self, input: Documents) -> Embeddings:
        return list(self._encoder.documents(input))

    def embed_query(self, input: Documents) -> Embeddings:
        return list(self._encoder.queries(input))

    @staticmethod
    def name() -> str:
        return "summand"

    def default_space(self):
        """The measure that the model names, or cosine."""
        return SPACES.get(self._encoder.load().info.similarity, "cosine")

    def get_config(self) -> dict[str, Any]:
        return dict(self._config)

    @staticmethod
    def build_from_config(config: dict[str, Any]):
        return SummandEmbeddingFunction(**config)

    def validate_config_update(self, old_config: dict[str, Any], new_config: dict[str, Any]):
        """Raises ValueError if the vectors of a collection would no longer be comparable."""
        for name, new in new_config.items():
            old = old_config.get(name)
            if new != old and name not in WITHOUT_EFFECT:
                raise ValueError(f"[{name}] expected {old!r}, as in the collection, got {new!r}")
