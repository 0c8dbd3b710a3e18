"""Trees and tables that nobody wrote, through all that takes them: `make fuzz`.

    python ci/fuzz.py                             both drivers, 5 minutes, new seeds
    python ci/fuzz.py --minutes 60 --first 0      an hour, seeds from 0
    python ci/fuzz.py trees --seed 17             one case again, in this process
    python ci/fuzz.py --asan                      the cores that `make test-asan` has compiled

A case ends well if every call gives an answer or one sentence (`InputError`, `DataError`, and what
scikit-learn's own checks say). Cases run in processes of their own, some at a time: one that is
killed by a signal, that takes longer than `LONGEST` seconds or more than `MEMORY` is a finding like
any other. Each finding is printed with the command that makes it again.
"""

from __future__ import annotations

import argparse
import copy
import functools
import itertools
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import sanitizers

sys.path.insert(0, str(sanitizers.ROOT / "tests"))

from oracle.mutated_trees import examples, mutated
from quick import LEARNERS

import hedgerow
from hedgerow.errors import HedgerowError
from hedgerow.induction import Columns, prune
from hedgerow.structure import TreeEditDistance, class_probability_distance
from hedgerow.tree import Tree, forest_from_frame, forest_to_frame

#: Cases of a process, seconds that they may take, and bytes that it may have.
CASES, LONGEST, MEMORY = 100, 300, 4 * 2**30
#: Words of scikit-learn and numpy that are sentences, too, as `check_estimator` wants them.
SENTENCES = (ValueError, TypeError)

# ----------------------------------------------------------------------------------------- trees


@functools.cache
def compared() -> tuple[Columns, TreeEditDistance, Tree]:
    """The table for the cores that read a tree beside the traversal: pruning, edit distance."""
    forms, X, y = examples()
    columns = Columns(X, y, 3, None, [0, 0, 0, 3])
    return columns, TreeEditDistance("A2").fit(X, y), Tree.from_json(forms["hard"])


def uses(tree: Tree, X: np.ndarray, y: np.ndarray) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a tree, but for a picture, which takes long."""
    columns, distance, other = compared()
    yield lambda: tree.predict_proba(X)
    yield lambda: tree.predict_proba(X, smoothing=True, root=tree.n_nodes - 1)
    yield lambda: tree.predict_proba(X, evaluation=None)
    yield lambda: tree.predict_proba(X, evaluation=np.full(X.shape[1], 0.1))
    yield lambda: tree.apply(X)
    yield lambda: tree.shares(X)
    yield lambda: tree.decision_path(X)
    yield lambda: tree.importances(X.shape[1])
    yield lambda: tree.annotate(X, y if tree.classes is None else np.array(tree.classes)[y])
    yield lambda: str(
        hedgerow.gap(
            tree, X, y if tree.classes is None else np.array(tree.classes)[y], max_depth=2,
            max_nodes=40, objective="log_loss",
        )
    )  # fmt: skip
    yield lambda: (tree.depth, tree.n_leaves, repr(tree), tree.is_categorical())
    yield lambda: tree.to_text()
    yield lambda: tree.to_dot()
    yield lambda: tree.to_frame()
    yield lambda: forest_from_frame(forest_to_frame([tree], pd.DataFrame({"k": [0]})), ["k"])
    yield lambda: pickle.loads(pickle.dumps(tree))
    yield lambda: copy.deepcopy(tree)
    yield lambda: class_probability_distance([tree], X)
    yield lambda: tree.probabilities(smoothing=True)
    yield lambda: prune(tree, columns, confidence=0.9)
    yield lambda: prune(tree, columns, propagation=0.1)
    yield lambda: distance.distance(tree, other)
    yield lambda: distance.edit_script(other, tree)


def spoilt_tree(seed: int) -> None:
    """A tree in JSON with one change, through everything that takes a tree."""
    rng = random.Random(seed)
    forms, X, y = examples()
    name = rng.choice(sorted(forms))
    try:
        tree = Tree.from_json(mutated(name, rng.randrange(2**32)))
    except HedgerowError as error:
        assert error.remedy and "\n" not in str(error), str(error)
        return
    for use in uses(tree, X, y):
        try:
            use()
        except HedgerowError as error:
            assert "\n" not in str(error), str(error)
    assert Tree.from_json(tree.to_json()) == tree


# ---------------------------------------------------------------------------------------- tables

#: Numbers that tables rarely hold.
ODD = (
    *(0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 2.0**53, 2.0**63),
    *(1e-300, 0.1 + 0.2, 1 + 2**-52),
)


def numbers(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Random numbers, some of them odd, rounded or all the same."""
    X = rng.normal(size=(n, width)) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.3:
        X = X.round(int(rng.integers(0, 2)))
    for _ in range(int(rng.integers(0, 6))):
        X[rng.integers(n), rng.integers(width)] = ODD[rng.integers(len(ODD))]
    if rng.random() < 0.2:
        X[:, rng.integers(width)] = ODD[rng.integers(len(ODD))]
    return X


