"""Figures of trees as risk groups (thesis, chapter 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.showing.figures import WIDTH, drawing, nothing_drawn, style
from hedgerow.showing.numbers import p_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import published_number
from hedgerow_study.experiments.step import figure
from hedgerow_study.experiments.survival.plan import (
    ALPHA,
    CLASSES,
    LEARNT,
    PRINTED,
    SIMULATED,
    SurvivalPlan,
)
from hedgerow_study.experiments.survival.tables import caption_values, public, simulated

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of the kinds of p in figure survival_evidence, after Okabe and Ito (2008), with a marker each.
EVIDENCE = {
    "logrank_p": ("as published, all patients", "#D55E00", "o"),
    "logrank_p_test": ("test patients", "#0072B2", "s"),
    "logrank_p_permutation": ("permuted outcomes", "#000000", "|"),
}
SMALLEST = 1e-12  # p below it is drawn there
COLUMNS = 3  # panels side by side
HEAD = 0.35  # inches above figure 6.1
#: Lines of treated and untreated patients.
TREATED = {True: ("with intervention", "#0072B2", "-"), False: ("without", "#D55E00", "--")}


def named_tree(text: str, names: Sequence[str], classes: Sequence[str]):
    """A tree of `learn`, with names of variables and classes."""
    from hedgerow.tree import Tree

    return Tree.from_json(text).replace(feature_names=list(names), classes=list(classes))


def first_tree(trees: pd.DataFrame, dataset: str) -> str | None:
    """The tree of the thesis' settings and the first repeat, as JSON."""
    selected = trees[
        (trees["dataset"] == dataset) & (trees["repeat"] == 0) & (trees["method"] == "thesis")
    ]
    return None if selected.empty else str(selected["tree"].iloc[0])


# -------------------------------------------------------------------------------- the simulator


@figure(
    "the learnt tree",
    caption="The tree that was learnt from synthetic patients with the settings of the thesis "
    "(c = 0.87, repetition factor 0.7, 20 patients on each side), first repeat. Death: of "
    "cardiovascular causes within six years; n: patients of the training part whose class is "
    "known; leaves are numbered from the left. The thesis' tree tests, in this order from the top: "
    "AVA at 0.9, Vmax at 325, age at 73 and 88, creatinine at 1.6, wall thickness, hypertension, "
    "gradient at 19 and stroke volume at 65. {simulated}",
    alt="A tree whose first test is the valve area; leaves with shares of patients who died.",
    caption_values=caption_values,
)
def thesis_figure_6_1_SYNTHETIC(tidy: Sequence[TidyTable], trees: pd.DataFrame) -> Figure:
    """Figure 6.1: the tree that was learnt from simulated patients."""
    from matplotlib.figure import Figure

    from hedgerow.drawing.tree import plot_tree

    text = first_tree(trees, SIMULATED)
    table = next((t for t in tidy if t.name == SIMULATED), None)
    if text is None or table is None:
        return nothing_drawn("The simulator was not run")
    names = [c.replace("_", " ") for c in table.X.columns if c != "intervention"]
    tree = named_tree(text, names, CLASSES)
    with style():
        axes = plot_tree(tree, Figure().add_subplot())
        width, height = (float(np.ptp(lim)) for lim in (axes.get_xlim(), axes.get_ylim()))
        scale = min(1.0, WIDTH / width)
        height = scale * height + HEAD
        drawn = Figure(figsize=(WIDTH, height))
        plot_tree(tree, drawn.add_axes((0.0, 0.0, 1.0, 1.0 - HEAD / height)))
        drawn.text(0.01, 1.0 - HEAD / 2 / height, "SYNTHETIC patients", va="center")
    return drawn


