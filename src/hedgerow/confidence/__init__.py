"""ConfDTree: trees that doubt what is unusual for the class that they assign (Katz et al.).

Names are imported on first use, so that the command line starts without the compiled core.
"""

from __future__ import annotations

import importlib

_HOME = {
    "Revision": "hedgerow.confidence.revisions",
    "Revisions": "hedgerow.confidence.revisions",
    "Intervals": "hedgerow.confidence.intervals",
}

__all__ = ["Intervals", "Revision", "Revisions"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow.confidence' has no attribute {name!r}")
