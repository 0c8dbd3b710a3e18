"""The section of experiments 1 and 2 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.showing.figures import LOOKS
from hedgerow.showing.numbers import is_number, number, p_text, p_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.soft import figures as own_figures
from hedgerow_study.experiments.soft import tables as own_tables
from hedgerow_study.experiments.soft.plan import (
    EXPERIMENTS,
    PRINTED,
    TABLE_3_1,
    SoftPlan,
)
from hedgerow_study.experiments.soft.tables import N_TABLE_3_1, mean_ranks_of
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.html import (
    Section,
    claim_lines,
    filled,
    numbered,
    published,
    shown,
    tally,
)
from hedgerow_study.reporting.tables import MEAN
from hedgerow_study.reporting.views import Span, Styled, tagged, text, together, view

#: Below this number of repeats the unit of the standardised metrics is hardly known.
FEWEST_REPEATS = 5
#: Numbers are bold where p is below it, as in the thesis.
STRONG = 0.001

_METRICS = {
    "n_leaves": "Number of leaves",
    "accuracy": "Accuracy, in %",
    "n_leaves_std": "Number of leaves, standardised by C4.5 without added noise",
    "n_leaves_diff_c45": "Number of leaves, difference to C4.5 at the same noise factor",
    "accuracy_std": "Accuracy, standardised by C4.5 without added noise",
    "accuracy_diff_c45": "Accuracy, difference to C4.5 at the same noise factor, percentage points",
}
_SCORES = {
    "accuracy": "Accuracy, per cent, more is better",
    "macro_f1": "Macro F1, per cent, more is better",
    "brier": "Brier score, less is better",
}
_DIGITS = {"sd": 2, "percent": 1, "leaves": 1, "percentage_points": 1, "score": 3}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: SoftPlan,
) -> Section:
    """Experiments 1 and 2 as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    sizes = tables["thesis_table_3_1"]
    sizes = sizes.assign(printed=sizes["printed"].fillna(""))  # as a CSV file gives it back
    available = set(rows["dataset"])
    n_run = len(available & set(TABLE_3_1.values()))
    experiments = [
        _experiment("training_noise", "Experiment 1", "3_4", ("3_5", "3_9"), tables, plan),
        _experiment("test_noise", "Experiment 2", "3_5", ("3_6", "3_10"), tables, plan),
    ]
    facts = {"plan": plan, "n_run": n_run, "n_table": N_TABLE_3_1}
    least = smallest_p(n_run)
    return filled(
        "soft",
        "Soft trees on noisy data",
        "experiments/soft/page.html.j2",
        "experiments/soft/summary.html.j2",
        "thesis_figure_3_5",
        small=least >= LEVEL,
        rough=plan.n_repeats < FEWEST_REPEATS,
        tally=tally(claims),
        **facts,
        smallest_p=least,
        claims=claim_lines(claims),
        labels={method: LOOKS[method].label for method in plan.methods},
        printed=[LOOKS[method].label for method in plan.methods if method in PRINTED],
        combined=_combined(tables["soft_combined"], plan),
        outside=sorted(available - set(TABLE_3_1.values())),
        absent=sorted(set(plan.datasets) - available),
        not_asked=[d for d in TABLE_3_1.values() if d not in plan.datasets],
        sizes=sizes.astype(object).where(sizes.notna(), None).to_dict("records"),
        experiments=experiments,
        scores=[_scores(e, tables["soft_scores"], tables["soft_ranks"], plan) for e in EXPERIMENTS],
        shown=shown(own_tables, own_figures, figures=figures, captions=captions),
    )


def _experiment(word: str, title: str, table: str, drawn, tables: Frames, plan: SoftPlan) -> dict:
    """What the template needs of one experiment."""
    identifier = f"thesis_table_{table}"
    frame = tables[identifier]
    datasets = [d for d in frame["dataset"].unique() if d != MEAN]
    member = frame.groupby("dataset")["in_table_3_1"].first()
    alone = {d: _by_noise(frame[frame["dataset"] == d], plan) for d in datasets}
    return {
        "word": word,
        "title": title,
        "table": identifier,
        "mean": _by_noise(frame[frame["dataset"] == MEAN], plan, over=True),
        "outside": {d: lines for d, lines in alone.items() if not member[d]},
        "members": {d: lines for d, lines in alone.items() if member[d]},
        "figures": [
            {"id": f"thesis_figure_{n}", "shape": shape}
            for n, shape in zip(drawn, ("narrow", "wide"), strict=True)
        ],
    }


def _combined(table: pd.DataFrame, plan: SoftPlan) -> dict[str, Markup]:
    """Averages of the combinations by the title of the experiment; none where none was run."""
    titles = {
        "training_noise": "Noise in the training data",
        "test_noise": "Noise in the test data",
    }
    mean = table[table["dataset"] == MEAN]
    by_title = {title: mean[mean["experiment"] == word] for word, title in titles.items()}
    return {title: _by_noise(rows, plan) for title, rows in by_title.items() if len(rows)}


