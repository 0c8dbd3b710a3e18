"""Comparisons of methods in pairs over data sets, said once in a plan.

::

    COMPARED = Compared(
        cell=("setting", "share"),
        parts={"pruning": Part({"accuracy": POINTS, "log_loss": LOSS}, (("eig_knn", "c45"),))},
    )

What is set beside what stands in the plan. Its tests, its table, what stands behind each number of
it, the lines of a page and what the judge reads follow from that and from rows of results, which
have the columns part, dataset, those of `cell`, method, metric, value and those of `repeat`.

One rule holds everywhere: a repeat in which one of a pair has no value counts for neither. Each
data set is one value, the mean over its repeats; `each` adds tests in which a repeat is one.

All comparison tables have the columns of `Compared.columns`: the first is what the question is
about, a difference is that of the first less the second, and wins are data sets on which the first
is better, be more better or less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup

    from hedgerow_study.experiments.cell_sources import Selector
    from hedgerow_study.reporting.cells import Cell, Rows

#: What a line of a comparison table says of its pair: both sides, and tests over data sets.
SIDES = ("mean_first", "mean_second", "difference", "wins", "losses", "n_datasets")
MEASURED = (*SIDES, "p", "p_holm")
#: The pairing of all tests: a data set is one pair.
DATASETS = "datasets"
#: How captions say that, and what a family of tests is.
CAPTION_TEST_NOTE = (
    "Means over data sets; difference: of the first less the second; wins and losses: data sets on "
    "which the first is better and on which it is worse; exact p of Wilcoxon's signed-rank test "
    "over data sets, plain and after Holm's correction over all rows"
)
CAPTION_TESTS = f"{CAPTION_TEST_NOTE} of a metric."

#: A method in a cell: the values of the cell's columns, then the method.
Key = tuple


class Metric(NamedTuple):
    """How values are compared and printed: times what, with how many decimals; what is better."""

    times: float = 1.0
    digits: int = 1
    less_is_better: bool = False


#: Shares that are reported in percentage points.
POINTS = Metric(100.0)
#: Log loss, Brier score and the like.
LOSS = Metric(1.0, 3, less_is_better=True)


class Pair(NamedTuple):
    """Two methods, each in its cell; `named` where the second has another name in tables."""

    first: Key
    second: Key
    named: str = ""

    @property
    def key(self) -> tuple:
        """Cell, first and second as tables name them; the cell is that of the first."""
        return (*self.first, self.named or self.second[-1])


class Place(NamedTuple):
    """Where values of a method stand: rows of an input, how they are found, and what pairs them."""

    rows: Rows
    select: Selector
    by: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Pairs of methods, by some metrics.

    pairs: first and second in every cell; or from all `Key` that were run, in the order of the
    tables, to pairs of them.
    """

    metrics: Mapping[str, Metric]
    pairs: Sequence[tuple[str, str]] | Callable[[list[Key]], Iterator[Pair]]

    def pairs_of(self, keys: list[Key]) -> Iterator[Pair]:
        """What is compared, of what was run."""
        if callable(self.pairs):
            yield from self.pairs(keys)
            return
        for cell in dict.fromkeys(key[:-1] for key in keys):
            yield from (Pair((*cell, one), (*cell, two)) for one, two in self.pairs)


