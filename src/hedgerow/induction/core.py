"""Growing and pruning without validation: what estimators and experiments call."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from hedgerow.checks import (
    BEYOND_USE,
    LARGEST,
    LARGEST_COUNT,
    check_choice,
    check_jobs,
    check_memory,
    check_number,
    memory,
    n_cores,
    n_threads,
)
from hedgerow.errors import InputError
from hedgerow.induction._candidates import smoothing_table
from hedgerow.induction._columns import Columns
from hedgerow.induction._growth import Growth
from hedgerow.induction._pdf import coarse_step, fine_step
from hedgerow.induction._pruning import COUNTS, Pruning
from hedgerow.induction.rules import THESIS, GridSearch, GrowthRules, Rules, SampleSearch, Sharing
from hedgerow.tree._gates import Gates, shares_on_grid
from hedgerow.tree.cut import snip
from hedgerow.tree.gates import (
    CLIP_TOLERANCE,
    FINEST,
    GATES_AT,
    STEP,
    WIDEST,
    WINDOW,
    AnyGate,
    NoiseGate,
    check_noise,
    resolve_noise,
)
from hedgerow.tree.tree import Tree

SHARING = Sharing()
MOST_POINTS = 1_000_000  # of a pdf
MOST_STEPS = 100_000  # of the grid within the window of a value; a table of 200 MB
PHASES = 64  # polynomials per grid step; leaves an error below 3e-14 at a step of .1 sigma
# Grids on which UDT bounds gains, steps in sigma; with so many phases they leave an error of
# 1e-12, which is within the slack of the bounds.
COARSE = {"step": coarse_step, "phases": 128}
FINE = {"step": fine_step, "phases": 16}


@lru_cache(maxsize=8)
def _smoothing(half_window: float, step: float, phases: int = PHASES) -> np.ndarray:
    """The normal model of soft search as the core takes it; see `smoothing_table`."""
    table = smoothing_table(half_window, step, phases)
    table.setflags(write=False)
    return table


def _tabulate(columns: Columns, gate: NoiseGate, sigma: np.ndarray, step: float) -> dict | None:
    """The user's noise models at the grid points around each training value.

    sigma : (m,) float64
        Unit of each variable's grid: a step is `step` times it.
    """
    if not gate.models:
        return None
    snap = CLIP_TOLERANCE / step
    asked = gate.callables() or {}
    tables = {}
    for j in gate.models:
        x = columns.X[:, j]
        observed = x[~np.isnan(x)]
        if observed.size == 0 or sigma[j] <= 0:
            continue
        reach, half = _reach(gate, j, observed, sigma[j], step)
        center = gate.shift[j]
        width = math.ceil(2 * half) + 2
        origin = observed.min() - reach + center
        filled = np.where(np.isnan(x), observed.min(), x)
        t = (filled - origin) / (step * sigma[j]) + center / (step * sigma[j])
        first = np.floor(t - half + snap).astype(np.int64) + 1
        if isinstance(asked[j], tuple):
            values = shares_on_grid(asked[j], filled, first, origin, step * sigma[j], width)
        else:
            points = origin + (first[:, None] + np.arange(width)) * (step * sigma[j])
            values = np.ascontiguousarray(gate.share(j, points, filled[:, None]))
        tables[j] = (values, first, origin, half)
    return tables


def _reach(gate: NoiseGate, j: int, observed: np.ndarray, unit: float, step: float) -> tuple:
    """How far a value reaches either way, in the variable's unit and in steps of the grid."""
    if j not in gate.relative:
        return gate.half_window * unit, gate.half_window / step
    # The largest value reaches furthest; nearer ones have shares of 0 and 1 out there.
    reach = (gate.half_window * gate.sigma[j] + abs(gate.center[j])) * np.abs(observed).max()
    return reach, reach / (step * unit)


def _grid_unit(columns: Columns, gate: NoiseGate | None) -> np.ndarray | None:
    """Sigma of each variable in its own unit, for the grid of soft search; None: hard search.

    Where noise is relative, that of a value of mean size, but at least a twentieth of that of the
    largest, so that no table of shares outgrows the data twentyfold.
    """
    if gate is None or not gate.soft:
        return None
    unit = gate.sigma.copy()
    for j in gate.relative:
        size = np.abs(columns.X[:, j])
        size = size[~np.isnan(size)]
        unit[j] *= max(size.mean(), size.max() / 20) if size.size else 0.0
    return unit


