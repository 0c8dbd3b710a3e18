"""Three public cohorts that lifelines carries, in groups by plain rules, as a tree would give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from lifelines.datasets import load_gbsg2, load_lung, load_rossi


class Cohort(NamedTuple):
    """Follow-up, group and covariates of a cohort."""

    time: np.ndarray
    event: np.ndarray
    leaf: np.ndarray
    covariates: pd.DataFrame


class Leaves:
    """A tree of which only the leaves are known."""

    def __init__(self, leaf):
        self.leaf = np.asarray(leaf)

    def apply(self, X):
        return self.leaf


def cohorts() -> dict[str, Cohort]:
    """Released prisoners (weeks), breast cancer and lung cancer (days), by name."""
    rossi, gbsg2, lung = load_rossi(), load_gbsg2(), load_lung().dropna(subset=["ph.ecog"])
    older = rossi["age"] >= 23
    return {
        "rossi": Cohort(
            rossi["week"].to_numpy(float),
            rossi["arrest"].to_numpy(int),
            (1 + older + (older & (rossi["prio"] >= 4))).to_numpy(int),
            rossi[["fin", "race", "wexp"]].astype(float),
        ),
        "gbsg2": Cohort(
            gbsg2["time"].to_numpy(float),
            gbsg2["cens"].to_numpy(int),
            np.digitize(gbsg2["pnodes"], [4, 10]) + 1,
            gbsg2[["age", "tsize"]].astype(float),
        ),
        "lung": Cohort(
            lung["time"].to_numpy(float),
            lung["status"].to_numpy(int),
            np.minimum(lung["ph.ecog"].to_numpy(int), 2) + 1,
            lung[["age", "sex"]].astype(float),
        ),
    }
