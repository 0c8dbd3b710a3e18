"""Figures of the illustrations of chapter 3: 3.1 to 3.4, 3.7 and 3.8 of the thesis.

The ejection fractions (LVEF) of the last two are a SYNTHETIC set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.showing.figures import WIDTH, style
from hedgerow_study.experiments.soft_illustration.plan import (
    ELIGIBLE_BELOW,
    PLT_BOUNDS,
    SHOWN_STEP,
    SHOWN_WINDOW,
    TEST_VALUES,
    TOY,
    TOY_SIGMA,
    UDT_HALF_WIDTH,
    SoftIllustrationPlan,
)
from hedgerow_study.experiments.soft_illustration.tables import caption_values, rounded
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008), and what else tells the two apart: marker, line and side.
BLUE, ORANGE, GREEN, PINK, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#999999"
EDGE = {"markeredgecolor": "black", "markeredgewidth": 0.5}


# ----------------------------------------------------------------------------------- figures


NO_NUMBERS = "The paper prints this figure without numbers."


@figure(
    "gates",
    caption="Share of an instance that goes left, g(x), against its measured value x; threshold "
    f"at 0, in standard deviations. (a) C4.5; (b) PLT with bounds {rounded(PLT_BOUNDS[0])} and "
    f"{rounded(PLT_BOUNDS[1])}, which need not be symmetric; (c) UDT, a normal pdf cut at "
    f"{UDT_HALF_WIDTH:g} standard deviations either side and scaled to 1; (d) the normal CDF of "
    "STP and SE, cut at {cut} and not scaled, hence a step of {cut_off} there. The thesis writes "
    "eq. 3.3 as the share that goes right and eq. 3.9 as the one that goes left; the latter is "
    f"drawn. {NO_NUMBERS}",
    alt="Four curves of the share that goes left, falling from 1 to 0 about the threshold: at "
    "once, in two straight pieces, as a cut normal curve, as a normal curve.",
    caption_values=caption_values,
)
def thesis_figure_3_1(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.1: shapes of the gate, hard, PLT, UDT and normal.

    Returns: the paper prints no numbers for it.
    """
    from matplotlib.figure import Figure

    data = results["thesis_figure_3_1"]
    titles = {
        "hard": "(a) Hard (C4.5)",
        "plt": "(b) Piecewise linear (PLT)",
        "udt": "(c) Truncated normal (UDT)",
        "normal": "(d) Normal (STP, SE)",
    }
    with style():
        figure = Figure(figsize=(WIDTH, 2.1), layout="constrained")
        panels = figure.subplots(1, 4, sharex=True, sharey=True)
        for axes, (gate, title) in zip(panels, titles.items(), strict=True):
            curve = data[data["gate"] == gate]
            axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
            axes.grid(axis="y")
            steps = "steps-post" if gate == "hard" else "default"
            axes.plot(curve["x"], curve["share_left"], color=BLUE, drawstyle=steps)
            axes.set_title(title, fontsize=7.5)
            axes.set_xticks([-2, 0, 2], ["−2", "τ", "2"])
            axes.set_yticks([0, 0.5, 1])
        panels[0].set_ylabel("Share that goes left, g(x)")
        figure.supxlabel("Measured value x (standard deviations from the threshold)", fontsize=8.5)
    return figure


