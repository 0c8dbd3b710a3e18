"""Clusters of trees, and spaces to put trees into, from their distances (thesis 5.4.2)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from hedgerow.checks import LARGEST_COUNT, as_numbers, check_memory, check_number, check_random
from hedgerow.errors import InputError


def laplacian_eigenmaps(distances, n_components: int = 4) -> np.ndarray:
    """Coordinates of trees from their distances, by Laplacian eigenmaps.

    The affinity of two trees is exp(-d^2 / (2 s^2)), s the median distance of two trees that
    differ; that of a tree with itself is 1. The constant component is left out. Equal trees have
    equal coordinates.

    Parameters
    ----------
    distances : (n, n) array
        Symmetric, finite, at least 0, zeros on the diagonal.
    n_components : int, default 4
        Fewer are returned where there are not more different trees than that.

    Returns
    -------
    (n, n_components) float64
        By rising eigenvalue of the Laplacian; the largest entry of each component is positive.

    Raises
    ------
    InputError
        No such matrix.

    References
    ----------
    Thesis 5.4.2; Belkin and Niyogi (2003), Laplacian eigenmaps for dimensionality reduction and
    data representation.
    """
    distances = _checked(distances)
    check_number("n_components", n_components, 1, LARGEST_COUNT, whole=True)
    # Rows of equal trees are equal.
    _, first, index, count = np.unique(
        distances, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    k = len(first)
    if k == 1:
        return np.zeros((len(distances), 1))
    # In units of the largest, whose square could be beyond the largest number.
    relative = distances / distances.max()
    scale = np.median(relative[relative > 0])
    # Beyond 100 scales the affinity is 0, and the square of a ratio could be too large.
    ratio = np.minimum(relative[np.ix_(first, first)], 100.0 * scale) / scale
    affinity = np.exp(-0.5 * ratio**2)
    # The eigenproblem of all trees, solved for the different ones: each counts as often as it is.
    affinity *= count[:, None] * count
    root = np.sqrt(affinity.sum(axis=1))
    affinity /= root[:, None] * root
    # The constant component gets the last place: groups without any affinity have as many
    # components of eigenvalue 1 as there are groups, and the solver would mix it with them.
    constant = root / np.linalg.norm(root)
    affinity -= 2.0 * constant[:, None] * constant
    _, vectors = eigh(affinity, subset_by_index=(max(k - n_components, 1), k - 1))
    places = (vectors / root[:, None])[:, ::-1]
    largest = places[np.abs(places).argmax(axis=0), np.arange(places.shape[1])]
    return (places * np.sign(largest))[index.ravel()]


def cluster(
    distances, n_clusters: int = 4, *, n_components: int | None = None, random_state: int = 0
) -> np.ndarray:
    """Clusters of trees: k-means on Laplacian eigenmaps (thesis 5.4.2).

    Parameters
    ----------
    distances : (n, n) array
        As in `laplacian_eigenmaps`.
    n_clusters : int, default 4
    n_components : int, optional
        Of the eigenmaps. None: one less than clusters, which with the constant component makes as
        many as clusters (Ng, Jordan and Weiss 2002, whom the thesis cites).
    random_state : int, default 0
        Of k-means, whose best of ten starts is kept.

    Returns
    -------
    (n,) int
        Labels from 0 by falling size of the cluster; ties: the one with the first tree. Equal
        trees are in one cluster; fewer than n_clusters where fewer trees differ.

    Raises
    ------
    InputError
        More clusters than trees, or no such matrix.
    """
    distances = _checked(distances)
    check_number("n_clusters", n_clusters, 1, LARGEST_COUNT, whole=True)
    check_random("random_state", random_state)
    if n_clusters > len(distances):
        raise InputError(
            f"n_clusters is {n_clusters} and there are {len(distances)} trees",
            remedy="ask for as many clusters as there are trees, or fewer",
        )
    if n_components is None:
        n_components = max(n_clusters - 1, 1)
    # The space does not change with the seed of k-means.
    return partition(laplacian_eigenmaps(distances, n_components), n_clusters, random_state)


def partition(coordinates, n_clusters: int, random_state: int = 0) -> np.ndarray:
    """Clusters by k-means in a space that is there already. As `cluster`."""
    coordinates = np.asarray(coordinates, dtype=float)
    # Places that differ by rounding alone are one.
    grain = 1e-12 * (np.ptp(coordinates) or 1.0)
    _, first, index, count = np.unique(
        np.round(coordinates / grain),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    model = KMeans(min(n_clusters, len(first)), n_init=10, random_state=random_state)
    labels = model.fit(coordinates[first], sample_weight=count).labels_[index.ravel()]
    names, first, size = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort((first, -size))
    rank = np.empty(len(names), dtype=int)
    rank[order] = np.arange(len(names))
    return rank[np.searchsorted(names, labels)]


def silhouette(distances, labels) -> float:
    """Mean silhouette coefficient of a clustering (thesis 5.4.2), from -1 to 1.

    Returns: NaN where there is one cluster, or each tree is one.
    """
    distances, labels = _labelled(distances, labels)
    if not 1 < len(np.unique(labels)) < len(labels):
        return np.nan
    return float(silhouette_score(distances, labels, metric="precomputed"))


def medoids(distances, labels) -> np.ndarray:
    """The tree in the middle of each cluster: least mean distance to the others of the cluster.

    Parameters
    ----------
    distances : (n, n) array
    labels : (n,) int

    Returns
    -------
    (k,) int
        Places of the medoids, by label; ties: the first.

    Raises
    ------
    InputError
    """
    distances, labels = _labelled(distances, labels)
    places = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        within = distances[np.ix_(members, members)].mean(axis=1)
        places.append(members[np.argmin(np.round(within, 12))])
    return np.array(places)


def prototypes(distances, labels, n_each: int = 2) -> np.ndarray:
    """Trees that stand for all: of each cluster its medoid, then those farthest from it.

    Parameters
    ----------
    distances : (n, n) array
    labels : (n,) int
    n_each : int, default 2
        Of each cluster; all of a cluster that has fewer. After the medoid, always the member
        whose nearest prototype is farthest away; ties: the first.

    Returns
    -------
    (p,) int
        Places, ascending.

    Raises
    ------
    InputError

    References
    ----------
    Thesis 5.5, which proposes to take several trees from each cluster.
    """
    distances, labels = _labelled(distances, labels)
    check_number("n_each", n_each, 1, LARGEST_COUNT, whole=True)
    places = []
    for medoid in medoids(distances, labels):
        members = np.flatnonzero(labels == labels[medoid])
        within = distances[np.ix_(members, members)]
        start = int(np.flatnonzero(members == medoid)[0])
        places.append(members[farthest_first(within, min(n_each, len(members)), start)])
    return np.sort(np.concatenate(places))


def farthest_first(distances, n: int, start: int = 0) -> np.ndarray:
    """Members of a set that are far from each other, one after the other.

    Each next one is that whose nearest chosen one is farthest away; ties: the first. The least
    distance within the result is at least half of the largest possible (Gonzalez 1985) where the
    triangle inequality holds.

    Parameters
    ----------
    distances : (m, m) array
    n : int
        How many, at most m.
    start : int, default 0
        The first.

    Returns
    -------
    (n,) int
        In the order in which they were chosen.

    Raises
    ------
    InputError
        More than there are, a first one that is not there, or distances as `cluster` refuses them.
    """
    distances = _checked(distances)
    check_number("n", n, 1, len(distances), whole=True)
    check_number("start", start, 0, len(distances) - 1, whole=True)
    chosen = [start]
    nearest = distances[start].copy()
    while len(chosen) < n:
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(np.round(nearest, 12))))
        nearest = np.minimum(nearest, distances[chosen[-1]])
    return np.array(chosen)


def dissimilarity_space(to_prototypes) -> np.ndarray:
    """Distances between trees in the space of their distances to prototypes (equation 5.1).

    The Euclidean distance of (d(x, p_1), ..., d(x, p_k)), divided by the square root of k: the
    root mean square difference, which does not grow with the number of prototypes.

    Parameters
    ----------
    to_prototypes : (n, k) array
        Distance of each tree to each prototype.

    Returns
    -------
    (n, n) float64

    Raises
    ------
    InputError

    References
    ----------
    Thesis 5.2 and 5.5; Pekalska and Duin (2005), The dissimilarity representation for pattern
    recognition.
    """
    to_prototypes = as_numbers("to_prototypes", to_prototypes)
    remedy = "give the distance of each tree to each prototype, (n, k)"
    if to_prototypes.ndim != 2 or 0 in to_prototypes.shape:
        raise InputError(f"to_prototypes has shape {to_prototypes.shape}", remedy)
    if not _are_distances(to_prototypes):
        raise InputError("to_prototypes holds numbers that are no distances", remedy)
    n = len(to_prototypes)
    # Once for each pair, then for each tree and each.
    check_memory(f"the distances of {n} trees", 12.0 * n * n, "give fewer trees")
    return squareform(pdist(to_prototypes)) / np.sqrt(to_prototypes.shape[1])


def _are_distances(values: np.ndarray) -> bool:
    return bool((np.isfinite(values) & (values >= 0)).all())


def _checked(distances) -> np.ndarray:
    distances = as_numbers("distances", distances)
    square = distances.ndim == 2 and distances.shape[0] == distances.shape[1] > 0
    if not square or not _are_distances(distances) or not np.array_equal(distances, distances.T):
        raise InputError(
            f"distances of shape {distances.shape} are no symmetric matrix of finite numbers of "
            "at least 0",
            remedy="give the result of TreeEditDistance.pairwise",
        )
    if distances.diagonal().any():
        raise InputError(
            "the distance of a tree to itself is not 0",
            remedy="give zeros on the diagonal, as TreeEditDistance.pairwise does",
        )
    return distances


def _labelled(distances, labels) -> tuple[np.ndarray, np.ndarray]:
    distances, labels = _checked(distances), np.asarray(labels)
    if labels.shape != (len(distances),):
        raise InputError(
            f"there are {len(distances)} trees and labels of shape {labels.shape}",
            remedy="give one label per tree",
        )
    if labels.dtype.kind not in "biuU":
        raise InputError(
            f"labels are of type {labels.dtype}", remedy="give whole numbers, as cluster does"
        )
    return distances, labels
