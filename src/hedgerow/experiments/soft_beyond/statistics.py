"""Statistics of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.experiments.frames import joined
from hedgerow.experiments.soft_beyond.plan import (
    AGAINST,
    COMPARISON,
    METHODS,
    PARTS,
    POOLED,
    TESTED,
)
from hedgerow.experiments.soft_beyond.steps import merge
from hedgerow.experiments.step import step

PAIRINGS = ("datasets", "permutations")


def statistics(rows: pd.DataFrame, pairings: Sequence[str] = PAIRINGS) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of every cell against C4.5, and of models against the normal one.

    Two pairings stand side by side, as in experiments 1 and 2. `datasets` pairs the means of each
    data set over its permutations, `permutations` takes every permutation of every data set as a
    pair, which has more power and treats permutations as independent, which they are not. In the
    family `all_families`, those in which the matching model is another than the normal one are
    joined: averaged per data set, or a pair each. Holm's correction is over the tests of one
    part and one pairing.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts, as returned by `run`.
    pairings : sequence of {"datasets", "permutations"}

    Returns
    -------
    DataFrame
        part, where, family, noise, metric, method, model, against_method, against_model, pairing,
        difference (mean over data sets, in the metric's unit; positive: above what it is compared
        with), then the attributes of `TestResult`; two rows per comparison and pairing, with the
        correction `none` and `holm`. The leaves of SE are those of C4.5 and are not tested.
    """
    frames = []
    for part in PARTS:
        of_part = rows[(rows["part"] == part) & rows["metric"].isin(TESTED)]
        compared = [
            (cell, {"datasets": pairs.groupby(level="dataset").mean(), "permutations": pairs})
            for metric in TESTED
            for cell, pairs in _comparisons(of_part[of_part["metric"] == metric], part, metric)
        ]
        for pairing in pairings:
            cells, results = [], []
            for cell, pairs in compared:
                groups = ("/".join(cell[5:7]), "/".join(cell[7:9]))
                per_set = pairs["datasets"]
                first, second = (pairs[pairing][side].to_numpy() for side in ("first", "second"))
                difference = float((per_set["first"] - per_set["second"]).mean())
                cells.append((*cell, pairing, difference))
                results.append(significance.wilcoxon(first, second, groups))
            keys = pd.DataFrame(cells, columns=[*COMPARISON, "difference"])
            frames.append(significance.plain_and_holm(keys, results, range(len(results))))
    return joined(frames, [*COMPARISON, "correction"])


def _comparisons(rows: pd.DataFrame, part: str, metric: str):
    """Key of each comparison with its pairs: columns first, second, by data set."""
    index = ["where", "family", "noise", "dataset", "permutation"]
    values = rows.set_index([*index, "method", "model"])["value"].sort_index()
    wide = values.unstack(["method", "model"])
    for method in METHODS[1:]:
        if method == "se" and metric == "n_leaves":
            continue
        for model, against in AGAINST.items():
            for other, other_model in against:
                reference = (method if other == "same" else other, other_model)
                if (method, model) not in wide or reference not in wide:
                    continue
                pairs = wide[[(method, model), reference]].dropna()
                pairs.columns = ["first", "second"]
                for key, cell in pairs.groupby(level=["where", "family", "noise"]):
                    yield (part, *key, metric, method, model, *reference), cell
                if part != "noise_models":
                    continue
                families = pairs.index.get_level_values("family")
                others = pairs[~families.isin(["normal", "none"])]
                for (where, noise), cell in others.groupby(level=["where", "noise"]):
                    key = (part, where, POOLED, noise, metric, method, model, *reference)
                    yield key, cell


@step(makes=("rows", "draws", "multiples", "statistics"))
def merged(
    rows: Sequence[pd.DataFrame],
    draws: Sequence[pd.DataFrame],
    multiples: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks, parts and data sets, and the tests of their rows.

    Parameters
    ----------
    rows, draws, multiples : sequence of DataFrame
        As returned by `hedgerow.experiments.soft_beyond.steps.run`.

    Returns
    -------
    dict of DataFrame
    """
    whole = merge({"rows": rows, "draws": draws, "multiples": multiples})
    return {**whole, "statistics": statistics(whole["rows"])}
