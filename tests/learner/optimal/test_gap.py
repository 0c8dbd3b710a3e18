"""How far a tree is from the best: the bound is that of all trees, and its proof stands alone."""

import ast
import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from effort import draws, share
from oracle.best_trees import leaf_cost, least_cost
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier, Gap, OptimalTreeClassifier, Tree, gap
from hedgerow.cli import main
from hedgerow.errors import InputError
from hedgerow.optimal import check_proof
from hedgerow.optimal.check_proof import ProofRejected, check, digest
from hedgerow.optimal.learner import OBJECTIVES
from hedgerow.tree.gates import NoiseGate

CHECKER = Path(check_proof.__file__)


def random_case(seed):
    """A small table with ties, duplicates, missing values and categories; a depth and settings."""
    rng = np.random.default_rng(seed)
    depth = int(rng.integers(1, 4))
    n, m = int(rng.integers(3, 15 - 3 * depth)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    if seed % 5 < 3:
        X[rng.random((n, m)) < rng.choice([0.2, 0.5])] = np.nan
    X[0] = 0.0  # no variable is missing throughout
    y = rng.integers(0, rng.integers(2, 5), n)
    settings = {
        "objective": OBJECTIVES[int(rng.integers(3))],
        "leaf_penalty": float(rng.choice([0, 0.01, 0.05])),
        "missing": ["divided", "routed"][seed % 2],
    }
    categorical = [j for j in range(m) if rng.random() < 0.3]
    weight = rng.integers(1, 4, n) / 2 if seed % 3 else np.ones(n)
    return X, y, weight, depth, settings, categorical


def grown(X, y, weight, categorical, depth=2):
    """A tree that is not the best, with names of categories."""
    model = C45Classifier(
        prune=False, min_samples_split=0, max_depth=depth, categorical_features=categorical or None
    )
    tree = model.fit(X, y, weight).tree_
    names = [f"v{j}" for j in range(X.shape[1])]
    labels = {j: [f"k{code}" for code in range(6)] for j in categorical}
    wide = np.zeros((tree.n_nodes, 6), dtype=bool)
    wide[:, : tree.categories_left.shape[1]] = tree.categories_left
    arrays = {**tree.arrays(), "categories_left": wide}
    return Tree(**arrays, classes=tree.classes, feature_names=names, categories=labels)


def least(X, y, weight, depth, settings, categorical, most_subsets=6):
    return least_cost(
        [[None if np.isnan(v) else v for v in row] for row in X],
        y.tolist(),
        weight.tolist(),
        depth,
        objective=settings["objective"],
        penalty=settings["leaf_penalty"] * weight.sum(),
        categorical=categorical,
        most_subsets=most_subsets,
        routed=settings["missing"] == "routed",
    )


@pytest.mark.parametrize("seed", draws(500))
def test_the_bound_is_the_cost_of_the_best_of_all_trees(seed):
    X, y, weight, depth, settings, categorical = random_case(seed)
    tree = grown(X, y, weight, categorical)
    found = gap(tree, X, y, max_depth=depth, sample_weight=weight, **settings)
    want = least(X, y, weight, depth, settings, categorical) / weight.sum()
    assert found.proven
    assert found.bound == pytest.approx(want, abs=1e-7)
    shares = tree.shares(X).toarray()
    cost = sum(
        leaf_cost({c: np.sum((shares[:, leaf] * weight)[y == c]) for c in np.unique(y)},
                  settings["objective"])
        for leaf in np.flatnonzero(tree.is_leaf())
    )  # fmt: skip
    cost = cost / weight.sum() + settings["leaf_penalty"] * tree.n_leaves
    assert found.cost == pytest.approx(cost, abs=1e-7)
    assert found.gap == pytest.approx(max(0.0, 1 - want / cost) if cost else 0.0, abs=1e-6)
    best = gap(found.best, X, y, max_depth=depth, sample_weight=weight, **settings)
    assert best.gap == 0.0 and best.cost == pytest.approx(found.bound, abs=1e-7)


# ------------------------------------------------------------------------------------- in words


def test_a_tree_of_another_library_in_words():
    X, y = load_iris(return_X_y=True)
    tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))
    found = gap(tree, X, y)
    assert isinstance(found, Gap)
    assert str(found) == "4 errors; no tree of depth 3 on these values has fewer than 1"
    assert (found.depth, found.weight, found.proven) == (3, 150.0, True)
    assert found.gap == pytest.approx(0.75)
    best = gap(found.best, X, y)
    assert str(best) == "1 error; no tree of depth 3 on these values has fewer"
    assert best.gap == 0.0
    penalty = str(gap(tree, X, y, leaf_penalty=0.01))
    assert penalty.startswith("cost 0.0766667 (errors per unit of weight, 0.01 for each leaf); no")
    assert "costs less than" in penalty
    assert str(gap(tree, X, y, objective="gini")).startswith("weighted Gini index 0.0")
    stopped = gap(tree, X, y, max_nodes=3)
    assert not stopped.proven and stopped.best_cost >= stopped.bound
    assert "and the best that was found has" in str(stopped)


