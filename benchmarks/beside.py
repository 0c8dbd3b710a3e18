"""The page's tree beside what people would use instead, on ten cohorts, out of bootstrap.

    python benchmarks/beside.py            writes beside.csv beside it, with 50 bootstraps
    python benchmarks/beside.py 3          three bootstraps, printed

Each model is made of the patients that a bootstrap draws and scored on those whom it leaves out:
concordance, and the Brier score at the horizon as a share of that of one curve for everybody (1:
nothing is known, 0: all is). Beside the tree of `hedgerow survival` (which learns from three
quarters of its patients) and the same tree of all of them: a Cox model with the same inputs
(lifelines, ridge penalty .1; medians in the place of missing values, categories one by one), a
random survival forest (scikit-survival, extra `forests`), and trees of R's rpart (pruned by its own
cross validation) and partykit (`ctree`), where Rscript has them. Cohorts with more than 1,500
patients are a sample of so many.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import lifelines.datasets as datasets
import numpy as np
import pandas as pd
from lifelines import CoxPHFitter

from hedgerow.data import fetch, load_registry, tidy
from hedgerow.survival import (
    concordance,
    group_survival,
    integrated_brier_score,
    risk_groups,
    thesis_tree,
)

HERE = Path(__file__).parent
OUT = HERE / "beside.csv"
N_BOOTSTRAPS, MOST, DEPTH = 50, 1_500, 4
#: Columns of time and event, horizon, and what is not known at inclusion.
LIFELINES = {
    "rossi": (datasets.load_rossi, "week", "arrest", 40.0, ()),
    "gbsg2": (datasets.load_gbsg2, "time", "cens", 1_095.0, ()),
    "lung": (datasets.load_lung, "time", "status", 365.0, ("inst",)),
    "kidney": (datasets.load_kidney_transplant, "time", "death", 1_825.0, ()),
}
#: Of the registry: horizon in its unit of time, what is left out.
REGISTERED = {
    "heart_failure": (120.0, ()),
    "support2": (180.0, ()),
    "veteran": (90.0, ()),
    "whas500": (365.0, ("los",)),
    "actg320": (270.0, ()),
    "flchain": (3_650.0, ("chapter",)),
}


def cohorts() -> dict[str, tuple[pd.DataFrame, np.ndarray, np.ndarray, float]]:
    """Inputs, time, event and horizon of each cohort that can be had here."""
    found = {}
    for name, (load, time, event, horizon, left) in LIFELINES.items():
        table = load().dropna(subset=[time, event])
        X = table.drop(columns=[time, event, *left])
        found[name] = (X, table[time].to_numpy(float), table[event].to_numpy(int), horizon)
    registry = load_registry(HERE.parent / "config/datasets.yaml")
    with tempfile.TemporaryDirectory() as folder:
        for name, (horizon, left) in REGISTERED.items():
            entry = registry[name]
            table = tidy(entry, fetch(entry, Path(folder), kinds={"mirror", "package", "archive"}))
            X = table.X.drop(columns=[c for c in left if c in table.X])
            found[name] = (X, table.time, (table.y == 1).astype(int), horizon)
    made = {}
    for name, (X, time, event, horizon) in found.items():
        X = X.copy()
        for column in X.select_dtypes(exclude="number"):
            X[column] = X[column].astype(str).where(X[column].notna()).astype("category")
        some = np.arange(len(time))
        if len(some) > MOST:
            some = np.sort(np.random.default_rng(0).choice(some, MOST, replace=False))
        made[name] = (X.iloc[some].reset_index(drop=True), time[some], event[some], horizon)
    return made


def numbers(X: pd.DataFrame, drawn: np.ndarray) -> pd.DataFrame:
    """Inputs as numbers without gaps: medians of those drawn, an indicator for each category."""
    wide = pd.get_dummies(X, dtype=float, drop_first=True)
    wide = wide.fillna(wide.iloc[drawn].median()).fillna(0.0)
    varies = wide.iloc[drawn].std() > 0
    return wide.loc[:, varies]


def of_groups(leaf, drawn, time, event, horizon) -> np.ndarray:
    """Risk of each patient by the curve of those drawn in the group."""
    table = group_survival(time[drawn], event[drawn], leaf[drawn], [horizon])
    risk = 1.0 - table.iloc[:, 0]
    middle = (
        1.0 - group_survival(time[drawn], event[drawn], np.zeros(len(drawn)), [horizon]).iloc[0, 0]
    )
    return risk.reindex(leaf).fillna(middle).to_numpy()


def trees(X, time, event, horizon, drawn, test_size: float) -> np.ndarray:
    """Risks by a tree of the thesis of those drawn."""
    groups = risk_groups(
        X.iloc[drawn].reset_index(drop=True),
        time[drawn],
        event[drawn],
        horizon=horizon,
        estimator=thesis_tree(max_depth=DEPTH),
        test_size=test_size,
        random_state=0,
    )
    leaf = np.asarray(groups.estimator.apply(X))
    return of_groups(leaf, drawn, time, event, horizon)


def cox(X, time, event, horizon, drawn) -> np.ndarray:
    """Risks by a Cox model of those drawn."""
    wide = numbers(X, drawn)
    scaled = (wide - wide.iloc[drawn].mean()) / wide.iloc[drawn].std()
    frame = scaled.iloc[drawn].assign(time=time[drawn], event=event[drawn])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = CoxPHFitter(penalizer=0.1).fit(frame, "time", "event")
    return 1.0 - fitted.predict_survival_function(scaled, times=[horizon]).to_numpy()[0]


def forest(X, time, event, horizon, drawn) -> np.ndarray:
    """Risks by a random survival forest of those drawn."""
    from sksurv.ensemble import RandomSurvivalForest

    wide = numbers(X, drawn).to_numpy()
    y = np.array(list(zip(event[drawn] == 1, time[drawn], strict=True)), dtype="?,f8")
    fitted = RandomSurvivalForest(100, min_samples_leaf=15, random_state=0, n_jobs=1)
    curves = fitted.fit(wide[drawn], y).predict_survival_function(wide, return_array=True)
    place = np.searchsorted(fitted.unique_times_, horizon, side="right") - 1
    return 1.0 - curves[:, max(place, 0)]


def nodes_of_r(X, time, event, draws) -> pd.DataFrame:
    """Nodes of trees of rpart and partykit; empty where R does not have them."""
    if shutil.which("Rscript") is None:
        return pd.DataFrame()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("cohort.csv", "draws.csv", "out.csv")]
        named = X.set_axis([f"x{k}" for k in range(X.shape[1])], axis=1)
        pd.DataFrame({"time": np.maximum(time, 1e-3), "event": event}).join(named).to_csv(
            paths[0], index=False
        )
        frame = pd.DataFrame({f"b{k}": drawn + 1 for k, drawn in enumerate(draws)})
        frame.to_csv(paths[1], index=False)
        done = subprocess.run(
            ["Rscript", HERE / "beside.R", *paths], capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(f"R: {' '.join(done.stderr.split())[:300]}", file=sys.stderr)
            return pd.DataFrame()
        return pd.read_csv(paths[2])


def scored(name: str, cohort, n_bootstraps: int) -> list[dict]:
    """A row per model and bootstrap."""
    X, time, event, horizon = cohort
    random = np.random.default_rng(list(name.encode()))
    draws = [random.integers(0, len(time), len(time)) for _ in range(n_bootstraps)]
    nodes = nodes_of_r(X, time, event, draws)
    rows = []
    for k, drawn in enumerate(draws):
        left = np.ones(len(time), dtype=bool)
        left[drawn] = False
        about = (X, time, event, horizon, drawn)
        models = {
            "tree, three quarters": lambda about=about: trees(*about, 0.25),
            "tree": lambda about=about: trees(*about, 0.0),
            "cox": lambda about=about: cox(*about),
            "forest": lambda about=about: forest(*about),
        }
        for method in ("rpart", "ctree"):
            if f"{method}_b{k}" in nodes:
                leaf = nodes[f"{method}_b{k}"].to_numpy()
                models[method] = lambda leaf=leaf, about=about: of_groups(
                    leaf, about[4], *about[1:4]
                )
        nothing = of_groups(np.zeros(len(time), dtype=int), drawn, time, event, horizon)
        scores = {}
        for method, make in {"nothing": lambda r=nothing: r, **models}.items():
            try:
                risk = np.clip(make(), 0.0, 1.0)
            except ImportError:
                continue
            survival = (1.0 - risk[left])[:, None]
            parts = (time[drawn], event[drawn], time[left], event[left])
            scores[method] = (
                concordance(time[left], event[left], risk[left]),
                integrated_brier_score(*parts, survival, [horizon]).integrated,
            )
        for method, (own, brier) in scores.items():
            if method != "nothing":
                share = brier / scores["nothing"][1]
                rows.append(
                    {"cohort": name, "model": method, "concordance": own, "brier_share": share}
                )
    return rows


def main(n_bootstraps: int) -> pd.DataFrame:
    """A row per cohort and model: means and standard deviations over bootstraps."""
    rows = []
    for name, cohort in cohorts().items():
        rows += scored(name, cohort, n_bootstraps)
        print(name, flush=True, file=sys.stderr)
    frame = pd.DataFrame(rows)
    groups = frame.groupby(["cohort", "model"], sort=False)
    table = groups.agg(["mean", "std"])
    table.columns = [f"{name}{'_sd' if of == 'std' else ''}" for name, of in table.columns]
    table.insert(0, "n_bootstraps", groups.size())
    return table.round(4).reset_index()


if __name__ == "__main__":
    few = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    found = main(few or N_BOOTSTRAPS)
    wide = found.pivot(index="cohort", columns="model", values=["concordance", "brier_share"])
    print(wide.round(3).to_string())
    if not few:
        found.to_csv(OUT, index=False, lineterminator="\n")
