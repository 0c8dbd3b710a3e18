"""Public cohorts as they are published, and each spoilt in a way in which real tables are.

The cohorts are those of lifelines and of the project's own archive, so that no mirror is needed.
Two rows for a patient, second endpoints and codes of treatment have the form that they have in R's
`colon`, `rotterdam` and `pbc`, which `REAL` names for where a mirror is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import lifelines.datasets as datasets
import numpy as np
import pandas as pd

from hedgerow.data import fetch, load_registry

REGISTRY = Path(__file__).parents[2] / "config/datasets.yaml"
#: Of SUPPORT2, what its authors say is not known on the third day.
LATER = (
    *("hospdead", "slos", "charges", "totcst", "totmcst", "surv2m", "surv6m", "prg2m", "prg6m"),
    *("dnr", "dnrday", "sfdm2", "avtisst"),
)
DATES = ("--start", "included", "--end", "last_seen", "--event", "cens", "--horizon", "3y")


class Told(NamedTuple):
    """A table, and the options that describe it."""

    table: pd.DataFrame
    options: tuple[str, ...]


class Spoilt(NamedTuple):
    """A table that was spoilt.

    made : gives its text and the options that describe it
    asked : what the questions have to say, a pattern each, in any order
    answers : options that settle them all
    """

    made: Callable[[], tuple[str, tuple[str, ...]]]
    asked: tuple[str, ...]
    answers: tuple[str, ...]


def told(event: str, time: str = "time", unit: str = "days", horizon: str = "3y") -> tuple:
    """Options that describe a table."""
    return ("--event", event, "--time", time, "--unit", unit, "--horizon", horizon)


def archived(key: str, folder: Path) -> pd.DataFrame:
    """A table of the archive as it is."""
    return pd.read_csv(fetch(load_registry(REGISTRY)[key], folder, kinds={"archive"}).path)


def gbsg2() -> pd.DataFrame:
    """The German Breast Cancer Study Group 2."""
    return datasets.load_gbsg2()


def nodes() -> pd.DataFrame:
    """The same women with both endpoints, recurrence and death."""
    dates = ["diagdateb", "recdate", "deathdate"]
    return datasets.load_lymph_node().reset_index().drop(columns=dates)


def clean(folder: Path) -> dict[str, Told]:
    """Ten cohorts in which nothing is in question."""
    heart, support = (archived(key, folder) for key in ("heart_failure", "support2"))
    lupus = "time_between_diagnosis_and_last_observation_(years)"
    return {
        "rossi": Told(datasets.load_rossi(), told("arrest", "week", "weeks", "40w")),
        "gbsg2": Told(gbsg2(), told("cens")),
        "lung": Told(datasets.load_lung(), told("status", horizon="1y")),
        "larynx": Told(datasets.load_larynx(), told("death", unit="years", horizon="4y")),
        "kidney": Told(datasets.load_kidney_transplant(), told("death", horizon="5y")),
        "nodes": Told(nodes().drop(columns=["rectime", "censrec"]), told("censdead", "survtime")),
        "leukemia": Told(datasets.load_leukemia(), told("status", "t", "weeks", "20w")),
        "lupus": Told(datasets.load_lupus(), ("--event", "dead", "--time", lupus)),
        "heart_failure": Told(heart, told("DEATH_EVENT", horizon="4m")),
        "support2": Told(support.drop(columns=[*LATER]), told("death", "d.time", horizon="6m")),
    }


# ------------------------------------------------------------------------------ how it is spoilt


def text(table: pd.DataFrame, **how) -> str:
    """A table as CSV."""
    return table.to_csv(index=False, **how)


def two_rows_each():
    """As R's colon: a row for the recurrence and one for the death of each patient."""
    table = nodes()
    rest = table.drop(columns=["rectime", "censrec", "survtime", "censdead"])
    both = [
        rest.assign(etype=kind, time=table[time], status=table[event])
        for kind, time, event in ((1, "rectime", "censrec"), (2, "survtime", "censdead"))
    ]
    return text(pd.concat(both).sort_values(["id", "etype"])), told("status")


def some_twice():
    """Of three patients a later row, with a longer follow-up."""
    table = gbsg2().assign(patient_id=[f"W{k:03d}" for k in range(686)])
    later = table.iloc[[10, 20, 30]].assign(
        time=lambda t: t["time"] + 100, age=lambda t: t["age"] + 1
    )
    return text(pd.concat([table, later])), told("cens")


def copied():
    """Five rows that were pasted once more."""
    table = gbsg2()
    return text(pd.concat([table, table.iloc[100:105]])), told("cens")


def copied_and_numbered():
    """The same with a running number, given anew after that."""
    table = pd.concat([gbsg2(), gbsg2().iloc[100:105]], ignore_index=True)
    return text(table.assign(nr=np.arange(len(table)) + 1)), told("cens")


def second_endpoint():
    """As R's rotterdam: the recurrence among the inputs for death."""
    return text(nodes()), told("censdead", "survtime")


def in_months():
    """The follow-up once more, in months."""
    return text(gbsg2().assign(fu=lambda t: (t["time"] / 30.4375).round(1))), told("cens")


