"""Inputs that know the outcome, numbers that stand for nothing, levels that are one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from hedgerow.patients.answers import Answers, told
from hedgerow.patients.problems import Problems
from hedgerow.patients.values import DAYS, shown, unique_texts

#: An input that equals the follow-up in such a share of patients, in one unit or another.
EQUALS = 0.05
#: One that is never above it (or never below) in such a share, is of its size, comes as near to it
#: as `NEAR` in a share of them, and goes with it in rank.
BOUNDS, SIZE, NEAR, TOGETHER = 0.995, 10.0, 0.01, 0.3
#: No measurement at inclusion goes with the follow-up so closely in rank.
GOES_WITH = 0.65
#: Association of a few levels with the event (Cramer's V), and area under the curve of a number,
#: that no measurement at inclusion has.
DECIDES, SEPARATES = 0.5, 0.93
#: By so many standard errors a strength lies above its bound: few patients show strong ones.
SURELY = 1.96
#: Levels with fewer patients say nothing.
FEWEST = 5
#: Numbers with so many different values are compared with the follow-up.
MANY = 10
#: Numbers that people write where a value is missing.
CODES = frozenset(
    float(sign * int(digit * count))
    for digit in "789"
    for count in (1, 2, 3, 4, 5, 6)
    for sign in (1, -1)
) | {-1.0}
#: Short forms have so many letters at most, words at least, and a word so many more.
SHORT, LONG, MORE = 3, 4, 2
_ROMAN = re.compile(r"[ivx]+")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def missing_codes(
    name: str, values: np.ndarray, rows: np.ndarray, answers: Answers, problems: Problems
) -> np.ndarray:
    """Numbers without those that somebody said stand for nothing; others like them are asked for.

    A number such as 999 or -9 is asked for where it is the largest or smallest one and lies further
    from all others than these lie apart.

    Parameters
    ----------
    name : str
    values : (n,) float array
    rows : (n,) int array
        Of the file.
    answers : Answers
    problems : Problems

    Returns
    -------
    (n,) float array
        NaN where the value stands for a missing one.
    """
    values = values.copy()
    real = {_float(word) for word in answers.words("real_value", name)}
    gone = {_float(word) for word in answers.words("missing_value", name)}
    for code in sorted(gone):
        own = values == code
        said = f"{code:g} stands for a missing value"
        if math.isnan(code):
            problems.add(
                "values",
                "--missing-value is no number",
                f"say {told('read', f'{name}=TEXT=missing')}",
                name,
            )
            continue
        if not own.any():
            problems.add("values", f"no row holds {code:g}", "give another --missing-value", name)
            continue
        values[own] = math.nan
        problems.decide(name, said, told("missing_value", f"{name}={code:g}"))
    while True:
        known = np.unique(values[~np.isnan(values)])
        code = _alone(known, real)
        if code is None:
            return values
        own = values == code
        count, first = int(own.sum()), rows[int(np.argmax(own))]
        answer = told("real_value", f"{name}={code:g}") if code in real else ""
        ends = (known[known != code].min(), known[known != code].max())
        problems.ask(
            "values",
            f"{code:g} ({count} patient{'s' * (count != 1)}, first in row {first}) may stand for a "
            f"missing value: the others lie from {ends[0]:g} to {ends[1]:g}",
            f"say {told('missing_value', f'{name}={code:g}')} or "
            f"{told('real_value', f'{name}={code:g}')}",
            name,
            answer=answer,
            decided=f"{code:g} is a value",
        )
        if not answer:
            values[own] = math.nan
        else:
            real.discard(code)
            return values


def _float(word: str) -> float:
    try:
        return float(word.replace(",", "."))
    except ValueError:
        return math.nan


def _alone(known: np.ndarray, real: set[float]) -> float | None:
    """A code at one end, further from the others than they lie apart; (k,) ascending values."""
    if len(known) < 3:
        return None
    for code, rest in ((known[-1], known[:-1]), (known[0], known[1:])):
        gap = float(np.abs(code - rest).min())
        below_zero = code < 0.0 and rest.min() >= 0.0
        if code in CODES and (gap > rest[-1] - rest[0] or below_zero):
            return float(code)
    return None


def levels_alike(
    name: str, cells: np.ndarray, answers: Answers, problems: Problems
) -> dict[str, str]:
    """Levels of a category that are another one, where somebody said so: the level for each.

    Levels that differ in case and blanks, and a short form of one other word (`f` and `female`),
    are a question. `1.0` is 1 without one.

    Parameters
    ----------
    name : str
    cells : (n,) object array
        Texts, None where there is none.
    answers : Answers
    problems : Problems

    Returns
    -------
    dict of str
    """
    texts, codes = unique_texts(cells)
    counts = dict(zip(texts, np.bincount(codes[codes >= 0], minlength=len(texts)), strict=True))
    same = _same_numbers(texts)
    groups = _alike([text for text in texts if text not in same], counts)
    if same:
        problems.decide(name, f"{', '.join(map(shown, same))} read as whole numbers")
    if groups:
        said = "; ".join(
            " and ".join(f"{shown(t)} ({counts[t]})" for t in group) for group in groups
        )
        ways = ("same_levels", "other_levels")
        problems.ask(
            "levels",
            f"levels are written alike: {said}",
            f"say {told(ways[0], name)} where they are one, or {told(ways[1], name)}",
            name,
            answer=next((told(way, name) for way in ways if name in getattr(answers, way)), ""),
            decided="; ".join(" and ".join(map(shown, group)) for group in groups)
            + (" are one level each" if name in answers.same_levels else " are different levels"),
        )
    if name in answers.same_levels:
        same |= {text: group[0] for group in groups for text in group[1:]}
    return same


def _same_numbers(texts: Sequence[str]) -> dict[str, str]:
    """Texts such as 1.0 where all are numbers and whole, and what they are without the point."""
    if not all(_NUMBER.fullmatch(text) for text in texts):
        return {}
    if not all(float(text).is_integer() for text in texts):
        return {}
    return {text: str(int(float(text))) for text in texts if "." in text}


def _alike(texts: Sequence[str], counts: dict[str, int]) -> list[list[str]]:
    """Groups of levels that are written alike, in each the most frequent whole word first."""
    forms: dict[str, list[str]] = {}
    for text in sorted(texts):
        forms.setdefault(" ".join(text.casefold().split()).strip(" ."), []).append(text)
    words = [form for form in forms if form.isalpha() and len(form) >= LONG]
    for form in sorted(forms):
        if len(form) > SHORT or not form.isalpha() or _ROMAN.fullmatch(form):
            continue
        longer = [w for w in words if w.startswith(form) and len(w) >= len(form) + MORE]
        if len(longer) == 1 and longer[0] in forms:
            forms[longer[0]] += forms.pop(form)
    return [
        sorted(own, key=lambda t: (len(t) <= SHORT, -counts[t], t))
        for own in forms.values()
        if len(own) > 1
    ]


# --------------------------------------------------------------------- what knows the outcome


def knows_outcome(values: np.ndarray, time: np.ndarray, event: np.ndarray) -> str:
    """Why an input may not have been known at inclusion; empty where nothing speaks for it.

    Parameters
    ----------
    values : (n,) float array
        NaN where missing; of a category its codes.
    time : (n,) float array
        Follow-up in days.
    event : (n,) int array

    Returns
    -------
    str
    """
    had = event == 1
    known = ~np.isnan(values)
    if known.sum() < 2 * FEWEST or not had[known].sum() >= FEWEST:
        return ""
    gaps = _association(known.astype(float), had)
    if min(known.sum(), (~known).sum()) >= FEWEST and _surely(gaps, len(had), DECIDES):
        return f"whether it is empty nearly tells who had the event (association {gaps:.2f})"
    values, time, had = values[known], time[known], had[known]
    few = len(np.unique(values)) < MANY
    if few and _surely(strength := _association(values, had), len(had), DECIDES):
        return f"it nearly tells who had the event (association {strength:.2f})"
    if said := _like_time(values, time, few):
        return said
    area = 0.5 if few else _area(values, had)
    if max(area, 1.0 - area) >= SEPARATES:
        return f"it nearly tells who had the event (area under the curve {max(area, 1 - area):.2f})"
    return ""


def _like_time(values: np.ndarray, time: np.ndarray, few: bool) -> str:
    from scipy.stats import spearmanr

    if len(np.unique(time)) < MANY or len(np.unique(values)) < 2:
        return ""
    together = float(spearmanr(values, time).statistic)
    goes = f"(rank correlation {together:.2f})"
    for unit, days in DAYS.items() if not few else ():
        own = values * days
        equal = float((np.abs(own - time) <= 1e-6 * time).mean())
        if equal >= EQUALS:
            return f"it equals the follow-up in {100 * equal:.0f} % of the patients, in {unit}"
    if _surely(together, len(time), GOES_WITH):
        return f"it goes with the follow-up {goes}"
    for unit, days in DAYS.items() if not few and together >= TOGETHER else ():
        own = values * days
        if not 1.0 / SIZE <= np.median(own) / np.median(time) <= SIZE:
            continue
        near = float((np.abs(own - time) <= NEAR * time).mean())
        for bounded, word in ((own <= time, "above"), (own >= time, "below")):
            if bounded.mean() >= BOUNDS and near >= NEAR:
                return f"it is never {word} the follow-up, in {unit} {goes}"
    return ""


def _surely(strength: float, n: int, bound: float) -> bool:
    """Whether an association or correlation of n patients lies above a bound (Fisher's z)."""
    z = math.atanh(min(abs(strength), 1.0 - 1e-12))
    return math.tanh(z - SURELY / math.sqrt(max(n - 3, 1))) >= bound


def _association(values: np.ndarray, had: np.ndarray) -> float:
    """Cramer's V of a few levels and an event, levels of few patients left out."""
    from scipy.stats.contingency import association, crosstab

    table = crosstab(values, had).count
    table = table[table.sum(axis=1) >= FEWEST]
    if len(table) < 2 or table.shape[1] < 2 or (table.sum(axis=0) == 0).any():
        return 0.0
    return float(association(table, method="cramer"))


def _area(values: np.ndarray, had: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    return 0.5 if had.all() or not had.any() else float(roc_auc_score(had, values))


def sex_like(name: str) -> bool:
    """Whether a column's name is that of a sex."""
    words = {"sex", "gender", "geschlecht", "sexe", "sexo"}
    return bool(words & set(re.split(r"[^a-z]+", name.lower())))


def age_like(name: str) -> bool:
    """Whether a column's name is that of an age."""
    return bool({"age", "alter", "edad", "leeftijd"} & set(re.split(r"[^a-z]+", name.lower())))
