"""Inputs that know the outcome, numbers that stand for nothing, levels that are one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.values import DAYS, quoted, unique_texts

#: An input that equals the follow-up in such a share of patients, in one unit or another.
EQUALS = 0.05
#: One that would lie above it (or below it) in so many patients by chance, and does in such a share
#: of these at most; in so few where it goes with it in rank; in so few above where it is named as a
#: time.
CHANCE, HARDLY, FEW_CHANCE, TOGETHER, NAMED_CHANCE = 20.0, 0.02, 5.0, 0.3, 2.0
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
#: Numbers that people write where a value is missing: digits that repeat, nines with a point, the
#: last numbers before 100, 1000 and 10000 for several reasons, and -1.
CODES = frozenset(
    float(sign * number)
    for number in (
        *(int(digit * count) for digit in "789" for count in (1, 2, 3, 4, 5, 6)),
        *(end - k for end in (100, 1000, 10000) for k in (2, 3, 4)),
        *(99.9, 999.9, 99.99, 999.99),
    )
    for sign in (1, -1)
) | {-1.0}
#: Codes of two digits and more that several patients have, among values that reach nearly as far,
#: stand alone where the gap to these is so many times any other.
LONG_CODE, LARGER = 77.0, 2.0
#: Age in years that nobody reaches; where more of a column lies outside, it holds no ages in years.
OLDEST, FEW_OUTSIDE = 115.0, 0.2
#: Values that a question names.
NAMED = 5
#: Short forms have so many letters at most, words at least, and a word so many more.
SHORT, LONG, MORE = 3, 4, 2
_ROMAN = re.compile(r"[ivx]+")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def missing_codes(
    name: str, values: np.ndarray, rows: np.ndarray, answers: Answers, problems: Problems
) -> np.ndarray:
    """Numbers without those that somebody said stand for nothing."""
    # Others like them are asked for. Numbers such as 888 and 999, or -9 and -8, are asked for where
    # they are the largest or smallest ones and lie further from all others than these lie apart. So
    # is 99 of several patients in ages from 40 to 89, where the gap is much larger than any other.
    # Gives NaN where the value stands for a missing one.
    values = values.copy()
    real = {_float(word) for word in answers.words("real_value", name)}
    gone = {_float(word) for word in answers.words("missing_value", name)}
    for code in sorted(gone):
        matches = values == code
        decision = f"{code:g} stands for a missing value"
        if math.isnan(code):
            problems.add(
                "values",
                "--missing-value is no number",
                f"say {option_text('read', f'{name}=TEXT=missing')}",
                name,
            )
            continue
        if not matches.any():
            problems.add("values", f"no row holds {code:g}", "give another --missing-value", name)
            continue
        values[matches] = math.nan
        problems.decide(name, decision, option_text("missing_value", f"{name}={code:g}"))
    codes, rest = _codes(*np.unique(values[~np.isnan(values)], return_counts=True))
    asked = []
    for code in codes:
        if code in real:
            problems.decide(
                name, f"{code:g} is a value", option_text("real_value", f"{name}={code:g}")
            )
        else:
            asked.append(code)
    if asked:
        ways = (
            option_text(way, *(f"{name}={code:g}" for code in asked))
            for way in ("missing_value", "real_value")
        )
        problems.ask(
            "values",
            f"{' and '.join(_value_with_count(values, code, rows) for code in asked)} may stand "
            f"for a missing value: the others lie from {rest[0]:g} to {rest[-1]:g}",
            f"say {' or '.join(ways)}",
            name,
        )
    values[np.isin(values, asked)] = math.nan
    return values


def _value_with_count(values: np.ndarray, value: float, rows: np.ndarray) -> str:
    """A value, how many patients have it, and in which row the first one stands."""
    matches = values == value
    count, first = int(matches.sum()), rows[int(np.argmax(matches))]
    return f"{value:g} ({count} patient{'s' * (count != 1)}, first in row {first})"


def _float(word: str) -> float:
    try:
        return float(word.replace(",", "."))
    except ValueError:
        return math.nan


def _codes(values: np.ndarray, counts: np.ndarray) -> tuple[list[float], np.ndarray]:
    """Codes at the ends of (k,) ascending values with their counts, and the other values."""
    # As a set: of 888 and 999 alone neither lies far from the other.
    codes: list[float] = []
    for end in (-1, 1):
        for count in range(len(values) - 2, 0, -1):
            candidates, rest = values[:count], values[count:]
            if end > 0:
                candidates, rest = values[-count:], values[:-count]
            if not set(candidates.tolist()) <= CODES:
                continue
            held = counts[-count:] if end > 0 else counts[:count]
            gap = candidates[0] - rest[-1] if end > 0 else rest[0] - candidates[-1]
            alone = np.abs(candidates).min() >= LONG_CODE and held.min() > 1
            alone &= len(rest) >= MANY and gap > LARGER * np.diff(rest).max(initial=0.0)
            if alone or gap > rest[-1] - rest[0] or (candidates.max() < 0.0 <= rest[0]):
                codes += candidates.tolist()
                values, counts = rest, counts[:-count] if end > 0 else counts[count:]
                break
    return codes, values


def ask_of_ages(
    name: str, values: np.ndarray, rows: np.ndarray, answers: Answers, problems: Problems
) -> None:
    """A question about ages in years that nobody has; (n,) values, NaN where missing."""
    outside = (values < 0.0) | (values > OLDEST)
    few = outside.sum() <= FEW_OUTSIDE * max(int((~np.isnan(values)).sum()), 1)
    real = {_float(word) for word in answers.words("real_value", name)}
    wrong = [value for value in np.unique(values[outside]).tolist() if value not in real]
    for value in sorted(real & set(values[outside].tolist())):
        problems.decide(
            name, f"{value:g} is a value", option_text("real_value", f"{name}={value:g}")
        )
    if not wrong:
        return
    if few:
        listed = wrong[:NAMED]
        details = " and ".join(_value_with_count(values, value, rows) for value in listed)
        details += f" and {len(wrong) - NAMED} more values" * (len(wrong) > NAMED)
        ways = [
            option_text(way, *(f"{name}={value:g}" for value in listed))
            for way in ("missing_value", "real_value")
        ]
        remedy = f"correct it, or say {' or '.join(ways)}"
    else:
        details = f"{int(outside.sum())} values lie outside, and they reach {np.nanmax(values):g}"
        remedy = "give the column its `unit` in the schema, where they are not years"
    problems.ask("ages", f"an age lies from 0 to {OLDEST:g} years: {details}", remedy, name)


def merge_levels(
    name: str, cells: np.ndarray, answers: Answers, problems: Problems
) -> dict[str, str]:
    """Levels of a category that are another one, where somebody said so: the level for each."""
    # Levels that differ in case and blanks, and a short form of one other word (`f` and `female`),
    # are a question. `1.0` is 1 without one. cells: texts, None where there is none.
    texts, codes = unique_texts(cells)
    counts = dict(zip(texts, np.bincount(codes[codes >= 0], minlength=len(texts)), strict=True))
    same = _same_numbers(texts)
    groups = _similar_levels([text for text in texts if text not in same], counts)
    if same:
        problems.decide(name, f"{', '.join(map(quoted, same))} read as whole numbers")
    if groups:
        listed = "; ".join(
            " and ".join(f"{quoted(t)} ({counts[t]})" for t in group) for group in groups
        )
        ways = ("same_levels", "other_levels")
        problems.ask(
            "levels",
            f"levels are written alike: {listed}",
            f"say {option_text(ways[0], name)} where they are one, or {option_text(ways[1], name)}",
            name,
            answer=next(
                (option_text(way, name) for way in ways if name in getattr(answers, way)), ""
            ),
            decided="; ".join(" and ".join(map(quoted, group)) for group in groups)
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


def _similar_levels(texts: Sequence[str], counts: dict[str, int]) -> list[list[str]]:
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
        sorted(group, key=lambda t: (len(t) <= SHORT, -counts[t], t))
        for group in forms.values()
        if len(group) > 1
    ]


# --------------------------------------------------------------------- what knows the outcome


def leaks_outcome(
    values: np.ndarray, time: np.ndarray, event: np.ndarray, is_time: bool = False
) -> str:
    """Why an input may not have been known at inclusion; empty where nothing speaks for it."""
    # values: NaN where missing; of a category its codes. time: Follow-up in days. is_time: whether
    # its name is that of a time.
    had = event == 1
    observed = ~np.isnan(values)
    if observed.sum() < 2 * FEWEST or not had[observed].sum() >= FEWEST:
        return ""
    cramer = cramer_v(observed.astype(float), had)
    if min(observed.sum(), (~observed).sum()) >= FEWEST and is_significant(
        cramer, len(had), DECIDES
    ):
        return f"whether it is empty nearly tells who had the event (association {cramer:.2f})"
    values, time, had = values[observed], time[observed], had[observed]
    few = len(np.unique(values)) < MANY
    if few and is_significant(strength := cramer_v(values, had), len(had), DECIDES):
        return f"it nearly tells who had the event (association {strength:.2f})"
    if reason := _like_time(values, time, few, is_time):
        return reason
    area = 0.5 if few else roc_area(values, had)
    if max(area, 1.0 - area) >= SEPARATES:
        return f"it nearly tells who had the event (area under the curve {max(area, 1 - area):.2f})"
    return ""


def _like_time(values: np.ndarray, time: np.ndarray, few: bool, is_time: bool) -> str:
    from scipy.stats import spearmanr

    if len(np.unique(time)) < MANY or len(np.unique(values)) < 2:
        return ""
    together = float(spearmanr(values, time).statistic)
    goes = f"(rank correlation {together:.2f})"
    for unit, days in DAYS.items() if not few else ():
        based = values * days
        equal = float((np.abs(based - time) <= 1e-6 * time).mean())
        if equal >= EQUALS:
            return f"it equals the follow-up in {100 * equal:.0f} % of the patients, in {unit}"
    if is_significant(together, len(time), GOES_WITH):
        return f"it goes with the follow-up {goes}"
    ordered = np.sort(time)
    for unit, days in DAYS.items() if not few else ():
        based = values * days
        # In how many patients it would be, did neither know of the other.
        above = np.searchsorted(ordered, based, "left").sum() / len(time)
        below = len(time) - np.searchsorted(ordered, based, "right").sum() / len(time)
        for count, chance, word in (
            ((based > time).sum(), above, "above"),
            ((based < time).sum(), below, "below"),
        ):
            least = FEW_CHANCE if together >= TOGETHER else CHANCE
            if is_time and word == "above":
                least = NAMED_CHANCE
            if chance >= least and count <= HARDLY * chance:
                return (
                    f"it is {'hardly ever' if count else 'never'} {word} the follow-up, in {unit}, "
                    f"as {chance:.0f} of {len(time)} patients would be by chance"
                )
    return ""


def is_significant(strength: float, n: int, bound: float) -> bool:
    """Whether an association or correlation of n patients lies above a bound (Fisher's z)."""
    z = math.atanh(min(abs(strength), 1.0 - 1e-12))
    return math.tanh(z - SURELY / math.sqrt(max(n - 3, 1))) >= bound


def cramer_v(values: np.ndarray, had: np.ndarray) -> float:
    """Cramer's V of a few levels and an event, levels of few patients left out."""
    from scipy.stats.contingency import association, crosstab

    table = crosstab(values, had).count
    table = table[table.sum(axis=1) >= FEWEST]
    if len(table) < 2 or table.shape[1] < 2 or (table.sum(axis=0) == 0).any():
        return 0.0
    return float(association(table, method="cramer"))


def roc_area(values: np.ndarray, had: np.ndarray) -> float:
    """Area under the curve of a number and an event."""
    from scipy.stats import rankdata

    n, events = len(had), int(had.sum())
    if events in (0, n):
        return 0.5
    ranks = float(rankdata(values)[had].sum())
    return (ranks - events * (events + 1) / 2.0) / (events * (n - events))
