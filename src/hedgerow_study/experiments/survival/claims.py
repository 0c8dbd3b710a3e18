"""Statements T6-01 to T6-06 of thesis chapter 6: what the judge reads, of public cohorts.

The registry of the chapter is private, and its simulator was built so that it shows what the
statements say: it judges none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival.plan import ALPHA, LEARNT
from hedgerow_study.experiments.survival.statistics import selected
from hedgerow_study.experiments.survival.tables import public
from hedgerow_study.reporting.claims import judged, without


@step()
def claims(
    leaves: pd.DataFrame,
    treatment: pd.DataFrame,
    separation: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge statements T6-01 to T6-06 of data/published/claims.csv."""
    cells = measured(public(leaves), public(treatment), public(separation))
    frames = {"cohorts": cells}
    names = cells["dataset"].unique()
    return judged("survival", frames, specification, statements, names, partial(without, frames))


def measured(
    leaves: pd.DataFrame, treatment: pd.DataFrame, separation: pd.DataFrame
) -> pd.DataFrame:
    """Public cohorts in the numbers that the statements speak of.

    Returns: dataset, metric, value, and events, of p_test those of the test patients, which its
    power follows from (else missing); a tree without tests has no groups and speaks to nothing but
    treatment. Metrics: p_all, p_training, p_test and p_permutation (log-rank test of all leaves);
    n_leaves, n_longer and n_shorter (leaves with p < .005 against all patients), share_alike (of
    leaves without); n_gain (leaves in which the treated live longer with p < .005, counted from the
    landmark, or from inclusion where the treatment is chosen then), n_no_gain, n_gain_inclusion
    (counted from inclusion, as published); of trees with tests n_compared (leaves with a gain whose
    hazard ratios can be estimated) and, of these, hazard_ratio_share (largest ratio of the leaf's
    hazard ratio among the treated to that among the untreated).
    """
    rows = []
    several = set(separation.loc[separation["n_leaves"] > 1, "dataset"])
    for line in separation[separation["dataset"].isin(several)].to_dict("records"):
        rows.append((line["dataset"], f"p_{line['part']}", line["multivariate_logrank_p"]))
        if line["part"] == "all":
            rows.append((line["dataset"], "p_permutation", line["p_permutation"]))
    for line in selected(leaves[leaves["dataset"].isin(several)]).to_dict("records"):
        share = 1.0 - line["n_selected"] / line["n_leaves"]
        rows.append((line["dataset"], "share_alike", share))
        rows += [(line["dataset"], m, line[m]) for m in ("n_leaves", "n_longer", "n_shorter")]
    leaf = treatment[treatment["number"] > 0] if len(treatment) else treatment
    for dataset, mine in leaf[leaf["groups"] == LEARNT].groupby("dataset", sort=True):
        ways = {way: frame for way, frame in mine.groupby("counted_from")}
        gain = ways["inclusion"][_gains(ways["inclusion"])]
        rows.append((dataset, "n_gain_inclusion", len(gain)))
        later = ways.get("landmark", ways["inclusion"])
        gain = later[_gains(later)]
        rows.append((dataset, "n_gain", len(gain)))
        rows.append((dataset, "n_no_gain", len(later) - len(gain)))
        ratio = gain["hazard_ratio_leaf_treated"] / gain["hazard_ratio_leaf_untreated"]
        # One leaf is all patients: there are no others that it could be compared with.
        if len(later) > 1:
            rows.append((dataset, "n_compared", ratio.notna().sum()))
        if ratio.notna().any():
            rows.append((dataset, "hazard_ratio_share", ratio.max()))
    frame = pd.DataFrame(rows, columns=["dataset", "metric", "value"])
    leaf = leaves[(leaves["groups"] == LEARNT) & (leaves["number"] > 0)] if len(leaves) else leaves
    events = leaf.groupby("dataset")["events_test"].sum() if len(leaf) else pd.Series(dtype=float)
    of_test = frame["dataset"].where(frame["metric"] == "p_test")
    return frame.assign(
        value=frame["value"].astype(np.float64), events=of_test.map(events).astype(np.float64)
    )


def _gains(treatment: pd.DataFrame) -> pd.Series:
    """Leaves in which the treated live longer."""
    return (treatment["logrank_p"] < ALPHA) & (treatment["hazard_ratio"] < 1.0)