def formed(rng: np.random.Generator, X: np.ndarray) -> object:
    """The same table as something else that a user may have."""
    form = rng.integers(9)
    if form == 0:
        return pd.DataFrame(X, columns=[f"a{i}" for i in range(X.shape[1])])
    if form == 1:
        frame = pd.DataFrame(X)
        frame[0] = pd.Categorical(rng.choice(["u", "v", None], len(X)))
        return frame
    if form == 2:
        return pd.DataFrame(X, columns=["a"] * X.shape[1])
    if form == 3:
        return X.astype(object)
    if form == 4:
        return np.ma.masked_invalid(X)
    if form == 5:
        return np.asfortranarray(X)[::-1]
    if form == 6:
        return X.astype(np.float32)
    return X.tolist() if form == 7 else X


def classes(rng: np.random.Generator, n: int) -> object:
    """Labels of one to five classes, of any type, of which one may be missing."""
    codes = rng.integers(0, rng.integers(1, 6), n)
    form = rng.integers(7)
    if form == 0:
        return np.array(list("abcde"))[codes]
    if form == 1:
        return codes.astype(float)
    if form == 2:
        return codes.astype(bool)
    if form == 3:
        return [None if code == 4 else str(code) for code in codes]
    if form == 4:
        return np.where(codes == 1, np.nan, codes)
    return pd.Series(codes) if form == 5 else codes


def weights(rng: np.random.Generator, n: int) -> object:
    """None most of the time; else counts, odd numbers, or too few of them."""
    form = rng.integers(8)
    if form == 0:
        return rng.integers(0, 4, n)
    if form == 1:
        return np.array(ODD)[rng.integers(0, len(ODD), n)]
    if form == 2:
        return np.ones(max(n - 1, 0))
    return rng.random(n) if form == 3 else None


def hostile_table(seed: int) -> None:
    """A random table through a learner: fit, predict, and what is asked of the fitted one."""
    rng = np.random.default_rng(seed)
    name = sorted(LEARNERS)[rng.integers(len(LEARNERS))]
    n, width = int(rng.integers(0, 40)), int(rng.integers(0, 6))
    X = formed(rng, numbers(rng, n, width)) if n and width else np.empty((n, width))
    y, weight = classes(rng, n), weights(rng, n)
    learner = getattr(hedgerow, name)(**LEARNERS[name])
    given = {} if weight is None else {"sample_weight": weight}
    if _answered(lambda: learner.fit(X, y, **given)) is None:
        return
    other = formed(rng, numbers(rng, int(rng.integers(1, 9)), max(width, 1)))
    for table in (X, other):
        found = _answered(lambda table=table: learner.predict_proba(table))
        if found is not None:
            assert np.isfinite(found).all(), f"{name}: probabilities are no numbers"
            assert np.allclose(found.sum(axis=1), 1.0), f"{name}: probabilities do not add up"
        _answered(lambda table=table: learner.predict(table))
    _answered(lambda: pickle.loads(pickle.dumps(learner)))


