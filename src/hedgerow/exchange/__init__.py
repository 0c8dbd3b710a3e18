"""Trees in the forms of other programs: scikit-learn, rules, SQL, plain Python.

Names are imported on first use, so that none of these forms costs those that do not need it.
"""

from __future__ import annotations

import importlib

_HOME = {
    "rules": "hedgerow.exchange.as_rules",
    "to_python": "hedgerow.exchange.as_python",
    "to_sklearn": "hedgerow.exchange.as_sklearn",
    "to_sql": "hedgerow.exchange.as_sql",
}

__all__ = ["rules", "to_python", "to_sklearn", "to_sql"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow.exchange' has no attribute {name!r}")
