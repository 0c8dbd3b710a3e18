"""Comparing the structure of trees: the experiment of thesis chapter 5 (5.4).

A forest is what one search of UCT-DT leaves: its most visited states, or all, each a tree that has
one test more than its parent. Each repeat gives one; forest 0 is the published protocol, one split
into training and test data. Further repeats, which the paper does not have, tell how much of a
result is the split's:

    learn -> compare -> cluster -> statistics
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, split
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow_study.experiments.frames import Frames, numbers_of, random_state, sorted_, uct_from
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure.plan import (
    CLOSENESS,
    EXAMPLES,
    EXPERIMENT,
    MOST_TREES,
    ORDER,
    REFERENCES,
    REPEAT,
    SCALES,
    SCORES,
    TREE,
    VARIANT,
    VARIANTS,
)


def merge(frames: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Join tables of forests, so that nothing tells how they were cut."""
    return sorted_(pd.concat(list(frames), ignore_index=True), ORDER[name])


def split_of(table, number: int, plan):
    """Training and test rows of a forest."""
    return split(table, number, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size)


# --------------------------------------------------------------------------------------- learn


@step(
    *("exploration", "forest", "kept_path", "max_tests", "min_samples_split", "n_candidates"),
    *("n_iterations", "n_trees", "seed", "test_size", "tree_pruning", "validation_fraction"),
    *("value_pruning", "value_pruning_depth", "value_pruning_interval"),
    outputs=("forests", "trees"),
)
def learn(table: TidyTable, plan, repeats: Iterable[int] | None = None) -> dict[str, pd.DataFrame]:
    """Search a hierarchical forest of trees by UCT-DT (thesis 5.4).

    Returns: `forests`: one row per tree: dataset, repeat, tree (from 0, older states first), state
    (row of the search tree), parent (tree; -1 where it is the root, which is no tree of the forest:
    it has no test), n_tests, n_nodes, n_visits, validation_f1, test_accuracy, test_f1 (per cent).
    `trees`: the trees, one row per node.
    """
    from hedgerow.tree import forest_to_frame

    values, _ = table.matrix()
    rows, keys, trees = [], [], []
    for number in numbers_of(plan, "n_repeats", repeats):
        train, test = split_of(table, number, plan)
        search = uct_from(
            plan,
            policy="vs",
            value_pruning=plan.value_pruning,
            tree_pruning=plan.tree_pruning,
            n_iterations=plan.n_iterations,
            random_state=random_state(plan.seed, EXPERIMENT, table.name, number, "uct"),
        ).fit(table.X.iloc[train], table.y[train])
        most, max_tests = plan.n_trees, plan.max_tests
        if plan.forest == "complete":
            most, max_tests = len(search.search_tree_), search.search_depth_
            if most > MOST_TREES:
                raise ConfigError(
                    f"{table.name}: the complete search tree for forest {number} has {most} "
                    f"states, more than {MOST_TREES}",
                    remedy="set `structure.tree_pruning`, or lower `structure.n_iterations`",
                )
        chosen = states_of(search.search_tree_, most, max_tests)
        if len(chosen) < 2:
            raise DataError(
                f"{table.name}: the search for forest {number} found {len(chosen)} trees of 1 to "
                f"{max_tests} tests",
                remedy="raise `structure.n_iterations`, or leave the data set out",
            )
        forest = search.trees_of(chosen)
        states = search.search_tree_.loc[chosen]
        place = {state: i for i, state in enumerate(chosen)}
        for i, (tree, state) in enumerate(zip(forest, states.itertuples(), strict=True)):
            key = (table.name, number, i)
            probabilities = np.zeros((len(test), len(table.classes)))
            # A class may be absent from the training part.
            probabilities[:, search.classes_] = tree.predict_proba(values[test])
            keys.append(key)
            trees.append(tree)
            rows.append(
                (
                    *(*key, state.Index, place.get(state.parent, -1)),
                    *(state.depth, tree.n_nodes, state.n_visits, 100.0 * state.validation_f1),
                    100.0 * metrics.accuracy(table.y[test], probabilities),
                    100.0 * metrics.macro_f1(table.y[test], probabilities),
                )
            )
    columns = [*TREE, "state", "parent", "n_tests", "n_nodes", "n_visits", "validation_f1"]
    columns += ["test_accuracy", "test_f1"]
    return {
        "forests": sorted_(pd.DataFrame(rows, columns=columns), ORDER["forests"]),
        "trees": forest_to_frame(trees, pd.DataFrame(keys, columns=TREE), bare=True),
    }


