"""Speed and memory as ratios against a peer measured in the same run.

    make bench                        all of it, a few minutes
    python benchmarks/bench.py import growth soft uncertain search evolution optimal measured proofs
    python benchmarks/bench.py structure survival patients memory prediction confidence explanation
    python benchmarks/bench.py evidential missing doubt threads large

Each pair is timed alternately, so that both meet the same machine; the figure is the ratio of
the medians. Times on a busy machine vary, ratios much less.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer
from sklearn.tree import DecisionTreeClassifier

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialData,
    EvidentialTreeClassifier,
    EvolutionaryTreeClassifier,
    OptimalTreeClassifier,
    SoftTreeClassifier,
    Tree,
    UCTTreeClassifier,
    Uncertain,
    UncertainDataTreeClassifier,
)
from hedgerow.cli import main as main_of
from hedgerow.data import NoSourceError, fetch, load_registry, tidy
from hedgerow.evidential import best_first
from hedgerow.evidential._mixture import estimate
from hedgerow.evidential.sequence import entropy
from hedgerow.induction import Columns
from hedgerow.induction.core import grow, make_growth, prune
from hedgerow.optimal.check_proof import check
from hedgerow.structure import TreeEditDistance
from hedgerow.tree.gates import spread_of

FACTORS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)  # grid of the experiments, config/default.yaml
N_TREES = 200  # of the matrix that is compared with peers pair by pair
N_PAIRS = N_TREES * (N_TREES - 1) // 2
N_PATIENTS = 10_000  # `python benchmarks/patients.py` alone takes 100,000
LONGEST = 15.0  # seconds for a proof
OPTIMAL_SETS = (
    *("iris", "wine", "glass", "haberman", "vertebral_2c"),
    *("bupa", "ionosphere", "wdbc", "pima", "banknote"),
)
#: Tables whose memory is measured: rows, columns, and by what they are grown on (`peak`).
LARGE = (
    (10_000_000, 20, "ours"),
    (100_000, 1_000, "ours"),
    (1_000_000, 20, "missing"),
    (200_000, 20, "soft"),
)
SIZES = {1_000: 15, 10_000: 7, 100_000: 3}  # rows -> pairs


def alternately(first, second, pairs: int) -> tuple[float, float]:
    """Median seconds of each, run in turn after one warm-up."""
    times = ([], [])
    for call in (first, second):
        call()
    for _ in range(pairs):
        for call, spent in zip((first, second), times, strict=True):
            start = time.perf_counter()
            call()
            spent.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def table(n: int, m: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A synthetic table with 10 % of the labels flipped."""
    return make_classification(
        n, m, n_informative=m // 2, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=1
    )


def unpruned() -> C45Classifier:
    """Ours with scikit-learn's stopping and candidates."""
    return C45Classifier(prune=False, candidates="midpoints", min_samples_split=2)


def peer() -> DecisionTreeClassifier:
    """scikit-learn's entropy tree."""
    return DecisionTreeClassifier(criterion="entropy", random_state=0)


def imports() -> None:
    """Start of an interpreter that imports us, against one that imports scikit-learn's trees."""
    print("import: a fresh interpreter, start included, against `import sklearn.tree`")

    def fresh(code: str):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    for code, goal in [
        ("import hedgerow", 0.1),
        ("from hedgerow import C45Classifier", 1.0),
        ("import hedgerow_study.workflow.jobs.steps", 0.15),
        ("import hedgerow_study.experiments.soft.claims", 0.5),
        ("import hedgerow_study.experiments.soft.page", 0.5),
    ]:
        ours, theirs = alternately(fresh(code), fresh("import sklearn.tree"), 5)
        print(
            f"  {code:<42} {1e3 * ours:6.0f} ms   sklearn.tree {1e3 * theirs:6.0f} ms"
            f"   ratio {ours / theirs:.2f}   (goal {goal})"
        )


def growth() -> None:
    """Unpruned growth, validation included, against scikit-learn's entropy tree."""
    print("growth: C45Classifier(prune=False).fit against scikit-learn's entropy tree")
    for n, m, pairs, goal in [(500, 8, 101, 0.25)] + [(n, 20, p, 0.15) for n, p in SIZES.items()]:
        X, y = table(n, m)
        ours, theirs = alternately(
            lambda X=X, y=y: unpruned().fit(X, y), lambda X=X, y=y: peer().fit(X, y), pairs
        )
        print(
            f"  {n:>7,} x {m:<3} ours {1e3 * ours:9.2f} ms   scikit-learn {1e3 * theirs:9.2f} ms"
            f"   ratio {ours / theirs:.3f}   (goal {goal})"
        )
    X, y = table(1_000_000, 20)

    def sort_and_scan():
        for x in X.T:
            order = np.argsort(x, kind="stable")
            np.cumsum(y[order])
            x[order]

    spent = []
    for call in (lambda: unpruned().fit(X, y), sort_and_scan):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    print(
        f"  1,000,000 x 20 ours {spent[0]:.1f} s   stable sort and scan of its columns "
        f"{spent[1]:.1f} s   ratio {spent[0] / spent[1]:.1f}   (goal 3.3)"
    )


