"""The judge of every claim: specifications from config/claims.yaml, results as tidy frames.

A claim is a list of measures, each a quantity of some rows (with a test, where one is asked for),
and the bounds between its verdicts. The engine knows no experiment: it selects, subtracts, tests
and compares. Truth has three values, for a bound may be out of the data's reach: a cell that was
not measured could hold or not, and a p-value that so few data sets can never fall below a bound
says nothing about it. What could still decide is named in `lacking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data.seeds import rng
from hedgerow.showing.numbers import in_form, minus, number, p_words
from hedgerow_study.reporting.claim_specification import (
    FORMER,
    NOT,
    NOT_TESTABLE,
    PARTLY,
    REPRODUCED,
    TOO_LITTLE,
    Above,
    Along,
    Claim,
    Comparison,
    Condition,
    Difference,
    OfRows,
    Placeholder,
    Quantity,
    Several,
    is_bound,
    of_experiment,
    refused,
    suggestion,
)
from hedgerow_study.reporting.measures import (
    EXACT,
    OF_MEASURES,
    OF_ROWS,
    RELATIONS,
    Measured,
    Pair,
    Table,
    as_list,
    cells_of,
    chosen,
    unmeasured,
)

LEADING = ["estimate", "low", "high", "interval_of"]
COLUMNS = ["claim", "verdict", "measured", "lacking", "n_datasets", *LEADING]
HANGS_ON = ["hangs_on", "n_left_out"]
RESAMPLES = 9_999  # with the sample itself 10,000: the bounds are the 250th from either end
NOTHING = "no data set of this run can speak to it"
#: Attributes that are no size of anything.
NO_SIZE = ("p", "least", "n")
#: Attributes that count data sets: so many cannot be reached by fewer.
COUNTS = ("wins", "losses", "differ")
COLUMN_WORDS = {
    "dataset": ("data set", "data sets"),
    "noise": ("noise factor", "noise factors"),
    "method": ("method", "methods"),
    "repeat": ("repeat", "repeats"),
    "seed": ("seed", "seeds"),
}

# ------------------------------------------------------------------------------------ one claim


class _Judge:
    """One claim and the frames that it is judged on."""

    def __init__(self, claim: Claim, tables: Mapping[str, Table], labels: Mapping[str, str]):
        self.claim, self.tables, self.labels = claim, tables, labels
        self.reasons: dict[str, None] = {}  # a set that keeps its order
        self._noted: dict[str, None] = {}
        self.by_measure: dict[str, Measured] = {}
        # Measures of other measures come after those of rows.
        for name, measure in sorted(
            claim.measures.items(), key=lambda m: type(m[1]) in OF_MEASURES
        ):
            if type(measure) in OF_MEASURES:
                self.by_measure[name] = OF_MEASURES[type(measure)](measure, self.by_measure)
            else:
                self.by_measure[name] = self._of_rows(name, measure)

    def _of_rows(self, name: str, measure: OfRows) -> Measured:
        """What is found of a measure of rows, and why cells are missing."""
        table, place = self.tables.get(measure.of), f"{self.claim.name}.{name}"
        if table is None:
            reason = measure.lacking or f"no `{measure.of}`"
            return unmeasured(measure, cells_of(measure, None), reason)
        frame = table.frame
        also = [*getattr(measure, "minus", ()), *getattr(measure, "above", ())]
        also += getattr(measure, "read", {}).values()
        for column in (*measure.where, *measure.by, *also):
            if column not in frame.columns:
                raise refused(
                    f"unknown column `{column}` of `{measure.of}` in `{place}`",
                    suggestion(column, frame.columns),
                )
        if not cells_of(measure, table):
            return unmeasured(measure, [], self._unsaid(measure, frame) or NOTHING)
        measured = OF_ROWS[type(measure)](measure, table, place)
        values = measured.values["mean" if "mean" in measure.numbers else measure.attributes[0]]
        measured.lacking = self._missing(measure, values, frame)
        return measured

    def _missing(self, measure: OfRows, values: pd.Series, frame: pd.DataFrame) -> str:
        """Why cells are missing: values of columns that no row has, else the cells by name."""
        missing = values[values.isna()].index
        if not len(missing):
            return ""
        if reason := self._unsaid(measure, frame):
            return reason
        if len(missing) == len(values):
            return NOTHING
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        return f"no value for {'; '.join(map(self.name, missing[:4]))}{more}"

    def _unsaid(self, measure: OfRows, frame: pd.DataFrame) -> str:
        """Why rows are not there, as far as the frame tells: what was not run, else `lacking`.

        What `lacking` says is about data, so that it is not said where nothing was run.
        """
        if frame.empty:
            return NOTHING
        wanted = {column: as_list(value) for column, value in measure.where.items()}
        for name in ("minus", "above"):
            for column, value in getattr(measure, name, {}).items():
                inner = value.values() if isinstance(value, Mapping) else as_list(value)
                wanted[column] = [*wanted.get(column, []), *inner]
        gone = []
        for column, values in wanted.items():
            unasked = measure.lacking and column != "method"
            if unasked or is_bound(measure.where.get(column)) or column not in frame:
                continue
            present = set(frame[column])
            lost = [v for v in dict.fromkeys(values) if v not in present and v != ""]
            if lost:
                words = COLUMN_WORDS.get(column, (column.replace("_", " "),) * 2)
                gone.append(f"{words[len(lost) > 1]} {', '.join(map(self.label, lost))}")
        return f"not in this run: {'; '.join(gone)}" if gone else measure.lacking

    def label(self, value: Any) -> str:
        """What texts call a value."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f"{value:g}"
        return self.labels.get(value, str(value))

    def called(self, value: Any) -> str:
        """What a value is called; its key, where texts leave it out."""
        return self.label(value) or str(value)

    def name(self, cell: tuple) -> str:
        """What texts call a cell."""
        return " ".join(filter(None, map(self.label, cell)))

    # What conditions say ----------------------------------------------------------------------

    def value(self, quantity: Quantity) -> pd.Series:
        """Numbers of a quantity, by cell."""
        return chosen(self.by_measure[quantity.measure].values[quantity.attribute], quantity)

    def _truth(self, comparison: Comparison, reach: bool) -> pd.Series:
        """1, 0, or NaN where the data cannot say, by cell."""
        parts = [self._compared(q, comparison, reach) for q in comparison.left]
        if len(parts) == 1:
            return parts[0]
        return pd.concat([p.set_axis([(i, *c) for c in p.index]) for i, p in enumerate(parts)])

    def _compared(self, quantity: Quantity, comparison: Comparison, reach: bool) -> pd.Series:
        left, bound = self.value(quantity), comparison.right
        measured, relation = self.by_measure[quantity.measure], RELATIONS[comparison.relation]
        unknown = left.isna().to_numpy()
        if isinstance(bound, Quantity):
            other = self.value(bound)
            if len(other) == 1 and len(left) != 1:
                other = pd.Series(other.iloc[0], index=left.index)
            if len(other) != len(left):
                raise refused(
                    f"`{self.claim.name}` compares {len(left)} cells of `{quantity.measure}` with "
                    f"{len(other)} of `{bound.measure}`",
                    "list the same values in both",
                )
            unknown = unknown | other.isna().to_numpy()
            if other.isna().any():
                self._lack(self.by_measure[bound.measure].lacking)
            bound = other.round(EXACT).to_numpy()  # as the left side: equal is not larger
        if left.isna().any():
            self._lack(measured.lacking or self._untested(quantity, left))
        truth = relation(left.round(EXACT) if quantity.attribute != "p" else left, bound)
        truth = truth.astype(float)
        truth[unknown] = np.nan
        if reach and not isinstance(comparison.right, Quantity):
            beyond, n, what = self._beyond(quantity, comparison)
            beyond = beyond & ~unknown
            if beyond.any():
                truth[beyond] = np.nan
                self._lack(f"{what} cannot be reached by {_sets(int(n[beyond].max()))}")
        return truth

    def _beyond(self, quantity: Quantity, comparison: Comparison) -> tuple:
        """Cells whose data sets are too few for a bound, their numbers, and what is out of reach.

        So few data sets have no p below the bound, or not so many wins, whatever they show.
        """
        measured, bound = self.by_measure[quantity.measure], comparison.right
        if quantity.attribute == "p" and measured.least is not None:
            beyond = (chosen(measured.least, quantity) >= bound).to_numpy()
            return beyond, chosen(measured.n, quantity), f"p < {bound:g}"
        more = comparison.relation in (">", ">=")
        if quantity.attribute in COUNTS and more and "n" in measured.values:
            n = chosen(measured.values["n"], quantity)
            beyond = ~RELATIONS[comparison.relation](n, bound).to_numpy()
            return beyond, n, f"{bound:g} {quantity.attribute}"
        return np.False_, None, ""

    def _untested(self, quantity: Quantity, values: pd.Series) -> str:
        """A test that needs more data sets than there are has no p."""
        n = self.by_measure[quantity.measure].n
        if quantity.attribute != "p" or n is None:
            return ""
        return f"no test with {_sets(int(chosen(n, quantity)[values.isna()].max()))}"

    def _lack(self, reason: str) -> None:
        if reason:
            self._noted[reason] = None

    def holds(self, condition: Condition | Several) -> bool | None:
        """Whether a condition holds; None where the data cannot say."""
        if isinstance(condition, Several):
            answers = [self.holds(c) for c in condition.of]
            return _counted(answers.count(True), answers.count(None), condition.least)
        self._noted = {}
        truth = self.cells(condition)
        if self._covers_datasets(condition):
            truth = truth.dropna()
        sure, open_, n = int((truth == 1).sum()), int(truth.isna().sum()), len(truth)
        at = condition.at
        text = f"`{self.claim.name}` has `{condition.text}` on {n} cells"
        if at is None and n != 1:
            raise refused(text, "say at how many: `at all`, `at none`, `at 4` (or more)")
        if n and isinstance(at, int) and at > n:
            raise refused(text, f"write `at {n}` or less")
        if n == 0:
            answer = None  # of no cell nothing is true
        elif at == "none":
            answer = False if sure else None if open_ else True
        else:
            answer = _counted(sure, open_, at if isinstance(at, int) else n)
        if answer is None:
            self.reasons |= self._noted or {NOTHING: None}
        return answer

    def _covers_datasets(self, condition: Condition) -> bool:
        """Whether the cells are the data sets that there are.

        Then one without a value says no more than one that was not run: else a data set could be
        taken away to know more.
        """
        for quantity in _quantities([condition]):
            measure = self.claim.measures[quantity.measure]
            if isinstance(measure, OfRows) and "dataset" in measure.by:
                return not isinstance(measure.where.get("dataset"), (tuple, str))
        return False

    def cells(self, condition: Condition, reach: bool = True) -> pd.Series:
        """Truth of a condition in each cell; with `reach` a p out of reach is not known."""
        joint, *truths = [self._truth(c, reach) for c in condition.comparisons]
        for truth in truths:
            if len(truth) != len(joint):
                raise refused(
                    f"`{self.claim.name}` joins {len(joint)} and {len(truth)} cells in "
                    f"`{condition.text}`",
                    "join comparisons of the same cells, or write two conditions",
                )
            one, two = joint.to_numpy(), truth.to_numpy()
            both = np.where((one == 0) | (two == 0), 0.0, np.minimum(one, two))
            joint = pd.Series(both, index=joint.index)
        return joint

    # What is said -----------------------------------------------------------------------------

    def judged(self) -> dict:
        """The line of this claim."""
        verdict, lacking = self.verdict()
        line = {"claim": self.claim.name, "verdict": verdict, "measured": self.measured()}
        return line | {"lacking": lacking, "n_datasets": self.n_datasets, **self.leading()}

    def verdict(self) -> tuple[str, str]:
        """The verdict and, of an inconclusive one, what is lacking."""
        if few := self._too_few():
            return TOO_LITTLE, few
        self.reasons = {}
        whole = _all(self.holds(c) for c in self.claim.reproduced)
        reasons, self.reasons = self.reasons, {}
        part = _all(self.holds(c) for c in self.claim.partly) if self.claim.partly else False
        if whole is None:
            return TOO_LITTLE, ("partly at least; " if part else "") + "; ".join(reasons)
        if not whole and part is None:
            return TOO_LITTLE, "; ".join(self.reasons)
        return REPRODUCED if whole else PARTLY if part else NOT, ""

    def _too_few(self) -> str:
        """What there is too little of for any verdict, or nothing."""
        n = self.n_datasets
        if 0 < n < self.claim.fewest:
            return f"{_sets(n)} of {self.claim.fewest} or more"
        for words, quantity, least in self.claim.counted:
            values = self.value(quantity).dropna()
            lacking = self.by_measure[quantity.measure].lacking
            if values.empty:
                return lacking or NOTHING
            if values.sum() == 0 and lacking:
                return lacking
            if values.sum() < least:
                named = ", ".join(filter(None, map(self.name, _keys(values[values > 0]))))
                named = "" if quantity.cells else named  # the words say which cells are meant
                available = f"{values.sum():g} ({named})" if named else f"{values.sum():g}"
                return f"{words}: {available}, {least} or more are needed"
        return ""

    # The number that it is about ---------------------------------------------------------------

    def leading(self) -> dict[str, Any]:
        """Size of what the first condition is about, with an interval of 95 % over its units.

        The first measure of the conditions of `reproduced` that has a size: the mean difference,
        or what another step has read; of a trend, its last level less its first.
        """
        for quantity in _quantities(self.claim.reproduced):
            sizes, of = self._sizes(quantity)
            if sizes.empty or sizes.isna().all():
                continue
            name = sizes.index.name
            by_unit = sizes.groupby(level=0).mean() if name else sizes
            low, high, n = np.nan, np.nan, len(by_unit) if name else 1
            if n > 1:
                low, high = _interval(by_unit.to_numpy(), self.claim)
                units = COLUMN_WORDS.get(name, (name, f"values of {name.replace('_', ' ')}"))[1]
                of += f": mean over {n} {units}"
            of += _shared(len(sizes), n)
            estimate = round(float(by_unit.mean()), EXACT) + 0.0
            return dict(zip(LEADING, (estimate, low, high, of), strict=True))
        return dict(zip(LEADING, (np.nan, np.nan, np.nan, ""), strict=True))

    def _sizes(self, quantity: Quantity) -> tuple[pd.Series, str]:
        """Sizes of a measure in the cells of a quantity, by unit where there are several."""
        measure, measured = self.claim.measures[quantity.measure], self.by_measure[quantity.measure]
        nothing = pd.Series(dtype=float), ""
        if not measure.has_size:
            return nothing
        metric = measure.where.get("metric", "")
        if str(metric).startswith("p_"):
            return nothing
        words = self._about(measure)
        if isinstance(metric, tuple) and "metric" in measure.by:
            # A mean of several metrics is of nothing: the first one stands for them.
            words = [self.label(metric[0]), *words]
            cells = (*quantity.cells, ("metric", str(metric[0])))
            quantity = replace(quantity, cells=cells)
        words = ", ".join(filter(None, words))
        of = f"{quantity.measure} ({words})" if words else quantity.measure
        if measured.pairs:
            means = chosen(measured.values["mean"], quantity)
            return _of_pairs(measure, {c: measured.pairs[c] for c in _keys(means)}), of
        # What is not a difference of pairs, or was read, has a number per cell.
        attribute = next((a for a in measured.values if a not in NO_SIZE), None)
        if attribute is None:
            return nothing
        values = chosen(measured.values[attribute], quantity).dropna()
        if "dataset" in values.index.names:
            return values.set_axis(values.index.get_level_values("dataset")), of
        return values.set_axis(range(len(values))), of

    def _about(self, measure: OfRows) -> list[str]:
        """What a measure selects and subtracts, in words."""
        minus = getattr(measure, "minus", {})
        words = [
            f"{column} {value}" if is_bound(value) else self.called(value)
            for column, value in measure.where.items()
            if column not in minus and not isinstance(value, tuple)
        ]
        for column, value in minus.items():
            first = measure.where.get(column, f"each {column}")
            sides = [first, "its partner" if isinstance(value, Mapping) else value]
            texts = [" or ".join(map(self.called, as_list(side))) for side in sides]
            words.append(" less ".join(filter(None, texts)))
        if isinstance(measure, Along):
            first, *_, last = map(self.label, measure.listed[measure.along])
            words.append(f"{measure.along.replace('_', ' ')} {last} less {first}")
        return [*words, "less the best of the others"] if isinstance(measure, Above) else words

    @property
    def n_datasets(self) -> int:
        """Data sets that any measure has read."""
        datasets = set().union(*(f.datasets for f in self.by_measure.values()))
        return max(len(datasets), *(f.n_read for f in self.by_measure.values()))

    def measured(self) -> str:
        """The text of the numbers; parts without any are left out."""
        parts = []
        for part in self.claim.measured:
            pieces = [p if isinstance(p, str) else self._placeholder_text(p) for p in part]
            if all(p is not None for p in pieces):
                parts.append("".join(pieces))
        return "; ".join(parts)

    def _placeholder_text(self, placeholder: Placeholder) -> str | None:
        """Text of a placeholder; None where there is nothing to say."""
        if placeholder.kind == "which":
            return self._which(placeholder)
        if placeholder.kind == "count":
            truth = self.cells(placeholder.condition, reach=False)
            return None if truth.isna().all() else str(int((truth == 1).sum()))
        quantity = placeholder.quantities[0]
        values = pd.concat([self.value(q) for q in placeholder.quantities]).dropna()
        if values.empty:
            return None
        if placeholder.kind == "cells":
            return str(len(values))
        if placeholder.kind == "ranks":
            ordered = values.sort_values(kind="stable").items()
            return ", ".join(f"{self.label(k)} {v:.2f}" for k, v in ordered)
        style = placeholder.format or _STYLES.get(quantity.attribute, "+.2f")
        texts = [_written(v, style) for v in values]
        if placeholder.kind == "each":
            return ", ".join(texts)
        low, high = (texts[int(f(values.to_numpy()))] for f in (np.argmin, np.argmax))
        return low if low == high else f"{low} to {high}"

    def _which(self, placeholder: Placeholder) -> str | None:
        """Names of the cells in which a condition holds, each with its numbers."""
        truth = self.cells(placeholder.condition, reach=False)
        quantity = placeholder.condition.comparisons[0].left[0]
        measured, index, names = self.by_measure[quantity.measure], self.value(quantity).index, []
        for cell in (index[place] for place in np.flatnonzero((truth == 1).to_numpy())):
            numbers = [measured.values[q.attribute][cell] for q in placeholder.quantities]
            texts = [_written(v, placeholder.format or "+.2f") for v in numbers]
            names.append(self.name(cell) + (f" {' against '.join(texts)}" if texts else ""))
        return ", ".join(names) or None


