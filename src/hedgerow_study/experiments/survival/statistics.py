"""What of the leaves' separation is left on other patients and after permutations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from hedgerow_study.experiments.frames import concat_sorted, sorted_
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival.plan import ALPHA, CHI2, LEARNT, OF_PARTS, ORDER, PARTS


@step(outputs=("leaves", "separation", "null"))
def statistics(
    described: pd.DataFrame, apart: pd.DataFrame, permuted: Sequence[pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Each statistic on training and test patients, and p values of permuted outcomes.

    Returns: `leaves`: those of all patients, with the same of the parts (suffixes `_training` and
    `_test`), logrank_p_permutation and logrank_p_rest_permutation (learnt tree only). `separation`:
    with p_permutation (of all leaves at once), false_alarms (share of the permutations in which a
    leaf of the part has p < .005 against all patients) and n_permutations. `null`: all
    permutations.
    """
    from hedgerow.survival.permutation import permutation_p

    null = concat_sorted(list(permuted), ORDER["null"])
    whole = described[described["part"] == "all"].drop(columns="part")
    key = ["dataset", "groups", "number"]
    for part in PARTS[1:]:
        of_part = described[described["part"] == part].set_index(key)
        available = [name for name in OF_PARTS if name in of_part]
        whole = whole.join(of_part[available].add_suffix(f"_{part}"), on=key)
    mine = null[null["part"] == "all"]
    leaf = ((whole["groups"] == LEARNT) & (whole["number"] > 0)).to_numpy()
    for statistic, column, p in zip(CHI2, ("against_all", "against_rest"), _P, strict=True):
        p_values = np.full(len(whole), np.nan)
        p_values[leaf] = permutation_p(whole.loc[leaf, statistic], mine[column])
        whole[p] = p_values
    whole["n_permutations"] = mine["permutation"].nunique()
    return {
        "leaves": sorted_(whole, key),
        "separation": sorted_(_separation(apart, null), ORDER["separation"]),
        "null": null,
    }


_P = ("logrank_p_permutation", "logrank_p_rest_permutation")


def _separation(apart: pd.DataFrame, null: pd.DataFrame) -> pd.DataFrame:
    from hedgerow.survival.permutation import permutation_p

    rows = []
    for line in apart.to_dict("records"):
        dealt = null[null["part"] == line["part"]]
        p = float(permutation_p([line["overall"]], dealt["overall"])[0])
        false_alarms = float((dealt["n_selected"] > 0).mean())
        tests = {"p_permutation": p, "false_alarms": false_alarms, "n_permutations": len(dealt)}
        rows.append({**line, **tests})
    return pd.DataFrame(rows)


def selected(leaves: pd.DataFrame) -> pd.DataFrame:
    """In how many leaves a published-style p < .005 survives, by cohort.

    Returns: dataset, n_leaves, n_selected (p < .005 of the leaf against all patients, as
    published), n_longer and n_shorter among them, then how many of the selected have p < .005 after
    Holm's correction (n_holm), against the others (n_rest), on training patients (n_training), on
    test patients, in the same direction (n_test), and by permutation (n_permutation; missing where
    so few permutations cannot tell).
    """
    of_leaves = leaves[(leaves["groups"] == LEARNT) & (leaves["number"] > 0)]
    rows = []
    for dataset, mine in of_leaves.groupby("dataset", sort=True):
        chosen = mine[mine["logrank_p"] < ALPHA]
        longer = is_longer(chosen)
        same_way = is_longer(chosen, "_test") == longer
        enough = 1.0 / (1.0 + mine["n_permutations"].iloc[0]) < ALPHA
        by_chance = chosen["logrank_p_permutation"] >= ALPHA
        row = {"dataset": dataset, "n_leaves": len(mine), "n_selected": len(chosen)}
        row |= {"n_longer": int(longer.sum()), "n_shorter": int((~longer).sum())}
        for name in ("holm", "rest", "training", "test"):
            still = chosen[f"logrank_p_{name}"] < ALPHA
            row[f"n_{name}"] = int((still & same_way if name == "test" else still).sum())
        row["n_permutation"] = float((~by_chance).sum()) if enough else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def is_longer(leaves: pd.DataFrame, part: str = "") -> pd.Series:
    """Whether patients of a leaf live longer than the others; all of them do without an event."""
    return leaves[f"hazard_ratio{part}"].lt(1.0) | leaves[f"events{part}"].eq(0)
