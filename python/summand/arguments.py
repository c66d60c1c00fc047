"""Checks of arguments: one line that names the argument, says what was expected and what was given."""

from __future__ import annotations

import operator
import os

from .errors import UsageError


MOST_THREADS = 4096


def refuse_type(name, expected, got):
    raise TypeError(f"[{name}] expected {expected}, got {type(got).__name__}")


def count(name, value, least=1):
    """A whole number, or None."""
    return None if value is None else number(name, value, least)


def number(name, value, least=1):
    """A whole number."""
    if isinstance(value, bool):
        refuse_type(name, "a whole number", value)
    try:
        whole = operator.index(value)
    except TypeError:
        refuse_type(name, "a whole number", value)
    if not least <= whole < 2**63:
        raise UsageError(f"[{name}] expected a whole number from {least} on, got {whole}")
    return whole


def threads(value, least=0):
    """A number of threads: as many as quota and affinity allow if it is 0."""
    wanted = number("threads", value, least)
    if wanted > MOST_THREADS:
        raise UsageError(f"[threads] expected at most {MOST_THREADS}, got {wanted}")
    return wanted


def ids(value):
    """A list of ids of tokens."""
    found = [number("ids", one, least=0) for one in value]
    for one in found:
        if one >= 2**31:
            raise UsageError(f"[ids] expected numbers below {2**31}, got {one}")
    return found


def lasting_path(name, value):
    """A path that stays the same from another working directory, or None."""
    return None if value is None else os.path.abspath(path(name, value))


def flag(name, value):
    """True, False or None."""
    if value is None or isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    refuse_type(name, "True or False", value)


def text(name, value):
    """A str, or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        refuse_type(name, "str", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"[{name}] expected text, got a surrogate without its other half") from None
    return value


def choice(name, value, choices):
    if not isinstance(value, str):
        refuse_type(name, "str", value)
    if value not in choices:
        raise UsageError(f"[{name}] expected {', '.join(choices[:-1])} or {choices[-1]}, got {value!r}")
    return value


def path(name, value):
    """Of a file, as str."""
    if not isinstance(value, (str, os.PathLike)):
        refuse_type(name, "str or os.PathLike", value)
    given = os.fspath(value)
    if not isinstance(given, str):
        refuse_type(name, "str or os.PathLike", value)
    if "\0" in given:
        raise UsageError(f"[{name}] expected a path, got one with a zero byte")
    return text(name, given)


def names(name, value):
    """A list of str: one, several or none."""
    if value is None:
        return []
    if isinstance(value, str):
        return [text(name, value)]
    try:
        given = list(value)
    except TypeError:
        refuse_type(name, "a list of str", value)
    for one in given:
        if not isinstance(one, str):
            refuse_type(name, "a list of str", one)
    return [text(name, one) for one in given]


def either(name, value, other_name, other):
    """The value of an argument that has two names."""
    if value is not None and other is not None and value != other:
        raise UsageError(f"[{name}] expected {name} or {other_name}, which mean the same, got both")
    return other if value is None else value


def on_this_device(value):
    if value is not None and str(value) != "cpu":
        raise UsageError(f"[device] expected 'cpu', got {value!r}")