@figure(
    "groups that stand out",
    caption="Survival of synthetic patients in the groups of figure 6.1 (tests as printed) that "
    "stand out from all patients in the thesis (nodes 4, 9 and 10); grey: all patients. Crosses: "
    "quartiles as the thesis prints them for its own patients; an arrow, where it prints a bound. "
    "Dotted: a population of the same ages and sexes by the simulator's own mortality of other "
    "causes. {simulated}",
    alt="Three panels with a curve each; node 4 lies above the curve of all patients, nodes 9 and "
    "10 below it.",
    caption_values=caption_values,
)
def thesis_figure_6_2_SYNTHETIC(
    tidy: Sequence[TidyTable], patients: pd.DataFrame, leaves: pd.DataFrame, published: Frames
) -> Figure:
    """Figure 6.2: survival of simulated patients in the groups that stand out."""
    from hedgerow.data.aortic_stenosis import life_table
    from hedgerow.drawing.survival import plot_curve
    from hedgerow.survival import expected_survival

    selected = simulated(patients)
    selected = selected[selected["printed"] > 0]
    table = next((t for t in tidy if t.name == SIMULATED), None)
    if selected.empty or table is None:
        return nothing_drawn("The simulator was not run")
    printed = published["thesis_table_6_3"]
    by_node = simulated(leaves)
    by_node = by_node[by_node["groups"] == PRINTED].set_index("number")
    people = table.X[["age", "gender"]]
    with drawing(2.7) as drawn:
        drawn.suptitle("SYNTHETIC patients", x=0.01, ha="left", fontsize=9)
        panels = drawn.subplots(1, 3, sharey=True)
        for axes, number in zip(panels, (4, 9, 10), strict=True):
            inside = selected[selected["printed"] == number]
            plot_curve(axes, selected["time"], selected["event"] == 1, color="#888888",
                       label="all patients")  # fmt: skip
            plot_curve(axes, inside["time"], inside["event"] == 1, color="#0072B2",
                       label=f"node {number}", interval=True)  # fmt: skip
            at = np.linspace(0.0, 14.0, 57)
            theirs = people.iloc[inside["row"].to_numpy()]
            expected = expected_survival(at, theirs["age"], theirs["gender"], life_table())
            axes.plot(at, expected, color="black", linestyle=":", label="same ages", linewidth=1.2)
            for level, metric in ((0.75, "survival_q1"), (0.5, "survival_q2"),
                                  (0.25, "survival_q3")):  # fmt: skip
                cell = printed[(printed["criterion"] == f"node_{number}")
                               & (printed["metric"] == metric)]["value"]  # fmt: skip
                for text in cell.astype(str):
                    marker = ">" if text.startswith(">") else "x"
                    axes.plot(published_number(text), level, marker, color="black", markersize=5)
            line = by_node.loc[number]
            axes.set_title(f"Node {number}: n = {int(line['n'])}, {p_words(line['logrank_p'])}")
            axes.set_xlim(0, 14)
            axes.set_xlabel("Years")
            axes.legend(loc="lower left", fontsize=7.5)
        panels[0].set_ylabel("Survival")
        panels[0].set_ylim(0, 1.02)
    return drawn


