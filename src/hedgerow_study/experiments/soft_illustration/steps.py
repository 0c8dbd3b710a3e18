"""Illustrations of thesis chapter 3: gates, density increments, the toy example, LVEF.

The numbers behind figures 3.1 to 3.4, 3.7 and 3.8 and tables 3.2 and 3.3, from the functions of the
library. The ejection fractions (LVEF) of the thesis need an account; here a SYNTHETIC set of the
same size stands in for them (`hedgerow.data.synthetic`), so that what is measured on it can be set
beside the printed values and cannot equal them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from hedgerow.data import TidyTable, add_noise, rng
from hedgerow.tree.gates import NoiseGate, ThresholdGate
from hedgerow.uncertainty import gain_curve
from hedgerow.uncertainty.soft import SoftTreeClassifier
from hedgerow_study.experiments.soft_illustration.plan import (
    DATASET,
    DECIMALS,
    ELIGIBLE_BELOW,
    EXPERIMENT,
    PLT_BOUNDS,
    SHOWN_STEP,
    SHOWN_WINDOW,
    SIGMAS,
    SIMULATED_SIGMAS,
    TEST_VALUES,
    TOY,
    TOY_SIGMA,
    UDT_HALF_WIDTH,
    SoftIllustrationPlan,
)
from hedgerow_study.experiments.step import step

# --------------------------------------------------------------------------- figures 3.1, 3.2


def gates(plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Figure 3.1: share of an instance that goes left of a threshold at 0, by gate.

    Returns: gate (hard, plt, udt, normal), x (standard deviations), share_left.
    """
    x = np.round(np.arange(-80, 81) / 20, 2)
    sigma = np.array([1.0])
    plt = ThresholdGate(*(np.array([bound]) for bound in PLT_BOUNDS))
    udt = NoiseGate(sigma, window=2 * UDT_HALF_WIDTH, conditioned=True)
    shares = {
        "hard": NoiseGate(np.zeros(1)).share(0, 0.0, x),
        "plt": plt.share(0, 0.0, x),
        "udt": udt.share(0, 0.0, x),
        "normal": NoiseGate(sigma, plan.window).share(0, 0.0, x),
    }
    frames = [pd.DataFrame({"gate": g, "x": x, "share_left": s}) for g, s in shares.items()]
    return pd.concat(frames, ignore_index=True).round(DECIMALS)


def increments() -> pd.DataFrame:
    """Figure 3.2: what one value at 0 adds to the left at each candidate (equation 3.8).

    Returns: tau (standard deviations), increment (equation 3.8; they add up to 1), increment_cut
    (as the library has it: nothing lies beyond half the window, so that its first increments hold
    the tail below and its last the tail above).
    """
    half = SHOWN_WINDOW / 2
    tau = np.round(np.arange(-half, half + SHOWN_STEP / 2, SHOWN_STEP), DECIMALS)
    value = np.zeros_like(tau)
    # A window so wide that nothing is cut is equation 3.8 itself.
    whole = NoiseGate(np.array([1.0]), window=1e3).share(0, tau, value)
    cut = NoiseGate(np.array([1.0]), window=SHOWN_WINDOW).share(0, tau, value)
    whole[-1] = 1.0  # the last increment brings what is left
    frame = pd.DataFrame(
        {
            "tau": tau,
            "increment": np.diff(whole, prepend=0.0),
            "increment_cut": np.diff(cut, prepend=0.0),
        }
    )
    return frame.round(DECIMALS)


# ---------------------------------------------------------------- figures 3.3, 3.4: toy example


def toy_gain() -> pd.DataFrame:
    """Figure 3.3: information gain of the toy example, hard and soft search.

    Returns: panel (a, b), search (hard, ss), threshold, gain (bits), chosen (by the tree that is
    grown).
    """
    frames = []
    for panel, (values, labels) in TOY.items():
        for search, sigma in (("hard", 0.0), ("ss", TOY_SIGMA)):
            curve = gain_curve(values, labels, sigma)
            noise = stats.norm(scale=sigma) if sigma else 0.0
            threshold = _stump(search=noise).fit(_column(values), labels).tree_.threshold[0]
            frames.append(
                _curve_frame(curve, threshold).assign(panel=panel, search=search)[
                    ["panel", "search", "threshold", "gain", "chosen"]
                ]
            )
    return pd.concat(frames, ignore_index=True).round(DECIMALS)


