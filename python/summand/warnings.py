"""What a call says without ending."""

from __future__ import annotations

import os
import sys
import warnings

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class CutWarning(UserWarning):
    """Texts lost tokens, because they were longer than the limit. `warnings.filterwarnings` silences or raises it."""


def say_cut(count, limit):
    """At the place that called this package. @param count  of a call, as the binding gives it"""
    if not count["texts_cut"]:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{count['texts_cut']} of {count['texts']} texts were cut at {limit} tokens", CutWarning, level)