def grow(
    columns: Columns,
    *,
    search: Any = None,
    propagation: Any = None,
    pdf: NoiseGate | None = None,
    n_points: int = 100,
    window: float = WINDOW,
    step: float = STEP,
    gate_at: str = "threshold",
    min_samples_split: float = 4,
    min_samples_leaf: float = 1,
    max_depth: int | None = None,
    candidates: str = "values",
    repetition_factor: float = 1.0,
    criterion: str = "information_gain",
    reliability: str = "node",
    imputed: np.ndarray | None = None,
    missing_to_both: bool = False,
    undefined_first: bool = False,
    given: Tree | None = None,
    n_jobs: int | None = None,
    rules: GrowthRules = THESIS,
) -> Tree:
    """Grow an unpruned tree (thesis, algorithm 1).

    Parameters
    ----------
    columns : Columns
        The training set.
    search, propagation : None, float, array of floats, noise model(s) or NoiseGate
        Noise of soft search (SS) and soft training propagation (STP), see
        `hedgerow.tree.gates.resolve_noise`.
    pdf : NoiseGate, optional
        Uncertain values (UDT), as `hedgerow.tree.gates.spread_of` makes it: each value is a pdf,
        whose sample points are the candidates and whose mass is divided between the branches.
        In the place of `search` and `propagation`.
    n_points : int, default 100
        Sample points of each pdf, both ends included; read with `pdf` only.
    window, step : float
        Width of the search window and grid step, in units of sigma (omega, delta).
    gate_at : {"threshold", "midpoint", "ties_right"}
        Centre of the propagation gate: the threshold, or half-way to the next lower value at
        the node (observed-value candidates only; grid candidates lie between values already). With
        "ties_right" it is the threshold, and a value that lies on it goes right whole.
    min_samples_split, min_samples_leaf : float
        Least weight of a node that is split, and of each side.
    max_depth : int, optional
    candidates : {"values", "midpoints"}
    repetition_factor : float
        Multiplies the gain of a variable that an ancestor tests.
    criterion : {"information_gain", "gini", "gain_ratio", "expected_gain", "coded_gain"}
        The first three as in `C45Classifier`: what is gained among known values, times their
        reliability. The gain and that among imputed values times what the reliability lacks to 1,
        at the same candidate (EIG, definition 3); C4.5 as the authors of EIG coded it,
        r^2 (H(all) - H(known | test)).
    reliability : {"node", "global"}
        Known share of the weight at the node, or of that of the whole training set.
    imputed : (n_draws, n, m) float64, optional
        With "expected_gain": values in the place of missing ones, codes of categories; not read
        where the value is known. The gain is the mean over draws.
    missing_to_both : bool
        Instances without a value are divided in a proportion that counts them on both sides, as
        the authors of EIG coded it.
    undefined_first : bool
        A variable that lacks values in the training set and none at a node has an expected gain of
        0/0 there; the first of its tests is taken, before any other, as by the authors' code.
    given : Tree, optional
        Its tests are taken as they are and growth goes on at its leaves, all counts being those of
        `columns`; with `max_depth=0` they are counted and nothing is grown. A test that leaves a
        side without rows makes a leaf.
    n_jobs : int, optional
        Threads, for large tables, on which the tree does not depend: None one, -1 all cores, -2 all
        but one. Growth by noise models of the user's takes one.
    rules : GrowthRules

    Returns
    -------
    Tree

    Raises
    ------
    InputError
        Guesses that are missing, not finite, or no codes of categories; a setting out of range; a
        given tree with more variables or categories than the data.
    """
    _check_columns(columns)
    check_number("n_points", n_points, 2, MOST_POINTS, whole=True)
    check_number("window", window, FINEST, WIDEST)
    check_number("step", step, FINEST, window)
    _check_stops(min_samples_split, min_samples_leaf, max_depth)
    check_number("repetition_factor", repetition_factor, 0.0, BEYOND_USE)
    check_choice("gate_at", gate_at, GATES_AT)
    check_choice("candidates", candidates, ("values", "midpoints"))
    check_choice("reliability", reliability, ("node", "global"))
    check_jobs("n_jobs", n_jobs)
    tree = make_growth(
        columns,
        search=search,
        propagation=propagation,
        pdf=pdf,
        n_points=n_points,
        window=window,
        step=step,
        gate_at=gate_at,
        min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf,
        max_depth=max_depth,
        candidates=candidates,
        repetition_factor=repetition_factor,
        criterion=criterion,
        reliability=reliability,
        imputed=imputed,
        missing_to_both=missing_to_both,
        undefined_first=undefined_first,
        given=given,
        n_jobs=n_jobs,
        variant=rules,
    )[0]
    if rules.thresholds != "right":
        tree = _with_values_left(tree, columns, rules.thresholds == "observed")
    return collapse(tree) if rules.collapse else tree


