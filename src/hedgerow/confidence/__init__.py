"""ConfDTree: trees that doubt what is unusual for the class that they assign (Katz et al.)."""

from hedgerow.confidence.explain import Doubt, Explanation
from hedgerow.confidence.intervals import Intervals

__all__ = ["Doubt", "Explanation", "Intervals"]
