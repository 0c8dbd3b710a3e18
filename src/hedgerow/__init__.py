"""hedgerow: interpretable decision trees that know how uncertain they are.

Estimators are imported on first use, so that ``import hedgerow.data`` and the command line
start quickly and do not load the compiled core.
"""

from __future__ import annotations

import importlib

_HOME = {
    "C45Classifier": "hedgerow.induction.c45",
    "ConfDTreeClassifier": "hedgerow.confidence.confdtree",
    "EIGClassifier": "hedgerow.missing.eig",
    "EvidentialData": "hedgerow.evidential.data",
    "EvidentialTreeClassifier": "hedgerow.evidential.learner",
    "EvolutionaryTreeClassifier": "hedgerow.search.ete",
    "Gap": "hedgerow.optimal.gap",
    "MissingIncorporated": "hedgerow.missing.mia",
    "OptimalTreeClassifier": "hedgerow.optimal.learner",
    "ProbabilisticThresholdClassifier": "hedgerow.uncertainty.plt",
    "SoftTreeClassifier": "hedgerow.uncertainty.soft",
    "Tree": "hedgerow.tree",
    "Explanation": "hedgerow.explanation.explanation",
    "TreeEditDistance": "hedgerow.structure",
    "UCTTreeClassifier": "hedgerow.search.uct",
    "Uncertain": "hedgerow.induction.uncertain_table",
    "UncertainDataTreeClassifier": "hedgerow.missing.combined_uncertainty",
    "UncertainTreeClassifier": "hedgerow.uncertainty.udt",
    "error_from_repeats": "hedgerow.explanation.repeats",
    "resolve_error": "hedgerow.induction.measurement",
    "evidential_error_rate": "hedgerow.evidential.error",
    "gap": "hedgerow.optimal.gap",
}
#: Former names, until the release after the next one.
_RENAMED = {"DoubtTreeClassifier": "UncertainDataTreeClassifier"}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str):
    if name == "__version__":  # of what is installed: pyproject.toml says it
        return importlib.import_module("importlib.metadata").version("hedgerow")
    if name in _RENAMED:
        message = f"{name} is now called {_RENAMED[name]}; the old name will go"
        importlib.import_module("hedgerow.errors").warn_user(message)
        name = _RENAMED[name]
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
