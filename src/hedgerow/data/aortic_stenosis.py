"""A synthetic registry of aortic stenosis, in the place of the private one of thesis chapter 6.

What the thesis prints is kept: 2,761 patients, 1,347 men and 1,414 women from 23 to 100 years of
age, median 79, the 39 variables of table 6.1, the tests of figure 6.1 as far as the text gives
them, and hazards whose order over the ten leaves is that of table 6.3. Everything else, the
distributions and correlations of the variables among it, is ours, such as a cardiologist would
find plausible. Nothing is drawn from data of patients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HAZARD_RATIOS", "AorticStenosisPlan", "aortic_stenosis", "leaf_of", "life_table"]

#: Natural history: hazard ratio of each leaf of figure 6.1 (table 6.3, univariate).
HAZARD_RATIOS = {1: 1.2, 2: 1.3, 3: 1.0, 4: 0.3, 5: 1.0, 6: 0.8, 7: 0.5, 8: 1.0, 9: 1.8, 10: 2.2}
#: What an intervention leaves of the hazard. In the leaves 2, 3 and 5 the thesis finds a gain
#: (table 6.4), in 7 and 10 too few patients to say.
REMAINS = {1: 1.0, 2: 0.4, 3: 0.4, 4: 1.0, 5: 0.35, 6: 1.0, 7: 0.8, 8: 1.0, 9: 1.0, 10: 0.8}

#: Yearly hazard of other death at 60 years of age, and how fast it grows (Gompertz).
AT_60, AGEING = 0.004, 0.085

#: Thresholds of figure 6.1; that of the posterior wall is not in the text.
AVA, VMAX, WALL, YOUNG, OLD = 0.9, 325.0, 12.0, 73, 88
CREATININE, GRADIENT, STROKE = 1.6, 19.0, 65.0

#: Share of patients of whom a variable is not known; of the others below, `share_missing`.
OFTEN_MISSING = {
    "calcium_score": 0.6,
    "brain_natriuretic_peptide": 0.45,
    "left_atrial_volume": 0.3,
    "e_e_ratio": 0.25,
    "pulmonary_artery_pressure": 0.2,
}
NEVER_MISSING = ("gender", "age")
OUTCOMES = ("censored", "cardiovascular death", "other death")


@dataclass(frozen=True)
class AorticStenosisPlan:
    """Settings of the synthetic registry.

    Attributes
    ----------
    men, women : int
        Number of patients.
    median_survival : float
        Years until half of the patients in a leaf with hazard ratio 1 have died of cardiovascular
        causes, were there no intervention and no other death.
    shape : float
        Of the Weibull distribution of these deaths; above 1 the hazard rises.
    longest : float
        Years from the first inclusion to the end of follow-up.
    share_missing : float
        Probability that a value is missing, of variables that most patients have.
    seed : int
        Seed of the generator; part of the definition of the set.
    """

    men: int
    women: int
    median_survival: float
    shape: float
    longest: float
    share_missing: float
    seed: int


def aortic_stenosis(plan: AorticStenosisPlan) -> pd.DataFrame:
    """Generate the registry.

    Returns: one row per patient: the variables of table 6.1 in its order (creatinine in mg/dl, as
    the threshold 1.6 is), `intervention` (years to the replacement or repair of the valve, missing
    where there was none), `years` (follow-up) and `outcome`, one of `OUTCOMES`.
    """
    # The stream of RandomState is frozen, that of numpy's newer generators may change.
    random = np.random.RandomState(plan.seed)
    patients = _patients(plan, random)
    follow_up = _follow_up(plan, patients, random)
    for name in patients:
        if name not in NEVER_MISSING:
            share = OFTEN_MISSING.get(name, plan.share_missing)
            patients[name] = patients[name].mask(random.uniform(size=len(patients)) < share)
    return patients.join(follow_up)


def leaf_of(patients: pd.DataFrame) -> np.ndarray:
    """Leaf of figure 6.1 (1 to 10) of patients without missing values, (n,) int."""
    p = patients
    middle = np.where(
        p["arterial_hypertension"] == 0,
        5,
        np.where(p["mean_gradient"] >= GRADIENT, 8, np.where(p["stroke_volume"] < STROKE, 6, 7)),
    )
    large = np.where(p["serum_creatinine"] >= CREATININE, 9, np.where(p["age"] < YOUNG, 4, middle))
    large = np.where(p["age"] >= OLD, 10, large)
    small = np.where(p["vmax"] < VMAX, 1, np.where(p["posterior_wall"] < WALL, 2, 3))
    return np.where(p["ava"] < AVA, small, large)


def life_table() -> pd.DataFrame:
    """Mortality of other causes as the generator has it, the same for men and women.

    Returns: age (whole years from 20 to 110), sex (0, 1: `gender` of the patients), hazard (per
    year, the mean over the year of age).
    """
    import pandas as pd

    age = np.arange(20, 111)
    hazard = AT_60 * np.exp(AGEING * (age - 60.0)) * np.expm1(AGEING) / AGEING
    both = [pd.DataFrame({"age": age, "sex": float(sex), "hazard": hazard}) for sex in (0, 1)]
    return pd.concat(both, ignore_index=True)


def _patients(plan: AorticStenosisPlan, random: np.random.RandomState) -> pd.DataFrame:
    """The variables of table 6.1, complete."""
    import pandas as pd

    p = _SimulatedPatients(plan, random)
    return pd.DataFrame(_history(p) | _heart(p))


class _SimulatedPatients:
    """What is drawn first of the patients, and how the other variables are drawn."""

    def __init__(self, plan: AorticStenosisPlan, random: np.random.RandomState):
        n = plan.men + plan.women
        self.random, self.n, normal = random, n, self.normal
        self.male = male = random.permutation(np.repeat([1.0, 0.0], [plan.men, plan.women]))
        young = random.uniform(23, 79, n)
        age = np.where(random.uniform(size=n) < 0.08, young, 101.0 - random.gamma(12.0, 1.83, n))
        self.age = np.round(np.clip(age, 23, 100))
        self.old = old = (self.age - 79.0) / 11.0
        self.severe = severe = random.standard_normal(n)
        self.weak = weak = random.standard_normal(n)  # of the left ventricle
        self.hypertension = self.yes(0.62 + 0.12 * np.clip(old, -2, 1))
        self.coronary = self.yes(0.38 + 0.12 * male)
        self.fibrillation = self.yes(0.26 + 0.08 * np.clip(old, -2, 2))
        self.bsa = normal(1.67 + 0.2 * male - 0.02 * old, 0.16, 1.1, 2.7, 2)
        self.ava = normal(np.exp(np.log(0.95) - 0.33 * severe), 0.03, 0.25, 2.6, 2)
        self.vmax = normal(332.0 + 58.0 * severe - 8.0 * weak, 45.0, 150.0, 650.0)
        self.ejection = normal(59.0 - 8.0 * weak, 4.0, 12.0, 80.0)
        self.stroke = normal(70.0 + 7.0 * male - 3.0 * severe - 4.0 * weak, 12.0, 20.0, 140.0)
        self.end_diastolic = normal(self.stroke / self.ejection * 100.0, 8.0, 30.0, 420.0)
        self.diameter = normal(45.5 + 3.0 * male + 2.5 * weak, 4.5, 28.0, 85.0)
        thick = 11.3 + 0.6 * male + 0.4 * self.hypertension + 0.5 * severe
        self.wall = normal(thick, 1.6, 6.0, 20.0, 1)
        self.breathless = 0.5 * severe + 0.6 * weak + 0.3 * old + 0.8 * random.standard_normal(n)

    def normal(self, mean, sd, low, high, decimals=0) -> np.ndarray:
        drawn = mean + sd * self.random.standard_normal(self.n)
        return np.round(np.clip(drawn, low, high), decimals) + 0.0

    def yes(self, probability) -> np.ndarray:
        return (self.random.uniform(size=self.n) < probability).astype(np.float64)


def _history(p: _SimulatedPatients) -> dict[str, np.ndarray]:
    """Patients, what they had before, blood and blood pressure."""
    normal, yes, random, old, coronary = p.normal, p.yes, p.random, p.old, p.coronary
    peptide = np.exp(5.1 + 0.4 * p.severe + 0.6 * p.weak + 0.4 * old)
    creatinine = 0.02 + 0.14 * p.male + 0.05 * old
    return {
        "gender": p.male,
        "age": p.age,
        "bsa": p.bsa,
        "nyha_class": 1.0 + np.digitize(p.breathless, [-0.4, 0.7, 1.8]),
        "angina": yes(0.12 + 0.1 * coronary),
        "syncope": yes(0.05 + 0.03 * (p.severe > 0.5)),
        "diabetes": yes(0.24),
        "arterial_hypertension": p.hypertension,
        "coronary_heart_disease": coronary,
        "myocardial_infarction": yes(0.03 + 0.24 * coronary),
        "atrial_fibrillation": p.fibrillation,
        "charlson_index": random.poisson(np.clip(1.5 + 0.6 * old + 0.5 * coronary, 0.2, 9)) + 0.0,
        "brain_natriuretic_peptide": normal(peptide, 20.0, 5.0, 5000.0),
        "serum_creatinine": normal(
            np.exp(creatinine + 0.27 * random.standard_normal(p.n)), 0.05, 0.4, 9.0, 2
        ),
        "systolic_blood_pressure": normal(133.0 + 9.0 * p.hypertension, 18.0, 80.0, 230.0),
        "diastolic_blood_pressure": normal(73.0 + 3.0 * p.hypertension, 10.0, 40.0, 120.0),
        "heart_rate": normal(71.0 + 7.0 * p.fibrillation, 12.0, 40.0, 150.0),
    }


def _heart(p: _SimulatedPatients) -> dict[str, np.ndarray]:
    """What the echocardiogram measures, calcium, and whether a bypass is to be made as well."""
    normal, yes, severe, weak = p.normal, p.yes, p.severe, p.weak
    systolic = p.diameter * (0.64 - 0.006 * (p.ejection - 59.0))
    return {
        "end_diastolic_diameter": p.diameter,
        "end_systolic_diameter": normal(systolic, 2.0, 15.0, 75.0),
        "posterior_wall": p.wall,
        "septum": normal(p.wall + 1.2, 1.2, 6.0, 24.0, 1),
        "outflow_tract": normal(19.8 + 1.9 * p.male, 1.4, 14.0, 28.0, 1),
        "ava": p.ava,
        "ava_indexed": np.round(p.ava / p.bsa, 2),
        "stroke_volume": p.stroke,
        "mean_gradient": normal(2.35 * (p.vmax / 100.0) ** 2, 3.0, 2.0, 110.0),
        "vmax": p.vmax,
        "pulmonary_artery_pressure": normal(36.0 + 4.0 * weak + 3.0 * p.old, 8.0, 12.0, 95.0),
        "end_diastolic_volume": p.end_diastolic,
        "end_systolic_volume": np.round(p.end_diastolic * (1.0 - p.ejection / 100.0)),
        "ejection_fraction": p.ejection,
        "e_e_ratio": normal(14.0 + 2.0 * severe + 2.5 * weak, 3.5, 4.0, 45.0, 1),
        "left_atrial_diameter": normal(41.0 + 4.0 * p.fibrillation + weak, 5.0, 22.0, 70.0),
        "left_atrial_volume": normal(74.0 + 18.0 * p.fibrillation, 20.0, 20.0, 250.0),
        "aortic_regurgitation": yes(0.4),
        "mitral_regurgitation": yes(0.45 + 0.08 * np.clip(weak, -2, 2)),
        "tricuspid_regurgitation": yes(0.35 + 0.2 * p.fibrillation),
        "calcium_score": normal(np.exp(7.3 + 0.45 * severe + 0.2 * p.male), 150.0, 50.0, 9000.0),
        "associated_bypass": yes(0.02 + 0.2 * p.coronary),
    }


def _follow_up(
    plan: AorticStenosisPlan, patients: pd.DataFrame, random: np.random.RandomState
) -> pd.DataFrame:
    """Years to the intervention and to the end of follow-up, and why it ended."""
    import pandas as pd

    n = len(patients)
    leaf = leaf_of(patients)
    ratio, remains = (np.array([table[k] for k in leaf]) for table in (HAZARD_RATIOS, REMAINS))
    # Within a leaf patients differ a little.
    ratio = ratio * np.exp(0.1 * (patients["nyha_class"] - 2.0).to_numpy())
    # Of the registry, or lost.
    end = np.minimum(random.uniform(1.0, plan.longest, n), 0.5 + random.exponential(40.0, n))
    by_age = AT_60 * np.exp(AGEING * (patients["age"].to_numpy() - 60.0))
    other = np.log1p(AGEING * random.exponential(1.0, n) / by_age) / AGEING
    wanted = _referral(patients, leaf, random)
    # Cumulative hazard of the cardiovascular death, (t / scale)^shape times the ratio.
    scale = plan.median_survival / np.log(2.0) ** (1.0 / plan.shape)
    threshold = random.exponential(1.0, n)
    untreated = scale * (threshold / ratio) ** (1.0 / plan.shape)
    until = (np.minimum(wanted, 1e3) / scale) ** plan.shape
    after = np.maximum(threshold - ratio * until, 0.0) / (remains * ratio)
    treated = scale * (until + after) ** (1.0 / plan.shape)
    death = np.where(untreated <= wanted, untreated, treated)
    dead = np.minimum(death, other)
    years = np.round(np.minimum(dead, end), 3)
    outcome = np.where(years < np.round(dead, 3), 0, np.where(death < other, 1, 2))
    intervention = np.where(np.round(wanted, 3) < years, np.round(wanted, 3), np.nan)
    return pd.DataFrame(
        {
            "intervention": intervention,
            "years": np.maximum(years, 0.001),
            "outcome": np.asarray(OUTCOMES, dtype=object)[outcome],
        }
    )


def _referral(
    patients: pd.DataFrame, leaf: np.ndarray, random: np.random.RandomState
) -> np.ndarray:
    """Years until each patient would be operated; infinite for never."""
    n, severe = len(leaf), np.isin(leaf, (2, 3))
    small, age = patients["ava"].to_numpy() < AVA, patients["age"].to_numpy()
    fit = np.where(age >= OLD, 0.3, np.where(age < YOUNG, 1.2, 1.0))
    soon = random.uniform(size=n) < fit * np.where(severe, 0.3, np.where(small, 0.2, 0.08))
    later = random.uniform(size=n) < fit * np.where(small, 1.0, 0.35)
    within = random.uniform(0.01, 0.5, n)
    after = 0.5 + np.where(small, random.uniform(0.5, 5.5, n), random.exponential(5.0, n))
    return np.where(soon, within, np.where(later, after, np.inf))
