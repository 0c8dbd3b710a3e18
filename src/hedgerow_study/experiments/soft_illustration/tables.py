"""Tables of the illustrations of chapter 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from hedgerow.showing.numbers import minus, number
from hedgerow_study.experiments.soft_illustration.plan import (
    DATASET,
    ELIGIBLE_BELOW,
    SoftIllustrationPlan,
)
from hedgerow_study.experiments.step import step, table
from hedgerow_study.reporting.cells import Cell, Rows

GROUPS = {"false_negative": ("FN", "False negatives"), "false_positive": ("FP", "False positives")}

# ------------------------------------------------------------------------------------ tables


def caption_values(
    results: Mapping[str, pd.DataFrame], plan: SoftIllustrationPlan
) -> dict[str, str]:
    """Words of the captions: what was run."""
    from scipy import stats

    patients = results["thesis_figure_3_7"]
    counts = patients["outcome"].value_counts()
    fn, fp = (int(counts.get(k, 0)) for k in ("fn", "fp"))
    expected = expected_errors(patients, plan)
    gains = results["thesis_figure_3_8"]
    n_candidates = gains[gains["gain"].notna()].groupby("panel").size()
    sigma = plan.uncertainty * abs(patients["lvef_noisy"].mean())
    spread = float(np.ptp(patients["lvef_noisy"]))
    toy = results["thesis_figure_3_3"].set_index(["panel", "search"])
    hard_b = toy.loc[("b", "hard")]
    soft_b = toy.loc[("b", "ss")]
    peaks = [
        side.loc[side["gain"].idxmax(), "threshold"]
        for _, side in soft_b.reset_index().groupby(soft_b["threshold"].to_numpy() > 0)
    ]
    error = results["thesis_figure_3_4"]
    at = error[(error["panel"] == "a") & (error["x"] == 1.0) & (error["sigma"] == 2.0)].iloc[0]
    apart = {c: (error[c] - error["simulated"]).abs().max() for c in ("corrected", "printed")}
    synthetic = (
        f"SYNTHETIC ejection fractions ({len(patients)}, drawn by us; the challenge's file of the "
        "thesis needs an account)"
    )
    drawn = (
        f"Noise N(0, {plan.noise:g} mean), one draw, global seed {plan.seed}, configuration "
        f"{plan.configuration}."
    )
    return {
        "synthetic": synthetic,
        "drawn": drawn,
        "n_draws": str(plan.n_draws),
        "cut": f"{plan.window / 2:g}",
        "cut_off": number(stats.norm.cdf(-plan.window / 2), 5),
        "uncertainty": f"{plan.uncertainty:g}",
        "window": f"{plan.window:g}",
        "step": f"{plan.step:g}",
        "fn": str(fn),
        "fp": str(fp),
        "expected_fn": rounded(expected["fn"], 1),
        "expected_fp": rounded(expected["fp"], 1),
        "toy_chosen": rounded(_chosen(toy.loc[("a", "ss")]), 2),
        "toy_hard": ", ".join(
            f"{rounded(g, 3)} at {rounded(t)}"
            for t, g in zip(hard_b["threshold"], hard_b["gain"], strict=True)
        ),
        "toy_soft": f"{rounded(peaks[0], 2)} and {rounded(peaks[1], 2)}",
        "corrected_apart": rounded(apart["corrected"], 3),
        "printed_apart": rounded(apart["printed"], 3),
        "at_simulated": rounded(at["simulated"], 3),
        "at_corrected": rounded(at["corrected"], 3),
        "at_printed": rounded(at["printed"], 3),
        "n_hard": number(n_candidates["b"]),
        "n_soft": number(n_candidates["c"]),
        "formula": number((spread / sigma + 8) / 0.05),
        "formula_all": number((100 / sigma + 8) / 0.05),
        "n_udt": number(100 * len(patients)),
        "threshold": _threshold(results),
    }


def expected_errors(patients: pd.DataFrame, plan: SoftIllustrationPlan) -> dict[str, float]:
    """False negatives and positives to be expected over draws of the noise of figure 3.7b.

    Returns: fn, fp: expected numbers of patients.
    """
    from scipy import stats

    sd = plan.noise * abs(patients["lvef"].mean())
    eligible = patients["eligible"] == 1
    below = (
        stats.norm.cdf((ELIGIBLE_BELOW - patients["lvef"]) / sd)
        if sd > 0
        else eligible.astype(float)
    )
    return {"fn": float((1 - below)[eligible].sum()), "fp": float(below[~eligible].sum())}


def leaves_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 3.2 shows the leaves as they were made, class by class."""
    for row, line in enumerate(table.to_dict("records")):
        where = {"method": line["method"], "leaf": line["leaf"]}
        read = {"measured": f"p_y{line['class']}", "threshold": "threshold", "weight": "weight"}
        for column, of in read.items():
            yield Cell(row, column, "value", (Rows("results/thesis_table_3_2", where, of),))