def states_of(search_tree: pd.DataFrame, n_trees: int, max_tests: int) -> np.ndarray:
    """States of the most visited trees of at most so many tests, without the root.

    A parent is visited at least as often as its children and has fewer tests, so that only the
    root's children lack theirs.
    """
    small = search_tree[search_tree["depth"].between(1, max_tests)]
    most = small.sort_values("n_visits", ascending=False, kind="stable").index[:n_trees]
    return np.sort(most.to_numpy())


# ------------------------------------------------------------------------------------- compare


def compare(table, learned: Frames, plan) -> dict[str, pd.DataFrame]:
    """Distances between the trees of each forest, and the pairs that show what they express.

    Returns: `distances`: one row per ordered pair of trees, a tree and itself among them: dataset,
    repeat, tree_1, tree_2, the unnormalised edit distances of `VARIANTS`, d_kl (nats), d_p.
    `examples`: as `example_pairs`, with dataset and repeat.
    """
    from hedgerow.structure import (
        TreeEditDistance,
        class_prediction_distance,
        class_probability_distance,
    )
    from hedgerow.tree import forest_from_frame

    values, _ = table.matrix()
    distances, examples = [], []
    for (dataset, number), forest in learned["forests"].groupby(REPEAT, sort=True):
        trees = forest_from_frame(of_forest(learned["trees"], dataset, number), TREE)[1]
        train, test = split_of(table, number, plan)
        matrices = {}
        for method, (cost, correlation) in VARIANTS.items():
            metric = TreeEditDistance(cost, correlation).fit(values[train], table.y[train])
            matrices[method] = metric.pairwise(trees)
        matrices["d_kl"] = class_probability_distance(trees, values[test])
        matrices["d_p"] = class_prediction_distance(trees, values[test])
        one, two = (a.ravel() for a in np.indices((len(trees), len(trees))))
        key = {"dataset": dataset, "repeat": number, "tree_1": one, "tree_2": two}
        distances.append(pd.DataFrame({**key, **{m: d.ravel() for m, d in matrices.items()}}))
        pairs = example_pairs(
            trees,
            forest["parent"].to_numpy(),
            TreeEditDistance("B2", "spearman").fit(values[train], table.y[train]),
            plan.correlated_above,
        )
        examples.append(pairs.assign(dataset=dataset, repeat=number))
    columns = [*REPEAT, *(c for c in examples[0].columns if c not in REPEAT)]
    return {
        "distances": merge(distances, "distances"),
        "examples": merge([e[columns] for e in examples], "examples"),
    }


