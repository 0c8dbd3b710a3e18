"""The tree that every learner grows and every consumer reads."""

from hedgerow.tree.forest import forest_from_frame, forest_to_frame
from hedgerow.tree.gates import CategoryGate, CategoryNoise, NoiseGate, ThresholdGate
from hedgerow.tree.tree import Tree

__all__ = [
    "CategoryGate",
    "CategoryNoise",
    "NoiseGate",
    "ThresholdGate",
    "Tree",
    "forest_from_frame",
    "forest_to_frame",
]
