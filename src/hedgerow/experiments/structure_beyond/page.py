"""The section on the report page of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.structure.plan import VARIANTS
from hedgerow.experiments.structure_beyond.claims import (
    FEWEST_DATASETS,
    ensembles_verdict,
    question_verdict,
    stability_verdict,
)
from hedgerow.experiments.structure_beyond.plan import (
    BASE,
    DIVERSE,
    FEWEST_TREES,
    LEARNERS,
    LEVEL,
    METRICS,
    OF_LEARNERS,
    POOLS,
    QUESTIONS,
    SCALES,
    STRATEGIES,
    StructureBeyondPlan,
)
from hedgerow.experiments.structure_beyond.tables import (
    LEARNER_LABELS,
    MEAN,
    METRIC_LABELS,
    POOL_LABELS,
    SCORE_LABELS,
    STABILITY_LABELS,
    VARIANT_LABELS,
    strategy_label,
)
from hedgerow.reporting.html import Section, data_uri, number, render

# ---------------------------------------------------------------------------------- captions


def captions(tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan) -> dict[str, str]:
    """Caption of every table and figure, by id: what it shows and what was run.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id.
    plan : StructureBeyondPlan

    Returns
    -------
    dict of str
    """

    def ran(name: str, n_splits: int) -> str:
        there = sorted(set(tables[name]["dataset"]) - {MEAN})
        text = (
            f"Run: {', '.join(there)}; {n_splits} division{'s' if n_splits > 1 else ''} into "
            f"training and test data each, configuration {plan.configuration}."
        )
        absent = sorted(set(plan.datasets) - set(there))
        if absent:
            text += f" Absent, because no source answered: {', '.join(absent)}."
        synthetic = [d for d in there if d.startswith("synthetic_")]
        if synthetic:
            text += f" Synthetic: {', '.join(synthetic)}."
        return text

    of_variants = tables["structure_beyond_variants"]
    own = of_variants[of_variants["dataset"] == MEAN]
    n_forests = int(own["n_forests"].max())
    of_forests = f"{ran('structure_beyond_variants', plan.n_splits)} Forests: {n_forests}"
    n_wanted = plan.n_splits * tables["structure_beyond_ensembles"]["dataset"].nunique()
    n_wanted -= plan.n_splits  # of the mean
    if n_forests < n_wanted:
        of_forests += f" of {n_wanted}; the others have fewer than {FEWEST_TREES} trees"
    of_forests += "."
    of_ensembles = ran("structure_beyond_ensembles", plan.n_splits)
    of_samples = ran("structure_beyond_stability", plan.stability_splits)
    forests = (
        f"A forest of UCT-DT ({plan.n_iterations:,} iterations, VS) per division, "
        f"{plan.n_seeds} seed{'s' if plan.n_seeds > 1 else ''} of k-means."
    )
    missing = (
        "A metric is averaged over the forests that have it for all variants: pairs of trees that "
        "differ by a strongly correlated variable are rare."
    )
    pools = (
        f"Pools: forests of UCT-DT, scored by F1 on the validation set of the search, and "
        f"{plan.n_bagged} pruned C4.5 trees of bootstrap samples, scored by F1 on the training "
        f"rows outside of each sample. Diverse trees are chosen out of the best "
        f"{100 * plan.share:g} %. Random: mean of {plan.n_draws} draws. A forest of fewer than "
        f"{FEWEST_TREES} trees is no pool."
    )
    learners = (
        f"{plan.n_bootstrap} bootstrap samples of each training part, the same for all learners; "
        f"pruning confidence {plan.confidence:g}, noise factor of SS and STP {plan.factor:g}, "
        f"UCT-DT with VS, both prunings and {plan.uct_iterations:,} iterations; none is tuned."
    )
    drawn = (
        f"{plan.patterns_trees} trees of all rows of {plan.patterns_dataset}, clusters by the edit "
        f"distance B2 with Spearman's correlation, configuration {plan.configuration}."
    )
    return {
        "structure_beyond_variants": "Means over data sets of the eight distances, as they are "
        f"and normalised by the number of nodes. {forests} {missing} {of_forests}",
        "structure_beyond_ranks": "Mean rank over data sets, 1 for the highest value whether or "
        "not that is good, of the eight distances, as they are and normalised. Bar: the least "
        f"difference of two that Nemenyi's test calls significant at {LEVEL:g}. {forests} "
        f"{of_forests}",
        "structure_beyond_questions": "Difference of two means over the distances A1, A2, B1 and "
        "B2 (Spearman's correlation, not normalised, where nothing else is said), mean over data "
        f"sets. {forests} {missing} {of_forests}",
        "structure_beyond_prototypes": f"Means over data sets, with {plan.n_prototypes} "
        "prototypes of each cluster of the distance as it is. "
        f"{forests} {missing} {of_forests}",
        "structure_beyond_ensembles": "Test scores of the mean of the class probabilities of k "
        f"trees, in per cent, means over data sets. {pools} {of_ensembles}",
        "structure_beyond_ensembles_gain": "Macro F1 of k trees that are far in structure minus "
        "that of k trees chosen otherwise, in points; a circle per data set, a diamond for their "
        f"mean, filled where p < {LEVEL:g} after Holm's correction. {pools} {of_ensembles}",
        "structure_beyond_stability": "Means over pairs of trees, or trees, of bootstrap samples, "
        "then over data sets. Per test: the sum of all distances over the sum of the numbers of "
        f"tests of both trees. {learners} {of_samples}",
        "structure_beyond_spread": "Trees of bootstrap samples: a line per data set, the mean over "
        f"data sets in black. {learners} {of_samples}",
        "structure_beyond_patterns": "A random forest of scikit-learn, depth at most "
        f"{plan.patterns_depth}: {drawn}",
        "structure_beyond_bootstrap": f"Pruned C4.5 trees of bootstrap samples: {drawn}",
    }


#: Rule of the workflow that makes each table and figure, printed under it.
RULES = {"table": "structure_beyond_tables", "figure": "structure_beyond_figures"}

_SCALES = {
    "unnormalized": "As they are",
    "normalized": "Normalised (equation 5.6)",
    "prototypes": "Distances to prototypes (equation 5.1)",
}
#: Heads of columns, in two lines.
_QUESTIONS = {
    "correlation_in_a": ("A2", "A1"),
    "correlation_in_b": ("B2", "B1"),
    "unitary_substitution": ("B", "A"),
    "normalization": ("normalised", "as it is"),
    "pearson": ("Pearson", "Spearman"),
    "kendall": ("Kendall", "Spearman"),
    "prototypes_normalized": ("prototypes", "normalised"),
    "prototypes_unnormalized": ("prototypes", "as it is"),
}
#: What each question asks, for the list of answers.
_ASKED = {
    "correlation_in_a": "Correlations in the costs, type A (A2 against A1)",
    "correlation_in_b": "Correlations in the costs, type B (B2 against B1)",
    "unitary_substitution": "A substitution as one operation (B against A)",
    "normalization": "Normalised by the number of nodes, against as they are",
    "pearson": "Pearson's correlation against Spearman's",
    "kendall": "Kendall's correlation against Spearman's",
    "prototypes_normalized": "Distances to prototypes against normalised ones",
    "prototypes_unnormalized": "Distances to prototypes against distances as they are",
}
#: What the thesis says of its one forest (5.4.1, 5.4.2, 5.5), question by question.
_SAID = {
    "Type B keeps trees with other thresholds of the same variable together better than type A": (
        ("unitary_substitution", "same_variable_substitution_score_above_chance"),
    ),
    "Correlations bring distances closer to predictions": (
        ("correlation_in_b", "norm_diff_to_d_kl"),
        ("correlation_in_b", "norm_diff_to_d_p"),
        ("correlation_in_b", "rank_correlation_with_d_kl"),
        ("correlation_in_b", "rank_correlation_with_d_p"),
    ),
    "The normalisation loses similarity in structure": (
        ("normalization", "insertion_deletion_score_above_chance"),
        ("normalization", "same_variable_substitution_score_above_chance"),
    ),
    "The kind of correlation makes no difference": (
        ("pearson", "same_variable_substitution_score_above_chance"),
        ("kendall", "same_variable_substitution_score_above_chance"),
    ),
    "Distances to prototypes are a better normalisation": (
        ("prototypes_normalized", "insertion_deletion_score_above_chance"),
        ("prototypes_normalized", "same_variable_substitution_score_above_chance"),
        ("prototypes_normalized", "rank_correlation_with_d_p"),
        ("prototypes_normalized", "rank_correlation_with_size"),
    ),
}
_ALT = {
    "structure_beyond_ranks": "Mean ranks of the sixteen distances by seven metrics; the numbers "
    "are in the table above.",
    "structure_beyond_ensembles_gain": "Gain of trees that are far in structure over six other "
    "choices, by data set, for two pools of trees; the means are in the table above.",
    "structure_beyond_spread": "Tests, edit distance, edit distance per test and d_p of C4.5, SS, "
    "STP and UCT-DT by data set; the means are in the table above.",
    "structure_beyond_patterns": "A map of the trees of a random forest in clusters, the variables "
    "that each cluster tests, and the tree in the middle of each.",
    "structure_beyond_bootstrap": "The same of C4.5 trees of bootstrap samples.",
}
_TITLES = {
    "structure_beyond_questions": "Paired questions",
    "structure_beyond_variants": "Sixteen edit distances over data sets",
    "structure_beyond_ranks": "Ranks of the sixteen distances",
    "structure_beyond_prototypes": "Distances to prototypes",
    "structure_beyond_ensembles": "Ensembles of k trees",
    "structure_beyond_ensembles_gain": "What distance in structure gains",
    "structure_beyond_stability": "Trees of bootstrap samples",
    "structure_beyond_spread": "Trees of bootstrap samples",
    "structure_beyond_patterns": "Decision patterns of a random forest",
    "structure_beyond_bootstrap": "Decision patterns of C4.5 trees of bootstrap samples",
}


def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path | str],
    plan: StructureBeyondPlan,
) -> Section:
    """What goes beyond chapter 5 as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of `hedgerow.reporting.structure_beyond` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    plan : StructureBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    questions = tables["structure_beyond_questions"]
    of_ensembles = tables["structure_beyond_ensembles"]
    of_learners = tables["structure_beyond_stability"]
    n = int(questions["n_datasets"].max())
    answers = _answers(questions)
    against = _against(of_ensembles, plan)
    stable = _stable(of_learners)
    stated = {
        "answers": answers,
        "said": _said(questions),
        "against": against,
        "stable": stable,
        "n": n,
        "small": n < FEWEST_DATASETS,
        "smallest_p": min(2 / 2**n, 1.0),
        "level": LEVEL,
        "plan": plan,
    }
    markup = render(
        "experiments/structure_beyond/page.html.j2",
        **stated,
        questions=[_QUESTIONS[q] for q in QUESTIONS],
        question_lines=_question_lines(questions),
        distances=[label.split(", ") for label in VARIANT_LABELS.values()],
        variant_blocks=_variant_blocks(tables["structure_beyond_variants"], "mean_rank"),
        prototype_blocks=_variant_blocks(tables["structure_beyond_prototypes"], None),
        ensemble_blocks=_ensemble_blocks(of_ensembles, plan),
        sizes=plan.sizes,
        learners=[LEARNER_LABELS[name] for name in LEARNERS],
        learner_lines=_learner_lines(of_learners),
        figures={
            name: {"id": name, "uri": data_uri(figures[name]), "alt": _ALT[name]} for name in _ALT
        },
        captions=captions(tables, plan),
        titles=_TITLES,
        statement=RULES,
        module="hedgerow.reporting.structure_beyond",
    )
    contents = (
        ("structure_beyond-variants", "Which distance?"),
        ("structure_beyond-prototypes", "Distances to prototypes"),
        ("structure_beyond-ensembles", "Ensembles"),
        ("structure_beyond-stability", "Stability"),
        ("structure_beyond-patterns", "Decision patterns"),
    )
    summary = render("experiments/structure_beyond/summary.html.j2", **stated)
    title = "Beyond the thesis: what the distance of trees is good for"
    return Section("structure_beyond", title, markup, contents, summary)