def cause_of_death():
    """A column that is filled for the dead alone."""
    table = gbsg2()
    cause = np.where(np.arange(len(table)) % 3 == 0, "lungs", "liver")
    return text(table.assign(site=np.where(table["cens"] == 1, cause, ""))), told("cens")


def codes_of_treatment():
    """As R's pbc: 1 and 2."""
    table = gbsg2()
    table["horTh"] = np.where(table["horTh"] == "yes", 1, 2)
    return text(table), (*told("cens"), "--intervention", "horTh")


def three_arms():
    """As R's colon: Obs, Lev, Lev+5FU."""
    table = gbsg2()
    arms = np.array(["Obs", "Lev", "Lev+5FU"])[np.arange(len(table)) % 3]
    return text(table.assign(rx=arms)), (*told("cens"), "--intervention", "rx")


def _in_words(table: pd.DataFrame, *words: str) -> pd.DataFrame:
    """Events as words: the first for none, the others in turn."""
    own = np.array(words[1:])[np.arange(len(table)) % (len(words) - 1)]
    return table.assign(cens=np.where(table["cens"] == 1, own, words[0]))


def misspelt():
    """`daed` beside `dead`."""
    table = _in_words(gbsg2(), "alive", "dead")
    table.loc[table.index[table["cens"] == "dead"][:2], "cens"] = "daed"
    return text(table), (*told("cens"), "--event-is", "dead")


def misspelt_cause():
    """`cardaic death` is no competing cause."""
    table = _in_words(gbsg2(), "alive", "cardiac death", "stroke")
    table.loc[table.index[table["cens"] == "cardiac death"][:2], "cens"] = "cardaic death"
    return text(table), (*told("cens"), "--cause", "cardiac death")


def no_word_for_none():
    """As R's melanoma: 1 died of it, 2 is alive, 3 died of something else."""
    return text(_in_words(gbsg2(), "2", "1", "3")), (*told("cens"), "--cause", "1")


def words_of_all_kinds():
    """Words beside the one that was named, of which nothing tells what they are."""
    table = _in_words(gbsg2(), "at home", "died", "moved abroad", "transplanted")
    return text(table), (*told("cens"), "--event-is", "died")


def _dated(form: str = "%Y-%m-%d") -> pd.DataFrame:
    """With dates of inclusion and of last contact in the place of times."""
    table = gbsg2()
    start = pd.Timestamp("2001-03-01") + pd.to_timedelta(np.arange(len(table)) * 3, "D")
    end = start + pd.to_timedelta(table.pop("time").to_numpy(), "D")
    return table.assign(included=start.strftime(form), last_seen=end.strftime(form))


def to_come():
    """A date in 2099."""
    table = _dated()
    table.loc[7, "last_seen"] = "2099-01-01"
    return text(table), DATES


def longer_than_a_life():
    """An inclusion in 1911 in the place of 2001."""
    table = _dated()
    table.loc[7, "included"] = "1911" + table.loc[7, "included"][4:]
    return text(table), DATES


def older_than_anybody():
    """An age of 110 at the beginning of seven years."""
    table = gbsg2()
    table.loc[table["time"].idxmax(), "age"] = 110
    return text(table), told("cens")


def german_thousands():
    """1.026 beside 996, in a table whose other numbers have a decimal point."""
    table = gbsg2()
    table["ratio"] = (table["tsize"] / 7.0).round(2)
    large = table["estrec"].to_numpy() + 200
    table["estrec"] = [f"{v // 1000}.{v % 1000:03d}" if v > 999 else str(v) for v in large]
    return text(table), told("cens")


def title():
    """A line with the title of the study, and an empty one."""
    return "Study of 2009, export of the ward\n\n" + text(gbsg2()), told("cens")


def two_digits():
    """Years of two digits."""
    return text(_dated("%d.%m.%y")), DATES


def months():
    """A month and a year."""
    return text(_dated("%m/%Y")), DATES


def by_case():
    """Levels that differ by case."""
    table = gbsg2()
    table.loc[::9, "menostat"] = table.loc[::9, "menostat"].str.upper()
    return text(table), told("cens")


def short_forms():
    """`f` beside `female`."""
    table = gbsg2().assign(sex=["female", "male"] * 343)
    table.loc[::7, "sex"] = table.loc[::7, "sex"].str[0]
    return text(table), told("cens")


