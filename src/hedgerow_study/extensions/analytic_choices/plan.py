"""Settings of the analyses of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow_study.experiments.plan import Conflict, Plan, setting

#: Experiments of the papers that have open choices (config/analytic_choices.yaml).
EXPERIMENTS = ("soft", "search", "structure", "survival", "confidence", "evidential", "missing")


@dataclass(frozen=True)
class MultiversePlan(Plan):
    """Not in the papers: their claims in each analysis that config/analytic_choices.yaml names."""

    section: ClassVar[str] = "analytic_choices"

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
        "Whether the numbers of the analyses are set beside what the papers print, too, which "
        "takes the tables of each. It says something at the scale of the papers only.",
    )

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterable[Conflict]:
        """Analyses of experiments that are not run."""
        if "analytic_choices" not in config["experiments"]:
            return
        if not set(config[cls.section]["of"]) & set(config["experiments"]):
            yield Conflict(
                "analytic_choices.of",
                "`analytic_choices.of` names no experiment of `experiments`",
                "name one that is run, or leave `analytic_choices` out of `experiments`",
            )
