"""The last steps of an experiment, alike in all: statistics, claims, tables, figures, page.

`workflow/rules/tail.smk` has their rules in one loop. What each of them reads follows from the
parameters of its functions; where it lies stands in the experiment's `Tail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow_study.experiments.step import Declaration, annotations_of
from hedgerow_study.workflow.jobs.steps import (
    GATHER,
    declaration,
    declarations,
    having,
    items,
    step,
)

#: What claims read beside results.
CLAIM_FILES = {"specification": "config/claims.yaml", "statements": "data/published/claims.csv"}
#: Steps of the loop, with the function that each runs; of statistics the last one of the module.
CALLS = {
    "statistics": "{word}.statistics",
    "claims": "{word}.claims:claims",
    "tables": "{word}.tables",
    "figures": "{word}.figures",
    "page": "{word}.page:section",
}
RULES = "workflow/rules/tail.smk"


def call_of_step(word: str, name: str) -> str:
    """The function of a step of the loop, `soft.tables` for all tables."""
    call = CALLS[name].format(word=word)
    if name != "statistics":
        return call
    return f"{call}:{[d.name for d in declarations(call, 'step')][-1]}"


@dataclass(frozen=True)
class Tail:
    """What the last steps of an experiment read and show."""

    word: str
    title: str  # how messages call the experiment
    datasets: Sequence[str]
    #: Inputs of the statistics, by parameter; empty where no statistics meet all data sets.
    parts: Mapping[str, Any] = field(default_factory=dict)
    #: Further inputs of tables, figures, claims and page, by the parameters of their functions.
    files: Mapping[str, Any] = field(default_factory=dict)
    #: By step the names of files that its functions read in one mapping (`steps.GATHER`).
    gathered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Fields of the plan that are no settings.
    given: Mapping[str, Any] = field(default_factory=dict)
    read: Sequence[str] = ()  # files of the project, beside claims and printed tables
    made: Sequence[Any] = ()  # files that its own rules make and the manifest lists
    times: Sequence[Any] = ()  # files that differ from run to run, which no manifest lists

    @property
    def judged(self) -> bool:
        """Whether it has claims."""
        return bool(having("claims", [self.word]))

    def file(self, name: str) -> str:
        """A file of the experiment's results."""
        return f"data/results/{self.word}/{name}.parquet"

    @property
    def statistics(self) -> dict[str, str]:
        """What the statistics make."""
        if not self.parts:
            return {}
        makes = declaration(call_of_step(self.word, "statistics")).outputs or ("statistics",)
        return {name: self.file(name) for name in makes}

    def inputs(self, name: str, **more: Any) -> dict[str, Any]:
        """Of all files those for which the functions of a step have parameters."""
        available = {**self.files, **self.statistics, **more}
        available |= CLAIM_FILES if name == "claims" else {}
        asked = dict.fromkeys(self.gathered.get(name, ()))
        for declared in declarations(call_of_step(self.word, name)):
            asked |= dict.fromkeys(_asked(declared))
        provided = {"plan", *GATHER, *self.given}
        if unknown := asked.keys() - available.keys() - provided:
            raise LookupError(f"`{self.word}.{name}` asks for {sorted(unknown)}, made by no rule")
        return {name: available[name] for name in asked if name in available}

    def shown(self, config: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Outputs of the rule that makes all tables, or all figures."""
        module = f"{self.word}.{name}"
        return items(config, module, *(d.name for d in declarations(module)))

    def params(self, config: Mapping[str, Any], name: str) -> dict[str, Any]:
        """`params` of the rule of a step."""
        return step(config, call_of_step(self.word, name), **self.given)


def _asked(declared: Declaration) -> Iterator[str]:
    """Parameters of a function, and of those that fill its caption and trace its cells."""
    yield from (p for p in annotations_of(declared.function) if p not in declared.plans)
    shown = getattr(declared.function, "shown", None)
    for function in filter(None, (shown.caption_values, shown.sources) if shown else ()):
        computed = ("table", "identifier") if function is shown.sources else ()
        yield from (p for p in annotations_of(function) if p not in computed)
