"""Clusters against every assignment of a few trees to clusters: copies, plain groups, outliers."""

import itertools

import numpy as np
import pytest

from hedgerow.errors import InputError
from hedgerow.structure import (
    class_prediction_distance,
    class_probability_distance,
    cluster,
    dissimilarity_space,
    farthest_first,
    laplacian_eigenmaps,
    medoids,
    prototypes,
    select_diverse,
)
from hedgerow.structure.clusters import silhouette
from hedgerow.tree import Tree


def distances_of(points):
    points = np.asarray(points, dtype=float)
    return np.abs(points[:, None] - points)


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def every_assignment(n, k):
    """All ways to divide n trees into k clusters, labels by first member."""
    for rest in itertools.product(range(k), repeat=n - 1):
        labels = (0, *rest)
        first = [labels.index(label) if label in labels else -1 for label in range(k)]
        if -1 not in first and first == sorted(first):
            yield np.array(labels)


def closest_groups(D, k):
    """The division whose widest cluster is narrowest, over all of them."""
    return min(every_assignment(len(D), k), key=lambda labels: D[labels[:, None] == labels].max())


@pytest.mark.parametrize(
    ("points", "k"),
    [
        ([0, 0.1, 0.2, 5, 5.1, 5.3], 2),
        ([0, 0.1, 0.2, 5, 5.1, 5.3, 900], 3),
        ([0, 0.1, 0.2, 1000], 2),
        ([0, 0.1, 0.2, 5, 5.1, 5.3, 1e200], 3),
        ([0, 0, 0, 0, 1, 1, 1, 2, 2], 3),
        ([3, 3, 3, 3, 3, 3, 9, 9, 9], 2),
    ],
)
def test_plain_groups_are_those_of_all_assignments(points, k):
    """Two groups on a line came out as `[1 0 0 0 0 0]`: four components were used for any k."""
    D = distances_of(points)
    assert as_sets(cluster(D, k)) == as_sets(closest_groups(D, k))


@pytest.mark.parametrize("gap", [3, 10, 1000])
@pytest.mark.parametrize("seed", range(8))
def test_separate_groups_are_found_at_any_distance(seed, gap):
    """With a gap of a thousand, groups have no affinity and were mixed; single trees too."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 10)), int(rng.integers(2, 4))
    group = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    centres = np.cumsum(gap * (1 + rng.random(k)) + 1)
    D = distances_of(centres[group] + rng.random(n))
    found = cluster(D, k)
    assert as_sets(found) == as_sets(closest_groups(D, k)) == as_sets(group)
    assert silhouette(D, found) == max(silhouette(D, a) for a in every_assignment(n, k))


@pytest.mark.parametrize("gap", [1e3, 1e6, 1e12, 1e300])
def test_fourteen_trees_and_six_far_away(gap):
    """They were mixed: the constant component was not told from the one of the groups."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.random(14), gap + rng.random(6)])
    assert cluster(distances_of(points), 2).tolist() == [0] * 14 + [1] * 6


def test_equal_trees_are_together():
    """Ten trees at 0, six at 1, four at 2: the six were divided, and of two trees came three."""
    D = distances_of([0] * 10 + [1] * 6 + [2] * 4)
    assert cluster(D, 3).tolist() == [0] * 10 + [1] * 6 + [2] * 4
    assert cluster(D, 8).tolist() == [0] * 10 + [1] * 6 + [2] * 4
    assert cluster(distances_of([0] * 6 + [7] * 6), 3).tolist() == [0] * 6 + [1] * 6


@pytest.mark.parametrize("seed", range(20))
def test_copies_are_never_divided_and_there_are_as_many_clusters_as_asked(seed):
    rng = np.random.default_rng(seed)
    n_different = int(rng.integers(2, 9))
    points = rng.integers(0, 40, (n_different, 2)).astype(float)
    points = np.unique(points, axis=0)
    copies = rng.permutation(np.repeat(np.arange(len(points)), rng.integers(1, 9, len(points))))
    D = np.abs(points[copies][:, None] - points[copies]).sum(axis=2)
    for k in range(1, len(copies) + 1):
        found = cluster(D, k)
        assert len(np.unique(found)) == min(k, len(points))
        for tree in range(len(points)):
            assert len(set(found[copies == tree].tolist())) == 1


def test_a_copy_counts_as_often_as_it_is():
    """Coordinates of the different trees solve the eigenproblem of all of them, copies included."""
    from scipy.linalg import eigh

    points = np.array([0.0, 0, 0, 1, 4, 4, 9, 11])
    D = distances_of(points)
    W = np.exp(-0.5 * (D / np.median(D[D > 0])) ** 2)
    degree = np.diag(W.sum(axis=1))
    values, vectors = eigh(degree - W, degree)
    found = laplacian_eigenmaps(D, 3)
    for k in range(3):
        wanted = vectors[:, k + 1] * np.sign(vectors[np.abs(vectors[:, k + 1]).argmax(), k + 1])
        np.testing.assert_allclose(found[:, k], wanted, atol=1e-9)
    np.testing.assert_array_equal(found[0], found[2])
    assert values[0] == pytest.approx(0, abs=1e-12)


def test_more_components_than_differ_and_one_tree():
    assert laplacian_eigenmaps(distances_of([0, 0, 3]), 9).shape == (3, 1)
    assert laplacian_eigenmaps(distances_of([2]), 9).tolist() == [[0.0]]
    assert np.isnan(silhouette(distances_of([1, 2]), [0, 0]))
    assert np.isnan(silhouette(distances_of([1, 2]), [0, 1]))


# ------------------------------------------------------------------------------------- refused

WRONG = {"NaN": np.nan, "infinite": np.inf, "negative": -1.0, "text": "a"}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(
    "call",
    [
        cluster,
        laplacian_eigenmaps,
        lambda D: medoids(D, [0, 0, 0]),
        lambda D: prototypes(D, [0, 0, 0]),
        lambda D: farthest_first(D, 2),
        dissimilarity_space,
        lambda D: select_diverse([stump()] * 3, 2, D),
        lambda D: silhouette(D, [0, 0, 1]),
    ],
)
def test_a_distance_that_is_none_is_refused(call, name):
    """`farthest_first` and `dissimilarity_space` took NaN and answered; infinities went further."""
    D = distances_of([0, 1, 3]).astype(object)
    D[0, 2] = D[2, 0] = WRONG[name]
    with pytest.raises(InputError, match=r"distances|to_prototypes"):
        call(D)


@pytest.mark.parametrize("distance", [class_prediction_distance, class_probability_distance])
@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_an_infinite_value_is_refused(distance, infinite):
    """A tree would send it to one side; NaN is missing, and taken."""
    trees = [stump(), stump()]
    with pytest.raises(InputError, match="infinite value in row 1, column 0"):
        distance(trees, [[0.0], [infinite]])
    assert np.isfinite(distance(trees, [[0.0], [np.nan]])).all()


def test_a_tree_apart_from_itself_is_refused():
    with pytest.raises(InputError, match="to itself is not 0"):
        cluster(np.ones((3, 3)), 2)


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_refused(score):
    with pytest.raises(InputError, match="not finite"):
        select_diverse([stump()] * 3, 2, distances_of([0, 1, 3]), scores=[1.0, score, 0.5])


@pytest.mark.parametrize("labels", [[0.0, np.nan, 1.0], [None, "a", "b"]])
def test_labels_that_are_none_are_refused(labels):
    """A label NaN made a cluster without members: an error of numpy."""
    with pytest.raises(InputError, match="labels are of type"):
        medoids(distances_of([0, 1, 3]), labels)


def stump():
    return Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[1.0, 1.0]])
