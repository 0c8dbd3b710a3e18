"""Readers: bytes of a file in, a table of strings with the registry's column names out."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from hedgerow.data.registry import DatasetEntry, Reader
from hedgerow.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]


def read_table(data: bytes, reader: Reader, entry: DatasetEntry, name: str) -> pd.DataFrame:
    """Read the file of a data set.

    Returns: one string column per variable, then the target, then, where the set has them, the
    follow-up time, ``sample`` and the column of the groups; missing values are None. Values of
    variables are as in the file, save for ``recode`` and ``decimals``; labels are the registry's.
    """
    import pandas as pd

    text = _decode(data)
    if reader.format == "arff":
        columns, rows = _arff(text, name)
    else:
        columns, rows = _delimited(text, reader, name)
    if not rows:
        raise DataError(f"{name}: the file has no rows", remedy="fetch it again")
    columns = columns or _implied_columns(reader, entry, len(rows[0]))
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise DataError(
                f"{name}: row {number} of the data has {len(row)} fields instead of {len(columns)}",
                remedy="the file is damaged or laid out differently: fetch it again or correct "
                f"its reader in the registry entry {entry.key}",
            )
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    return _named(frame, reader, entry, name)


def _decode(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimited(text: str, reader: Reader, name: str) -> tuple[list[str], list[list[str]]]:
    lines = [line for line in text.split("\n")[reader.skip_lines :] if line.strip()]
    if reader.separator == "whitespace":
        rows = [line.split() for line in lines]
    else:
        parsed = csv.reader(
            io.StringIO("\n".join(lines)), delimiter=reader.separator, skipinitialspace=True
        )
        rows = [[value.strip() for value in row] for row in parsed]
    if reader.header:
        columns, rows = (rows[0] if rows else []), rows[1:]
        if reader.row_names:
            columns = ["rownames", *columns]
        # The second column of one name gets the suffix .1, as pandas names it.
        columns = [
            c if c not in columns[:i] else f"{c}.{columns[:i].count(c)}"
            for i, c in enumerate(columns)
        ]
        return columns, rows
    if reader.drop:
        out = set(reader.drop)
        rows = [[value for i, value in enumerate(row) if i not in out] for row in rows]
    return [], rows


_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|[^\s{]+)", re.IGNORECASE)


def _arff(text: str, name: str) -> tuple[list[str], list[list[str]]]:
    """Attribute names and rows of an ARFF file; sparse rows are not supported (none is used)."""
    columns: list[str] = []
    lines: list[str] = []
    in_data = False
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if in_data:
            lines.append(stripped)
        elif stripped.lower().startswith("@data"):
            in_data = True
        elif match := _ATTRIBUTE.match(stripped):
            columns.append(match.group(1).strip("'\""))
    if not columns or not in_data:
        raise DataError(
            f"{name}: no @attribute and @data lines", remedy="the file is no ARFF; fetch it again"
        )
    # Values are quoted by ' as a rule; a file that uses " uses it throughout.
    quote = '"' if any('"' in line for line in lines) else "'"
    rows = [
        [value.strip() for value in row]
        for row in csv.reader(lines, quotechar=quote, skipinitialspace=True)
    ]
    return columns, rows


def _implied_columns(reader: Reader, entry: DatasetEntry, width: int) -> list[str]:
    """Column names of a file without header: the registry's variables, target first or last."""
    if reader.columns:
        return list(reader.columns)
    if reader.target == "first":
        return [entry.target, *entry.variables]
    return [*entry.variables, entry.target]


def _named(frame: pd.DataFrame, reader: Reader, entry: DatasetEntry, name: str) -> pd.DataFrame:
    """Leave out what the reader drops, check the names, mark what is missing, map labels."""
    if reader.format == "arff" or reader.header:
        for column in reader.drop:
            if column not in frame.columns:
                raise DataError(
                    f"{name}: no column {column!r} to drop",
                    remedy=f"correct `drop` in the registry entry {entry.key}",
                )
        frame = frame.drop(columns=list(reader.drop))
        if reader.columns:
            if len(reader.columns) != frame.shape[1]:
                raise DataError(
                    f"{name}: {frame.shape[1]} columns, the registry names {len(reader.columns)}",
                    remedy=f"correct `columns` in the registry entry {entry.key}",
                )
            frame.columns = list(reader.columns)
    if entry.target not in frame.columns:
        raise DataError(
            f"{name}: the target column {entry.target!r} is not there",
            remedy=f"the columns are {_listed(frame.columns)}; correct `target` in the registry "
            f"entry {entry.key}",
        )
    wanted = [*entry.variables, entry.target]
    wanted += [entry.time] if entry.time else []
    wanted += ["sample"] if entry.n_samples else []
    wanted += [entry.group.column] if entry.group else []
    if absent := [column for column in wanted if column not in frame.columns]:
        raise DataError(
            f"{name}: no column {absent[0]!r}",
            remedy=f"the columns are {_listed(frame.columns)}",
        )
    if unknown := [column for column in frame.columns if column not in wanted]:
        raise DataError(
            f"{name}: unknown column {unknown[0]!r}",
            remedy=f"name it under `variables` or `drop` in the registry entry {entry.key}",
        )
    frame = frame[wanted]
    frame = frame.where(~frame.isin({*reader.missing, ""}), None)
    for setting, variables in (("recode", reader.recode), ("decimals", reader.decimals)):
        if unknown := [variable for variable in variables if variable not in frame.columns]:
            raise DataError(
                f"{name}: no column {unknown[0]!r} for `{setting}`",
                remedy=f"correct the reader in the registry entry {entry.key}",
            )
    for variable, decimals in reader.decimals.items():
        frame[variable] = [_rounded(value, decimals) for value in frame[variable]]
    for variable, pairs in reader.recode.items():
        frame[variable] = frame[variable].map(lambda v, pairs=pairs: pairs.get(v, v))
    if reader.labels:
        # A label that the mapping does not name stays and is refused as an unknown class.
        labels = {short_number(old): new for old, new in reader.labels.items()}
        frame[entry.target] = [
            None if v is None else labels.get(short_number(v), v) for v in frame[entry.target]
        ]
    return frame


def _rounded(value: str | None, decimals: int) -> str | None:
    """A number with so many decimals; other text as it is."""
    try:
        return None if value is None else repr(round(float(value), decimals))
    except (ValueError, OverflowError):
        return value


def short_number(value: str) -> str:
    """A number in its shortest form (``1.0`` -> ``1``, ``01`` -> ``1``); other text as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    if number != number or number in (float("inf"), float("-inf")):
        return value
    return str(int(number)) if number == int(number) else repr(number)


def _listed(names) -> str:
    names = list(map(str, names))
    return ", ".join(names[:8]) + (f", ... ({len(names)} in all)" if len(names) > 8 else "")
