"""Settings and names of the illustrations of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow_study.experiments.plan import setting
from hedgerow_study.experiments.soft.plan import KernelPlan

EXPERIMENT = "soft_illustration"  # the word under which seeds are drawn
DATASET = "synthetic_lvef"
ELIGIBLE_BELOW = 35.0  # per cent, thesis 3.4.1

#: Figure 3.1, in standard deviations about a threshold at 0. The bounds of PLT differ, as they do
#: where Quinlan's heuristic sets them.
PLT_BOUNDS = (-1.5, 2.5)
UDT_HALF_WIDTH = 2.0  # sd = w/4 and cut = w/2 of the range: two standard deviations

#: Figure 3.2: a window and a step that can be seen, unlike those of the kernel.
SHOWN_WINDOW, SHOWN_STEP = 3.0, 0.5

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
class SoftIllustrationPlan(KernelPlan):
    """Illustrations of chapter 3: figures 3.1 to 3.4, and the LVEF example.

    The example (figures 3.7 and 3.8, tables 3.2 and 3.3) is on the synthetic set synthetic_lvef.
    """

    section: ClassVar[str] = "soft_illustration"

    noise: float = setting(
        0.1,
        "Noise factor n of the ejection fractions (thesis, figure 3.7); the noise is "
        "N(0, n |mean|).",
        minimum=0,
        maximum=1_000_000,
    )
    uncertainty: float = setting(
        0.1,
        "Uncertainty factor u of ss, stp and se on the ejection fractions (thesis 3.4.1, 0.1).",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_draws: int = setting(
        100_000,
        "Draws of the simulation beside the curves of figure 3.4.",
        minimum=1,
        maximum=100_000_000,
    )