@figure(
    "density increments",
    caption="What a single value adds to the density on the left at each candidate (eq. 3.8); the "
    f"areas add up to 1. Drawn with a window of {SHOWN_WINDOW:g} and a step of {SHOWN_STEP:g} "
    "standard deviations, so that they can be seen; the experiments have {window} and {step}. The "
    "library cuts the CDF to 0 and 1 at half the window, so that the first area comes with the "
    f"next increment; both are in the data file. {NO_NUMBERS}",
    alt="A normal density with three shaded areas: below the first candidate, between two "
    "neighbours, beyond the last but one.",
    caption_values=caption_values,
)
def thesis_figure_3_2(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.2: weight of each density increment of one value.

    Returns: the paper prints no numbers for it.
    """
    from matplotlib.figure import Figure
    from scipy import stats

    data = results["thesis_figure_3_2"]
    tau, area = data["tau"].to_numpy(), data["increment"].to_numpy()
    inner = int(np.searchsorted(tau, -0.5))  # the step shown between the first and the last
    x = np.linspace(-4, 4, 801)
    parts = [
        (x[0], tau[0], "////", ORANGE, f"τ = τmin: Φ((τ − x)/σ) = {area[0]:.3f}"),
        (
            tau[inner - 1],
            tau[inner],
            "",
            BLUE,
            f"between: Φ((τ − x)/σ) − Φ((τ − δσ − x)/σ) = {area[inner]:.3f}",
        ),
        (tau[-2], x[-1], "xxxx", PINK, f"τ = τmax: 1 − Φ((τ − δσ − x)/σ) = {area[-1]:.3f}"),
    ]
    with style():
        figure = Figure(figsize=(0.72 * WIDTH, 2.9), layout="constrained")
        axes = figure.add_subplot()
        for low, high, hatch, colour, label in parts:
            inside = np.linspace(low, high, 200)
            axes.fill_between(
                inside,
                stats.norm.pdf(inside),
                facecolor=colour,
                edgecolor="black",
                hatch=hatch,
                linewidth=0.5,
                alpha=0.8,
                label=label,
            )
        axes.plot(x, stats.norm.pdf(x), color="black")
        axes.vlines(tau, 0, stats.norm.pdf(tau), color="black", linewidth=0.7, linestyle=":")
        names = {0: "τmin", inner - 1: "\nτ − δσ", inner: "τ", len(tau) - 1: "τmax"}
        names[int(np.searchsorted(tau, 0.0))] = "x"
        axes.set_xticks(tau, [names.get(i, "") for i in range(len(tau))])
        axes.set_xlabel("Candidate threshold")
        axes.set_ylabel("Density of the noise\nabout one value x")
        axes.set_ylim(0, None)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderpad=0, handlelength=1.6)
    return figure


@figure(
    "gain of the toy example",
    caption="Information gain of four values, C4.5 (circles) and soft search (line, σ = "
    f"{TOY_SIGMA:g}); filled: the threshold that is chosen. (a) As in the thesis: C4.5 splits at "
    "2, soft search in the middle of its plateau at {toy_chosen}. (b) Does not come out as the "
    "thesis describes it (C4.5 at 0.2 or 2, soft search close to 0): with these values C4.5 gains "
    f"{{toy_hard}}, and soft search has its peaks at {{toy_soft}}. {NO_NUMBERS}",
    alt="Information gain against the threshold. Without noise soft search has a plateau about 0 "
    "and C4.5 one point at 2; with noise both have two equal maxima away from 0.",
    caption_values=caption_values,
)
def thesis_figure_3_3(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.3: information gain of the toy example, hard and soft search.

    Returns: the values lie below the axis, class 0 as circles and class 1 as crosses. The paper
    prints no numbers for it.
    """
    from matplotlib.figure import Figure

    data = results["thesis_figure_3_3"]
    titles = {"a": "(a) Without noise", "b": "(b) With noise, as described in 3.2.4"}
    with style():
        figure = Figure(figsize=(WIDTH, 2.7), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, (panel, title) in zip(panels, titles.items(), strict=True):
            axes.grid(axis="y")
            soft = data[(data["panel"] == panel) & (data["search"] == "ss")]
            hard = data[(data["panel"] == panel) & (data["search"] == "hard")]
            axes.plot(soft["threshold"], soft["gain"], color=ORANGE, label="Soft search")
            axes.plot(
                hard["threshold"],
                hard["gain"],
                "o",
                color="black",
                markerfacecolor="white",
                label="C4.5",
            )
            for curve, colour, marker in ((soft, ORANGE, "D"), (hard, "black", "o")):
                chosen = curve[curve["chosen"]]
                axes.plot(
                    chosen["threshold"],
                    chosen["gain"],
                    marker,
                    color=colour,
                    markeredgecolor="black",
                    clip_on=False,
                    zorder=4,
                )
            values, labels = (np.array(v) for v in TOY[panel])
            for label, marker, colour in ((0, "o", BLUE), (1, "X", PINK)):
                at = values[labels == label]
                # Equal values stand above each other.
                height = [-0.12 - 0.07 * np.sum(at[:i] == v) for i, v in enumerate(at)]
                name = f"Values of class {label}"
                axes.plot(at, height, marker, color=colour, label=name, **EDGE)
            axes.set_title(title)
            axes.set_xlabel("Value and candidate threshold τ")
            axes.set_xlim(-3.1, 3.1)
            axes.set_ylim(-0.25, 1.05)
            axes.set_yticks(np.linspace(0, 1, 6))
        panels[0].set_ylabel("Information gain I(X; Y) (bits)")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


@figure(
    "errors of the toy example",
    caption="Probability of predicting class 0 for a test value of class 1 at 1 and at −1, "
    "against the "
    "standard deviation σ of the noise; (a) the test value is exact, (b) it is noisy as well. "
    "Solid: corrected closed form; dashed: as printed, with P(d < 0) = Φ(4/(2σ)) in the place of "
    "Φ(4/(√2 σ)); circles: {n_draws} draws each, at most {corrected_apart} from the corrected form "
    "and up to {printed_apart} from the printed one (σ = 2, x = 1, panel a: {at_simulated} drawn, "
    "{at_corrected} corrected, {at_printed} as printed). Dotted: what the soft trees of the "
    "library give as class probability, with STP (a) and with STP and SE (b). " + NO_NUMBERS,
    alt="Probability of predicting class 0 against the standard deviation: all curves tend to one "
    "half; simulated points lie on the corrected curve, off the printed one.",
    caption_values=caption_values,
)
def thesis_figure_3_4(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.4: probability of misclassification, corrected and as printed.

    Returns: the paper prints no numbers for it, but the formula of its curve.
    """
    from matplotlib.figure import Figure

    data = results["thesis_figure_3_4"]
    titles = {"a": "(a) Exact test value (STP)", "b": "(b) Noisy test value (SE)"}
    lines = (
        ("corrected", "-", 1.6, "Closed form, corrected"),
        ("printed", "--", 1.2, "Closed form as printed"),
        ("tree", ":", 1.4, "Soft tree"),
    )
    with style():
        figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, (panel, title) in zip(panels, titles.items(), strict=True):
            axes.grid(axis="y")
            for x, colour in zip(TEST_VALUES, (BLUE, PINK), strict=True):
                curve = data[(data["panel"] == panel) & (data["x"] == x)]
                for column, line, width, _ in lines:
                    axes.plot(curve["sigma"], curve[column], line, color=colour, linewidth=width)
                drawn = curve.dropna(subset="simulated")
                axes.plot(
                    drawn["sigma"],
                    drawn["simulated"],
                    "o",
                    color=colour,
                    markersize=3.5,
                    markerfacecolor="white",
                )
                height = 0.06 if x > 0 else 0.94
                axes.text(7.9, height, f"x = {rounded(x)}", color=colour, ha="right", va="center")
            axes.set_title(title)
            axes.set_xlabel("Standard deviation σ of the noise")
            axes.set_xlim(0, 8)
            axes.set_ylim(0, 1)
        panels[0].set_ylabel("Probability of predicting class 0")
        for _, line, width, label in lines:
            panels[0].plot([], [], line, color="black", linewidth=width, label=label)
        panels[0].plot(
            [], [], "o", color="black", markersize=3.5, markerfacecolor="white", label="Simulated"
        )
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


@figure(
    "ejection fractions (synthetic)",
    caption="{synthetic}: measured against true value, (a) without and (b) with noise; eligible "
    f"below {ELIGIBLE_BELOW:g} %. The noise makes {{fn}} false negatives (FN) and {{fp}} false "
    "positives (FP); to be expected over draws are {expected_fn} and {expected_fp}. The "
    "thesis has 7 and 5 on the challenge's data, which it draws in another way. {drawn}",
    alt="Measured against true synthetic ejection fractions in four quadrants at 35 per cent: on "
    "the diagonal without noise, scattered about it with noise.",
    caption_values=caption_values,
)
def thesis_figure_3_7(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.7: synthetic ejection fractions without and with noise, against eligibility.

    Returns: measured against true value, so that each outcome has a quadrant of its own.
    """
    from matplotlib.figure import Figure

    data = results["thesis_figure_3_7"]
    looks = {
        "tn": ("TN", BLUE, "o", 2.2, "none"),
        "tp": ("TP", ORANGE, "s", 2.6, "none"),
        "fn": ("FN", PINK, "X", 6, "black"),
        "fp": ("FP", GREEN, "D", 5, "black"),
    }
    clean = np.where(data["eligible"] == 1, "tp", "tn")
    panels = (
        ("(a) Without noise", data["lvef"], clean),
        (f"(b) With noise, n = {plan.noise:g}", data["lvef_noisy"], data["outcome"]),
    )
    low = min(0.0, data["lvef_noisy"].min() - 2)
    high = max(100.0, data["lvef_noisy"].max() + 2)
    with style():
        figure = Figure(figsize=(WIDTH, 3.75), layout="constrained")
        for axes, (title, measured, outcome) in zip(
            figure.subplots(1, 2, sharex=True, sharey=True), panels, strict=True
        ):
            axes.axvline(ELIGIBLE_BELOW, color="black", linewidth=0.8)
            axes.axhline(ELIGIBLE_BELOW, color="black", linewidth=0.8)
            for name, (label, colour, marker, size, edge) in looks.items():
                here = np.asarray(outcome) == name
                axes.plot(
                    data["lvef"][here],
                    measured[here],
                    marker,
                    color=colour,
                    markersize=size,
                    markeredgecolor=edge,
                    markeredgewidth=0.5,
                    linestyle="",
                    zorder=3 if name in ("fn", "fp") else 2,
                )
                across = (0.03, "left") if name in ("tp", "fn") else (0.97, "right")
                height = 0.03 if name in ("tp", "fp") else 0.97
                axes.text(
                    across[0],
                    height,
                    f"{label} {here.sum()}",
                    transform=axes.transAxes,
                    ha=across[1],
                    va="bottom" if height < 0.5 else "top",
                    fontweight="bold",
                )
            axes.set_title(title)
            axes.set_xlabel("True LVEF (%), synthetic")
            axes.set_xlim(low, high)
            axes.set_ylim(low, high)
            axes.set_box_aspect(1)
        figure.axes[0].set_ylabel("Measured LVEF (%)")
    return figure


@figure(
    "gain of ejection fractions (synthetic)",
    caption="{synthetic}. Left: patients of each class at each value without (a) and with noise "
    "(b), and the density increments Δρ(y, τ) of soft search on the noisy values (c); class 1 "
    "(eligible) downwards. Right: information gain of every candidate; triangle: the one that is "
    "chosen. C4.5 has {n_hard} candidates on the noisy values, soft search with u = {uncertainty}, "
    "ω = {window}, δ = {step} has {n_soft}. With its example of ω = 8 and δ = 0.05 the thesis "
    "states at most about 2300; its formula gives {formula} here, and {formula_all} if the values "
    "filled 0 to 100 %. UDT with 100 sample points per value has {n_udt}. {drawn}",
    alt="Three rows: patients or density increments per class on the left, information gain on "
    "the right, ragged for hard search and smooth for soft search.",
    caption_values=caption_values,
)
def thesis_figure_3_8(results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan) -> Figure:
    """Figure 3.8: patients or density increments, and information gain of every candidate.

    Returns: three rows of two panels, synthetic ejection fractions.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    data = results["thesis_figure_3_8"]
    rows = {
        "a": ("(a) Hard search, without noise", "Patients N(y, x)"),
        "b": ("(b) Hard search, with noise", "Patients N(y, x)"),
        "c": ("(c) Soft search, with noise", "Increments Δρ(y, τ)"),
    }
    with style():
        figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
        panels = figure.subplots(3, 2, sharex=True, width_ratios=(1.25, 1))
        top = 1.1 * data["gain"].max()
        for (left, right), (panel, (title, label)) in zip(panels, rows.items(), strict=True):
            curve = data[data["panel"] == panel]
            for column, sign, colour, name in (
                ("y0", 1, BLUE, "Class 0 (not eligible)"),
                ("y1", -1, ORANGE, "Class 1 (eligible), downwards"),
            ):
                height = sign * curve[column]
                if panel == "c":
                    left.fill_between(
                        curve["threshold"], height, color=colour, linewidth=0, label=name
                    )
                else:
                    positive = curve[column] > 0
                    left.vlines(
                        curve["threshold"][positive],
                        0,
                        height[positive],
                        color=colour,
                        linewidth=0.7,
                        label=name,
                    )
            left.axhline(0, color="black", linewidth=0.6)
            left.set_ylabel(label)
            left.set_title(title)
            # Heights have no sign: the lower half is class 1.
            reach = max(curve["y0"].max(), curve["y1"].max()) * 1.15
            left.set_ylim(-reach, reach)
            left.yaxis.set_major_locator(MaxNLocator(5, integer=True))
            ticks = [t for t in left.get_yticks() if abs(t) <= reach]
            left.set_yticks(ticks, [f"{abs(t):g}" for t in ticks])
            _gains(right, curve.dropna(subset="gain"), panel == "c", top)
            for axes in (left, right):
                axes.axvline(ELIGIBLE_BELOW, color="black", linewidth=0.7, linestyle=":")
        for axes in panels[-1]:
            axes.set_xlabel("LVEF (%), synthetic")
        figure.legend(
            *panels[-1][0].get_legend_handles_labels(), loc="outside upper center", ncols=2
        )
    return figure


def _gains(axes, gains: pd.DataFrame, soft: bool, top: float) -> None:
    """Information gain of every candidate, and a triangle at the one that is chosen."""
    if soft:
        axes.plot(gains["threshold"], gains["gain"], color="black", linewidth=1)
    else:
        axes.plot(gains["threshold"], gains["gain"], ".", color="black", markersize=2)
    chosen = gains[gains["chosen"]]
    x, y = chosen["threshold"], chosen["gain"] + 0.06 * top
    axes.plot(x, y, "v", color=PINK, **EDGE)
    for place in zip(x, y, strict=True):
        words = f"{place[0]:.2f} %"
        axes.annotate(words, place, xytext=(6, 0), textcoords="offset points", va="center")
    axes.set_ylim(0, 1.12 * top)
    axes.set_ylabel("Gain (bits)")
    axes.grid(axis="y")