def _with_values_left(tree: Tree, columns: Columns, observed: bool) -> Tree:
    """Thresholds just above what they are, or above the largest training value up to there."""
    arrays: dict[str, Any] = tree.arrays()
    threshold = arrays["threshold"].copy()
    is_number = ~np.isnan(threshold)
    for j in np.unique(tree.feature[is_number]) if observed else ():
        values = np.unique(columns.X[:, j])
        nodes = is_number & (tree.feature == j)
        threshold[nodes] = values[np.searchsorted(values, threshold[nodes], side="right") - 1]
    threshold[is_number] = np.nextafter(threshold[is_number], np.inf)
    return Tree(**{**arrays, "threshold": threshold, "center": threshold}, _checked=True)


def collapse(tree: Tree) -> Tree:
    """Leaves in the place of subtrees that make as many errors on the training set, less .001."""
    weight = tree.class_weight
    leaf = weight.sum(axis=1) - weight.max(axis=1)
    errors = leaf.copy()
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        errors[node] = errors[tree.children_left[node]] + errors[tree.children_right[node]]
    return snip(tree, np.flatnonzero((tree.feature >= 0) & (errors >= leaf - 1e-3)).tolist())


def _check_columns(columns: Any) -> None:
    if not isinstance(columns, Columns):
        raise InputError(
            f"columns is of type {type(columns).__name__}", remedy="give Columns(X, y, n_classes)"
        )


def _check_stops(min_samples_split: Any, min_samples_leaf: Any, max_depth: Any) -> None:
    """Refuse settings that stop growth where they are out of range."""
    check_number("min_samples_split", min_samples_split, 0.0, LARGEST)
    check_number("min_samples_leaf", min_samples_leaf, 0.0, LARGEST)
    check_number("max_depth", max_depth, 0, LARGEST_COUNT, whole=True, optional=True)


def make_growth(
    columns,
    *,
    search=None,
    propagation=None,
    pdf=None,
    n_points=100,
    window=WINDOW,
    step=STEP,
    gate_at="threshold",
    candidates="values",
    criterion="information_gain",
    imputed=None,
    given=None,
    n_jobs=None,
    **settings,
):
    """`grow`, with the work done: (tree, thresholds proposed, gains evaluated).

    A bound spares many of the gains. Searches on whole counts, which need no logarithm, are in
    neither number.
    """
    draws = None
    if criterion == "expected_gain":
        if columns.has_missing:
            draws = imputed_by_column(columns, imputed)
        else:
            criterion = "information_gain"  # what it is where nothing is guessed
    rules = Rules(
        midpoints=candidates == "midpoints",
        gate_midpoint=gate_at == "midpoint",
        criterion=criterion,
        **settings,
    )
    how: SampleSearch | GridSearch | None
    if pdf is not None and check_noise(pdf, columns.n_variables, "pdf").soft:
        half = pdf.half_window
        rules = replace(rules, gate_midpoint=False)
        how = SampleSearch(n_points, half, _smoothing(half, **COARSE), _smoothing(half, **FINE))
        gate = pdf
    else:
        noise = _resolve(columns, search, window, "search")
        check_size(columns, noise)
        how = _grid_search(columns, noise, window, step)
        gate = _propagation(columns, propagation, window, gate_at)
    check_size(columns, gate)
    start = None if given is None else _start_tree(given, columns)
    gates = Gates(gate, columns.n_variables)
    sharing = None
    if n_jobs not in (None, 1) and columns.X.size >= SHARING.table and not gates.asking:
        sharing = replace(SHARING, threads=n_threads(n_jobs), cores=n_cores())
    growth = Growth(columns, gates, rules, how, start, draws, sharing)
    arrays = growth.run()
    arrays.pop("origin", None)
    return Tree(**arrays, _checked=True), growth.n_candidates, growth.n_gains


