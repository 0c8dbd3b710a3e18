"""Missing values: EIG, trees that weigh what is known and what is guessed (Schreckenberger et al.).

Names are imported on first use, so that the command line starts without the compiled core.
"""

from __future__ import annotations

import importlib

_HOME = {
    "MissingIncorporated": "hedgerow.missing.mia",
    "TableImputer": "hedgerow.missing.imputation",
}

__all__ = ["MissingIncorporated", "TableImputer"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow.missing' has no attribute {name!r}")
