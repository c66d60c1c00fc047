"""Watching and changing the forward pass."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, NamedTuple

from . import arguments
from ._summand import TAP_POINTS
from .errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from typing_extensions import Self

    from .model import Model


class Visit(NamedTuple):
    """One point of the forward pass of one text."""

    point: str  #: one of Taps.POINTS
    layer: int  #: 1, 2, …; 0 for the points from token_part to input
    head: int  #: for scores and attention, from 0
    text: int  #: number of the text in the call, from 0
    window: int  #: number of the window of a text divided into windows, from 0
    values: np.ndarray  #: NumPy, float32: [tokens, hidden], or [tokens, tokens] for scores and attention


class Taps:
    """Watches or changes the forward pass of the calls of a model that are made inside `with`, on this thread.

        with summand.Taps(encoder, "attention") as taps:
            encoder.encode("A cat sat.")
        taps.visits[0].values  # [tokens, tokens]: layer 1, head 0

    Calls with taps run text after text on one thread, compute every text, and need precision fp32. With scores or
    attention among the points, results differ from those without taps by rounding, about 2e-5. Of several `with` around a
    call, the innermost counts.

    model   a Model, an Encoder or a CrossEncoder
    points  names from Taps.POINTS, in the order of computation; see docs/python.md
    visit   called with each Visit. It may change `values` in place: the model goes on with what it finds there. None:
            the visits are kept in `visits`, in order"""

    POINTS = tuple(TAP_POINTS)

    def __init__(self, model: Model, points: str | Sequence[str], visit: Callable[[Visit], None] | None = None):
        if not hasattr(model, "_taps"):
            arguments.refuse_type("model", "a Model", model)
        self.points = arguments.names("points", points)
        for point in self.points:
            arguments.choice("points", point, self.POINTS)
        if not self.points:
            raise UsageError("[points] expected a name or more, got none")
        if visit is not None and not callable(visit):
            arguments.refuse_type("visit", "a function or None", visit)
        self._model = model
        self._visit = visit or self._keep
        self._tokens: list = []
        self.visits: list[Visit] = []

    def _keep(self, visit):
        self.visits.append(visit)

    def _on_visit(self, point, layer, head, text, window, _first_token, values):
        self._visit(Visit(point, layer, head, text, window, values))

    def __enter__(self) -> Self:
        self._tokens.append(self._model._taps.set(self))
        return self

    def __exit__(self, *_):
        self._model._taps.reset(self._tokens.pop())


def no_taps():
    """Of a model: the taps that are set on this thread, or in this task."""
    return contextvars.ContextVar("taps", default=None)
