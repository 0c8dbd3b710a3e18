"""Tables of the illustrations of chapter 3."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hedgerow.experiments.soft_illustration.plan import DATASET, SoftIllustrationPlan

GROUPS = {"false_negative": ("FN", "False negatives"), "false_positive": ("FP", "False positives")}

# ------------------------------------------------------------------------------------ tables


def thesis_table_3_2(
    leaves: pd.DataFrame, published: pd.DataFrame, plan: SoftIllustrationPlan
) -> pd.DataFrame:
    """Table 3.2: class probabilities at the leaves, hard and soft training propagation.

    Parameters
    ----------
    leaves : DataFrame
        As returned by `hedgerow.experiments.soft_illustration.leaves`.
    published : DataFrame
        data/published/thesis_table_3_2.csv.
    plan : SoftIllustrationPlan

    Returns
    -------
    DataFrame
        leaf, class, method, dataset (the synthetic set that is measured), measured, published
        (of other patients), threshold (per cent), weight (patients in the leaf), note.
    """
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


def thesis_table_3_3(
    misclassified: pd.DataFrame, published: pd.DataFrame, plan: SoftIllustrationPlan
) -> pd.DataFrame:
    """Table 3.3: class probabilities of misclassified patients, hard and soft evaluation.

    The patients measured are synthetic, those published are others, so that no row has a partner:
    the two stand below each other, and what can be compared is the mean of each group.

    Parameters
    ----------
    misclassified : DataFrame
        As returned by `hedgerow.experiments.soft_illustration.misclassified_patients`.
    published : DataFrame
        data/published/thesis_table_3_3.csv.
    plan : SoftIllustrationPlan

    Returns
    -------
    DataFrame
        group, source (measured, published), dataset, row (mean, patient), patient, n (1, or
        patients of the group), lvef, lvef_noisy, threshold (per cent), p_y0_hard, p_y1_hard,
        p_y0_se, p_y1_se, and for the mean se_lowest and se_highest, the range of the probability
        that SE gives to the true class. Means of the published rows are taken here.
    """
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


def _n(value: float, digits: int | None = None) -> str:
    """Number as text with a typographic minus; as short as it is without digits."""
    text = f"{value:.{digits}f}" if digits else f"{round(float(value), 6):g}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\u2212")