def _of_pairs(measure: Difference, pairs: Mapping[tuple, Pair]) -> pd.Series:
    """Differences by unit: data sets, else whatever tells pairs apart, such as repeats."""
    lines = {
        (cell, key): difference
        for cell, pair in pairs.items()
        for key, difference in zip(pair.keys, pair.difference, strict=True)
    }
    if isinstance(measure, Along):
        lines = _from_end_to_end(measure, lines)
    names = next((pair.names for pair in pairs.values()), [])
    if "dataset" in measure.by:
        place = measure.by.index("dataset")
        units, name = [cell[place] for cell, _ in lines], "dataset"
    elif "dataset" in names:
        units, name = [key[names.index("dataset")] for _, key in lines], "dataset"
    else:
        units, name = [str(key) for _, key in lines], ", ".join(names)
    values = pd.Series(list(lines.values()), index=pd.Index(units), dtype=float)
    return values.rename_axis(name or None)


def _from_end_to_end(measure: Along, lines: Mapping[tuple, float]) -> dict[tuple, float]:
    """The last level less the first, by cell and key of the pair."""
    place, levels = measure.by.index(measure.along), measure.listed[measure.along]
    changes = {}
    for (cell, key), value in lines.items():
        first = ((*cell[:place], levels[0], *cell[place + 1 :]), key)
        if cell[place] == levels[-1] and first in lines:
            changes[cell, key] = value - lines[first]
    return changes


