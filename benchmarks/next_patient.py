"""Whether the risks that groups are given hold for the next patient of the same source.

    python benchmarks/next_patient.py            writes next_patient.csv beside it
    python benchmarks/next_patient.py 20         20 synthetic cohorts of each source, printed
    python benchmarks/next_patient.py seeds      gbsg2 (of lifelines) divided by 20 seeds

Synthetic cohorts of 400 patients, of sources where no variable tells the risk, where several do a
little, where a tree does, and where another cause competes. In each, groups are made as `hedgerow
survival` makes them; the true risk of a group as found is that of 20,000 further patients of the
source whom it would get. Counted is how often the interval of a group's risk holds it: that of all
patients, that of the test part, and the corrected one; and the same of the concordance.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from hedgerow.survival import bootstrap_validation, concordance, risk_groups, thesis_tree
from hedgerow.survival.estimates import risk_at

HORIZON, N, N_NEW, N_RANKED = 5.0, 400, 20_000, 4_000
N_COHORTS, N_BOOTSTRAPS = 200, 100
OUT = Path(__file__).with_suffix(".csv")
#: Logarithm of the hazard ratio by the variables of a patient.
SOURCES = {
    "nothing": lambda x: 0.0 * x[:, 0],
    "several variables": lambda x: 0.5 * x[:, 0] + 0.5 * x[:, 1] + 0.4 * x[:, 5],
    "a tree": lambda x: (x[:, 0] > 0) * (1.0 + 0.8 * (x[:, 5] > 0)) - 0.5 * (x[:, 1] > 0.5),
    "a tree, causes compete": lambda x: (x[:, 0] > 0) * (1.0 + 0.8 * (x[:, 5] > 0)),
}


def patients(source: str, n: int, random: np.random.Generator, censored: bool = True):
    """Synthetic patients: variables, follow-up, event (0, 1, 2)."""
    x = random.normal(size=(n, 8))
    x[:, 5:] = x[:, 5:] > 0.3
    event = random.exponential(1.0 / (0.08 * np.exp(SOURCES[source](x))))
    other = random.exponential(20.0, n) if "compete" in source else np.full(n, np.inf)
    end = random.uniform(2.0, 12.0, n) if censored else np.full(n, np.inf)
    time = np.minimum(np.minimum(event, other), end)
    return x, time, np.where(time == event, 1, np.where(time == other, 2, 0))


def one(source: str, seed: int, n: int = N, n_bootstraps: int = N_BOOTSTRAPS) -> dict[str, float]:
    """Groups, and how many intervals of each kind hold the truth, in one cohort."""
    x, time, event = patients(source, n, np.random.default_rng(seed))
    groups = risk_groups(x, time, event, horizon=HORIZON, random_state=seed)
    found = bootstrap_validation(
        groups,
        x,
        time,
        event,
        horizon=HORIZON,
        n_bootstraps=n_bootstraps,
        random_state=seed,
    )
    new = patients(source, N_NEW, np.random.default_rng([seed, 1]), censored=False)
    leaf = groups.estimator.apply(new[0])
    had = (new[2] == 1) & (new[1] <= HORIZON)
    counts = dict.fromkeys(("groups", "all_patients", "test_part", "corrected", "tested"), 0)
    width, squares = [], np.zeros(2)
    for node, row in found.risks.iterrows():
        truth = had[leaf == node].mean()
        inside = groups.leaf == node
        counts["groups"] += 1
        counts["corrected"] += int(row["risk_low"] <= truth <= row["risk_high"])
        width.append(row["risk_high"] - row["risk_low"])
        squares += np.array([row["apparent"] - truth, row["risk"] - truth]) ** 2
        for name, own in (("all_patients", inside), ("test_part", inside & ~groups.training)):
            risk, error = risk_at(time[own], event[own], HORIZON)
            if np.isnan(error):
                continue
            counts["tested"] += name == "test_part"
            gap = np.log(-np.log1p(-risk)) - np.log(-np.log1p(-np.clip(truth, 1e-9, 1 - 1e-9)))
            counts[name] += int(abs(gap) <= 1.959964 * error)
    later = patients(source, N_RANKED, np.random.default_rng([seed, 2]))
    ranks = found.risks["apparent"].fillna(0.5).reindex(groups.estimator.apply(later[0]))
    truth = concordance(*later[1:], ranks.fillna(0.5).to_numpy())
    test = ~groups.training
    tested = concordance(
        time[test],
        event[test],
        found.risks["apparent"].fillna(0.5).reindex(groups.leaf[test]).to_numpy(),
    )
    return counts | {
        "source": source,
        "width": float(np.nanmean(width)),
        "apparent_squares": squares[0],
        "corrected_squares": squares[1],
        "concordance_held": int(found.low <= truth <= found.high),
        "concordance_error": found.concordance - truth,
        "test_part_error": tested - truth,
        "finds": int(found.finds),
    }


def _one(arguments):
    return one(*arguments)


def measured(n_cohorts: int) -> pd.DataFrame:
    """A row per source."""
    asked = [(source, seed) for source in SOURCES for seed in range(n_cohorts)]
    with ProcessPoolExecutor(2) as pool:
        frame = pd.DataFrame(list(pool.map(_one, asked, chunksize=5)))
    rows = []
    for source, own in frame.groupby("source", sort=False):
        groups = own["groups"].sum()
        rows.append(
            {
                "source": f"synthetic: {source}",
                "n_cohorts": len(own),
                "n_groups": int(groups),
                "coverage_all_patients": own["all_patients"].sum() / groups,
                "coverage_test_part": own["test_part"].sum() / own["tested"].sum(),
                "coverage_corrected": own["corrected"].sum() / groups,
                "width_corrected": own["width"].mean(),
                "rmse_all_patients": float(np.sqrt(own["apparent_squares"].sum() / groups)),
                "rmse_corrected": float(np.sqrt(own["corrected_squares"].sum() / groups)),
                "coverage_concordance": own["concordance_held"].mean(),
                "bias_concordance": own["concordance_error"].mean(),
                "rmse_concordance": float(np.sqrt((own["concordance_error"] ** 2).mean())),
                "rmse_test_part": float(np.sqrt((own["test_part_error"] ** 2).mean())),
                "finds": own["finds"].mean(),
            }
        )
    return pd.DataFrame(rows).round(4)


def seeds(n_seeds: int = 20) -> None:
    """How far concordances of one cohort lie apart that is divided by other seeds."""
    from lifelines.datasets import load_gbsg2

    table = load_gbsg2()
    X, time, event = table.drop(columns=["time", "cens"]), table["time"], table["cens"]
    for name in X.select_dtypes(exclude="number"):
        X[name] = X[name].astype("category")
    how = {"horizon": 3 * 365.25, "estimator": thesis_tree(max_depth=4)}
    found = []
    for seed in range(n_seeds):
        groups = risk_groups(X, time, event, random_state=seed, **how)
        share = groups.tree_.probabilities()[groups.leaf, list(groups.estimator.classes_).index(1)]
        test = ~groups.training
        made = bootstrap_validation(groups, X, time, event, random_state=seed, **how)
        found.append((concordance(time[test], event[test], share[test]), made.concordance))
    for name, values in zip(("test part", "corrected"), zip(*found, strict=True), strict=True):
        print(f"{name}: {min(values):.3f} to {max(values):.3f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["seeds"]:
        sys.exit(seeds())
    few = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    table = measured(few or N_COHORTS)
    print(table.to_string(index=False))
    if not few:
        table.to_csv(OUT, index=False, lineterminator="\n")
