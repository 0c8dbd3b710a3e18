"""What the papers print that cannot be: each found by a computation over the other printed numbers.

Each function takes the printed cells and returns what is printed, what follows, and whether the two
contradict each other; where text contradicts text, the two places are named and marked so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.showing.numbers import p_words, points
from hedgerow_study.experiments.published_cells import Printed, published_number

MANUAL = "by reading"
#: Half of the last printed digit of F1 and of F1 per leaf (tables 4.1, 4.3 and 4.5).
HALF_DIGIT = 0.05
#: mg/dl of creatinine in umol/l: 10,000 over its molar mass of 113.12 g/mol.
CREATININE = 1e4 / 113.12
#: What is less than this is not 'nearly half' by any interpretation.
NEARLY_HALF = 0.4


@dataclass(frozen=True)
class Finding:
    """What the paper prints, what follows from other numbers, and whether they contradict."""

    printed: str
    follows: str
    is_inconsistent: bool


@dataclass(frozen=True)
class Inconsistency:
    """What is computed, or what was read where nothing can be computed (`manual_finding`).

    place: id of the table, or section of the paper; computed: in words, or `by reading`.
    """

    id: str
    paper: str
    place: str
    computed: str
    find: Callable[[Cells], Finding] | None = None
    manual_finding: Finding | None = None

    @property
    def function(self) -> str:
        """Module and name of the computation; empty for what was read."""
        return f"{self.find.__module__}:{self.find.__name__}" if self.find else ""


class Cells:
    """Printed cells.

    sizes: paper, then printed name of a data set: rows, variables and rows of each class in the
    files that there are (`hedgerow_study.workflow.settings.config.printed_sizes`).
    """

    def __init__(self, published: Printed, sizes: Mapping[str, Mapping[str, Mapping[str, Any]]]):
        self.published, self.sizes = published, sizes

    def rows(self, table: str, **key: Any) -> pd.DataFrame:
        """Rows of a table; a list takes any of its values. `number` is the value as one."""
        rows = self.published[table]
        for column, wanted in key.items():
            rows = rows[rows[column].isin(wanted if isinstance(wanted, list) else [wanted])]
        units = rows["unit"].isin(["text", "winner", "yes_no", "hh:mm", "ratio_as_printed"])
        texts = rows["value"].where(~units, "-").str.replace(" ", "")
        return rows.assign(number=texts.map(published_number))

    def text(self, table: str, **key: Any) -> str:
        """The text of one cell."""
        (value,) = self.rows(table, **key)["value"]
        return value

    def number(self, table: str, **key: Any) -> float:
        """The number of one cell."""
        (value,) = self.rows(table, **key)["number"]
        return value

    def wide(self, table: str, metric: str, column: str = "method", **key: Any) -> pd.DataFrame:
        """Numbers of a metric, a row per data set, without rows of sums."""
        rows = self.rows(table, metric=metric, **key)
        rows = rows[~rows["dataset"].str.endswith("_datasets")]
        return rows.pivot(index="dataset", columns=column, values="number")


def table_of(published: Printed, sizes: Mapping) -> pd.DataFrame:
    """All misprints.

    Returns: id, paper, place, printed, follows, computed, stands, function
    """
    cells = Cells(published, sizes)
    lines = []
    for misprint in MISPRINTS:
        erratum = misprint.find(cells) if misprint.find else misprint.manual_finding
        line = (misprint.id, misprint.paper, misprint.place, erratum.printed, erratum.follows)
        lines.append((*line, misprint.computed, erratum.is_inconsistent, misprint.function))
    columns = ["id", "paper", "place", "printed", "follows", "computed", "stands", "function"]
    return pd.DataFrame(lines, columns=columns)


def _joined_finding(errata: list[tuple[str, str, str]]) -> Finding:
    """Several cells of one kind: (where, printed, follows)."""
    return Finding(
        "; ".join(f"{where} {printed}" for where, printed, _ in errata),
        "; ".join(f"{where} {follows}" for where, _, follows in errata),
        bool(errata),
    )


def _display_name(key: str) -> str:
    return key.replace("_", " ")


def _version(method: str) -> str:
    return method.removeprefix("confdtree_").upper()


# ------------------------------------------------------------------------------ thesis, chapter 3


def sizes_of_chapter_3(cells: Cells) -> Finding:
    """Variables and rows of table 3.1 that no file of the data set has."""
    return _joined_finding(_other_sizes(cells, "thesis_table_3_1", "thesis3"))


def _other_sizes(cells: Cells, table: str, paper: str) -> list[tuple[str, str, str]]:
    of_metric = {"n_instances": "rows", "n_variables": "variables", "n_classes": "classes"}
    errata = []
    for row in cells.rows(table, metric=list(of_metric)).itertuples():
        sizes = cells.sizes[paper].get(row.dataset)
        word = of_metric[row.metric]
        if sizes is None:
            continue
        actual = len(sizes["classes"]) if word == "classes" else sizes[word]
        if row.number != actual:
            errata.append((f"{_display_name(row.dataset)} ({word})", row.value, str(actual)))
    return errata


def left_leaf(cells: Cells) -> Finding:
    """Probabilities of the left leaf under soft training propagation do not add up to 1."""
    rows = cells.rows("thesis_table_3_2", method="stp", criterion="leaf_left")
    total = rows["number"].sum()
    return Finding(" and ".join(rows["value"]), f"sum {total:.3f}", abs(total - 1) > 0.001)


def misclassified(cells: Cells) -> Finding:
    """Patients in table 3.3 against those that the text counts."""
    patients = cells.rows("thesis_table_3_3")["criterion"].drop_duplicates()
    n_table = [int(patients.str.endswith(kind).sum()) for kind in ("_fn", "_fp")]
    n_text = [
        int(cells.number("thesis_text_numbers", metric=metric))
        for metric in ("n_false_negatives", "n_false_positives")
    ]
    words = "{} false negatives and {} false positives"
    return Finding(f"text: {words.format(*n_text)}", words.format(*n_table), n_table != n_text)


def times_without_noise(cells: Cells) -> Finding:
    """Running times at noise 0, where both experiments have the same models."""
    errata = []
    for method in cells.rows("thesis_table_3_4", metric="runtime_diff_c45")["method"].unique():
        key = {"metric": "runtime_diff_c45", "method": method, "noise": "0.00"}
        one, two = (cells.text(f"thesis_table_3_{n}", **key) for n in (4, 5))
        if float(one) != float(two):
            errata.append((method.upper(), f"{two} s", f"{one} s in table 3.4"))
    return _joined_finding(errata)


def soft_evaluation_of_test_noise(cells: Cells) -> Finding:
    """Soft evaluation above C4.5 in standardised accuracy and not above in percentage points."""
    std = cells.rows("thesis_table_3_5", metric="accuracy_std", method=["se", "c45"])
    gain = std.pivot(index="noise", columns="method", values="number")
    above = (gain["se"] - gain["c45"]).round(9)
    accuracy = cells.rows("thesis_table_3_5", metric="accuracy_diff_c45", method="se")
    accuracy = accuracy.set_index("noise")["number"]
    both = [n for n in above.index if above[n] > 0 and accuracy[n] <= 0]
    return _joined_finding(
        [(f"noise {n}:", f"{above[n]:+.2f} sd", points(accuracy[n])) for n in both]
    )


def soft_evaluation_of_training_noise(cells: Cells) -> Finding:
    """The largest difference of soft evaluation to C4.5, which the text says is never above 0."""
    rows = cells.rows("thesis_table_3_4", metric="accuracy_diff_c45", method="se")
    best = rows.loc[rows["number"].idxmax()]
    claim = "text: soft evaluation is equal to C4.5 or below it in experiment 1"
    return Finding(claim, f"{points(best.number)} at noise {best.noise}", bool(best.number > 0))


# ------------------------------------------------------------------------------ thesis, chapter 4

_TRIPLES = ("thesis_table_4_1", "thesis_table_4_3", "thesis_table_4_5")
_WINS = {"f1": max, "n_leaves": min, "f1_per_leaf": max}


def sizes_of_chapter_4(cells: Cells) -> Finding:
    """Rows of table 4.7 that no file of the data set has."""
    return _joined_finding(_other_sizes(cells, "thesis_table_4_7", "thesis4"))


def ratios(cells: Cells) -> Finding:
    """F1 per leaf that is not F1 over leaves, with all three rounded as printed."""
    errata = {}
    for table in _TRIPLES:
        columns = ["dataset", "method", "criterion"]
        rows = cells.rows(table, metric=list(_WINS))
        rows = rows[~rows["dataset"].str.endswith("_datasets")]
        wide = rows.pivot(index=columns, columns="metric", values="number")
        exact = wide["f1"] / wide["n_leaves"]
        off = (exact - wide["f1_per_leaf"]).abs() > HALF_DIGIT + HALF_DIGIT / wide[
            "n_leaves"
        ] + 1e-4
        for dataset, method, criterion in wide.index[off]:
            line = wide.loc[(dataset, method, criterion)]
            where = " ".join(
                filter(None, [_display_name(dataset), method, _display_name(criterion)])
            )
            # Cells that two tables share are one misprint.
            errata.setdefault(where, (f"{line.f1_per_leaf:g}", f"{line.f1:g}/{line.n_leaves:g}"))
    return _joined_finding([(where, *pair) for where, pair in errata.items()])


def wins(cells: Cells) -> Finding:
    """Footers of tables 4.1, 4.3 and 4.5 against a count of the cells, ties for each."""
    errata = []
    for table in _TRIPLES:
        number = table.removeprefix("thesis_table_").replace("_", ".")
        footers = cells.rows(table, metric=[f"n_wins_{metric}" for metric in _WINS])
        for row in footers.itertuples():
            metric = row.metric.removeprefix("n_wins_")
            counted = _n_wins(cells, table, metric)[row.method, row.criterion]
            if counted != row.number:
                name = " ".join(filter(None, [number, row.method, row.criterion, metric]))
                errata.append((name, row.value, str(counted)))
    return _joined_finding(errata)


def _n_wins(cells: Cells, table: str, metric: str) -> dict[tuple[str, str], int]:
    rows = cells.rows(table, metric=metric)
    rows = rows[~rows["dataset"].str.endswith("_datasets")]
    wide = rows.pivot(index="dataset", columns=["method", "criterion"], values="number")
    best = wide.max(axis=1) if _WINS[metric] is max else wide.min(axis=1)
    return wide.eq(best, axis=0).sum().to_dict()


def repeated_triples(cells: Cells) -> Finding:
    """Data sets of table 4.3 whose three numbers of one method are those of another data set."""
    rows = cells.rows("thesis_table_4_3", metric=list(_WINS))
    rows = rows[~rows["dataset"].str.endswith("_datasets")]
    errata = []
    for method, lines in rows.groupby("method"):
        wide = lines.pivot(index="dataset", columns="metric", values="value")[list(_WINS)]
        for _, same in wide.groupby(list(_WINS)):
            if len(same) > 1:
                names = " and ".join(_display_name(name) for name in same.index)
                errata.append((f"{method}:", " / ".join(same.iloc[0]), f"twice, {names}"))
    return _joined_finding(errata)


def arrows(cells: Cells) -> Finding:
    """Arrows of tables 4.2, 4.4 and 4.6 against tests of the cells that they are about."""
    errata = []
    for table, of in (("4_2", "4_1"), ("4_4", "4_3"), ("4_6", "4_5")):
        for row in cells.rows(f"thesis_table_{table}", unit="winner").itertuples():
            if "uncertain" in row.note:
                continue
            metric = row.metric.removesuffix("_wilcoxon_better")
            first, second = row.criterion.split("|")
            column = "criterion" if table == "4_2" else "method"
            wide = cells.wide(f"thesis_table_{of}", metric, column, **_main(of))[[first, second]]
            result = significance.wilcoxon(
                *wide.dropna().to_numpy().T, (first, second), "two-sided"
            )
            apart = _ranked_sum(wide[first] - wide[second])
            higher = first if apart > 0 else second
            lower = second if apart > 0 else first
            better = lower if metric == "n_leaves" else higher
            follows = better if result.p < 0.05 else "none"
            if follows != row.value:
                where = f"{table.replace('_', '.')} {metric} {first} against {second}"
                errata.append((f"{where}:", row.value, f"{follows} ({p_words(result.p)})"))
    return _joined_finding(errata)


def _ranked_sum(differences: pd.Series) -> float:
    """Sum of signed ranks of what is not 0."""
    nonzero = differences[differences.round(9) != 0].round(9)
    return float((np.sign(nonzero) * nonzero.abs().rank()).sum())


def _main(table: str) -> dict[str, Any]:
    """What tells the columns of a table that are compared: all of them have one criterion."""
    methods = ["c45", "ete", "uct_vs", "uct_c45b"]
    return {"method": methods} if table == "4_5" else {}


def anova_of_policies(cells: Cells) -> Finding:
    """p of the analysis of variance in table 4.4, from the cells of table 4.3."""
    errata = []
    for metric in _WINS:
        wide = cells.wide("thesis_table_4_3", metric).dropna()
        shares = significance.share_of_largest(wide.to_numpy())
        p = significance.repeated_measures_anova(shares, tuple(wide.columns)).p
        printed = cells.text("thesis_table_4_4", metric=f"{metric}_anova_p")
        if f"{p:.3f}" != f"{float(printed):.3f}":
            errata.append((metric, printed, f"{p:.3f}"))
    return _joined_finding(errata)


def critical_value(cells: Cells) -> Finding:
    """Critical value of Friedman's test in table 4.6."""
    from scipy import stats

    printed = cells.text("thesis_table_4_6", metric="friedman_critical_value")
    wide = cells.wide("thesis_table_4_5", "f1", **_main("4_5"))
    k = wide.shape[1]
    right = stats.chi2.ppf(0.95, k - 1)
    used = 1 + round(float(np.interp(float(printed), stats.chi2.ppf(0.95, [1, 2, 3, 4]), range(4))))
    printed = f"{printed} ({used} degrees of freedom)"
    return Finding(printed, f"{right:.2f} ({k} methods: {k - 1})", used != k - 1)


