"""The bias-corrected and accelerated interval of a mean, in the words of its definition."""

from __future__ import annotations

import statistics

import numpy as np


def bca_interval(values, share=0.95, n_resamples=20_000, seed=0):
    """Bounds of the mean of `values` (Efron 1987, equations 2.3 and 6.6)."""
    values = np.asarray(values, dtype=float)
    draws = np.random.default_rng(seed).choice(values, (n_resamples, len(values)))
    means = np.sort(draws.mean(axis=1))
    normal, mean = statistics.NormalDist(), values.mean()
    below = ((means < mean).mean() + (means <= mean).mean()) / 2
    bias = normal.inv_cdf(below)
    left_out = [np.delete(values, i).mean() for i in range(len(values))]
    apart = np.mean(left_out) - left_out
    acceleration = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    bounds = []
    for tail in ((1 - share) / 2, (1 + share) / 2):
        z = bias + normal.inv_cdf(tail)
        level = normal.cdf(bias + z / (1 - acceleration * z))
        bounds.append(float(np.quantile(means, level)))
    return tuple(bounds)
