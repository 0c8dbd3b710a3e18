# The public names for type checkers; __init__.py imports each on first use.

from hedgerow.confidence.confdtree import ConfDTreeClassifier as ConfDTreeClassifier
from hedgerow.evidential.data import EvidentialData as EvidentialData
from hedgerow.evidential.error import evidential_error_rate as evidential_error_rate
from hedgerow.evidential.learner import EvidentialTreeClassifier as EvidentialTreeClassifier
from hedgerow.explanation.explanation import Explanation as Explanation
from hedgerow.explanation.repeats import error_from_repeats as error_from_repeats
from hedgerow.induction.c45 import C45Classifier as C45Classifier
from hedgerow.induction.measurement import resolve_error as resolve_error
from hedgerow.induction.uncertain_table import Uncertain as Uncertain
from hedgerow.missing.combined_uncertainty import (
    UncertainDataTreeClassifier as UncertainDataTreeClassifier,
)
from hedgerow.missing.eig import EIGClassifier as EIGClassifier
from hedgerow.missing.mia import MissingIncorporated as MissingIncorporated
from hedgerow.optimal.gap import Gap as Gap
from hedgerow.optimal.gap import gap as gap
from hedgerow.optimal.learner import OptimalTreeClassifier as OptimalTreeClassifier
from hedgerow.search.ete import EvolutionaryTreeClassifier as EvolutionaryTreeClassifier
from hedgerow.search.uct import UCTTreeClassifier as UCTTreeClassifier
from hedgerow.structure import TreeEditDistance as TreeEditDistance
from hedgerow.tree import Tree as Tree
from hedgerow.uncertainty.plt import (
    ProbabilisticThresholdClassifier as ProbabilisticThresholdClassifier,
)
from hedgerow.uncertainty.soft import SoftTreeClassifier as SoftTreeClassifier
from hedgerow.uncertainty.udt import UncertainTreeClassifier as UncertainTreeClassifier

__version__: str
