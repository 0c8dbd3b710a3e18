"""Risk groups as another hospital reads them: `tree.json`, which holds no patient.

The file is closed: a key that nobody knows, a value of another kind, or a part that does not fit
the tree is refused in one sentence. Nothing in it is called.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hedgerow.errors import DataError, InputError
from hedgerow.files import read_text
from hedgerow.schema import Word, read, setting
from hedgerow.survival.estimates import Steps, ran_out
from hedgerow.survival.follow_up import MIN_FOLLOWED
from hedgerow.survival.labels import entry_of
from hedgerow.survival.leaves import leaf_numbers
from hedgerow.texts import with_unit
from hedgerow.tree import Tree
from hedgerow_clinic.analysis import Analysis
from hedgerow_clinic.cohort import Outcome
from hedgerow_clinic.disclosure import small
from hedgerow_clinic.intervals import merge_intervals
from hedgerow_clinic.risks import too_few
from hedgerow_clinic.schema import Column
from hedgerow_clinic.table_format import Table
from hedgerow_clinic.tables import rules

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

FORMAT, VERSION = "hedgerow risk model", 1
FILE = "tree.json"
#: Times at which a curve is stored, up to the horizon.
POINTS = 20
MISSING = (
    "A patient whose value is missing at a test goes down both branches, by the shares of the "
    "patients whom the tree was grown from; the group is the one that gets the largest share."
)
_TEXT, _COUNT = r"[\s\S]{0,2000}", r"<\d+|withheld"
_PLAIN_NUMBER = "hedgerow-tree"


@dataclass(frozen=True)
class Source:
    """What a model was made from.

    Attributes
    ----------
    version : str
        Of hedgerow.
    file, sha256, title : str
        Name and checksum of the table, and what its page is called.
    """

    version: str
    file: str = setting(pattern=_TEXT)
    sha256: str = setting(pattern="[0-9a-f]{64}")
    title: str = setting(pattern=_TEXT)


@dataclass(frozen=True)
class Point:
    """Share with the event by a time; of competing causes the incidence."""

    time: float = setting(minimum=0)
    share: float = setting(minimum=0, maximum=1)


@dataclass(frozen=True)
class Group:
    """A leaf of the tree.

    Attributes
    ----------
    number, node : int
        As on the page; in the arrays of the tree.
    rule : str
        Its tests in words.
    n, events : int or str
        As the page shows them.
    risk, low, high : float or None
        Of the event by the horizon, with its interval. None where too few could be followed so
        long: then nothing can be said.
    few : bool
        Whether few patients or events would show through: then the risk is rough (`rough_risk`),
        without an interval.
    curve : tuple of Point
        So far that no point, and no difference of two, tells of few events.
    """

    number: int = setting(minimum=1)
    node: int = setting(minimum=0)
    rule: str = setting(pattern=_TEXT)
    n: int | str = setting(minimum=0, pattern=_COUNT)
    events: int | str = setting(minimum=0, pattern=_COUNT)
    risk: float | None = setting(minimum=0, maximum=1)
    low: float | None = setting(None, minimum=0, maximum=1)
    high: float | None = setting(None, minimum=0, maximum=1)
    few: bool = False
    curve: tuple[Point, ...] = setting((), fewest=0)


@dataclass(frozen=True)
class Level:
    """A category, and its share of the patients in whom it is known; None where it is withheld."""

    level: Word = setting(pattern=_TEXT)
    share: float | None = setting(None, minimum=0, maximum=1)


@dataclass(frozen=True)
class Input:
    """A column that the tree may test.

    Attributes
    ----------
    name, label, unit : str
    kind : {'number', 'category'}
    tested : bool
        Whether a table needs it.
    allowed_low, allowed_high : float, optional
        What can be right, by the schema.
    seen_low, seen_high : float, optional
        Where all patients but a few lay.
    decimal : {'comma', 'point'}, optional
        The mark of the first hospital's table; that of another table is found from it.
    levels : tuple of Level
        Of a category, in the order of the tree's codes.
    missing_words : tuple of str
        In lower case.
    missing : int or str
        Patients without a value, as the page shows them.
    median, quarter, three_quarters, mean, sd : float, optional
        Of a number.
    """

    name: Word = setting(pattern=_TEXT)
    label: str = setting(pattern=_TEXT)
    unit: str = setting(pattern=_TEXT)
    kind: str = setting(written=Literal["number", "category"])
    tested: bool = True
    allowed_low: float | None = None
    allowed_high: float | None = None
    seen_low: float | None = None
    seen_high: float | None = None
    decimal: str | None = setting(None, written=Literal["comma", "point"] | None)
    levels: tuple[Level, ...] = setting((), fewest=0)
    missing_words: tuple[Word, ...] = setting((), fewest=0, pattern=_TEXT)
    missing: int | str = setting(0, minimum=0, pattern=_COUNT)
    median: float | None = None
    quarter: float | None = None
    three_quarters: float | None = None
    mean: float | None = None
    sd: float | None = setting(None, minimum=0)


@dataclass(frozen=True)
class Meaning:
    """What a word of the first hospital's columns of events was taken for."""

    column: Word = setting(pattern=_TEXT)
    word: str = setting(pattern=_TEXT)
    taken_for: str = setting(pattern=_TEXT)


