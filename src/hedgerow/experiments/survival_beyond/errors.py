"""How far a measurement is from itself when it is repeated: values of the literature.

Which value stands for which column is our choice, and so is its reading as the standard deviation
of a normal error. They were taken from the cited works by us and are to be checked by whoever
builds on them.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

RICOS = (
    "C. Ricós and others (1999). Current databases on biological variation: pros, cons and "
    "progress. Scand J Clin Lab Invest 59; within-subject variation of its update of 2014"
)
#: Of the within-subject variation: an assay is good enough with half of it (Fraser 2001).
ANALYTICAL = 0.5


class Error(NamedTuple):
    """Error of one quantity.

    Attributes
    ----------
    quantity : str
    kind : {"absolute", "relative"}
        In the unit of the column, or as a share of the value.
    sd : float
        Standard deviation of one measurement.
    source : str
        Citation, and how the value follows from it.
    """

    quantity: str
    kind: str
    sd: float
    source: str


def _blood(quantity: str, percent: float) -> Error:
    """A laboratory value, by its within-subject variation in per cent."""
    share = percent / 100.0 * (1.0 + ANALYTICAL**2) ** 0.5
    return Error(
        quantity,
        "relative",
        round(share, 4),
        f"{RICOS}: {percent:g} %, with an analytical variation of half of it",
    )


ERRORS = {
    "albumin": _blood("albumin", 3.2),
    "alkaline_phosphatase": _blood("alkaline phosphatase", 6.45),
    "ast": _blood("aspartate aminotransferase", 12.3),
    "bilirubin": _blood("bilirubin", 21.8),
    "cholesterol": _blood("cholesterol", 5.95),
    "creatine_kinase": _blood("creatine kinase", 22.8),
    "creatinine": _blood("creatinine", 5.95),
    "glucose": _blood("glucose", 5.6),
    "haemoglobin": _blood("haemoglobin", 2.85),
    "platelets": _blood("platelets", 9.1),
    "prothrombin": _blood("prothrombin time", 4.0),
    "sodium": _blood("sodium", 0.6),
    "triglycerides": _blood("triglycerides", 19.9),
    "urea": _blood("urea", 12.1),
    "cd4": Error(
        "CD4 lymphocytes",
        "relative",
        0.25,
        "M. Hughes and others (1994). Within-subject variation in CD4 lymphocyte count in "
        "asymptomatic human immunodeficiency virus infection. J Infect Dis 169: 25 %",
    ),
    "systolic_pressure": Error(
        "systolic blood pressure",
        "absolute",
        7.7,
        "P. Muntner and others (2011). The relationship between visit-to-visit variability in "
        "systolic blood pressure and all-cause mortality in the general population. Hypertension "
        "57: mean standard deviation over three visits, 7.7 mmHg",
    ),
    "ejection_fraction": Error(
        "ejection fraction by echocardiography",
        "absolute",
        5.0,
        "Limits of reproducibility of cross-sectional echocardiographic measurement of left "
        "ventricular ejection fraction (1990). Int J Cardiol 28: coefficient of variation of "
        "slices, 9 %, in volunteers with a normal fraction, about 5 points",
    ),
    "ventricular_mass": Error(
        "left ventricular mass by echocardiography",
        "relative",
        0.055,
        "V. Palmieri and others (1999). Reliability of echocardiographic assessment of left "
        "ventricular structure and function: the PRESERVE study. J Am Coll Cardiol 34: difference "
        "of two studies 2 +- 19 g at a mean of 242 g; 19 over the root of 2, over 242",
    ),
    "peak_vo2": Error(
        "peak oxygen uptake",
        "absolute",
        1.15,
        "D. Bensimhon and others (2008). Reproducibility of peak oxygen uptake and other "
        "cardiopulmonary exercise testing parameters in patients with heart failure. Am J Cardiol "
        "102: mean absolute change of two tests 1.3 ml/kg/min, times half the root of pi",
    ),
}

#: Columns of the cohorts -> keys of ERRORS.
COLUMNS = {
    "actg320": {"cd4": "cd4"},
    "flchain": {"creatinine": "creatinine"},
    "follic": {"hgb": "haemoglobin"},
    "framingham": {"num_sbp": "systolic_pressure", "num_scl": "cholesterol"},
    "heart_failure": {
        "creatinine_phosphokinase": "creatine_kinase",
        "ejection_fraction": "ejection_fraction",
        "platelets": "platelets",
        "serum_creatinine": "creatinine",
        "serum_sodium": "sodium",
    },
    "heart_valve": {
        "lvmi": "ventricular_mass",
        "ef": "ejection_fraction",
        "creat": "creatinine",
    },
    "mgus2": {"hgb": "haemoglobin", "creat": "creatinine"},
    "pbc": {
        "bili": "bilirubin",
        "chol": "cholesterol",
        "albumin": "albumin",
        "alk.phos": "alkaline_phosphatase",
        "ast": "ast",
        "trig": "triglycerides",
        "platelet": "platelets",
        "protime": "prothrombin",
    },
    "peak_vo2": {
        "resting.systolic.bp": "systolic_pressure",
        "lvef.metabl": "ejection_fraction",
        "peak.vo2": "peak_vo2",
        "bun": "urea",
        "sodium": "sodium",
        "hgb": "haemoglobin",
        "glucose": "glucose",
        "crcl": "creatinine",  # by Cockcroft and Gault it is a constant over creatinine
    },
    "support2": {
        "alb": "albumin",
        "bili": "bilirubin",
        "crea": "creatinine",
        "sod": "sodium",
        "glucose": "glucose",
        "bun": "urea",
    },
    "whas500": {"sysbp": "systolic_pressure"},
}


def errors_of(dataset: str) -> dict[str, Error]:
    """Errors of the columns of a cohort; none where nothing is known.

    >>> errors_of("whas500")["sysbp"].sd
    7.7
    """
    return {column: ERRORS[key] for column, key in COLUMNS.get(dataset, {}).items()}


def table_of(datasets) -> pd.DataFrame:
    """Errors of the columns of some cohorts.

    Parameters
    ----------
    datasets : iterable of str

    Returns
    -------
    DataFrame
        dataset, variable, then the attributes of `Error`.
    """
    lines = [
        (dataset, column, *error)
        for dataset in sorted(datasets)
        for column, error in errors_of(dataset).items()
    ]
    return pd.DataFrame(lines, columns=["dataset", "variable", *Error._fields])
