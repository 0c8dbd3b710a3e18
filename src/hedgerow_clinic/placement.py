"""Patients of another table in the groups of a model, and why one cannot be placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.errors import InputError
from hedgerow.texts import did_you_mean
from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.event_coding import plain_word
from hedgerow_clinic.model import Group, Input, RiskModel
from hedgerow_clinic.table import MISSING, Texts
from hedgerow_clinic.values import numbers, quoted, unique_texts

if TYPE_CHECKING:
    import pandas as pd

#: Shares of a patient below it are rounding.
NOBODY = 1e-9


@dataclass(frozen=True)
class Placement:
    """Where patients are in a model's tree.

    Attributes
    ----------
    node : (n,) int array
        The leaf of each patient; -1 where there is none.
    share : (n,) float array
        Of the patient in it: below 1 where a value is missing at a test.
    why : list of str
        Per patient, what keeps from placing it, or is to be doubted; empty for most.
    """

    node: np.ndarray
    share: np.ndarray
    why: list[str]


def renamed(table: Texts, pairs: Sequence[str]) -> Texts:
    """A table with columns under other names."""
    # pairs: `OLD=NEW` each; names may hold `=`, and the first way to divide them counts in which
    # OLD is a column.
    names = {name: name for name in table.columns}
    for pair in pairs:
        places = [k for k, letter in enumerate(pair) if letter == "="]
        if not places:
            raise InputError(f"--rename is {quoted(pair)}", remedy="write OLD=NEW")
        fits = [k for k in places if pair[:k].strip() in names]
        cut = fits[0] if fits else places[0]
        old, new = pair[:cut].strip(), pair[cut + 1 :].strip()
        if old not in names:
            have = f"it has {', '.join(list(names)[:12])}"
            raise InputError(
                f"--rename: {table.name} has no column `{old}`",
                remedy=did_you_mean(old, names, have),
            )
        if not new:
            raise InputError(f"--rename is {quoted(pair)}", remedy="write OLD=NEW")
        names[old] = new
    new_names = list(names.values())
    if twice := [name for name in new_names if new_names.count(name) > 1]:
        raise InputError(
            f"--rename: {table.name} would have the column `{twice[0]}` twice",
            remedy="give the other column another name too",
        )
    columns = {names[name]: column for name, column in table.columns.items()}
    return replace(table, columns=columns)


def real_words(
    real: Sequence[str], pairs: Sequence[str] = (), model: RiskModel | None = None
) -> Answers:
    """Words such as NA that are values where a table is read, its columns not yet renamed."""
    # real: `COLUMN=WORD` each, the column by its new name. pairs: `OLD=NEW` each. model: levels of
    # its categories are values.
    words = list(real)
    for variable in () if model is None else model.inputs:
        words += [
            f"{variable.name}={k.level}" for k in variable.levels if k.level.lower() in MISSING
        ]
    for old, _, new in (pair.rpartition("=") for pair in pairs):
        words += [old + text[len(new) :] for text in words if text.startswith(f"{new.strip()}=")]
    return Answers(real_value=tuple(words))


def check_columns(model: RiskModel, table: Texts) -> None:
    """Refuse a table that lacks a column which the tree tests."""
    lost = [variable.name for variable in model.tested if variable.name not in table.columns]
    if lost:
        names = ", ".join(f"`{name}`" for name in lost)
        have = (
            f"it has {', '.join(list(table.columns)[:12])}; give another name by --rename OLD=NEW"
        )
        raise InputError(
            f"{table.name} has no column {names}, which the tree tests",
            remedy=did_you_mean(lost[0], table.columns, have, always=True),
        )


def with_levels(model: RiskModel, table: Texts) -> Texts:
    """A table whose categories are written as the model has them, where they are the same words."""
    # `1.0` is `1`, and case does not count unless two categories differ by it alone.
    columns = dict(table.columns)
    for variable in model.inputs:
        if variable.kind != "category" or variable.name not in columns:
            continue
        plain = [plain_word(level.level) for level in variable.levels]
        level_of = {
            word: level.level
            for word, level in zip(plain, variable.levels, strict=True)
            if plain.count(word) == 1
        }
        exact = {level.level for level in variable.levels}
        texts, codes = unique_texts(columns[variable.name])
        new = [t if t in exact else level_of.get(plain_word(t), t) for t in texts]
        columns[variable.name] = np.array([*new, None], dtype=object)[codes]
    return replace(table, columns=columns)


def matrix(
    model: RiskModel,
    table: Texts,
    answers: Answers,
    checked: Mapping[str, pd.Series] | None = None,
    everything: bool = False,
) -> tuple[np.ndarray, dict[int, dict[int, str]], dict[int, set[int]]]:
    """The tested inputs of a table as the tree reads them."""
    # checked: numbers of columns that somebody has read and checked already, by name. everything:
    # whether inputs that the table has and the tree does not test are read as well. X: NaN where
    # there is no value, or one that cannot be used. issues: variable -> row -> what is wrong with
    # its value. unusable: variable -> rows whose cell is no number.
    check_columns(model, table)
    X = np.full((len(table), len(model.inputs)), np.nan)
    issues: dict[int, dict[int, str]] = {}
    unusable: dict[int, set[int]] = {}
    for place, variable in enumerate(model.inputs):
        if not variable.tested and not (everything and variable.name in table.columns):
            continue
        issues[place] = {}
        cells = _without_missing_words(table, variable, answers)
        if variable.kind == "category":
            _read_category(variable, cells, X[:, place], issues[place])
        elif checked is not None and variable.name in checked:
            X[:, place] = checked[variable.name].to_numpy(dtype=float)
        else:
            unusable[place] = _read_number(
                table, variable, cells, answers, X[:, place], issues[place]
            )
        _check_seen_range(variable, X[:, place], issues[place])
    return X, issues, unusable


def _without_missing_words(table: Texts, variable: Input, answers: Answers) -> np.ndarray:
    """Cells of a column, words for missing values taken out."""
    gone = {word.lower() for word in variable.missing_words}
    gone |= {word.lower() for word in answers.words("missing_value", variable.name)}
    cells = table.columns[variable.name]
    if not gone:
        return cells
    return np.array([None if t is None or t.lower() in gone else t for t in cells], dtype=object)


def _read_category(
    variable: Input, cells: np.ndarray, into: np.ndarray, issues: dict[int, str]
) -> None:
    codes = {level.level: float(k) for k, level in enumerate(variable.levels)}
    for row, text in enumerate(cells):
        if text is None:
            continue
        if text in codes:
            into[row] = codes[text]
        else:
            issues[row] = (
                f"`{variable.name}`: {quoted(text)} is no category of the model "
                f"({', '.join(list(codes)[:8])}), and is taken as missing"
            )


def _read_number(
    table: Texts, variable: Input, cells: np.ndarray, answers: Answers, into: np.ndarray, issues
) -> set[int]:
    parsed = numbers(cells, table.decimal, answers.of_column("decimal", variable.name))
    if parsed.ambiguous is not None:
        raise InputError(
            f"column `{variable.name}`: {parsed.ambiguous} may be a thousand or a fraction",
            remedy=f"say {option_text('decimal', f'{variable.name}=comma')} or "
            f"{option_text('decimal', f'{variable.name}=point')}",
        )
    into[:] = parsed.values
    wrong = set(np.flatnonzero(parsed.wrong).tolist())
    for row in wrong:
        issues[row] = f"`{variable.name}`: {quoted(cells[row])} is no number"
    return wrong


def _check_seen_range(variable: Input, values: np.ndarray, issues: dict[int, str]) -> None:
    """A warning for each value outside of where the first hospital's patients lay."""
    if variable.kind != "number" or variable.seen_low is None or variable.seen_high is None:
        return
    for row in np.flatnonzero((values < variable.seen_low) | (values > variable.seen_high)):
        issues[int(row)] = (
            f"`{variable.name}`: {values[row]:g} lies outside {variable.seen_low:g} to "
            f"{variable.seen_high:g}, where all but a few patients of the first hospital were"
        )


