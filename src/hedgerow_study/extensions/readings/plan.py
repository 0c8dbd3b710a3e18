"""Settings of the readings of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow_study.experiments.plan import Conflict, Plan, setting

#: Experiments of the papers that have open choices (config/readings.yaml).
EXPERIMENTS = ("soft", "search", "structure", "survival", "confidence", "evidential", "missing")


@dataclass(frozen=True)
class MultiversePlan(Plan):
    """Not in the papers: their statements under each reading that config/readings.yaml names."""

    section: ClassVar[str] = "readings"

    of: tuple[str, ...] = setting(
        ("structure",),
        "Experiments whose statements are read in each way; of those that are run.",
        choices=EXPERIMENTS,
    )
    singles: bool = setting(
        False,
        "Whether choices outside of the products are changed as well, one at a time and in pairs. "
        "That takes trees of their own, and hours.",
    )
    nearest: bool = setting(
        False,
        "Whether the numbers of the readings are set beside what the papers print, too, which "
        "takes the tables of each. It says something at the scale of the papers only.",
    )

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterable[Conflict]:
        """Readings of experiments that are not run."""
        if "readings" not in config["experiments"]:
            return
        if not set(config[cls.section]["of"]) & set(config["experiments"]):
            yield Conflict(
                "readings.of",
                "`readings.of` names no experiment of `experiments`",
                "name one that is run, or leave `readings` out of `experiments`",
            )
