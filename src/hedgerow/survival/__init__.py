"""Leaves of a tree as risk groups (thesis, chapter 6): labels, survival inside leaves."""

from hedgerow.survival.labels import HorizonLabels, horizon_labels
from hedgerow.survival.leaves import leaf_survival
from hedgerow.survival.logrank import LogRank, logrank

__all__ = ["HorizonLabels", "LogRank", "horizon_labels", "leaf_survival", "logrank"]
