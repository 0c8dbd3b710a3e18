"""Clusters, medoids and prototypes, on points whose groups are known."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_trees(n):
    D = distances_of(np.arange(n) ** 2)
    assert cluster(D, 1).tolist() == [0] * n
    assert len(set(cluster(D, n).tolist())) <= n
    assert np.isfinite(laplacian_eigenmaps(D)).all()


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


def test_dissimilarity_space_by_hand():
    # Two prototypes at distances (3, 0) and (0, 4) of two trees: sqrt((9 + 16) / 2).
    found = dissimilarity_space([[3.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(found, [[0, 12.5**0.5], [12.5**0.5, 0]])
    twice = dissimilarity_space([[3.0, 0.0, 3.0, 0.0], [0.0, 4.0, 0.0, 4.0]])
    np.testing.assert_allclose(twice, found)


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