def soft() -> None:
    """SS and STP over the factor grid, grown and pruned, against our own C4.5."""
    print("soft: growth and pruning over the factor grid against our C4.5 (same table)")
    synthetic = table(768, 8)
    tables = {
        "wdbc 569 x 30": load_breast_cancer(return_X_y=True),
        "synthetic 768 x 8": (synthetic[0] + 5, synthetic[1]),
    }
    for name, (X, y) in tables.items():
        columns = Columns(X, y, 2)

        def hard(columns=columns):
            prune(grow(columns), columns)

        for method in ("search", "propagation"):

            def noisy(method=method, columns=columns):
                for factor in FACTORS:
                    tree = grow(columns, **{method: factor})
                    prune(tree, columns, propagation=factor if method == "propagation" else None)

            base, spent = alternately(hard, noisy, 9)
            settings = {
                "window": 6.0, "step": 0.1, "gate_at": "threshold", "candidates": "values",
                "min_samples_split": 4, "min_samples_leaf": 1, "max_depth": None,
                "repetition_factor": 1.0, "search": None, "propagation": None,
            }  # fmt: skip
            proposed, gains, seconds, leaves = 0, 0, 0.0, 0.0
            for factor in FACTORS:
                start = time.perf_counter()
                tree, candidates, evaluated = make_growth(columns, **{**settings, method: factor})
                seconds += time.perf_counter() - start
                proposed += candidates
                gains += evaluated
                leaves += tree.n_leaves / len(FACTORS)
            key = {"search": "SS ", "propagation": "STP"}[method]
            goal = {"search": 6, "propagation": 15}[method]
            print(
                f"  {name:<18} {key} mean {1e3 * spent / len(FACTORS):8.2f} ms, C4.5 "
                f"{1e3 * base:6.2f} ms, ratio {spent / len(FACTORS) / base:6.1f}; "
                f"{1e9 * seconds / gains:5.1f} ns per gain evaluated, "
                f"{1e9 * seconds / proposed:.1f} per threshold proposed   (goal {goal}, or 35 ns); "
                f"{leaves:.0f} leaves before pruning, C4.5 {grow(columns).n_leaves}"
            )


def uncertain() -> None:
    """UDT at each width, grown and pruned, against our own C4.5 on the same table.

    The work of a search of the whole grid is the number of fractional tuples at all nodes and
    variables times 100 sample points; bounds spare nearly all of it.
    """
    print("uncertain: growth and pruning of UDT at each width against our C4.5 (same table)")
    tables = {
        "wdbc 569 x 30": load_breast_cancer(return_X_y=True),
        "synthetic 768 x 8": table(768, 8),
    }
    for name, (X, y) in tables.items():
        columns = Columns(X, y, 2)
        for width in FACTORS:
            pdf = spread_of(width, columns.ranges)

            def hard(columns=columns):
                prune(grow(columns), columns)

            def spread(columns=columns, pdf=pdf):
                prune(grow(columns, pdf=pdf), columns, propagation=pdf)

            base, spent = alternately(hard, spread, 5)
            start = time.perf_counter()
            tree, candidates, evaluated = make_growth(
                columns, pdf=pdf, min_samples_split=4, min_samples_leaf=1, max_depth=None,
                repetition_factor=1.0,
            )  # fmt: skip
            seconds = time.perf_counter() - start
            print(
                f"  {name:<18} w {width:<4g} UDT {1e3 * spent:8.2f} ms, C4.5 {1e3 * base:6.2f} ms, "
                f"ratio {spent / base:6.1f}; {1e9 * seconds / candidates:5.2f} ns per tuple and "
                f"gain of the whole grid, of which {100 * evaluated / candidates:.2f} % are "
                f"evaluated   (goal 8 at w = .05, or 35 ns); {tree.n_leaves} leaves before pruning"
            )


def public(key: str):
    """X and y of a registered data set, or None where no source answers."""
    entry = load_registry(Path(__file__).parents[1] / "config" / "datasets.yaml")[key]
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = tidy(entry, fetch(entry, folder))
        except NoSourceError:
            return None
    return found.X, np.asarray(found.y)


def at_hand(cases):
    """Of cases, a key and more each: those whose data set can be had, with its X and y."""
    for key, *more in cases:
        found = public(key)
        if found is None:
            print(f"  {key}: absent, no source answers")
        else:
            yield key, *more, *found


def search() -> None:
    """UCT-DT by iteration, against one C4.5 tree of the rows that its tests come from."""
    print("search: UCTTreeClassifier(max_depth of the C4.5 tree).fit, one core")
    variants = {
        "vs, no pruning": {"policy": "vs", "value_pruning": False, "tree_pruning": False},
        "vs, value": {"policy": "vs", "tree_pruning": False},
        "vs, tree": {"policy": "vs", "value_pruning": False},
        "vs, both": {"policy": "vs"},
        "c45, value": {"policy": "c45", "tree_pruning": False},
        "c45, tree": {"policy": "c45", "value_pruning": False},
        "c45, both": {"policy": "c45"},
        "c45b, both": {"policy": "c45b", "n_iterations": 20_000},
    }
    for key, frame, labels in at_hand([["german_credit"], ["biodegradation"]]):
        rows = np.random.default_rng(0).permutation(len(labels))[: round(0.7 * len(labels))]
        X, y = frame.iloc[rows], labels[rows]
        for name, settings in variants.items():
            model = UCTTreeClassifier(random_state=0, **settings).fit(X, y)
            fit, one = alternately(
                lambda X=X, y=y, model=model: model.fit(X, y),
                lambda rows=model._induction: prune(grow(rows), rows),
                1 if settings["policy"] == "c45b" else 3,
            )
            n = model.n_iterations_
            each = fit / n
            ended = "nothing left" if model.exhausted_ else "budget"
            print(
                f"  {key:<14} {name:<15} {fit:6.2f} s, {n:>7,} iterations ({ended}), "
                f"{1e6 * each:7.2f} us each, C4.5 {1e3 * one:5.2f} ms, ratio {each / one:.5f}; "
                f"{model._search.n_bytes / 2**20:5.0f} MiB"
            )