def example_pairs(trees, parent, metric, correlated_above: float) -> pd.DataFrame:
    """Pairs of trees that differ by one kind of edit (the qualitative criteria of thesis 5.4.2).

    The thesis names trees of its own forest; these rules find such pairs in any.

    Returns: criterion, tree_1, tree_2 (places, the first the lower), n_changed (tests that differ),
    variable_1, variable_2 (of the only test that differs in its variable, else -1), correlation.
    Criteria: `insertion_deletion`, a parent and its child; `same_variable`, the same variables in
    the same nodes and other thresholds or categories in one or more; `correlated`, all tests the
    same but one, whose variables differ and are strongly correlated. Nodes are those of the sorted
    trees, and a test left of its parent is in another node than one right of it, though the edit
    distance does not tell these apart; as in the edit distance, a categorical variable of more than
    two values has no correlation.
    """
    from hedgerow.structure.sorting import Tests

    rows = [
        ("insertion_deletion", min(p, i), max(p, i), 1, -1, -1, np.nan)
        for i, p in enumerate(np.asarray(parent).tolist())
        if p >= 0
    ]
    tests, shapes = Tests(), {}
    for i, tree in enumerate(trees):
        order = metric.data_.sort(tree)
        numbers, variables = tests.number(order)[order.nodes], tree.feature[order.nodes]
        ordered = ~(tree.is_categorical()[order.nodes] & (metric.data_.unordered_[variables] > 0))
        above = tree.parent[order.nodes[:-1]]  # the last one is the root
        on_left = (tree.children_left[above] == order.nodes[:-1]) != order.swaps[above]
        # Trees of one shape have their tests side by side in postorder.
        shape = (*order.first.tolist(), *on_left.tolist())
        shapes.setdefault(shape, []).append((i, numbers, variables, ordered))
    for alike in shapes.values():
        places = [entry[0] for entry in alike]
        numbers, variables, ordered = (np.array([entry[k] for entry in alike]) for k in (1, 2, 3))
        for at, i in enumerate(places):
            later = slice(at + 1, None)
            other_test = numbers[later] != numbers[at]
            other_variable = variables[later] != variables[at]
            n_tests, n_variables = other_test.sum(axis=1), other_variable.sum(axis=1)
            for k in np.flatnonzero((n_variables == 0) & (n_tests > 0)):
                rows.append(
                    ("same_variable", i, places[at + 1 + k], int(n_tests[k]), -1, -1, np.nan)
                )
            for k in np.flatnonzero((n_variables == 1) & (n_tests == 1)):
                node = int(np.argmax(other_variable[k]))
                one, two = int(variables[at][node]), int(variables[at + 1 + k][node])
                both = np.sort([one, two])
                rho = float(metric.data_.absolute_correlations(both)[0, 1])
                both_ordered = ordered[at][node] and ordered[at + 1 + k][node]
                if both_ordered and rho > correlated_above:
                    rows.append(("correlated", i, places[at + 1 + k], 1, one, two, rho))
    columns = ["criterion", "tree_1", "tree_2", "n_changed", "variable_1", "variable_2"]
    frame = pd.DataFrame(rows, columns=[*columns, "correlation"])
    return sorted_(frame.astype({"correlation": float}), columns[:3])


def shown_pairs(examples: pd.DataFrame, forest: pd.DataFrame) -> pd.DataFrame:
    """Of each criterion the pair that is drawn and put into words.

    A child and its parent: the most visited tree of three tests (or as near to three as there is),
    as in figure 5.1. Substitutions: of the pairs with fewest substitutions, those of trees of two
    or more tests first, the one whose less visited tree has most visits. Ties: lower trees.

    Returns: rows of `examples`, at most one per criterion.
    """
    trees = forest.set_index("tree")
    n_tests, n_visits = trees["n_tests"], trees["n_visits"]
    one, two = examples["tree_1"], examples["tree_2"]
    is_child = examples["criterion"] == "insertion_deletion"
    stump = (one.map(n_tests) == 1).astype(int)
    fewer = np.minimum(one.map(n_visits), two.map(n_visits))
    ranked = examples.assign(
        first=(two.map(n_tests) - 3).abs().where(is_child, stump),
        second=examples["n_changed"],
        third=-two.map(n_visits).where(is_child, fewer),
    ).sort_values(["criterion", "first", "second", "third", "tree_1", "tree_2"])
    return ranked.groupby("criterion").head(1)[list(examples.columns)].reset_index(drop=True)


def edit_scripts(table, learned: Frames, examples: pd.DataFrame, plan) -> pd.DataFrame:
    """The pairs of `shown_pairs` of every forest, with their edits in words.

    Returns: dataset, repeat, criterion, tree_1, tree_2, edits: the cheapest edits by B2 with
    Spearman's correlation that turn the first tree into the second, each with its cost.
    """
    from hedgerow.structure import TreeEditDistance
    from hedgerow.tree import forest_from_frame

    values, _ = table.matrix()
    names = [str(name) for name in table.X.columns]
    rows = []
    for (dataset, number), forest in learned["forests"].groupby(REPEAT, sort=True):
        trees = forest_from_frame(of_forest(learned["trees"], dataset, number), TREE)[1]
        train, _ = split_of(table, number, plan)
        metric = TreeEditDistance("B2", "spearman").fit(values[train], table.y[train])
        for pair in shown_pairs(of_forest(examples, dataset, number), forest).itertuples():
            one, two = (trees[i].replace(feature_names=names) for i in (pair.tree_1, pair.tree_2))
            words = _edits_in_words(metric.edit_script(one, two))
            rows.append((dataset, number, pair.criterion, pair.tree_1, pair.tree_2, words))
    columns = [*REPEAT, "criterion", "tree_1", "tree_2", "edits"]
    return merge([pd.DataFrame(rows, columns=columns)], "scripts")