def _answered(call: Callable[[], object]) -> object:
    """An answer, or None where there was a sentence."""
    try:
        return call()
    except (HedgerowError, *SENTENCES) as error:
        assert str(error), f"{type(error).__name__} without a word"
        return None


DRIVERS = {"trees": spoilt_tree, "tables": hostile_table}

# ---------------------------------------------------------------------------------------- running


def case(driver: str, seed: int) -> None:
    """One case; whatever is no sentence goes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        DRIVERS[driver](seed)


def several(driver: str, first: int, n: int) -> int:
    """Cases one after another in this process; each is named before it begins."""
    if "ASAN_OPTIONS" not in os.environ:  # whose shadow of the memory is larger
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for seed in range(first, first + n):
        print(seed, flush=True)
        case(driver, seed)
    return 0


def found(
    driver: str, first: int, n: int, python: str, variables: Mapping[str, str]
) -> Iterator[tuple[int, str]]:
    """Seeds of a stretch at which a process ended badly, with the last words that it said."""
    end = first + n
    while first < end:
        command = [python, __file__, driver, "--first", str(first), "--cases", str(end - first)]
        with tempfile.TemporaryFile() as words:
            try:
                done = subprocess.run(
                    command,
                    env=variables,
                    stdout=subprocess.PIPE,
                    stderr=words,
                    text=True,
                    timeout=LONGEST,
                )
                named, code = done.stdout, done.returncode
            except subprocess.TimeoutExpired as late:
                named, code = (late.stdout or b"").decode(), None
            words.seek(0)
            said = words.read().decode(errors="replace").strip().splitlines()
        if code == 0:
            return
        seed = int(named.split()[-1]) if named.split() else first
        how = f"no end after {LONGEST} s" if code is None else f"signal {-code}" if code < 0 else ""
        yield seed, ": ".join(filter(None, [how, *said[-1:]]))
        first = seed + 1


def fuzz(
    drivers: list[str], first: int, minutes: float, python: str, variables: Mapping[str, str]
) -> int:
    """How many findings there were."""
    until, bad, count = time.monotonic() + 60 * minutes, 0, 0
    for turn in itertools.count():
        if time.monotonic() > until:
            break
        driver, start = drivers[turn % len(drivers)], first + turn // len(drivers) * CASES
        for seed, words in found(driver, start, CASES, python, variables):
            bad += 1
            print(f"python ci/fuzz.py {driver} --seed {seed}\n    {words}", flush=True)
        count += CASES
    print(f"{count} cases, seeds from {first}: {bad or 'no'} finding{'s' if bad != 1 else ''}")
    return bad


def main() -> int:
    """Exit code: 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("driver", nargs="?", choices=list(DRIVERS), help="default: both in turn")
    parser.add_argument("--minutes", type=float, default=5.0, help="default: %(default)s")
    parser.add_argument("--first", type=int, metavar="SEED", help="first seed (default: a new one)")
    parser.add_argument("--seed", type=int, help="this case, in this process")
    parser.add_argument("--cases", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--asan", action="store_true", help="with the sanitizers' cores")
    options = parser.parse_args()
    if options.seed is not None:
        case(options.driver or "trees", options.seed)
        return 0
    if options.cases is not None:
        return several(options.driver, options.first, options.cases)
    python, variables = sys.executable, dict(os.environ)
    if options.asan:
        python = str(sanitizers.ENVIRONMENT / "bin/python")
        if not Path(python).exists():
            parser.error("call `make test-asan` first: it compiles those cores")
        variables = sanitizers.variables()
    first = random.randrange(10**6) * CASES if options.first is None else options.first
    drivers = [options.driver] if options.driver else list(DRIVERS)
    return int(fuzz(drivers, first, options.minutes, python, variables) > 0)


if __name__ == "__main__":
    sys.exit(main())
