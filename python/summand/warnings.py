"""What a call says without ending."""

from __future__ import annotations

import os
import sys
import warnings

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class CutWarning(UserWarning):
    """Texts lost tokens, because they were longer than the limit. `warnings.filterwarnings` silences or raises it."""


class DefaultWarning(UserWarning):
    """The model does not say how its vectors are made, and something was chosen."""


def say(message, category):
    """At the place that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, level)


def say_cut(cut, texts, limit, unit="tokens"):
    """That so many of so many texts were cut."""
    if cut:
        say(f"{cut} of {texts} texts were cut at {limit} {unit}", CutWarning)
