"""The page that shows which decision patterns occur in a forest."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import silhouette_score

from hedgerow import C45Classifier
from hedgerow.drawing import plot_forest
from hedgerow.drawing.forest import A4, pattern_shares, plane
from hedgerow.errors import InputError
from hedgerow.structure import TreeEditDistance, cluster, medoids
from hedgerow.tree import Tree


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    y = data.target_names[data.target]
    forest = RandomForestClassifier(30, max_depth=3, random_state=0).fit(data.data, y)
    trees = [Tree.from_sklearn(t).replace(classes=forest.classes_) for t in forest.estimators_]
    return trees, data.data, y


def words(figure):
    return [t for t in figure.findobj(lambda a: hasattr(a, "get_text")) if t.get_text()]


def test_shares_by_hand():
    """Four trees, of which two are alike: root on x0, then x1 on one side."""
    X = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 0], [1, 1]], dtype=float)
    both = np.array(["a", "a", "b", "b", "c", "c", "c", "c"])
    two = C45Classifier(prune=False, min_samples_split=2).fit(X, both).tree_
    one = C45Classifier(prune=False, min_samples_split=2).fit(X, X[:, 1].astype(int)).tree_
    assert two.feature[two.feature >= 0].tolist() == [0, 1]
    assert one.feature[one.feature >= 0].tolist() == [1]
    found = pattern_shares([two, one, two, one], [0, 0, 0, 1])
    assert [tuple(row) for row in found.to_numpy().tolist()] == [
        (0, 1, 0, 2 / 3),
        (0, 1, 1, 1 / 3),
        (0, 2, 1, 2 / 3),
        (1, 1, 1, 1.0),
    ]


def test_a_variable_tested_twice_on_a_level_counts_once_and_deep_levels_are_one(iris):
    X = np.repeat(np.arange(16.0), 3)[:, None]
    y = np.repeat(np.arange(16) % 2, 3)
    deep = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    assert deep.depth > 3
    found = pattern_shares([deep], [0])
    assert found["level"].tolist() == [1, 2, 3]
    assert found["share"].tolist() == [1.0, 1.0, 1.0]


def test_a_plane_is_recovered():
    points = np.random.default_rng(1).normal(size=(15, 2))
    D = squareform(pdist(points))
    assert np.allclose(squareform(pdist(plane(D))), D, atol=1e-4)
    assert plane(np.zeros((4, 4))).tolist() == [[0.0, 0.0]] * 4
    assert plane(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist() == [[0.0, 0.0], [2.0, 0.0]]


def test_a_page_names_clusters_sizes_and_medoids(iris):
    trees, X, y = iris
    figure = plot_forest(trees, X, y, n_clusters=3, title="A forest")
    assert tuple(figure.get_size_inches()) == A4
    D = TreeEditDistance("B2").fit(X, y).pairwise(trees)
    labels = cluster(D, 3)
    said = [t.get_text() for t in words(figure)]
    assert "A forest" in said
    for label, middle in enumerate(medoids(D, labels)):
        n_tests = int((trees[middle].feature >= 0).sum())
        expected = f"{(labels == label).sum()} of 30 trees; medoid: tree {middle}, {n_tests} tests"
        assert expected in said
    # Shares of roots in the table: one number per cluster and variable that has any.
    shares = pattern_shares(trees, labels)
    numbers = [f"{100 * s:.0f}" for s in shares["share"]]
    drawn = [t for t in said if t.isdigit()]
    assert all(drawn.count(n) >= numbers.count(n) for n in set(numbers))
    assert "petal length (cm)" in said or "petal width (cm)" in said


def test_nothing_runs_over_the_edge_of_the_page(iris):
    trees, X, y = iris
    figure = plot_forest(trees, X, y, n_clusters=6, title="A forest", n_variables=2)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for text in words(figure):
        box = text.get_window_extent(canvas.get_renderer())
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1
        assert inside and box.y1 <= figure.bbox.y1, text.get_text()
    assert "and 2 further variables" in [t.get_text() for t in words(figure)]


def test_distances_and_a_metric_that_is_not_fitted_give_the_same_page(iris):
    trees, X, y = iris
    D = TreeEditDistance("A1").fit(X, y).pairwise(trees)
    pages = [
        [t.get_text() for t in words(plot_forest(trees, X, y, distance=d, n_clusters=2))]
        for d in (D, TreeEditDistance("A1"), TreeEditDistance("A1").fit(X, y))
    ]
    assert pages[0] == pages[1] == pages[2]
    other = [t.get_text() for t in words(plot_forest(trees, X, y, n_clusters=2))]
    assert other != pages[0]


def test_equal_trees_are_one_cluster_and_a_leaf_can_be_drawn():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    leaf = C45Classifier(max_depth=0).fit(X, y).tree_
    said = [t.get_text() for t in words(plot_forest([leaf] * 5, X, y, n_clusters=4))]
    assert "5 of 5 trees; medoid: tree 0, 0 tests" in said
    assert "no tree has a test" in said


def test_equal_stumps_are_one_cluster_and_the_silhouette_is_shown(iris):
    """Of 30 bootstrap stumps of iris the same stump was the medoid of clusters A and B."""
    _, X, y = iris
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, 150, 150) for _ in range(30)]
    trees = [C45Classifier(max_depth=1).fit(X.iloc[rows], y[rows]).tree_ for rows in samples]
    D = TreeEditDistance("B2").fit(X, y).pairwise(trees)
    labels = cluster(D, 4)
    middle = medoids(D, labels)
    assert (D[np.ix_(middle, middle)] > 0).sum() == len(middle) * (len(middle) - 1)
    consistency = silhouette_score(D, labels, metric="precomputed")
    titles = [t.get_text() for t in words(plot_forest(trees, X, y))]
    assert f"Map of the trees; large: medoids; silhouette {consistency:.2f}" in titles


def test_names_come_from_the_data_frame_where_trees_have_none(iris):
    trees, X, y = iris
    unnamed = [tree.replace(feature_names=None) for tree in trees]
    said = " ".join(t.get_text() for t in words(plot_forest(unnamed, X, y)))
    assert "petal length (cm)" in said
    said = " ".join(t.get_text() for t in words(plot_forest(unnamed, X.to_numpy(), y)))
    assert "x2" in said and "petal" not in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 7}, "n_clusters is 7"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_variables": 0}, "n_variables is 0"),
        ({"distance": np.zeros((3, 3))}, "30 trees and the distances of 3"),
        ({"distance": np.ones((30, 29))}, "no symmetric matrix"),
    ],
)
def test_bad_input_names_the_culprit(iris, arguments, message):
    trees, X, y = iris
    with pytest.raises(InputError, match=message):
        plot_forest(trees, X, y, **arguments)


def test_the_same_forest_gives_the_same_places(iris):
    trees, X, y = iris
    D = TreeEditDistance("B2").fit(X, pd.Series(y)).pairwise(trees)
    assert np.array_equal(plane(D), plane(D))
