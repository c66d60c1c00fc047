"""summand's exceptions. Each message is one line, "[where] expected …, got …"."""

from __future__ import annotations

from . import _summand


class Error(Exception):
    """Base class of summand's exceptions."""


class ConfigError(Error, ValueError):
    """A configuration value that is missing, malformed or not supported."""


class CheckpointError(Error, ValueError):
    """A checkpoint that is damaged or does not match its configuration."""


class TextError(Error, ValueError):
    """A text or a token that cannot be processed as asked."""


class IoError(Error, OSError):
    """A file or directory that cannot be read or written."""


class UsageError(Error, ValueError):
    """An argument that does not fit the model or another argument."""


for _kind in (Error, ConfigError, CheckpointError, TextError, IoError, UsageError):
    _kind.__module__ = "summand"
_summand.use_errors(Error, ConfigError, CheckpointError, TextError, IoError, UsageError)