def evolution() -> None:
    """A fit of ETE by tree evaluated, against sending all rows down its finished tree."""
    print("evolution: EvolutionaryTreeClassifier().fit, by tree evaluated")
    tables = {"wdbc 569 x 30": load_breast_cancer(return_X_y=True)}
    tables |= {
        f"synthetic {n:,} x {m}": table(n, m) for n, m in ((500, 8), (1000, 20), (10000, 20))
    }
    for name, (X, y) in tables.items():
        model = EvolutionaryTreeClassifier(random_state=0).fit(X, y)
        fit, whole = alternately(
            lambda X=X, y=y, model=model: model.fit(X, y),
            lambda X=X, model=model: model.tree_.apply(X),
            5,
        )
        each = fit / model.n_evaluations_
        print(
            f"  {name:<22} {fit:6.3f} s, {model.n_evaluations_:>6,} trees, {1e6 * each:6.2f} us "
            f"each, all rows down the finished tree {1e6 * whole:7.1f} us, ratio "
            f"{each / whole:.3f}; {model.get_n_leaves()} leaves"
        )


def optimal() -> None:
    """Processor time to the proof of the best tree, against two other solvers on raw values."""
    print("optimal: OptimalTreeClassifier(depth).fit, processor time to the proof")
    solvers = {"ours": lambda depth: OptimalTreeClassifier(depth, time_limit=LONGEST)}
    try:
        from pycontree import ConTree

        solvers["pycontree"] = lambda depth: ConTree(max_depth=depth, time_limit=LONGEST)
    except ImportError:
        print("  pycontree is not installed: pip install pycontree")
    try:
        from pytrees import ConTreeClassifier

        solvers["pytrees-rs"] = lambda depth: ConTreeClassifier(depth, max_time=LONGEST)
    except ImportError:
        print("  pytrees-rs is not installed: pip install pytrees-rs")
    for key, frame, labels in at_hand([[key] for key in OPTIMAL_SETS]):
        X, y = frame.to_numpy(float), np.unique(labels, return_inverse=True)[1]
        for depth in (2, 3, 4):
            said = []
            for name, make in solvers.items():
                model = make(depth)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # time limit reached: reported below
                    start = time.process_time()
                    model.fit(X, y.astype(np.int32))
                    spent = time.process_time() - start
                errors = int(np.sum(model.predict(X) != y))
                over = "" if spent < LONGEST / 2 else ", stopped"
                said.append(f"{name} {spent:7.3f} s {errors:3d} errors{over}")
            print(f"  {key:<12} depth {depth}: {'; '.join(said)}", flush=True)


def measured() -> None:
    """The gap of the best tree under errors of measurement, after a minute at depth 3."""
    print("measured: OptimalTreeClassifier(3, error=.1 standard deviations, time_limit=60).fit")
    for key, X, y in at_hand([[key] for key in OPTIMAL_SETS]):
        error = {name: 0.1 * sd for name, sd in X.std().items() if sd > 0}
        model = OptimalTreeClassifier(3, error=error, time_limit=60)
        start = time.process_time()
        model.fit(X, y)
        spent = time.process_time() - start
        print(
            f"  {key:<12} {len(y):5d} x {X.shape[1]:2d}: {spent:6.2f} s, {model.n_nodes_:7,} "
            f"nodes, expected errors {len(y) * model.objective_:7.2f}, at least "
            f"{len(y) * model.bound_:7.2f}, gap {100 * model.gap_:5.2f} %",
            flush=True,
        )


def proofs() -> None:
    """Processor time to check a proof against that of the search, with what is read and written."""
    print("proofs: check_proof.check against OptimalTreeClassifier(depth).fit, processor time")
    cases = [(key, depth, 0.0) for key in OPTIMAL_SETS for depth in (2, 3)]
    cases += [("haberman", 4, 0.0), ("wine", 2, 0.05), ("iris", 3, 0.05)]
    for key, depth, absent, frame, labels in at_hand(cases):
        X, y = frame.to_numpy(float).copy(), np.unique(labels, return_inverse=True)[1]
        X[np.random.default_rng(0).random(X.shape) < absent] = np.nan
        spent = []
        for prove in (False, True):
            start = time.process_time()
            OptimalTreeClassifier(depth)._search(X, y, None, prove)
            spent.append(time.process_time() - start)
        text, content = written_proof(X, y, depth)
        start = time.process_time()
        said = check(text, content)
        spent.append(time.process_time() - start)
        search, recorded, checked = spent
        print(
            f"  {key:<12} depth {depth}{', values missing' if absent else ''}: search "
            f"{search:7.4f} s, with evidence {recorded:7.4f} s, check {checked:7.4f} s, ratio "
            f"{checked / search:5.2f}; {len(text) / 1e3:7.1f} kB; {said.rpartition(', ')[2]}",
            flush=True,
        )


def written_proof(X, y, depth: int) -> tuple[str, bytes]:
    """A proof of the bound of a depth, and the table that it is about."""
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(X.shape[1])])
    leaf = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [np.bincount(y)],
                feature_names=frame.columns)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        model, table, proof = (Path(folder, name) for name in ("t.json", "t.csv", "p.json"))
        model.write_text(leaf.to_json())
        frame.assign(label=y).to_csv(table, index=False)
        with contextlib.redirect_stdout(None):
            main_of(["gap", str(model), str(table), f"--depth={depth}", f"--proof={proof}"])
        return proof.read_text(), table.read_bytes()