def _counted(sure: int, open_: int, least: int) -> bool | None:
    return True if sure >= least else False if sure + open_ < least else None


def _quantities(conditions: Iterable[Condition | Several]) -> Iterable[Quantity]:
    """All that conditions ask about, in their order."""
    for condition in conditions:
        if isinstance(condition, Several):
            yield from _quantities(condition.of)
        else:
            for comparison in condition.comparisons:
                yield from comparison.left


def _keys(values: pd.Series) -> list[tuple]:
    """Cells of a series as pairs are named by."""
    return [() if values.index.names == ["all"] else tuple(cell) for cell in values.index]


def _interval(values: np.ndarray, claim: Claim) -> tuple[float, float]:
    """95 % interval of a mean, bias-corrected and accelerated; the seed is named by the claim."""
    from scipy import stats

    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    drawn = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        method="BCa",
        rng=rng(0, "claims", claim.name, None, "bootstrap"),
    )
    return tuple(round(float(end), EXACT) + 0.0 for end in drawn.confidence_interval)


def _shared(n_sizes: int, n_units: int) -> str:
    """How many cells a mean is over, where there are more than one."""
    cells = n_sizes / n_units
    if cells == 1:
        return ""
    if n_units == 1:
        return f": mean of {n_sizes} cells"
    return f", each of {cells:.0f} cells" if cells == int(cells) else f", {n_sizes} values in all"