def test_a_bound_in_words_is_rounded_down():
    found = Gap(0.5, 2 / 3 * 0.5, 1 / 3, True, 3, None, 0.5, "gini", 0.0, 10.0)
    assert str(found).endswith("has less than 0.333333")
    found = Gap(0.5, 0.49999999, 1 / 3, True, 3, None, 0.5, "gini", 0.0, 10.0)
    assert str(found).endswith("has less than 0.499999")


def test_a_tree_costs_what_its_own_leaves_say():
    """Not what the rows would make of them: the classes are those of the tree."""
    tree = Tree([0, -1, -1], [1.5, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
                [0.5, np.nan, np.nan], [[5, 5], [1, 4], [4, 1]],
                classes=["ill", "well"])  # fmt: skip
    X, y = [[1.0], [1.0], [2.0], [2.0]], ["ill", "ill", "well", "ill"]
    found = gap(tree, X, y)
    assert str(found) == "3 errors; no tree of depth 1 on these values has fewer than 1"
    found = gap(tree, X, y, objective="log_loss")
    assert found.cost == pytest.approx(-(3 * np.log(0.2) + np.log(0.8)) / 4)
    found = gap(tree, X, y, objective="gini")
    assert found.cost == pytest.approx((3 * 2 * 0.8**2 + 2 * 0.2**2) / 4)
    sure = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[5.0, 0.0]], classes=["ill", "well"])
    found = gap(sure, X, y, max_depth=1, objective="log_loss")
    assert found.cost == np.inf and found.gap == 1.0
    assert str(found).startswith("log loss inf; no tree of depth 1")


def test_soft_gates_and_missing_values_are_those_of_the_tree():
    X, y = np.array([[1.0], [2.0], [3.0], [np.nan]]), np.array([0, 0, 1, 1])
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    hard = gap(tree, X, y)
    assert hard.cost * 4 == pytest.approx(2 / 3)
    assert ", missing ones divided, has fewer" in str(hard)
    soft = gap(tree.replace(gate=NoiseGate(np.array([1.0]))), X, y)
    assert soft.cost > hard.cost and soft.bound == hard.bound
    routed = gap(tree, X, y, missing="routed")
    assert routed.bound == 0.0 and "missing ones routed" in str(routed)


def test_a_deeper_tree_may_cost_less():
    X, y = load_wine(return_X_y=True)
    tree = OptimalTreeClassifier(3).fit(X, y).tree_
    found = gap(tree, X, y, max_depth=2)
    assert str(found) == "0 errors; no tree of depth 2 on these values has fewer than 6"
    assert found.gap == 0.0


