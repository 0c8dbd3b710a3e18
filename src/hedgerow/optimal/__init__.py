"""The best tree up to a depth, with its proof."""

from hedgerow.optimal.gap import Gap, gap
from hedgerow.optimal.learner import OptimalTreeClassifier

__all__ = ["Gap", "OptimalTreeClassifier", "gap"]