def _edits_in_words(script: pd.DataFrame) -> str:
    forms = {
        "changed": "{e.test_1} becomes {e.test_2}",
        "inserted": "insert {e.test_2}",
        "deleted": "delete {e.test_1}",
    }
    edits = [e for e in script.itertuples() if e.operation != "same"]
    return "; ".join(f"{forms[e.operation].format(e=e)} (cost {e.cost:.3g})" for e in edits)


# ------------------------------------------------------------------------------------- cluster


@step("correlated_above", "seed", "test_size", outputs=("distances", "examples", "scripts"))
def compare_chunk(
    table: TidyTable, forests: pd.DataFrame, trees: pd.DataFrame, plan
) -> dict[str, pd.DataFrame]:
    """Distances between the trees of each forest, example pairs and their edits in words."""
    learned = {"forests": forests, "trees": trees}
    done = compare(table, learned, plan)
    return {**done, "scripts": edit_scripts(table, learned, done["examples"], plan)}


@step("n_clusters", "n_components", "n_seeds", "seed", outputs=("closeness", "labels", "scores"))
def cluster_chunk(
    forests: pd.DataFrame, distances: pd.DataFrame, examples: pd.DataFrame, plan
) -> dict[str, pd.DataFrame]:
    """Clusters of every forest; see `cluster_forests`."""
    return cluster_forests({"distances": distances, "examples": examples}, forests, plan)


def cluster_forests(
    compared: Frames, forests: pd.DataFrame, plan, scales: Sequence[str] = SCALES
) -> dict[str, pd.DataFrame]:
    """Clusters of every forest by every variant, and their scores (thesis 5.4.1 and 5.4.2).

    Returns: `closeness`: dataset, repeat, method, scale, norm_diff_to_d_kl, norm_diff_to_d_p
    (Frobenius norms, table 5.1), rank_correlation_with_d_kl, rank_correlation_with_d_p (Spearman,
    over pairs of different trees; d_KL is taken as the mean of both directions),
    rank_correlation_with_size (with the sum of the numbers of nodes), mean_distance and
    largest_distance. `labels`: dataset, repeat, method, scale, tree, label (seed 0). `scores`:
    dataset, repeat, method, scale, seed, silhouette, nmi_cluster_n_nodes, the scores of `EXAMPLES`
    (share of the pairs that are in one cluster; missing where there is no such pair),
    insertion_deletion_score_first (of the children of trees with one test, which the thesis takes),
    chance (share of all pairs of trees that are in one cluster), n_found (clusters).
    """
    closeness, labels, scores = [], [], []
    for (dataset, number), forest in forests.groupby(REPEAT, sort=True):
        n_nodes = forest["n_nodes"].to_numpy()
        if len(forest) <= plan.n_clusters:
            raise ConfigError(
                f"forest {number} of {dataset} has {len(forest)} trees, for {plan.n_clusters} "
                "clusters",
                remedy="lower `n_clusters`, or raise `n_trees` or `n_iterations`",
            )
        mine = of_forest(compared["distances"], dataset, number)
        references = {r: matrix_of(mine, r) for r in REFERENCES}
        pairs = pairs_of(of_forest(compared["examples"], dataset, number), forest)
        for method in VARIANTS:
            plain = matrix_of(mine, method)
            first = None
            for scale in scales:
                D = scaled(plain, n_nodes, scale, first, plan)
                key = (dataset, number, method, scale)
                closeness.append((*key, *_closeness(D, references, n_nodes).values()))
                coordinates = _space(D, plan)
                for seed in range(plan.n_seeds):
                    clusters = _partition(coordinates, plan, dataset, number, seed)
                    if seed == 0:
                        labels += [(*key, tree, label) for tree, label in enumerate(clusters)]
                        first = clusters if scale == "unnormalized" else first
                    scores.append((*key, seed, *score(D, clusters, n_nodes, pairs).values()))
    names = {
        "closeness": [*VARIANT, *CLOSENESS],
        "labels": [*VARIANT, "tree", "label"],
        "scores": [*VARIANT, "seed", *SCORES],
    }
    outputs = {"closeness": closeness, "labels": labels, "scores": scores}
    return {n: merge([pd.DataFrame(rows, columns=names[n])], n) for n, rows in outputs.items()}


