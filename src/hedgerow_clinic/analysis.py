"""What is computed of a cohort: risk groups, survival in them, how far they can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import check_choice, check_number
from hedgerow.errors import InputError
from hedgerow.survival import (
    BootstrapValidation,
    FixedGroups,
    HorizonLabels,
    RiskGroups,
    bootstrap_validation,
    compare_groups,
    concordance,
    leaf_survival,
    performance,
    permutation_test,
    risk_groups,
    thesis_tree,
)
from hedgerow.survival.estimates import ran_out
from hedgerow.survival.follow_up import MIN_FOLLOWED, followed_until, is_followed, share_followed
from hedgerow.survival.labels import NobodyLeft, entry_of
from hedgerow.texts import with_unit
from hedgerow_clinic.cohort import Cohort
from hedgerow_clinic.column_names import age_like, sex_like
from hedgerow_clinic.disclosure import MIN_CELL_COUNT
from hedgerow_clinic.risks import (
    CONFIDENCE,
    calibration,
    decision_curve,
    estimated,
    is_included,
    reported_risks,
    rounded_down,
)
from hedgerow_clinic.values import DAYS

if TYPE_CHECKING:
    import pandas as pd

PARTS = {"all": "all patients", "training": "training part", "test": "test part"}
#: Measurements that are repeated, and patients of whom they are.
REPEATS, MOST_REPEATED = 50, 20_000
MOST_DEPTH, MOST_PERMUTATIONS, MOST_BOOTSTRAPS = 12, 100_000, 10_000
#: Bootstraps by default, and patients that all of them together draw.
BOOTSTRAPS, FEWEST_BOOTSTRAPS, MOST_DRAWN_PATIENTS = 200, 20, 500_000
#: Months of the thesis (6.2.3).
LANDMARK = 6.0
#: Warning about an intervention that the table gives as yes or no, without a date.
NO_DATE = (
    "The table says who was treated, but not when. Without a date the time before treatment cannot "
    "be separated from the time after it: patients who died waiting count as untreated, and the "
    "wait of the others counts as time under treatment. This biases the comparison of treated and "
    "untreated, mostly in favour of the treated, unless every treatment began at "
    "inclusion. A column with the date or the time of the treatment solves this."
)


@dataclass(frozen=True)
class Settings:
    """How a cohort is analysed.

    Attributes
    ----------
    max_depth : int
        Of the tree.
    min_samples_leaf : int
        Patients on each side of a test.
    test_size : float
        Share of the patients that the tree does not see.
    landmark : float, optional
        In the unit of the horizon; by default six months.
    adjust : tuple of str
        Columns that Cox models are adjusted for.
    permutations : int
        Of the outcomes; 0: none.
    seed : int
    competing : {'censored', 'survived'}
        As in `hedgerow.survival.horizon_labels`: by default another event before the horizon leaves
        a patient without a class, as in the thesis (6.2.2).
    bootstraps : int, optional
        Of all steps, for what holds of the next patient; 0: none. By default 200, fewer of many
        patients, whose trees are chosen less by chance.
    weights : bool
        Whether those whose class is known stand, by weights, for those who were censored before the
        horizon; the thesis leaves these out.
    age, sex : str, optional
        Columns of the inputs, by which the tree is tested apart; by default those that have such a
        name. For a life table the age is in years, and the sex has the words of the table.
    life_table : str, optional
        Name of its file: of the general population, beside whose survival the groups' stands.
    min_followed : float
        Share of the patients on each side of a test, and of a group, that could be followed to the
        horizon, by the reverse Kaplan-Meier estimate: else there is no such test and no risk.
    """

    max_depth: int = 4
    min_samples_leaf: int = 20
    test_size: float = 0.25
    landmark: float | None = None
    adjust: tuple[str, ...] = ()
    permutations: int = 0
    seed: int = 0
    competing: str = "censored"
    bootstraps: int | None = None
    weights: bool = False
    age: str | None = None
    sex: str | None = None
    life_table: str | None = None
    min_followed: float = MIN_FOLLOWED

    def __post_init__(self):
        check_number("--max-depth", self.max_depth, 1, MOST_DEPTH, whole=True)
        check_number("--min-patients", self.min_samples_leaf, 10, 1_000_000, whole=True)
        check_number("--test-size", self.test_size, 0.1, 0.5)
        check_number("--permutations", self.permutations, 0, MOST_PERMUTATIONS, whole=True)
        check_number("--seed", self.seed, 0, 2**32 - 1, whole=True)
        if self.bootstraps is not None:
            check_number("--bootstraps", self.bootstraps, 0, MOST_BOOTSTRAPS, whole=True)
        check_choice("--competing", self.competing, ("censored", "survived"))
        check_number("--min-followed", self.min_followed, 0.0, 1.0)
        if self.landmark is not None:
            check_number("--landmark", self.landmark, 0.0, 1e6)


@dataclass(frozen=True)
class Analysis:
    """What was found in a cohort; counts as they are.

    Attributes
    ----------
    cohort : Cohort
    settings : Settings
    groups : RiskGroups
        Of the natural history.
    numbers : dict of int
        Leaf -> its number on every page: 1 has the lowest risk, and those without one are last.
    time, event : (n,) arrays
        Of the natural history.
    survival : dict of DataFrame
        By part: as `hedgerow.survival.leaf_survival`.
    treated : dict of DataFrame
        By where time begins: as `hedgerow.survival.compare_groups`, all patients as row -1; empty
        without an intervention.
    landmark : float
    calibration : DataFrame
        One row per leaf, index `leaf`.
    decisions : DataFrame
        One row per threshold.
    concordance : dict of float
        By part.
    has_competing_risks : bool
        Whether causes compete.
    performance : DataFrame
        As `hedgerow.survival.performance`, of the test part, by sex and by age.
    validation : BootstrapValidation or None
        What holds of the next patient.
    permutation_test : DataFrame or None
        As `hedgerow.survival.permutation_test`.
    share_reclassified : float
        Share of patients whose group changes when what has an error is measured again; NaN where no
        column has one.
    notes : list of str
    entry : (n,) array or None
        When each patient came under observation.
    """

    cohort: Cohort
    settings: Settings
    groups: RiskGroups
    numbers: dict[int, int]
    time: np.ndarray
    event: np.ndarray
    survival: dict[str, pd.DataFrame]
    treated: dict[str, pd.DataFrame]
    landmark: float
    calibration: pd.DataFrame
    decisions: pd.DataFrame
    concordance: dict[str, float]
    has_competing_risks: bool
    performance: pd.DataFrame | None = None
    validation: BootstrapValidation | None = None
    permutation_test: pd.DataFrame | None = None
    share_reclassified: float = math.nan
    notes: list[str] = field(default_factory=list)
    entry: np.ndarray | None = None

    @property
    def is_included(self) -> np.ndarray:
        """Who is followed at all before an intervention, (n,) bool: others are not counted."""
        return is_included(self.time, self.event, self.entry)

    @property
    def is_compared(self) -> np.ndarray:
        """Who counts where treated and untreated are compared, (n,) bool."""
        return comparison_set(self.is_included, self.entry)

    @property
    def leaves_without_risk(self) -> list[int]:
        """Leaves of which nothing can be said at the horizon, in the order of their numbers."""
        risks, reached = self.printed_risks, set(self.groups.leaf[self.is_included].tolist())
        return [n for n in self.numbers if n in reached and math.isnan(risks[n][0])]

    @property
    def printed_risks(self) -> dict[int, tuple[float, float, float]]:
        """Of each leaf the risk by the horizon, with its interval, as `reported_risks` gives it."""
        return reported_risks(
            self.groups,
            self.validation,
            self.time,
            self.event,
            self.cohort.horizon,
            self.entry,
            self.settings.min_followed,
        )

    @property
    def share_needed(self) -> float:
        """Share that has to be followed to a horizon that is proposed."""
        return self.settings.min_followed or MIN_FOLLOWED

    @property
    def followed_until(self) -> float:
        """The longest horizon to which `share_needed` of each group could be followed."""
        least, horizons = self.share_needed, [float(self.time.max())]
        for node in self.numbers:
            inside = (self.groups.leaf == node) & self.is_included
            if inside.any():
                since = entry_of(self.entry, inside)
                horizons.append(followed_until(self.time[inside], self.event[inside], least, since))
        return min(horizons)

    @property
    def separates_patients(self) -> bool:
        """Whether groups may be shown: new patients differ by them, or nobody asked."""
        return self.validation is None or self.validation.finds

    @property
    def risks(self) -> dict[int, tuple[float, float, float]]:
        """Of each leaf the risk of the next patient by the horizon, with its interval."""
        if self.validation is None:
            return {}
        columns = ["risk", "risk_low", "risk_high"]
        table = self.validation.risks[columns]
        return {int(node): tuple(row) for node, *row in table.itertuples()}


def analyse(
    cohort: Cohort,
    settings: Settings,
    progress: Callable[[str], Any] | None = None,
    life_table: pd.DataFrame | None = None,
) -> Analysis:
    """Grow risk groups on a cohort and describe them."""
    # progress: gets a few words at the start of each step, and `repetition` after each permutation
    # and bootstrap.
    tell = progress or (lambda words: None)
    if len(cohort) < 4 * settings.min_samples_leaf:
        raise InputError(
            f"{len(cohort)} patients are too few for groups of {settings.min_samples_leaf}",
            remedy=f"a tree needs at least {4 * settings.min_samples_leaf}",
        )
    covariates, by = _covariates(cohort, settings), _subgroups(cohort, settings)
    landmark = settings.landmark
    if landmark is None:
        landmark = LANDMARK * DAYS["months"] / DAYS[cohort.unit]
    time, event = cohort.natural_history()
    entry, included = cohort.entry, is_included(time, event, cohort.entry)
    # Who is treated before entering was never seen untreated.
    seen = np.ones(len(time), dtype=bool) if entry is None else included
    _check_events(cohort, settings, time, event, seen)
    tell("growing the tree")
    grown, repeated = _grow_groups(cohort, settings, time, event, seen, tell)
    groups = _groups_of_all(grown, cohort, seen)
    survival = _survival(
        groups, cohort, time, event, included, covariates, settings, life_table, tell
    )
    treated, notes = _treatment_tables(cohort, groups, landmark, covariates, included, tell)
    validation = _bootstrap_validation(grown, *repeated)
    least = settings.min_followed
    about = (time, event, cohort.horizon, entry, least)
    numbers = _number_groups(reported_risks(groups, validation, *about))
    notes += _notes(groups, cohort, numbers, time, event, seen, least)
    tell("calibration and decision curve")
    calibrated = calibration(groups, *about).loc[[-1, *numbers]]
    risk = estimated(groups, calibrated)
    included = included & ~np.isnan(risk)
    test = ~groups.training & included
    data = (time[test], event[test], cohort.horizon, entry_of(entry, test))
    return Analysis(
        cohort,
        settings,
        groups,
        numbers,
        time,
        event,
        survival,
        treated,
        landmark,
        calibrated,
        decision_curve(risk[test], *data, least),
        _concordance(groups, risk, time, event, included, entry),
        bool((event > 1).any()),
        _performance(groups, risk, time, event, included, by, cohort, settings, tell),
        validation,
        _permutation_test(grown, *repeated),
        _share_reclassified(groups, cohort, settings.seed, tell),
        notes,
        entry,
    )


def _grow_groups(
    cohort: Cohort, settings: Settings, time, event, seen, tell
) -> tuple[RiskGroups, tuple]:
    """Groups of observed patients, and what bootstrap and permutations grow them again from."""
    X = cohort.X if seen.all() else cohort.X[seen].reset_index(drop=True)
    outcome = (time[seen], event[seen])
    pipeline = _pipeline(cohort, settings, entry_of(cohort.entry, seen))
    try:
        grown = risk_groups(X, *outcome, random_state=settings.seed, **pipeline)
    except NobodyLeft as error:
        raise NobodyLeft(error.when, cohort.unit, "patients of the training part") from None
    return grown, (X, *outcome, settings, pipeline, tell)


def _number_groups(printed: Mapping[int, tuple[float, float, float]]) -> dict[int, int]:
    """Number of each group by its risk."""
    # NaN, of a group without a risk, is the last.
    ranked = sorted(printed, key=lambda node: (math.isnan(printed[node][0]), printed[node], node))
    return {node: number for number, node in enumerate(ranked, start=1)}


def _concordance(groups: RiskGroups, risk, time, event, included, entry) -> dict[str, float]:
    """Concordance by part, where anybody has the event."""
    parts = {part: groups.part(part) & included for part in ("training", "test")}
    return {
        part: concordance(time[rows], event[rows], risk[rows], entry=entry_of(entry, rows))
        for part, rows in parts.items()
        if (event[rows] == 1).any()
    }


def _pipeline(cohort: Cohort, settings: Settings, entry: np.ndarray | None) -> dict[str, Any]:
    """Arguments of `risk_groups` that bootstraps and permutations repeat."""
    return {
        "estimator": thesis_tree(
            max_depth=settings.max_depth, min_samples_leaf=settings.min_samples_leaf
        ),
        "test_size": settings.test_size,
        "competing": settings.competing,
        "min_followed": settings.min_followed,
        "horizon": cohort.horizon,
        "entry": entry,
        **({"weights": "ipcw"} if settings.weights else {}),
    }


def _notes(groups, cohort: Cohort, numbers, time, event, seen, least: float) -> list[str]:
    """Notes on late entry, and on groups that were not followed for long enough."""
    notes = []
    if cohort.entry is not None:
        late = (groups.leaf[seen], time[seen], event[seen], cohort.entry[seen])
        notes += notes_on_entry(numbers, *late, cohort.unit)
    if groups.refused:
        notes.append(_note_on_refused_tests(groups, cohort, least))
    return notes


def _survival(
    groups, cohort: Cohort, time, event, included, covariates, settings: Settings, life_table, tell
) -> dict[str, pd.DataFrame]:
    """Survival in each group, of both parts."""
    tables = {}
    for part, words in PARTS.items():
        tell(f"survival in each group, {words}")
        in_part = groups.part(part) & included
        tables[part] = leaf_survival(
            groups.estimator,
            cohort.X[in_part],
            time[in_part],
            event[in_part],
            covariates=None if covariates is None else covariates[in_part].reset_index(drop=True),
            confidence=CONFIDENCE,
            horizon=cohort.horizon,
            entry=entry_of(cohort.entry, in_part),
        )
        if settings.life_table is not None:
            tables[part] = _add_expected_survival(
                tables[part], groups, cohort, time, event, in_part, settings, life_table
            )
    return tables


def _check_events(
    cohort: Cohort, settings: Settings, time: np.ndarray, event: np.ndarray, seen: np.ndarray
) -> None:
    """Whether anything can be said of those who are seen before a treatment."""
    if cohort.entry is not None and settings.life_table is not None:
        raise InputError(
            "--life-table and --entry exclude each other: the general population is followed from "
            "the start, and patients who enter late are not",
            remedy="leave one of them out",
        )
    if not (event[seen] == 1).any():
        raise InputError(
            "nobody has the event before an intervention",
            remedy="check the column of the intervention, or leave it out",
        )
    entry = entry_of(cohort.entry, seen)
    check_followed(time[seen], event[seen], entry, cohort, settings.min_followed)


def _groups_of_all(grown: RiskGroups, cohort: Cohort, seen: np.ndarray) -> RiskGroups:
    """Groups of all patients: those who were not seen have a leaf, no class, and are in no part."""
    if seen.all():
        return grown
    training, y = np.zeros(len(seen), dtype=bool), np.full(len(seen), -1)
    training[seen], y[seen] = grown.training, grown.labels.y
    leaf = np.asarray(grown.estimator.apply(cohort.X))
    labels = HorizonLabels(y, y >= 0)
    return RiskGroups(grown.estimator, training, labels, leaf, grown.refused)


def check_followed(
    time: np.ndarray, event: np.ndarray, entry: np.ndarray | None, cohort: Cohort, least: float
) -> None:
    """Refuse a horizon to which too few of all patients could be followed."""
    share = share_followed(time, event, cohort.horizon, entry)
    if is_followed(share, least):
        return
    remedy, needed = "another --horizon, or a table with a longer follow-up", least or MIN_FOLLOWED
    if (until := rounded_down(followed_until(time, event, needed, entry))) > 0.0:
        remedy = f"--horizon {until:g}{cohort.unit[0]}, to which {100 * needed:g} % could be"
    raise InputError(
        f"the horizon is {cohort.horizon_text}, and {100 * share:.1f} % of the "
        f"patients could be followed so long; {100 * needed:g} % are needed (--min-followed)",
        remedy=f"give {remedy}",
    )


def _note_on_refused_tests(groups: RiskGroups, cohort: Cohort, least: float) -> str:
    names = [cohort.columns[list(cohort.X)[j]].label for j in groups.refused]
    return (
        f"Tests of {', '.join(names)} were refused, because less than {100 * least:g} % of the "
        f"patients on one side could be followed to {cohort.horizon_text}: of "
        "these the outcome is mostly known where the event came."
    )


def comparison_set(included: np.ndarray, entry: np.ndarray | None) -> np.ndarray:
    """Who counts where treated and untreated are compared, (n,) bool."""
    # Those who were never seen untreated cannot be counted elsewhere: where they are so few that
    # their number may not be shown, they are left out here, too.
    few = entry is not None and (~included).sum() < MIN_CELL_COUNT
    return included if few else np.ones(len(included), dtype=bool)


def notes_on_entry(
    numbers: Mapping[int, int],
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    entry: np.ndarray,
    unit: str,
) -> list[str]:
    """What late entry leaves open, in sentences."""
    # numbers: node of a group to its number. unit: of the times.
    notes = []
    if entry.min() > 0.0:
        notes.append(
            f"Nobody is under observation before {entry.min():.3g} {unit}: what is said here holds "
            "for patients who live so long."
        )
    article = "an" if (event > 1).any() else "the"
    for node, number in numbers.items():
        inside = leaf == node
        when = ran_out(time[inside], event[inside] != 0, entry[inside])
        if when is not None:
            notes.append(
                f"In group {number} all patients under observation at {when:.3g} {unit} have "
                f"{article} event then, and others come later: its curve goes no further, and what "
                "the later ones tell is not in it. Its risk is not known if that is before the "
                "horizon."
            )
    return notes


def _covariates(cohort: Cohort, settings: Settings) -> pd.DataFrame | None:
    if not settings.adjust:
        return None
    for name in settings.adjust:
        if name not in cohort.X:
            why = cohort.not_used.get(name, "it is no column that can be used")
            raise InputError(
                f"column `{name}` of --adjust is no input ({why})",
                remedy=f"inputs are {', '.join(cohort.X)}",
            )
    return cohort.X[list(dict.fromkeys(settings.adjust))].reset_index(drop=True)


def _add_expected_survival(
    table, groups, cohort: Cohort, time, event, in_part, settings: Settings, life_table
) -> pd.DataFrame:
    """Survival in groups with that of the general population of their ages and sexes beside."""
    about = [settings.age, settings.sex]
    if None in about:
        raise InputError(
            "the life table needs the columns of age and sex", remedy="give --age and --sex"
        )
    people = cohort.X.loc[in_part, about].reset_index(drop=True)
    if len(bad := np.flatnonzero(people.isna().any(axis=1))):
        row = cohort.rows[np.flatnonzero(in_part)[bad[0]]]
        raise InputError(
            f"row {row} has no age or sex for the life table ({len(bad)} patients)",
            remedy="complete them, or leave the life table out",
        )
    years = DAYS[cohort.unit] / DAYS["years"]
    survival = leaf_survival(
        FixedGroups(groups.leaf[in_part]),
        None,
        time[in_part] * years,
        event[in_part],
        life_table=life_table,
        age=people[settings.age].to_numpy(float),
        sex=people[settings.sex].astype(str).to_numpy(),
    )
    expected = {"median_expected": survival["median_expected"] / years}
    expected["last_survival_expected"] = survival["last_survival_expected"]
    extended = table.assign(**{k: c.reindex(table.index) for k, c in expected.items()})
    extended.attrs = table.attrs
    return extended


def _treatment_tables(
    cohort: Cohort, groups: RiskGroups, landmark: float, covariates, included, tell
):
    """Tables of treated against untreated, and what keeps them from being made."""
    import pandas as pd

    if cohort.treated_at is None:
        return {}, []
    tell("treated and untreated")
    who = comparison_set(included, cohort.entry)
    when = cohort.treated_at[who]
    X, time, event = cohort.X[who], cohort.time[who], cohort.event[who]
    if covariates is not None:
        covariates = covariates[who].reset_index(drop=True)
    at = time > landmark
    early = when <= landmark
    if not (early[at].any() and (~early[at]).any()):
        only = "treated" if early[at].any() else "untreated"
        return {}, [
            f"At the landmark of {with_unit(landmark, cohort.unit, '.3g')} all patients are "
            f"{only}: treated and untreated cannot be compared. Give another --landmark."
        ]
    tables = {}
    for way in ("landmark", "inclusion"):
        everybody, leaves = (
            compare_groups(
                tree,
                X,
                time,
                event,
                when,
                landmark=landmark,
                counted_from=way,
                confidence=CONFIDENCE,
                covariates=covariates,
                weights=None if covariates is None else "overlap",
                entry=entry_of(cohort.entry, who),
            )
            for tree in (FixedGroups(np.full(len(time), -1)), groups.estimator)
        )
        tables[way] = pd.concat([everybody, leaves])
        tables[way].attrs = leaves.attrs
    return tables, [] if cohort.treated_when else [NO_DATE]


def _subgroups(cohort: Cohort, settings: Settings) -> dict[str, Any]:
    """By label the sex and the half of the ages of each patient, where the table has them."""
    import pandas as pd

    subgroups = {}
    for option, given, like in (("age", settings.age, age_like), ("sex", settings.sex, sex_like)):
        if given is not None and given not in cohort.X:
            raise InputError(
                f"column `{given}` of --{option} is no input",
                remedy=f"inputs are {', '.join(cohort.X)}",
            )
        name = given or next((name for name in cohort.X if like(name)), None)
        if name is None:
            continue
        values = cohort.X[name]
        if not hasattr(values, "cat"):
            middle = float(np.nanmedian(values))
            halves = np.where(values < middle, f"< {middle:g}", f"≥ {middle:g}")
            values = pd.Series(halves).where(values.notna().to_numpy())
        subgroups[cohort.columns[name].label] = values.astype(object)
    return subgroups


def _performance(groups, risk, time, event, included, by, cohort, settings, tell) -> pd.DataFrame:
    tell("performance in the test part")
    test = ~groups.training & included
    competing = bool(((event != 0) & (event != 1)).any())
    return performance(
        time[test],
        event[test],
        risk[test],
        cohort.horizon,
        by={name: np.asarray(levels)[test] for name, levels in by.items()},
        competing="survived" if competing else "censored",
        n_bootstraps=min(BOOTSTRAPS, max(FEWEST_BOOTSTRAPS, MOST_DRAWN_PATIENTS // len(cohort))),
        confidence=CONFIDENCE,
        random_state=settings.seed,
        entry=entry_of(cohort.entry, test),
    )


def _bootstrap_validation(
    groups, X, time, event, settings, pipeline, tell
) -> BootstrapValidation | None:
    n_bootstraps = settings.bootstraps
    if n_bootstraps is None:
        n_bootstraps = min(BOOTSTRAPS, max(FEWEST_BOOTSTRAPS, MOST_DRAWN_PATIENTS // len(time)))
    if not n_bootstraps:
        return None
    tell(f"{n_bootstraps} bootstraps of all steps")
    return bootstrap_validation(
        groups,
        X,
        time,
        event,
        n_bootstraps=n_bootstraps,
        confidence=CONFIDENCE,
        random_state=settings.seed,
        progress=lambda: tell("repetition"),
        **pipeline,
    )


def _permutation_test(groups, X, time, event, settings, pipeline, tell) -> pd.DataFrame | None:
    if not settings.permutations:
        return None
    tell("permuted outcomes")
    return permutation_test(
        groups,
        X,
        time,
        event,
        n_permutations=settings.permutations,
        random_state=settings.seed + 1,
        progress=lambda: tell("repetition"),
        **pipeline,
    )


def _share_reclassified(groups: RiskGroups, cohort: Cohort, seed: int, tell) -> float:
    """Share of patients in another group, on average over repeated measurements."""
    errors = {
        name: cohort.columns[name].error for name in cohort.X if cohort.columns[name].error > 0.0
    }
    if not errors:
        return math.nan
    tell("repeated measurements")
    random = np.random.default_rng([seed, 2])
    some = np.arange(len(cohort))
    if len(some) > MOST_REPEATED:
        some = np.sort(random.choice(some, MOST_REPEATED, replace=False))
    moved, X = 0.0, cohort.X.iloc[some]
    for _ in range(REPEATS):
        again = X.copy()
        for name, error in errors.items():
            again[name] = X[name] + random.normal(0.0, error, len(X))
        moved += float((groups.estimator.apply(again) != groups.leaf[some]).mean())
    return moved / REPEATS