def _all(answers: Iterable[bool | None]) -> bool | None:
    answers = list(answers)
    return False if False in answers else None if None in answers else True


def _sets(n: int) -> str:
    return f"{n} data set{'' if n == 1 else 's'}"


_STYLES = {"ratio": ".1f", "share": ".0%", "spearman": ".2f", "value": ".1f", "statistic": ".2f"}
_STYLES |= dict.fromkeys(("wins", "losses", "n", "differ"), "d") | {"p": "p"}


def _written(value: float, style: str) -> str:
    """A number as text, with a minus as wide as a plus; no sign at 0."""
    if style == "p":
        return p_words(value)
    if style == "d":
        return number(value)
    text = f"{value:{style}}"
    return minus(text[1:] if re.fullmatch(r"[-+]0\.?0*%?", text) else text)


# ---------------------------------------------------------------------------------- judgement


def judge(
    claims: Mapping[str, Claim],
    frames: Mapping[str, pd.DataFrame],
    labels: Mapping[str, str] | None = None,
    printed: bool = False,
) -> pd.DataFrame:
    """Judge claims on frames.

    frames: A frame of values has a column `value` and columns that tell rows apart; pairs are
        formed over those that a measure does not fix, such as `dataset`. A frame of results
        (`read`) has a row per cell. A frame that is not there leaves what reads it unknown.

    Returns: claim, verdict (a key of `VERDICTS`), measured (the numbers that it rests on, in
        words), lacking (what is lacking, or why it cannot be tested; empty with any other verdict)
        and n_datasets; then estimate, low and high, the size of what its first condition is about
        with an interval of 95 % over data sets (over repeats where it rests on one; NaN where it
        has less than two, or another step has worked it out), and interval_of, what that is. In the
        order of the claims.
    """
    tables = _tables(frames)
    lines = []
    for claim in claims.values():
        claim = claim.printed or claim if printed else claim
        if claim.not_testable:
            line = {"claim": claim.name, "verdict": NOT_TESTABLE, "measured": ""}
            line |= {"lacking": claim.not_testable, "n_datasets": 0, "interval_of": ""}
            lines.append(line)
        else:
            lines.append(_Judge(claim, tables, labels or {}).judged())
    numbers = dict.fromkeys(LEADING[:3], float)
    return pd.DataFrame(lines, columns=COLUMNS).astype({"n_datasets": int, **numbers})