def friedman_of_methods(cells: Cells) -> Finding:
    """Friedman's statistics of table 4.6, from the cells of table 4.5."""
    from scipy import stats

    errata = []
    for metric in _WINS:
        wide = cells.wide("thesis_table_4_5", metric, **_main("4_5")).dropna()
        result = stats.friedmanchisquare(*wide.to_numpy().T)
        ties = stats.rankdata(wide.to_numpy(), axis=1).mean(axis=0)
        n, k = wide.shape
        plain = 12 * n / (k * (k + 1)) * ((ties - (k + 1) / 2) ** 2).sum()
        printed = cells.text("thesis_table_4_6", metric=f"{metric}_friedman_chi2")
        if round(float(printed), 2) not in (round(result.statistic, 2), round(plain, 2)):
            follows = f"{result.statistic:.2f}, {p_words(result.pvalue)} (without ties {plain:.2f})"
            errata.append((metric, printed, follows))
    return _joined_finding(errata)


def pruning_of_small_sets(cells: Cells) -> Finding:
    """Data sets below 730 rows on which value pruning is above C4.5, which 4.6.1 excludes."""
    rows = cells.wide("thesis_table_4_7", "n_instances", "metric")["n_instances"]
    limit = cells.number("thesis_text_numbers", metric="dataset_size_limit_value_pruning")
    pruned = cells.wide("thesis_table_4_1", "f1", "criterion")["vp"]
    above = pruned > cells.wide("thesis_table_4_5", "f1")["c45"].reindex(pruned.index)
    small = rows.reindex(pruned.index) < limit
    n_above, n_small = int((above & small).sum()), int(small.sum())
    claim = f"text: value pruning is not able to beat C4.5 below {limit:.0f} rows"
    return Finding(claim, f"above C4.5 on {n_above} of {n_small} such sets", n_above > 0)


