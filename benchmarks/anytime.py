"""Errors of trees of depth 5 after a minute, beside two other solvers.

    pip install pycontree==1.0.8 pytrees-rs==2.0
    python benchmarks/anytime.py
    python benchmarks/anytime.py --seconds 10 yeast segment

Each solver has a process of its own and the same limit; errors are counted on what it predicts.
The primal gap of a solver on a data set is (errors - fewest) / errors, where the fewest are those
of the best of all solvers; 0 where both are 0. The others are ConTree (Brita, van der Linden,
Demirovic 2025) and its limited discrepancy search in pytrees-rs, both under the MIT licence.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from importlib.metadata import version

import numpy as np
from bench import public

#: Registered sets of numbers alone, without gaps, with 1,000 rows or more; no parts of others.
SETS = (
    "banknote",
    "biodegradation",
    "diabetic_retinopathy",
    "letter",
    "localization",
    "segment",
    "spambase",
    "waveform",
    "wine_quality_red",
    "yeast",
)


def ours(X, y, depth: int, seconds: float):
    """Predictions of `OptimalTreeClassifier(search="uct")`."""
    from hedgerow import OptimalTreeClassifier

    model = OptimalTreeClassifier(depth, search="uct", time_limit=seconds)
    return model.fit(X, y).predict(X)


def lds(X, y, depth: int, seconds: float):
    """Predictions of pytrees-rs, limited discrepancy search in the order of the Gini index."""
    from pytrees import ConTreeClassifier

    model = ConTreeClassifier(depth, max_time=seconds, use_lds=True, sort_by_heuristic=True)
    return model.fit(X, y).predict(X)


def contree(X, y, depth: int, seconds: float):
    """Predictions of pycontree."""
    from pycontree import ConTree

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its limit
        return ConTree(max_depth=depth, time_limit=seconds).fit(X, y.astype(np.int32)).predict(X)


SOLVERS = {"hedgerow uct": ours, "pytrees-rs lds": lds, "pycontree": contree}


def run(solver: str, key: str, depth: int, seconds: float):
    """Errors, seconds and seconds of processor time of a solver on a data set."""
    found = public(key)
    if found is None:
        raise SystemExit(f"{key}: no source answers")
    X = np.ascontiguousarray(found[0].to_numpy(float))
    y = np.unique(found[1], return_inverse=True)[1]
    wall, spent = time.perf_counter(), time.process_time()
    predicted = SOLVERS[solver](X, y, depth, seconds)
    wall, spent = time.perf_counter() - wall, time.process_time() - spent
    return len(y), int(np.sum(np.asarray(predicted) != y)), wall, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    print(", ".join(f"{name} {version(name)}" for name in ("pycontree", "pytrees-rs")))
    print(f"depth {options.depth}, {options.seconds:g} s each: errors (seconds, of processor time)")
    gaps: dict[str, list[float]] = {solver: [] for solver in SOLVERS}
    context = multiprocessing.get_context("spawn")
    for key in options.sets:
        errors = {}
        shown = []
        for solver in SOLVERS:
            with context.Pool(1) as pool:
                call = (solver, key, options.depth, options.seconds)
                n, errors[solver], wall, spent = pool.apply(run, call)
            shown.append(f"{solver} {errors[solver]} ({wall:.1f}, {spent:.1f})")
        fewest = min(errors.values())
        for solver, own in errors.items():
            gaps[solver].append((own - fewest) / own if own else 0.0)
        print(f"{key}, {n} rows: {'; '.join(shown)}", flush=True)
    means = (f"{solver} {100 * np.mean(own):.2f} %" for solver, own in gaps.items())
    print(f"average primal gap over {len(options.sets)} sets: {'; '.join(means)}")


if __name__ == "__main__":
    main()
