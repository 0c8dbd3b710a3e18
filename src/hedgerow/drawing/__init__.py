"""Pictures of trees and forests; no learner reads them."""

from hedgerow.drawing.forest import plot_forest
from hedgerow.drawing.page import tree_to_html, tree_to_svg
from hedgerow.drawing.tree import plot_tree

__all__ = ["plot_forest", "plot_tree", "tree_to_html", "tree_to_svg"]
