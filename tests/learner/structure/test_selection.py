"""Choosing accurate trees that differ in structure."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.structure import TreeEditDistance, medoids, select_diverse

# Only their number is read when distances are given.
FIVE = [None] * 5
# Five points of a line: 0, 1, 4, 5, 9.
LINE = squareform(pdist(np.array([[0.0], [1.0], [4.0], [5.0], [9.0]])))


def least(distances, places):
    return min(distances[a, b] for a, b in itertools.combinations(places, 2))


def test_the_best_comes_first_then_the_farthest():
    scores = [0.1, 0.9, 0.5, 0.4, 0.3]
    # From 1: 9 is 8 away; then 4 is 3 from 1, 5 is 4 from both 1 and 9.
    assert select_diverse(FIVE, 3, LINE, scores=scores, share=1.0).tolist() == [1, 4, 3]


def test_only_the_share_with_the_best_scores_may_be_chosen():
    scores = [0.1, 0.9, 0.5, 0.4, 0.3]
    # .6 of five: places 1, 2, 3; from 1 the farthest is 5 (place 3).
    assert select_diverse(FIVE, 2, LINE, scores=scores, share=0.6).tolist() == [1, 3]
    # .5 of five is rounded up to three.
    assert select_diverse(FIVE, 2, LINE, scores=scores).tolist() == [1, 3]
    # At least k: the two best.
    assert select_diverse(FIVE, 2, LINE, scores=scores, share=0.01).tolist() == [1, 2]
    assert select_diverse(FIVE, 5, LINE, scores=scores, share=0.01).tolist()[0] == 1


def test_a_share_that_is_whole_is_not_rounded_up():
    hundred = [None] * 100
    distances = squareform(pdist(np.arange(100.0)[:, None]))
    chosen = select_diverse(hundred, 2, distances, scores=-np.arange(100.0), share=0.07)
    assert chosen.tolist() == [0, 6]


def test_without_scores_the_medoid_comes_first_and_all_may_be_chosen():
    # Sums of distances: 19, 16, 13, 14, 26.
    assert select_diverse(FIVE, 2, LINE, share=0.1).tolist() == [2, 4]


def test_equally_far_trees_are_ranked_by_score_then_place():
    same = 1.0 - np.eye(4)
    four = [None] * 4
    chosen = select_diverse(four, 4, same, scores=[0.2, 0.9, 0.2, 0.5], share=1.0)
    assert chosen.tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("seed", range(20))
def test_at_least_half_of_the_best_and_nested(seed):
    """Against all sets of k of the trees that may be chosen."""
    random = np.random.default_rng(seed)
    points, scores = random.normal(size=(9, 3)), random.random(9)
    distances = squareform(pdist(points))
    chosen = select_diverse([None] * 9, 4, distances, scores=scores, share=0.8)
    allowed = np.argsort(-scores)[:8]
    assert set(chosen) <= set(allowed)
    best = max(least(distances, c) for c in itertools.combinations(allowed, 4))
    assert least(distances, chosen) >= best / 2
    for j in (1, 2, 3):
        fewer = select_diverse([None] * 9, j, distances, scores=scores, share=0.8)
        assert fewer.tolist() == chosen[:j].tolist()


def test_a_fitted_distance_gives_what_its_matrix_gives():
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    trees = []
    for _ in range(12):
        weight = np.bincount(random.integers(120, size=120), minlength=120)
        trees.append(C45Classifier().fit(X, y, sample_weight=weight).tree_)
    metric = TreeEditDistance("B2").fit(X, y)
    matrix = metric.pairwise(trees)
    scores = random.random(12)
    for given in (None, scores):
        by_metric = select_diverse(trees, 5, metric, scores=given)
        assert by_metric.tolist() == select_diverse(trees, 5, matrix, scores=given).tolist()
    assert select_diverse(trees, 1, metric)[0] == medoids(matrix, np.zeros(12, dtype=int))[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 6}, "k is 6 and there are 5 trees"),
        ({"k": 0}, "k is 0"),
        ({"share": 0}, "share is 0"),
        ({"share": 1.5}, "share is 1.5"),
        ({"scores": [1.0, 2.0]}, r"5 trees and scores of shape \(2,\)"),
        ({"scores": [1.0, 2.0, 3.0, 4.0, np.nan]}, "one is not finite"),
        ({"distance": np.eye(5)[:4]}, "no symmetric matrix"),
        ({"distance": np.zeros((4, 4))}, "5 trees and the distances of 4"),
    ],
)
def test_bad_input_names_the_culprit(arguments, message):
    given = {"k": 2, "distance": LINE, **arguments}
    k, distance = given.pop("k"), given.pop("distance")
    with pytest.raises(InputError, match=message):
        select_diverse(FIVE, k, distance, **given)


def test_a_distance_that_was_not_fitted_says_so():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        select_diverse(FIVE, 2, TreeEditDistance())
