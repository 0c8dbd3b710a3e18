"""Comparing the structure of trees (thesis, chapter 5): sorted nodes, edit distance."""

from hedgerow.structure.distance import TreeEditDistance
from hedgerow.structure.predictions import (
    class_prediction_distance,
    class_probability_distance,
)

__all__ = ["TreeEditDistance", "class_prediction_distance", "class_probability_distance"]