def test_data_frames_have_the_labels_of_the_tree():
    frame = pd.DataFrame({"size": [1.0, 2, 3, np.nan], "ward": pd.Categorical(list("abba"))})
    y = ["ill", "well", "well", "ill"]
    tree = C45Classifier(prune=False, min_samples_split=2).fit(frame, y).tree_
    other = frame.assign(ward=pd.Categorical(list("abba"), categories=list("xba")))
    assert gap(tree, other, y, max_depth=1).cost == gap(tree, frame, y, max_depth=1).cost == 0.0
    with pytest.raises(InputError, match=r"column .size. of X holds text, not numbers"):
        gap(tree, frame.assign(size=list("abcd")), y)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"y": [0, 1, 2]}, "y holds the class 2, which the tree does not know"),
        ({"y": [[0], [1], [1]]}, "y is int64 of shape"),
        ({"X": [[1.0, 2.0], [1.0, 2.0]]}, "inconsistent numbers of samples"),
        ({"X": [[], [], []]}, "the tree tests variable 0 and the data have 0"),
        ({"X": [["a"], ["b"], ["c"]]}, "X"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"max_depth": 17}, "max_depth is 17"),
        ({"objective": "accuracy"}, "objective is 'accuracy'"),
        ({"leaf_penalty": -1}, "leaf_penalty is -1"),
        ({"missing": "some"}, "missing is 'some'"),
        ({"sample_weight": [1, 1]}, "sample_weight"),
        ({"sample_weight": [0, 0, 0]}, "the sample weight of every row is zero"),
        ({"max_nodes": 0}, "max_nodes is 0"),
        ({"time_limit": 0}, "time_limit is 0"),
    ],
    ids=str,
)
def test_what_is_refused(changes, said):
    tree = C45Classifier(prune=False, min_samples_split=2).fit([[1.0], [2.0]], [0, 1]).tree_
    given = {"X": [[1.0], [2.0], [3.0]], "y": [0, 1, 1], **changes}
    X, y = given.pop("X"), given.pop("y")
    with pytest.raises(ValueError, match=said):
        gap(tree, X, y, **given)


def test_what_is_no_tree():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="tree is a DecisionTreeClassifier; give a Tree"):
        gap(DecisionTreeClassifier().fit(X, y), X, y)


# -------------------------------------------------------------------------------------- proofs


def written(folder, X, y, tree, categorical=()):
    """A model and a table as files."""
    frame = pd.DataFrame(X, columns=tree.feature_names)
    for j in categorical:
        labels = tree.categories[j]
        frame[tree.feature_names[j]] = [
            None if np.isnan(code) else labels[int(code)] for code in np.asarray(X)[:, j]
        ]
    frame["class"] = y
    frame.to_csv(folder / "table.csv", index=False)
    (folder / "tree.json").write_text(tree.to_json())


def proven(folder, *more):
    arguments = ["gap", folder / "tree.json", folder / "table.csv", "--proof", folder / "p.json"]
    assert main([*map(str, arguments), "--force", *more]) == 0
    return (folder / "p.json").read_text(), (folder / "table.csv").read_bytes()


def as_options(depth, settings):
    given = {"depth": depth, **settings}
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]


@pytest.mark.parametrize("seed", draws(500))
def test_proofs_are_confirmed(seed, tmp_path, capsys):
    X, y, _, depth, settings, categorical = random_case(seed)
    weight = np.ones(len(y))
    tree = grown(X, y, None, categorical)
    written(tmp_path, X, y, tree, categorical)
    text, content = proven(tmp_path, *as_options(depth, settings))
    assert f"no tree of depth {depth} on {len(y)} rows" in check(text, content)
    want = least(X, y, weight, depth, settings, categorical)
    assert json.loads(text)["bound"] == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_leaf_alone_has_a_proof(objective, tmp_path, capsys):
    X, y, _ = small(0)
    written(tmp_path, X, y, grown(X, y, None, []))
    settings = {"objective": objective, "leaf_penalty": 0.01}
    text, content = proven(tmp_path, *as_options(0, settings))
    assert "no tree of depth 0 on 24 rows" in check(text, content)
    counts = dict(enumerate(np.bincount(y).tolist()))
    assert json.loads(text)["bound"] == pytest.approx(leaf_cost(counts, objective) + 0.24)
    form = json.loads(text)
    form["bound"] += 0.01
    with pytest.raises(ProofRejected, match="only a cost of"):
        check(sealed(form), content)


@pytest.mark.parametrize("seed", draws(100))
def test_a_search_that_was_stopped_has_a_proof_too(seed, tmp_path, capsys):
    X, y, _, _, settings, categorical = random_case(seed)
    tree = grown(X, y, None, categorical)
    written(tmp_path, X, y, tree, categorical)
    for nodes in (1, 3, 8):
        text, content = proven(tmp_path, *as_options(3, settings), f"--max-nodes={nodes}")
        check(text, content)


