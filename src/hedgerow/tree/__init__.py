"""The tree that every learner grows and every consumer reads."""

from hedgerow.tree.export import forest_from_frame, forest_to_frame
from hedgerow.tree.gates import NoiseGate
from hedgerow.tree.tree import Tree

__all__ = ["NoiseGate", "Tree", "forest_from_frame", "forest_to_frame"]