def _answers(questions: pd.DataFrame) -> list[dict]:
    """Per question the metrics on which it makes a difference, by the test after Holm."""
    answers = []
    for name in QUESTIONS:
        own = questions[questions["question"] == name]
        words = {"higher": [], "lower": [], "no difference": [], "cannot be told": []}
        for _, row in own.iterrows():
            words[question_verdict(row)].append(_lower(METRIC_LABELS[row["metric"]]))
        answers.append(
            {
                "name": _ASKED[name],
                "higher": "; ".join(words["higher"]),
                "lower": "; ".join(words["lower"]),
                "n_same": len(words["no difference"]),
                "untold": "; ".join(words["cannot be told"]),
                "n_untold": len(words["cannot be told"]),
            }
        )
    return answers


def _lower(label: str) -> str:
    """A label within a sentence.

    >>> _lower("Rank correlation with d_p"), _lower("A1 per test")
    ('rank correlation with d_p', 'A1 per test')
    """
    return label[0].lower() + label[1:] if label[1].islower() else label


def _said(questions: pd.DataFrame) -> list[dict]:
    """What the thesis says, and what each metric says of it."""
    cells = questions.set_index(["question", "metric"])
    found = []
    for sentence, keys in _SAID.items():
        words = []
        for question, metric in keys:
            if (question, metric) not in cells.index:
                continue
            row = cells.loc[(question, metric)]
            what = f"{_QUESTIONS[question][0]} against {_QUESTIONS[question][1]}"
            gain = number(row["difference"], _digits(metric))
            words.append(
                f"{_lower(METRIC_LABELS[metric])}, {what}: {question_verdict(row)} ({gain}, on "
                f"{row['n_higher']:.0f} data sets higher, on {row['n_lower']:.0f} lower)"
            )
        found.append({"sentence": sentence, "found": "; ".join(words)})
    return found


