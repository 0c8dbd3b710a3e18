"""Comparing the structure of trees (thesis, chapter 5): sorted nodes, edit distance, clusters."""

from hedgerow.structure.clusters import (
    cluster,
    dissimilarity_space,
    farthest_first,
    laplacian_eigenmaps,
    medoids,
    prototypes,
)
from hedgerow.structure.distance import TreeEditDistance
from hedgerow.structure.predictions import (
    class_prediction_distance,
    class_probability_distance,
)
from hedgerow.structure.selection import select_diverse

__all__ = [
    "TreeEditDistance",
    "class_prediction_distance",
    "class_probability_distance",
    "cluster",
    "dissimilarity_space",
    "farthest_first",
    "laplacian_eigenmaps",
    "medoids",
    "prototypes",
    "select_diverse",
]
