"""Node statistics against plain numpy and scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree


def table(seed, n=120, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(5, 2, (n, 4))
    X[:, 2] = rng.integers(0, 4, n)
    X[:, 3] = 7.0
    y = ((X[:, 0] > 5) + (X[:, 1] > 6)).astype(int)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    X[:, :2][rng.random((n, 2)) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("seed", range(5))
def test_nodes_without_missing_values(seed):
    X, y = table(seed)
    tree = C45Classifier(prune=False, min_samples_leaf=4).fit(X, y).tree_.annotate(X, y)
    found = tree.statistics
    np.testing.assert_allclose(found["class_weight"], tree.class_weight, atol=1e-9)
    np.testing.assert_allclose(found["weight"], tree.class_weight.sum(axis=1), atol=1e-9)
    path = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.n_nodes):
        j = tree.feature[node]
        if j < 0:
            for name in ("n", "mean", "sd", "normality_p"):
                assert np.isnan(found[name][node]).all()
            assert np.isnan(found["iqr"][node])
            continue
        here = X[path[:, node], j]
        assert found["iqr"][node] == pytest.approx(stats.iqr(here))
        for c in range(3):
            x = X[path[:, node] & (y == c), j]
            assert found["n"][node, c] == len(x)
            if len(x):
                assert found["mean"][node, c] == pytest.approx(x.mean())
            else:
                assert np.isnan(found["mean"][node, c])
            if len(x) < 2:
                assert np.isnan(found["sd"][node, c])
                assert np.isnan(found["normality_p"][node, c])
                continue
            assert found["sd"][node, c] == pytest.approx(x.std(ddof=1))
            if x.min() == x.max():
                assert np.isnan(found["normality_p"][node, c])
                continue
            p = stats.kstest(x, "norm", args=(x.mean(), x.std(ddof=1))).pvalue
            assert found["normality_p"][node, c] == pytest.approx(p)


@pytest.mark.parametrize("seed", range(5))
def test_missing_values_and_weights_divide_rows(seed):
    """Rows with a missing value count with their shares; of the split variable only known ones."""
    X, y = table(seed, missing=0.2)
    w = np.random.default_rng(seed).uniform(0, 3, len(y))
    w[:5] = 0.0
    tree = C45Classifier(prune=False, min_samples_leaf=4).fit(X, y, w).tree_
    found = tree.annotate(X, y, w).statistics
    np.testing.assert_allclose(found["class_weight"], tree.class_weight, atol=1e-9)
    shares = tree.shares(X).toarray() * w[:, None]
    inner = np.flatnonzero(tree.feature >= 0)
    for node in inner:
        x = X[:, tree.feature[node]]
        for c in range(3):
            rows = (y == c) & ~np.isnan(x) & (shares[:, node] > 0)
            n = shares[rows, node].sum()
            assert found["n"][node, c] == pytest.approx(n)
            if n < 2:
                assert np.isnan(found["sd"][node, c])
                continue
            mean = (shares[rows, node] * x[rows]).sum() / n
            square = (shares[rows, node] * (x[rows] - mean) ** 2).sum()
            assert found["mean"][node, c] == pytest.approx(mean)
            assert found["sd"][node, c] == pytest.approx(np.sqrt(square / (n - 1)))
        whole = (tree.shares(X).toarray()[:, node] >= 0.5) & ~np.isnan(x) & (w > 0)
        assert found["iqr"][node] == pytest.approx(stats.iqr(x[whole]))


def test_data_set_level():
    X, y = table(3, missing=0.15)
    tree = C45Classifier(prune=False).fit(X, y).tree_.annotate(X, y)
    found = tree.statistics
    assert found["n_rows"] == len(y)
    for j in range(4):
        assert found["feature_iqr"][j] == pytest.approx(stats.iqr(X[:, j], nan_policy="omit"))
    for name, reference in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        rho = found[name]
        np.testing.assert_allclose(rho, rho.T)
        assert (rho[3] == 0).all(), "a constant is correlated with nothing, not even itself"
        for a in range(3):
            for b in range(3):
                both = ~np.isnan(X[:, a]) & ~np.isnan(X[:, b])
                want = abs(reference(X[both, a], X[both, b]).statistic)
                assert rho[a, b] == pytest.approx(want)
    counts = np.bincount(y, minlength=3)
    order = sorted(range(3), key=lambda c: (-counts[c], c))
    assert found["class_order"].tolist() == order
    assert [order[rank] for rank in found["class_rank"]] == [0, 1, 2]


def test_class_order_breaks_ties_by_code():
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [2, 2, 0, 0, 1, 1]
    found = C45Classifier().fit(X, y).tree_.annotate(X, y).statistics
    assert found["class_order"].tolist() == [0, 1, 2]


def test_categorical_variables_have_no_correlation_unless_binary():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(rng.choice(list("xyz"), 60)),
            "b": pd.Categorical(rng.choice(list("uv"), 60)),
            "c": rng.normal(size=60),
        }
    )
    y = np.where((frame["a"] == "x") | (frame["b"] == "u"), "p", "q")
    model = C45Classifier(prune=False).fit(frame, y)
    found = model.tree_.annotate(frame, y).statistics
    assert (found["spearman"][0] == 0).all()
    assert found["spearman"][1, 2] > 0
    np.testing.assert_allclose(found["class_weight"], model.tree_.class_weight)


def test_labels_of_the_tree_are_understood_and_others_refused():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    tree = C45Classifier().fit(X, y).tree_
    np.testing.assert_allclose(tree.annotate(X, y).statistics["class_weight"], tree.class_weight)
    with pytest.raises(InputError, match="y holds the class 'maybe', which the tree does not"):
        tree.annotate(X, ["no", "no", "yes", "maybe"])
    with pytest.raises(InputError, match="y has 3 entries for 4 rows"):
        tree.annotate(X, ["no", "no", "yes"])
    with pytest.raises(InputError, match="sample_weight holds weights that are negative"):
        tree.annotate(X, y, [1, 1, 1, -1])
    with pytest.raises(InputError, match="sample_weight has shape"):
        tree.annotate(X, y, [1, 1])
    with pytest.raises(InputError, match="infinite"):
        tree.annotate([[1.0], [np.inf], [3.0], [4.0]], y)
    with pytest.raises(InputError, match="tests variable 0 and the data have 0 variables"):
        tree.annotate(np.zeros((4, 0)), y)


def test_a_soft_gate_of_evaluation_does_not_touch_the_statistics():
    """Rows go down as in training: hard, whatever noise the tree predicts with."""
    X, y = table(1)
    soft = SoftTreeClassifier(evaluation=0.3, prune=False).fit(X, y).tree_
    found = soft.annotate(X, y).statistics
    np.testing.assert_allclose(found["class_weight"], soft.class_weight, atol=1e-9)


@pytest.mark.parametrize("indent", [None, 2])
def test_json_keeps_the_statistics(indent):
    X, y = table(2, missing=0.1)
    tree = C45Classifier(prune=False, min_samples_leaf=4).fit(X, y).tree_.annotate(X, y)
    back = Tree.from_json(tree.to_json(indent))
    assert back == tree
    assert list(back.statistics) == list(tree.statistics)
    for name, value in tree.statistics.items():
        np.testing.assert_array_equal(back.statistics[name], value)
        if isinstance(value, np.ndarray):
            assert back.statistics[name].dtype.kind == value.dtype.kind, name
    assert back.to_json(indent) == tree.to_json(indent)
