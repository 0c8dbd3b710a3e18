"""Analyses of a paper: the choices that it leaves open, and what verdicts hang on them.

config/analytic_choices.yaml names for each experiment its open choices, each with what is done here
and what else can be done, as settings of the experiment. For some statements a full product of
choices is read (`Product`); any other choice is changed alone, around what is done here, and some
in pairs. A statement is judged in each analysis by the rules of config/claims.yaml.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import itertools
import json
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import ConfigError
from hedgerow.schema import read, setting
from hedgerow.texts import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

SOURCE = "config/analytic_choices.yaml"
#: Analyses from which there is a word.
FEWEST = 8
#: What a verdict counts where its variance is shared out.
WORTH = {"reproduced": 1.0, "partly": 0.5, "not reproduced": 0.0}
HERE = "as here"
#: Before the name of a choice, in the tables that the workflow makes.
PREFIX = "choice_"
#: In how many analyses a claim is reproduced, and what stands for it where there is little room.
MARKS = {"in all": "A", "in some": "S", "in none": "N"}


@dataclass(frozen=True)
class Alternative:
    """What else can be done.

    Attributes
    ----------
    settings : mapping
        Settings of the experiment, with their values.
    without : tuple of str
        Data sets that are left out.
    """

    settings: Mapping[str, Any] = setting({}, remedy="write `setting: value`")
    without: tuple[str, ...] = setting((), remedy="list data sets of the experiment")


@dataclass(frozen=True)
class Choice:
    """A choice that a paper leaves open.

    Attributes
    ----------
    open : str
        What the paper says of it.
    place : str
        Where.
    here : str
        What is done here.
    otherwise : mapping of str to Alternative
        What else can be done, by name.
    touches : tuple of str
        Ids of the claims that can come out otherwise.
    methods : tuple of str
        Whose rows can come out otherwise, where the experiment has methods; all by default.
    """

    open: str = setting(remedy="write what the paper says")
    place: str = setting(remedy="name the section")
    here: str = setting(remedy="write what is done here")
    otherwise: Mapping[str, Alternative] = setting(remedy="write `name: {settings: {...}}`")
    touches: tuple[str, ...] = setting(remedy="list ids of claims")
    methods: tuple[str, ...] = setting((), remedy="list methods of the experiment")


@dataclass(frozen=True)
class Product:
    """Statements that are judged under each combination of some choices.

    Attributes
    ----------
    claims : tuple of str
    choices : tuple of str
    methods : tuple of str
        Whose rows the claims read, where the experiment has methods; all by default.
    """

    claims: tuple[str, ...] = setting(remedy="list ids of claims")
    choices: tuple[str, ...] = setting(remedy="list choices of the experiment")
    methods: tuple[str, ...] = setting((), remedy="list methods of the experiment")


@dataclass(frozen=True)
class Choices:
    """The open choices of an experiment.

    Attributes
    ----------
    choices : mapping of str to Choice
    repeats : str
        The setting that says how often each data set is divided or drawn from.
    products : tuple of Product
    pairs : tuple of tuple of str
        Pairs of choices that are changed together as well.
    excluded : mapping of str
        Analyses that a printed figure rules out: the analysis, and the figure.
    """

    choices: Mapping[str, Choice] = setting(remedy="write `name: {open: ..., otherwise: ...}`")
    repeats: str = setting("", remedy="name a setting of the experiment")
    products: tuple[Product, ...] = setting((), remedy="list `{claims: [...], choices: [...]}`")
    pairs: tuple[tuple[str, ...], ...] = setting((), remedy="list `[choice, choice]`")
    excluded: Mapping[str, str] = setting({}, remedy="write `analysis: the figure against it`")


@dataclass(frozen=True)
class Analysis:
    """One way to read a paper.

    Attributes
    ----------
    taken : mapping of str
        By choice the alternative that is taken, in the order of the file; nothing where all is as
        here.
    claims : tuple of str
        That are judged under it.
    methods : tuple of str
        Whose rows the claims read; none: all.
    """

    taken: Mapping[str, str]
    claims: tuple[str, ...]
    methods: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its name: `votes=labels, gates=midpoint`."""
        return ", ".join(f"{choice}={name}" for choice, name in self.taken.items()) or HERE


