"""Why a case is answered as it is, and how sure that is: for people, of one case or a table.

Names are imported on first use, so that the command line starts without the compiled core.
"""

from __future__ import annotations

import importlib

_HOME = {
    "Explanation": "hedgerow.explanation.explanation",
    "Explanations": "hedgerow.explanation.explanation",
    "error_from_repeats": "hedgerow.explanation.repeats",
    "explain_learner": "hedgerow.explanation.explain",
    "explain_tree": "hedgerow.explanation.explain",
}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow.explanation' has no attribute {name!r}")
