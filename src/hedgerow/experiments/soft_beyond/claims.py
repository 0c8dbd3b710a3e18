"""Claims of noise beyond the thesis."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from hedgerow.experiments.soft_beyond.plan import METHODS, POOLED, WHERE
from hedgerow.experiments.soft_beyond.tables import MEAN

#: A test over data sets is called a difference below this.
LEVEL = 0.05
#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6


# ----------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Answer:
    """Whether one assumption beats another, for one method and one place of the noise.

    Attributes
    ----------
    where, method, model : str
        The model is compared with the tuned normal one of the same method.
    accuracy : float
        Mean difference over data sets and families, points of %; positive: the model is better.
    brier : float
        The same of the Brier score; negative: the model is better.
    p : float
        Wilcoxon signed-rank test of the accuracy over data sets, two-sided.
    p_brier : float
    better, n : int
        Data sets on which the model has the higher accuracy, of how many.
    """

    where: str
    method: str
    model: str
    accuracy: float
    brier: float
    p: float
    p_brier: float
    better: int
    n: int

    @property
    def verdict(self) -> str:
        """`helps`, `harms` or `no difference`, by the test of the accuracy over data sets."""
        if self.p >= LEVEL or self.accuracy == 0:
            return "no difference"
        return "helps" if self.accuracy > 0 else "harms"


def answers(table: pd.DataFrame) -> list[Answer]:
    """Does a model help that matches the noise? One answer per place, method and model.

    Parameters
    ----------
    table : DataFrame, as returned by `soft_beyond_noise_models`

    Returns
    -------
    list of Answer
        Over the families other than normal, at the largest noise factor; empty without them.
    """
    cells = table[(table["family"] == POOLED) & table["model"].isin(["matching", "true"])]
    if cells.empty:
        return []
    noise = cells["noise"].max()
    cells = cells[cells["noise"] == noise].set_index(["metric", "where", "method", "model"])
    other = ~table["family"].isin(["normal", "none", POOLED])
    sets = table[other & (table["dataset"] != MEAN) & (table["noise"] == noise)]
    sets = sets[sets["metric"] == "accuracy"]
    per_set = sets.groupby(["where", "method", "model", "dataset"])["difference_normal"].mean()
    found = []
    for where in WHERE:
        for model in ("matching", "true"):
            for method in METHODS[1:]:
                accuracy = cells.loc[("accuracy", where, method, model)]
                brier = cells.loc[("brier", where, method, model)]
                differences = per_set[where, method, model]
                found.append(
                    Answer(
                        where,
                        method,
                        model,
                        float(accuracy["difference_normal"]),
                        float(brier["difference_normal"]),
                        float(accuracy["p_normal"]),
                        float(brier["p_normal"]),
                        int((differences > 1e-9).sum()),
                        len(differences),
                    )
                )
    return found


def verdict(found: list[Answer], model: str) -> str:
    """One plain sentence from the answers about a model.

    Parameters
    ----------
    found : list of Answer
    model : {"matching", "true"}

    Returns
    -------
    str

    Examples
    --------
    >>> one = Answer("test", "ss", "matching", 0.1, 0.0, 0.4, 0.9, 3, 6)
    >>> verdict([one], "matching")
    'No: by the test its accuracy differs in none of the 1 combinations of method and noisy part'
    """
    of_model = [a for a in found if a.model == model]
    if not of_model:
        return "Not asked: the configuration has normal noise only"
    n_sets = max(a.n for a in of_model)
    if n_sets < FEWEST_DATASETS:
        return f"It cannot be told from {n_sets} data set{'s' if n_sets > 1 else ''}"
    n = len(of_model)
    helps, harms = (sum(a.verdict == v for a in of_model) for v in ("helps", "harms"))
    combinations = f"of the {n} combinations of method and noisy part"
    if helps == harms == 0:
        return f"No: by the test its accuracy differs in none {combinations}"
    if harms == 0:
        word = "Yes" if helps == n else "In part"
        return f"{word}: its accuracy is higher in {helps} {combinations} and lower in none"
    if helps == 0:
        return f"No, it harms: its accuracy is lower in {harms} {combinations} and higher in none"
    return f"It depends: its accuracy is higher in {helps} {combinations} and lower in {harms}"