def yes_of_table_4_7(cells: Cells) -> Finding:
    """Data sets that table 4.7 says UCT-DT is better on, and whose cells in table 4.5 do not."""
    errata = []
    for metric in ("f1", "f1_per_leaf"):
        rows = cells.rows("thesis_table_4_7", metric=f"uct_{metric}_above_c45")
        wide = cells.wide("thesis_table_4_5", metric)
        best = wide[["uct_vs", "uct_c45b"]].max(axis=1)
        for row in rows.itertuples():
            actual = "yes" if best[row.dataset] > wide.loc[row.dataset, "c45"] else "no"
            if actual != row.value:
                pair = f"{best[row.dataset]:g} against {wide.loc[row.dataset, 'c45']:g}"
                errata.append(
                    (f"{_display_name(row.dataset)} ({metric})", row.value, f"{actual}, {pair}")
                )
    return _joined_finding(errata)


# ------------------------------------------------------------------------ thesis, chapters 5 and 6


def closer_to_predictions(cells: Cells) -> Finding:
    """Norms of table 5.1 where correlations bring a distance no closer to the predictions."""
    errata = []
    for metric in ("norm_diff_to_d_kl", "norm_diff_to_d_p"):
        for scale in ("unnormalized", "normalized"):
            for kind in ("a", "b"):
                key = {"metric": metric, "criterion": scale}
                norms = cells.rows("thesis_table_5_1", **key).set_index("method")["number"]
                one = norms[f"edit_{kind}1"]
                two = norms[[m for m in norms.index if m.startswith(f"edit_{kind}2")]].iloc[0]
                if two >= one:
                    name = f"{scale} {kind.upper()}2 ({metric.removeprefix('norm_diff_to_')})"
                    errata.append((name, "closer, says the text", f"{two:g} against {one:g}"))
    return _joined_finding(errata)