@dataclass(frozen=True)
class RiskModel:
    """Groups, their risks, and what a table has to hold so that its patients can be placed.

    Attributes
    ----------
    tree : Tree
        Weights are changed where they would show a small count.
    horizon : float
    unit : str
        Of the horizon and of all times.
    has_competing_risks : bool
        Whether causes compete: risks are incidences then.
    outcome : str
        The column of the event, and the cause that counts.
    words : tuple of Meaning
    ends_at_intervention : bool
        Whether an intervention ended the follow-up.
    groups : tuple of Group
        In the order of their numbers.
    inputs : tuple of Input
        In the order of the tree's variables.
    missing : str
        What a value that is missing does.
    least : int
        Counts from 1 to below it are withheld.
    n : int or str
        Patients.
    made_from : Source
    recalibrated_from : Source, optional
        Whose patients the risks are of, where they are not those of `made_from`.
    entry : str
        The column of the times at which patients came under observation; empty, and not in the
        file, where all count from the start.
    min_followed : float
        Share of a group that could be followed to the horizon, from which on it has a risk; in the
        file where it is not 0.2.
    finds : bool
        Whether new patients differ by the groups; in the file where they do not.
    format, version
    """

    tree: Tree = setting(written=Any)
    horizon: float = setting(exclusive_minimum=0)
    unit: str = setting(written=Literal["days", "weeks", "months", "years"])
    has_competing_risks: bool
    outcome: str = setting(pattern=_TEXT)
    words: tuple[Meaning, ...] = setting(fewest=0)
    ends_at_intervention: bool
    groups: tuple[Group, ...]
    inputs: tuple[Input, ...]
    missing: str
    least: int = setting(minimum=0)
    n: int | str = setting(minimum=1, pattern=_COUNT)
    made_from: Source
    recalibrated_from: Source | None = None
    entry: str = setting("", pattern=_TEXT)
    min_followed: float = setting(MIN_FOLLOWED, minimum=0, maximum=1)
    finds: bool = True
    format: str = setting(FORMAT, written=Literal[FORMAT])
    version: int = setting(VERSION, written=Literal[VERSION])

    def __post_init__(self):
        if not isinstance(self.tree, Tree):
            object.__setattr__(self, "tree", Tree.from_json(json.dumps(self.tree)))
        _check(self)

    # -- what others ask ----------------------------------------------------------------

    @property
    def tested(self) -> list[Input]:
        """The inputs that a table has to have."""
        return [variable for variable in self.inputs if variable.tested]

    @property
    def horizon_text(self) -> str:
        """The horizon with its unit."""
        return with_unit(self.horizon, self.unit)

    @property
    def unsaid(self) -> str:
        """Why a group has no risk, in words."""
        return (
            f"nothing can be said at {self.horizon_text}, because "
            f"{too_few(self.min_followed)} of its patients could be followed so long"
        )

    @property
    def by_node(self) -> dict[int, Group]:
        """Groups by the node of their leaf."""
        return {group.node: group for group in self.groups}

    @property
    def digest(self) -> str:
        """SHA-256 of the tests of the tree, without weights: equal for equal groups."""
        form = json.loads(self.tree.to_json())
        for name in ("class_weight", "statistics", "version"):
            form.pop(name)
        text = json.dumps([form, self.horizon, self.unit], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def columns(self) -> dict[str, Column]:
        """The inputs as columns of a table, by name."""
        return {
            variable.name: Column(
                variable.name,
                variable.label,
                variable.unit,
                variable.kind,
                -math.inf if variable.allowed_low is None else variable.allowed_low,
                math.inf if variable.allowed_high is None else variable.allowed_high,
                tuple(level.level for level in variable.levels),
                0.0,
                frozenset(variable.missing_words),
            )
            for variable in self.inputs
        }

    # -- as a file ----------------------------------------------------------------------

    def to_json(self) -> str:
        """The text of `tree.json`."""
        form = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name != "tree"
        }
        plain = {
            key: [dataclasses.asdict(one) for one in value]
            if isinstance(value, tuple)
            else dataclasses.asdict(value)
            if dataclasses.is_dataclass(value)
            else value
            for key, value in form.items()
        }
        head = {"format": plain.pop("format"), "version": plain.pop("version")}
        if not self.entry:
            plain.pop("entry")
        if self.min_followed == MIN_FOLLOWED:
            plain.pop("min_followed")
        if self.finds:
            plain.pop("finds")
        form = {**head, **plain, "tree": json.loads(self.tree.to_json())}
        return json.dumps(form, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = FILE) -> RiskModel:
        """The model that `to_json` wrote, checked whole."""
        content = plain_json(text, name)
        again = "make its folder again with `hedgerow survival`"
        if content.get("format") == _PLAIN_NUMBER or "children_left" in content:
            raise DataError(
                f"{name} holds a tree without risks, as folders had it before", remedy=again
            )
        if content.get("format") != FORMAT:
            raise DataError(
                f"{name} is no risk model", remedy="give a folder of `hedgerow survival`"
            )
        if content.get("version") != VERSION or isinstance(content["version"], bool):
            raise DataError(
                f"{name} has version {content.get('version')!r}, this hedgerow reads {VERSION}",
                remedy=again,
            )
        return read(content, cls, name, DataError)


