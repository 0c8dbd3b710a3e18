"""Every printed cell beside what a run has measured, or the reason why it has not.

Nothing is recomputed: a number is taken from the table of the reports that shows it, and the
row says from which one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import KEY, Printed, published_number
from hedgerow_study.experiments.soft.plan import TABLE_3_1
from hedgerow_study.experiments.step import step

#: Of reports/comparison.csv and .parquet.
ORDER = [
    *KEY,
    "unit",
    "published",
    "published_value",
    "measured",
    "measured_text",
    "reason",
    "difference",
    "sd",
    "low",
    "high",
    "n",
    "spread",
    "experiment",
    "configuration",
    "measured_in",
    "row",
]

#: Why a cell is not measured; there are no other reasons.
REASONS = {
    "not_run": "the configuration does not run the experiment",
    "not_asked": "the configuration does not ask for the data set",
    "absent": "no source served the data set",
    "private": "the data are not public: simulated ones stand in tables called synthetic",
    "too_few": "what was run gives no number here",
    "time": "running times depend on the machine and stand in no result",
    "description": "a description, nothing to measure",
    "setting": "a setting of the paper, nothing to measure",
    "example": "a worked example of the paper, which tests check",
    "reading": "read off a figure or a result in the text; its claim is judged",
    "no_table": "no table of the reports holds this number",
}

#: Data that are not public.
PRIVATE = ("aortic_stenosis_registry", "lvef_data_science_bowl")
#: Criteria of the text numbers that state what was set.
SETTINGS = ("settings", "section_4.5.1", "section_4.a", "section_4.b", "section_5.4.1")
SETTINGS += ("section_5.4.2",)
EXAMPLES = ("worked_example", "certainty_fine_example")
READ_OFF = ("section_4.6.1", "section_4.6.2", "section_4.6.4")

NO_SPREAD = "the table has none"
_STATUS = {"not asked for": "not_asked", "absent": "absent"}
_WORDS = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class Source:
    """The table of an experiment that holds what a published one prints.

    read: takes the table and all others by their ids, and returns rows with columns of the key (or
    some of them), measured, and where there are any status, sd, low, high, n, spread and row.
    """

    experiment: str
    table: str
    read: Callable[[pd.DataFrame, Frames], pd.DataFrame]


# ------------------------------------------------------------------ how each table is read


def _renamed_columns(**columns: str) -> Callable:
    """A table in long form; some of its columns under other names, and a word for its spread."""
    spread = columns.pop("spread", NO_SPREAD)

    def read(table: pd.DataFrame, _tables) -> pd.DataFrame:
        taken = {old: new for new, old in columns.items() if old in table}
        left_out = [new for new in taken.values() if new in table and new not in taken]
        return table.drop(columns=left_out).rename(columns=taken).assign(spread=spread)

    return read


def _data_sets(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Table 3.1: a row per data set, a column per number."""
    printed = {registry: name for name, registry in TABLE_3_1.items()}
    metrics = ["n_variables", "n_instances", "n_sets", "n_classes"]
    long = table.melt(["dataset", "status", "row"], metrics, "metric", "measured")
    return long.assign(dataset=long["dataset"].map(printed)).dropna(subset=["dataset"])