def _tables(frames: Mapping[str, pd.DataFrame]) -> dict[str, Table]:
    return {name: Table(frame) for name, frame in frames.items() if frame is not None}


#: Columns of tracked results that were made under other names, by those of today.
FORMER_COLUMNS = {
    "reading": "analysis",
    "n_readings": "n_analyses",
    "first_split": "first_repeat",
    "n_forests": "n_repeats",
    "n_splits": "n_repeats",
}
#: Values and columns of tracked results that were made under other names, by those of today.
FORMER_WORDS = {
    "c45_told": "c45_given",
    "doubt_tree": "uncertain_data_tree",
    "doubtful_classes": "uncertain_labels",
    "doubtful_classes_untold": "uncertain_labels_withheld",
    "foretold": "expected_changes",
    "missing_for_a_reason": "missing_not_at_random",
    "optimal_told": "optimal_given",
}


def from_reference(frame: pd.DataFrame) -> pd.DataFrame:
    """Tracked claims: texts in the form of today, columns and verdicts by the names of today."""
    verdicts = [column for column in frame if column.startswith(("verdict", "hangs_on"))]
    texts = [column for column in frame if column.startswith(("measured", "lacking"))]
    frame = frame.rename(columns=FORMER_COLUMNS | FORMER_WORDS).replace(FORMER_WORDS)
    return frame.assign(
        **{c: frame[c].replace(FORMER, regex=True) for c in verdicts},
        **{c: frame[c].map(in_form, na_action="ignore") for c in texts},
    )


