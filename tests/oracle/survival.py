"""Survival in plain Python, from the formulas of textbooks and papers."""

from __future__ import annotations

import math
from fractions import Fraction


def kaplan_meier(time, event) -> list[tuple[float, Fraction]]:
    """(t, S(t)) at each time with an event: the product of 1 - d/n over times up to t."""
    survival, steps = Fraction(1), []
    for t in sorted({t for t, e in zip(time, event, strict=True) if e}):
        at_risk = sum(other >= t for other in time)
        died = sum(e and other == t for other, e in zip(time, event, strict=True))
        survival *= 1 - Fraction(died, at_risk)
        steps.append((t, survival))
    return steps


def quantile(steps: list[tuple[float, Fraction]], level: Fraction) -> float:
    """First time at which survival is `level` or less; infinite if it never is."""
    return next((t for t, survival in steps if survival <= level), float("inf"))


def two_sample_logrank(time, event, group) -> Fraction:
    """(O - E)^2 / V of the group that is true, with the hypergeometric variance."""
    difference = variance = Fraction(0)
    rows = list(zip(time, event, group, strict=True))
    for t in sorted({t for t, e, _ in rows if e}):
        n = sum(other >= t for other, _, _ in rows)
        n1 = sum(other >= t and g for other, _, g in rows)
        d = sum(bool(e) and other == t for other, e, _ in rows)
        d1 = sum(bool(e) and other == t and g for other, e, g in rows)
        difference += d1 - Fraction(d * n1, n)
        if n > 1:
            variance += Fraction(d * (n - d) * n1 * (n - n1), n * n * (n - 1))
    return difference * difference / variance if variance else Fraction(0)


def wald(right: float, n: float, z: float) -> tuple[float, float]:
    """p -+ z sqrt(p (1 - p) / n), cut at 0 and 1."""
    p = right / n
    half = z * math.sqrt(p * (1 - p) / n)
    return max(p - half, 0.0), min(p + half, 1.0)


def wilson(right: float, n: float, z: float) -> tuple[float, float]:
    """The p for which |right / n - p| = z sqrt(p (1 - p) / n) (Wilson 1927)."""
    p = right / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half
