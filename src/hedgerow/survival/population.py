"""Survival of the general population of the same ages and sexes, from a life table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.checks import LARGEST
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import QUARTILES

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "survival of a matched population"
COLUMNS = ("age", "sex", "year")
#: Years: beyond it a number is no age, such as one in days.
OLDEST = 130
LATEST = 9999
#: After so many years the search for a quantile ends.
LONGEST = 200
#: Width of a quantile, in years.
PRECISE = 1e-10


class LifeTable(NamedTuple):
    """A life table as an array.

    Attributes
    ----------
    sexes : list
        Labels.
    age, year : int
        The first ones; year is None where the table knows of none.
    hazard : (sexes, years, ages) float array
        Per year.
    """

    sexes: list
    age: int
    year: int | None
    hazard: np.ndarray


class MatchedPopulation:
    """People of given ages and sexes, of whom the life table knows how many live on.

    Parameters
    ----------
    age, sex, life_table, year
        As in `expected_survival`.
    """

    def __init__(self, age, sex, life_table, year=None):
        self.table = table = checked_life_table(life_table)
        self.age = _years_of("age", age, 0, OLDEST)
        self.sex = _sex_of(sex, table)
        if len(young := np.flatnonzero(self.age < table.age)):
            raise InputError(
                f"age is {self.age[young[0]]:g} in row {young[0]} and the life table begins at "
                f"{table.age} ({len(young)} rows)",
                remedy="give a table of all ages",
            )
        if table.year is None and year is not None:
            raise InputError("year is given and the life table has no years", remedy="leave it out")
        if table.year is None:
            self.year = np.zeros(len(self.age))
        elif year is None:
            raise InputError(
                "the life table has years and year is not given",
                remedy="give the calendar year of each inclusion",
            )
        else:
            self.year = _years_of("year", year, 0, LATEST)
        if not len(self.age) == len(self.sex) == len(self.year):
            raise InputError(
                f"there are {len(self.age)} ages, {len(self.sex)} sexes and {len(self.year)} years",
                remedy="give one of each per patient",
            )

    def __getitem__(self, rows: np.ndarray) -> MatchedPopulation:
        """Some of them."""
        some = object.__new__(MatchedPopulation)
        some.table, some.age = self.table, self.age[rows]
        some.sex, some.year = self.sex[rows], self.year[rows]
        return some

    def __len__(self) -> int:
        return len(self.age)

    def hazards(self, since: float, step: float) -> np.ndarray:
        """Cumulative hazard of each over a step of at most a year, from `since` on."""
        age, year = self.age + since, self.year + since
        birthday, new_year = np.floor(age) + 1.0 - age, np.floor(year) + 1.0 - year
        cuts = [np.minimum(birthday, new_year), np.maximum(birthday, new_year)]
        begin, total = np.zeros(len(self)), np.zeros(len(self))
        for cut in (*cuts, np.full(len(self), step)):
            end = np.minimum(cut, step)
            rate = self._rate(
                np.floor(age) + (begin >= birthday), np.floor(year) + (begin >= new_year)
            )
            # A year that nobody survives has an infinite rate, also where no time is spent in it.
            total += np.multiply(rate, end - begin, out=np.zeros(len(self)), where=end > begin)
            begin = end
        return total

    def _rate(self, age: np.ndarray, year: np.ndarray) -> np.ndarray:
        """Hazard in a year of age and a calendar year; the last rows hold beyond the table."""
        _, n_years, n_ages = self.table.hazard.shape
        row = np.minimum(age - self.table.age, n_ages - 1).astype(np.int64)
        column = np.clip(year - (self.table.year or 0), 0, n_years - 1).astype(np.int64)
        return self.table.hazard[self.sex, column, row]

    def survival(self, at: Iterable[float]) -> np.ndarray:
        """Mean share who are alive at times that ascend, (k,)."""
        since, total, shares = 0.0, np.zeros(len(self)), []
        for t in at:
            while since < t:
                step = min(t - since, 1.0)
                total += self.hazards(since, step)
                since = t if step < 1.0 else since + step
            shares.append(float(np.exp(-total).mean()))
        return np.array(shares)

    def quartiles(self) -> dict[str, float]:
        """When a quarter, half and three quarters have died; infinite if they never have."""
        quartiles, total = dict.fromkeys(QUARTILES, math.inf), np.zeros(len(self))
        left = [(name, 1.0 - share) for name, share in QUARTILES.items()]
        for since in range(LONGEST):
            after = total + self.hazards(since, 1.0)
            alive = np.exp(-after).mean()
            while left and alive <= left[0][1]:
                name, level = left.pop(0)
                quartiles[name] = self._reaches(level, since, total)
            if not left:
                break
            total = after
        return quartiles

    def _reaches(self, level: float, since: float, total: np.ndarray) -> float:
        """When the share alive is `level`, in the year from `since` on."""
        from scipy.optimize import brentq

        def above(step: float) -> float:
            return float(np.exp(-total - self.hazards(since, step)).mean()) - level

        return since + float(brentq(above, 0.0, 1.0, xtol=PRECISE))


def expected_survival(at, age, sex, life_table: pd.DataFrame, *, year=None) -> np.ndarray:
    """Survival of the general population of the same ages and sexes (Ederer I).

    Each patient has a survival by the life table, from the age at inclusion on; theirs is the mean,
    with nobody censored (Ederer, Axtell and Cutler 1961). The table tells of deaths of all causes.

    Parameters
    ----------
    at : (k,) array
        Years since inclusion, ascending.
    age : (n,) array
        Years at inclusion, which need not be whole.
    sex : (n,) array
        Labels as in the life table.
    life_table : DataFrame
        A row per year of age and sex, and per calendar year where it has the column `year`, with no
        gap: `age` and `year` (whole), `sex` (any labels), and either `q`, the probability of death
        within the year, or `hazard`, the rate per year. Within a year of age the hazard is
        constant: -log(1 - q). The last age stands for all older ones, the first and the last year
        for those before and after; with q = 1 nobody lives on at that age.
    year : (n,) array, optional
        Calendar year at inclusion, which need not be whole (2010.5 is July), for tables with years.

    Returns
    -------
    (k,) float array

    Raises
    ------
    InputError
        A life table with another column missing, a gap, a row that stands twice, or q beyond 0 and
        1; a patient younger than the table, of a sex that it does not know, without an age; ages
        that are none, as in days; times that are not ascending.
    LibraryError
        pandas is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [60, 61], "sex": ["F", "F"], "q": [0.1, 0.2]})
    >>> expected_survival([0.0, 1.0, 2.0], [60.0], ["F"], table).round(3)
    array([1.  , 0.9 , 0.72])
    """
    people = MatchedPopulation(age, sex, life_table, year)
    if not len(people):
        raise InputError("there are no patients", remedy="give the age of one or more")
    times = np.asarray(at)
    if times.ndim != 1 or times.dtype.kind not in "iuf":
        raise InputError(
            f"at holds {times.dtype} in shape {times.shape}", remedy="give a list of times"
        )
    times = times.astype(np.float64)
    if not ((times >= 0.0) & (times <= LONGEST)).all() or (np.diff(times) < 0.0).any():
        raise InputError(
            f"at holds times that do not ascend from 0 to at most {LONGEST}",
            remedy="give years since inclusion, the earliest first",
        )
    return people.survival(times)


def checked_life_table(life_table: pd.DataFrame) -> LifeTable:
    """A life table as an array, checked whole."""
    pd = import_optional("pandas", PURPOSE)
    if not isinstance(life_table, pd.DataFrame) or not len(life_table):
        raise InputError(
            "the life table is no data frame with rows",
            remedy="give one with the columns age, sex and q, or hazard",
        )
    rates = [name for name in ("q", "hazard") if name in life_table]
    lost = [name for name in ("age", "sex") if name not in life_table]
    if lost or len(rates) != 1:
        what = (
            f"no column {lost[0]!r}" if lost else "no column 'q'" if not rates else "q and hazard"
        )
        raise InputError(
            f"the life table has {what}",
            remedy="give the columns age, sex, where it has calendar years year, and q or hazard",
        )
    keys = pd.DataFrame(index=range(len(life_table)))
    has_years = "year" in life_table
    keys["sex"] = life_table["sex"].astype(object).to_numpy()
    for name, most in (("age", OLDEST), *([("year", LATEST)] if has_years else [])):
        keys[name] = _whole(name, life_table[name], most)
    if len(bad := np.flatnonzero(keys["sex"].isna())):
        raise InputError(
            f"the life table has no sex in row {bad[0]}", remedy="correct the life table"
        )
    if not has_years:
        keys["year"] = 0
    rate = _rates(rates[0], life_table[rates[0]])
    _check_complete(keys, has_years)
    order = (
        keys.assign(code=pd.factorize(keys["sex"])[0]).sort_values(["code", "year", "age"]).index
    )
    sexes = keys["sex"].unique().tolist()
    hazard = rate[order].reshape(len(sexes), keys["year"].nunique(), -1)
    first_year = int(keys["year"].min()) if has_years else None
    return LifeTable(sexes, int(keys["age"].min()), first_year, hazard)


def _whole(name: str, column: pd.Series, most: int) -> np.ndarray:
    """Ages or years of a life table as int64."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.flatnonzero(~((values == np.floor(values)) & (values >= 0) & (values <= most)))
    if len(bad):
        raise InputError(
            f"the life table has the {name} {column.tolist()[bad[0]]!r} in row {bad[0]}",
            remedy=f"give whole numbers from 0 to {most}",
        )
    return values.astype(np.int64)


