"""Settings of growth: how it proposes tests, and when it stops."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_flag, check_number


def halfway(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Thresholds half-way between values, as growth has them to the last bit, (k,) float64.

    lower, upper : (k,) float64, lower < upper
    The upper one, where no number lies between.
    """
    with np.errstate(over="ignore"):
        distance = upper - lower
    middle = np.where(np.isfinite(distance), lower + 0.5 * distance, 0.5 * lower + 0.5 * upper)
    return np.where(middle > lower, middle, upper)


@dataclass(frozen=True)
class GrowthRules:
    """What variants of C4.5 do otherwise when a tree is grown and cut back; default: the thesis.

    Attributes
    ----------
    threshold_penalty : bool
        The gain of a numeric test is reduced by log2(k) / N bits, for the k thresholds that were
        tried and the weight N of the node (Quinlan 1996, C4.5 release 8).
    larger_numeric_sides : bool
        Of a numeric test each side has at least min(25, max(min_samples_leaf, N / 10 C)) of the
        weight N whose value is known; C is the number of classes (Quinlan 1993, release 8).
    thresholds : {"right", "left", "observed"}
        Where a value goes that is equal to a threshold: "right" or "left". "observed": a threshold
        becomes the largest value of the training set up to there, which goes left (release 8).
    tolerance : float
        Values of a variable at most this apart are not separated by a test (Weka: .00001).
    one_against_rest : bool
        A categorical variable is tested by one category against all others, the one with the
        largest gain ratio (Weka's BinC45Split), not by the best two subsets.
    collapse : bool
        A subtree that makes as many errors on the training set as a leaf, less .001, becomes one,
        whether the tree is pruned or not (Quinlan 1993, 4.2; Weka's option -O leaves it out).
    pruning_slack : float
        Pruning takes a leaf, or a raised branch, whose predicted errors are at most this above
        those of what it replaces (release 8: .1).
    prune_again : bool
        What stands below a raised branch is pruned once more, on the rows that it now has.
    raise_largest : bool
        Only the child with the larger weight may be raised.
    normal_limit : bool
        Predicted errors use the normal approximation of the binomial limit, with a continuity
        correction, from one error on (release 8), not the exact limit.

    Raises
    ------
    InputError
        A field of another type, or a number below 0.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning; Quinlan (1996), Improved Use of Continuous
    Attributes in C4.5, JAIR 4:77-90. What Weka's J48 does was found by its answers.
    """

    threshold_penalty: bool = False
    larger_numeric_sides: bool = False
    thresholds: str = "right"
    tolerance: float = 0.0
    one_against_rest: bool = False
    collapse: bool = False
    pruning_slack: float = 0.0
    prune_again: bool = False
    raise_largest: bool = False
    normal_limit: bool = False

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "thresholds":
                check_choice(one.name, value, ("right", "left", "observed"))
            elif isinstance(one.default, float):
                check_number(one.name, value, 0.0, LARGEST)
            else:
                check_flag(one.name, value)


THESIS = GrowthRules()
#: Weka's J48, a C4.5 of release 8.
J48 = GrowthRules(
    threshold_penalty=True,
    larger_numeric_sides=True,
    thresholds="observed",
    tolerance=1e-5,
    one_against_rest=True,
    collapse=True,
    pruning_slack=0.1,
    prune_again=True,
    raise_largest=True,
    normal_limit=True,
)


@dataclass(frozen=True)
class Rules:
    """Which tests count, and when a branch ends.

    Attributes
    ----------
    min_samples_split, min_samples_leaf : float
        Least weight of a node that is split, and of each side.
    max_depth : int or None
        Most tests on a path; None: no limit.
    midpoints : bool
        Hard search between the observed values, not at them.
    gate_midpoint : bool
        Gates are centred half-way to the next lower value at the node, not at the threshold.
    repetition_factor : float
        Multiplies the gain of a variable that an ancestor tests.
    criterion : str
        By which tests are compared: "information_gain", "gini", "gain_ratio", "expected_gain"
        (EIG) or "coded_gain" (C4.5 as the authors of EIG coded it), kinds in `_criteria.pxd`.
    reliability : str
        What the gain among known values is multiplied by: the known share of the weight at the
        "node", or of that of the whole training set ("global").
    missing_to_both : bool
        The share by which instances without a value are divided counts them on both sides, as the
        authors of EIG coded it.
    undefined_first : bool
        The first test whose gain is undefined is taken before all others, as by the authors of
        EIG, whose maximum is a NaN; pure nodes are divided as well.
    variant : GrowthRules
    """

    min_samples_split: float = 4.0
    min_samples_leaf: float = 1.0
    max_depth: int | None = None
    midpoints: bool = False
    gate_midpoint: bool = False
    repetition_factor: float = 1.0
    criterion: str = "information_gain"
    reliability: str = "node"
    missing_to_both: bool = False
    undefined_first: bool = False
    variant: GrowthRules = THESIS


@dataclass(frozen=True)
class GridSearch:
    """Soft search: candidates on a grid, their class weights smoothed (thesis 3.3.2).

    Attributes
    ----------
    sigma : (m,) float64
        Noise in the variables' units; 0: hard search for that variable.
    center : (m,) float64 or None
        Centre of each noise model, same units; None: all 0.
    half_window, step : float
        Window cut (either side) and grid step, in units of sigma.
    table : (phases, 4, width) float64
        `smoothing_table(half_window, step, phases)`.
    tabulated : dict
        Variable -> (values, first, origin, half), where the noise is a model of the user's: its
        distribution function at the grid points around each row, the first point of the grid,
        and half the reach of a value in steps.
    """

    sigma: np.ndarray
    center: np.ndarray | None
    half_window: float
    step: float
    table: np.ndarray
    tabulated: dict = field(default_factory=dict)


@dataclass(frozen=True)
class SampleSearch:
    """Uncertain values (UDT): the sample points of each value's pdf are the candidates.

    Attributes
    ----------
    n_points : int
        Points of each pdf, both ends included.
    half_window : float
        Where the pdf is cut on either side, in units of its standard deviation.
    table, fine_table : (phases, 4, width) float64
        Smoothing tables for coarse cells and for their parts, see `smoothing_table`.
    """

    n_points: int
    half_window: float
    table: np.ndarray
    fine_table: np.ndarray


@dataclass(frozen=True)
class Sharing:
    """How threads share the growth of a large table. The tree does not depend on it.

    Attributes
    ----------
    threads : int
        Wanted, the one that calls among them.
    cores : int
        What growths that are under way at the same time share.
    table : int
        Values of a table (rows times variables) from which a thread is worth its start.
    node : int
        Values of a node from which its variables are shared.
    branches : int
        Nodes with fewer rows than the table has, divided by this and by the number of threads,
        are grown to their ends by one thread each.
    """

    threads: int = 1
    cores: int = 1
    table: int = 1 << 18
    node: int = 1 << 15
    branches: int = 8
