"""E2M: trees learnt and judged on evidential data (Sutton-Charani, Destercke and Denoeux).

Names are imported on first use, so that the command line starts without the compiled core.
"""

from __future__ import annotations

import importlib

_HOME = {
    "EvidentialData": "hedgerow.evidential.data",
    "best_first": "hedgerow.evidential.sequence",
    "evidential_error_rate": "hedgerow.evidential.error",
    "mixture": "hedgerow.evidential.boxes",
    "pick_tree": "hedgerow.evidential.sequence",
    "predict_evidential": "hedgerow.evidential.boxes",
}

__all__ = [
    "EvidentialData",
    "best_first",
    "evidential_error_rate",
    "mixture",
    "pick_tree",
    "predict_evidential",
]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow.evidential' has no attribute {name!r}")
