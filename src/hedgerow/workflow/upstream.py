"""What a file of the workflow is made of, job by job, as its rules say before anything is planned.

Snakemake's graph holds the jobs of one run, once it is planned. Who makes jobs again under other
settings (`hedgerow.workflow.readings`) has to name their files while rules are still read: here
the rules are asked for the one that makes a file, and what it reads, from file to file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Made:
    """A job that runs a function of an experiment.

    Attributes
    ----------
    rule : str
    wildcards : mapping of str
    inputs : mapping of str or list of str
        Paths by the names of the rule's inputs.
    outputs : mapping of str
        Those that have names.
    paths : list of str
        All outputs, in their order.
    params : mapping
        As `hedgerow.workflow.steps.step` gives them.
    """

    rule: str
    wildcards: Mapping[str, str]
    inputs: Mapping[str, Any]
    outputs: Mapping[str, str]
    paths: list[str]
    params: Mapping[str, Any]

    @property
    def read(self) -> list[str]:
        """Paths of all inputs."""
        found = self.inputs.values()
        return [p for paths in found for p in ([paths] if isinstance(paths, str) else paths)]


def upstream(workflow: Any, targets: Iterable[str]) -> list[Made]:
    """Jobs on the way to files, each after those that it reads from.

    Returns: without the jobs that fetch and tidy data: they know no settings of an experiment.
    """
    maker: dict[str, Made | None] = {}
    order: list[Made] = []

    def visit(path: str) -> None:
        if path in maker:
            return
        job = maker_of(workflow, path)
        if job is None:
            maker[path] = None
            return
        maker.update(dict.fromkeys(job.paths, job))
        for other in job.read:
            visit(other)
        order.append(job)

    for target in targets:
        visit(target)
    return order


def maker_of(workflow: Any, path: str) -> Made | None:
    """The job that makes a file; None where no function of an experiment does."""
    rule = next((r for r in workflow.rules if _may_make(r, path) and r.is_producer(path)), None)
    return None if rule is None else _job(rule, rule.get_wildcards(path))


def _may_make(rule: Any, path: str) -> bool:
    """Whether a file has a prefix of the rule's outputs; `is_producer` compiles their patterns."""
    return any(path.startswith(output.constant_prefix()) for output in rule.output)


def _job(rule: Any, wildcards: Any) -> Made | None:
    """The job that a rule makes of wildcards; None where it runs no function of an experiment."""

    outputs, _ = rule.expand_output(wildcards)
    inputs, *_ = rule.expand_input(wildcards)
    params = dict(rule.params.items())
    if "call" not in params:
        return None
    return Made(
        rule.name,
        dict(wildcards),
        {k: str(v) if isinstance(v, str) else list(map(str, v)) for k, v in inputs.items()},
        {k: str(v) for k, v in outputs.items()},
        list(map(str, outputs)),
        params,
    )