def plain_json(text: str, name: str) -> dict[str, Any]:
    """A mapping from JSON that holds each key once and no number beyond all bounds."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(mapping := dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice")
        return mapping

    def refused(word: str) -> Any:
        raise ValueError(f"{word} is no number")

    try:
        content = json.loads(text, object_pairs_hook=once, parse_constant=refused)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise DataError(
            f"{name} is no JSON ({reason})", remedy="copy it from its folder again"
        ) from None
    if not isinstance(content, dict):
        raise DataError(f"{name} is no JSON mapping", remedy="copy it from its folder again")
    return content


def read_model(path: str | Path) -> RiskModel:
    """The model in a folder of `hedgerow survival` or `hedgerow validate`, or in a file."""
    path = Path(path)
    file = path / FILE if path.is_dir() else path
    text = read_text(file, "give a folder of `hedgerow survival`, or its tree.json")
    return RiskModel.from_json(text, str(file))


# ------------------------------------------------------------------------------- what has to fit


def _check(model: RiskModel) -> None:
    """Refuse parts that do not fit each other."""
    remedy = "copy it from its folder again"
    tree = model.tree
    numbers = [group.number for group in model.groups]
    nodes = {group.node for group in model.groups}
    if nodes != set(leaf_numbers(tree)) or numbers != list(range(1, len(nodes) + 1)):
        raise InputError("its groups are not the leaves of its tree", remedy=remedy)
    names = [variable.name for variable in model.inputs]
    if tree.feature_names != names or len(set(names)) < len(names):
        raise InputError("its inputs are not the variables of its tree", remedy=remedy)
    used = {int(j) for j in tree.feature if j >= 0}
    for place, variable in enumerate(model.inputs):
        levels = [level.level for level in variable.levels]
        labels = [str(label) for label in tree.categories.get(place, [])]
        if variable.tested != (place in used):
            raise InputError(
                f"input `{variable.name}`: `tested` is {variable.tested}", remedy=remedy
            )
        if (variable.kind == "category") != bool(labels) or levels != labels:
            raise InputError(
                f"input `{variable.name}` has other categories than its tree", remedy=remedy
            )
        bounds = (
            (variable.allowed_low, variable.allowed_high),
            (variable.seen_low, variable.seen_high),
        )
        if any(a is not None and b is not None and a > b for a, b in bounds):
            raise InputError(
                f"input `{variable.name}`: a range ends before it begins", remedy=remedy
            )
    for group in model.groups:
        if group.risk is None:
            if group.low is not None or group.high is not None:
                raise InputError(
                    f"group {group.number}: it has an interval and no risk", remedy=remedy
                )
            continue
        low = group.risk if group.low is None else group.low
        high = group.risk if group.high is None else group.high
        if not low <= group.risk <= high:
            raise InputError(
                f"group {group.number}: its risk is outside its interval", remedy=remedy
            )
    for group in model.groups:
        curve = [(point.time, point.share) for point in group.curve]
        for (t, s), (u, r) in itertools.pairwise(curve):
            if not (t < u and s <= r):
                raise InputError(f"group {group.number}: its curve does not rise", remedy=remedy)
        if curve and curve[-1][0] > model.horizon * (1.0 + 1e-9):
            raise InputError(f"group {group.number}: its curve passes the horizon", remedy=remedy)


# ------------------------------------------------------------------------------- of an analysis


def risk_model(
    analysis: Analysis,
    shown: Mapping[str, Table],
    tree: Tree,
    outcome: Outcome,
    source: Source,
    least: int,
) -> RiskModel:
    """The model of an analysis."""
    cohort = analysis.cohort
    cause = f", cause {outcome.cause!r}" if outcome.cause else ""
    counts = shown["flow"].frame.set_index("about")["count"]
    n = counts["analysed"]
    return RiskModel(
        tree,
        float(cohort.horizon),
        cohort.unit,
        analysis.has_competing_risks,
        f"`{outcome.event}`{cause}",
        tuple(
            Meaning(name, word.text, word.meaning)
            for name, words in cohort.words.items()
            for word in words
        ),
        cohort.treated_at is not None,
        tuple(_groups(analysis, shown, tree, least)),
        tuple(_inputs(analysis, shown["baseline"], tree, outcome, least)),
        MISSING,
        least,
        n if isinstance(n, str) else int(n),
        source,
        entry=outcome.entry or "",
        min_followed=analysis.settings.min_followed,
        finds=analysis.separates_patients,
    )


def _groups(analysis: Analysis, shown: Mapping[str, Table], tree: Tree, least: int):
    learnt = shown["survival_training"].frame.set_index("group")
    everybody = shown["survival_all"].frame.set_index("group")
    calibration = shown["calibration"].frame.set_index("group")
    words, risks = rules(analysis), analysis.printed_risks
    classes = [str(c) for c in tree.classes] if tree.classes else ["0", "1"]
    shares = tree.probabilities()[:, classes.index("1")]
    for node, number in analysis.numbers.items():
        key = str(number)
        risk, low, high = risks[node]
        # Events that are withheld for others' sake are those of all times, not by the horizon.
        hidden = isinstance(learnt.loc[key, "n"], str) or str(learnt.loc[key, "events"])[0] == "<"
        few = isinstance(calibration.loc[key, "estimated"], str) and not math.isnan(risk)
        in_group = analysis.groups.training & (analysis.groups.leaf == node)
        rough = rough_risk(risk, int(in_group.sum()), float(shares[node]), least)
        yield group_of(
            number,
            node,
            words[node],
            tuple(everybody.loc[key, c] for c in ("n", "events")),
            (rough, math.nan, math.nan) if few else (risk, low, high),
            few,
            ()
            if few or hidden
            else curve_of(
                analysis.time[in_group],
                analysis.event[in_group],
                analysis.cohort.horizon,
                least,
                entry_of(analysis.entry, in_group),
            ),
        )


def rough_risk(risk: float, n: int, otherwise: float, least: int) -> float:
    """A risk that tells of no few patients.

    >>> rough_risk(0.03, 100, 0.5, 5), rough_risk(0.42, 100, 0.5, 5), rough_risk(0.99, 100, 0.5, 5)
    (0.025, 0.4, 0.975)
    """
    # Those with the event, or without it, are not counted. Where fewer than `least` have the event,
    # or do not have it, their number is taken as the middle of what it may be, else it is rounded
    # to a multiple of `least`. n: patients that it is of. otherwise: where there is no risk, or `n`
    # is small itself.
    if math.isnan(risk) or n < 2 * least or not least:
        return otherwise if math.isnan(risk) or least else risk
    step = least / n
    if risk in (0.0, 1.0):
        return risk
    if risk < step:
        return step / 2.0
    if 1.0 - risk < step:
        return 1.0 - step / 2.0
    return min(max(round(risk / step) * step, step), 1.0 - step)


def group_of(number, node, rule, counts, risk, few, curve) -> Group:
    """A group, numbers as a file has them: rounded, and nothing where there is none."""
    n, events = (c if isinstance(c, str) else int(c) for c in counts)
    risk, low, high = (finite_or_none(value) for value in risk)
    return Group(number, int(node), rule, n, events, risk, low, high, bool(few), curve)


def finite_or_none(value: float) -> float | None:
    """A number as a file has it; None for what is none."""
    return None if value is None or math.isnan(value) else round(float(value), 6)


def shares_by(
    time: np.ndarray, event: np.ndarray, at: ArrayLike, entry: np.ndarray | None = None
) -> np.ndarray:
    """Share with the event by each time: Kaplan-Meier, or Aalen-Johansen where causes compete."""
    # time, event: 0, 1, or 2 for another cause; at least one patient. entry: at risk at t are those
    # with entry < t <= time. Gives after the last patient it goes on as it ends.
    at = np.asarray(at, dtype=float)
    if not (event == 1).any():
        return np.zeros(len(at))
    if entry is not None:
        curve = Steps(time, event, 1, entry)
        share = np.append(0.0, curve.incidence())
        return share[np.searchsorted(curve.when, at, side="right")]
    if not (event > 1).any():
        from lifelines import KaplanMeierFitter

        return 1.0 - np.atleast_1d(KaplanMeierFitter().fit(time, event == 1).predict(at))
    from statsmodels.duration.survfunc import CumIncidenceRight

    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = CumIncidenceRight(time, event)
    steps = np.concatenate([[0.0], fitted.cinc[0]])
    return steps[np.searchsorted(fitted.times, at, side="right")]


def curve_of(
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    least: int,
    entry: np.ndarray | None = None,
) -> tuple[Point, ...]:
    """Share with the event at up to `POINTS` times until the horizon."""
    # A time stands where at least `least` patients are still followed, and where the events up to
    # it, and between it and the next one that stands, or an end of the merged intervals, are none
    # or at least `least`; with entries none from when all at risk have an event before others
    # enter.
    if not len(time) or small(len(time), least):
        return ()
    grid = horizon * np.arange(1, POINTS + 1) / POINTS
    had = np.array([int(((event == 1) & (time <= t)).sum()) for t in grid])
    followed = np.array([int((time >= t).sum()) for t in grid])
    if entry is not None:
        followed -= np.array([int((entry >= t).sum()) for t in grid])
        end = ran_out(time, event != 0, entry, horizon)
        followed[grid >= (math.inf if end is None else end)] = 0
    at_ends = np.cumsum([counts[0] for _, counts in merge_intervals(time, event, horizon, least)])
    kept: list[int] = []
    for k in range(POINTS - 1, -1, -1):
        between = np.abs(np.array([0, *at_ends, *had[kept[-1:]]]) - had[k])
        if followed[k] >= max(least, 1) and not small(between, least).any():
            kept.append(k)
    kept.reverse()
    shares = shares_by(time, event, grid[kept], entry) if kept else ()
    return tuple(
        Point(round(float(t), 6), min(max(round(float(s), 6), 0.0), 1.0))
        for t, s in zip(grid[kept], shares, strict=True)
    )


_SHOWN = re.compile(r"(\d+) \(")


def _inputs(analysis: Analysis, shown: Table, tree: Tree, outcome: Outcome, least: int):
    """Inputs with their case mix, which is that of the table of all patients at inclusion."""
    cohort, cells = analysis.cohort, iter(shown.frame["All"].tolist())
    next(cells)  # the number of patients
    used = {int(j) for j in tree.feature if j >= 0}
    marks = [words.rpartition(" ")[2] for words in cohort.read_as if words.startswith("decimal ")]
    for place, name in enumerate(cohort.X):
        column, values = cohort.columns[name], cohort.X[name]
        fields: dict[str, Any] = {}
        if hasattr(values, "cat"):
            counts = [(level, _shown_count(next(cells))) for level in values.cat.categories]
            total = int(values.notna().sum())
            fields["levels"] = tuple(
                Level(str(level), None if count is None else round(count / total, 6))
                for level, count in counts
            )
        else:
            next(cells)
            observed = np.sort(values.to_numpy(dtype=float)[values.notna().to_numpy()])
            fields |= _numbers(observed, least)
            answer = outcome.answers.of_column("decimal", name)
            fields["decimal"] = answer or (
                marks[0] if marks and marks[0] in ("comma", "point") else None
            )
            fields |= {
                f"allowed_{end}": None if math.isinf(value) else float(value)
                for end, value in (("low", column.low), ("high", column.high))
            }
        missing = next(cells) if values.isna().any() else 0
        yield Input(
            name,
            column.label,
            column.unit,
            "category" if hasattr(values, "cat") else "number",
            place in used,
            missing=missing if isinstance(missing, str) else int(missing),
            missing_words=tuple(sorted(column.missing)),
            **fields,
        )


def _shown_count(cell: str) -> int | None:
    match = _SHOWN.match(str(cell))
    return int(match[1]) if match else None


def _numbers(observed: np.ndarray, least: int) -> dict[str, float | None]:
    """Summary of the numbers of a column, (n,) ascending; empty if there are few."""
    if len(observed) < max(least, 1):
        return {}
    ends = max(least, 1) - 1
    quarters = np.quantile(observed, [0.25, 0.5, 0.75])
    spread = float(observed.std(ddof=1)) if len(observed) > 1 else math.nan
    return {
        "seen_low": float(observed[ends]),
        "seen_high": float(max(observed[-1 - ends], observed[ends])),
        **dict(
            zip(("quarter", "median", "three_quarters"), map(finite_or_none, quarters), strict=True)
        ),
        "mean": finite_or_none(float(observed.mean())),
        "sd": finite_or_none(spread),
    }
