"""Noise models in the plain reference, and the toy example of thesis 3.2.4 in closed form."""

import math
from contextlib import contextmanager

import numpy as np
from scipy.stats import norm

from oracle import induction


@contextmanager
def noise_models(models, centers=None, relative=()):
    """Let `oracle.induction` divide by these models where it would by a normal one.

    models : dict
        sigma of a variable -> its distribution function F(d), d in the variable's unit.
    centers : dict, optional
        sigma of a variable -> centre of its noise, about which the window is cut; default 0.
    relative : collection of float
        Those sigma whose model is one of the error as a share of |x|; sigma and centre are too.
    """
    centers = centers or {}

    def gate(x, center, sigma, window=6.0, ties_right=False):
        """Equation 3.9 with F in the place of Phi, cut to 0 and 1 from half the window on."""
        if sigma == 0 or (ties_right and x == center):
            return 1.0 if x < center else 0.0
        d = center - x
        if sigma in relative:
            if x == 0:
                return 1.0 if d > 0 else 0.0
            d /= abs(x)
        edge = window / 2 * sigma - induction.CLIP * sigma
        if d - centers.get(sigma, 0.0) >= edge:
            return 1.0
        if d - centers.get(sigma, 0.0) <= -edge:
            return 0.0
        return min(max(float(models[sigma](d)), 0.0), 1.0)

    def grid(column, sigma, window=6.0, step=0.1):
        """Equation 3.7 about the centre of the noise."""
        if sigma in relative:
            return relative_grid(column, sigma, centers.get(sigma, 0.0), window, step)
        n = len(normal_grid(column, sigma, window, step))
        origin = min(column) - window / 2 * sigma + centers.get(sigma, 0.0)
        return [origin + k * (step * sigma) for k in range(n)]

    normal, normal_grid = induction.gate, induction.soft_grid
    induction.gate, induction.soft_grid = gate, grid
    try:
        yield
    finally:
        induction.gate, induction.soft_grid = normal, normal_grid


def relative_grid(column, sigma, center=0.0, window=6.0, step=0.1):
    """Steps of the mean size's sigma, out to where the largest value reaches."""
    sizes = [abs(v) for v in column]
    unit = step * sigma * max(sum(sizes) / len(sizes), max(sizes) / 20)
    reach = (window / 2 * sigma + abs(center)) * max(sizes)
    n = math.floor((max(column) - min(column) + 2 * reach) / unit + 1e-9)
    return [min(column) - reach + k * unit for k in range(n + 1)]


def in_order(sigma):
    """P(d < 0): the chance that x1 ~ N(-2, sigma) is measured below x4 ~ N(2, sigma).

    d = x1 - x4 ~ N(-4, 2 sigma^2), so Phi(4 / (sqrt(2) sigma)); the thesis prints 2 sigma.
    """
    return norm.cdf(4 / (math.sqrt(2) * sigma))


def misclassified(x, sigma, noisy=False):
    """P(prediction 0) for a test value x: exact (figure 3.4a) or measured with noise (3.4b).

    The split is the midpoint m ~ N(0, sigma^2 / 2), independent of d; c = x - m.
    """
    scale = sigma * math.sqrt(1.5 if noisy else 0.5)
    below = norm.cdf(-x / scale)
    return in_order(sigma) * below + (1 - in_order(sigma)) * (1 - below)


def simulated(x, sigma, noisy=False, n=200_000, seed=0):
    """The same two probabilities by drawing: (P(d < 0), P(prediction 0))."""
    rng = np.random.default_rng(seed)
    x1, x4 = rng.normal(-2, sigma, n), rng.normal(2, sigma, n)
    test = rng.normal(x, sigma, n) if noisy else x
    lower_is_0 = x1 < x4
    predicted_0 = (test < (x1 + x4) / 2) == lower_is_0
    return lower_is_0.mean(), predicted_0.mean()
