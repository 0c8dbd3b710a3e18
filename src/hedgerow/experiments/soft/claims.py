"""Statements T3-01 to T3-11 of data/published/claims.csv, judged as their `how_to_test` says.

`reporting.findings` counts directions cell by cell, which any configuration can answer. Here the
tests of claims.csv are carried out to the letter, p-values included: they ask for the data sets
of table 3.1, and with few of them hardly anything can be reproduced.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from hedgerow.evaluation.metrics import standardised
from hedgerow.evaluation.significance import page_trend, wilcoxon
from hedgerow.experiments.soft.plan import EXPERIMENTS, PRINTED, TABLE_3_1
from hedgerow.reporting.verdicts import Judged, signed, verdict

TRAINING, TEST = EXPERIMENTS


class Means:
    """Means over permutations per data set of table 3.1; the unit of every test here.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `hedgerow.experiments.soft.evaluate`.
    times : DataFrame, optional
        Mean seconds: experiment, dataset, method, noise, seconds.
    """

    def __init__(self, rows: pd.DataFrame, times: pd.DataFrame | None = None):
        rows = rows[rows["dataset"].isin(set(TABLE_3_1.values())) & rows["method"].isin(PRINTED)]
        self._raw = rows
        self.times = times
        self.datasets = sorted(rows["dataset"].unique())
        self.factors = sorted(rows["noise"].unique())
        self.noisy = [n for n in self.factors if n > 0]

    def table(self, experiment: str, metric: str, method: str) -> pd.DataFrame:
        """Data sets by noise factors; standardised metrics end in `_std`."""
        if metric.endswith("_std"):
            rows, _ = standardised(self._raw, metric.removesuffix("_std"))
            rows = rows.assign(metric=metric)
        else:
            rows = self._raw
        cells = rows[
            (rows["experiment"] == experiment)
            & (rows["metric"] == metric)
            & (rows["method"] == method)
        ]
        return cells.groupby(["dataset", "noise"])["value"].mean().unstack("noise")

    def difference(self, experiment, metric, method, other="c45", factors=None) -> pd.DataFrame:
        """Method minus another, data sets by noise factors."""
        one, two = (self.table(experiment, metric, m) for m in (method, other))
        return (one - two)[self.factors if factors is None else factors]


def claims(rows: pd.DataFrame, times: pd.DataFrame | None = None) -> pd.DataFrame:
    """Judge statements T3-01 to T3-11.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets; all six printed methods and the noise factors of the thesis.
    times : DataFrame, optional
        experiment, dataset, method, noise, seconds; without it T3-09 is judged on two of its
        three demands.

    Returns
    -------
    DataFrame
        claim, verdict, measured, n_datasets; T3-12 is judged by `hedgerow.reporting.soft_sweep`.
    """
    means = Means(rows, times)
    judged = [judge(means) for judge in JUDGES]
    frame = pd.DataFrame([vars(j) for j in judged])
    return frame.assign(n_datasets=len(means.datasets))


def _p(values, alternative: str) -> float:
    values = np.asarray(values, dtype=float)
    return wilcoxon(values, np.zeros_like(values), ("difference", "zero"), alternative).p


def _range(values, digits: int = 2) -> str:
    values = np.asarray(values, dtype=float)
    texts = [signed(v, digits) for v in (values.min(), values.max())]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _noise_in_test_data_costs_more(m: Means) -> Judged:
    training, test = (m.table(e, "accuracy_std", "c45")[m.noisy] for e in (TRAINING, TEST))
    gap = training - test
    positive = int((gap.mean() > 0).sum())
    small = sum(_p(gap[n], "greater") < 0.05 for n in m.noisy)
    return Judged(
        "T3-01",
        verdict(positive == len(m.noisy) and small >= 4, positive >= 4),
        f"standardised accuracy with noise in the training data minus in the test data "
        f"{_range(gap.mean())}, positive at {positive} of {len(m.noisy)} factors, p < .05 at "
        f"{small}",
    )


def _trees_of_c45_grow_with_noise(m: Means) -> Judged:
    leaves = m.table(TRAINING, "n_leaves_std", "c45")[m.factors]
    mean = leaves.mean()
    rising = bool((np.diff(mean) >= 0).all())
    p = page_trend(leaves.to_numpy(), tuple(map(str, m.factors))).p
    return Judged(
        "T3-02",
        verdict(rising and p < 0.05, mean.iloc[-1] > mean.iloc[0]),
        f"standardised leaves {', '.join(f'{v + 0.0:.2f}' for v in mean.round(2))}; Page p = "
        f"{p:.2g}",
    )


def _ss_has_smaller_trees(m: Means) -> Judged:
    leaves = m.difference(TRAINING, "n_leaves", "ss", factors=m.noisy)
    p = np.array([_p(leaves[n], "less") for n in m.noisy])
    return Judged(
        "T3-03",
        verdict((p < 0.001).all(), (p < 0.05).sum() >= 4),
        f"{_range(leaves.mean())} leaves; p < .001 at {(p < 0.001).sum()}, p < .05 at "
        f"{(p < 0.05).sum()} of {len(p)} factors",
    )


def _both(m: Means, metric: str, method: str, other: str = "c45") -> pd.DataFrame:
    """Differences of both experiments side by side: data sets by fourteen cells."""
    return pd.concat([m.difference(e, metric, method, other) for e in EXPERIMENTS], axis=1)


def _stp_has_smaller_trees(m: Means) -> Judged:
    leaves = _both(m, "n_leaves", "stp").to_numpy()
    p = np.array([_p(column, "less") for column in leaves.T])
    mean = leaves.mean(axis=0)
    return Judged(
        "T3-04",
        verdict((p < 0.001).all(), (mean < 0).all() and (p < 0.05).sum() >= 10),
        f"{_range(mean)} leaves; p < .001 at {(p < 0.001).sum()}, p < .05 at {(p < 0.05).sum()} "
        f"of {len(p)} cells",
    )


def _stp_has_smaller_trees_than_ss(m: Means) -> Judged:
    leaves = _both(m, "n_leaves", "stp", "ss").to_numpy()
    p = np.array([_p(column, "less") for column in leaves.T])
    mean = leaves.mean(axis=0)
    smaller = int((mean < 0).sum())
    return Judged(
        "T3-05",
        verdict(smaller == len(p) and (p < 0.05).sum() >= 10, smaller >= 10),
        f"{_range(mean)} leaves against SS, smaller in {smaller} and p < .05 in "
        f"{(p < 0.05).sum()} of {len(p)} cells",
    )


def _accuracy_is_kept_under_training_noise(m: Means) -> Judged:
    gains = {s: 100 * m.difference(TRAINING, "accuracy", s) for s in ("ss", "stp")}
    mean = np.concatenate([g.mean().to_numpy() for g in gains.values()])
    p = np.array([_p(g[n], "two-sided") for g in gains.values() for n in m.factors])
    strong = p < 0.001
    kept = bool((mean >= 0).all())
    return Judged(
        "T3-06",
        verdict(
            kept and not strong.any(),
            (mean >= -0.5).all() or (strong.any() and (mean[strong] > 0).all() and kept),
        ),
        f"SS {_range(gains['ss'].mean())} and STP {_range(gains['stp'].mean())} points; "
        f"{int((mean >= 0).sum())} of {mean.size} means at or above 0, {int(strong.sum())} with "
        "p < .001",
    )


def _gain_grows_with_test_noise(m: Means) -> Judged:
    held, rising, words = [], [], []
    for method in ("ss", "stp"):
        gain = 100 * m.difference(TEST, "accuracy", method)
        mean = gain.mean()
        flat = float(np.ptp(mean)) == 0
        rho = 0.0 if flat else float(stats.spearmanr(m.factors, mean).statistic)
        p = page_trend(gain.to_numpy(), tuple(map(str, m.factors))).p
        held.append(rho >= 0.7 and p < 0.05 and mean.iloc[-1] > 1)
        rising.append(rho > 0)
        words.append(
            f"{method.upper()} {_range(mean)} points, rank correlation {rho:.2f}, Page p = {p:.2g}"
        )
    return Judged("T3-07", verdict(all(held), any(held) or all(rising)), "; ".join(words))


def _stp_is_most_accurate(m: Means) -> Judged:
    first, ranks = 0, []
    for experiment in EXPERIMENTS:
        tables = {s: m.table(experiment, "accuracy_std", s) for s in PRINTED}
        for n in m.factors:
            cells = pd.DataFrame({s: t[n] for s, t in tables.items()})
            first += cells.mean().idxmax() == "stp"
            ranks.append(cells.rank(axis=1, ascending=False).mean())
    cells = len(ranks)
    mean = pd.concat(ranks, axis=1).mean(axis=1)
    listed = ", ".join(f"{s} {mean[s]:.2f}" for s in mean.sort_values().index)
    return Judged(
        "T3-08",
        verdict(first == cells, first >= 10),
        f"STP first in {first} of {cells} cells; mean ranks (1 is best): {listed}",
    )


def _udt_is_larger_and_slower(m: Means) -> Judged:
    leaves = _both(m, "n_leaves", "udt").to_numpy().mean(axis=0)
    accuracy = 100 * _both(m, "accuracy", "udt").to_numpy().mean(axis=0)
    larger, kept = int((leaves > 0).sum()) >= 10, bool((np.abs(accuracy) <= 1).all())
    words = f"{_range(leaves)} leaves, {_range(accuracy)} points"
    slower = False
    if m.times is not None:
        seconds = m.times.groupby("method")["seconds"].mean()
        ratio = (seconds["udt"] - seconds["c45"]) / (seconds["ss"] - seconds["c45"])
        slower = ratio >= 5
        words += f"; added time {ratio:.1f} times that of SS"
    else:
        words += "; running times not given"
    demands = [larger, kept, slower]
    return Judged("T3-09", verdict(all(demands), sum(demands) >= 2), words)


def _se_and_plt_do_not_help_under_training_noise(m: Means) -> Judged:
    favour, at_0, words, same = 0, [], [], True
    for method in ("se", "plt"):
        gain = 100 * m.difference(TRAINING, "accuracy", method)
        p = [_p(gain[n], "greater") for n in m.factors]
        favour += sum(v < 0.05 for v in p)
        at_0.append(gain[0.0].mean())
        same &= bool((_both(m, "n_leaves", method).to_numpy() == 0).all())
        words.append(
            f"{method.upper()} {_range(gain.mean())} points ({_range([gain[0.0].mean()])} at 0), "
            f"p < .05 in favour at {sum(v < 0.05 for v in p)} factors"
        )
    words.append(f"leaf counts {'equal' if same else 'differ from'} those of C4.5")
    none = favour == 0 and same
    return Judged("T3-10", verdict(none and max(at_0) < 0, none), "; ".join(words))


def _se_helps_under_test_noise_and_plt_does_not(m: Means) -> Judged:
    se, plt = (m.difference(TEST, "accuracy_std", s, factors=m.noisy) for s in ("se", "plt"))
    above, below = int((se.mean() > 0).sum()), int((plt.mean() < 0).sum())
    strong = sum(_p(t[n], "two-sided") < 0.001 for t in (se, plt) for n in m.noisy)
    points = 100 * m.difference(TEST, "accuracy", "se", factors=m.noisy).mean()
    return Judged(
        "T3-11",
        verdict(above == below == len(m.noisy) and strong == 0, above >= 4 and below >= 4),
        f"SE above C4.5 at {above} and PLT below at {below} of {len(m.noisy)} factors "
        f"({_range(se.mean())} and {_range(plt.mean())} sd), {strong} with p < .001; SE "
        f"{_range(points)} points",
    )


JUDGES: tuple[Callable[[Means], Judged], ...] = (
    _noise_in_test_data_costs_more,
    _trees_of_c45_grow_with_noise,
    _ss_has_smaller_trees,
    _stp_has_smaller_trees,
    _stp_has_smaller_trees_than_ss,
    _accuracy_is_kept_under_training_noise,
    _gain_grows_with_test_noise,
    _stp_is_most_accurate,
    _udt_is_larger_and_slower,
    _se_and_plt_do_not_help_under_training_noise,
    _se_helps_under_test_noise_and_plt_does_not,
)
