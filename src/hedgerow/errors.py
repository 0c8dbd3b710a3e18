"""Errors and warnings: each names the culprit and the remedy in one sentence."""

from __future__ import annotations

import sys
import warnings

#: Libraries that call a learner on behalf of a user.
_BETWEEN = ("hedgerow", "hedgerow_clinic", "hedgerow_study", "joblib", "sklearn")


class HedgerowError(Exception):
    """Base of all errors that a user can mend.

    Parameters
    ----------
    message : str
        What is wrong, naming the file, column, value or setting.
    remedy : str, optional
        What to do about it.
    """

    def __init__(self, message: str, remedy: str | None = None):
        self.message = message
        self.remedy = remedy
        super().__init__(message, remedy)

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class DataError(HedgerowError):
    """A data file or table is not what the registry says it is."""


class DownloadError(DataError):
    """A source did not answer or answered with the wrong bytes."""


class ConfigError(HedgerowError):
    """A setting is unknown, missing or out of range."""


class InputError(HedgerowError, ValueError):
    """An argument of a public function or estimator is out of range.

    Also a ``ValueError``, as scikit-learn's callers expect.
    """


class HedgerowWarning(UserWarning):
    """What was asked for was done, and is probably not what was meant."""


class LibraryError(HedgerowError, ImportError):
    """A library that only some of the package needs is not installed.

    Also an ``ImportError``, so that callers can do without.
    """


def warn_user(message: str) -> None:
    """A HedgerowWarning at the line of the user's that led here, however many calls ago."""
    level, frame = 1, sys._getframe()
    while frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        if frame.f_back is None:
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, HedgerowWarning, stacklevel=level)
