"""A data set of the registry by its name, anywhere."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.registry import DatasetEntry, load_registry
from hedgerow.data.sources import NoSourceError, cache_folder, fetch, read_fetched
from hedgerow.data.tidy import TidyTable, tidy
from hedgerow.errors import DataError
from hedgerow.optional_imports import import_optional

if TYPE_CHECKING:
    import pandas as pd

#: Sources that ask no network.
AT_HAND = ("mirror", "package", "archive", "synthetic")


@dataclass(frozen=True, repr=False)
class DataSet:
    """A data set with what the registry knows of it.

    Attributes
    ----------
    name : str
        Key in the registry.
    frame : DataFrame, shape (n, ...)
        Variables, then the class, and of survival sets the follow-up time.
    X : DataFrame, shape (n, m)
        Variables: float64 with NaN for missing values, or categorical.
    y : (n,) array of str
        Labels of the class; of survival sets those of the event.
    target : str
        Name of the class variable.
    time : (n,) float64 or None
        Follow-up time (survival sets), in the unit of the source.
    group : (n,) array of str or None
        Which rows belong together, such as all recordings of one person; no column of the frame.
    entry : DatasetEntry
        Title, licence, citation, home page, categories, notes, fingerprint.
    """

    name: str
    frame: pd.DataFrame
    X: pd.DataFrame
    y: np.ndarray
    target: str
    time: np.ndarray | None
    group: np.ndarray | None
    entry: DatasetEntry = field(compare=False)

    def __repr__(self) -> str:
        entry = self.entry
        groups = "" if self.group is None else f" in {len(np.unique(self.group))} groups"
        return (
            f"DataSet({self.name!r}: {entry.title}, {len(self.y)} rows{groups}, "
            f"{self.X.shape[1]} variables, {len(entry.classes)} classes, {entry.licence})"
        )


def registry_file() -> Path:
    """The registry: ``config/datasets.yaml`` where one is, else the package's own."""
    here = Path("config/datasets.yaml")
    installed = Path(__file__).with_name("datasets.yaml")
    if here.is_file():
        return here
    # An editable installation leaves it where it is written.
    return installed if installed.is_file() else Path(__file__).parents[3] / here


def load(
    name: str,
    *,
    mirror: str | Path | None = None,
    registry: str | Path | None = None,
    download: bool = True,
) -> DataSet:
    """A data set of the registry.

    Parameters
    ----------
    name : str
        Key, as `hedgerow data list` has them.
    mirror : path, optional
        Folder of a mirror; by default that of the environment variable HEDGEROW_MIRROR.
    registry : path, optional
        By default ``config/datasets.yaml`` where one is, else that of the package.
    download : bool, default True
        Whether the network may be asked where nothing else has the set; what came from there is
        kept in the user's cache folder (the variable HEDGEROW_CACHE names another).

    Returns
    -------
    DataSet
        Its fingerprint is that of the registry, whatever source answered.

    Raises
    ------
    DataError
        No such set, or a source with other bytes.
    DownloadError
        No source answered; the message says where the set can be had.

    Examples
    --------
    >>> from hedgerow.data import load
    >>> wine = load("wine")
    >>> wine.X.shape, wine.entry.licence
    ((178, 13), 'CC BY 4.0')
    """
    import_optional("pandas", "`hedgerow.data.load`")
    entry = load_registry(registry_file() if registry is None else registry)[name]
    return _data_set(entry, _table(entry, mirror, download))


def _table(entry: DatasetEntry, mirror: str | Path | None, download: bool) -> TidyTable:
    with tempfile.TemporaryDirectory(prefix="hedgerow-") as folder:
        try:
            return tidy(entry, fetch(entry, folder, mirror, kinds=AT_HAND))
        except NoSourceError:
            if not download:
                raise
    kept = cache_folder() / "sets" / entry.base.key
    try:
        return tidy(entry, read_fetched(entry, kept))
    except DataError:  # nothing is kept, or something else
        return tidy(entry, fetch(entry, kept, mirror))


def _data_set(entry: DatasetEntry, table: TidyTable) -> DataSet:
    pd = import_optional("pandas", "`hedgerow.data.load`")
    labels = np.array(table.classes)[table.y]
    frame = table.X.copy()
    frame[table.target] = pd.Categorical(labels, categories=table.classes)
    if table.time is not None:
        frame[table.time_name] = table.time
    return DataSet(entry.key, frame, table.X, labels, table.target, table.time, table.group, entry)
