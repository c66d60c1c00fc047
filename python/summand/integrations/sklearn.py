"""A transformer of texts for scikit-learn."""

from __future__ import annotations

from .. import columns
from . import shared

with shared.imports_of("sklearn", "scikit-learn"):
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted

MODEL_PARAMETERS = ("model", "precision", "threads", "cache")


class SummandVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Texts to sentence vectors. Nothing is learnt: fit() loads the model and checks the options.

    model                                       a directory, or a name, as for Encoder
    precision, threads, cache                   as for Encoder
    normalize, dimensions, prompt_name, prompt  as for Encoder.encode
    encode_options                              further keywords of Encoder.encode

    Clones share one loaded model, as in a grid search; a process of joblib loads its own."""

    def __init__(self, model, *, precision=None, threads=0, cache=None, normalize=None, dimensions=None, prompt_name=None,
                 prompt=None, encode_options=None):  # fmt: skip
        self.model = model
        self.precision = precision
        self.threads = threads
        self.cache = cache
        self.normalize = normalize
        self.dimensions = dimensions
        self.prompt_name = prompt_name
        self.prompt = prompt
        self.encode_options = encode_options

    def fit(self, X, y=None):
        """X: a list or a column of str."""
        self._texts(X)
        self._n_features_out = self._encode([]).shape[1]
        return self

    def transform(self, X):
        """NumPy, float32 [texts, width]."""
        check_is_fitted(self)
        return self._encode(self._texts(X))

    def _texts(self, X):
        if isinstance(X, str):
            raise ValueError("[X] expected an iterable of str, got one str")
        return columns.texts_of(X, "X")

    def _encode(self, texts):
        return self._shared().load().encode(
            texts, normalize=self.normalize, dimensions=self.dimensions, prompt_name=self.prompt_name, prompt=self.prompt,
            **(self.encode_options or {}))  # fmt: skip

    def _shared(self):
        """The encoder of the present parameters, which set_params may have changed."""
        wanted = tuple(getattr(self, name) for name in MODEL_PARAMETERS)
        if getattr(self, "_kept", (None,))[0] != wanted:
            path, precision, threads, cache = wanted
            self._kept = wanted, shared.LazyEncoder(path, precision=precision, threads=threads, cache=cache)
        return self._kept[1]

    def __sklearn_clone__(self):
        self._shared()
        made = super().__sklearn_clone__()
        made._kept = self._kept
        return made

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_n_features_out")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