def of_forest(frame: pd.DataFrame, dataset: str, number: int) -> pd.DataFrame:
    return frame[(frame["dataset"] == dataset) & (frame["repeat"] == number)]


def matrix_of(distances: pd.DataFrame, name: str) -> np.ndarray:
    """The matrix of one distance of one forest."""
    n = round(len(distances) ** 0.5)
    return distances[name].to_numpy().reshape(n, n)


def scaled(plain: np.ndarray, n_nodes: np.ndarray, scale: str, labels, plan) -> np.ndarray:
    """A matrix of distances on one of the scales of `cluster_forests`."""
    from hedgerow.structure import dissimilarity_space, prototypes

    if scale == "normalized":
        return plain / (n_nodes[:, None] + n_nodes[None, :])
    if scale == "prototypes":
        return dissimilarity_space(plain[:, prototypes(plain, labels, plan.n_prototypes)])
    return plain


def pairs_of(examples: pd.DataFrame, forest: pd.DataFrame) -> dict[str, np.ndarray]:
    """Example pairs of one forest by the name of their score, each (n_pairs, 2)."""
    pairs = {}
    for criterion, name in EXAMPLES.items():
        selected = examples.loc[examples["criterion"] == criterion, ["tree_1", "tree_2"]]
        pairs[name] = selected.to_numpy()
    above = pairs["insertion_deletion_score"][:, 0]
    small = forest["n_tests"].to_numpy()[above] == 1
    pairs["insertion_deletion_score_first"] = pairs["insertion_deletion_score"][small]
    return pairs


def _closeness(D, references: Mapping[str, np.ndarray], n_nodes) -> dict[str, float]:
    from scipy import stats

    upper = np.triu_indices(len(D), 1)
    both = {r: (R + R.T)[upper] / 2 for r, R in references.items()}
    both["size"] = (n_nodes[:, None] + n_nodes[None, :])[upper].astype(float)
    closeness = {f"norm_diff_to_{r}": float(np.linalg.norm(D - R)) for r, R in references.items()}
    for name, values in both.items():
        constant = np.ptp(D[upper]) == 0 or np.ptp(values) == 0
        rho = np.nan if constant else float(stats.spearmanr(D[upper], values).statistic)
        closeness[f"rank_correlation_with_{name}"] = rho
    return closeness | {"mean_distance": float(D[upper].mean()), "largest_distance": float(D.max())}


def _space(D: np.ndarray, plan) -> np.ndarray:
    from hedgerow.structure import laplacian_eigenmaps

    return laplacian_eigenmaps(D, plan.n_components)


def _partition(coordinates, plan, dataset: str, number: int, seed: int) -> np.ndarray:
    content = np.ascontiguousarray(coordinates, dtype=np.float64)
    names = (plan.seed, EXPERIMENT, dataset, number, f"kmeans_{seed:02d}")
    return _partition_of(content.tobytes(), content.shape, plan.n_clusters, names)


# Analyses that differ in which pairs of trees are asked about have the same clusters.
@functools.lru_cache(maxsize=4096)
def _partition_of(
    content: bytes, shape: tuple[int, ...], n_clusters: int, names: tuple
) -> np.ndarray:
    from hedgerow.structure.clusters import partition

    coordinates = np.frombuffer(content).reshape(shape)
    labels = partition(coordinates, n_clusters, random_state(*names))
    labels.flags.writeable = False
    return labels


def score(D: np.ndarray, labels, n_nodes, pairs: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Criteria of thesis 5.4.2 of one clustering: see `cluster_forests`."""
    from sklearn.metrics import normalized_mutual_info_score

    from hedgerow.structure.clusters import silhouette

    scores = {
        "silhouette": silhouette(D, labels),
        "nmi_cluster_n_nodes": float(normalized_mutual_info_score(labels, n_nodes)),
    }
    for name, examples in pairs.items():
        same = labels[examples[:, 0]] == labels[examples[:, 1]]
        scores[name] = float(same.mean()) if len(same) else np.nan
    # Clusters of unequal size hold many pairs of any kind.
    one, two = np.triu_indices(len(labels), 1)
    scores["chance"] = float((labels[one] == labels[two]).mean())
    scores["n_found"] = len(np.unique(labels))
    return {name: scores[name] for name in SCORES}
