"""Split conformal prediction in plain Python (Vovk, Gammerman and Shafer 2005, section 2.2)."""

from __future__ import annotations


def p_value(scores: list[float], score: float, share_of_ties: float = 1.0) -> float:
    """Share of the calibration, with the row itself, that is at least as strange.

    Of rows that are exactly as strange, the row among them, only a share counts.
    """
    stranger = sum(1 for s in scores if s > score)
    as_strange = sum(1 for s in scores if s == score) + 1
    return (stranger + share_of_ties * as_strange) / (len(scores) + 1)


def conformal_set(
    calibrated: list[list[float]], y: list[int], row: list[float], promised: float
) -> set[int]:
    """Classes of a row that are not too strange; ties count in full.

    calibrated: class probabilities of rows whose classes are y; row: those of one without.
    """
    scores = [1.0 - probabilities[k] for probabilities, k in zip(calibrated, y, strict=True)]
    return {k for k, p in enumerate(row) if p_value(scores, 1.0 - p) >= 1.0 - promised}
