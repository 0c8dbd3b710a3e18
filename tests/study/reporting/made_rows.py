"""Rows of experiments 1 and 2 that were never run: MADE UP, to test what is shown of them."""

import numpy as np
import pandas as pd
from shown import ROOT

from hedgerow_study.experiments.soft import plan as soft_plan

#: Six sets of table 3.1, one outside of it; `spectf` is asked for and absent.
SETS = ("pima", "wdbc", "bupa", "haberman", "dermatology", "synthetic_soft_4", "wine")
PLAN = soft_plan.SoftPlan(
    datasets=(*SETS, "spectf"),
    configuration="made-up",
    seed=1,
    n_repeats=4,
    noise_factors=(0, 0.05, 0.5),
    uncertainties=(0.1, 0.3),
    methods=(*soft_plan.PRINTED, "ss_stp", "stp_se"),
)


def _made_up_values(generator, noise, experiment):
    """Leaves and accuracy that fall the way the thesis says, with noise of their own."""
    loss = noise * (0.1 if experiment == "training_noise" else 0.2)
    leaves = 14 + (8 * noise if experiment == "training_noise" else 0) + generator.normal(0, 2)
    values = {}
    for method, fewer, gain in (
        ("c45", 0, 0),
        ("ss", 3, 0.01),
        ("stp", 6, 0.02),
        ("se", 0, -0.02),
        ("plt", 0, -0.01),
        ("udt", -1, 0.005),
        ("ss_stp", 7, 0.02),
        ("stp_se", 6, 0.01),
    ):
        values[method, "n_leaves"] = float(max(1, round(leaves) - fewer))
        values[method, "accuracy"] = 0.8 - loss + gain + generator.normal(0, 0.005)
        values[method, "macro_f1"] = values[method, "accuracy"] - 0.1
        values[method, "brier"] = 1.1 - values[method, "accuracy"]
        if method not in ("c45", "plt"):
            values[method, "uncertainty"] = float(generator.choice((0.1, 0.3)))
    return values


def made_up_rows(plan):
    """Rows of the experiment."""
    generator = np.random.default_rng(2)
    cells = []
    for dataset in SETS:
        for repeat in range(plan.n_repeats):
            for noise in plan.noise_factors:
                clean = None
                for experiment in soft_plan.EXPERIMENTS:
                    values = clean or _made_up_values(generator, noise, experiment)
                    clean = values if noise == 0 else None
                    cells += [
                        (experiment, dataset, repeat, noise, method, metric, value)
                        for (method, metric), value in values.items()
                    ]
    frame = pd.DataFrame(cells, columns=[*soft_plan.CELL, "metric", "value"])
    # Wine's leaves never vary: no unit, so that it is left out of one metric.
    constant = (frame["dataset"] == "wine") & (frame["metric"] == "n_leaves")
    frame.loc[constant & (frame["method"] == "c45"), "value"] = 5.0
    return frame


def printed():
    """Tables of chapter 3 by their ids."""
    folder = ROOT / "data/published"
    return {path.stem: pd.read_csv(path) for path in folder.glob("thesis_table_3_*")}


def calibrated():
    """A confidence for each data set."""
    return pd.DataFrame(
        [(name, 15.0, 0.123, 14.9, True) for name in SETS],
        columns=["dataset", "target_leaves", "confidence", "mean_leaves", "reached"],
    )