@figure(
    "with and without intervention",
    caption="Synthetic patients with and without an intervention within six months, by the tests "
    "of figure 6.1 as printed, counted from the landmark. In each panel: patients with and "
    "without, p of the log-rank test, and p as the thesis prints it for its own patients. The "
    "thesis draws the nodes with p of 0.005 or more (1, 4, 6 to 10); the simulator's intervention "
    "helps in nodes 2, 3 and 5, a little in 7 and 10, and not in the others. An association, not "
    "an effect. {simulated}",
    alt="Ten panels, one per node, with two curves each.",
    caption_values=caption_values,
)
def thesis_figure_6_3_SYNTHETIC(
    patients: pd.DataFrame, treatment: pd.DataFrame, published: Frames, plan: SurvivalPlan
) -> Figure:
    """Figure 6.3: simulated patients with and without an intervention, node by node."""
    from hedgerow.drawing.survival import plot_curve

    selected = simulated(patients)
    selected = selected[selected["printed"] > 0]
    if selected.empty:
        return nothing_drawn("The simulator was not run")
    landmark = float(plan.cohorts[SIMULATED]["landmark"])
    by_node = simulated(treatment)
    by_node = by_node[(by_node["groups"] == PRINTED) & (by_node["counted_from"] == "landmark")]
    by_node = by_node.set_index("number")
    printed = published["thesis_table_6_4"]
    printed = printed[printed["metric"] == "logrank_p"].set_index("criterion")["value"]
    selected = selected[selected["full_time"] > landmark]
    with drawing(7.4) as drawn:
        drawn.suptitle("SYNTHETIC patients", x=0.01, ha="left", fontsize=9)
        panels = drawn.subplots(4, COLUMNS, sharex=True, sharey=True)
        for axes, number in zip(panels.flat, range(1, 11), strict=False):
            inside = selected[selected["printed"] == number]
            counts = []
            for treated, (label, colour, line) in TREATED.items():
                mine = inside[(inside["intervention"] <= landmark) == treated]
                counts.append(str(len(mine)))
                plot_curve(axes, mine["full_time"] - landmark, mine["full_event"] == 1,
                           color=colour, line=line, label=label)  # fmt: skip
            p = by_node["logrank_p"].get(number, np.nan)
            axes.set_title(f"Node {number}: {' and '.join(counts)}", fontsize=8.5)
            text = f"{p_words(p)}\nprinted {p_words(published_number(printed[f'node_{number}']))}"
            axes.text(0.04, 0.05, text, transform=axes.transAxes, fontsize=7.5)
            axes.set_xlim(0, 14)
            axes.set_ylim(0, 1.02)
        for axes in panels.flat[10:]:
            axes.set_axis_off()
        handles, labels = panels[0, 0].get_legend_handles_labels()
        panels.flat[10].legend(handles, labels, loc="center left", fontsize=8.5)
        for axes in (*panels[2, 1:], panels[3, 0]):
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("Years from the landmark")
        for axes in panels[:, 0]:
            axes.set_ylabel("Survival")
    return drawn


# ------------------------------------------------------------------------------ public cohorts


@figure(
    "Survival in the leaves, on patients that were learnt from and on others",
    caption="Kaplan-Meier curves of the leaves of each cohort, on training patients (left) and on "
    "test patients (right), p of the log-rank test of all leaves; the darker a curve, the more "
    "events per year its leaf has among training patients. Of a tree of more than ten leaves those "
    "with the most patients. Dashed: the horizon of the labels. {ran}",
    alt="Two panels per cohort; curves of the leaves are further apart on training patients.",
    caption_values=caption_values,
)
def survival_curves(
    patients: pd.DataFrame, leaves: pd.DataFrame, separation: pd.DataFrame, plan: SurvivalPlan
) -> Figure:
    """Curves of the leaves of public cohorts, training patients beside test patients."""
    from matplotlib.figure import Figure

    from hedgerow.data.cohorts import UNITS
    from hedgerow.drawing.survival import plot_curve

    cohorts = public(patients)
    names = list(cohorts["dataset"].drop_duplicates())
    if not names:
        return nothing_drawn("No public cohort was run")
    p = separation.set_index(["dataset", "part"])["multivariate_logrank_p"]
    with style():
        height = 1.75 * len(names)
        drawn = Figure(figsize=(WIDTH, height + 0.2), layout="constrained")
        panels = drawn.subplots(len(names), 2, sharey=True, squeeze=False)
        for line, name in zip(panels, names, strict=True):
            mine = cohorts[cohorts["dataset"] == name]
            facts = plan.cohorts[name]
            numbers, colours = _ranked(leaves, mine, name)
            for axes, training in zip(line, (True, False), strict=True):
                part = mine[mine["training"] == training]
                for number, colour in zip(numbers, colours, strict=True):
                    inside = part[part["number"] == number]
                    plot_curve(axes, inside["time"], inside["event"] == 1, color=colour)
                axes.axvline(facts["horizon"] / UNITS[facts["unit"]], color="black",
                             linestyle="--", linewidth=0.7)  # fmt: skip
                who = "training" if training else "test"
                title = f"{name}, {who}: n = {len(part)}, {p_words(p.get((name, who), np.nan))}"
                axes.set_title(title, fontsize=8.5)
                axes.set_ylim(0, 1.02)
                axes.set_xlim(0, mine["time"].max())
            line[0].set_ylabel("Survival")
        for axes in panels[-1]:
            axes.set_xlabel("Years")
    return drawn


