"""What tables of the reports share: name of averages, status of sets, order of rows, p-values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

#: In the column `dataset` of a row that is an average over data sets.
MEAN = "mean_over_datasets"


def status(dataset: str, there: Collection[str], asked: Collection[str]) -> str:
    """What became of a data set of a paper.

    >>> status("pima", there=["wdbc"], asked=["pima", "wdbc"])
    'absent'

    Returns
    -------
    {"run", "absent", "not asked for"}
        Absent: asked for, but no source answered.
    """
    if dataset in there:
        return "run"
    return "absent" if dataset in asked else "not asked for"


def in_rows(table: pd.DataFrame, order: Mapping[str, Sequence | None]) -> pd.DataFrame:
    """A table whose rows are sorted by columns, the first column first.

    Parameters
    ----------
    table : DataFrame
    order : mapping
        Column to its values in their order, or to None for a column that is sorted by its values.

    Returns
    -------
    DataFrame
        Rows that tie keep their order; numbered anew.
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
    """p-values of tests, one row per cell.

    Parameters
    ----------
    tests : DataFrame
        Results of tests: key, `by`, and p.
    key : sequence of str
        Columns that make a cell.
    names : mapping
        Values of the columns `by`, such as a pairing and a correction, to the name of a column.
    by : sequence of str

    Returns
    -------
    DataFrame
        key, then one column of p per name.
    """
    columns = {}
    for values, name in names.items():
        chosen = pd.Series(True, index=tests.index)
        for column, value in zip(by, values, strict=True):
            chosen &= tests[column] == value
        columns[name] = tests[chosen].set_index(list(key))["p"]
    return pd.concat(columns, axis=1).rename_axis(list(key)).reset_index()