def place_patients(
    model: RiskModel,
    X: np.ndarray,
    issues: Mapping[int, Mapping[int, str]] | None = None,
    unusable: Mapping[int, set[int]] | None = None,
) -> Placement:
    """The group of each patient."""
    tree, issues, unusable = model.tree, issues or {}, unusable or {}
    node = np.asarray(tree.apply(X)).astype(int)
    shares = tree.shares(X).tocsr()
    share = np.ones(len(X))
    numbered = {group.node: group.number for group in model.groups}
    why: list[list[str]] = [[] for _ in range(len(X))]
    tested = [place for place, v in enumerate(model.inputs) if v.tested]
    in_question = np.isnan(X[:, tested]).any(axis=1) if tested else np.zeros(len(X), dtype=bool)
    for rows in issues.values():
        in_question[list(rows)] = True
    for row in np.flatnonzero(in_question):
        begin, end = shares.indptr[row : row + 2]
        reached = shares.indices[begin:end][shares.data[begin:end] > NOBODY]
        asked = sorted({int(tree.feature[k]) for k in reached if tree.feature[k] >= 0})
        parts = [(numbered[int(k)], shares[row, k]) for k in reached if tree.feature[k] < 0]
        share[row] = shares[row, node[row]]
        for place in asked:
            if row in issues.get(place, {}):
                why[row].append(issues[place][row])
            elif np.isnan(X[row, place]):
                why[row].append(f"`{model.inputs[place].name}` is missing")
        if any(row in unusable.get(place, ()) for place in asked):
            node[row] = -1
        elif len(parts) > 1:
            largest = numbered[int(node[row])]
            rest = ", ".join(str(n) for n, _ in parts if n != largest)
            why[row].append(
                f"{100 * share[row]:.0f} % of such patients are in group {largest}, the rest "
                f"in {rest}"
            )
    return Placement(node, share, ["; ".join(reasons) for reasons in why])


