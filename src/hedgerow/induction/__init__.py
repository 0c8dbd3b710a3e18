"""Induction: criteria, candidates, growth, pruning; the C4.5 base learner."""

from hedgerow.induction._columns import Columns
from hedgerow.induction.core import grow, prune
from hedgerow.induction.rules import J48, THESIS, GrowthRules

__all__ = ["J48", "THESIS", "Columns", "GrowthRules", "grow", "prune"]
