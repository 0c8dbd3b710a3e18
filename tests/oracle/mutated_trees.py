"""Trees as JSON, spoilt at one place: what a file may hold that no hedgerow has written."""

import copy
import functools
import json

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.datasets import load_iris

from hedgerow import (
    C45Classifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    UncertainTreeClassifier,
)
from hedgerow.tree import CategoryGate, CategoryNoise
from hedgerow.uncertainty import RelativeNoise

#: What stands where something else should.
VALUES = [
    *(None, True, False, -1, 0, 1, 2, 7, -2, 2**31 - 1, 2**31, 2**63, -(2**70), 10**400),
    *(0.5, -0.25, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf")),
    *("", "x", "test", "norm", "noise", "threshold", "category", "replacement", [], [[]], [0], {}),
    *([1.0, 2.0], {"a": 1}, {"date": "2020-13-45"}, {"datetime64[D]": 2**70}, "\ud800"),
]


@functools.cache
def examples() -> tuple[dict[str, str], np.ndarray, np.ndarray]:
    """Trees of every kind as JSON, and the table they were grown on."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::2].copy(), y[::2]
    X[::7, 2] = np.nan
    rng = np.random.default_rng(0)
    table = pd.DataFrame(X, columns=list("abcd"))
    table["d"] = pd.Categorical(np.array(list("uvw"))[(y + (rng.random(len(y)) < 0.3)) % 3])
    settings = {"prune": False, "max_depth": 3}
    mixed = C45Classifier(**settings).fit(table, np.array(["s", "v", "g"])[y])
    coded = table.assign(d=table["d"].cat.codes).to_numpy(dtype=float)
    codes = np.searchsorted(mixed.classes_, np.array(["s", "v", "g"])[y])
    three = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    model = SoftTreeClassifier(
        evaluation=[stats.norm(0.1, 0.4), stats.t(3, scale=0.2), 0.1, RelativeNoise(stats.norm())],
        **settings,
    )
    trees = {
        "hard": mixed.tree_,
        "annotated": mixed.tree_.annotate(table, np.array(["s", "v", "g"])[y]),
        "categories": mixed.tree_.replace(gate=CategoryGate({3: three})),
        "replaced": mixed.tree_.replace(gate=CategoryNoise({3: np.full(3, 1 / 3)}, 0.2)),
        "soft": SoftTreeClassifier(evaluation=0.1, **settings).fit(X, y).tree_,
        "model": model.fit(X, y).tree_,
        "plt": ProbabilisticThresholdClassifier(**settings).fit(X, y).tree_,
        "udt": UncertainTreeClassifier(width=0.2, **settings).fit(X, y).tree_,
        "leaf": C45Classifier(max_depth=0).fit(X, y).tree_,
        "dated": C45Classifier(**settings).fit(X, np.array("2020-01-01", "M8[D]") + y).tree_,
    }
    return {name: tree.to_json() for name, tree in trees.items()}, coded, codes


def _places(form, path=()):
    """Paths to every value; of long lists of numbers only the first and the last few."""
    items = form.items() if isinstance(form, dict) else enumerate(form)
    for key, value in items:
        if isinstance(form, list) and 3 < key < len(form) - 3:
            continue
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def mutated(name: str, seed: int) -> str:
    """The example of this name with one change, drawn from a seed."""
    rng = np.random.default_rng(seed)
    form = json.loads(examples()[0][name])
    places = list(_places(form))
    # Each part of the tree is as likely as another one, whatever its length.
    parts = sorted({path[0] for path in places})
    part = parts[rng.integers(len(parts))]
    places = [path for path in places if path[0] == part]
    path = places[rng.integers(len(places))]
    owner = functools.reduce(lambda inside, key: inside[key], path[:-1], form)
    key, value = path[-1], copy.deepcopy(owner[path[-1]])
    change = rng.integers(5)
    if change == 0 or not isinstance(owner, list):
        owner[key] = VALUES[rng.integers(len(VALUES))]
        if change == 1:
            del owner[key]
    elif change == 1:
        del owner[key]
    elif change == 2:
        owner.insert(key, value)
    elif change == 3:
        other = rng.integers(len(owner))
        owner[key], owner[other] = owner[other], owner[key]
    elif isinstance(value, int | float):
        owner[key] = value + [1, -1, 0.5, 1e308][rng.integers(4)]
    return json.dumps(form)
