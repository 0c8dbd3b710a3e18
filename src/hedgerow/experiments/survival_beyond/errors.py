"""How far a measurement is from itself when it is repeated: values of the literature.

Which value stands for which column is our choice, and so is its reading as the standard deviation
of a normal error. Each source says where we saw its value: in the abstract of the cited work, or,
for the database of laboratory values, which we could not open, in what others copied from it. Where
we saw it nowhere it says `not looked up`.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

RICOS = (
    "C. Ricós and others (1999). Current databases on biological variation: pros, cons and "
    "progress. Scand J Clin Lab Invest 59; within-subject variation of its update of 2014"
)
#: Where values of that database were seen.
LIST = "the analytes of a public program of quality control, which cites the database"
GOALS = (
    f"{LIST}; the desirable total error of Biochem Med 2018; 28: 020711, table 2, follows from it"
)
#: Begins what is said of a value that was seen nowhere.
NOT_SEEN = "not looked up"
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
        Citation, how the value follows from it, and where it was seen.
    """

    quantity: str
    kind: str
    sd: float
    source: str


def _blood(quantity: str, percent: float, seen: str = LIST) -> Error:
    """A laboratory value, by its within-subject variation in per cent, and where that was seen."""
    share = percent / 100.0 * (1.0 + ANALYTICAL**2) ** 0.5
    return Error(
        quantity,
        "relative",
        round(share, 4),
        f"{RICOS}: {percent:g} %, with an analytical variation of half of it"
        + (f"; {seen}" if seen.startswith(NOT_SEEN) else f" (seen in {seen})"),
    )


ERRORS = {
    "albumin": _blood(
        "albumin",
        3.2,
        f"{NOT_SEEN}: public tables that name no edition of the database have 3.1 %",
    ),
    "alkaline_phosphatase": _blood("alkaline phosphatase", 6.45),
    "ast": _blood("aspartate aminotransferase", 12.3),
    "bilirubin": _blood("bilirubin", 21.8, GOALS),
    "cholesterol": _blood("cholesterol", 5.95, GOALS),
    "creatine_kinase": _blood(
        "creatine kinase",
        22.8,
        f"{NOT_SEEN}: A. Carobene and others (2017), nine enzymes in serum of 91 healthy persons, "
        "Clin Chem 63, have 14.5 %, and call the database's higher",
    ),
    "creatinine": _blood(
        "creatinine",
        5.95,
        f"{GOALS}; 5.9 % in the abstract of A. Carobene and others (2017), serum creatinine, Clin "
        "Chem 63",
    ),
    "glucose": _blood("glucose", 5.6),
    "haemoglobin": _blood("haemoglobin", 2.85),
    "platelets": _blood("platelets", 9.1),
    "prothrombin": _blood("prothrombin time", 4.0),
    "sodium": _blood(
        "sodium", 0.6, "a public table of reference change values, which cites the database"
    ),
    "triglycerides": _blood("triglycerides", 19.9, GOALS),
    "urea": _blood("urea", 12.1, GOALS),
    "cd4": Error(
        "CD4 lymphocytes",
        "relative",
        0.25,
        "M. Hughes and others (1994). Within-subject variation in CD4 lymphocyte count in "
        "asymptomatic human immunodeficiency virus infection. J Infect Dis 169: 25 % (seen in its "
        "abstract)",
    ),
    "systolic_pressure": Error(
        "systolic blood pressure",
        "absolute",
        7.7,
        "P. Muntner and others (2011). The relationship between visit-to-visit variability in "
        "systolic blood pressure and all-cause mortality in the general population. Hypertension "
        "57: mean standard deviation over three visits, 7.7 mmHg (seen in its abstract)",
    ),
    "ejection_fraction": Error(
        "ejection fraction by echocardiography",
        "absolute",
        5.0,
        "Limits of reproducibility of cross-sectional echocardiographic measurement of left "
        "ventricular ejection fraction (1990). Int J Cardiol 28: coefficient of variation of "
        "slices, 9 % (seen in its abstract), in 14 volunteers; of a normal fraction about 5 points",
    ),
    "ventricular_mass": Error(
        "left ventricular mass by echocardiography",
        "relative",
        0.055,
        "V. Palmieri and others (1999). Reliability of echocardiographic assessment of left "
        "ventricular structure and function: the PRESERVE study. J Am Coll Cardiol 34: difference "
        "of two studies 2 +- 19 g at a mean of 242 g (seen in its abstract); 19 over the root of "
        "2, over 242",
    ),
    "peak_vo2": Error(
        "peak oxygen uptake",
        "absolute",
        1.15,
        "D. Bensimhon and others (2008). Reproducibility of peak oxygen uptake and other "
        "cardiopulmonary exercise testing parameters in patients with heart failure. Am J Cardiol "
        "102: mean absolute change of two tests 1.3 ml/kg/min (seen in its abstract), times half "
        "the root of pi",
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
