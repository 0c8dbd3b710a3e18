"""Leaves of a tree as risk groups (thesis, chapter 6): labels, survival inside leaves."""

from hedgerow.survival.groups import compare_groups
from hedgerow.survival.labels import HorizonLabels, horizon_labels
from hedgerow.survival.leaves import leaf_survival
from hedgerow.survival.logrank import LogRank, logrank

__all__ = [
    "HorizonLabels",
    "LogRank",
    "compare_groups",
    "horizon_labels",
    "leaf_survival",
    "logrank",
]