def whole_patients(cells: Cells) -> Finding:
    """The accuracy of table 6.2, which no whole number of its test patients has."""
    key = {"metric": "n_test", "dataset": "aortic_stenosis_registry"}
    n = int(cells.number("thesis_text_numbers", **key))
    printed = cells.number("thesis_table_6_2", metric="accuracy")
    below = int(printed * n / 100)
    near = [f"{k} are {100 * k / n:.1f} %" for k in (below, below + 1)]
    is_possible = any(round(100 * k / n, 1) == printed for k in (below, below + 1))
    return Finding(f"{printed:g} % of {n} patients", " and ".join(near), not is_possible)


def quartiles_in_order(cells: Cells) -> Finding:
    """Nodes of table 6.3 with quartiles out of order."""
    metrics = [f"survival_q{n}" for n in (1, 2, 3)]
    rows = cells.rows("thesis_table_6_3", metric=metrics)
    errata = []
    for node, lines in rows.groupby("criterion"):
        numbers = lines.set_index("metric")["number"].reindex(metrics)
        if (numbers.diff() < 0).any():
            printed = ", ".join(f"{v:g}" for v in numbers)
            right = ", ".join(f"{v:g}" for v in sorted(numbers))
            errata.append((f"{_display_name(node)}:", printed, f"{right} in order"))
    return _joined_finding(errata)


def row_of_all(cells: Cells) -> Finding:
    """The row of all individuals in table 6.4, which has differences, against that of table 6.3."""
    one = cells.rows("thesis_table_6_3", criterion="all")["value"].tolist()
    two = cells.rows("thesis_table_6_4", criterion="all")["value"].tolist()
    return Finding(
        ", ".join(two), f"{', '.join(one)} in table 6.3, of other quantities", one == two
    )


