"""Settings and names of the sweep of the pruning confidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow_study.experiments.plan import Conflict, Plan, setting

#: Learners of the figures; soft evaluation leaves trees as they are.
METHODS = ("c45", "ss", "stp")

#: The first five sets of table 3.1, in the order of the panels (a) to (e).
PRINTED = (
    "hepatitis_numeric",
    "heart_cleveland_ordinal",
    "pima",
    "saheart_numeric",
    "wdbc",
)

CELL = ["dataset", "repeat", "noise", "method", "confidence"]


@dataclass(frozen=True)
class SweepPlan(Plan):
    """Figures 3.11 and 3.12 of the thesis, trees pruned at every confidence c of a grid.

    Splits, noised samples and the settings of the learners are those of soft.
    """

    section: ClassVar[str] = "soft_sweep"

    datasets: tuple[str, ...] = setting(
        PRINTED,
        "Data sets by their key in the registry. The figures of the paper show "
        f"{', '.join(PRINTED[:-1])} and {PRINTED[-1]}.",
    )
    noise_factors: tuple[float, ...] = setting(
        (0, 0.1),
        "Noise factors of the training data, out of soft.noise_factors; the figures show 0 and "
        "0.1.",
        minimum=0,
        maximum=1_000_000,
    )
    uncertainty: float = setting(
        0.1,
        "Uncertainty factor u of ss and stp (thesis 3.4.2, 0.1).",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    confidences: tuple[float, ...] = setting(
        (0, *(i / 40 for i in range(1, 40)), 1),
        "Pruning confidences c at which each tree is pruned. 0 leaves one leaf, 1 prunes least. "
        "The thesis prints no grid.",
        minimum=0,
        maximum=1,
        fewest=2,
    )

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterator[Conflict]:
        """The sweep learns from samples that `soft` draws."""
        available = config["soft"]["noise_factors"]
        for noise in config[cls.section]["noise_factors"]:
            if noise not in available:
                yield Conflict(
                    "soft_sweep.noise_factors",
                    f"`soft_sweep.noise_factors` holds {noise:g}, which is not in "
                    f"`soft.noise_factors` ({', '.join(f'{n:g}' for n in available)})",
                    "the sweep learns from the samples of soft: use factors of that list",
                )
