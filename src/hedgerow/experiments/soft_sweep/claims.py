"""Claims of the sweep of the pruning confidence."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from hedgerow.experiments.soft_sweep.plan import METHODS, PRINTED
from hedgerow.experiments.soft_sweep.tables import NOISE

#: Claim T3-12: data sets, out of the five, for the low range and for the high range.
LOW_SETS, HIGH_SETS = 4, 3


# ----------------------------------------------------------------------------------- verdict


@dataclass(frozen=True)
class Verdict:
    """Claim T3-12 of data/published/claims.csv, judged as its `how_to_test` says.

    Attributes
    ----------
    verdict : str
        `reproduced`, `partly`, `not reproduced`, or `open` where sets that were not run could
        still decide.
    low, high : int
        Data sets, out of the five printed ones, that count in the low and in the high range.
    by_leaves : str
        The verdict if accuracy were left out: the test does not say how much of it must be kept
        on how many data sets, and one standard error is little.
    smaller : int
        Data sets with smaller trees in the low range, whatever their accuracy.
    missing : tuple of str
        Printed sets that were not run at both noise factors and over both ranges.
    """

    verdict: str
    low: int
    high: int
    by_leaves: str
    smaller: int
    missing: tuple[str, ...]

    @property
    def n_sets(self) -> int:
        """Printed sets that were run."""
        return len(PRINTED) - len(self.missing)


def verdict(ranges: pd.DataFrame) -> Verdict:
    """Judge claim T3-12 from the table `soft_sweep_ranges`.

    A data set counts in the low range when SS and STP both have fewer mean leaves than C4.5 at
    accuracy kept, with and without noise; it counts in the high range when neither has fewer
    leaves, with and without noise. Reproduced: four sets or more count in the low range and three
    or more in the high range; partly: the low range alone. With sets missing the answer is given
    only where these could not change it.

    Parameters
    ----------
    ranges : DataFrame

    Returns
    -------
    Verdict
    """
    wanted = len(NOISE) * (len(METHODS) - 1)
    low = high = smaller = 0
    missing = []
    for dataset in PRINTED:
        cells = ranges[
            (ranges["dataset"] == dataset)
            & (ranges["status"] == "run")
            & ranges["noise"].isin(list(NOISE.values()))
        ]
        at_low, at_high = (cells[cells["range"] == name] for name in ("low", "high"))
        if len(at_low) < wanted or len(at_high) < wanted:
            missing.append(dataset)
            continue
        fewer = at_low["smaller"].astype(bool)
        smaller += bool(fewer.all())
        low += bool((fewer & at_low["accuracy_kept"].astype(bool)).all())
        high += not at_high["smaller"].astype(bool).any()
    spare = len(missing)
    return Verdict(
        _word(low, high, spare), low, high, _word(smaller, high, spare), smaller, tuple(missing)
    )


def _word(low: int, high: int, spare: int) -> str:
    """Verdict on counts of data sets, `spare` more of which were not run."""
    if low >= LOW_SETS and high >= HIGH_SETS:
        return "reproduced"
    if low + spare < LOW_SETS:
        return "not reproduced"
    if low >= LOW_SETS and high + spare < HIGH_SETS:
        return "partly"
    return "open"