def gains_of_intervention(cells: Cells) -> Finding:
    """Nodes 7 and 10, where the text sees longer survival after an intervention."""
    errata = []
    for node in ("node_7", "node_10"):
        key = {"criterion": node, "method": "kaplan_meier"}
        gain = cells.number("thesis_table_6_4", metric="delta_q1", **key)
        if gain < 0:
            errata.append((_display_name(node), "longer, says the text", f"{gain:+g} years at Q1"))
    return _joined_finding(errata)


def nearly_halved(cells: Cells) -> Finding:
    """Nodes 2, 3 and 5, whose hazard ratios the text calls nearly halved after an intervention."""
    errata = []
    for node in ("node_2", "node_3", "node_5"):
        key = {"criterion": node, "metric": "hr"}
        before, after = (
            cells.number("thesis_table_6_4", method=method, **key)
            for method in ("cox_no_vi", "cox_vi")
        )
        # Both have one decimal.
        largest = (after + 0.05) / (before - 0.05)
        if largest < NEARLY_HALF:
            printed = f"{before} to {after}, nearly halved, says the text"
            follows = f"{after / before:.2f} of it, {largest:.2f} at most by rounding"
            errata.append((f"{_display_name(node)}:", printed, follows))
    return _joined_finding(errata)


def creatinine(cells: Cells) -> Finding:
    """The threshold of creatinine in the unit that it must have."""
    key = {"metric": "creatinine", "criterion": "threshold"}
    value, unit = cells.number("thesis_text_numbers", **key), "umol/l"
    printed = cells.rows("thesis_text_numbers", **key)["unit"].item()
    follows = f"{value:g} mg/dl, which is {value * CREATININE:.0f} {unit}"
    # Nobody lives with less than a tenth of the usual 45 to 110 umol/l.
    return Finding(f"{value:g} {printed}", follows, printed == unit and value < 4.5)


# -------------------------------------------------------------------------------------- ConfDTree


def class_ratios(cells: Cells) -> Finding:
    """Ratios of classes in table I against the rows of each class in the files."""
    errata = []
    for row in cells.rows("confdtree_table_1", metric="imbalance_ratio").itertuples():
        sizes = cells.sizes["confdtree"].get(row.dataset)
        printed = sorted(re.findall(r"\d+\.?\d*", row.value), key=float)
        if sizes is None or len(printed) != len(sizes["classes"]):
            continue
        rows = sorted(sizes["classes"])
        actual = [n / rows[0] for n in rows]
        if any(
            _differs_from_ratio(text, ratio) for text, ratio in zip(printed, actual, strict=True)
        ):
            right = " : ".join(f"{v:.4g}" for v in actual)
            errata.append(
                (_display_name(row.dataset), row.value, f"{right} ({' : '.join(map(str, rows))})")
            )
    return _joined_finding(errata)