def verdict_of(claim: Claim, frames: Mapping[str, pd.DataFrame]) -> tuple[str, str]:
    """The verdict of one claim alone, and what is lacking: as `judge`, without its numbers."""
    return _Judge(claim, _tables(frames), {}).verdict()


def without(frames: Mapping[str, pd.DataFrame], dataset: str) -> dict[str, pd.DataFrame]:
    """Frames without the rows of one data set.

    This is no way to reduce a frame of results over data sets: compute it again from rows.
    """
    return {name: frame[frame["dataset"] != dataset] for name, frame in frames.items()}


def hanging(
    judged: pd.DataFrame,
    claims: Mapping[str, Claim],
    datasets: Iterable[str],
    frames_without: Callable[[str], Mapping[str, pd.DataFrame]],
) -> pd.DataFrame:
    """Each verdict again without each data set in turn.

    The least number of data sets that a rule asks for is not asked of the others: where as many
    were run, each verdict would be inconclusive.

    Returns: with the columns hangs_on (data sets without which the verdict is another, each with
        that verdict: ``heart_valve: inconclusive; lung: partly``) and n_left_out (how many were
        left out in turn; 0 of a claim that rests on one data set, or none).
    """
    datasets = sorted(datasets)
    verdicts = judged.set_index("claim")["verdict"]
    resting = judged.loc[judged["n_datasets"] > 1, "claim"].tolist()
    rules = {
        name: claims[name] if verdicts[name] == TOO_LITTLE else replace(claims[name], fewest=1)
        for name in resting
    }
    others: dict[str, list[str]] = {name: [] for name in resting}
    for dataset in datasets if resting else ():
        tables = _tables(frames_without(dataset))
        for name in resting:
            verdict, _ = _Judge(rules[name], tables, {}).verdict()
            if verdict != verdicts[name]:
                others[name].append(f"{dataset}: {verdict}")
    return judged.assign(
        hangs_on=["; ".join(others.get(name, ())) for name in judged["claim"]],
        n_left_out=[len(datasets) * (name in others) for name in judged["claim"]],
    )