def _by_noise(
    frame: pd.DataFrame, plan: SoftPlan, titles: Mapping[str, str] = _METRICS, over: bool = False
) -> Markup:
    """A block per metric, a line per method, a column per noise factor; empty without rows.

    over: of averages over data sets, which are named and have published values.
    """
    blocks = {}
    for metric, title in titles.items():
        rows = frame[frame["metric"] == metric]
        if rows.empty:
            continue
        subtitle = Markup("")
        if over:
            left_out = text(rows["left_out"].iloc[0]).replace(";", ", ")
            n = f"over {int(rows['n_datasets'].iloc[0])} of the {N_TABLE_3_1} data sets"
            why = "; left out, because C4.5 without noise does not vary: "
            subtitle = together(" ", tagged("small", n, f"{why}{left_out}" if left_out else ""))
        lines = blocks[together(title, subtitle)] = []
        for method, cells in rows.groupby("method", sort=False):
            cells = cells.sort_values("noise").to_dict("records")
            lines.append((LOOKS[method].label, *(_cell(cell, over) for cell in cells)))
    noises = [f"{n:g}" for n in plan.noise_factors]
    heads = ("", Span("Noise factor", len(noises))), ("Method", *noises)
    return view(blocks, *heads) if blocks else Markup("")


def _cell(cell: Mapping[str, Any], over: bool) -> Styled:
    """A number, bold where its test is strong, with marks of significance."""
    is_score = "difference" in cell
    digits = _DIGITS[cell["unit"]]
    shown = number(cell["difference" if is_score else "measured"], digits)
    tested = (cell["p"], cell["p_holm" if is_score else "p_pairs_holm"])
    marks = ",".join(mark for mark, p in zip("ab", tested, strict=True) if p < LEVEL)
    notes = []
    if pd.notna(cell["p"]) and is_score:
        better = f"better on {cell['wins']} of {cell['n_datasets']} data sets"
        notes = [better, f"{p_words(cell['p'])}, {p_text(cell['p_holm'])} after Holm"]
    elif pd.notna(cell["p"]):
        notes = [
            f"{p_words(cell[p])} over {what}, {p_text(cell[holm])} after Holm"
            for p, holm, what in (
                ("p", "p_holm", "data sets"),
                ("p_pairs", "p_pairs_holm", "all pairs"),
            )
        ]
    printed = cell.get("published") if over else None  # combinations have none
    suffix = (
        published(shown, number(printed, digits) if is_number(printed) else None) if over else ""
    )
    number_ = tagged("b", shown) if cell["p"] < STRONG else shown
    whole = together(number_, tagged("sup", marks) if marks else "", suffix)
    return Styled(whole, row=cell.get("row"), title="; ".join(notes))


def _scores(experiment: str, scores: pd.DataFrame, ranks: pd.DataFrame, plan: SoftPlan) -> dict:
    """What the template needs of the other scores and the ranks of one experiment."""
    scores = scores[scores["experiment"] == experiment]
    return {
        "word": experiment,
        "part": experiment.removesuffix("_noise"),
        "view": _by_noise(scores.rename(columns={"first": "method"}), plan, _SCORES),
        "note": _note(scores),
        "ranks": _ranks(ranks[ranks["experiment"] == experiment]),
    }


def _note(frame: pd.DataFrame) -> str:
    """Why there are no tests, or an empty text."""
    notes = frame.loc[frame["p"].isna(), "note"]
    return "; ".join(filter(None, notes.dropna().unique()))


def _ranks(frame: pd.DataFrame) -> dict:
    """Result of Friedman's test and the pairs that Nemenyi's tells apart, in words."""
    overall = frame[frame["name"] == "friedman"].iloc[0]
    if pd.isna(overall["p"]):
        return {"note": overall["note"]}
    pairs = frame[(frame["name"] == "nemenyi") & (frame["p"] < LEVEL)]
    apart = []
    for pair in pairs.itertuples(index=False):
        first_is_better = pair.rank_first < pair.rank_second
        better, worse = (pair.first, pair.second)[:: 1 if first_is_better else -1]
        apart.append(f"{LOOKS[better].label} before {LOOKS[worse].label} ({p_words(pair.p)})")
    mean = mean_ranks_of(frame).sort_values(kind="stable")
    return {
        "note": "",
        "statistic": number(overall["statistic"], 2),
        "p": p_words(overall["p"]),
        "differ": bool(overall["p"] < LEVEL),
        "n": int(overall["n_datasets"]),
        "least": number(overall["critical_difference"], 2),
        "apart": apart,
        "order": ", ".join(f"{LOOKS[m].label} {number(r, 2)}" for m, r in mean.items()),
    }
