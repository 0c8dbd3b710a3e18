"""Clusters, medoids and prototypes, on points whose groups are known."""

import itertools

import numpy as np
import pytest
from scipy.linalg import eigh

from hedgerow.errors import InputError
from hedgerow.structure import (
    cluster,
    dissimilarity_space,
    farthest_first,
    laplacian_eigenmaps,
    medoids,
    prototypes,
)
from hedgerow.structure.clusters import partition


def distances_of(points):
    points = np.asarray(points, dtype=float)
    return np.abs(points[:, None] - points[None, :])


@pytest.fixture
def groups():
    """Points on a line in three groups of 3, 5 and 2, mixed."""
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat([0, 1, 2], [3, 5, 2]))
    points = np.array([0.0, 10.0, 25.0])[group] + rng.random(10)
    return group, distances_of(points)


def test_clusters_are_the_groups_largest_first(groups):
    group, D = groups
    found = cluster(D, 3)
    # Sizes 5, 3 and 2 get the labels 0, 1 and 2.
    np.testing.assert_array_equal(found, np.array([1, 0, 2])[group])


def test_clusters_of_equal_size_are_in_order_of_their_first_member():
    assert partition([[5.0], [0.0], [5.1], [0.1]], 2).tolist() == [0, 1, 0, 1]


def test_places_that_differ_in_the_last_bits_are_one(recwarn):
    assert partition([[1.0], [1.0 + 1e-15], [3.0], [1.0]], 3).tolist() == [0, 0, 1, 0]
    assert not recwarn


def test_the_order_of_trees_does_not_matter_to_who_is_together(groups):
    _, D = groups
    order = np.random.default_rng(1).permutation(len(D))
    one, two = cluster(D, 3), cluster(D[np.ix_(order, order)], 3)
    same = one[:, None] == one[None, :]
    np.testing.assert_array_equal(same[np.ix_(order, order)], two[:, None] == two[None, :])


def test_eigenmaps_solve_the_generalised_eigenproblem_of_the_laplacian(groups):
    _, D = groups
    pairs = [D[i, j] for i, j in itertools.combinations(range(len(D)), 2)]
    W = np.exp(-(D**2) / (2 * np.median(pairs) ** 2))
    degree = np.diag(W.sum(axis=1))  # with the affinity of a tree to itself
    values, vectors = eigh(degree - W, degree)
    found = laplacian_eigenmaps(D, 3)
    assert found.shape == (10, 3)
    for k in range(3):
        wanted = vectors[:, k + 1]  # the first one is constant
        cosine = wanted @ found[:, k] / np.linalg.norm(wanted) / np.linalg.norm(found[:, k])
        assert abs(cosine) == pytest.approx(1, abs=1e-6)
    assert values[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_trees(n):
    D = distances_of(np.arange(n) ** 2)
    assert cluster(D, 1).tolist() == [0] * n
    assert len(set(cluster(D, n).tolist())) <= n
    assert np.isfinite(laplacian_eigenmaps(D)).all()


def test_equal_trees_are_one_cluster():
    assert cluster(np.zeros((6, 6)), 3).tolist() == [0] * 6
    # Half of all distances are 0: the median is no scale.
    twice = distances_of([0, 0, 0, 0, 0, 0, 9, 9])
    assert cluster(twice, 2).tolist() == [0] * 6 + [1] * 2


def test_medoids_by_hand():
    D = distances_of([0, 1, 5, 20, 21])
    # 1 is 1 and 4 away from its like, and of two all are in the middle: the first.
    assert medoids(D, [0, 0, 0, 1, 1]).tolist() == [1, 3]


def test_prototypes_are_the_medoid_and_the_farthest():
    D = distances_of([0, 1, 2, 7, 20, 21])
    labels = [0, 0, 0, 0, 1, 1]
    assert prototypes(D, labels, 1).tolist() == medoids(D, labels).tolist() == [1, 4]
    assert prototypes(D, labels, 2).tolist() == [1, 3, 4, 5]
    assert prototypes(D, labels, 9).tolist() == [0, 1, 2, 3, 4, 5]


def test_farthest_first_by_hand():
    D = distances_of([0, 1, 2, 7, 20])
    assert farthest_first(D, 4, start=1).tolist() == [1, 4, 3, 0]
    assert farthest_first(np.zeros((3, 3)), 3).tolist() == [0, 1, 2]


def test_farthest_first_is_within_half_of_the_best(groups):
    _, D = groups
    for k in (2, 3, 4):
        best = max(
            min(D[i, j] for i, j in itertools.combinations(chosen, 2))
            for chosen in itertools.combinations(range(len(D)), k)
        )
        for start in range(len(D)):
            chosen = farthest_first(D, k, start)
            least = min(D[i, j] for i, j in itertools.combinations(chosen, 2))
            assert least >= best / 2


def test_dissimilarity_space_by_hand():
    # Two prototypes at distances (3, 0) and (0, 4) of two trees: sqrt((9 + 16) / 2).
    found = dissimilarity_space([[3.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(found, [[0, 12.5**0.5], [12.5**0.5, 0]])
    twice = dissimilarity_space([[3.0, 0.0, 3.0, 0.0], [0.0, 4.0, 0.0, 4.0]])
    np.testing.assert_allclose(twice, found)


def test_dissimilarity_space_is_a_metric():
    rng = np.random.default_rng(3)
    D = dissimilarity_space(rng.random((12, 4)))
    for i, j, k in itertools.permutations(range(12), 3):
        assert D[i, k] <= D[i, j] + D[j, k] + 1e-12


@pytest.mark.parametrize(
    ("call", "culprit"),
    [
        (lambda: cluster([[0.0, 1.0]]), "shape \\(1, 2\\)"),
        (lambda: cluster([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (lambda: cluster([[0.0, -1.0], [-1.0, 0.0]]), "at least 0"),
        (lambda: cluster([[0.0, np.nan], [np.nan, 0.0]]), "symmetric"),
        (lambda: cluster(np.zeros((2, 2)), 3), "n_clusters is 3"),
        (lambda: cluster(np.zeros((2, 2)), 0), "n_clusters"),
        (lambda: laplacian_eigenmaps(np.zeros((2, 2)), 0), "n_components"),
        (lambda: medoids(np.zeros((2, 2)), [0, 0, 1]), "labels of shape \\(3,\\)"),
        # The medoid of no tree was asked for: "argmin of an empty sequence".
        (lambda: medoids(np.zeros((2, 2)), [0.0, np.nan]), "labels are of type float64"),
        (lambda: prototypes(np.zeros((2, 2)), [0, 0], 0), "n_each"),
        (lambda: dissimilarity_space(np.zeros(3)), "shape \\(3,\\)"),
    ],
)
def test_what_cannot_be_done_is_said(call, culprit):
    with pytest.raises(InputError, match=culprit):
        call()