def _rates(name: str, column: pd.Series) -> np.ndarray:
    """Hazards per year, (rows,)."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    most = 1.0 if name == "q" else LARGEST
    if len(bad := np.flatnonzero(~((values >= 0.0) & (values <= most)))):
        raise InputError(
            f"the life table has the {name} {column.tolist()[bad[0]]!r} in row {bad[0]}",
            remedy="give probabilities from 0 to 1" if name == "q" else "give rates of 0 or more",
        )
    if name == "hazard":
        return values
    with np.errstate(divide="ignore"):
        return -np.log1p(-values)


def _check_complete(keys: pd.DataFrame, has_years: bool) -> None:
    """Each sex has all years, and each year all ages, once."""

    def of(sex, year, age=None):
        named = [f"sex {sex}", *([f"year {year}"] if has_years else [])]
        return ", ".join([*named, *([f"age {age}"] if age is not None else [])])

    twice = np.flatnonzero(keys.duplicated())
    if len(twice):
        age, sex, year = keys.loc[twice[0], ["age", "sex", "year"]]
        raise InputError(
            f"the life table has {of(sex, year, age)} twice", remedy="keep one of the rows"
        )
    years = range(keys["year"].min(), keys["year"].max() + 1)
    ages = range(keys["age"].min(), keys["age"].max() + 1)
    for sex, rows_of_sex in keys.groupby("sex", sort=False):
        for year in years:
            present = set(rows_of_sex.loc[rows_of_sex["year"] == year, "age"])
            if lost := [age for age in ages if age not in present]:
                raise InputError(
                    f"the life table has no row of {of(sex, year, lost[0])}",
                    remedy=f"give all ages from {ages[0]} to {ages[-1]}"
                    + (f" in all years from {years[0]} to {years[-1]}" if has_years else ""),
                )


def _years_of(name: str, values, least: float, most: float) -> np.ndarray:
    """Ages or calendar years of patients as floats, checked."""
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise InputError(
            f"{name} holds {given.dtype} in shape {given.shape}",
            remedy="give one number per patient",
        )
    numbers = given.astype(np.float64)
    if len(bad := np.flatnonzero(~((numbers >= least) & (numbers <= most)))):
        raise InputError(
            f"{name} is {numbers[bad[0]]:g} in row {bad[0]}, and wrong in {len(bad)} rows",
            remedy=f"give years from {least} to {most}, and leave out who has none",
        )
    return numbers


def _sex_of(sex, table: LifeTable) -> np.ndarray:
    """Places of the sexes of patients in the table."""
    if np.ndim(sex) != 1:
        raise InputError(f"sex has shape {np.shape(sex)}", remedy="give one label per patient")
    labels = np.asarray(sex).tolist()
    places = {label: place for place, label in enumerate(table.sexes)}
    code = np.array([places.get(label, -1) for label in labels], dtype=np.int64)
    if len(bad := np.flatnonzero(code < 0)):
        raise InputError(
            f"sex is {labels[bad[0]]!r} in row {bad[0]} and the life table knows "
            f"{', '.join(map(repr, table.sexes))} ({len(bad)} rows)",
            remedy="write it as the life table does",
        )
    return code
