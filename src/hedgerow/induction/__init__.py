"""Induction: criteria, candidates, growth, pruning; the C4.5 base learner."""

from hedgerow.induction._columns import Columns
from hedgerow.induction.core import grow, prune
from hedgerow.induction.curves import GainCurve, gain_curve

__all__ = ["Columns", "GainCurve", "gain_curve", "grow", "prune"]