_KNOWS = r"column `{}`: it may not have been known at inclusion: "
_TELLS = r"column `{}`: it may tell how long a patient could be followed"
SPOILT = {
    "two rows each": Spoilt(
        two_rows_each,
        (r"column `id`: 686 of 686 patients stand in several rows, .* in rows 2 and 3",),
        ("--where", "etype=2"),
    ),
    "some twice": Spoilt(
        some_twice,
        (r"column `patient_id`: 3 of 686 patients .* such as 'W010' in rows 12 and 688",),
        ("--several-rows", "last"),
    ),
    "copied": Spoilt(
        copied,
        (r"^5 rows are copies of another, cell by cell: row 688 \(of 102\)",),
        ("--copied-rows", "drop"),
    ),
    "copied and numbered": Spoilt(
        copied_and_numbered,
        (r"^5 rows are copies of another, cell by cell but for `nr`",),
        ("--copied-rows", "keep"),
    ),
    "second endpoint": Spoilt(
        second_endpoint,
        (
            _KNOWS.format("rectime") + "it equals the follow-up",
            _KNOWS.format("censrec") + "it nearly tells",
        ),
        ("--not-input", "rectime", "--not-input", "censrec"),
    ),
    "in months": Spoilt(in_months, (_KNOWS.format("fu") + "it goes with",), ("--not-input", "fu")),
    "cause of death": Spoilt(
        cause_of_death, (_KNOWS.format("site") + "whether it is empty",), ("--not-input", "site")
    ),
    "codes of treatment": Spoilt(
        codes_of_treatment,
        (r"column `horTh`: it holds '1' \(246, first in row 3\), '2' \(440, .* who was treated",),
        ("--treated-is", "1"),
    ),
    "three arms": Spoilt(
        three_arms,
        (r"column `rx`: it holds 'Lev' .* 'Lev\+5FU' .* 'Obs' .* nothing tells who was treated",),
        ("--treated-is", "Lev", "--treated-is", "Lev+5FU"),
    ),
    "misspelt": Spoilt(
        misspelt,
        (r"column `cens`: it holds 'daed' \(2,", r"'daed' \(2, .*\) may be 'dead' misspelt"),
        ("--event-is", "daed"),
    ),
    "misspelt cause": Spoilt(
        misspelt_cause,
        (r"'cardaic death' \(2, .*\) may be 'cardiac death' misspelt",),
        ("--other-event-is", "cardaic death"),
    ),
    "no word for none": Spoilt(
        no_word_for_none,
        (r"column `cens`: no word says that a patient had no event: it holds '1' .* '2' .* '3'",),
        ("--no-event-is", "2"),
    ),
    "words of all kinds": Spoilt(
        words_of_all_kinds,
        (r"column `cens`: it holds 'at home' .* 'moved abroad' .* 'transplanted'",),
        (
            *("--no-event-is", "at home", "--no-event-is", "moved abroad"),
            *("--other-event-is", "transplanted"),
        ),
    ),
    "to come": Spoilt(
        to_come,
        (
            r"row 9, column `last_seen`: 2099-01-01 is still to come",
            r"row 9, column `last_seen`: a follow-up of 98 years",
        ),
        ("--leave-out-rows", "9"),
    ),
    "longer than a life": Spoilt(
        longer_than_a_life,
        (r"row 9, column `last_seen`: a follow-up of 9\d years is longer",),
        ("--leave-out-rows", "9"),
    ),
    "older than anybody": Spoilt(
        older_than_anybody,
        (r"column `age`: with 110 years at inclusion and a follow-up of 7 years",),
        ("--leave-out-rows", "{row}"),
    ),
    "German thousands": Spoilt(
        german_thousands,
        (r"column `estrec`: 1\.\d{3} may be 1\.\d{3} or 1\d{3}; say --decimal estrec=comma",),
        ("--decimal", "estrec=comma"),
    ),
    "title": Spoilt(
        title, (r"^row 1: it does not name 10 columns, and row 3 looks like",), ("--head", "3")
    ),
    "two digits": Spoilt(
        two_digits,
        tuple(
            rf"column `{c}`: its dates hold years of two digits, such as .* {c}=two-digit-years"
            for c in ("included", "last_seen")
        ),
        ("--dates", "two-digit-years"),
    ),
    "months": Spoilt(
        months,
        tuple(
            rf"column `{c}`: its dates hold a month and a year, .* {c}=month-year"
            for c in ("included", "last_seen")
        ),
        ("--dates", "month-year"),
    ),
    "by case": Spoilt(
        by_case,
        (r"column `menostat`: levels are written alike: 'Post' .* and 'POST' .*; 'Pre' .* 'PRE'",),
        ("--same-levels", "menostat"),
    ),
    "short forms": Spoilt(
        short_forms,
        (r"column `sex`: levels are written alike: 'female' .* and 'f' .*; 'male' .* and 'm'",),
        ("--same-levels", "sex"),
    ),
}

#: R's tables as they are: what is asked, and what settles it.
REAL = {
    "colon": (
        told("status", horizon="5y"),
        (r"column `id`: 929 of 929 patients stand in several rows",),
        ("--where", "etype=2"),
    ),
    "rotterdam": (
        told("death", "dtime", horizon="5y"),
        (_KNOWS.format("rtime"), _KNOWS.format("recur"), _TELLS.format("year")),
        ("--not-input", "rtime", "--not-input", "recur", "--not-input", "year"),
    ),
    "pbc": (
        (*told("status", horizon="5y"), "--cause", "2", "--intervention", "trt"),
        (r"column `trt`: it holds '1' \(158, .* '2' \(154, .*, is empty for 106",),
        ("--treated-is", "1"),
    ),
    "melanoma": (
        (*told("status", horizon="5y"), "--cause", "1"),
        (r"column `status`: no word says that a patient had no event", _TELLS.format("year")),
        ("--no-event-is", "2", "--not-input", "year"),
    ),
}
