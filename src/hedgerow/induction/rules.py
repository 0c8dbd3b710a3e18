"""What growth is told: how tests are proposed, and when it stops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


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
