"""The data passport: on one page what a table was taken for and what was decided, to be signed."""

from __future__ import annotations

from collections.abc import Mapping

from hedgerow.showing.templates import render
from hedgerow_clinic.analysis import Analysis
from hedgerow_clinic.cohort import Cohort, Outcome
from hedgerow_clinic.layout import in_code
from hedgerow_clinic.table_format import Table
from hedgerow_clinic.tables import ANALYSED, LEFT_OUT, LEFT_OUT_ENTERED, NO_PATIENTS, ROWS

#: Who decided, where no option did.
BY_TABLE = "the table"


def passport(
    analysis: Analysis,
    shown: dict[str, Table],
    outcome: Outcome,
    title: str,
    source: str,
    checksum: str,
    version: str,
) -> str:
    """Text of passport.html."""
    # checksum: SHA-256 of the file.
    counts = shown["flow"].frame.set_index("about")["count"].astype(str)
    lines = (ROWS, NO_PATIENTS, LEFT_OUT, LEFT_OUT_ENTERED, ANALYSED)
    listed = [about for about in lines if about in counts.index]
    rows = [f"{counts[about]} {about}" for about in listed]
    words = shown["words"].frame.to_numpy().tolist()
    return passport_of(
        analysis.cohort, outcome, "; ".join(rows), words, title, source, checksum, version
    )


def passport_of(
    cohort: Cohort,
    outcome: Outcome,
    rows: str,
    words: list[list],
    title: str,
    source: str,
    checksum: str,
    version: str,
    more: Mapping[str, str] | None = None,
) -> str:
    """Text of passport.html of a cohort."""
    # rows: how many rows were used for what. words: column, word, what it was taken for, and how
    # many have it. more: further lines on the file.
    file = {"File": source, "SHA-256": checksum, "Read as": "; ".join(cohort.read_as)}
    file |= {"Rows": rows, **(more or {})}
    return in_code(
        render(
            "hedgerow_clinic/passport.html.j2",
            title=title,
            file=file,
            follow_up=_follow_up(cohort, outcome),
            words=words,
            columns=_columns(cohort),
            decisions=[(d.about, d.message, d.by or BY_TABLE) for d in cohort.decisions],
            version=version,
        )
    )


def _follow_up(cohort: Cohort, outcome: Outcome) -> dict[str, str]:
    """How time, event and treatment were read."""
    entries = {
        "Follow-up": cohort.taken_as,
        "Dates": cohort.period or "none: the table holds times",
        "Event": f"`{outcome.event}`"
        + (f", cause {outcome.cause!r}, others compete" if outcome.cause else "")
        + (f", {', '.join(map(repr, outcome.event_is))}" if outcome.event_is else ""),
        "Horizon": cohort.horizon_text,
    }
    if outcome.entry is not None:
        entries["Under observation"] = f"from `{outcome.entry}` on"
    if outcome.intervention is not None:
        when = "its time is known" if cohort.treated_when else "its time is not given"
        entries["Treatment"] = f"`{outcome.intervention}`: {when}"
    return entries


def _columns(cohort: Cohort) -> dict[str, str]:
    """Columns by what became of them, with units, as lines of text."""
    inputs = [
        f"{name} ({column.unit or column.kind})"
        for name, column in cohort.columns.items()
        if name in cohort.X
    ]
    named = [n for n, c in cohort.columns.items() if c.kind == "id" and n in cohort.not_used]
    rest = {name: why for name, why in cohort.not_used.items() if name not in named}
    return {
        "Inputs": ", ".join(inputs),
        "Identifiers, never inputs": ", ".join(named) or "none found",
        "Other columns": "; ".join(f"{name}: {why}" for name, why in rest.items()) or "none",
    }