def _against(table: pd.DataFrame, plan) -> list[dict]:
    """Verdicts on ensembles that are far in structure, by pool and rival."""
    return [
        {
            "pool": POOL_LABELS[pool],
            "rivals": [
                {
                    "name": strategy_label(strategy, plan),
                    "verdict": ensembles_verdict(table, pool, strategy),
                }
                for strategy in STRATEGIES
                if strategy != DIVERSE
            ],
        }
        for pool in POOLS
    ]


def _stable(table: pd.DataFrame) -> list[dict]:
    found = []
    for learner in LEARNERS:
        if learner == BASE:
            continue
        words = {m: stability_verdict(table, m, learner) for m in OF_LEARNERS}
        found.append(
            {
                "name": LEARNER_LABELS[learner],
                **{
                    key.replace(" ", "_"): "; ".join(
                        _lower(STABILITY_LABELS[m]) for m in OF_LEARNERS if words[m] == key
                    )
                    for key in ("higher", "lower", "no difference", "cannot be told")
                },
            }
        )
    return found


def _question_lines(table: pd.DataFrame) -> list[dict]:
    """A line per metric, a cell per question."""
    cells = table.set_index(["metric", "question"])
    lines = []
    for metric in METRICS:
        if metric not in set(table["metric"]):
            continue
        own = [cells.loc[(metric, q)] for q in QUESTIONS]
        lines.append(
            {
                "name": METRIC_LABELS[metric],
                "n": int(own[0]["n_datasets"]),
                "cells": [_gain_cell(row, _digits(metric)) for row in own],
            }
        )
    return lines