def toy_error(plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Figure 3.4: probability of predicting class 0 for a test value of class 1.

    Returns: panel (a: the test value is exact, b: it is noisy), x (its mean), sigma, corrected
    (`misclassified`), printed (the closed form of the thesis), simulated (share of `plan.n_draws`
    draws; missing between the simulated sigmas), tree (class probability of the library's soft tree
    on the two values as they are: STP in a, STP and SE in b).
    """
    rows = []
    for panel, noisy in (("a", False), ("b", True)):
        draws = {
            sigma: simulated(sigma, noisy, plan.n_draws, plan.seed) for sigma in SIMULATED_SIGMAS
        }
        for sigma in SIGMAS:
            noise = stats.norm(scale=sigma)
            model = _stump(
                candidates="midpoints", propagation=noise, evaluation=noise if noisy else None
            ).fit(_column([-2.0, 2.0]), [0, 1])
            tree = model.predict_proba(_column(TEST_VALUES))[:, 0]
            for i, x in enumerate(TEST_VALUES):
                rows.append(
                    {
                        "panel": panel,
                        "x": x,
                        "sigma": sigma,
                        "corrected": misclassified(x, sigma, noisy),
                        "printed": misclassified(x, sigma, noisy, as_printed=True),
                        "simulated": draws[sigma][i] if sigma in draws else math.nan,
                        "tree": tree[i],
                    }
                )
    frame = pd.DataFrame(rows).sort_values(["panel", "x", "sigma"], ascending=[True, False, True])
    return frame.reset_index(drop=True).round(DECIMALS)


def misclassified(x: float, sigma: float, noisy: bool, as_printed: bool = False) -> float:
    """P(prediction 0) for a test value in the closed form of thesis 3.2.4.

    Training values x1 ~ N(-2, sigma) of class 0 and x4 ~ N(2, sigma) of class 1 are split at their
    midpoint m ~ N(0, sigma / sqrt 2), which is independent of their difference d = x1 - x4 ~
    N(-4, sqrt(2) sigma).

    noisy: the test value is drawn from N(x, sigma): figure 3.4b.

    as_printed: P(d < 0) = Phi(4 / (2 sigma)) as the thesis prints it; it is Phi(4 / (sqrt(2)
    sigma)).
    """
    in_order = stats.norm.cdf(4 / ((2 if as_printed else math.sqrt(2)) * sigma))
    below = stats.norm.cdf(-x / (sigma * math.sqrt(1.5 if noisy else 0.5)))
    return float(in_order * below + (1 - in_order) * (1 - below))


def simulated(sigma: float, noisy: bool, n: int, seed: int) -> tuple[float, ...]:
    """Share of prediction 0 for each test value in draws of the toy example.

    A draw is what C4.5 with midpoints does: the side of the midpoint that the test value falls on
    has the class of the training value on that side.
    """
    stream = f"figure 3.4{'b' if noisy else 'a'} sigma {sigma:g}"
    drawn = rng(seed, EXPERIMENT, "toy", None, stream).standard_normal((3, n)) * sigma
    x1, x4 = drawn[0] - 2.0, drawn[1] + 2.0
    test = drawn[2] if noisy else 0.0
    return tuple(float(np.mean((x + test < (x1 + x4) / 2) == (x1 < x4))) for x in TEST_VALUES)


# ---------------------------------------------------------- the LVEF example (SYNTHETIC values)


def lvef(table, plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Figure 3.7: ejection fractions without and with noise, against the eligibility at 35 %.

    Returns: dataset, patient (from 1, by ascending LVEF), lvef, lvef_noisy (per cent), eligible (0,
    1), outcome (tn, tp, fn, fp: the noisy value against the same limit).
    """
    values = table.X[["lvef"]].to_numpy(dtype=np.float64)
    generator = rng(plan.seed, EXPERIMENT, DATASET, None, "noise")
    noisy = add_noise(values, plan.noise, values.mean(axis=0), generator)
    eligible = table.y == table.classes.index("1")
    frame = pd.DataFrame(
        {
            "dataset": table.name,
            "patient": np.arange(1, len(values) + 1),
            "lvef": values[:, 0],
            "lvef_noisy": noisy[:, 0].round(DECIMALS),
            "eligible": eligible.astype(int),
        }
    )
    called = frame["lvef_noisy"] < ELIGIBLE_BELOW
    frame["outcome"] = np.select(
        [eligible & called, eligible & ~called, ~eligible & called], ["tp", "fn", "fp"], "tn"
    )
    return frame


def lvef_gain(patients: pd.DataFrame, plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Figure 3.8: patients per class and value, and the gain of every candidate.

    Returns: dataset, panel (a: hard search without noise, b: hard search with noise, c: soft search
    with noise), threshold (per cent), y0, y1 (a and b: patients with this value; c: the density
    increments of equation 3.8), gain (bits; missing at the lowest value, which is no candidate),
    chosen.
    """
    labels = patients["eligible"].to_numpy()
    frames = []
    for panel, column, u in (("a", "lvef", 0.0), ("b", "lvef_noisy", 0.0), ("c", "lvef_noisy", 1)):
        values = patients[column].to_numpy()
        sigma = u * plan.uncertainty * abs(values.mean())
        curve = gain_curve(values, labels, sigma, window=plan.window, step=plan.step)
        model = _stump(
            search=plan.uncertainty if u else 0.0, window=plan.window, step=plan.step
        ).fit(_column(values), labels)
        frame = _curve_frame(curve, model.tree_.threshold[0])
        if u:
            frame[["y0", "y1"]] = curve.increments
        else:
            counts = pd.crosstab(values, labels).reindex(columns=[0, 1], fill_value=0)
            counts = counts.rename(columns={0: "y0", 1: "y1"}).rename_axis("threshold")
            frame = counts.reset_index().merge(frame, on="threshold", how="left")
            frame["chosen"] = frame["chosen"].eq(True)
        frames.append(
            frame.assign(dataset=DATASET, panel=panel)[
                ["dataset", "panel", "threshold", "y0", "y1", "gain", "chosen"]
            ]
        )
    return pd.concat(frames, ignore_index=True).round(DECIMALS)


def leaves(patients: pd.DataFrame, plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Table 3.2: class probabilities at the two leaves of trees learnt from the noisy values.

    Returns: method (c45, stp), leaf (left, right), threshold (per cent), weight (patients in the
    leaf), p_y0, p_y1.
    """
    rows = []
    for method, uncertainty in (("c45", 0.0), ("stp", plan.uncertainty)):
        model = _stump(propagation=uncertainty, window=plan.window)
        tree = model.fit(_column(patients["lvef_noisy"]), patients["eligible"]).tree_
        for leaf, node in (("left", tree.children_left[0]), ("right", tree.children_right[0])):
            weights = tree.class_weight[node]
            rows.append(
                (method, leaf, tree.threshold[0], weights.sum(), *(weights / weights.sum()))
            )
    columns = ["method", "leaf", "threshold", "weight", "p_y0", "p_y1"]
    return pd.DataFrame(rows, columns=columns).round(DECIMALS)


def misclassified_patients(patients: pd.DataFrame, plan: SoftIllustrationPlan) -> pd.DataFrame:
    """Table 3.3: patients whose noisy value the tree of the noise-free values gets wrong.

    Returns: group (false_negative, false_positive), patient, lvef, lvef_noisy, threshold (per
    cent), p_y0_hard, p_y1_hard, p_y0_se, p_y1_se.
    """
    hard, soft = (
        _stump(evaluation=uncertainty, window=plan.window).fit(
            _column(patients["lvef"]), patients["eligible"]
        )
        for uncertainty in (0.0, plan.uncertainty)
    )
    noisy = _column(patients["lvef_noisy"])
    frame = patients[["patient", "lvef", "lvef_noisy"]].assign(
        threshold=hard.tree_.threshold[0], group=""
    )
    for name, model in (("hard", hard), ("se", soft)):
        frame[[f"p_y0_{name}", f"p_y1_{name}"]] = model.predict_proba(noisy)
    predicted, eligible = hard.predict(noisy), patients["eligible"].to_numpy()
    frame.loc[(eligible == 1) & (predicted == 0), "group"] = "false_negative"
    frame.loc[(eligible == 0) & (predicted == 1), "group"] = "false_positive"
    frame = frame[frame["group"] != ""].sort_values(["group", "patient"], ignore_index=True)
    columns = ["group", "patient", "lvef", "lvef_noisy", "threshold"]
    return frame[columns + [c for c in frame if c.startswith("p_")]].round(DECIMALS)


@step(
    "n_draws",
    "noise",
    "seed",
    "step",
    "uncertainty",
    "window",
    outputs=(
        "thesis_figure_3_1",
        "thesis_figure_3_2",
        "thesis_figure_3_3",
        "thesis_figure_3_4",
        "thesis_figure_3_7",
        "thesis_figure_3_8",
        "thesis_table_3_2",
        "thesis_table_3_3",
    ),
)
def results(table: TidyTable, plan: SoftIllustrationPlan) -> dict[str, pd.DataFrame]:
    """All of the above, by the id of the figure or table that they stand behind."""
    patients = lvef(table, plan)
    return {
        "thesis_figure_3_1": gates(plan),
        "thesis_figure_3_2": increments(),
        "thesis_figure_3_3": toy_gain(),
        "thesis_figure_3_4": toy_error(plan),
        "thesis_figure_3_7": patients,
        "thesis_figure_3_8": lvef_gain(patients, plan),
        "thesis_table_3_2": leaves(patients, plan),
        "thesis_table_3_3": misclassified_patients(patients, plan),
    }


def _stump(**settings) -> SoftTreeClassifier:
    """A tree of one test; with an uncertainty of 0 it is C4.5's."""
    return SoftTreeClassifier(max_depth=1, min_samples_split=2, prune=False, **settings)


def _column(values) -> np.ndarray:
    return np.asarray(values, dtype=np.float64)[:, None]


def _curve_frame(curve, threshold: float) -> pd.DataFrame:
    """Thresholds and gains, with the one that a tree has chosen marked."""
    frame = pd.DataFrame({"threshold": curve.threshold, "gain": curve.gain})
    nearest = int(np.argmin(np.abs(curve.threshold - threshold)))
    return frame.assign(chosen=np.arange(len(frame)) == nearest)