def labelled_tree(rng, n: int, n_labels: int) -> tuple:
    """(label, children) of n nodes, each with at most two children."""
    labels, children = rng.integers(0, n_labels, n).tolist(), [[] for _ in range(n)]
    for node in range(1, n):
        above = int(rng.choice([p for p in range(node) if len(children[p]) < 2]))
        children[above].insert(int(rng.integers(len(children[above]) + 1)), node)

    def build(node):
        return labels[node], tuple(build(c) for c in children[node])

    return build(0)


def as_decision_tree(tree: tuple) -> Tree:
    """The label as the variable of a test; a first child is below the threshold, a second above."""
    feature, left, right, parent = [], [], [], []

    def visit(node, above):
        here = len(feature)
        feature.append(-1 if node is None else node[0])
        parent.append(above)
        left.append(-1)
        right.append(-1)
        if node is not None:
            below = [*node[1], None, None]
            left[here] = visit(below[0], here)
            right[here] = visit(below[1], here)
        return here

    visit(tree, -1)
    inner = np.array(feature) >= 0
    n = len(feature)
    threshold = np.where(inner, 0.5, np.nan)
    return Tree(feature, threshold, left, right, parent, np.full(n, 0.5), np.ones((n, 2)))


def as_lists(tree: tuple) -> tuple[list, list]:
    """Labels and children in preorder, as edist reads trees."""
    labels, children = [], []

    def visit(node):
        here = len(labels)
        labels.append(node[0])
        children.append([])
        for child in node[1]:
            children[here].append(visit(child))
        return here

    visit(tree)
    return labels, children


def structure() -> None:
    """The edit distance per pair of the same labelled trees, and matrices of whole forests.

    The peers are not needed by the package: each is timed where it is installed.
    """
    print("structure: one pair of labelled trees, costs of B2; a matrix of ours against a peer")
    try:
        from apted import APTED, Config
    except ImportError:
        APTED, Config = None, object
    try:
        from edist.ted import ted
    except ImportError:
        ted = None
    rng = np.random.default_rng(0)
    labels = 20
    X = rng.normal(size=(200, labels)) @ rng.normal(size=(labels, labels))
    y = np.arange(200) % 2
    metric = TreeEditDistance("B2").fit(X, y)
    cost = 1.0 - metric.data_.absolute_correlations(range(labels))
    np.fill_diagonal(cost, 0.0)

    class Costs(Config):
        def rename(self, node1, node2):
            return cost[node1[0], node2[0]]

        def children(self, node):
            return node[1]

    def given_cost(a, b):
        return 1.0 if a is None or b is None else cost[a, b]

    for n in (15, 31):
        trees = [labelled_tree(rng, n, labels) for _ in range(N_TREES)]
        found = [metric.data_.sort(as_decision_tree(t)) for t in trees]
        # What peers get are the trees as sorted by us: the same problem for all.
        sorted_ = [in_order(f, 0) for f in found]
        parts = [as_decision_tree(t) for t in trees]
        few = [(a, b) for a in range(5) for b in range(5, 10)]

        def ours(parts=parts):
            return metric.pairwise(parts)

        expected = ours()
        peers = {}
        if APTED is not None:
            peers["apted"] = lambda a, b, s=sorted_: APTED(
                s[a], s[b], Costs()
            ).compute_edit_distance()
        if ted is not None:
            lists = [as_lists(t) for t in sorted_]
            peers["edist"] = lambda a, b, s=lists: ted(*s[a], *s[b], given_cost)
        if not peers:
            print(f"  {n} nodes: {1e6 * alternately(ours, int, 5)[0] / N_PAIRS:.2f} us (no peer)")
        for name, peer_of in peers.items():
            for a, b in few:
                assert peer_of(a, b) >= expected[a, b] - 1e-9

            def theirs(peer_of=peer_of, few=few):
                for a, b in few:
                    peer_of(a, b)

            one, other = alternately(ours, theirs, 7)
            one, other = one / N_PAIRS, other / len(few)
            goal = {"apted": 500, "edist": 3}[name]
            print(
                f"  {n} nodes: ours {1e6 * one:7.2f} us, {name} {1e6 * other:9.1f} us, "
                f"{other / one:7.1f} times   (goal {goal})"
            )
    X, y = load_breast_cancer(return_X_y=True)
    search = UCTTreeClassifier(tree_pruning=False, random_state=1).fit(X[:397], y[:397])
    forests = {"104 trees of UCT-DT": search.forest(104)}
    noisy = np.where(np.random.default_rng(0).random(len(y)) < 0.3, 1 - y, y)
    forests["2,000 trees of 31 tests"] = [
        Tree.from_sklearn(
            DecisionTreeClassifier(splitter="random", max_leaf_nodes=32, random_state=k).fit(
                X, noisy
            )
        )
        for k in range(2000)
    ]
    for name, trees in forests.items():
        metric = TreeEditDistance("B2").fit(X[:397], y[:397])
        largest = max(t.n_nodes // 2 for t in trees)
        for jobs in (1, 2):
            times = []
            for _ in range(9 if len(trees) < 200 else 1):
                start = time.perf_counter()
                metric.pairwise(trees, n_jobs=jobs)
                times.append(time.perf_counter() - start)
            print(
                f"  {name}, up to {largest} tests, {jobs} thread{'s' if jobs > 1 else ''}: "
                f"{1e3 * statistics.median(times):.1f} ms, sorting included"
            )


def survival() -> None:
    """Log-rank tests of each leaf against lifelines, and a permutation against a growth."""
    from lifelines.statistics import logrank_test

    from hedgerow.survival import (
        logrank_one_by_one,
        permuted_separation,
        risk_groups,
        thesis_tree,
    )

    print("survival: log-rank tests of ten leaves, against all and against the rest; a permutation")
    for n in (1_000, 10_000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 20))
        time = np.round(rng.exponential(5.0 * np.exp(-1.0 * (X[:, 0] > 0))), 3)
        end = rng.uniform(0.5, 12.0, n)
        event = time <= end
        time, leaf = np.minimum(time, end), rng.integers(0, 10, n)

        def ours(data=(time, event, leaf)):
            return logrank_one_by_one(*data)

        def theirs(time=time, event=event, leaf=leaf):
            found = []
            for own in range(10):
                inside = leaf == own
                for other in (np.ones_like(inside), ~inside):
                    test = logrank_test(time[inside], time[other], event[inside], event[other])
                    found.append(test.test_statistic)
            return np.reshape(found, (10, 2))

        both = ours()
        assert np.allclose(theirs(), np.column_stack([both.against_all, both.against_rest]))
        first, second = alternately(ours, theirs, 5)
        print(f"  {n:,} patients: {1e3 * first:.2f} against {1e3 * second:.1f} ms, "
              f"{first / second:.3f} times lifelines")  # fmt: skip

        def permuted(X=X, time=time, event=event):
            return permuted_separation(X, time, event, horizon=3.0, seeds=[0])

        known = risk_groups(X, time, event, horizon=3.0, random_state=0).labels.y

        def grown(X=X, y=known):
            return thesis_tree().fit(X[y >= 0], y[y >= 0])

        first, second = alternately(permuted, grown, 5)
        print(f"  {n:,} patients: a permutation {1e3 * first:.1f} ms, growth and pruning alone "
              f"{1e3 * second:.1f} ms, {first / second:.2f} times")  # fmt: skip


