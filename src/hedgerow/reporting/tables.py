"""What tables of the reports share: averages, status of sets, captions, order of rows, p-values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

#: In the column `dataset` of a row that is an average over data sets.
MEAN = "mean_over_datasets"


def status(dataset: str, there: Collection[str], asked: Collection[str]) -> str:
    """What became of a data set of a paper.

    >>> status("pima", there=["wdbc"], asked=["pima", "wdbc"])
    'absent'
    """
    if dataset in there:
        return "run"
    return "absent" if dataset in asked else "not asked for"


def how_many(n: int, noun: str) -> str:
    """A number of things.

    >>> how_many(1, "split"), how_many(3, "split")
    ('1 split', '3 splits')
    """
    return f"{n} {noun}{'s' if n > 1 else ''}"


def ran(
    there: Iterable[str],
    asked: Iterable[str],
    each: str,
    configuration: str,
    between: str = ", ",
) -> str:
    """Of a caption: which data sets were run and how, and which are absent.

    >>> ran(["pima"], ["pima", "wdbc"], "2 splits", "smoke")
    'Run: pima, 2 splits each, configuration smoke. Absent, because no source answered: wdbc.'
    """
    there = sorted(there)
    text = f"Run: {', '.join(there) or 'no data set'}{between}{each} each, "
    text += f"configuration {configuration}."
    absent = sorted(set(asked) - set(there))
    return text + f" Absent, because no source answered: {', '.join(absent)}." * bool(absent)


def in_rows(table: pd.DataFrame, order: Mapping[str, Sequence | None]) -> pd.DataFrame:
    """A table whose rows are sorted by columns, the first column first.

    order: column to its values in their order, or to None for a column that is sorted by its
        values.
    """
    rank = pd.DataFrame(
        {
            column: table[column] if names is None else table[column].map(list(names).index)
            for column, names in order.items()
        }
    )
    rank = rank.sort_values(list(order), kind="stable")
    return table.loc[rank.index].reset_index(drop=True)


def p_columns(
    tests: pd.DataFrame, key: Sequence[str], names: Mapping[tuple[str, ...], str], by: Sequence[str]
) -> pd.DataFrame:
    """p-values of tests, one row per cell."""
    columns = {}
    for values, name in names.items():
        chosen = pd.Series(True, index=tests.index)
        for column, value in zip(by, values, strict=True):
            chosen &= tests[column] == value
        columns[name] = tests[chosen].set_index(list(key))["p"]
    return pd.concat(columns, axis=1).rename_axis(list(key)).reset_index()