@pytest.mark.parametrize("seed", draws(60))
def test_no_bound_but_the_true_one_is_confirmed(seed, tmp_path, capsys):
    X, y, _, depth, settings, categorical = random_case(seed)
    written(tmp_path, X, y, grown(X, y, None, categorical), categorical)
    text, content = proven(tmp_path, *as_options(depth, settings))
    form = json.loads(text)
    form["bound"] += 1e-3 * len(y)
    with pytest.raises(ProofRejected, match="only a cost of"):
        check(sealed(form), content)


def sealed(form):
    """With the digest of one who alters a proof and knows how it is sealed."""
    return json.dumps({**form, "digest": digest(form)})


def places(form, path=()):
    """Where a proof has a number."""
    for key, value in form.items() if isinstance(form, dict) else enumerate(form):
        if isinstance(value, (list, dict)):
            yield from places(value, (*path, key))
        elif not isinstance(value, str):
            yield (*path, key)


def altered(form, path, by):
    other = copy.deepcopy(form)
    inner = other
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] += by
    return other


def small(seed):
    """As `random_case`, at depth 3 with errors: claims that rest on claims."""
    rng = np.random.default_rng(seed)
    n = 24
    X = rng.integers(0, 5, (n, 2)).astype(float)
    if seed:
        X[rng.random((n, 2)) < 0.15] = np.nan
    y = rng.integers(0, 2, n)
    settings = {
        "objective": "errors",
        "leaf_penalty": 0.0,
        "missing": ["divided", "divided", "routed"][seed],
    }
    return X, y, settings


@pytest.mark.parametrize("seed", range(3))
def test_a_proof_altered_in_one_number_is_refused(seed, tmp_path, capsys):
    """Each number in turn; and by one who seals it again, it is refused or the statement true."""
    X, y, settings = small(seed)
    written(tmp_path, X, y, grown(X, y, None, []))
    text, content = proven(tmp_path, *as_options(3, settings))
    form = json.loads(text)
    everywhere = list(places(form))
    assert len(everywhere) > 60 and {path[0] for path in everywhere} >= {"bound", "claims", "rows"}
    assert max(len(path) for path in everywhere) == 5  # tests that claims rest on
    rng = np.random.default_rng(0)
    least_of = {}
    for path in everywhere:
        for by in (1, -1):
            other = altered(form, path, by)
            with pytest.raises(ProofRejected):
                check(json.dumps(other), content)
        if path[0] == "claims" and rng.random() > share(300) / len(everywhere):
            continue
        for by in (1, -1):
            other = altered(form, path, by)
            try:
                check(sealed(other), content)
            except ProofRejected:
                continue
            about = (other["depth"], other["leaf_penalty"], other["most_subsets"])
            if about not in least_of:
                changed = {**settings, "leaf_penalty": other["leaf_penalty"]}
                least_of[about] = least(X, y, np.ones(len(y)), about[0], changed, [], about[2])
            assert other["bound"] <= least_of[about] + 1e-6


def test_a_table_altered_in_one_number_is_refused(tmp_path, capsys):
    X, y, settings = small(0)
    written(tmp_path, X, y, grown(X, y, None, []))
    text, content = proven(tmp_path, *as_options(3, settings))
    lines = content.decode().splitlines()
    for row in range(1, len(lines)):
        for place, cell in enumerate(lines[row].split(",")):
            cells = lines[row].split(",")
            cells[place] = str(float(cell) + 1)
            other = "\n".join([*lines[:row], ",".join(cells), *lines[row + 1 :], ""]).encode()
            with pytest.raises(ProofRejected, match="not the one that the proof is about"):
                check(text, other)
    # Nor can the digest of the table be put in its place, where rows differ.
    other = ("\n".join([*lines[:-1], ""])).encode()
    form = {**json.loads(text), "data": hashlib.sha256(other).hexdigest()}
    with pytest.raises(ProofRejected, match="another number of rows"):
        check(sealed(form), other)