def patients() -> None:
    """`hedgerow survival` on a table; in a process of its own, which keeps to two cores."""
    script = Path(__file__).with_name("patients.py")
    subprocess.run([sys.executable, script, str(N_PATIENTS)], check=True)


def explanation() -> None:
    """An explanation, against draws of measurements sent down the tree."""
    print("explanation: explain(x, error).summary(), against 100,000 draws by predict_proba")
    for name, (X, y) in {
        "wine 178 x 13": load_wine(return_X_y=True),
        "breast cancer 569 x 30": load_breast_cancer(return_X_y=True),
    }.items():
        model = C45Classifier(confidence=1.0).fit(X, y)
        error = 0.1 * X.std(axis=0)
        rows = X[:: len(X) // 20]
        rng = np.random.default_rng(0)

        def drawn(model=model, rows=rows, error=error, rng=rng):
            for x in rows:
                model.predict_proba(x + error * rng.normal(size=(100_000, len(x))))

        own, draws = alternately(
            lambda model=model, rows=rows, error=error: model.explain(rows, error).to_frame(),
            drawn,
            3,
        )
        n = len(rows)
        print(
            f"  {name:<22} {model.get_n_leaves():3d} leaves: {1e3 * own / n:6.2f} ms a case, draws "
            f"{1e3 * draws / n:7.2f} ms, ratio {own / draws:.3f}"
        )


def in_order(found, node: int) -> tuple:
    """(variable, children) of a sorted tree."""
    tree = found.tree
    sides = [int(tree.children_left[node]), int(tree.children_right[node])]
    if found.swaps[node]:
        sides.reverse()
    return int(tree.feature[node]), tuple(in_order(found, s) for s in sides if tree.feature[s] >= 0)


def memory() -> None:
    """Peak memory of one fit of 100,000 x 20, each in a process of its own."""
    print("memory: peak resident size of a fit of 100,000 x 20, above the table itself")
    base, ours, theirs = (peak_of(which, 100_000, 20)[0] for which in ("none", "ours", "peer"))
    print(
        f"  ours {(ours - base) / 1024:.0f} MiB   scikit-learn {(theirs - base) / 1024:.0f} MiB"
        f"   ratio {(ours - base) / max(theirs - base, 1):.2f}"
    )


def peak_of(which: str, n: int, m: int, jobs: int = 1) -> tuple[int, float]:
    """Peak in KiB of a process that fits one model, or none, to n x m; seconds of the fit."""
    asked = [sys.executable, __file__, "--peak", which, "--size", str(n), str(m), str(jobs)]
    kib, seconds = subprocess.check_output(asked, text=True).split()
    return int(kib), float(seconds)


def peak(which: str, n: int, m: int, jobs: int) -> None:
    """Child of `peak_of`: fit one model, print the peak in KiB and the seconds."""
    rng = np.random.default_rng(1)
    X = rng.random((n, m))
    total = rng.normal(0, 0.1, n)
    total += X[:, 0]
    total += X[:, 1]
    y = (total > 1).astype(int)
    del total
    models = {
        "ours": unpruned().set_params(n_jobs=jobs),
        "missing": unpruned().set_params(n_jobs=jobs, min_samples_leaf=50),
        "soft": SoftTreeClassifier(error=0.02, prune=False, min_samples_leaf=50, n_jobs=jobs),
        "peer": peer(),
    }
    if which == "missing":  # a block at a time: flags are not what is measured
        for start in range(0, n, 10_000):
            block = X[start : start + 10_000]
            block[rng.random(block.shape) < 0.05] = np.nan
    start = time.perf_counter()
    if which in models:
        models[which].fit(X, y)
    seconds = time.perf_counter() - start
    # Linux counts the parent's size before exec towards ru_maxrss, not towards VmHWM.
    status = Path("/proc/self/status")
    if status.exists():
        kib = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]
    else:
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(kib, seconds)