def with_statements(
    judged: pd.DataFrame, claims: Mapping[str, Claim], published: pd.DataFrame
) -> pd.DataFrame:
    """Verdicts beside what is claimed.

    Returns: with the columns statement and published_value (empty for questions of our own).
    """
    papers = published.fillna("").set_index("claim_id")
    for name, claim in claims.items():
        if not claim.statement and name not in papers.index:
            raise refused(
                f"`{name}` is no claim of data/published/claims.csv", suggestion(name, papers.index)
            )
    our_statements = {name: claim.statement for name, claim in claims.items() if claim.statement}
    return judged.assign(
        statement=[
            our_statements[c] if c in our_statements else papers.loc[c, "statement"]
            for c in judged["claim"]
        ],
        published_value=[
            "" if c in our_statements else papers.loc[c, "published_value"] for c in judged["claim"]
        ],
    )


def judged(
    experiment: str,
    frames: Mapping[str, pd.DataFrame],
    specification: Mapping[str, Any],
    published: pd.DataFrame,
    datasets: Iterable[str],
    frames_without: Callable[[str], Mapping[str, pd.DataFrame]],
    labels: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The claims of an experiment, judged, with their statements and what their verdicts hang on.

    Returns: as returned by `judge`, with the columns of `hanging` and `with_statements`.
    """
    bound = of_experiment(specification, experiment)
    verdicts = hanging(judge(bound, frames, labels), bound, datasets, frames_without)
    return with_statements(verdicts, bound, published)
