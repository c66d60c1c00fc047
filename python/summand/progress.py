"""A bar that shows how far a call is."""


class progress_bar:
    """With `with`: a function that takes the number of texts done; or None, if no bar is asked for or tqdm is not there."""

    def __init__(self, is_shown, texts):
        self._bar = None
        if is_shown:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=len(texts) if hasattr(texts, "__len__") else None, unit="text", desc="Texts")

    def __enter__(self):
        if self._bar is None:
            return None
        return lambda done: self._bar.update(done - self._bar.n)

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()