def threads() -> None:
    """Two threads against one, in the growth of a tree and in that of a forest."""
    print("threads: n_jobs=2 against n_jobs=1, validation included (goal 1.6 times faster)")
    cases = [(2, unpruned()), (2, unpruned().set_params(min_samples_leaf=100)), (5, unpruned())]
    for n_classes, model in [*cases, (2, C45Classifier())]:
        X, y = table(1_000_000, 20, n_classes)
        two, one = alternately(
            lambda X=X, y=y, model=model: model.set_params(n_jobs=2).fit(X, y),
            lambda X=X, y=y, model=model: model.set_params(n_jobs=1).fit(X, y),
            3,
        )
        print(
            f"  1,000,000 x 20, {n_classes} classes, {model.get_n_leaves():>7,} leaves"
            f"{', pruned' if model.prune else ''}: two threads {two:5.2f} s, one {one:5.2f} s, "
            f"{one / two:.2f} times faster",
            flush=True,
        )
    X, y = table(100_000, 20)

    def forest(inside: int, beside: int):
        model = BaggingClassifier(
            unpruned().set_params(n_jobs=inside), 10, n_jobs=beside, random_state=0
        )
        with parallel_config(backend="threading"):
            return model.fit(X, y)

    for inside, beside in ((1, 2), (2, 1), (2, 2)):
        several, one = alternately(
            lambda inside=inside, beside=beside: forest(inside, beside), lambda: forest(1, 1), 3
        )
        print(
            f"  a forest of 10 on 100,000 x 20, {beside} at a time with n_jobs={inside}: "
            f"{several:5.2f} s, one thread {one:5.2f} s, {one / several:.2f} times faster",
            flush=True,
        )


def large() -> None:
    """How time grows with rows and columns, and memory beyond the table."""
    print("large: exponents of time with rows and columns, one thread; memory beyond the table")
    rows, columns = (62_500, 125_000, 250_000, 500_000, 1_000_000), (50, 100, 200, 400, 800)
    for name, make, most in (("ours", unpruned, 5), ("scikit-learn", peer, 3)):
        for by, sizes in (
            ("rows", [(n, 20) for n in rows[:most]]),
            ("columns", [(10_000, m) for m in columns[:most]]),
        ):
            times = []
            for n, m in sizes:
                X, y = table(n, m)
                times.append(alternately(lambda X=X, y=y, make=make: make().fit(X, y), int, 1)[0])
            varied = [size[by == "columns"] for size in sizes]
            exponent = np.polyfit(np.log(varied), np.log(times), 1)[0]
            said = ", ".join(
                f"{n:,} x {m} {t:.2f} s" for (n, m), t in zip(sizes, times, strict=True)
            )
            print(f"  {name:<12} time ~ {by}^{exponent:.2f}: {said}", flush=True)
    said = {"missing": ", 5 % missing", "soft": ", soft tree"}
    for n, m, which in LARGE:
        what = f"{n:,} x {m}{said.get(which, '')}"
        whole = 8 * n * m / 1024
        try:
            base, _ = peak_of("none", n, m)
            fits = [peak_of(which, n, m, jobs) for jobs in (1, 2)]
        except subprocess.CalledProcessError:
            print(f"  {what}: this machine has not the memory")
            continue
        one, two = (f"{(kib - base) / whole:.2f} times the table, {s:.0f} s" for kib, s in fits)
        print(
            f"  {what}, a table of {whole / 2**20:.2f} GiB: beyond it {one}; "
            f"with two threads {two}   (goal 1.5)",
            flush=True,
        )


def prediction() -> None:
    """Prediction of a million rows against scikit-learn's; soft trees against leaves reached."""
    print("prediction: predict of 1,000,000 x 20 by an unpruned tree grown on 100,000 of the rows")
    X, y = table(1_000_000, 20)
    ours, theirs = unpruned().fit(X[:100_000], y[:100_000]), peer().fit(X[:100_000], y[:100_000])
    layouts = {
        "row by row": X,
        "column by column": np.asfortranarray(X),
        "1 % missing": np.where(np.random.default_rng(0).random(X.shape) < 0.01, np.nan, X),
    }
    for name, given in layouts.items():
        known = X if name == "1 % missing" else given
        one, other = alternately(
            lambda given=given: ours.predict(given), lambda known=known: theirs.predict(known), 5
        )
        goal = "   (goal 1)" if given is known else "; theirs has all values"
        print(
            f"  {name:<17} ours {1e3 * one:6.0f} ms   scikit-learn {1e3 * other:6.0f} ms   ratio "
            f"{one / other:.2f}{goal}"
        )
    tracemalloc.start()
    ours.predict(X)
    beyond = tracemalloc.get_traced_memory()[1] / X.nbytes
    tracemalloc.stop()
    print(f"  peak of predict: {beyond:.2f} times the table, probabilities and classes included")
    tree, some = ours.tree_, X[:100_000]
    for sigma in (0.01, 0.03, 0.1, 0.3):
        noise = np.full(20, sigma)
        shares = tree.shares(some, noise)
        leaves = shares[:, np.flatnonzero(tree.is_leaf())].nnz / len(some)
        one, other = alternately(
            lambda noise=noise: tree.predict_proba(some, noise),
            lambda: tree.predict_proba(some, None),
            3,
        )
        print(
            f"  noise of sigma {sigma:<5g}{leaves:6.1f} leaves reached by a row, "
            f"{one / other:6.1f} times the hard tree, {one / other / leaves:.2f} by leaf   (goal 3)"
        )


