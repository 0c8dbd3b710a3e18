"""Public cohorts in groups by plain rules, as a tree would give.

They come with lifelines or with the package; those that neither has, from a mirror.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from lifelines.datasets import (
    load_dd,
    load_gbsg2,
    load_kidney_transplant,
    load_larynx,
    load_lung,
    load_rossi,
)

from hedgerow.data import TidyTable, fetch, load_registry, tidy

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


def of_lifelines() -> dict[str, Cohort]:
    """More of lifelines: kidney grafts (days), larynx cancer and heads of government (years)."""
    kidney, larynx, leaders = load_kidney_transplant(), load_larynx(), load_dd()
    continents = {"Africa": "africa", "Europe": "europe"}
    return {
        "kidney": Cohort(
            kidney["time"].to_numpy(float),
            kidney["death"].to_numpy(int),
            np.digitize(kidney["age"], [40, 55]) + 1,
            kidney[["black_male", "white_male", "black_female"]].astype(float),
        ),
        "larynx": Cohort(
            larynx["time"].to_numpy(float),
            larynx["death"].to_numpy(int),
            (1 + larynx[["Stage_II", "Stage_III", "Stage_IV"]] @ [1, 2, 3]).to_numpy(int),
            larynx[["age"]].astype(float),
        ),
        # 43 different times of 1,808 leaders; an end by death is censored.
        "leaders": Cohort(
            leaders["duration"].to_numpy(float),
            leaders["observed"].to_numpy(int),
            leaders["regime"].astype("category").cat.codes.to_numpy(int) + 1,
            pd.DataFrame(
                {"start_year": leaders["start_year"].astype(float)}
                | {
                    name: (leaders["un_continent_name"] == continent).astype(float)
                    for continent, name in continents.items()
                }
            ),
        ),
    }


#: Column and bounds of the groups, and covariates, of sets of the registry.
OF_THE_ARCHIVE = {
    "heart_failure": ("ejection_fraction", [30.0, 40.0], ["age", "sex", "high_blood_pressure"]),
    "support2": ("num.co", [1.0, 3.0], ["age", "sex", "alb"]),  # of albumin a third is missing
}
OF_THE_MIRROR = {
    "colon": ("nodes", [2.0, 5.0], ["age", "sex", "rx"]),  # death, not the rows of recurrence
    "melanoma": ("thickness", [2.0, 3.5], ["age", "sex"]),  # death of it, of another cause
    "mgus2": ("mspike", [1.0, 1.5], ["age", "sex", "hgb"]),  # progression, death without it
}
#: The same of sets with competing causes.
RULES = {
    "pbc": ("bili", [1.1, 3.0], []),  # death, transplant
    "wihs": ("cd4nadir", [2.0, 4.0], []),  # treatment, AIDS or death: ties at tenths of a year
    "hodgkin": ("age", [30.0, 50.0], []),  # relapse, death
    "transplant": ("age", [45.0, 55.0], []),  # death, transplant, withdrawal
    "melanoma": OF_THE_MIRROR["melanoma"],
    "mgus2": OF_THE_MIRROR["mgus2"],
}
#: Two times at which survival and incidence are asked for, in the unit of the cohort.
TIMES = {
    "rossi": (20.0, 40.0),
    "gbsg2": (730.0, 1825.0),
    "lung": (180.0, 365.0),
    "kidney": (365.0, 1825.0),
    "larynx": (2.0, 5.0),
    "leaders": (2.0, 8.0),
    "heart_failure": (30.0, 180.0),
    "support2": (30.0, 180.0),
    "colon": (365.0, 1825.0),
    "melanoma": (1095.0, 1825.0),
    "mgus2": (60.0, 120.0),
    "pbc": (1000.0, 2500.0),
    "wihs": (1.0, 5.0),
    "hodgkin": (5.0, 15.0),
    "transplant": (100.0, 300.0),
}


#: From where on treated and untreated are compared, in the unit of the cohort.
LANDMARKS = {"rossi": (10.0,), "gbsg2": (182.0,), "colon": (182.0,)}


def treated(name: str, folder: Path) -> Cohort:
    """A cohort of LANDMARKS, its one covariate whether the treatment was given at inclusion."""
    if name == "colon":
        cohort = of_the_registry(name, folder)
        given = cohort.covariates["rx_1"]  # levamisole with fluorouracil
    else:
        cohort = cohorts()[name]
        given = load_rossi()["fin"] if name == "rossi" else load_gbsg2()["horTh"] == "yes"
    return cohort._replace(covariates=pd.DataFrame({"treated": given.astype(int)}))


def adjusted(name: str, folder: Path) -> Cohort:
    """`treated`, and the covariates of the cohort that are no treatment."""
    own = treated(name, folder)
    cohort = of_the_registry(name, folder) if name == "colon" else cohorts()[name]
    more = cohort.covariates.reset_index(drop=True)
    more = more.drop(columns=[c for c in more if c.startswith(("rx", "fin"))])
    treatment = own.covariates.reset_index(drop=True)
    return own._replace(covariates=treatment.join(more))


def late() -> dict[str, Cohort]:
    """The cohorts of `competing`, of whom three in four come late, by a rule: column `entry`."""
    found = {}
    for name, cohort in competing().items():
        # At times of events too: who enters at one is not at risk there.
        entry = TIMES[name][0] * (np.arange(len(cohort.time)) % 4) / 4.0
        entry = np.where(np.round(entry) < cohort.time, np.round(entry), 0.0)
        kept = cohort.time > 0.0
        covariates = cohort.covariates.reset_index(drop=True).assign(entry=entry)[kept]
        values = (v[kept] for v in (cohort.time, cohort.event, cohort.leaf))
        found[name] = Cohort(*values, covariates.reset_index(drop=True))
    return found


def of_the_registry(name: str, folder: Path) -> Cohort:
    """A set of the registry: of the archive, or of the mirror that HEDGEROW_MIRROR names."""
    registry = load_registry(Path(__file__).parents[3] / "config/datasets.yaml")
    kinds = {"archive"} if name in OF_THE_ARCHIVE else {"mirror"}
    table = tidy(registry[name], fetch(registry[name], folder, kinds=kinds))
    column, bounds, covariates = (OF_THE_ARCHIVE | OF_THE_MIRROR | RULES)[name]
    values = table.X[column]
    kept = values.notna().to_numpy()
    if name == "colon":
        kept &= table.X["etype"].to_numpy() == 2
    time, event = _progression(table) if name == "mgus2" else (table.time, table.y)
    return Cohort(
        time[kept],
        event[kept],
        np.digitize(values[kept], bounds) + 1,
        pd.DataFrame(index=range(kept.sum())).join(
            _numbers(table.X.loc[kept, covariates]).reset_index(drop=True)
        ),
    )


def _progression(table: TidyTable) -> tuple[np.ndarray, np.ndarray]:
    """Time and event of mgus2: progression as 1, death without it as 2."""
    came = table.X["pstat"].to_numpy() == 1
    time = np.where(came, table.X["ptime"], table.time)
    return time, np.where(came, 1, 2 * (table.y == 1))


def _numbers(covariates: pd.DataFrame) -> pd.DataFrame:
    """Covariates as R is given them: a category as one indicator per level but the first."""
    found = {}
    for name, column in covariates.items():
        if not isinstance(column.dtype, pd.CategoricalDtype):
            found[name] = column
            continue
        for number, level in enumerate(column.cat.categories[1:], start=1):
            found[f"{name}_{number}"] = (column == level).astype(float)
    return pd.DataFrame(found, index=covariates.index)


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


def staggered(n=400, seed=0):
    """Patients included 2010 to 2019, followed to the end of 2020; only age has an effect.

    Returns
    -------
    X : DataFrame
        age, year, and `assay`, new from 2016 on.
    time, event : (n,) arrays
    """
    random = np.random.default_rng([70, 400, seed])
    year, age = random.integers(2010, 2020, n), random.integers(40, 90, n)
    death = random.exponential(1.0 / (0.05 * np.exp(0.03 * (age - 65))))
    end = 2021.0 - (year + random.random(n))
    assay = pd.Categorical(np.where(year >= 2016, "new", "old"))
    X = pd.DataFrame({"age": age.astype(float), "year": year.astype(float), "assay": assay})
    return X, np.minimum(death, end), (death <= end).astype(int)