def _mean_over_sets(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Tables 3.4 and 3.5: means over data sets, and how far the data sets are apart."""
    table = table[table["in_table_3_1"].astype(bool)]
    cell = ["metric", "method", "noise"]
    mean = table[table["dataset"] == "mean_over_datasets"]
    sets = table[table["dataset"] != "mean_over_datasets"]
    of_sets = sets.groupby(cell)["measured"].agg(sd="std", low="min", high="max", n="count")
    return mean.join(of_sets, on=cell).assign(spread="data sets of this run")


def _with_repeats(table: pd.DataFrame, tables: Frames) -> pd.DataFrame:
    """Tables 4.1, 4.3 and 4.5: the first repeat, and how far all repeats are apart."""
    cell = ["dataset", "method", "criterion", "metric"]
    repeats = tables["search_splits"].dropna(subset=["metric"])
    repeats = repeats.rename(columns={"lowest": "low", "highest": "high", "n_repeats": "n"})
    repeats = repeats.drop_duplicates(cell)[[*cell, "sd", "low", "high", "n"]]
    # A column without a text is one of numbers, in files of a small run.
    cells = table.astype(dict.fromkeys(cell, object)).merge(
        repeats.astype(dict.fromkeys(cell, object)), on=cell, how="left"
    )
    counted = cells["dataset"] == "all_datasets"
    cells["n"] = cells["n"].where(~counted, cells["n_datasets"])
    apart = np.where(cells["sd"].isna(), "none: the first repeat alone", "repeats of this run")
    cells["spread"] = np.where(counted, "none: a count of data sets", apart)
    return cells


def _significance_tests(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Tables 4.2, 4.4 and 4.6: p, statistics, critical value, and who is better."""
    plain = table[table["correction"] == "none"].rename(columns={"n_datasets": "n"})
    parts = []
    for test, metric, value in (
        ("anova_within", "{}_anova_p", "p"),
        ("friedman", "{}_friedman_chi2", "statistic"),
        ("friedman", "friedman_critical_value", "critical_value"),
        ("wilcoxon_signed_rank", "{}_wilcoxon_better", "better"),
    ):
        rows = plain[plain["test"] == test]
        if value == "critical_value":
            rows = rows.head(1)
        pair = test == "wilcoxon_signed_rank"
        parts.append(
            rows.assign(
                criterion=rows["groups"] if pair else "group_comparison",
                metric=[metric.format(m) for m in rows["metric"]],
                measured=rows[value].astype(object),
            )
        )
    return pd.concat(parts).assign(spread="none: a test over data sets")


def _half_width(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Tables of E2M: means over repeats with half of their interval of 95 %."""
    return table.assign(
        low=table["measured"] - table["half_width"],
        high=table["measured"] + table["half_width"],
        n=table["n_repeats"],
        spread="95 % CI of the mean over repeats",
    )


def _of_text(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Numbers in the text of EIG, of the first interpretation that was run."""
    choice = next(r for r in ("described", "coded", "coded_gain") if r in table)
    criterion = "scenario_" + table["scenario"]
    return table.assign(measured=table[choice], criterion=criterion, spread=NO_SPREAD)


def _leaves_of_set(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Leaves of C4.5 without noise on each data set of table 3.1, which 3.4.2 states of one."""
    clean = (table["metric"] == "n_leaves") & (table["method"] == "c45") & (table["noise"] == 0)
    leaves = table[clean].set_index("dataset")
    rows = leaves.reindex(list(TABLE_3_1.values())).assign(dataset=list(TABLE_3_1))
    status = np.where(rows["measured"].isna(), "not asked for", "run")
    rows["row"] = rows["row"].fillna(0).astype(int)
    cell = {"method": "c45", "noise": 0.0, "metric": "n_leaves_mean"}
    return rows.assign(status=status, spread=NO_SPREAD, **cell)[
        ["dataset", *cell, "measured", "status", "spread", "row"]
    ]


def _trees(table: pd.DataFrame, _tables) -> pd.DataFrame:
    """Trees of the forest of 5.4."""
    rows = table.drop_duplicates("dataset")[["dataset", "status", "n_trees", "row"]]
    return rows.assign(measured=rows["n_trees"], metric="n_trees", spread=NO_SPREAD)


_FORESTS = _renamed_columns(
    low="lowest", high="highest", n="n_repeats", spread="repeats of this run"
)
_REPEATS = _renamed_columns(low="lowest", high="highest", spread="repeats of this run")

#: By published table, then by what the text states.
SOURCES = {
    "thesis_table_3_1": Source("soft", "thesis_table_3_1", _data_sets),
    "thesis_table_3_4": Source("soft", "thesis_table_3_4", _mean_over_sets),
    "thesis_table_3_5": Source("soft", "thesis_table_3_5", _mean_over_sets),
    "thesis_table_4_1": Source("search", "thesis_table_4_1", _with_repeats),
    "thesis_table_4_2": Source("search", "thesis_table_4_2", _significance_tests),
    "thesis_table_4_3": Source("search", "thesis_table_4_3", _with_repeats),
    "thesis_table_4_4": Source("search", "thesis_table_4_4", _significance_tests),
    "thesis_table_4_5": Source("search", "thesis_table_4_5", _with_repeats),
    "thesis_table_4_6": Source("search", "thesis_table_4_6", _significance_tests),
    "thesis_table_4_7": Source("search", "thesis_table_4_7", _renamed_columns()),
    "thesis_table_5_1": Source("structure", "thesis_table_5_1", _FORESTS),
    "thesis_table_5_2": Source("structure", "thesis_table_5_2", _FORESTS),
    "confdtree_table_1": Source("confidence", "confdtree_table_1", _REPEATS),
    "confdtree_table_2": Source(
        "confidence", "confdtree_table_2", _renamed_columns(n="n_datasets")
    ),
    "confdtree_table_3": Source("confidence", "confdtree_table_3", _renamed_columns()),
    "e2m_table_1": Source("evidential", "e2m_table_1", _half_width),
    "e2m_table_2": Source("evidential", "e2m_table_2", _half_width),
    "eig_text_numbers": Source("missing", "missing_text", _of_text),
    "leaves": Source("soft", "thesis_table_3_4", _leaves_of_set),
    "trees": Source("structure", "thesis_table_5_1", _trees),
    # Of private data, which no run can measure.
    "thesis_table_3_2": Source("soft_illustration", "thesis_table_3_2", _renamed_columns()),
    "thesis_table_3_3": Source("soft_illustration", "thesis_table_3_3", _renamed_columns()),
    "thesis_table_6_1": Source("survival", "thesis_table_6_1_SYNTHETIC", _renamed_columns()),
    "thesis_table_6_2": Source("survival", "thesis_table_6_2_SYNTHETIC", _renamed_columns()),
    "thesis_table_6_3": Source("survival", "thesis_table_6_3_SYNTHETIC", _renamed_columns()),
    "thesis_table_6_4": Source("survival", "thesis_table_6_4_SYNTHETIC", _renamed_columns()),
}


#: Numbers in the text of the thesis that have a source of their own, by criterion and metric.
TEXT = {("section_3.4.2", "n_leaves_mean"): "leaves", ("section_5.4", "n_trees"): "trees"}


def _same_cell(row: Mapping[str, str]) -> dict[str, str] | None:
    """The cell that holds a number of the thesis' text; None for one that no table holds."""
    place = (row["criterion"], row["metric"])
    if place in TEXT:
        return {**row, "table": TEXT[place]}
    if row["criterion"] in ("experiment_1", "experiment_2"):
        which = {"experiment_1": "thesis_table_3_4", "experiment_2": "thesis_table_3_5"}
        metric = re.sub("_(smallest|largest)$", "", row["metric"])
        return {**row, "table": which[row["criterion"]], "criterion": "", "metric": metric}
    return None


# --------------------------------------------------------------------------------- the cells


@step(outputs=("parquet", "csv"))
def comparison(
    tables: Frames, published: Printed, experiments: Sequence[str], configuration: str
) -> dict[str, pd.DataFrame]:
    """Each cell of data/published beside its measured value.

    Returns: parquet and csv, the same table twice: a row per cell, in the order of the files, with
    columns as in `ORDER`. published is the text as printed; published_value and measured are
    numbers, NaN where there is none (yes is 1, no is 0); measured_text holds what is measured where
    a cell is a word. reason is empty where it is measured, else one of `REASONS`. sd, low, high and
    n tell what `spread` names. row is the row of the table measured_in, from 1.
    """
    measurements = _MeasuredCells(tables, experiments)
    lines = []
    for name in sorted(published):
        for row in published[name].to_dict("records"):
            line = {column: row[column] for column in (*KEY, "unit")}
            line |= {"published": row["value"], "published_value": _number(row)}
            lines.append(line | measurements.of(row) | {"configuration": configuration})
    cells = pd.DataFrame(lines, columns=ORDER)
    numbers = ["published_value", "measured", "sd", "low", "high"]
    cells = cells.astype(dict.fromkeys(numbers, float)).astype({"n": "Int64", "row": "Int64"})
    cells["difference"] = (cells["measured"] - cells["published_value"]).round(9)
    texts = cells.columns.difference([*numbers, "difference", "n", "row"])
    cells[texts] = cells[texts].fillna("")
    return {"parquet": cells, "csv": cells}


class _MeasuredCells:
    """Measured cells, read from each table once."""

    def __init__(self, tables: Frames, experiments: Sequence[str]):
        self.tables, self.experiments = tables, experiments
        self._read: dict[str, tuple[list[str], dict]] = {}

    def of(self, row: Mapping[str, str]) -> dict[str, Any]:
        """What is measured of a printed cell, or why nothing is."""
        other = _same_cell(row) if row["table"] == "thesis_text_numbers" else row
        source = SOURCES.get((other or row)["table"])
        experiment = source.experiment if source else _experiment_of(row)
        entry = {"experiment": experiment}
        why = _unmeasurable(row)
        if why is None and experiment not in self.experiments:
            why = "not_run"
        if why is None and (other is None or source is None):
            why = "no_table"
        if why is not None:
            return entry | {"reason": REASONS[why]}
        cell = self._cell(source, other)
        if cell is None:
            return entry | {"reason": REASONS["no_table"]}
        value = cell.get("measured")
        if cell["row"]:
            entry |= {"measured_in": source.table, "row": cell["row"]}
        if isinstance(value, str) and value not in ("", "nan") and row["unit"] == "winner":
            entry["measured_text"] = value
        elif isinstance(value, str) and value in _WORDS:
            entry |= {"measured": _WORDS[value], "measured_text": value}
        elif _is_number(value):
            entry["measured"] = float(value)
            if row["unit"] == "yes_no":
                entry["measured_text"] = "yes" if entry["measured"] else "no"
        else:
            why = _STATUS.get(cell.get("status"), "too_few")
            return entry | {"reason": REASONS[why]}
        spread = {k: cell[k] for k in ("sd", "low", "high", "n", "spread") if k in cell}
        return entry | {k: v for k, v in spread.items() if v is not None and v == v}

    def _cell(self, source: Source, row: Mapping[str, str]) -> dict[str, Any] | None:
        name = row["table"]
        if name not in self._read:
            table = self.tables[source.table]
            table = table.assign(row=np.arange(1, len(table) + 1))
            long = source.read(table, self.tables)
            by = [column for column in KEY[1:] if column in long]
            cells: dict[tuple, dict] = {}
            for line in long.to_dict("records"):
                # Where a printed cell stands for several sets, the first that was run speaks.
                key = tuple(_plain(line[column]) for column in by)
                if key not in cells or not _is_measurable(cells[key]["measured"]):
                    cells[key] = line
            self._read[name] = by, cells
        by, cells = self._read[name]
        return cells.get(tuple(_plain(row[column]) for column in by))


def _unmeasurable(row: Mapping[str, str]) -> str | None:
    """Why no run could measure a cell, a key of `REASONS`; None where one could."""
    if row["metric"].startswith("runtime"):
        return "time"
    if row["criterion"] in EXAMPLES:
        return "example"
    if row["dataset"] in PRIVATE:
        return "description" if row["unit"] == "text" else "private"
    if row["unit"] == "text":
        return "description"
    if row["table"].endswith("_text_numbers") and row["criterion"] in SETTINGS:
        return "setting"
    if row["table"].endswith("_text_numbers") and row["criterion"] in READ_OFF:
        return "reading"
    return None


def _experiment_of(row: Mapping[str, str]) -> str:
    """The experiment that a number in the text is about."""
    if row["table"] == "confdtree_text_numbers":
        return "confidence"
    if row["dataset"] == "lvef_data_science_bowl":
        return "soft_illustration"
    section = row["criterion"]
    if section.startswith(("section_4.5", "section_4.6")):
        return "search"
    if section.startswith("section_5"):
        return "structure"
    return "survival" if row["dataset"] == "aortic_stenosis_registry" else "soft"


def _number(row: Mapping[str, str]) -> float:
    """The number of a printed cell; yes is 1, no is 0; of ratios of classes the largest."""
    if row["unit"] == "ratio_as_printed":
        return max(map(float, re.findall(r"\d+\.?\d*", row["value"])))
    if row["unit"] == "yes_no":
        return _WORDS[row["value"]]
    if row["unit"] in ("text", "winner", "hh:mm"):
        return np.nan
    return published_number(row["value"].replace(" ", ""))


def _plain(value: Any) -> str:
    """A part of a key, the same from a text and from a number."""
    if not _is_measurable(value):
        return ""
    return f"{float(value):g}" if _is_number(value) else str(value)


def _is_measurable(value: Any) -> bool:
    return value is not None and value == value and value != ""


def _is_number(value: Any) -> bool:
    try:
        return float(value) == float(value)
    except (TypeError, ValueError):
        return False
