"""Synthetic sets: the five of table 3.1, 500 ejection fractions, and which generator makes which.

The five come from Guyon's generator. The thesis names scikit-learn's ``make_classification``, the
sizes of the sets, and that the number of variables and instances, the correlation between
variables and the number of hypercube vertices vary; it prints none of the settings. Those in the
registry are ours.

The ejection fractions stand in for those of the illustration in section 3.4.1, whose file can be
had with an account only. They are not that file, nor drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.aortic_stenosis import AorticStenosisPlan, aortic_stenosis

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AorticStenosisPlan", "EjectionFractionPlan", "GuyonPlan", "generate"]

#: Values are rounded before they are fingerprinted: the last bits of a matrix product depend on
#: the linear algebra library and processor, six decimals do not.
DECIMALS = 6


@dataclass(frozen=True)
class GuyonPlan:
    """Settings of one synthetic set.

    Attributes
    ----------
    n_samples : int
        Number of disjoint samples, one per repeat (30 in table 3.1).
    rows : int
        Rows of one sample.
    n_variables, n_informative, n_redundant : int
        All variables; those that span the hypercube; linear combinations of these, which bring
        correlation. What is left is noise.
    n_classes, n_clusters_per_class : int
        Their product is the number of hypercube vertices in use.
    class_sep : float
        Half the side of the hypercube, in standard deviations of a cluster.
    flip_y : float
        Share of rows whose class is drawn at random.
    seed : int
        Seed of the generator; part of the definition of the set.
    """

    n_samples: int
    rows: int
    n_variables: int
    n_informative: int
    n_redundant: int
    n_classes: int
    n_clusters_per_class: int
    class_sep: float
    flip_y: float
    seed: int


@dataclass(frozen=True)
class EjectionFractionPlan:
    """Settings of a synthetic set of left-ventricular ejection fractions (LVEF).

    A mixture of two beta distributions: most patients about a normal ejection fraction, the
    others about a reduced one. Beta distributions stay between 0 and 100 % by themselves.

    Attributes
    ----------
    rows : int
        Number of patients.
    share_reduced : float
        Probability that a patient belongs to the part with a reduced ejection fraction.
    mean_normal, sd_normal, mean_reduced, sd_reduced : float
        Mean and standard deviation of each part, in per cent.
    threshold : float
        A patient is eligible (class ``"1"``) with an ejection fraction below it, in per cent.
    decimals : int
        Decimals that are kept, as in a report.
    seed : int
        Seed of the generator; part of the definition of the set.
    """

    rows: int
    share_reduced: float
    mean_normal: float
    sd_normal: float
    mean_reduced: float
    sd_reduced: float
    threshold: float
    decimals: int
    seed: int


def generate(plan: GuyonPlan | EjectionFractionPlan | AorticStenosisPlan) -> pd.DataFrame:
    """Generate a synthetic set.

    Returns: as `guyon`, `ejection_fractions` or `aortic_stenosis` return it.
    """
    if isinstance(plan, AorticStenosisPlan):
        return aortic_stenosis(plan)
    return guyon(plan) if isinstance(plan, GuyonPlan) else ejection_fractions(plan)


def ejection_fractions(plan: EjectionFractionPlan) -> pd.DataFrame:
    """Generate ejection fractions, in per cent, with the eligibility that follows from them.

    Returns: ``plan.rows`` rows; columns ``lvef`` (per cent) and ``class``, ``"1"`` where it is
    below the threshold.
    """
    import pandas as pd

    # The stream of RandomState is frozen, that of numpy's newer generators may change.
    random = np.random.RandomState(plan.seed)
    reduced = random.uniform(size=plan.rows) < plan.share_reduced
    normal = random.beta(*_beta(plan.mean_normal, plan.sd_normal), size=plan.rows)
    low = random.beta(*_beta(plan.mean_reduced, plan.sd_reduced), size=plan.rows)
    lvef = np.round(100.0 * np.where(reduced, low, normal), plan.decimals)
    return pd.DataFrame({"lvef": lvef, "class": (lvef < plan.threshold).astype(int).astype(str)})


def _beta(mean: float, sd: float) -> tuple[float, float]:
    """Parameters of a beta distribution from its mean and standard deviation in per cent."""
    mean, sd = mean / 100.0, sd / 100.0
    size = mean * (1.0 - mean) / sd**2 - 1.0
    return mean * size, (1.0 - mean) * size


def guyon(plan: GuyonPlan) -> pd.DataFrame:
    """Generate all samples of a synthetic set of table 3.1, from one distribution.

    Every variable is shifted so that its smallest value is 1 (one standard deviation of a
    cluster): noise is a share of the variable's mean, which says nothing for a variable centred
    on 0.

    Returns: ``plan.n_samples * plan.rows`` rows; columns ``x01, x02, ...`` (float, rounded to 6
    decimals, at least 1), ``class`` (``"0"``, ``"1"``, ...) and ``sample`` (int, from 0).
    """
    import pandas as pd
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n_samples=plan.n_samples * plan.rows,
        n_features=plan.n_variables,
        n_informative=plan.n_informative,
        n_redundant=plan.n_redundant,
        n_classes=plan.n_classes,
        n_clusters_per_class=plan.n_clusters_per_class,
        class_sep=plan.class_sep,
        flip_y=plan.flip_y,
        # The generator shuffles rows, so that consecutive blocks are random samples; it also
        # shuffles variables, so that the informative ones are not the first.
        shuffle=True,
        random_state=plan.seed,
    )
    X = np.round(X, DECIMALS)
    X = np.round(X - X.min(axis=0) + 1.0, DECIMALS)
    frame = pd.DataFrame(X, columns=[f"x{j + 1:02d}" for j in range(plan.n_variables)])
    frame["class"] = y.astype(str)
    frame["sample"] = np.repeat(np.arange(plan.n_samples), plan.rows)
    return frame