@dataclass(frozen=True)
class PairwiseComparison:
    """What is set beside what in an experiment.

    cell: columns that tell apart where methods are compared, such as the level of noise.

    order: of a column of the cell, or `method`, its values in the order of the tables; others come
    after them, numbers by their size, then words. Or a function that gives the key of a value.

    repeat: columns that tell repeats of a data set apart.

    family: columns, `metric` and those of the cell, of which each combination is a family of tests
    of its own within a part; Holm's correction is over a family.

    each: what repeats are called where each of all data sets is a pair as well: `repeats`.
    Such tests have more power, and treat repeats as independent, which they are not.
    """

    cell: tuple[str, ...]
    parts: Mapping[str, Part]
    order: Mapping[str, Sequence[Any] | Callable[[Any], tuple]] = field(default_factory=dict)
    repeat: tuple[str, ...] = ("repeat",)
    family: tuple[str, ...] = ("metric",)
    each: str = ""

    @property
    def pairings(self) -> tuple[str, ...]:
        """What is a pair in tests; without `each` statistics do not say so."""
        return (DATASETS, *([self.each] if self.each else ()))

    @property
    def key(self) -> list[str]:
        """Columns that name a test, but for its correction."""
        return ["part", *self.cell, "metric", "first", "second"]

    @property
    def columns(self) -> list[str]:
        """Columns of a table."""
        return [*self.key[1:], *SIDES, *self.ps]

    @property
    def ps(self) -> dict[str, dict[str, str]]:
        """Columns of p, and which rows of the statistics they are read from."""
        columns = {}
        for pairing in self.pairings:
            for correction, end in (("none", ""), ("holm", "_holm")):
                name = f"p{'' if pairing == DATASETS else f'_{pairing}'}{end}"
                where = {"pairing": pairing} if self.each else {}
                columns[name] = {**where, "correction": correction}
        return columns

    def values(self, rows: pd.DataFrame, part: str, metric: str) -> pd.DataFrame:
        """Values of a part as they are compared.

        Returns: data sets and repeats by (*cell, method), in the order of the tables; NaN: no
        value.
        """
        import pandas as pd

        rows_of_part = rows[(rows["part"] == part) & (rows["metric"] == metric)]
        levels, index = [*self.cell, "method"], ["dataset", *self.repeat]
        if rows_of_part.empty:  # its columns have no type
            return pd.DataFrame(index=pd.MultiIndex.from_tuples([], names=index))
        wide = rows_of_part.set_index([*index, *levels])["value"].unstack(levels)
        keys = [self._key(column) for column in wide.columns]
        places = sorted(range(len(keys)), key=lambda place: [*map(self._rank, levels, keys[place])])
        return wide.iloc[:, places]

    def _key(self, column: Any) -> Key:
        """The key of a column of `values`; without a cell it is called by its method alone."""
        return column if self.cell else (column,)

    def _rank(self, column: str, value: Any) -> tuple:
        order = self.order.get(column, ())
        if callable(order):
            return order(value)
        values = list(order)
        if value in values:
            return (0, values.index(value), "")
        try:
            return (1, float(value), "")
        except ValueError:
            return (2, 0.0, value)

    def means(self, rows: pd.DataFrame, part: str, metric: str) -> pd.DataFrame:
        """One value per data set and method, the mean over all repeats that have one."""
        settings = self.parts[part].metrics.get(metric, Metric())
        wide = self.values(rows, part, metric)
        return settings.times * wide.groupby(level="dataset").mean()

    def repeats(self, rows: pd.DataFrame, part: str, metric: str) -> Iterator[tuple]:
        """What is compared in a part by a metric, and the repeats that have both.

        Yields: values of `key`; a DataFrame of the first and the second, data sets and repeats.
        """
        wide = self.values(rows, part, metric)
        places = {self._key(column): place for place, column in enumerate(wide.columns)}
        for pair in self.parts[part].pairs_of(list(places)):
            if not places.keys() >= {pair.first, pair.second}:
                continue
            both = wide.iloc[:, [places[pair.first], places[pair.second]]].dropna()
            if len(both):
                *cell, one, two = pair.key
                yield (part, *cell, metric, one, two), both

    def _sides(self, key: tuple, both: pd.DataFrame, pairing: str = DATASETS) -> tuple:
        """Key, first and second as they are tested, in the unit of the metric."""
        metric = self.parts[key[0]].metrics[key[-3]]
        if pairing == DATASETS and self.repeat:
            both = both.groupby(level="dataset").mean()
        both = metric.times * both
        return key, both.iloc[:, 0], both.iloc[:, 1]

    def _families(self, rows: pd.DataFrame) -> Iterator[list[tuple]]:
        """What `repeats` gives, by `family`."""
        for name, part in self.parts.items():
            families: dict[tuple, list[tuple]] = {}
            for metric in part.metrics:
                for pair in self.repeats(rows, name, metric):
                    named = dict(zip(self.key, pair[0], strict=True))
                    family = tuple(named[column] for column in self.family)
                    families.setdefault(family, []).append(pair)
            yield from families.values()

    def families(self, rows: pd.DataFrame) -> Iterator[list[tuple]]:
        """Pairs that are tested together, in the order of the plan."""
        for pairs in self._families(rows):
            yield [self._sides(*pair) for pair in pairs]

    def statistics(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Wilcoxon's signed-rank tests over data sets, and over all repeats where `each` says so.

        Returns: the columns of `key`, pairing (with `each` only), difference (first less second,
        mean over data sets, in the unit of the metric), then the attributes of
        `hedgerow.evaluation.significance.TestResult`; two rows per pair, with the correction `none`
        and `holm`, over all pairs of a `family`. `n` is the number of pairs.
        """
        import pandas as pd

        from hedgerow.evaluation.significance import to_frame
        from hedgerow_study.experiments.frames import concat_sorted
        from hedgerow_study.experiments.paired import paired_tests

        columns, paired = [*self.key, "difference"], ["pairing"] if self.each else []
        families = []
        for pairs in self._families(rows):
            for pairing in self.pairings:
                families.append((pairing, [self._sides(*pair, pairing) for pair in pairs]))
        frames = []
        for pairing, pairs in families:
            frame = paired_tests(pairs, columns)
            if frame is not None:
                if paired:
                    frame.insert(len(self.key), "pairing", pairing)
                frames.append(frame)
        if not frames:
            empty = pd.DataFrame(columns=[*self.key, *paired, "difference", *to_frame([])])
            return empty.astype({"difference": float, "n": int})
        return concat_sorted(frames, [*self.key, *paired, "correction"])

    def side_by_side(self, rows: pd.DataFrame, part: str | None = None) -> pd.DataFrame:
        """A line per pair of one part, or of all: both sides as they are, before any test."""
        import pandas as pd

        lines = []
        for name in self.parts if part is None else [part]:
            for metric, settings in self.parts[name].metrics.items():
                for pair in self.repeats(rows, name, metric):
                    key, one, two = self._sides(*pair)
                    difference = (one - two).round(9)
                    ahead = -difference if settings.less_is_better else difference
                    counts = (int((ahead > 0).sum()), int((ahead < 0).sum()), len(one))
                    lines.append((*key, one.mean(), two.mean(), (one - two).mean(), *counts))
        return pd.DataFrame(lines, columns=[*self.key, *SIDES])

    def table(
        self,
        rows: pd.DataFrame,
        statistics: pd.DataFrame,
        part: str | None = None,
        digits: int | None = 9,
    ) -> pd.DataFrame:
        """A line per pair of one part, or of all."""
        conditions = list(next(iter(self.ps.values())))
        p = statistics.set_index([*self.key, *conditions])["p"]
        table = self.side_by_side(rows, part)
        keys = list(table[self.key].itertuples(index=False, name=None))
        for column, where in self.ps.items():
            table[column] = [p[(*key, *where.values())] for key in keys]
        table = table if digits is None else table.round(digits)
        return table if part is None else table.drop(columns="part")

    def pair(self, line: Mapping[str, Any], part: str, keys: list[Key]) -> Pair:
        """The pair of a line of a table."""
        key = tuple(line[name] for name in (*self.cell, "first", "second"))
        return next(pair for pair in self.parts[part].pairs_of(keys) if pair.key == key)


# ------------------------------------------------------- what a table rests on, pages, the judge


def cells_of_comparisons(
    compared: PairwiseComparison,
    table: pd.DataFrame,
    rows: pd.DataFrame,
    part: str | None = None,
    place: Callable[[str, str, Key], Place] | None = None,
    statistics: str = "statistics",
    of: str = "rows",
) -> Iterator[Cell]:
    """What stands behind a table of comparisons: both sides of each line, and its test.

    place: from part, metric and key to where the values stand, if not in the input `of`.
    """
    from hedgerow_study.experiments.cell_sources import Selector, comparison_cells
    from hedgerow_study.reporting.cells import Cell, Rows

    select, columns = Selector(rows), [*compared.cell, "method"]
    by = ("dataset", *compared.repeat)
    cells = rows[["part", "metric", *columns]].drop_duplicates()
    keys = {
        of: list(group[columns].itertuples(index=False, name=None))
        for of, group in cells.groupby(["part", "metric"])
    }

    def usual(name: str, metric: str, key: Key) -> Place:
        where = {"part": name, "metric": metric, **dict(zip(columns, key, strict=True))}
        return Place(Rows(of, where), select, by)

    for row, line in zip(table.index, table.to_dict("records"), strict=True):
        name, metric = part or line["part"], line["metric"]
        pair = compared.pair(line, name, keys[name, metric])
        first, second = ((place or usual)(name, metric, key) for key in pair[:2])
        settings, means = compared.parts[name].metrics[metric], ("mean_first", "mean_second")
        how = (first.select, settings.times, first.by, settings.less_is_better)
        yield from comparison_cells(row, line, means, first.rows, second.rows, *how)
        test = {"part": name, **{column: line[column] for column in compared.key[1:]}}
        for column, where in compared.ps.items():
            yield Cell(row, column, "value", (Rows(statistics, {**test, **where}, "p"),))


def comparisons(
    compared: PairwiseComparison,
    table: pd.DataFrame,
    part: str | None,
    by: Sequence[str],
    title: Callable[..., str],
    name: Callable[[Mapping[str, Any]], str],
) -> Markup:
    """A table of comparisons as pages show it (`hedgerow_study.reporting.views.view`).

    title: gets the values of `by`, gives the title of the block.

    name: gets a line of the table, gives its name on the page.
    """
    from hedgerow.showing.numbers import is_number, number, of_all, p_text, signed
    from hedgerow_study.reporting.views import view

    blocks: dict[str, list[tuple]] = {}
    for key, group in table.groupby(list(by), sort=False, dropna=False):
        # An empty text comes back from a file as no value.
        lines = blocks.setdefault(title(*(value if is_number(value) else "" for value in key)), [])
        for line in group.to_dict("records"):
            digits = compared.parts[part or line["part"]].metrics[line["metric"]].digits
            cells = [number(line[column], digits) for column in ("mean_first", "mean_second")]
            cells += [signed(line["difference"], digits), of_all(line["wins"], line["n_datasets"])]
            lines.append((name(line), *cells, p_text(line["p"]), p_text(line["p_holm"])))
    heads = ["First – second", "First", "Second", "Difference", "Wins", "p", "p, Holm"]
    return view(blocks, heads)


def pair_words(labels: Mapping[str, str]) -> Callable[[Mapping[str, Any]], str]:
    """How a page names a line: the first less the second, by their labels."""
    return lambda line: f"{labels[line['first']]} – {labels[line['second']]}"


def most(table: pd.DataFrame) -> int:
    """Data sets of the line that rests on most."""
    return int(table["n_datasets"].max()) if len(table) else 0


def judge_comparisons(
    experiment: str,
    compared: PairwiseComparison,
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    published: pd.DataFrame,
    labels: Mapping[str, str],
) -> pd.DataFrame:
    """The claims of an experiment that read its tests after Holm's correction, judged."""
    from hedgerow_study.experiments.paired import holm_corrected, statistics_without_dataset
    from hedgerow_study.reporting.claims import judged

    families = list(compared.families(rows))
    corrected = partial(holm_corrected, family=("part", *compared.family))
    without = partial(
        statistics_without_dataset, families, [*compared.key, "difference"], read=corrected
    )
    read, names = {"statistics": corrected(statistics)}, rows["dataset"].unique()
    return judged(experiment, read, specification, published, names, without, labels)
