"""Learners that search the space of trees: by Monte Carlo (UCT-DT) and by evolution (ETE)."""

from hedgerow.search.ete import EvolutionaryTreeClassifier
from hedgerow.search.uct import UCTTreeClassifier

__all__ = ["EvolutionaryTreeClassifier", "UCTTreeClassifier"]