def patients_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 3.3 shows patients as they are, and means of each group."""
    shares = ("p_y0_hard", "p_y1_hard", "p_y0_se", "p_y1_se")
    for row, line in enumerate(table.to_dict("records")):
        where = {"group": line["group"]}
        if line["source"] != "measured":
            continue
        of = "results/thesis_table_3_3"
        if line["row"] == "patient":
            where["patient"] = int(line["patient"])
            for column in ("lvef", "lvef_noisy", "threshold", *shares):
                yield Cell(row, column, "value", (Rows(of, where, column),))
            continue
        true = "p_y1_se" if line["group"] == "false_negative" else "p_y0_se"
        yield Cell(row, "n", "n_rows", (Rows(of, where, true),))
        for column in ("threshold", *shares):
            yield Cell(row, column, "mean", (Rows(of, where, column),))
        for column, formula in (("se_lowest", "lowest"), ("se_highest", "highest")):
            yield Cell(row, column, formula, (Rows(of, where, true),))


@table(
    "leaves (synthetic)",
    caption="{synthetic}. Class probabilities at the two leaves of trees of one test, learnt from "
    "the noisy values with standard propagation and with STP (u = {uncertainty}). Published "
    "values, in grey, are those of other patients, so that what can be compared is how much less "
    "extreme STP makes the leaves. Two published pairs do not add up to 1 as printed: STP in the "
    "left leaf gives 1.100 (0.310 and 0.790; one is a misprint), standard propagation in the right "
    "leaf 0.999 (0.981 and 0.018; it may be rounding). {drawn}",
    caption_values=caption_values,
    sources=leaves_sources,
)
def thesis_table_3_2(
    results: Mapping[str, pd.DataFrame],
    published: Mapping[str, pd.DataFrame],
    plan: SoftIllustrationPlan,
) -> pd.DataFrame:
    """Table 3.2: class probabilities at the leaves, hard and soft training propagation.

    Returns: leaf, class, method, dataset (the synthetic set that is measured), measured, published
    (of other patients), threshold (per cent), weight (patients in the leaf), note.
    """
    leaves, published = results["thesis_table_3_2"], published["thesis_table_3_2"]
    measured = leaves.melt(
        ["method", "leaf", "threshold", "weight"], ["p_y0", "p_y1"], "metric", "measured"
    )
    printed = published.assign(leaf=published["criterion"].str.removeprefix("leaf_"))
    printed = printed.rename(columns={"value": "published"})
    key = ["method", "leaf", "metric"]
    table = measured.merge(printed[[*key, "published", "note"]], on=key, how="left")
    table["class"] = table["metric"].str.removeprefix("p_y").astype(int)
    table["dataset"] = DATASET
    table = table.sort_values(["leaf", "class", "method"], ignore_index=True)
    columns = ["leaf", "class", "method", "dataset", "measured", "published", "threshold"]
    return table[[*columns, "weight", "note"]]


@table(
    "misclassified patients (synthetic)",
    caption="{synthetic}. Patients whose noisy value is misclassified by the tree learnt without "
    "noise (threshold {threshold}; the thesis has 35.37 % on its data), with hard evaluation and "
    "with SE (u = {uncertainty}). Measured and published are different patients: rows have no "
    "partners, and only groups stand side by side. With one test and pure leaves SE gives the "
    "true class less than 0.5 whenever hard evaluation is wrong: it says how uncertain an error is "
    "and mends none, in the thesis as here. The thesis lists 6 and 6 patients and speaks of 7 FN "
    "and 5 FP, because its threshold is not 35 %. {drawn}",
    caption_values=caption_values,
    sources=patients_sources,
)
def thesis_table_3_3(
    results: Mapping[str, pd.DataFrame],
    published: Mapping[str, pd.DataFrame],
    plan: SoftIllustrationPlan,
) -> pd.DataFrame:
    """Table 3.3: class probabilities of misclassified patients, hard and soft evaluation.

    The patients measured are synthetic, those published are others, so that no row has a partner:
    the two stand below each other, and what can be compared is the mean of each group.

    Returns: group, source (measured, published), dataset, row (mean, patient), patient, n (1, or
    patients of the group), lvef, lvef_noisy, threshold (per cent), p_y0_hard, p_y1_hard, p_y0_se,
    p_y1_se, and for the mean se_lowest and se_highest, the range of the probability that SE gives
    to the true class. Means of the published rows are taken here.
    """
    misclassified, published = results["thesis_table_3_3"], published["thesis_table_3_3"]
    shares = ["p_y0_hard", "p_y1_hard", "p_y0_se", "p_y1_se"]
    frames = []
    printed = _printed_patients(published)
    for source, dataset, patients in (
        ("measured", DATASET, misclassified),
        ("published", published["dataset"].iloc[0], printed),
    ):
        for group, true in (("false_negative", "p_y1_se"), ("false_positive", "p_y0_se")):
            rows = patients[patients["group"] == group].assign(row="patient", n=1)
            mean = {c: rows[c].mean() for c in (*shares, "threshold")}
            mean |= {"group": group, "row": "mean", "n": len(rows)}
            mean |= {"se_lowest": rows[true].min(), "se_highest": rows[true].max()}
            frames.append(
                pd.concat([pd.DataFrame([mean]), rows]).assign(source=source, dataset=dataset)
            )
    table = pd.concat(frames, ignore_index=True)
    table["patient"] = table["patient"].astype("Int64")
    columns = ["group", "source", "dataset", "row", "patient", "n", "lvef", "lvef_noisy"]
    table = table[[*columns, "threshold", *shares, "se_lowest", "se_highest"]]
    return table.sort_values("group", kind="stable", ignore_index=True).round(6)


def _printed_patients(published: pd.DataFrame) -> pd.DataFrame:
    """Rows of the printed table, one per patient."""
    cells = published.assign(
        method=published["method"].replace("c45", "hard"),
        patient=published["criterion"].str.extract(r"patient_(\d+)_")[0].astype(int),
        group=np.where(
            published["criterion"].str.endswith("_fn"), "false_negative", "false_positive"
        ),
        threshold=published["note"].str.extract(r"threshold ([\d.]+)")[0].astype(float),
        lvef=np.nan,
        lvef_noisy=np.nan,
    )
    cells["column"] = cells["metric"] + "_" + cells["method"]
    key = ["group", "patient", "lvef", "lvef_noisy", "threshold"]
    wide = cells.set_index([*key, "column"])["value"].unstack("column").reset_index()
    return wide.rename_axis(columns=None)


def rounded(value: float, digits: int | None = None) -> str:
    """Number as text with a typographic minus; as short as it is without digits."""
    return number(value, digits) if digits else minus(f"{round(float(value), 6) + 0.0:g}")


def _chosen(curve: pd.DataFrame) -> float:
    return float(curve.loc[curve["chosen"], "threshold"].iloc[0])


def _threshold(results: Mapping[str, pd.DataFrame]) -> str:
    """Threshold of the tree that was learnt without noise."""
    gains = results["thesis_figure_3_8"]
    return f"{rounded(_chosen(gains[gains['panel'] == 'a']), 2)} %"


@step(
    outputs=(
        "thesis_figure_3_1",
        "thesis_figure_3_2",
        "thesis_figure_3_3",
        "thesis_figure_3_4",
        "thesis_figure_3_7",
        "thesis_figure_3_8",
    )
)
def figure_data(results: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The data of each figure, as a small file beside the tables."""
    return {name: data for name, data in results.items() if "_figure_" in name}
