"""Several hospitals in one picture, by the counts that each passes on: no patient is among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hedgerow.errors import InputError
from hedgerow.files import aside, folder_whole, write_text
from hedgerow.patients.counts import FILE, Counts, GroupCounts, Interval, read_counts
from hedgerow.patients.disclosure import as_shown, small
from hedgerow.patients.layout import (
    Written,
    check_made_by,
    checksum,
    in_code,
    pictured,
    placed,
    save_picture,
    section,
    write_manifest,
    write_tables,
)
from hedgerow.patients.model import FILE as MODEL
from hedgerow.patients.model import RiskModel, read_model
from hedgerow.patients.tables import Table
from hedgerow.reporting.figures import WIDTH, style
from hedgerow.reporting.html import render
from hedgerow.survival.followed import FOLLOWED, is_followed
from hedgerow.texts import legible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHAT = "hedgerow pool"
CONFIDENCE = 0.95
ALL, OTHERS = "all hospitals", "all but the one where the tree was grown"
BLUE, ORANGE = "#0072B2", "#D55E00"


class Part(NamedTuple):
    """An interval of a group, counts as numbers: those that are withheld as what they may be."""

    begin: float
    end: float
    at_risk: float
    events: float
    other: float
    censored: float


@dataclass(frozen=True)
class Pooled:
    """Hospitals and what they make together.

    Attributes
    ----------
    model : RiskModel
        Of the first folder, for the rules of the groups.
    hospitals : tuple of Counts
    names : tuple of str
        Of the hospitals, each once.
    rows : list of dict
        group, rule, hospital, n, events (as shown), risk, low, high.
    left_out : list of str
        What could not be pooled, in sentences.
    """

    model: RiskModel
    hospitals: tuple[Counts, ...]
    names: tuple[str, ...]
    rows: list[dict[str, Any]]
    left_out: list[str]


def read_hospitals(folders: Sequence[str | Path]) -> tuple[RiskModel, tuple[Counts, ...]]:
    """The model and the counts of several folders.

    Raises
    ------
    DataError
        A folder holds none, or a damaged file.
    InputError
        Fewer than two folders, one of them twice, or groups that are not those of one tree.
    """
    if len(folders) < 2:
        raise InputError("there is nothing to pool", remedy="give the folders of two hospitals")
    counts = [read_counts(folder) for folder in folders]
    first = counts[0]
    for folder, own in zip(folders, counts, strict=True):
        if own.entry:
            raise InputError(
                f"the patients of {folder} came under observation late (--entry), so that their "
                "numbers at risk do not follow from who left",
                remedy="leave it out, or make it again without --entry from patients who were "
                "followed from the start",
            )
    for folder, own in zip(folders, counts, strict=True):
        if own.tree != first.tree:
            raise InputError(
                f"{folder} is of another tree than {folders[0]}",
                remedy="pool folders that `hedgerow validate` made of one model",
            )
    for k, own in enumerate(counts):
        if own in counts[:k]:
            raise InputError(
                f"{folders[k]} holds the counts of {folders[counts.index(own)]}",
                remedy="give each hospital once",
            )
    folder = Path(folders[0])
    model = read_model(folder if folder.is_dir() else folder.with_name(MODEL))
    if model.digest != first.tree or len(first.groups) != len(model.groups):
        raise InputError(
            f"{FILE} of {folders[0]} is of another tree than its {MODEL}",
            remedy="make the folder again",
        )
    return model, tuple(counts)


def pooled(model: RiskModel, hospitals: Sequence[Counts]) -> Pooled:
    """Risk of each group in each hospital, and in all of them.

    Counts of the hospitals are added up over the intervals that they have in common. The risk is
    that of a life table: who leaves without an event counts for half of the interval, and where
    causes compete it is the incidence. A count below the least is taken as the middle of what it
    may be; what is withheld besides follows from the others, or from the risk that the hospital
    tells. A hospital of which neither is told is left out of its group.

    Parameters
    ----------
    model : RiskModel
    hospitals : sequence of Counts

    Returns
    -------
    Pooled
    """
    names = _names(hospitals)
    rows: list[dict[str, Any]] = []
    withheld: dict[str, list[str]] = {}
    least = max(own.least for own in hospitals)
    grown = [own.grown_here for own in hospitals]
    for place, group in enumerate(model.groups):
        parts = [known_parts(own.groups[place], own.least) for own in hospitals]
        for own, name, there in zip(hospitals, names, parts, strict=True):
            told = own.groups[place]
            n, events = told.intervals[0].at_risk, _added(told, "events")
            few = there is None or (isinstance(events, str) and told.risk is None)
            estimate = (math.nan,) * 3 if few else estimated(there, model.min_followed)
            rows.append(_row(group, name, n, events, estimate))
            if there is None:
                withheld.setdefault(name, []).append(str(group.number))
        for name, used in ((ALL, parts), (OTHERS, _but(parts, grown))):
            there = [own for own in used if own is not None]
            if name == OTHERS and (not any(grown) or grown.count(False) < 2):
                continue
            if not there:
                rows.append(_row(group, name, 0, 0, (math.nan,) * 3))
                continue
            sums = together(there)
            n, events = round(sums[0].at_risk), round(sum(part.events for part in sums))
            few = small([n, events], least).any()
            cells = (as_shown(count, int(small(count, least)), least) for count in (n, events))
            estimate = (math.nan,) * 3 if few else estimated(sums, model.min_followed)
            rows.append(_row(group, name, *cells, estimate))
    left_out = [
        f"{_short(name)} withholds what is needed of group {', '.join(numbers)}, and is left out "
        "there."
        for name, numbers in withheld.items()
    ]
    return Pooled(model, tuple(hospitals), names, rows, left_out)


def _but(parts: list, gone: list[bool]) -> list:
    return [own for own, out in zip(parts, gone, strict=True) if not out]


def _names(hospitals: Sequence[Counts]) -> tuple[str, ...]:
    titles = [own.title for own in hospitals]
    return tuple(
        f"{title} ({k + 1})" if titles.count(title) > 1 else title for k, title in enumerate(titles)
    )


def _row(group, hospital: str, n, events, estimate) -> dict[str, Any]:
    risk, low, high = estimate
    return {
        "group": str(group.number),
        "rule": group.rule,
        "hospital": hospital,
        "n": n,
        "events": events,
        "risk": risk,
        "risk_low": low,
        "risk_high": high,
    }


def _added(group: GroupCounts, name: str) -> int | str:
    cells = [getattr(own, name) for own in group.intervals]
    hidden = [cell for cell in cells if isinstance(cell, str)]
    return hidden[0] if hidden else sum(cells)


def known_parts(group: GroupCounts, least: int) -> list[Part] | None:
    """Intervals of a group with a number in the place of what is withheld.

    Parameters
    ----------
    group : GroupCounts
    least : int

    Returns
    -------
    list of Part, or None
        None where what is told does not give them.
    """
    if any(isinstance(own.at_risk, str) for own in group.intervals):
        return None
    left = [*(own.at_risk for own in group.intervals[1:]), group.followed]
    found = [
        _known_part(own, after, group.risk, least)
        for own, after in zip(group.intervals, left, strict=True)
    ]
    if len(found) > 1 and any(isinstance(after, str) for after in left):
        return None
    return None if any(part is None for part in found) else found  # type: ignore[return-value]


def _known_part(own: Interval, after: int | str, risk: float | None, least: int) -> Part | None:
    n = float(own.at_risk)
    cells = {"events": own.events, "other": own.other, "censored": own.censored, "after": after}
    known = {
        name: least / 2.0 if isinstance(cell, str) and cell.startswith("<") else cell
        for name, cell in cells.items()
    }
    lost = [name for name, cell in known.items() if isinstance(cell, str)]
    rest = n - sum(cell for cell in known.values() if not isinstance(cell, str))
    if len(lost) == 1:
        known[lost[0]] = max(rest, 0.0)
    elif "events" in lost and risk is None:
        return None
    elif lost and "events" not in lost:
        # Those who left early, by half of whom the others are fewer.
        early = 2.0 * (n - float(known["events"]) / risk) if risk else 0.0
        known["censored"] = min(max(early, 0.0), max(rest, 0.0))
        known |= {name: 0.0 for name in lost if name not in ("censored", "events")}
    elif lost:
        known |= dict.fromkeys(lost, 0.0)
        known["events"] = risk * n
    events, other, censored = (float(known[name]) for name in ("events", "other", "censored"))
    return Part(own.begin, own.end, n, events, other, censored)


def together(hospitals: Sequence[Sequence[Part]]) -> list[Part]:
    """Counts of several hospitals, over the intervals that all of them can be put into."""
    horizon = hospitals[0][-1].end
    ends = [
        end
        for end in sorted({part.end for part in hospitals[0]})
        if all(any(math.isclose(end, p.end, rel_tol=1e-9) for p in own) for own in hospitals)
    ]
    sums, begin = [], 0.0
    for end in ends:
        cells = np.zeros(4)
        for own in hospitals:
            inside = [p for p in own if begin - 1e-9 * horizon < p.end <= end * (1.0 + 1e-9)]
            inside = [p for p in inside if p.end > begin * (1.0 + 1e-9)]
            cells += [inside[0].at_risk, *(sum(p[k] for p in inside) for k in (3, 4, 5))]
        sums.append(Part(begin, end, *cells.tolist()))
        begin = end
    return sums


def estimated(parts: Sequence[Part], min_followed: float = FOLLOWED) -> tuple[float, float, float]:
    """Risk by the end of a life table, and its interval.

    The variance is that of the incidence of a life table (Marubini and Valsecchi 1995, of Dinse
    and Larson), which without other causes is Greenwood's; the interval is that of log(-log).

    Parameters
    ----------
    parts : sequence of Part
    min_followed : float
        Share of the patients that could be followed to the end.

    Returns
    -------
    risk, low, high : float
        NaN where nobody is at risk, or fewer could be followed than `min_followed`, or for an
        interval of a risk of 0 or 1.
    """
    from scipy.stats import norm

    at_risk = np.array([part.at_risk - part.censored / 2.0 for part in parts])
    events, other = (np.array([getattr(p, name) for p in parts]) for name in ("events", "other"))
    if not len(parts) or at_risk[0] <= 0.0:
        return math.nan, math.nan, math.nan
    followed = 1.0
    for part in parts:  # in the middle, as those who are censored
        left = part.at_risk - (part.events + part.other) / 2.0
        followed *= max(1.0 - part.censored / left, 0.0) if left > 0.0 else 1.0
    if not is_followed(followed, min_followed):
        return math.nan, math.nan, math.nan
    there = at_risk > 0.0
    at_risk, events, other = at_risk[there], events[there], other[there]
    both = np.minimum(events + other, at_risk)
    survival = np.concatenate([[1.0], np.cumprod(1.0 - both / at_risk)])[:-1]
    share = np.cumsum(survival * events / at_risk)
    risk = min(float(share[-1]), 1.0)
    if not 0.0 < risk < 1.0:
        return risk, math.nan, math.nan
    ahead = risk - share
    left = np.maximum(at_risk - both, 1e-12)
    variance = (
        (ahead**2 * both / (at_risk * left)).sum()
        + (survival**2 * events * (at_risk - events) / at_risk**3).sum()
        - 2.0 * (ahead * survival * events / at_risk**2).sum()
    )
    z = norm.ppf((1.0 + CONFIDENCE) / 2.0)
    factor = math.exp(z * math.sqrt(max(variance, 0.0)) / (risk * math.log(risk)))
    return risk, risk ** (1.0 / factor), risk**factor


# ------------------------------------------------------------------------------- what is shown


def tables(found: Pooled) -> dict[str, Table]:
    """The tables of the page."""
    import pandas as pd

    unit = f"{found.model.horizon:g} {found.model.unit}"
    several = any(own.several for own in found.hospitals)
    who = [
        {
            "hospital": name,
            "column": own.file,
            "use": "the tree was grown from these patients" if own.grown_here else "a test of it",
        }
        for name, own in zip(found.names, found.hospitals, strict=True)
    ]
    made = [
        Table(
            "hospitals",
            "Hospitals",
            "Each has passed on counts, and no patient. Groups were chosen by the outcome of the "
            "patients whom the tree was grown from, so that they look further apart in these than "
            "in others.",
            pd.DataFrame(who).rename(columns={"column": "file"}),
        ),
        Table(
            "pooled",
            "Risk of each group in each hospital, and in all",
            f"{'Incidence' if several else 'Risk'} of the event by {unit}: a life table of the "
            "counts, who left early counting for half of the interval (95 % interval). Counts that "
            "a hospital withholds are taken as the middle of what they may be.",
            pd.DataFrame(found.rows).astype({"n": object, "events": object}),
        ),
    ]
    return {table.id: table for table in made}


def figure(found: Pooled) -> Figure:
    """Risk of each group in each hospital and in all, one beneath the other."""
    from matplotlib.figure import Figure

    lines = [row for row in found.rows if row["risk"] == row["risk"]]
    groups = list(dict.fromkeys(row["group"] for row in lines))
    with style():
        drawn = Figure(
            figsize=(WIDTH, 0.7 + 0.19 * len(lines) + 0.2 * len(groups)), layout="constrained"
        )
        axes = drawn.add_subplot()
        y, places, words = 0.0, [], []
        for number in groups:
            top = y
            for row in (row for row in lines if row["group"] == number):
                sums = row["hospital"] in (ALL, OTHERS)
                color, marker = (ORANGE, "D") if sums else (BLUE, "o")
                if row["risk_low"] == row["risk_low"]:
                    axes.plot([row["risk_low"], row["risk_high"]], [y, y], color=color, linewidth=1)
                axes.plot(row["risk"], y, marker, color=color, markersize=4, clip_on=False)
                places.append(y)
                words.append(_short(row["hospital"]).replace("$", r"\$"))
                y += 1.0
            axes.annotate(
                f"Group {number}",
                (1.0, top),
                xycoords=("axes fraction", "data"),
                fontsize=8,
                ha="right",
                va="center",
            )
            y += 0.9
            axes.axhline(y - 0.95, color="0.85", linewidth=0.6)
        axes.set_yticks(places, words, fontsize=7)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(y - 0.9, -0.8)
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        axes.set_xlabel(f"risk of the event by {found.model.horizon:g} {found.model.unit}")
    return drawn


def _short(text: str, most: int = 44) -> str:
    text = legible(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def summary(found: Pooled) -> list[str]:
    """Sentences for the top of the page."""
    lines = [
        f"{len(found.hospitals)} hospitals, {len(found.model.groups)} groups of one tree (“"
        f"{found.model.made_from.title}”).",
        "Only counts were read, and counts that could point to a person are not among them.",
    ]
    by = {(row["group"], row["hospital"]): row["risk"] for row in found.rows}
    spread = []
    for group in found.model.groups:
        own = [by[str(group.number), name] for name in found.names]
        own = [risk for risk in own if risk == risk]
        if len(own) > 1:
            spread.append((max(own) - min(own), group.number, min(own), max(own)))
    if spread:
        _, number, low, high = max(spread)
        lines.append(
            f"The hospitals are furthest apart in group {number}: {100 * low:.0f} % to "
            f"{100 * high:.0f} %."
        )
    return lines


def write_pooled(
    folder: str | Path,
    found: Pooled,
    folders: Sequence[str | Path],
    *,
    title: str,
    force: bool = False,
    progress: Callable[[str], Any] | None = None,
) -> Written:
    """Write everything that `hedgerow pool` gives.

    Parameters
    ----------
    folder : path
    found : Pooled
    folders : sequence of path
        Those of the hospitals.
    title : str
    force : bool
    progress : callable, optional

    Returns
    -------
    Written
    """
    import shlex

    folder, title = Path(folder), legible(title)
    check_made_by(folder, force, WHAT)
    old, tell = aside(folder), progress or (lambda words: None)
    names = [legible(Path(own).name) for own in folders]
    with folder_whole(folder, old) as made:
        tell("tables")
        shown = tables(found)
        write_tables(made, shown)
        tell("picture")
        save_picture(lambda: figure(found), made / "figures", "pooled")
        write_text(made / "index.html", page(found, shown, title))
        sums = [checksum(Path(own) / FILE if Path(own).is_dir() else Path(own)) for own in folders]
        files = write_manifest(
            made,
            WHAT,
            max(own.least for own in found.hospitals),
            {
                "command": shlex.join(["hedgerow", "pool", *names, "--title", title]),
                "input": [list(pair) for pair in zip(names, sums, strict=True)],
            },
        )
    return Written(files, old)


def page(found: Pooled, shown: Mapping[str, Table], title: str) -> str:
    """Text of index.html."""
    drawn = pictured(
        ["pooled"],
        {"pooled": "Risks with intervals of each group, a row for each hospital and for all."},
        {"pooled": "Points: hospitals; diamonds: hospitals together; bars: 95 % intervals."},
    )
    sections = [
        section("summary", "In short", [], [], []),
        section("risks", "Risk of each group", [], ["pooled"], ["pooled"]),
        section("who", "Who takes part", [], [], ["hospitals"]),
    ]
    placed(sections, drawn, shown)
    return in_code(
        render(
            "patients/pooled.html.j2",
            title=title,
            summary=summary(found),
            notes=found.left_out,
            sections=sections,
            version=metadata.version("hedgerow"),
        )
    )