def _gain_cell(row: pd.Series, digits: int) -> dict:
    """A difference, on how many data sets it is so, and whether the test calls it one."""
    return {
        "text": number(row["difference"], digits),
        "count": f"{row['n_higher']:.0f}:{row['n_lower']:.0f}",
        "mark": "a" if row["p_holm"] < LEVEL else "",
        "notes": f"p = {row['p']:.3g}, after Holm {row['p_holm']:.3g}",
    }


def _variant_blocks(table: pd.DataFrame, beside: str | None) -> list[dict]:
    """A block per scale, a line per metric, a cell per distance."""
    means = table[table["dataset"] == MEAN]
    blocks = []
    for scale in SCALES:
        lines = []
        for metric in METRICS:
            own = means[(means["metric"] == metric) & (means["scale"] == scale)]
            if own.empty:
                continue
            own = own.set_index("method").loc[list(VARIANTS)]
            cells = [_variant_cell(row, metric, beside) for _, row in own.iterrows()]
            n = int(own["n_datasets"].iloc[0])
            lines.append({"name": METRIC_LABELS[metric], "n": n, "cells": cells})
        if lines:
            blocks.append({"title": _SCALES[scale], "lines": lines})
    return blocks


def _variant_cell(row: pd.Series, metric: str, beside: str | None) -> dict:
    digits = _digits(metric)
    cell = {"text": number(row["measured"], digits), "count": "", "mark": "", "notes": ""}
    if beside:
        cell["count"] = number(row[beside], 1)
    elif pd.notna(row["p"]):
        cell["mark"] = "a" if row["p_holm"] < LEVEL else ""
        cell["notes"] = f"p = {row['p']:.3g}, after Holm {row['p_holm']:.3g}"
    return cell


