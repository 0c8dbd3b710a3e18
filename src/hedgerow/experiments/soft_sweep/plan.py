"""Settings and names of the sweep of the pruning confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan

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

CELL = ["dataset", "permutation", "noise", "method", "confidence"]


@dataclass(frozen=True)
class SweepPlan(Plan):
    """Settings of the sweep: the section `soft_sweep` of the configuration.

    Permutations, samples and learner settings are those of `SoftPlan`.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys; read by the report only.
    configuration : str
        Name of the configuration, for captions.
    noise_factors : tuple of float
        Noise factors of the training data, out of those of `soft.noise_factors`; 0 (figure 3.11)
        and 0.1 (figure 3.12) in the paper.
    factor : float, above 0
        Uncertainty factor u of SS and STP; 0.1 in the paper.
    confidences : tuple of float in [0, 1]
        Grid of c, at least two values. The paper prints no grid; this one is ours.
    """

    section: ClassVar[str] = "soft_sweep"
    passed_over: ClassVar[frozenset[str]] = frozenset({"seed", "configuration"})

    datasets: tuple[str, ...] = ()
    configuration: str = "default"
    noise_factors: tuple[float, ...] = (0.0, 0.1)
    factor: float = 0.1
    confidences: tuple[float, ...] = tuple(round(i / 40, 3) for i in range(41))

    def __post_init__(self):
        for name in ("noise_factors", "confidences"):
            # Whole numbers of a YAML file must not make other keys than floats do.
            object.__setattr__(self, name, tuple(sorted({float(v) for v in getattr(self, name)})))
        object.__setattr__(self, "factor", float(self.factor))
        if len(self.confidences) < 2 or self.confidences[0] < 0 or self.confidences[-1] > 1:
            raise ConfigError(
                "`soft_sweep.confidences` is no grid of pruning confidences",
                remedy="give two values or more between 0 and 1",
            )
        if not self.noise_factors or self.noise_factors[0] < 0:
            raise ConfigError(
                "`soft_sweep.noise_factors` is empty or holds a factor below 0",
                remedy="give noise factors of `soft.noise_factors`, such as 0 and 0.1",
            )
        if self.factor <= 0:
            raise ConfigError(
                f"`soft_sweep.factor` is {self.factor:g}",
                remedy="give a factor above 0: without uncertainty every method is C4.5",
            )