def read_choices(content: Any, source: str = SOURCE) -> dict[str, Choices]:
    """The open choices by experiment, from the file as read."""
    by_experiment = read(content, Mapping[str, Choices], source, ConfigError)
    for experiment, choices in by_experiment.items():
        for k, product in enumerate(choices.products):
            for name in product.choices:
                if name not in choices.choices:
                    raise ConfigError(
                        f"{source}: `{experiment}.products.{k}` names `{name}`, which is no choice",
                        remedy=did_you_mean(name, choices.choices)
                        or f"choices are {', '.join(choices.choices)}",
                    )
                for claim in product.claims:
                    if claim not in choices.choices[name].touches:
                        raise ConfigError(
                            f"{source}: `{experiment}.products.{k}` has {claim} with `{name}`, "
                            "which does not touch it",
                            remedy="add the claim to `touches`, or leave one of them out",
                        )
        for k, pair in enumerate(choices.pairs):
            if odd := [name for name in pair if name not in choices.choices]:
                raise ConfigError(
                    f"{source}: `{experiment}.pairs.{k}` names `{odd[0]}`, which is no choice",
                    remedy=did_you_mean(odd[0], choices.choices)
                    or f"choices are {', '.join(choices.choices)}",
                )
            if len(pair) != 2:
                raise ConfigError(
                    f"{source}: `{experiment}.pairs.{k}` is no pair of choices",
                    remedy="name two choices",
                )
        names = [name for choice in choices.choices.values() for name in choice.otherwise]
        if odd := [name for name in names if "=" in name or "," in name or name == HERE]:
            raise ConfigError(
                f"{source}: an alternative of `{experiment}` is called `{odd[0]}`",
                remedy="use words without `=` and `,`",
            )
    return by_experiment


def choices_digest(choices: Choices) -> str:
    """SHA-256 over what is read of an experiment: alternatives, products, claims and methods."""
    content = dataclasses.asdict(choices)
    for choice in content["choices"].values():
        for words in ("open", "place", "here"):
            del choice[words]
    del content["excluded"], content["repeats"]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def alternatives_of(choices: Choices) -> list[str]:
    """All alternatives by name, in the order of the file, which no digest tells."""
    return [f"{n}={other}" for n, choice in choices.choices.items() for other in choice.otherwise]


def among(choices: Choices, datasets: Container[str], settings: Mapping[str, Any]) -> Choices:
    """Choices that can be taken in a run.

    An alternative that leaves out only data sets that are not there is none, nor is one that the
    run's settings take themselves.
    """
    if choices.repeats and choices.repeats not in settings:
        raise ConfigError(
            f"{SOURCE}: `repeats` is `{choices.repeats}`, which is no setting",
            remedy=did_you_mean(choices.repeats, settings) or "config/README.md has them all",
        )
    available = {}
    for name, choice in choices.choices.items():
        otherwise = {}
        for other, alternative in choice.otherwise.items():
            for key in alternative.settings:
                if key not in settings:
                    raise ConfigError(
                        f"{SOURCE}: `{name}: {other}` sets `{key}`, which is no setting",
                        remedy=did_you_mean(key, settings) or "config/README.md has them all",
                    )
            changes = any(settings[key] != value for key, value in alternative.settings.items())
            if changes or any(dataset in datasets for dataset in alternative.without):
                otherwise[other] = alternative
        if otherwise:
            available[name] = dataclasses.replace(choice, otherwise=otherwise)
    products = (
        dataclasses.replace(product, choices=tuple(c for c in product.choices if c in available))
        for product in choices.products
    )
    pairs = tuple(pair for pair in choices.pairs if all(name in available for name in pair))
    products = tuple(product for product in products if product.choices)
    return dataclasses.replace(choices, choices=available, products=products, pairs=pairs)


def products_of(choices: Choices) -> list[Analysis]:
    """Each combination of each product, what is done here among them.

    Returns: in the order of the file; a combination of two products stands once for each.
    """
    combinations = []
    for product in choices.products:
        order = [name for name in choices.choices if name in product.choices]
        levels = [(None, *choices.choices[name].otherwise) for name in order]
        for combination in itertools.product(*levels):
            taken = {n: a for n, a in zip(order, combination, strict=True) if a is not None}
            combinations.append(Analysis(taken, product.claims, product.methods))
    return combinations


