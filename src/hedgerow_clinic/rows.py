"""Which rows of a table are patients: copies, patients in several rows, identifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.column_names import age_like, name_words, sex_like
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import quoted, unique_texts

#: Words of a name that make it one of an identifier.
_NAMES = frozenset(
    {"id", "ids", "pid", "ptid", "patid", "patientid", "subjectid", "caseid", "mrn", "patient"}
    | {"patients", "subject", "record", "usubjid", "case", "patnr", "fallnummer", "patientennummer"}
)
#: An identifier has at least so many values, and so many rows each at most on average.
FEWEST_VALUES, MOST_ROWS = 20, 20
#: Two rows with one value of an identifier agree in so many other columns, of which so many rows
#: at most agree otherwise.
ALIKE_COLUMNS, AGREE, BY_CHANCE = 3, 0.95, 0.6
#: So many such pairs of rows tell it.
FEWEST_PAIRS = 10
#: Pairs of rows that are alike in all columns, expected by chance, below which they are copies.
COPIES_BY_CHANCE = 0.01
FEWEST_COLUMNS = 4
LISTED = 3
#: A word chooses the rows that count if so many patients have one such row, with its outcome known;
#: columns of more words are not looked through, and no more options named.
COVERED, FEW_WORDS, MOST_WAYS = 0.8, 12, 4


@dataclass(frozen=True)
class RepeatedColumn:
    """Values of an identifier that stand in several rows."""

    column: str
    groups: tuple[np.ndarray, ...]  # places of the rows of one patient, in the order of the table


def named_as_identifier(name: str) -> bool:
    """Whether a column's name is that of an identifier.

    >>> named_as_identifier("Patient ID"), named_as_identifier("pid"), named_as_identifier("width")
    (True, True, False)
    """
    return bool(_NAMES & name_words(name))


def identifiers(table: Texts, outcome: Sequence[str] = ()) -> dict[str, str]:
    """Columns that tell patients apart, in one row each or in several, and why."""
    # By its name, or as rows with the same value agree in what patients seldom agree in. outcome:
    # columns that are none, and of which rows of a patient may differ.
    reasons, codes = {}, {}
    for name, column in table.columns.items():
        codes[name] = unique_texts(column)[1]
    chance = {name: _agreement(column_codes) for name, column_codes in codes.items()}
    for name, column_codes in codes.items():
        values = int(column_codes.max()) + 1
        n_filled = int((column_codes >= 0).sum())
        if name in outcome or values < FEWEST_VALUES or n_filled > MOST_ROWS * values:
            continue
        if not _could_name(table.columns[name]) or age_like(name) or sex_like(name):
            continue
        if values < n_filled and not named_as_identifier(name):
            others = [c for c in codes if c not in (name, *outcome) and chance[c] <= BY_CHANCE]
            if not _identifies_patients(column_codes, [codes[c] for c in others]):
                continue
        elif values == n_filled and not named_as_identifier(name):
            continue  # values that never repeat are looked at by `found_columns`
        rows = "" if values == n_filled else f": {values} of them in {n_filled} rows"
        reasons[name] = f"an identifier{rows}"
    return reasons


def _could_name(column: np.ndarray) -> bool:
    """Whether all values are whole numbers or words with a digit, as identifiers are."""
    some = unique_texts(column)[0][:500]
    return all(re.fullmatch(r"[A-Za-z_/ .-]*\d+[\w/ -]*(\.0+)?", text) for text in some)


def _agreement(codes: np.ndarray) -> float:
    """Share of pairs of rows that have one value, of those in which both have any; (n,) codes."""
    counts = np.bincount(codes[codes >= 0])
    n = counts.sum()
    return float((counts * (counts - 1.0)).sum() / max(n * (n - 1.0), 1.0))


def _identifies_patients(ids: np.ndarray, others: list[np.ndarray]) -> bool:
    order = np.argsort(ids, kind="stable")
    order = order[ids[order] >= 0]
    pair = ids[order[1:]] == ids[order[:-1]]
    if pair.sum() < FEWEST_PAIRS:
        return False
    first, second = order[:-1][pair], order[1:][pair]
    agree = 0
    for codes in others:
        # Two empty cells are no agreement: rows of another kind leave the same cells empty.
        one, other = codes[first], codes[second]
        filled = (one >= 0) & (other >= 0)
        if _filled_once(ids, codes):
            agree += 1
        elif filled.sum() >= FEWEST_PAIRS:
            agree += float((one == other)[filled].mean()) >= AGREE
    return agree >= ALIKE_COLUMNS


def _filled_once(ids: np.ndarray, codes: np.ndarray) -> bool:
    """Whether a column is filled in one of several rows of each value, as of the inclusion."""
    has_id = ids >= 0
    rows = np.bincount(ids[has_id])
    filled = np.bincount(ids[has_id & (codes >= 0)], minlength=len(rows))[rows > 1]
    return len(filled) >= FEWEST_PAIRS and float((filled == 1).mean()) >= AGREE


def select_rows(
    table: Texts, columns: Mapping, outcome: Sequence[str], answers: Answers, problems: Problems
) -> Texts:
    """The rows that count, once what stands in several is answered."""
    # columns: those of kind `id` are identifiers.
    kept = not_hidden(table, answers, problems)
    for row in answers.rows_left_out:
        if row not in table.rows:
            message = f"the table has no patient in row {row}"
            problems.add("rows", message, "give other --leave-out-rows")
        kept &= table.rows != row
    if answers.rows_left_out:
        by = option_text("leave_out_rows", *answers.leave_out_rows)
        problems.decide("rows", "single rows are left out", by)
    for name in dict.fromkeys(text.rpartition("=")[0].strip() for text in answers.where):
        words = answers.words("where", name)
        cells = table.columns[name]
        matches = np.array([("" if text is None else text) in words for text in cells], dtype=bool)
        if not matches.any():
            held = ", ".join(map(quoted, sorted(unique_texts(cells)[0])[:6]))
            message = f"no row has {' or '.join(map(_word, words))} in it: it has {held}"
            problems.add("rows", message, "give another --where", name)
            continue
        kept &= matches
        by = option_text("where", *(f"{name}={word}" for word in words))
        problems.decide(name, f"rows count in which it is {' or '.join(map(_word, words))}", by)
    if not kept.any():
        problems.add("rows", "no row is left", "give other --where or --leave-out-rows")
        return table
    table = table.of(kept)
    table = _without_copies(table, columns, answers, problems)
    return _one_row_each(table, columns, outcome, answers, problems)


def not_hidden(table: Texts, answers: Answers, problems: Problems) -> np.ndarray:
    """Rows that count, (n,) bool, once somebody said whether hidden ones of a workbook do."""
    kept = np.ones(len(table), dtype=bool)
    if table.hidden is None or not table.hidden.any():
        return kept
    answer = next(iter(answers.hidden_rows), None)
    count, first = int(table.hidden.sum()), table.rows[int(np.argmax(table.hidden))]
    ways = " or ".join(option_text("hidden_rows", what) for what in ("drop", "keep"))
    problems.ask(
        "hidden rows",
        f"{count} of {len(table)} rows are hidden or filtered out in the workbook, the first one "
        f"is row {first}",
        f"say {ways}",
        answer="" if answer is None else option_text("hidden_rows", answer),
        decided=f"rows that are hidden in the workbook {'do not ' * (answer == 'drop')}count",
    )
    return ~table.hidden if answer == "drop" else kept


def _without_copies(table: Texts, columns: Mapping, answers: Answers, problems: Problems) -> Texts:
    """Rows that are alike in every cell, where patients who are alike would be no chance."""
    codes = {name: unique_texts(column)[1] for name, column in table.columns.items()}
    n = len(table)
    numbered = (name for name in codes if columns[name].kind == "id")
    counters = {name for name in numbered if codes[name].max() + 1 == n}
    compared = [column_codes for name, column_codes in codes.items() if name not in counters]
    if len(compared) < FEWEST_COLUMNS:
        return table
    _, group, size = np.unique(
        np.column_stack(compared), axis=0, return_inverse=True, return_counts=True
    )
    group = group.ravel()
    expected = n * (n - 1) / 2.0 * float(np.prod([_agreement(c + 1) for c in compared]))
    if (size == 1).all() or expected > COPIES_BY_CHANCE:
        return table
    _, first = np.unique(group, return_index=True)
    copy = np.ones(n, dtype=bool)
    copy[first] = False
    some = ", ".join(
        f"{table.rows[k]} (of {table.rows[first[group[k]]]})" for k in np.flatnonzero(copy)[:LISTED]
    )
    few = int(copy.sum())
    message = (
        f"{few} row{'s are copies' if few > 1 else ' is a copy'} of another, cell by cell"
        + (f" but for `{'`, `'.join(sorted(counters))}`" if counters else "")
        + f": row {some}{', ...' * (few > LISTED)}"
    )
    answer = next(iter(answers.copied_rows), None)
    problems.ask(
        "copied rows",
        message,
        f"say {option_text('copied_rows', 'drop')}, or {option_text('copied_rows', 'keep')} where "
        "they are different patients",
        answer="" if answer is None else option_text("copied_rows", answer),
        decided="rows that are copies of another "
        + ("are left out" if answer == "drop" else "are different patients"),
    )
    return table.of(~copy) if answer == "drop" else table


def _word(text: str) -> str:
    return quoted(text) if text else "empty"


def _one_row_each(
    table: Texts, columns: Mapping, outcome: Sequence[str], answers: Answers, problems: Problems
) -> Texts:
    """One row for each value of an identifier, or the question which."""
    for name, column in columns.items():
        if column.kind != "id" or name in outcome:
            continue
        answer = answers.of_column("several_rows", name)
        codes = unique_texts(table.columns[name])[1]
        counts = np.bincount(codes[codes >= 0])
        several = int((counts > 1).sum())
        if not several:
            continue
        where = np.flatnonzero(codes == int(np.flatnonzero(counts > 1)[0]))
        rows = " and ".join(str(table.rows[k]) for k in where[:LISTED])
        ways = _ways_to_choose(table, codes, name, outcome)
        named = bool(answers.words("several_rows", name))
        others = (o for o in columns if o != name and named_as_identifier(o) and o not in outcome)
        other = next((o for o in others if _differs_in_each_row(table.columns[o])), None)
        which = "first last" if not ways else "first"
        ways += [option_text("several_rows", f"{name}={word}") for word in which.split()]
        problems.ask(
            "several rows",
            f"{several} of {len(counts)} {'patients' if other is None else 'values'} stand in "
            f"several rows, such as {quoted(table.columns[name][where[0]])} in rows {rows}"
            + ("" if other is None else f", though each row has another `{other}`"),
            f"say which count: {', '.join(ways)}; or "
            f"{option_text('several_rows', f'{name}=separate')}, where they are different patients",
            name,
            answer=""
            if answer is None
            else option_text("several_rows", f"{name}={answer}" if named else answer),
            decided="rows with one value are different patients"
            if answer == "separate"
            else f"of a patient in several rows the {answer} one counts",
        )
        if answer in ("first", "last"):
            order = np.argsort(codes, kind="stable")
            order = order if answer == "first" else order[::-1]
            selected = np.zeros(len(table), dtype=bool)
            with_id = order[codes[order] >= 0]
            selected[with_id[np.unique(codes[with_id], return_index=True)[1]]] = True
            table = table.of(selected | (codes < 0))
    return table


def _differs_in_each_row(column: np.ndarray) -> bool:
    codes = unique_texts(column)[1]
    return bool((codes >= 0).all()) and len(np.unique(codes)) == len(codes)


def _ways_to_choose(
    table: Texts, codes: np.ndarray, name: str, outcome: Sequence[str]
) -> list[str]:
    """Options that choose one row of each patient, in which the outcome is known."""
    # By a word of a column, such as the kind of the event, or by a cell that is empty, as those of
    # visits are in the row of the inclusion.
    patients = len(np.unique(codes[codes >= 0]))
    observed = np.ones(len(table), dtype=bool)
    for column in outcome:
        observed &= table.columns[column] != None  # noqa: E711  elementwise
    ways: dict[bytes, str] = {}
    for other, cells in table.columns.items():
        texts, word_codes = unique_texts(cells)
        if other == name or other in outcome or named_as_identifier(other):
            continue
        words = [*range(len(texts))] if len(texts) <= FEW_WORDS else []
        for code in [-1, *words] if (word_codes < 0).any() else words:
            rows = word_codes == code
            alone = len(np.unique(codes[rows])) == rows.sum() and (codes[rows] >= 0).all()
            if not alone or rows.sum() < COVERED * patients or observed[rows].mean() < COVERED:
                continue
            word = texts[code] if code >= 0 else ""
            way = f"{option_text('where', f'{other}={word}')} ({int(rows.sum())} rows)"
            ways.setdefault(rows.tobytes(), way)
    return list(ways.values())[:MOST_WAYS]