def _digits(metric: str) -> int:
    """Norms are in the hundreds, all else within -1 and 1."""
    return 0 if metric.startswith("norm") else 2


def _ensemble_blocks(table: pd.DataFrame, plan) -> list[dict]:
    """A block per score and pool, a line per strategy, a cell per k."""
    means = table[table["dataset"] == MEAN].set_index(["metric", "pool", "strategy", "k"])
    blocks = []
    for metric, score in SCORE_LABELS.items():
        for pool in POOLS:
            lines = []
            for strategy in STRATEGIES:
                cells = []
                for k in plan.sizes:
                    key = (metric, pool, strategy, k)
                    if key not in means.index:
                        cells.append({"text": "–", "count": "", "mark": "", "notes": ""})
                        continue
                    row = means.loc[key]
                    cell = {
                        "text": number(row["measured"], 1),
                        "count": "",
                        "mark": "",
                        "notes": "",
                    }
                    if strategy != DIVERSE:
                        # The rival's line says how often the first line is above it.
                        found = _gain_cell(row, 1)
                        cell |= {name: found[name] for name in ("count", "mark", "notes")}
                    cells.append(cell)
                lines.append({"name": strategy_label(strategy, plan), "cells": cells})
            title = f"{score}, {POOL_LABELS[pool]}"
            blocks.append({"title": title, "lines": lines})
    return blocks


def _learner_lines(table: pd.DataFrame) -> list[dict]:
    """A line per metric, a cell per learner."""
    means = table[table["dataset"] == MEAN].set_index(["metric", "learner"])
    lines = []
    for metric in OF_LEARNERS:
        if metric not in means.index.get_level_values("metric"):
            continue
        digits = 1 if metric in ("distance_a1", "distance_b2", "n_tests", "f1") else 2
        cells = []
        for learner in LEARNERS:
            row = means.loc[(metric, learner)]
            cell = {"text": number(row["measured"], digits), "count": "", "mark": "", "notes": ""}
            if learner != BASE:
                found = _gain_cell(row, digits)
                cell |= {name: found[name] for name in ("count", "mark", "notes")}
            cells.append(cell)
        n = int(means.loc[(metric, BASE), "n_datasets"])
        lines.append({"name": STABILITY_LABELS[metric], "n": n, "cells": cells})
    return lines
