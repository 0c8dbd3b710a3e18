"""Tidy tables: typed, sorted, fingerprinted; the same bytes from whatever source."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.readers import read_table, short_number
from hedgerow.data.registry import DatasetEntry, Group, Reader, Transform
from hedgerow.errors import DataError
from hedgerow.files import MAKE_AGAIN, check_free, read_arrow, write_parquet

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from hedgerow.data.sources import FetchedFile

__all__ = [
    "TidyTable",
    "canonical_csv",
    "check_fingerprint",
    "check_table",
    "fingerprint",
    "group_fingerprint",
    "read_tidy",
    "tidy",
    "write_tidy",
]


@dataclass(frozen=True)
class TidyTable:
    """A data set that is ready for learning.

    Attributes
    ----------
    name : str
        Key in the registry.
    X : pandas.DataFrame, shape (n, m)
        Input variables: float64 with NaN for missing values, or categorical.
    y : (n,) int64 array
        Class codes (for survival sets the codes of the event).
    classes : list of str
        Label of each code.
    target : str
        Name of the class variable.
    sample : (n,) int64 array or None
        Which disjoint sample a row belongs to (synthetic sets of chapter 3).
    time : (n,) float64 array or None
        Follow-up time (survival sets), in the unit of the source.
    time_name : str or None
    fingerprint : str
        SHA-256 of `canonical_csv`.
    group : (n,) array of str or None
        Which rows belong together, such as all recordings of one person; no variable.

    Rows are sorted by sample, then by all columns, then by group, so that row numbers mean the
    same whatever source a set was read from.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    classes: list[str]
    target: str
    sample: np.ndarray | None = None
    time: np.ndarray | None = None
    time_name: str | None = None
    fingerprint: str = ""
    group: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: np.ndarray) -> TidyTable:
        """Some of the rows, renumbered; the fingerprint stays that of the whole set."""

        def part(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else values[rows]

        return replace(
            self,
            X=self.X.iloc[rows].reset_index(drop=True),
            y=self.y[rows],
            sample=part(self.sample),
            time=part(self.time),
            group=part(self.group),
        )

    def matrix(self) -> tuple[np.ndarray, np.ndarray]:
        """Values as the learners take them.

        Returns
        -------
        X : (n, m) float64 array
            Categories as codes 0, 1, ... in the registry's order; NaN is missing.
        n_categories : (m,) int array
            Number of categories of each variable, 0 for numeric ones.
        """
        return _codes(self.X)


def tidy(entry: DatasetEntry, raw: FetchedFile, *, check: bool = True) -> TidyTable:
    """Make the tidy table of a set from its fetched file.

    Parameters
    ----------
    entry : DatasetEntry
        A set or a variant (whose file is that of its parent).
    raw : Fetched
        What `hedgerow.data.fetch` returned.
    check : bool
        Compare the fingerprint with the registry's. Off only to find the fingerprint of a new
        set.

    Returns
    -------
    TidyTable

    Raises
    ------
    DataError
        The file does not hold what the registry says: the message says what differs (rows,
        classes, or the first column that deviates, with its minimum, mean and maximum).
    """
    data = raw.path.read_bytes()
    if raw.sha256 and hashlib.sha256(data).hexdigest() != raw.sha256:
        raise DataError(
            f"{entry.key}: {raw.path} was changed after it was fetched",
            remedy="delete the file and fetch it again",
        )
    table, whole = tidy_bytes(entry, raw.source.reader, data, raw.path.name)
    if not check:
        return table
    check_table(table)
    check_fingerprint(entry, table, raw.described)
    check_groups(raw.entry, whole, raw.described)
    return table


def tidy_bytes(
    entry: DatasetEntry, reader: Reader, data: bytes, name: str
) -> tuple[TidyTable, TidyTable]:
    """The table of a set from the bytes of its file, and that of the set with the file."""
    base = entry.base
    whole = _typed(base, read_table(data, reader, base, name))
    if entry.parent is None:
        return (table := _sorted(whole, entry)), table
    return _sorted(_apply_transform(entry, whole), entry), _sorted(whole, base)


def _typed(entry: DatasetEntry, frame: pd.DataFrame) -> TidyTable:
    """Turn strings into numbers, categories and class codes."""
    import pandas as pd

    if entry.missing_target == "drop":
        frame = frame[frame[entry.target].notna()]
    columns = {}
    for variable in entry.variables:
        if variable in entry.categories:
            columns[variable] = _category(entry, frame[variable])
        else:
            columns[variable] = _numbers(entry, frame[variable])
    y = _label_codes(entry, frame[entry.target].to_numpy(), frame.index)
    sample = time = group = None
    if entry.n_samples:
        sample = _numbers(entry, frame["sample"]).astype(np.int64)
    if entry.time:
        time = _numbers(entry, frame[entry.time])
    if entry.group:
        group = _groups(entry, entry.group, frame[entry.group.column].to_numpy())
    return TidyTable(
        name=entry.key,
        X=pd.DataFrame(columns, index=pd.RangeIndex(len(y))),
        y=y,
        classes=list(entry.classes),
        target=entry.target,
        sample=sample,
        time=time,
        time_name=entry.time,
        group=group,
    )


def _groups(entry: DatasetEntry, by: Group, values: np.ndarray) -> np.ndarray:
    """Labels of the groups: what the brackets of the pattern match."""
    pattern = re.compile(by.pattern)
    labels = []
    for value in values:
        match = pattern.fullmatch(value or "")
        if match is None or not match[1]:
            raise DataError(
                f"{entry.key}: {value!r} in column {by.column!r} tells no group",
                remedy=f"correct the registry's `group.pattern`, which is {by.pattern!r}",
            )
        labels.append(match[1])
    return np.array(labels)


def _numbers(entry: DatasetEntry, column: pd.Series) -> np.ndarray:
    """Values of a column of texts; its index numbers the rows of the file from 0."""
    out = np.full(len(column), np.nan)
    for i, value in enumerate(column.to_numpy()):
        if value is None:
            continue
        try:
            out[i] = float(value)
        except ValueError:
            raise DataError(
                f"{entry.key}: {value!r} in column {column.name!r} is not a number "
                f"(row {column.index[i] + 1})",
                remedy="name it under the reader's `missing`, or make the variable categorical",
            ) from None
    # -0.0 equals 0.0 but is written differently; a source may hold either.
    return out + 0.0


def _category(entry: DatasetEntry, column: pd.Series) -> pd.Categorical:
    """As `_numbers`, of a categorical variable."""
    import pandas as pd

    levels = entry.categories[str(column.name)]
    by_value = {short_number(level): code for code, level in enumerate(levels)}
    codes = np.full(len(column), -1)
    for i, value in enumerate(column.to_numpy()):
        if value is None:
            continue
        code = by_value.get(short_number(value))
        if code is None:
            raise DataError(
                f"{entry.key}: {value!r} is no category of {column.name!r} "
                f"(row {column.index[i] + 1})",
                remedy=f"the registry knows {', '.join(levels[:8])}; add it, or map it with "
                "the reader's `recode`",
            )
        codes[i] = code
    return pd.Categorical.from_codes(codes, categories=list(levels))


def _label_codes(
    entry: DatasetEntry, values: np.ndarray, index: pd.Index | None = None
) -> np.ndarray:
    """Codes of labels; `index` numbers the rows of the file from 0."""

    def row(i: int) -> str:
        return "" if index is None else f" (row {index[i] + 1})"

    by_label = {short_number(label): code for code, label in enumerate(entry.classes)}
    if without := [i for i, value in enumerate(values) if value is None]:
        raise DataError(
            f"{entry.key}: {len(without)} of {len(values)} rows have no class{row(without[0])}",
            remedy="drop them in the registry entry: `missing_target: drop`",
        )
    codes = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        code = by_label.get(short_number(value))
        if code is None:
            raise DataError(
                f"{entry.key}: {value!r} is no class of {entry.target!r}{row(i)}",
                remedy=f"the registry knows {', '.join(entry.classes[:8])}; map it with the "
                "reader's `labels`",
            )
        codes[i] = code
    return codes


def _apply_transform(entry: DatasetEntry, table: TidyTable) -> TidyTable:
    """Apply a variant's transformation to its parent's table."""
    step = entry.transform or Transform()
    X, keep = table.X, np.ones(len(table), dtype=bool)

    def existing(variable: str) -> str:
        if variable not in X.columns:
            raise DataError(
                f"{entry.key}: the parent {entry.parent} has no variable {variable!r}",
                remedy="correct the variant's transform",
            )
        return variable

    def code(label: str) -> int:
        if label not in table.classes:
            raise DataError(
                f"{entry.key}: the parent {entry.parent} has no class {label!r}",
                remedy="correct the variant's transform",
            )
        return table.classes.index(label)

    if step.keep_variables:
        X = X[[existing(variable) for variable in step.keep_variables]]
    for variable in step.drop_variables:
        X = X.drop(columns=existing(variable))
    for variable in step.as_numbers:
        X = X.assign(**{existing(variable): X[variable].astype(np.float64)})
    labels = np.asarray(table.classes, dtype=object)[table.y]
    if step.keep_classes:
        keep &= np.isin(table.y, [code(label) for label in step.keep_classes])
    if step.group_classes:
        group = {}
        for new, olds in step.group_classes.items():
            group.update({table.classes[code(old)]: new for old in olds})
        if lost := [label for label in np.unique(labels[keep]) if label not in group]:
            raise DataError(
                f"{entry.key}: class {lost[0]!r} of {entry.parent} is in no group",
                remedy="add it under the variant's `group_classes`",
            )
        labels = np.array([group.get(label) for label in labels], dtype=object)
    X = X[keep].reset_index(drop=True)
    return TidyTable(
        name=entry.key,
        X=X,
        y=_label_codes(entry, labels[keep]),
        classes=list(entry.classes),
        target=entry.target,
        sample=None if table.sample is None else table.sample[keep],
        time=None if table.time is None else table.time[keep],
        time_name=table.time_name,
        group=None if table.group is None else table.group[keep],
    )


def _codes(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    import pandas as pd

    values = np.empty(X.shape, dtype=np.float64)
    n_categories = np.zeros(X.shape[1], dtype=np.int64)
    for j, name in enumerate(X.columns):
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy()
            values[:, j] = np.where(codes < 0, np.nan, codes)
            n_categories[j] = len(column.cat.categories)
        else:
            values[:, j] = column.to_numpy()
    return values, n_categories


def _sorted(table: TidyTable, entry: DatasetEntry) -> TidyTable:
    """Sort the rows by sample, variables in order, time, class, group; missing values last."""
    values, _ = _codes(table.X)
    keys = [] if table.sample is None else [table.sample]
    keys += [values[:, j] for j in range(values.shape[1])]
    keys += [] if table.time is None else [table.time]
    keys.append(table.y)
    keys += [] if table.group is None else [np.unique(table.group, return_inverse=True)[1]]
    order = np.lexsort(keys[::-1])
    ordered = TidyTable(
        name=table.name,
        X=table.X.iloc[order].reset_index(drop=True),
        y=table.y[order],
        classes=table.classes,
        target=table.target,
        sample=None if table.sample is None else table.sample[order],
        time=None if table.time is None else table.time[order],
        time_name=table.time_name,
        group=None if table.group is None else table.group[order],
    )
    return TidyTable(**{**vars(ordered), "fingerprint": fingerprint(ordered)})


def canonical_csv(table: TidyTable) -> bytes:
    """The table as the one CSV text that its fingerprint is taken of.

    A header line; variables in order, the follow-up time and the sample where there are any,
    then the class label; floats by ``repr``, missing values empty, lines end with a line feed.
    A field that holds a comma, a quote or a line end is quoted, quotes doubled. Groups are not
    in it: a set has the same fingerprint with and without them.
    """
    import pandas as pd

    columns = [_texts(table.X[name]) for name in table.X.columns]
    names = [str(name) for name in table.X.columns]
    if table.time is not None:
        names.append(str(table.time_name))
        columns.append(_texts(pd.Series(table.time)))
    if table.sample is not None:
        names.append("sample")
        columns.append([str(int(s)) for s in table.sample])
    names.append(table.target)
    columns.append([_quoted(table.classes[code]) for code in table.y])
    lines = [",".join(map(_quoted, names)), *map(",".join, zip(*columns, strict=True))]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _texts(column: pd.Series) -> list[str]:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [_quoted(str(level)) for level in column.cat.categories]
        return ["" if code < 0 else levels[code] for code in column.cat.codes]
    return ["" if math.isnan(v) else repr(v) for v in column.to_numpy().tolist()]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def fingerprint(table: TidyTable) -> str:
    """SHA-256 of `canonical_csv`, in hexadecimal digits."""
    return hashlib.sha256(canonical_csv(table)).hexdigest()


def group_fingerprint(table: TidyTable) -> str:
    """SHA-256 of the groups' labels in the order of the rows, each with a line feed."""
    labels = [] if table.group is None else table.group.tolist()
    return hashlib.sha256("".join(f"{label}\n" for label in labels).encode("utf-8")).hexdigest()


def profile(X: pd.DataFrame) -> dict[str, list[float] | dict[str, int]]:
    """What the registry keeps of each variable: [minimum, mean, maximum], or category counts.

    Numbers have ten significant digits: the mean of a column that was rounded deviates within
    them, and none depends on the order in which the values are added up.
    """
    import pandas as pd

    out: dict[str, list[float] | dict[str, int]] = {}
    for name in X.columns:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            counts = column.value_counts(sort=False)
            out[str(name)] = {str(level): int(counts[level]) for level in column.cat.categories}
        else:
            values = column.dropna().to_numpy()
            numbers = (values.min(), math.fsum(values) / len(values), values.max())
            out[str(name)] = [float(f"{number:.10g}") for number in numbers]
    return out


def check_fingerprint(entry: DatasetEntry, table: TidyTable, source: str) -> None:
    """Raise a `DataError` that says what differs unless the fingerprint is the registry's."""
    if table.fingerprint == entry.fingerprint:
        return
    raise DataError(
        f"{entry.key}: the table from {source} is not the registered one: "
        + _difference(entry, table),
        remedy="use another source, or register this version of the data under a key of its own",
    )


def check_groups(entry: DatasetEntry, whole: TidyTable, source: str) -> None:
    """Raise a `DataError` unless the groups of the set with the file are the registry's."""
    by = entry.group
    if by is not None and (fingerprint := group_fingerprint(whole)) != by.fingerprint:
        raise DataError(
            f"{entry.key}: the groups by {by.column!r} from {source} are not the registered ones "
            f"(fingerprint {fingerprint[:12]} instead of {by.fingerprint[:12]})",
            remedy="use another source, or register this version of the data under a key of its "
            "own",
        )


WORDS = ("minimum", "mean", "maximum")


def _difference(entry: DatasetEntry, table: TidyTable) -> str:
    if len(table) != entry.n_rows:
        return f"{len(table)} rows instead of {entry.n_rows}"
    counts = np.bincount(table.y, minlength=len(table.classes))
    for label, n, expected in zip(table.classes, counts, entry.class_counts, strict=False):
        if n != expected:
            return f"{n} rows of class {label} instead of {expected}"
    for name, measured in profile(table.X).items():
        registered = entry.profile.get(name, ())
        if isinstance(measured, dict):
            for (level, n), m in zip(measured.items(), registered, strict=False):
                if n != m:
                    return f"column {name} has {n} rows of {level} instead of {m}"
        elif tuple(measured) != tuple(map(float, registered)):
            actual, wanted = (
                ", ".join(
                    f"{word} {number:.10g}" for word, number in zip(WORDS, numbers, strict=False)
                )
                for numbers in (measured, registered)
            )
            return f"column {name} has {actual} instead of {wanted}"
    return (
        "rows, classes and the minimum, mean and maximum of each column agree, single values "
        f"differ (fingerprint {table.fingerprint[:12]} instead of {entry.fingerprint[:12]})"
    )


def check_table(table: TidyTable) -> None:
    """Check that a table can be learnt from (the workflow's data check).

    Raises
    ------
    DataError
        It has no row or no variable, a target value is missing or out of range, only one class
        occurs, a value is infinite, a survival time is missing or negative, or a column has a
        type that is neither float64 nor categorical.
    """
    import pandas as pd

    name, n = table.name, len(table.X)
    if n == 0 or table.X.shape[1] == 0:
        raise DataError(
            f"{name}: the table has {n} rows and {table.X.shape[1]} variables",
            remedy="correct its registry entry",
        )
    if len(table.y) != n:
        raise DataError(f"{name}: {n} rows but {len(table.y)} classes", remedy="make it again")
    bad = (table.y < 0) | (table.y >= len(table.classes))
    if bad.any():
        raise DataError(
            f"{name}: {int(bad.sum())} of {n} rows have no class",
            remedy="drop them in the registry entry: `missing_target: drop`",
        )
    present = np.unique(table.y)
    if len(present) < 2:
        raise DataError(
            f"{name}: all {n} rows are of class {table.classes[present[0]]!r}",
            remedy="there is nothing to learn; check `target` and `classes` in the registry",
        )
    for column in table.X.columns:
        values = table.X[column]
        if isinstance(values.dtype, pd.CategoricalDtype):
            continue
        if values.dtype != np.float64:
            raise DataError(
                f"{name}: column {column!r} has type {values.dtype}",
                remedy="variables are float64 or categorical",
            )
        if n_infinite := int(np.isinf(values).sum()):
            raise DataError(
                f"{name}: {n_infinite} infinite values in column {column!r}",
                remedy="mark them as missing in the source, or leave the variable out",
            )
    if table.time is not None and not (np.isfinite(table.time) & (table.time >= 0)).all():
        raise DataError(
            f"{name}: follow-up time {table.time_name!r} is missing, infinite or negative in "
            f"{int((~(np.isfinite(table.time) & (table.time >= 0))).sum())} rows",
            remedy="leave these rows out with a transform",
        )


#: Where the schema's metadata say what else belongs to a tidy table.
_ABOUT = b"hedgerow"


def write_tidy(path: str | Path, table: TidyTable) -> None:
    """Write a table as parquet, whole, with checksums (`hedgerow.files.write_parquet`).

    The columns are the variables, then the follow-up time (survival sets) and ``sample``
    (synthetic sets of chapter 3), then the target as a category. Key, fingerprint and the names
    of the columns' parts are in the schema's metadata, and so are groups, which are no column.
    Where the file came from is not: the bytes are the same from every source.
    """
    import pandas as pd
    import pyarrow as pa

    frame = table.X.copy()
    if table.time is not None:
        frame[table.time_name] = table.time
    if table.sample is not None:
        frame["sample"] = table.sample
    frame[table.target] = pd.Categorical.from_codes(table.y, categories=table.classes)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    about = {
        "key": table.name,
        "fingerprint": table.fingerprint or fingerprint(table),
        "target": table.target,
        "time": table.time_name,
        "sample": table.sample is not None,
        # Parquet keeps the categories that occur, in the order of their occurrence; codes must
        # mean the same in every subset of rows.
        "classes": list(table.classes),
        "categories": {
            str(name): list(map(str, table.X[name].cat.categories))
            for name in table.X.columns
            if isinstance(table.X[name].dtype, pd.CategoricalDtype)
        },
    }
    if table.group is not None:
        about["group"] = table.group.tolist()
    write_parquet(path, arrow.replace_schema_metadata({_ABOUT: json.dumps(about).encode()}))


def check_tidy(entry: DatasetEntry, path: str | Path, force: bool) -> None:
    """Refuse a place where something else stands than the table of this set."""
    with contextlib.suppress(DataError):
        if read_tidy(path).fingerprint == entry.fingerprint:
            return
    check_free(path, force)


def read_tidy(path: str | Path) -> TidyTable:
    """Read a table that `write_tidy` wrote.

    Raises
    ------
    DataError
        The file is missing, damaged, was not written by `write_tidy`, or holds another table than
        that of its fingerprint.
    """
    arrow = read_arrow(path)
    try:
        table = _of_arrow(arrow)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise DataError(f"{path}: not a tidy table of hedgerow", remedy=MAKE_AGAIN) from None
    if fingerprint(table) != table.fingerprint:
        raise DataError(f"{path}: not the table of its fingerprint", remedy=MAKE_AGAIN)
    return table


def _of_arrow(arrow: pa.Table) -> TidyTable:
    import pandas as pd

    about: Mapping = json.loads(arrow.schema.metadata[_ABOUT])
    frame = arrow.to_pandas()
    for name, levels in about["categories"].items():
        frame[name] = frame[name].astype(pd.CategoricalDtype(levels))
    target = frame.pop(about["target"]).astype(pd.CategoricalDtype(about["classes"]))
    sample = frame.pop("sample").to_numpy() if about["sample"] else None
    time = frame.pop(about["time"]).to_numpy() if about["time"] else None
    group = np.array(about["group"]) if "group" in about else None
    if group is not None and group.shape != (len(frame),):
        raise ValueError("a group for each row")
    return TidyTable(
        name=about["key"],
        X=frame,
        y=target.cat.codes.to_numpy().astype(np.int64),
        classes=list(about["classes"]),
        target=about["target"],
        sample=sample,
        time=time,
        time_name=about["time"],
        fingerprint=about["fingerprint"],
        group=group,
    )