def _start_tree(tree: Tree, columns: Columns) -> dict[str, np.ndarray]:
    """The arrays of a tree that growth starts from."""
    tree.check_width(columns.n_variables)
    most = int(columns.n_categories.max(initial=0))
    given = tree.categories_left
    if given[:, most:].any():
        raise InputError(
            f"the tree tests more categories than the {most} of the data",
            remedy="give the variables that the tree was grown from, coded alike",
        )
    left = np.zeros((tree.n_nodes, most), dtype=np.uint8)
    left[:, : given.shape[1]] = given[:, :most]
    return {**tree.arrays(), "categories_left": left}


def imputed_by_column(columns: Columns, imputed: Any) -> np.ndarray:
    """Guesses as the core reads them, (n_draws, m, n): NaN where the value is known.

    Raises an InputError where one is missing, not finite, or no code of a category.
    """
    shape = columns.X.shape
    if (
        imputed is None
        or np.ndim(imputed) != 3
        or np.shape(imputed)[1:] != shape
        or not len(imputed)
    ):
        raise InputError(
            f"imputed values have the shape {np.shape(imputed)}",
            remedy=f"give (draws, rows, columns), here (draws, {shape[0]}, {shape[1]})",
        )
    imputed = np.asarray(imputed, dtype=np.float64)
    asked = np.isnan(columns.X) & (columns.n_known > 0)  # others are tested nowhere
    draws = np.where(asked, imputed, np.nan).transpose(0, 2, 1)
    unusable = asked.T & ~np.isfinite(draws)
    for j in np.flatnonzero(columns.n_categories):
        codes = draws[:, j]
        with np.errstate(invalid="ignore"):
            unusable[:, j] |= asked[:, j] & (
                (codes < 0) | (codes >= columns.n_categories[j]) | (codes != np.rint(codes))
            )
    if unusable.any():
        _, j, i = np.argwhere(unusable)[0]
        what = "a category's code" if columns.n_categories[j] else "a number"
        raise InputError(
            f"the imputed value of row {i}, column {j} is {draws[:, j, i][unusable[:, j, i]][0]}, "
            f"not {what}",
            remedy="give an imputer that fills every missing value",
        )
    return np.ascontiguousarray(draws)


def check_size(columns: Columns, gate: NoiseGate | None) -> None:
    """Refuse values whose distances from each other no soft gate can be worked out for."""
    if gate is None:
        return
    sigma = np.asarray(gate.sigma)
    for j in np.flatnonzero(~(sigma <= 0)):  # a mean that overflows may be NaN
        if columns.n_known[j] == 0:
            continue
        x = columns.X[:, j]
        largest = max(np.nanmax(x), -np.nanmin(x))
        if not max(largest, sigma[j]) <= LARGEST or np.isnan(sigma[j]):
            raise InputError(
                f"column {j} of X holds {largest:.3g} and its noise is {sigma[j]:.3g}",
                remedy=f"with noise, give values and errors of at most {LARGEST:g} in size: "
                "choose another unit",
            )


def _grid_search(
    columns: Columns, noise: NoiseGate | None, window: float, step: float
) -> GridSearch | None:
    """Soft search as the core takes it; None: hard search."""
    unit = _grid_unit(columns, noise)
    if noise is None or unit is None:
        return None
    _check_grid(columns, noise, unit, window, step)
    return GridSearch(
        sigma=unit,
        center=noise.shift if noise.models else None,
        half_window=window / 2.0,
        step=step,
        table=_smoothing(window / 2.0, step),
        tabulated=_tabulate(columns, noise, unit, step) or {},
    )


