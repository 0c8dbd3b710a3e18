"""Settings and names of the illustrations of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.experiments.plan import Plan

EXPERIMENT = "soft_illustration"  # the word under which seeds are drawn
DATASET = "synthetic_lvef"
ELIGIBLE_BELOW = 35.0  # per cent, thesis 3.4.1

#: Figure 3.1, in standard deviations about a threshold at 0. The bounds of PLT differ, as they do
#: where Quinlan's heuristic sets them.
PLT_BOUNDS = (-1.5, 2.5)
UDT_HALF_WIDTH = 2.0  # sd = w/4 and cut = w/2 of the range: two standard deviations

#: Figure 3.3: values and classes of the two panels; the second as the text of 3.2.4 describes it.
TOY = {
    "a": ([-2.0, -2.0, 2.0, 2.0], [0, 0, 1, 1]),
    "b": ([-2.0, 0.2, -0.2, 2.0], [0, 0, 1, 1]),
}
TOY_SIGMA = 0.3  # figure 3.3

#: Figure 3.4: test values, and standard deviations at which all curves and the simulation stand.
TEST_VALUES = (1.0, -1.0)
SIGMAS = tuple(round(0.1 * k, 1) for k in range(1, 81))
SIMULATED_SIGMAS = tuple(round(0.5 * k, 1) for k in range(1, 17))

#: Decimals of what is written: more than can be read off a figure, fewer than rounding reaches.
DECIMALS = 6


@dataclass(frozen=True)
class SoftIllustrationPlan(Plan):
    """Settings of the illustrations: the section `soft_illustration` of the configuration.

    Attributes
    ----------
    seed : int
        Global seed, from which every random draw is derived by name.
    configuration : str
        Name of the configuration, for captions.
    noise : float
        Noise factor n of the LVEF example; the noise is N(0, n |mean|).
    factor : float
        Uncertainty factor u of SS, STP and SE in the LVEF example.
    window, step : float
        Width of the soft search's kernel and step of its grid, in standard deviations.
    n_draws : int
        Draws of the simulation beside the curves of figure 3.4.
    """

    section: ClassVar[str] = "soft_illustration"
    passed_over: ClassVar[frozenset[str]] = frozenset()

    seed: int = 0
    configuration: str = "default"
    noise: float = 0.1  # thesis, figure 3.7
    factor: float = 0.1  # thesis 3.4.1
    window: float = 6.0  # thesis 3.3.2
    step: float = 0.1  # thesis 3.3.2
    n_draws: int = 100_000