def _differs_from_ratio(text: str, number: float) -> bool:
    """Whether a number cannot be rounded to a text, nor come near it."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - number) > max(0.5 * 10.0**-digits, 0.02 * number)


def sizes_of_confdtree(cells: Cells) -> Finding:
    """Classes, variables and rows of table I that no file of the data set has."""
    return _joined_finding(_other_sizes(cells, "confdtree_table_1", "confdtree"))


_GAIN = {"metric": "relative_auc_improvement_vs_c45", "criterion": "average_auc"}
_VERSIONS = ["confdtree_norm", "confdtree_tdist", "confdtree_comb"]


def _gains(cells: Cells) -> pd.DataFrame:
    rows = cells.rows("confdtree_table_1", **_GAIN)
    return rows.pivot(index="dataset", columns="method", values="number")


def one_set_twice(cells: Cells) -> Finding:
    """Diabetes and pima: the same data set by their columns, with other results."""
    facts = ["n_classes", "n_numeric_variables", "n_variables", "n_instances", "imbalance_ratio"]
    same = [
        cells.rows("confdtree_table_1", dataset=name, metric=facts)["value"].tolist()
        for name in ("diabetes", "pima")
    ]
    gains = _gains(cells)[_VERSIONS]
    printed = [", ".join(f"{v:g}" for v in gains.loc[name]) for name in ("diabetes", "pima")]
    stands = same[0] == same[1] and printed[0] != printed[1]
    return Finding(
        f"gains {printed[0]} and {printed[1]} %", "the same gains: all five columns agree", stands
    )


def all_outperform(cells: Cells) -> Finding:
    """Gains that are not above 0, beyond the two of TDIST that the text excepts."""
    gains = _gains(cells)[_VERSIONS]
    errata = [
        (
            f"{_display_name(name)}, {_version(method)}",
            "outperforms, says the text",
            f"{gains.loc[name, method]:.1f} %",
        )
        for name in gains.index
        for method in _VERSIONS
        if gains.loc[name, method] <= 0
        and (name, method) not in {(s, "confdtree_tdist") for s in ("spambase", "miniboone")}
    ]
    return _joined_finding(errata)


def upper_bound(cells: Cells) -> Finding:
    """Data sets on which the random forest, called an upper bound, is below a version."""
    gains = _gains(cells)
    errata = []
    for name, line in gains.iterrows():
        best = line[_VERSIONS].idxmax()
        if line[best] > line["rf"]:
            follows = f"{_version(best)} {line[best]:g} %"
            errata.append((_display_name(name), f"upper bound {line['rf']:g} %", follows))
    return _joined_finding(errata)


def balance_of_miniboone(cells: Cells) -> Finding:
    """How many two-class data sets are more balanced than MiniBooNE, called one of the most."""
    rows = cells.rows("confdtree_table_1", metric="imbalance_ratio")
    ratio = rows.set_index("dataset")["value"].str.findall(r"\d+\.?\d*")
    ratio = ratio[ratio.str.len() == 2].str[1].astype(float)
    n = int((ratio < ratio["miniboone"]).sum())
    claim = f"text: one of the most balanced (1 : {ratio['miniboone']:g})"
    return Finding(
        claim, f"{n} of {len(ratio) - 1} two-class sets are more so", n > len(ratio) // 4
    )


def average_gain(cells: Cells) -> Finding:
    """Mean gains of table I against the '5 to 9 per cent' of the abstract."""
    low = cells.number("confdtree_text_numbers", metric="average_improvement_low")
    means = _gains(cells)[_VERSIONS].mean()
    follows = ", ".join(f"{_version(m)} {v:.1f} %" for m, v in means.items())
    below = int((means.round(0) < low).sum())
    return Finding(f"abstract: {low:g} % or more on average", follows, below > 0)


def _of_tests(cells: Cells) -> pd.DataFrame:
    rows = cells.rows("confdtree_table_2")
    return rows.pivot(index=["dataset", "criterion", "method"], columns="metric", values="number")


def _n_sets(cells: Cells, kind: str) -> int:
    classes = cells.rows("confdtree_table_1", metric="n_classes")["number"]
    return int((classes == 2).sum() if kind == "binary_datasets" else (classes > 2).sum())


def p_of_t(cells: Cells) -> Finding:
    """p of the paired t tests in table II, from t and the degrees of freedom."""
    from scipy import stats

    errata = []
    for (kind, criterion, method), line in _of_tests(cells).iterrows():
        freedom = _n_sets(cells, kind) - 1
        # t has three decimals at most, p as many: both are rounded.
        ends = [2 * stats.t.sf(abs(line["paired_t"]) + d, freedom) for d in (-5e-4, 5e-4)]
        if not min(ends) - 6e-4 <= line["paired_t_p"] <= max(ends) + 6e-4:
            right = 2 * stats.t.sf(abs(line["paired_t"]), freedom)
            # 0.15 for 0.1501 is rounded to two.
            if round(right, 2) == round(line["paired_t_p"], 3):
                continue
            where = f"{_display_name(kind)}, {_version(method)}, {_display_name(criterion)}"
            printed = f"t = {line['paired_t']:g}, p = {line['paired_t_p']:g}"
            errata.append(
                (f"{where}:", printed, f"{p_words(right)} ({freedom} degrees of freedom)")
            )
    return _joined_finding(errata)


def z_of_ranks(cells: Cells) -> Finding:
    """z in table II where all gains of table I are positive: then no rank is left open."""
    errata = []
    classes = cells.rows("confdtree_table_1", metric="n_classes").set_index("dataset")["number"]
    for (kind, criterion, method), line in _of_tests(cells).iterrows():
        key = {**_GAIN, "criterion": criterion, "method": method}
        gains = cells.rows("confdtree_table_1", **key).set_index("dataset")["number"]
        two = classes.reindex(gains.index) == 2
        of_kind = gains[two if kind == "binary_datasets" else ~two]
        n = len(of_kind)
        z = -(n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        if (of_kind > 0).all() and abs(z - line["wilcoxon_z"]) > 5e-4:
            where = f"{_display_name(kind)}, {_version(method)}, {_display_name(criterion)}"
            errata.append((f"{where}:", f"z = {line['wilcoxon_z']:g}", f"{z:.3f} (all {n} gain)"))
    return _joined_finding(errata)


def best_of_three(cells: Cells) -> Finding:
    """How often each version has the largest gain, ties for each, where COMB is called the best."""
    gains = _gains(cells)[_VERSIONS]
    first = gains.eq(gains.max(axis=1), axis=0).sum()
    follows = ", ".join(f"{_version(m)} on {n}" for m, n in first.items())
    return Finding("text: COMB clearly performs best", follows, first.idxmax() != "confdtree_comb")


# -------------------------------------------------------------------------------------------- E2M


def row_printed_twice(cells: Cells) -> Finding:
    """Data sets of table 2 that have the same eight numbers."""
    rows = cells.rows("e2m_table_2")
    wide = rows.pivot(index="dataset", columns=["method", "criterion", "metric"], values="value")
    errata = []
    for _, same in wide.groupby(list(wide.columns)):
        if len(same) > 1:
            names = " and ".join(map(_display_name, same.index))
            errata.append((f"{names}:", ", ".join(same.iloc[0]), "no two data sets have one row"))
    return _joined_finding(errata)


def failures_as_leaves(cells: Cells) -> Finding:
    """Leaves of CART on balance scale, if a failure counts as one leaf and if it counts as none."""
    key = {"dataset": "balance_scale", "method": "cart", "criterion": "unpruned"}
    leaves = cells.number("e2m_table_2", metric="n_leaves", **key)
    failed = cells.number("e2m_table_2", metric="n_failures", **key)
    grown = (100 * leaves - failed) / (100 - failed)
    alone = 100 * leaves / (100 - failed)
    follows = f"{grown:.0f} leaves where it grows with a failure as one leaf, {alone:.0f} without"
    # At most 10 leaves are grown.
    return Finding(f"{leaves:g} leaves, {failed:g} failures of 100", follows, alone > 10)


def larger_trees(cells: Cells) -> Finding:
    """Data sets of table 2 on which CART is not larger than E2M."""
    return _joined_finding(
        _not_above(cells, "e2m_table_2", "n_leaves", "CART larger, says the text")
    )


def lower_errors(cells: Cells) -> Finding:
    """Data sets of table 1 on which E2M has the higher error rate."""
    return _joined_finding(
        _not_above(cells, "e2m_table_1", "error_rate", "E2M lower, says the text")
    )


def _not_above(cells: Cells, table: str, metric: str, claim: str) -> list[tuple[str, str, str]]:
    rows = cells.rows(table, metric=metric, method=["cart", "e2m"])
    wide = rows.pivot(index=["dataset", "criterion"], columns="method", values="number")
    wrong = wide[wide["cart"] < wide["e2m"]]
    return [
        (f"{_display_name(name)} {state}", claim, f"CART {line.cart:g}, E2M {line.e2m:g}")
        for (name, state), line in wrong.iterrows()
    ]


# ------------------------------------------------------------------------------------- all of them


def _computed(
    find: Callable[[Cells], Finding], place: str, computed: str, name: str = ""
) -> Inconsistency:
    return Inconsistency(name or find.__name__, "", place, computed, find)


def _read(name: str, place: str, printed: str, follows: str) -> Inconsistency:
    return Inconsistency(name, "", place, MANUAL, None, Finding(printed, follows, True))


_THESIS = (
    _computed(
        sizes_of_chapter_3,
        "thesis_table_3_1",
        "rows, variables and classes of the files",
        "sizes_3",
    ),
    _computed(left_leaf, "thesis_table_3_2", "sum of two probabilities"),
    _computed(misclassified, "thesis_table_3_3", "count of patients"),
    _read(
        "candidates",
        "3.4.1",
        "soft search has at most about 2.3e3 candidates on 500 values (w = 8, d = 0.05, u = 0.1)",
        "about 500 for values from 0 to 100 %: the grid of equation 3.7 has steps of delta sigma, "
        "where the printed bound divides by delta alone",
    ),
    _read(
        "kernel",
        "3.2.1",
        "the kernel is zero where a value is farther than omega from the threshold",
        "omega / 2 sigma: there the grid of equation 3.7 ends, and omega counts sigmas",
    ),
    _read(
        "closed_form",
        "figure 3.4",
        "a closed form of P(d < 0) that gives 0.841 at sigma = 2",
        "0.921 by the integral that it stands for, and by simulation (docs/methods/soft_trees.md)",
    ),
    _read(
        "toy_example",
        "figure 3.3",
        "panel b: C4.5 gains most at 0.2",
        "with the values of 3.2.4 it gains as much at -0.2 as at 2, and nothing at 0.2",
    ),
    _read(
        "runtime_head",
        "thesis_table_3_5",
        "the row of running times is headed n_train",
        "n_test, as all other rows: in experiment 2 the noise is in the test data",
    ),
    _computed(times_without_noise, "thesis_table_3_5", "running times at noise 0 in both tables"),
    _computed(
        soft_evaluation_of_test_noise,
        "thesis_table_3_5",
        "differences of means in standard deviations and in percentage points",
        "se_test_noise",
    ),
    _computed(
        soft_evaluation_of_training_noise,
        "thesis_table_3_4",
        "largest difference to C4.5",
        "se_training_noise",
    ),
    _computed(sizes_of_chapter_4, "thesis_table_4_7", "rows of the files", "sizes_4"),
    _computed(ratios, "thesis_table_4_1", "F1 over leaves, with the bounds of rounding"),
    _computed(wins, "tables 4.1, 4.3 and 4.5", "count of the best cells, ties for each"),
    _computed(
        repeated_triples, "thesis_table_4_3", "data sets with the same three numbers of a method"
    ),
    _computed(
        arrows, "tables 4.2, 4.4 and 4.6", "Wilcoxon's signed-rank test of the cells, p < 0.05"
    ),
    _computed(
        anova_of_policies,
        "thesis_table_4_4",
        "within-subjects analysis of variance of shares of the largest",
    ),
    _computed(critical_value, "thesis_table_4_6", "95 % quantile of chi-squared"),
    _computed(friedman_of_methods, "thesis_table_4_6", "Friedman's test of the cells of table 4.5"),
    _computed(pruning_of_small_sets, "4.6.1", "cells of tables 4.1 and 4.5 by rows of table 4.7"),
    _computed(
        yes_of_table_4_7,
        "thesis_table_4_7",
        "largest cell of UCT-DT in table 4.5 against that of C4.5",
    ),
    _computed(
        closer_to_predictions, "thesis_table_5_1", "norms with correlations against those without"
    ),
    _read(
        "type_b_costs",
        "5.3.2",
        "the costs of type B are those of type A increased by 1",
        "decreased by 1 (equations 5.2 to 5.5)",
    ),
    _read(
        "strictly_greater",
        "5.3.2",
        "type-A distances are strictly greater than those of type B",
        "equal where nothing is substituted, as between a tree and its child in the search",
    ),
    _computed(whole_patients, "thesis_table_6_2", "accuracies that so many test patients can have"),
    _computed(quartiles_in_order, "thesis_table_6_3", "order of the quartiles of each node"),
    _computed(row_of_all, "thesis_table_6_4", "its first row against that of table 6.3"),
    _computed(gains_of_intervention, "6.3", "difference of the first quartile in table 6.4"),
    _computed(
        nearly_halved,
        "6.3",
        "ratio of the hazard ratios of the leaf in table 6.4, with the bounds of rounding",
    ),
    _computed(creatinine, "6.2", "mg/dl in umol/l by the molar mass"),
    _read(
        "stroke_volume",
        "6.3",
        "stroke volume below 65 ml (group 6), and below 65 % (nodes 6 and 7)",
        "ml: table 6.1 has ml per beat, and the test is the same",
    ),
    _read(
        "wall_thickness",
        "6.3",
        "nodes 2 and 3 differ by a test of the posterior wall",
        "no threshold is stated but in figure 6.1",
    ),
    _read(
        "alpha",
        "6.2",
        "for which nodes the curves were significantly different (p >= 0.005)",
        "p < 0.005, as in table 6.3 and figure 6.2",
    ),
)
_CONFDTREE = (
    _computed(
        class_ratios, "confdtree_table_1", "rows of each class in the files over the smallest"
    ),
    _computed(
        sizes_of_confdtree,
        "confdtree_table_1",
        "rows, variables and classes of the files",
        "sizes_confdtree",
    ),
    _computed(one_set_twice, "confdtree_table_1", "columns of diabetes and pima"),
    _computed(all_outperform, "confdtree_table_1", "gains that are not above 0"),
    _computed(upper_bound, "confdtree_table_1", "gain of the forest against the best version"),
    _computed(balance_of_miniboone, "IV.A", "two-class sets with a smaller ratio"),
    _computed(average_gain, "abstract", "means over the 17 data sets of table I"),
    _computed(best_of_three, "IV.A", "data sets on which each version is first"),
    _computed(p_of_t, "confdtree_table_2", "p of Student's t"),
    _computed(
        z_of_ranks, "confdtree_table_2", "z of Wilcoxon's test where every difference is positive"
    ),
)
_E2M = (
    _computed(row_printed_twice, "e2m_table_2", "data sets with the same row"),
    _computed(failures_as_leaves, "e2m_table_2", "leaves of the trees that were grown"),
    _computed(larger_trees, "e2m_table_2", "leaves of CART less those of E2M"),
    _computed(lower_errors, "e2m_table_1", "error rate of E2M less that of CART"),
    _read(
        "stopping",
        "algorithm 1",
        "repeat until the relative gain of likelihood is above gamma",
        "until it is below: the likelihood grows less and less",
    ),
    _read(
        "error_of_an_instance",
        "section 3",
        "e_i is 0 where the prediction is wrong, else 1; the error rate is the share of ones",
        "e_i is 1 where it is wrong: as printed the share is that of right predictions",
    ),
)
_EIG = (
    _read(
        "known_share",
        "section 4",
        "the reliability r of an attribute is its percentage of missing data",
        "the share that is known: definition 3 multiplies the gain of known values by r",
    ),
    _read(
        "best_improvement",
        "algorithm 1",
        "best_improvement is set to 0, compared with each gain, and never set again",
        "set to the gain that is above it: else the last test that gains anything is chosen",
    ),
    _read(
        "class_weight",
        "definition 1",
        "the weight of a class is a factor of its probability inside the weighted entropy",
        "once: the probability is a share of weights already (definition 2 shares them out)",
    ),
)
_BY_PAPER = {"thesis": _THESIS, "confdtree": _CONFDTREE, "e2m": _E2M, "eig": _EIG}
MISPRINTS = tuple(
    dataclasses.replace(misprint, paper=paper)
    for paper, found in _BY_PAPER.items()
    for misprint in found
)