#: In the place of a risk, of a tree that does not tell new patients apart.
NO_RISK = "no risk: the tree does not tell new patients apart"


def _of_group(model: RiskModel, group: Group | None) -> str:
    """What is to be minded of the risk of a group."""
    if not model.finds:
        return NO_RISK if group is not None else ""
    if group is not None and group.risk is None and group.n == 0:
        return f"group {group.number}: nothing can be said, because nobody was in it"
    if group is not None and group.risk is None:
        return f"group {group.number}: {model.unsaid}"
    if group is not None and group.few:
        return f"the risk of group {group.number} rests on few patients"
    return ""


def groups_of(
    model: RiskModel, table: Texts, answers: Answers, keep: Sequence[str] = ()
) -> pd.DataFrame:
    """What `hedgerow apply` writes: a row for each row of the table."""
    # keep: columns that are copied, such as an identifier. Gives row (as a spreadsheet counts), the
    # columns kept, group, risk, low, high, why. Group and risk are missing where a patient cannot
    # be placed.
    import pandas as pd

    ours = ("row", "group", "risk", "low", "high", "why")
    for name in keep:
        if name not in table.columns:
            have = f"it has {', '.join(list(table.columns)[:12])}"
            raise InputError(
                f"--keep: {table.name} has no column `{name}`",
                remedy=did_you_mean(name, table.columns, have),
            )
        if name in ours:
            raise InputError(
                f"--keep: `{name}` is a column of the answer",
                remedy="give it another name by --rename",
            )
    table = with_levels(model, table)
    placement = place_patients(model, *matrix(model, table, answers))
    by_node = model.by_node
    groups = [by_node.get(int(node)) for node in placement.node]
    if not model.finds:
        unknown = {"risk": None, "low": None, "high": None}
        groups = [None if g is None else replace(g, **unknown) for g in groups]
    why = [
        "; ".join(filter(None, [text, _of_group(model, group)]))
        for text, group in zip(placement.why, groups, strict=True)
    ]
    return pd.DataFrame(
        {
            "row": table.rows,
            **{name: table.columns[name] for name in dict.fromkeys(keep)},
            "group": pd.array([None if g is None else g.number for g in groups], dtype="Int64"),
            **{
                name: [None if g is None else getattr(g, name) for g in groups]
                for name in ("risk", "low", "high")
            },
            "why": why,
        }
    )