def _check_grid(
    columns: Columns, noise: NoiseGate, unit: np.ndarray, window: float, step: float
) -> None:
    """Refuse a grid of candidates that no memory holds; all of it grows as the step falls."""
    check_steps(window, step)
    points = np.full(columns.n_variables, window / step)
    asked = [j for j in noise.models if columns.n_known[j] > 0 and unit[j] > 0]
    for j in asked:
        x = columns.X[:, j]
        points[j] = 2.0 * _reach(noise, j, x[~np.isnan(x)], unit[j], step)[1]
    needed = 8.0 * (4 * PHASES * window / step + columns.n_rows * points[asked].sum())
    soft = (unit > 0) & (columns.n_known > 0)
    windows = columns.n_known * (points + 4.0)
    if needed + grid_bytes(columns.n_classes, windows[soft].max(initial=0.0)) <= memory():
        return
    whole = columns.ranges / (step * np.where(soft, unit, 1.0)) + 2.0 * points + 10.0
    candidates = np.minimum(windows, whole)[soft].max(initial=0.0)
    needed += grid_bytes(columns.n_classes, candidates)
    check_memory(
        f"soft search with window={window:g} and step={step:g} on {columns.n_rows} rows",
        needed,
        f"give a step of at least {step * needed / memory():.2g}",
    )


def check_steps(window: float, step: float) -> None:
    """Refuse a step that is too fine for the window of soft search."""
    if window / step > MOST_STEPS:
        raise InputError(
            f"step is {step!r} and window {window!r}: soft search has {window / step:.3g} steps in "
            "a window",
            remedy=f"give a step of at least {window / MOST_STEPS:.3g}, or a narrower window",
        )


def grid_bytes(n_classes: int, candidates: float) -> float:
    """Bytes that the core takes for the candidates of a variable (`points_reserve`)."""
    return 1.5 * 8.0 * (n_classes + 6) * candidates


def _resolve(columns: Columns, spec: Any, window: float, name: str) -> NoiseGate | None:
    """The noise of each variable; means are worked out only where a factor asks for them."""
    if spec is None:
        return None
    if isinstance(spec, AnyGate):
        return check_noise(spec, columns.n_variables, name)
    return resolve_noise(spec, columns.means, columns.n_categories, window=window, name=name)


def _propagation(columns: Columns, spec: Any, window: float, gate_at: str) -> NoiseGate | None:
    """The gate of soft training propagation."""
    gate = _resolve(columns, spec, window, "propagation")
    if gate is None:
        return None
    if gate.conditioned and gate.models:
        raise InputError(
            "propagation has errors that are drawn once and not normal, by which a finished tree "
            "is read and none is grown",
            remedy='give them as drawn at each test (draws="per_test")',
        )
    return gate.at(gate_at)


def prune(
    tree: Tree,
    columns: Columns,
    *,
    confidence: float = 0.25,
    laplace: bool = True,
    subtree_raising: bool = True,
    propagation: Any = None,
    window: float = WINDOW,
    gate_at: str = "threshold",
    counts: str = "weights",
    rules: GrowthRules = THESIS,
) -> Tree:
    """Error-based pruning of a tree on the rows that grew it (thesis 2.2.3).

    Parameters
    ----------
    tree : Tree
        As `grow` returned it.
    columns : Columns
        The training set.
    confidence : float in [0, 1]
        The two-sided factor c; each error rate is its upper Clopper-Pearson limit at tail c / 2.
    laplace : bool
        Replace the errors E of N by N (E + 1) / (N + C) first.
    subtree_raising : bool
        Try each sub-branch in the place of its parent, its errors re-estimated.
    propagation, window, gate_at
        As in `grow`; for uncertain values (UDT), `propagation` is their `pdf`.
    counts : {"weights", "instances", "tuples"}
        What counts as the N and the E of a leaf: the weights there; each instance that has any
        weight there, whole; or each instance whole where the larger part of it went at each test
        (equal parts: the left one). Class weights of the new tree are weights in any case.
    rules : GrowthRules

    Returns
    -------
    Tree
        A new tree; the one given is untouched.
    """
    _check_columns(columns)
    check_number("confidence", confidence, 0.0, 1.0)
    tree.check_width(columns.n_variables)
    if tree.n_classes != columns.n_classes:
        raise InputError(
            f"the tree has {tree.n_classes} classes and the data have {columns.n_classes}",
            remedy="give the rows that the tree was grown from",
        )
    check_choice("gate_at", gate_at, GATES_AT)
    check_choice("counts", counts, tuple(COUNTS))
    gate = _propagation(columns, propagation, window, gate_at)
    check_size(columns, gate)
    pruning = Pruning(
        columns,
        tree.arrays(),
        Gates(gate, columns.n_variables),
        confidence=confidence,
        laplace=laplace,
        raising=subtree_raising,
        counts=counts,
        rules=rules,
    )
    return Tree(**pruning.run(), _checked=True)
