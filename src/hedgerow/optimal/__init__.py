"""The best tree up to a depth, with its proof."""

from hedgerow.optimal.learner import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