MOST_CURVES = 10


def _ranked(leaves: pd.DataFrame, mine: pd.DataFrame, dataset: str):
    """Leaves from the fewest events per year of training patients, with colours light to dark."""
    from matplotlib import colormaps

    selected = leaves[
        (leaves["dataset"] == dataset) & (leaves["groups"] == LEARNT) & (leaves["number"] > 0)
    ]
    most = selected.sort_values("n", ascending=False, kind="stable").head(MOST_CURVES)["number"]
    learnt = mine[mine["training"] & mine["number"].isin(most)]
    sums = learnt.assign(died=learnt["event"] == 1).groupby("number")[["died", "time"]].sum()
    numbers = (sums["died"] / sums["time"]).sort_values(kind="stable").index.tolist()
    places = np.linspace(0.82, 0.0, max(len(numbers), 2))[: len(numbers)]
    return numbers, [colormaps["viridis"](place) for place in places]


@figure(
    "How small p stays",
    caption="Leaves whose log-rank test against all patients has p < 0.005 as published, one line "
    "each: p of all patients; by permutation of the outcomes through the whole pipeline, which "
    "cannot be smaller than its grey mark; and of test patients. Dashed: 0.005. p below 1e-12 "
    "is drawn there. {ran}",
    alt="A line per leaf on a logarithmic scale; most values of test patients and of permutations "
    "lie right of the dashed line.",
    caption_values=caption_values,
)
def survival_evidence(leaves: pd.DataFrame) -> Figure:
    """p of selected leaves of public cohorts, as published and after honest looks."""
    rows = public(leaves)
    rows = rows[(rows["groups"] == LEARNT) & (rows["number"] > 0) & (rows["logrank_p"] < ALPHA)]
    if rows.empty:
        return nothing_drawn("No leaf of a public cohort has p < 0.005")
    rows = rows.sort_values(["dataset", "logrank_p"], kind="stable")
    with drawing(0.17 * len(rows) + 1.1) as drawn:
        axes = drawn.add_subplot()
        place, ticks, labels = 0.0, [], []
        for dataset, mine in rows.groupby("dataset", sort=False):
            for line in mine.to_dict("records"):
                values = {k: max(line[k], SMALLEST) for k in EVIDENCE if not math.isnan(line[k])}
                axes.plot([min(values.values()), max(values.values())], [place] * 2,
                          color="#bbbbbb", linewidth=1, zorder=1)  # fmt: skip
                least = 1.0 / (1.0 + line["n_permutations"])
                axes.plot(least, place, "|", color="#bbbbbb", markersize=9, zorder=1)
                for kind, value in values.items():
                    _, colour, marker = EVIDENCE[kind]
                    axes.plot(value, place, marker, color=colour, markersize=7 if marker == "|"
                              else 4.5, markeredgewidth=2 if marker == "|" else 0)  # fmt: skip
                ticks.append(place)
                labels.append(f"{dataset}, leaf {int(line['number'])}")
                place += 1.0
            place += 0.6
        for label, colour, marker in EVIDENCE.values():
            axes.plot([], [], marker, color=colour, label=label, linestyle="",
                      markeredgewidth=2 if marker == "|" else 0)  # fmt: skip
        axes.axvline(ALPHA, color="black", linestyle="--", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_xlim(SMALLEST / 3, 2.0)
        axes.set_yticks(ticks, labels, fontsize=7.5)
        axes.set_ylim(place - 0.6, -1.0)
        axes.set_xlabel("p")
        drawn.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn


# ------------------------------------------------------------------------------------- shared