def singles_of(choices: Choices) -> list[Analysis]:
    """Each alternative alone, for the claims that it touches and no product reads with it.

    What is done here comes first, for the claims of no product.
    """
    products = {claim for product in choices.products for claim in product.claims}
    touched = dict.fromkeys(c for choice in choices.choices.values() for c in choice.touches)
    alone = tuple(claim for claim in touched if claim not in products)
    alternatives = [Analysis({}, alone)] if alone else []
    for name, choice in choices.choices.items():
        within = {c for p in choices.products if name in p.choices for c in p.claims}
        claims = tuple(claim for claim in choice.touches if claim not in within)
        if claims:
            alternatives += [Analysis({name: other}, claims) for other in choice.otherwise]
    return alternatives


def pairs_of(choices: Choices) -> list[Analysis]:
    """Alternatives of two choices together, for the claims that both touch and no product reads."""
    combinations = []
    for pair in choices.pairs:
        one, other = (name for name in choices.choices if name in pair)
        within = {c for p in choices.products if {one, other} <= set(p.choices) for c in p.claims}
        touched = set(choices.choices[other].touches) - within
        claims = tuple(claim for claim in choices.choices[one].touches if claim in touched)
        if not claims:
            continue
        both = (choices.choices[name].otherwise for name in (one, other))
        combinations += [Analysis({one: a, other: b}, claims) for a, b in itertools.product(*both)]
    return combinations


@dataclass(frozen=True)
class Run:
    """What has to be run for an analysis: methods whose rows the same alternatives change.

    Attributes
    ----------
    taken : tuple of pair of str
        Choice and alternative.
    methods : tuple of str
        Whose rows come out otherwise; none: all.
    """

    taken: tuple[tuple[str, str], ...]
    methods: tuple[str, ...]


def runs_of(
    combination: Analysis,
    choices: Choices,
    of_rows: Container[tuple[str, str]] | None = None,
    methods: Sequence[str] = (),
) -> list[Run]:
    """Runs whose rows, put together, are those of an analysis.

    Rows of a method hang on the choices that change them, whatever is done elsewhere: two and three
    alternatives of choices that change other methods take three runs and not five.

    of_rows: One that leaves out data sets, or changes how rows are read, takes no run.
    """

    methods_of: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for method in combination.methods or methods or (None,):
        taken = tuple(
            (name, other)
            for name, other in combination.taken.items()
            if (choice := choices.choices[name]).otherwise[other].settings
            and (of_rows is None or (name, other) in of_rows)
            and (method is None or not choice.methods or method in choice.methods)
        )
        methods_of.setdefault(taken, []).extend([method] if method else [])
    return [Run(taken, tuple(methods)) for taken, methods in methods_of.items() if taken]


def runs_needed(
    analyses: Iterable[Analysis],
    choices: Choices,
    of_rows: Container[tuple[str, str]] | None = None,
    methods: Sequence[str] = (),
) -> list[Run]:
    """Runs of all analyses, without those that another one contains; see `runs_of`."""
    runs = (
        run for combination in analyses for run in runs_of(combination, choices, of_rows, methods)
    )
    every = list(dict.fromkeys(runs))
    return [
        run
        for run in every
        if not any(run is not other and contains(other, run) for other in every)
    ]


def contains(run: Run, other: Run) -> bool:
    """Whether the rows of a run hold those of another one."""
    return run.taken == other.taken and (
        not run.methods or (bool(other.methods) and set(other.methods) <= set(run.methods))
    )


def settings_of(taken: Iterable[tuple[str, str]], choices: Choices) -> dict[str, Any]:
    """Settings of alternatives, together."""
    settings: dict[str, Any] = {}
    for name, other in taken:
        for key, value in choices.choices[name].otherwise[other].settings.items():
            if settings.setdefault(key, value) != value:
                raise ConfigError(
                    f"{SOURCE}: `{name}: {other}` and another choice give `{key}` two values",
                    remedy="leave one of the choices out of the product",
                )
    return settings


