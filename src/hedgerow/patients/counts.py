"""Counts of each group by intervals of time, small ones withheld: what several hospitals can pool.

`counts.json` holds them, and no patient. It is closed as `tree.json` is.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from hedgerow.closed import read, setting
from hedgerow.errors import DataError, InputError
from hedgerow.files import read_text
from hedgerow.patients.analysis import Analysis
from hedgerow.patients.disclosure import SHOWN, TELLING, WITHHELD, as_shown, protected, small
from hedgerow.patients.intervals import joined, kinds
from hedgerow.patients.model import RiskModel, plain_json, told
from hedgerow.patients.risks import risk_by
from hedgerow.patients.tables import Table

FORMAT, VERSION = "hedgerow counts", 1
FILE = "counts.json"
#: Columns of `counted`: by the horizon, and who is followed to it.
COLUMNS = ("events", "other", "ended", "followed", "n")
_TEXT, _COUNT = r"[\s\S]{0,2000}", r"<\d+|withheld"


@dataclass(frozen=True)
class Interval:
    """Patients of a group from one time to another.

    Attributes
    ----------
    begin, end : float
        Events at `end` count, those at `begin` do not.
    at_risk : int or str
        At `begin`.
    events, other, censored : int or str
        By the end of it; `censored` before the horizon alone.
    """

    begin: float = setting(minimum=0)
    end: float = setting(exclusive_minimum=0)
    at_risk: int | str = setting(minimum=0, pattern=_COUNT)
    events: int | str = setting(minimum=0, pattern=_COUNT)
    other: int | str = setting(minimum=0, pattern=_COUNT)
    censored: int | str = setting(minimum=0, pattern=_COUNT)


@dataclass(frozen=True)
class GroupCounts:
    """A group, its risk as the page shows it, who is followed to the horizon, and until then."""

    number: int = setting(minimum=1)
    followed: int | str = setting(minimum=0, pattern=_COUNT)
    intervals: tuple[Interval, ...] = setting()
    risk: float | None = setting(None, minimum=0, maximum=1)


@dataclass(frozen=True)
class Counts:
    """What a hospital tells of its groups.

    Attributes
    ----------
    tree : str
        Digest of the tree (`RiskModel.digest`).
    title, file : str
        Of the hospital's page, and of its table.
    horizon : float
    unit : str
    several : bool
        Whether causes compete.
    grown_here : bool
        Whether the tree was grown from these patients: its groups were chosen by their outcome.
    least : int
    groups : tuple of GroupCounts
        None where patients came under observation late.
    entry : bool
        Whether they did: then those who are at risk later are not those who were, less those who
        left, and no counts are told. Only then it is in the file.
    """

    tree: str = setting(pattern="[0-9a-f]{64}")
    title: str = setting(pattern=_TEXT)
    file: str = setting(pattern=_TEXT)
    horizon: float = setting(exclusive_minimum=0)
    unit: str = setting(written=Literal["days", "weeks", "months", "years"])
    several: bool
    grown_here: bool
    least: int = setting(minimum=0)
    groups: tuple[GroupCounts, ...] = setting(fewest=0)
    entry: bool = False
    format: str = setting(FORMAT, written=Literal[FORMAT])
    version: int = setting(VERSION, written=Literal[VERSION])

    def __post_init__(self):
        remedy = "copy it from its folder again"
        if not self.groups and not self.entry:
            raise InputError("`groups` is `[]`", remedy=remedy)
        if self.groups and self.entry:
            raise InputError("it counts patients who came under observation late", remedy=remedy)
        if [group.number for group in self.groups] != list(range(1, len(self.groups) + 1)):
            raise InputError("its groups are not numbered from 1 on", remedy=remedy)
        for group in self.groups:
            ends = [0.0, *(own.end for own in group.intervals)]
            begins = [*(own.begin for own in group.intervals), self.horizon]
            rising = all(a < b for a, b in itertools.pairwise(ends))
            fits = all(math.isclose(a, b) for a, b in zip(ends, begins, strict=True))
            if not rising or not fits:
                raise InputError(
                    f"group {group.number}: its intervals leave gaps, or end elsewhere",
                    remedy=remedy,
                )
            self._check_sums(group, remedy)

    def _check_sums(self, group: GroupCounts, remedy: str) -> None:
        left = [*(own.at_risk for own in group.intervals[1:]), group.followed]
        for own, after in zip(group.intervals, left, strict=True):
            parts = (own.at_risk, own.events, own.other, own.censored, after)
            known = [part for part in parts[1:] if isinstance(part, int)]
            if isinstance(own.at_risk, str):
                continue
            more = own.at_risk - sum(known)
            if more < 0 or (more > 0 and len(known) == len(parts) - 1):
                raise InputError(f"group {group.number}: its counts do not add up", remedy=remedy)

    def to_json(self) -> str:
        """The text of `counts.json`."""
        form = dataclasses.asdict(self)
        if not self.entry:
            form.pop("entry")
        head = {"format": form.pop("format"), "version": form.pop("version")}
        return json.dumps({**head, **form}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = FILE) -> Counts:
        """What `to_json` wrote, checked whole.

        Raises
        ------
        DataError
            It is no such text, in one sentence.
        """
        content = plain_json(text, name)
        if content.get("format") != FORMAT or content.get("version") != VERSION:
            raise DataError(
                f"{name} holds no counts of this version",
                remedy="make its folder again with `hedgerow validate` or `hedgerow survival`",
            )
        return read(content, cls, name, DataError)


def read_counts(folder: str | Path) -> Counts:
    """The counts in a folder of `hedgerow survival` or `hedgerow validate`, or in a file."""
    path = Path(folder)
    file = path / FILE if path.is_dir() else path
    text = read_text(file, "give folders of `hedgerow survival` and `hedgerow validate`")
    return Counts.from_json(text, str(file))


# ------------------------------------------------------------------------------------ counting


class Counted(NamedTuple):
    """Counts by the horizon, all groups last, and what of them is not shown.

    Attributes
    ----------
    counts : (k + 1, 5) int array
        Columns as `COLUMNS`.
    mask : (k + 1, 5) int array
        As `protected` gives it.
    """

    counts: np.ndarray
    mask: np.ndarray

    def shown(self, row: int, column: str, least: int) -> int | str:
        """A count as it is shown."""
        place = COLUMNS.index(column)
        mask = int(self.mask[row, place])
        if mask != SHOWN and 0 < place < 4:  # nor how large each of the three is
            return WITHHELD
        return as_shown(int(self.counts[row, place]), mask, least)


def counted(
    nodes: Sequence[int],
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    least: int,
    also: np.ndarray | None = None,
) -> Counted:
    """Events, other events, early ends and patients followed to the horizon, by group.

    Parameters
    ----------
    nodes : sequence of int
        Leaves, in the order of the groups.
    leaf, time, event : (n,) arrays
    horizon : float
    least : int
    also : (k + 1, 5) bool array, optional
        Further counts to hide.

    Returns
    -------
    Counted
    """
    ways = kinds(time, event, horizon)
    table = np.array([[int((way & (leaf == node)).sum()) for way in ways] for node in nodes])
    table = np.column_stack([table, table.sum(axis=1)])
    table = np.vstack([table, table.sum(axis=0)])
    also = np.zeros(table.shape, dtype=bool) if also is None else also
    # Events and all others add up to the patients: who hides the one hides the other.
    rest = table[:, 4] - table[:, 0]

    def column(values: np.ndarray, more: np.ndarray) -> np.ndarray:
        return protected(values[:, None], least, rows=False, also=more[:, None])[:, 0]

    n, more = column(table[:, 4], also[:, 4]), also[:, 0] | small(rest, least)
    while True:
        events = column(table[:, 0], more)
        unknown = (events != SHOWN) | (n != SHOWN)
        others = column(rest, unknown) != SHOWN
        if not (new := others & ~unknown).any():
            break
        more = more | new
    mask = np.column_stack([events, *[np.full(len(table), SHOWN)] * 3, n])
    # The others are of three kinds, and those of a group are shown together or not at all.
    parts = table[:, 1:4]
    hidden = others | also[:, 1:4].any(axis=1) | small(parts, least).any(axis=1)
    inner = hidden[:-1]
    if inner.any() and (inner.sum() == 1 or small(parts[:-1][inner].sum(axis=0), least).any()):
        hidden[-1] = True
    mask[hidden, 1:4] = TELLING
    return Counted(table, mask)


def intervals_of(
    time: np.ndarray, event: np.ndarray, horizon: float, least: int
) -> tuple[Interval, ...]:
    """Intervals of one group, as `joined` has them."""
    at_risk, begin, found = len(time), 0.0, []
    for end, own in joined(time, event, horizon, least):
        events, other, censored = (int(c) for c in own)
        found.append(Interval(begin, end, at_risk, events, other, censored))
        at_risk, begin = at_risk - events - other - censored, end
    return tuple(found)


def counts_of(
    model: RiskModel,
    found: Counted,
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    title: str,
    file: str,
    least: int,
    few: Collection[int] = (),
    grown_here: bool = False,
    entry: bool = False,
) -> Counts:
    """Counts as a hospital passes them on.

    A group of which a count by the horizon is not shown has one interval.

    Parameters
    ----------
    model : RiskModel
    found : Counted
        Of the groups of the model, in their order.
    leaf, time, event : (n,) arrays
    title, file : str
    least : int
    few : collection of int
        Numbers of groups whose risk is not told.
    grown_here, entry : bool
        As in `Counts`.

    Returns
    -------
    Counts
    """
    groups = []
    for row, group in enumerate(() if entry else model.groups):
        own = leaf == group.node
        shown = {name: found.shown(row, name, least) for name in COLUMNS}
        if (found.mask[row] != SHOWN).any():
            cells = (shown["n"], shown["events"], shown["other"], shown["ended"])
            parts: tuple[Interval, ...] = (Interval(0.0, model.horizon, *cells),)
        else:
            parts = intervals_of(time[own], event[own], model.horizon, least)
        share = math.nan
        if group.number not in few:
            data = (time[own], event[own], model.horizon)
            share = risk_by(*data, min_followed=model.min_followed)[0]
        groups.append(GroupCounts(group.number, shown["followed"], parts, told(share)))
    several = model.several or bool((event > 1).any())
    return Counts(
        model.digest,
        title,
        file,
        model.horizon,
        model.unit,
        several,
        grown_here,
        least,
        tuple(groups),
        entry,
    )


def counts_of_training(
    analysis: Analysis, model: RiskModel, shown: dict[str, Table], title: str, file: str, least: int
) -> Counts:
    """Counts of the patients whom the tree was grown from.

    The page tells how many had the event at any time: where few had it after the horizon, the
    number by the horizon is withheld as well.
    """
    own = analysis.groups.training
    leaf, time, event = analysis.groups.leaf[own], analysis.time[own], analysis.event[own]
    nodes, horizon = list(analysis.numbers), analysis.cohort.horizon
    also = np.zeros((len(nodes) + 1, len(COLUMNS)), dtype=bool)
    frame = shown["survival_training"].frame.set_index("group")
    for row, node in enumerate(nodes):
        after = (leaf == node) & (time > horizon)
        also[row, 0] = bool(small((after & (event == 1)).sum(), least))
        cells: list[Any] = [frame.loc[str(analysis.numbers[node]), c] for c in ("n", "events")]
        also[row, :4] |= any(isinstance(cell, str) for cell in cells)
        also[row, 4] = isinstance(cells[0], str)
    rest = ~own & (analysis.time <= horizon) & (analysis.event == 1)
    if small(rest.sum(), least):  # of all patients the page tells how many had it by the horizon
        also[:, :4] = True
    also &= least > 0
    found = counted(nodes, leaf, time, event, horizon, least, also)
    few = [group.number for group in model.groups if group.few]
    late = analysis.entry is not None
    return counts_of(model, found, leaf, time, event, title, file, least, few, True, late)
