"""Public cohorts in groups by plain rules, as a tree would give: of lifelines, and of a mirror."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from lifelines.datasets import load_gbsg2, load_lung, load_rossi

from hedgerow.data import fetch, load_registry, tidy

#: When a Cox fit of lifelines ends: squares of the last step in standard errors, and what the
#: likelihood gained by it. With its own its hazard ratios are right to four digits.
PRECISE = {"precision": 1e-14, "r_precision": 1e-15}


class Cohort(NamedTuple):
    """Follow-up, group and covariates of a cohort."""

    time: np.ndarray
    event: np.ndarray
    leaf: np.ndarray
    covariates: pd.DataFrame


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


def competing() -> dict[str, Cohort]:
    """The cohorts of lifelines with a second cause by a rule of ours: they have one cause only."""
    made = {}
    for name, cohort in cohorts().items():
        # Not by chance: causes that come earlier or later than others are told apart.
        other = cohort.covariates.iloc[:, 0].to_numpy() > cohort.covariates.iloc[:, 0].median()
        event = np.where((cohort.event == 1) & other, 2, cohort.event)
        made[name] = cohort._replace(event=event)
    made["rossi"] = made["rossi"]._replace(
        event=np.where(made["rossi"].time % 3 == 0, 2, 1) * cohorts()["rossi"].event
    )
    return made


#: Column and bounds of the groups of sets with competing causes.
RULES = {
    "pbc": ("bili", [1.1, 3.0]),  # death, transplant
    "wihs": ("cd4nadir", [2.0, 4.0]),  # treatment, AIDS or death: ties at tenths of a year
    "hodgkin": ("age", [30.0, 50.0]),  # relapse, death
    "transplant": ("age", [45.0, 55.0]),  # death, transplant, withdrawal
}


def on_the_mirror(name: str, folder: Path) -> Cohort:
    """A set with competing causes, from the mirror that HEDGEROW_MIRROR names."""
    registry = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")
    table = tidy(registry[name], fetch(registry[name], folder, kinds={"mirror"}))
    column, bounds = RULES[name]
    values = table.X[column]
    kept = values.notna().to_numpy()
    return Cohort(
        table.time[kept],
        table.y[kept],
        np.digitize(values[kept], bounds) + 1,
        pd.DataFrame(index=range(kept.sum())),
    )


def gompertz_table(years=(), ages=range(15, 96)) -> pd.DataFrame:
    """A made-up life table: the hazard grows with age by 9 % a year and falls by 2 % a year."""
    rows = [
        (age, sex, year, 4e-5 * rate * np.exp(0.09 * age - 0.02 * (year - 2000)))
        for sex, rate in (("M", 1.5), ("F", 1.0))
        for year in (years or [2000])
        for age in ages
    ]
    table = pd.DataFrame(rows, columns=["age", "sex", "year", "hazard"])
    return table if len(years) else table.drop(columns="year")


def people() -> dict[str, pd.DataFrame]:
    """Age, sex, leaf and a made-up year of inclusion of the patients, by cohort of lifelines."""
    found = {}
    for name, cohort in cohorts().items():
        n = len(cohort.time)
        age = cohort.covariates["age"] if name != "rossi" else load_rossi()["age"]
        sex = np.where(cohort.covariates["sex"] == 1, "M", "F") if name == "lung" else "F"
        sex = np.full(n, "M") if name == "rossi" else sex
        # Before, within and after the years of the table, and not whole.
        year = 1995.0 + np.arange(n) % 80 / 4.0
        found[name] = pd.DataFrame(
            {"age": age.to_numpy(float), "sex": sex, "year": year, "leaf": cohort.leaf}
        )
        found[name]["age"] += np.arange(n) % 12 / 12.0
    return found


#: Calendar years of the made-up table, and years since inclusion that are asked for.
TABLE_YEARS = range(2000, 2010)
YEARS = (0.0, 0.25, 1.0, 4.5, 10.0, 40.0)