def left_out(combination: Analysis, choices: Choices) -> list[str]:
    """Data sets that an analysis leaves out."""
    taken = (choices.choices[name].otherwise[other] for name, other in combination.taken.items())
    return sorted({dataset for alternative in taken for dataset in alternative.without})


# ---------------------------------------------------------------------------- what came out


def tracked_tables(root: Path, name: str) -> list[Path]:
    """Tracked tables of the analyses, `verdicts` or `points`, one for each experiment.

    They may still lie under the former name of this experiment: see `FORMER_COLUMNS`.
    """
    names = ("analytic_choices", "readings")
    folder = root / "data/reference"
    return sorted(file for n in names for file in folder.glob(f"{n}/*/{n}_{name}.csv"))


def word_of(reproduced: float, n: int) -> str:
    """In how many of its analyses a claim is reproduced: in all, in some or in none.

    reproduced: The share of the `n` analyses with a verdict; one that is 'partly' does not count.

    Returns: nothing with fewer than `FEWEST`.

    >>> word_of(1.0, 8), word_of(0.95, 20), word_of(0.0, 10), word_of(1.0, 7)
    ('in all', 'in some', 'in none', '')
    """
    if n < FEWEST:
        return ""
    count = round(reproduced * n)
    return "in all" if count == n else "in some" if count else "in none"


def set_beside(analyses: Sequence[Analysis], choices: Choices) -> list[bool]:
    """Which analyses are set beside what is printed.

    Those of one product, the largest: another one may have rows of fewer methods; and all that are
    of none.
    """
    counts = collections.Counter(combination.claims for combination in products_of(choices))
    widest = max(counts, key=lambda claims: counts[claims], default=None)
    return [one.claims == widest or one.claims not in counts for one in analyses]


def in_a_sentence(row: Mapping[str, Any], prefix: str = "") -> str:
    """What became of a claim in all analyses of its paper; nothing where it has no other one.

    >>> row = {"analyses_n": "16", "analyses_reproduced": "0.25", "analyses_decides": "gates"}
    >>> in_a_sentence(row)
    'Reproduced in some of the analyses: 4 of 16. The choice that decides most: gates.'
    >>> in_a_sentence({**row, "analyses_n": "4", "analyses_decides": ""})
    'Reproduced in 1 of 4 analyses, too few for a word.'
    """
    n = int(row[f"{prefix}analyses_n"] or 0)
    if not n:
        return ""
    share, decides = float(row[f"{prefix}analyses_reproduced"]), row[f"{prefix}analyses_decides"]
    word, part = word_of(share, n), f"{round(n * share)} of {n}"
    text = (
        f"{word} of the analyses: {part}." if word else f"in {part} analyses, too few for a word."
    )
    return f"Reproduced {text}" + f" The choice that decides most: {decides}." * bool(decides)


def shapley_shares(frame: pd.DataFrame, choices: Sequence[str], value: str) -> dict[str, float]:
    """What each choice has to do with the variance of a value over a full product of choices.

    The part of a set of choices is the variance of the mean of `value` given them; a choice gets
    the mean of what it adds, over all orders in which choices can join (Owen 2014).

    Returns: shares, which add up to 1; none where the value is the same everywhere.
    """
    n_levels = math.prod(frame[name].nunique() for name in choices)
    if len(frame) != n_levels or frame.duplicated(list(choices)).any():
        raise ValueError(f"{len(frame)} rows are no full product of {n_levels} combinations")
    total = float(frame[value].var(ddof=0))
    if not total > 0.0:
        return {}

    def part(names: Iterable[str]) -> float:
        names = sorted(names)
        if not names:
            return 0.0
        means = frame.groupby(names)[value].transform("mean")
        return float(means.var(ddof=0))

    n, shares = len(choices), {}
    for name in choices:
        others = [other for other in choices if other != name]
        share = 0.0
        for size in range(n):
            weight = 1.0 / (n * math.comb(n - 1, size))
            for joined in itertools.combinations(others, size):
                share += weight * (part([*joined, name]) - part(joined))
        shares[name] = share / total
    return shares