@pytest.mark.parametrize(
    "change",
    [
        lambda form: form.pop("claims"),
        lambda form: form["claims"].clear(),
        lambda form: form["claims"].pop(),
        lambda form: form["claims"].append(form["claims"][0]),
        lambda form: form["claims"][-1][3].clear(),
        lambda form: form["claims"][-1][3].pop(),
        lambda form: form["claims"][-1][3][0].pop(),
        lambda form: form["claims"][-1][3][0].__setitem__(0, 0.5),
        lambda form: form["claims"][-1][3][0].__setitem__(0, 99),
        lambda form: form["claims"][-1][3][0].__setitem__(1, -1),
        lambda form: form["claims"][-1][3][0].__setitem__(2, len(form["claims"]) - 1),
        lambda form: form["claims"][-1].__setitem__(0, 1),
        lambda form: form["claims"][-1].__setitem__(1, 1),
        lambda form: form["claims"][0][2].clear(),
        lambda form: form.__setitem__("claims", "none"),
        lambda form: form.__setitem__("claims", [[3, 0, [], []]]),
        lambda form: form.__setitem__("bound", float("nan")),
        lambda form: form.__setitem__("bound", "9"),
        lambda form: form.__setitem__("depth", 10**30),
        lambda form: form.__setitem__("leaf_penalty", -1.0),
        lambda form: form.__setitem__("leaf_penalty", float("nan")),
        lambda form: form.__setitem__("most_subsets", 10**6),
        lambda form: form.__setitem__("objective", "other"),
        lambda form: form.__setitem__("missing", "other"),
        lambda form: form.__setitem__("variables", ["v0", "elsewhere"]),
        lambda form: form.__setitem__("variables", ["v0", "class"]),
        lambda form: form.__setitem__("target", "elsewhere"),
        lambda form: form.__setitem__("format", "hedgerow-tree"),
        lambda form: form.__setitem__("version", 2),
    ],
)
def test_a_proof_that_is_none_is_refused(change, tmp_path, capsys):
    X, y, settings = small(0)
    written(tmp_path, X, y, grown(X, y, None, []))
    text, content = proven(tmp_path, *as_options(3, settings))
    form = json.loads(text)
    change(form)
    with pytest.raises(ProofRejected):
        check(sealed(form), content)


def test_texts_that_are_no_proof():
    for text in ("", "[]", "null", "{}", "[" * 100_000, '{"format": "hedgerow-proof"}'):
        with pytest.raises(ProofRejected):
            check(text, b"a,class\n1,0\n")