def confidence() -> None:
    """Prediction with doubts on Letter against that of the same tree, and what `fit` adds."""
    print("confidence: ConfDTreeClassifier.predict_proba of Letter against its tree's")
    found = public("letter")
    if found is None:
        print("  letter: absent, no source answers")
        return
    X, y = found
    rows = np.random.default_rng(0).permutation(len(y))
    train, test = rows[: len(y) // 2], rows[len(y) // 2 :]
    cases = {"all rows, seen in training": (rows, rows), "half of them, trained on the other half":
             (train, test)}  # fmt: skip
    for name, (seen, asked) in cases.items():
        for pruned in (True, False):
            tree = C45Classifier(prune=pruned).fit(X.iloc[seen], y[seen])
            given = X.iloc[asked]
            plain = tree.predict_proba(given)
            assigned = np.arange(len(asked)), plain.argmax(axis=1)
            for method in ("norm", "tdist", "comb"):
                model = ConfDTreeClassifier(FrozenEstimator(tree), method)
                start = time.perf_counter()
                model.fit(X.iloc[seen], y[seen])
                spent = time.perf_counter() - start
                ours, theirs = alternately(
                    lambda model=model, given=given: model.predict_proba(given),
                    lambda tree=tree, given=given: tree.predict_proba(given),
                    9,
                )
                changed = model.predict_proba(given)[assigned] / plain[assigned] - 1
                some = given.iloc[:200]
                n_read = np.mean([len(model.revisions(some.iloc[[i]]).nodes) for i in range(200)])
                on_path = tree.decision_path(some).nnz / 200
                size = f"{'pruned' if pruned else 'unpruned'} ({tree.get_n_leaves()} leaves)"
                print(
                    f"  {name}, {size}, {method:<5}: {1e3 * ours:6.1f} ms, tree "
                    f"{1e3 * theirs:5.1f} ms, ratio {ours / theirs:5.1f}   (goal 10); "
                    f"{n_read:5.1f} nodes read of a row, {on_path:.1f} on its path, "
                    f"{100 * np.mean(np.abs(changed) >= 0.1 - 1e-9):.1f} % of the rows changed by "
                    f"a tenth; intervals {spent:.2f} s"
                )


def doubted_table(seed: int, level: float) -> tuple[np.ndarray, np.ndarray, EvidentialData]:
    """A synthetic table of 500 x 10 with doubts uniform on [0, level], as noise left it."""
    rng = np.random.default_rng(seed)
    X, y = make_classification(500, 10, n_informative=6, n_classes=3, random_state=seed)
    gamma, gamma_y = level * rng.random(X.shape), level * rng.random(len(y))
    other = X.min(axis=0) + rng.random(X.shape) * np.ptp(X, axis=0)
    X = np.where(rng.random(X.shape) < gamma, other, X)
    y = np.where(rng.random(len(y)) < gamma_y, rng.integers(3, size=len(y)), y)
    return X, y, EvidentialData.from_gamma(X, y, gamma, gamma_y)


def in_numpy(leaves: np.ndarray, classes: np.ndarray, counts: np.ndarray, n_steps: int):
    """E2M steps by matrix products."""
    for _ in range(n_steps):
        mixed = counts @ classes
        counts = counts * ((leaves / (leaves * mixed).sum(axis=0)) @ classes.T)
    return counts


def evidential() -> None:
    """Growth of an E2M tree against CART on the same crisp values, and a step against numpy."""
    print("evidential: EvidentialTreeClassifier of 500 x 10, up to 10 leaves, against CART")
    for level in (0.3, 1.0):
        X, y, data = doubted_table(0, level)
        model = EvidentialTreeClassifier(prune=False)
        ours, theirs = alternately(
            lambda model=model, data=data: model.fit(data),
            lambda X=X, y=y: best_first(C45Classifier(prune=False).fit(X, y).tree_),
            5,
        )
        print(
            f"  doubts up to {level:g}: {ours:5.2f} s (goal 2 s), {model.get_n_leaves()} leaves; "
            f"CART {1e3 * theirs:.1f} ms, ratio {ours / theirs:.0f}"
        )
    rng = np.random.default_rng(0)
    for n, n_leaves, n_classes in ((100, 5, 3), (500, 10, 3), (500, 10, 8)):
        leaves, classes = rng.random((n_leaves, n)), rng.random((n_classes, n))
        start = np.full((n_leaves, n_classes), n / n_leaves / n_classes)
        ours, theirs = alternately(
            lambda a=leaves, b=classes, c=start: estimate(a, b, c.copy(), -np.inf, 300),
            lambda a=leaves, b=classes, c=start: in_numpy(a, b, c, 300),
            9,
        )
        size = f"{n} x {n_leaves} leaves x {n_classes} classes"
        print(
            f"  a step of {size}: {1e6 * ours / 300:5.2f} us, numpy {1e6 * theirs / 300:6.1f} us, "
            f"ratio {ours / theirs:.2f}"
        )
    screened()


def screened() -> None:
    """What screening misses: the first test against the one that the whole search finds."""
    gains, same, spent = [], 0, np.zeros(2)
    for seed in range(40):
        data = doubted_table(seed, 0.5 + 0.5 * (seed % 2))[2].take(np.arange(150))
        trees = []
        for k, settings in enumerate(({}, {"n_thresholds": None, "n_finalists": None})):
            start = time.perf_counter()
            model = EvidentialTreeClassifier(prune=False, max_leaves=2, **settings).fit(data)
            spent[k] += time.perf_counter() - start
            trees.append(model.tree_)
        same += trees[0] == trees[1]
        total = [t.class_weight.sum(axis=1) * entropy(t.class_weight) for t in trees]
        gains.append((total[0][0] - total[0][1:].sum()) / (total[1][0] - total[1][1:].sum()))
    print(
        f"  screened, 40 tables of 150 x 10: the first test of the whole search in {same}, "
        f"{100 * np.mean(gains):.1f} % of its gain, {spent[0] / spent[1]:.2f} of the time"
    )


def missing() -> None:
    """Growth by EIG against C4.5 with the same reliability, the guesses at hand in both."""
    print("missing: unpruned growth by the expected gain against our C4.5 (same table, goal 2.5)")
    tables = {
        "wine 178 x 13": (*load_wine(return_X_y=True), 31),
        "wdbc 569 x 30": (*load_breast_cancer(return_X_y=True), 15),
        "synthetic 2,000 x 20": (*table(2_000, 20), 7),
        "synthetic 20,000 x 10": (*table(20_000, 10), 3),
    }
    for name, (X, y, pairs) in tables.items():
        for share in (0.05, 0.25, 0.5, 0.75, 0.95):
            if len(y) > 10_000 and share > 0.5:
                continue
            rng = np.random.default_rng(0)
            gaps = np.where(rng.random(X.shape) < share, np.nan, X)
            if len(y) > 10_000:  # all pairs of rows would take the imputer minutes
                imputed, beside = X + X.std(axis=0) * rng.normal(size=X.shape), ""
            else:
                start = time.perf_counter()
                imputed = KNNImputer().fit_transform(gaps)
                beside = f"; KNNImputer {1e3 * (time.perf_counter() - start):5.0f} ms"
            columns = Columns(gaps, y, int(y.max()) + 1, keep_after_fit=False)
            settings = {"reliability": "global", "min_samples_split": 2}
            eig = {"criterion": "expected_gain", "imputed": imputed[None], **settings}
            ours, base = alternately(
                lambda columns=columns, eig=eig: grow(columns, **eig),
                lambda columns=columns, settings=settings: grow(columns, **settings),
                pairs,
            )
            n, n_base = len(grow(columns, **eig).feature), len(grow(columns, **settings).feature)
            print(
                f"  {name:<21} {100 * share:3.0f} % missing: EIG {1e3 * ours:8.2f} ms, {n:>6,} "
                f"nodes; C4.5 {1e3 * base:7.2f} ms, {n_base:>6,} nodes; ratio {ours / base:5.2f}, "
                f"per node {ours / base * n_base / n:5.2f}{beside}"
            )


def doubt() -> None:
    """The tree for all doubts against the slowest of the methods that each read one of them."""
    print("doubt: all doubts at once against the slowest learner of one of them (goal 2)")
    tables = {
        "wine 178 x 13": (*load_wine(return_X_y=True), 15),
        "wdbc 569 x 30": (*load_breast_cancer(return_X_y=True), 9),
        "synthetic 2,000 x 20": (*table(2_000, 20), 5),
        "synthetic 10,000 x 10": (*table(10_000, 10), 3),
    }
    for name, (X, y, pairs) in tables.items():
        rng = np.random.default_rng(0)
        K = int(y.max()) + 1
        gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
        plausible = np.maximum(np.eye(K)[y], rng.choice([0.0, 0.2, 0.5], (len(y), K)))
        error, classes = (0.1 * X.std(axis=0)).tolist(), range(K)
        guesses = X + X.std(axis=0) * rng.normal(size=X.shape)
        everything = Uncertain(gaps, error, plausible, imputed=guesses, classes=classes)
        parts = {
            "soft tree": (SoftTreeClassifier(), Uncertain(gaps, error)),
            "EIG": (EIGClassifier(), Uncertain(gaps, imputed=guesses)),
            "C4.5, fractions": (
                C45Classifier(),
                Uncertain(gaps, y_plausibility=plausible, classes=classes),
            ),
        }
        ratios = {}
        for part, (model, data) in parts.items():
            ours, theirs = alternately(
                lambda data=everything, y=y: UncertainDataTreeClassifier().fit(data, y),
                lambda model=model, data=data, y=y: model.fit(data, y),
                pairs,
            )
            ratios[part] = (ours / theirs, theirs, ours)
        slowest = min(ratios, key=lambda part: ratios[part][0])
        said = ", ".join(f"{part} {1e3 * t:.1f} ms" for part, (_, t, _) in ratios.items())
        print(
            f"  {name:<21}: {1e3 * ratios[slowest][2]:8.1f} ms, ratio to the slowest "
            f"({slowest}) {ratios[slowest][0]:5.2f}; {said}"
        )


def main() -> None:
    """Run the parts named on the command line, or all."""
    parts = {
        "import": imports,
        "growth": growth,
        "soft": soft,
        "uncertain": uncertain,
        "search": search,
        "evolution": evolution,
        "optimal": optimal,
        "measured": measured,
        "proofs": proofs,
        "structure": structure,
        "survival": survival,
        "patients": patients,
        "memory": memory,
        "prediction": prediction,
        "confidence": confidence,
        "explanation": explanation,
        "evidential": evidential,
        "missing": missing,
        "doubt": doubt,
        "threads": threads,
        "large": large,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    parser.add_argument("--size", nargs=3, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak:
        peak(given.peak, *given.size)
        return
    for name in given.parts or parts:
        if name not in parts:
            parser.error(f"unknown part {name!r}; choose from {', '.join(parts)}")
        parts[name]()


if __name__ == "__main__":
    main()
