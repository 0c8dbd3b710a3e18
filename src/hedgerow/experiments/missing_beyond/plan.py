"""Settings and names of what goes beyond the paper of EIG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.experiments.compared import LOSS, POINTS, Compared, Part
from hedgerow.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "missing_beyond"  # the word under which seeds are drawn

PARTS = ("mechanisms", "imputers", "learners", "pruning", "natural", "noise")
#: Completely at random, at random, not at random; the other parts remove by the first.
MECHANISMS = ("mcar", "mar", "mnar")
#: EIG by what guesses; the first five tell one guess of each value, which has an error.
GUESSES = ("eig_mean", "eig_knn", "eig_iterative", "eig_forest", "eig_gaussian")
METHODS = {
    "mechanisms": ("c45", "knn", "eig_knn", "eig_perfect"),
    "imputers": ("c45", *GUESSES, "eig_multiple", "eig_perfect"),
    "learners": ("c45", "eig_knn", "mia", "sklearn_tree", "gradient_boosting"),
    "pruning": ("c45", "mean", "knn", "eig_knn"),
    "natural": (
        "c45",
        "c45_node",
        "mean",
        "knn",
        "mia",
        "gradient_boosting",
        "eig_knn",
        "c45_native",
        "eig_knn_native",
    ),
    "noise": ("c45", "soft", "eig_knn", "eig_soft"),
}
#: What each part compares, first and second, and by what.
COMPARED = Compared(
    cell=("setting", "share"),
    parts={
        "mechanisms": Part(
            {"accuracy": POINTS}, (("knn", "c45"), ("eig_knn", "c45"), ("eig_perfect", "c45"))
        ),
        "imputers": Part(
            {"accuracy": POINTS},
            (
                *((guess, "c45") for guess in (*GUESSES, "eig_multiple", "eig_perfect")),
                ("eig_perfect", "eig_knn"),
                ("eig_multiple", "eig_gaussian"),
                ("eig_multiple", "eig_iterative"),
            ),
        ),
        "learners": Part(
            {"accuracy": POINTS},
            tuple(
                ("eig_knn", other) for other in ("c45", "mia", "sklearn_tree", "gradient_boosting")
            ),
        ),
        "pruning": Part(
            {"accuracy": POINTS, "macro_f1": POINTS, "log_loss": LOSS},
            (("eig_knn", "c45"), ("eig_knn", "mean"), ("eig_knn", "knn")),
        ),
        "natural": Part(
            {"accuracy": POINTS, "macro_f1": POINTS},
            (
                *(
                    ("eig_knn", other)
                    for other in ("c45", "c45_node", "mean", "knn", "mia", "gradient_boosting")
                ),
                ("eig_knn_native", "c45_native"),
                ("eig_knn_native", "eig_knn"),
            ),
        ),
        "noise": Part(
            {"accuracy": POINTS},
            (
                ("eig_knn", "c45"),
                ("eig_soft", "c45"),
                ("eig_soft", "eig_knn"),
                ("eig_soft", "soft"),
            ),
        ),
    },
    order={"setting": (*MECHANISMS, "unpruned", "pruned")},
)
#: How far better guesses go with better trees: a correlation, tested against 0.
AGREEMENT = "agreement"
AS_IT_IS = "nothing removed"  # the setting of data that lack values by themselves
DATA = "data"  # in the place of a method, of what is told of a data set

ORDER = {"rows": ["part", "dataset", "repeat", "setting", "share", "method", "metric"]}
VALUES = {"rows": ["value"]}


@dataclass(frozen=True)
class MissingBeyondPlan(Plan):
    """Beyond the paper of EIG: mechanisms, imputers, other learners, pruning, real gaps, noise."""

    section: ClassVar[str] = "missing_beyond"

    datasets: tuple[str, ...] = setting(
        ("iris", "wine", "haberman", "bupa", "saheart", "diabetes"),
        "Data sets from which values are removed, by their key in the registry; rows that lack a "
        "value are left out.",
    )
    natural_datasets: tuple[str, ...] = setting(
        (
            "hepatitis",
            "autos",
            "mammographic",
            "credit_approval",
            "heart_cleveland",
            "dermatology",
        ),
        "Data sets that lack values by themselves.",
    )
    n_repeats: int = setting(
        1,
        "Repeats of each data set, each with folds and removed values of its own.",
        minimum=1,
        maximum=9_999,
    )
    n_folds: int = setting(
        3, "Folds of the stratified cross validations.", minimum=2, maximum=1_000_000
    )
    n_rows: int = setting(
        150,
        "Rows of a data set from which values are removed, at most; of a larger one as many are "
        "drawn for each repeat.",
        minimum=10,
        maximum=1_000_000,
    )
    shares: tuple[float, ...] = setting(
        (0.5,),
        "Shares of the values that are removed, in training and test rows.",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    n_neighbors: int = setting(
        5, "Neighbours of k-nearest-neighbour imputation.", minimum=1, maximum=1_000
    )
    n_rounds: int = setting(
        2, "Rounds of the iterative imputers over all variables.", minimum=1, maximum=1_000
    )
    n_trees: int = setting(
        5, "Trees of each forest that imputes a variable.", minimum=1, maximum=10_000
    )
    n_imputations: int = setting(
        3, "Guesses of each value in multiple imputation.", minimum=2, maximum=1_000
    )
    noise: tuple[float, ...] = setting(
        (0.2,),
        "Noise factors: numbers get normal noise whose standard deviation is this share of their "
        "variable's mean, before values are removed.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    chunk: int = in_chunks("Repeats")
