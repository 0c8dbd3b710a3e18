"""Induction: criteria, candidates, growth, pruning; the C4.5 base learner."""

from hedgerow.induction._columns import Columns
from hedgerow.induction.core import grow, prune

__all__ = ["Columns", "grow", "prune"]