#: Where hedgerow is installed beside numpy, it must not be found either.
ALONE = """
import sys
sys.path.append({site!r})
sys.modules["hedgerow"] = None
import runpy
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def alone(*arguments):
    """The checker in a process without hedgerow."""
    site = str(Path(np.__file__).resolve().parents[1])
    code = ALONE.format(site=site)
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(CHECKER), *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_the_checker_needs_nothing_of_ours(tmp_path, capsys):
    X, y = load_wine(return_X_y=True, as_frame=True)
    tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))
    written(tmp_path, X.to_numpy(), y.to_numpy(), tree)
    proven(tmp_path, "--depth=2")
    assert "no tree of depth 2 on these values has fewer than 6" in capsys.readouterr().out
    done = alone(tmp_path / "p.json", tmp_path / "table.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "confirmed: no tree of depth 2 on 178 rows and 13 variables, missing values divided, "
        "costs less than 6 (errors)\n"
    )
    (tmp_path / "p.json").write_text((tmp_path / "p.json").read_text().replace("6.0", "7.0", 1))
    done = alone(tmp_path / "p.json", tmp_path / "table.csv")
    assert done.returncode == 1
    assert done.stderr == "refused: the proof was altered after it was written\n"
    assert alone(tmp_path / "nowhere.json", tmp_path / "table.csv").returncode == 1
    assert alone(tmp_path / "p.json").returncode == 2


def test_what_the_checker_imports():
    found = set()
    for node in ast.walk(ast.parse(CHECKER.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
    assert found - sys.stdlib_module_names == {"numpy"}


def test_the_checker_makes_the_tests_that_are_searched(tmp_path, capsys):
    """Values that differ in the last bit, written in several ways; categories as numbers."""
    near = np.nextafter(0.1, 1)
    lines = [
        "size,ward,class",
        f"{float(near)!r},1,a",
        "0.10,2,b",
        "1e-1,1,a",
        ",3,b",
        "NA,,a",
        "7,2.0,b",
    ]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n\n")
    tree = Tree([0, -1, -1], [near, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
                [0.5, np.nan, np.nan], [[1, 1], [1, 0], [0, 1]], np.zeros((3, 3)),
                classes=["a", "b"], feature_names=["size", "ward"],
                categories={1: [1, 2, 3]})  # fmt: skip
    (tmp_path / "tree.json").write_text(tree.to_json())
    for missing in ("divided", "routed"):
        text, content = proven(tmp_path, "--depth=2", f"--missing={missing}")
        assert "no tree of depth 2" in check(text, content)


def test_a_bound_over_part_of_the_subsets_says_so(tmp_path):
    """No tree was said to have fewer errors than 30, where C4.5 has none: 8 categories by turns."""
    lines = ["kind,class", *(f"{k},{'ab'[k % 2]}" for k in range(8) for _ in range(10))]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    flags = np.zeros((3, 8))
    flags[0, ::2] = 1
    tree = Tree([0, -1, -1], [np.nan] * 3, [1, -1, -1], [2, -1, -1], [-1, 0, 0],
                [0.5, np.nan, np.nan], [[40, 40], [40, 0], [0, 40]], flags, classes=["a", "b"],
                feature_names=["kind"], categories={0: list(range(8))})  # fmt: skip
    (tmp_path / "tree.json").write_text(tree.to_json())
    frame = pd.read_csv(tmp_path / "table.csv")
    words = "(of more than 6 categories one against the others)"
    found = gap(tree, frame["kind"].to_numpy(float)[:, None], frame["class"])
    assert found.cost == 0 and words in str(found)
    text, content = proven(tmp_path, "--depth=1")
    assert words in check(text, content)


# ------------------------------------------------------------------------- what others have found

OPTIMA = pd.read_csv(Path(__file__).parent / "optima.csv")  # by `python benchmarks/optima.py`


def test_the_stored_optima_are_whole():
    assert len(OPTIMA) == 20
    assert OPTIMA.groupby("depth")["errors"].sum().to_dict() == {2: 617, 3: 415}


SETS = [
    pytest.param(key, marks=pytest.mark.long) if key in ("ionosphere", "wdbc", "pima") else key
    for key in OPTIMA["dataset"].unique()
]


@pytest.mark.mirror
@pytest.mark.parametrize("key", SETS)
def test_as_another_solver_and_confirmed(key, tmp_path, capsys):
    from hedgerow.data import fetch, load_registry, tidy

    entry = load_registry("config/datasets.yaml")[key]
    found = tidy(entry, fetch(entry, tmp_path / "raw"))
    X, y = found.X.to_numpy(float), np.unique(found.y, return_inverse=True)[1]
    names = [f"v{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, y))
    written(tmp_path, X, y, tree)
    for depth, errors in OPTIMA[OPTIMA["dataset"] == key][["depth", "errors"]].itertuples(
        index=False
    ):
        text, content = proven(tmp_path, f"--depth={depth}")
        assert json.loads(text)["bound"] == errors
        said = check(text, content)
        assert said.endswith(f"costs less than {errors} (errors)")


# ------------------------------------------------------------------------------------ the command


@pytest.fixture
def files(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    written(tmp_path, X.to_numpy(), y.to_numpy(), tree)
    return tmp_path


def run(files, *more, model="tree.json", table="table.csv"):
    return main(["gap", str(files / model), str(files / table), *more])


def test_it_prints_one_sentence(files, capsys):
    assert run(files) == 0
    assert capsys.readouterr().out == "6 errors; no tree of depth 2 on these values has fewer\n"
    assert run(files, "--depth", "3") == 0
    assert capsys.readouterr().out == (
        "6 errors; no tree of depth 3 on these values has fewer than 1\n"
    )
    assert run(files, "--objective", "gini", "--leaf-penalty", ".01", "--max-nodes", "5") == 0
    assert capsys.readouterr().out.startswith("cost 0.10")
    assert run(files, "--time-limit", "100", "--missing", "routed", "--target", "class") == 0


def test_a_tree_written_by_hand(files, capsys):
    form = {
        "format": "hedgerow-tree",
        "version": 1,
        "n_classes": 3,
        "n_categories": 0,
        "gate": None,
        "classes": [0, 1, 2],
        "feature_names": ["petal width (cm)"],
        "categories": {},
        "statistics": None,
        "feature": [0, -1, 0, -1, -1],
        "threshold": [0.8, None, 1.75, None, None],
        "center": [0.8, None, 1.75, None, None],
        "children_left": [1, -1, 3, -1, -1],
        "children_right": [2, -1, 4, -1, -1],
        "parent": [-1, 0, 0, 2, 2],
        "share_left": [0.5, None, 0.5, None, None],
        "class_weight": [[1, 1, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]],
        "categories_left": [[], [], [], [], []],
    }
    (files / "tree.json").write_text(json.dumps(form))
    assert run(files, "--target", "class") == 0
    assert capsys.readouterr().out == "6 errors; no tree of depth 2 on these values has fewer\n"


def test_bad_input_is_one_sentence(files, capsys):
    def said(*more, **changes):
        assert run(files, *more, **changes) == 1
        error = capsys.readouterr().err
        assert error.startswith("hedgerow: ") and error.count("\n") == 1, error
        return error

    table, model = files / "table.csv", files / "tree.json"
    whole, form = table.read_text(), json.loads(model.read_text())
    assert "nowhere.json: no such file" in said(model="nowhere.json")
    assert "nowhere.csv: no such file" in said(table="nowhere.csv")
    assert "table.csv: the text is not JSON" in said(model="table.csv")
    assert "has no column 'kind'; name the column of the class" in said("--target", "kind")
    assert "that is a variable of the tree" in said("--target", "petal width (cm)")
    assert "column 'class' holds '0' in row 0, and the classes of the tree are 'x', 'y', 'z'" in (
        changed(model, form, said, classes=["x", "y", "z"])
    )
    assert "the tree has no names of variables" in changed(model, form, said, feature_names=None)
    assert "max_depth is 17" in said("--depth", "17")
    assert "leaf_penalty is -1" in said("--leaf-penalty", "-1")
    assert "max_nodes is 0" in said("--max-nodes", "0")
    assert "time_limit is 0" in said("--time-limit", "0")
    for text, wrong in (
        (whole.replace("5.1", "long", 1), "holds 'long' in row 0"),
        (whole.replace("5.1", "inf", 1), "holds an infinite value in row 0"),
        (whole.replace("petal width", "width", 1), "beside the variables of the tree"),
        (whole.replace("class", "sepal length (cm)", 1), "has 'sepal length (cm).1' in row"),
        (whole.replace("0.2,0", "0.2,", 1), "column 'class' is empty in row 0"),
        (whole.replace("0.2,0", "0.2,7", 1), "column 'class' holds '7' in row 0"),
        (whole.splitlines()[0], "has no row"),
        ("", "is no table"),
    ):
        table.write_text(text)
        if "sepal length (cm).1" in wrong:
            assert run(files) == 0  # read as another column, and the only one: the class
            capsys.readouterr()
            continue
        assert wrong in said()
    table.write_text(whole.replace("petal width", "width", 1))
    assert "has no column 'petal width (cm)', which the tree" in said("--target", "class")


def changed(path, form, said, **changes):
    path.write_text(json.dumps(form | changes))
    error = said()
    path.write_text(json.dumps(form))
    return error


def test_categories_without_names_are_refused(files, capsys):
    X = pd.DataFrame({"ward": [0.0, 1, 1, 0]})
    tree = C45Classifier(categorical_features=[0], prune=False, min_samples_split=2)
    tree = tree.fit(X, [0, 1, 1, 0]).tree_.replace(categories={})
    written(files, X.to_numpy(), [0, 1, 1, 0], tree)
    assert run(files) == 1
    assert "tests categories of 'ward', and does not name them" in capsys.readouterr().err


def test_a_proof_that_is_there_is_kept(files, capsys):
    place = files / "p.json"
    place.write_text("mine")
    assert run(files, "--proof", str(place)) == 1
    error = capsys.readouterr().err
    assert "p.json is there already; name another place, or add --force" in error
    assert place.read_text() == "mine"
    assert run(files, "--proof", str(place), "--force", "--depth", "17") == 1
    assert place.read_text() == "mine"
    capsys.readouterr()
    assert run(files, "--proof", str(place), "--force") == 0
    assert capsys.readouterr().out.endswith(f"proof: {place}\n")
    check(place.read_text(), (files / "table.csv").read_bytes())
    assert sorted(path.name for path in files.iterdir()) == ["p.json", "table.csv", "tree.json"]
    assert run(files, "--proof", str(files), "--force") == 1
    assert "is no file, and is not written over" in capsys.readouterr().err
