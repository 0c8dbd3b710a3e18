"""Rules of the workflow by name: what each runs and where it logs, as the rule files say.

Rules of the loop in `tail.smk` follow from `hedgerow_study.workflow.jobs.tail`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from hedgerow_study.workflow.jobs.steps import having
from hedgerow_study.workflow.jobs.tail import CALLS, call_of_step

#: Where an experiment says what its last steps read.
TAIL = re.compile(r'^tails\["(\w+)"\] = Tail\($', re.MULTILINE)
_RULE = re.compile(r"^rule (\w+):(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r'\*\*step\(\s*config,\s*"([^"]+)"')
_SCRIPT = re.compile(r'script:\s*"\.\./([^"]+)"')
_LOG = re.compile(r'log:\s*"([^"]+)"')
_LOCAL = re.compile(r"localrule: True")


class Rule(NamedTuple):
    """A rule."""

    call: str  # the function of an experiment that it names; empty without one
    script: str  # `workflow/scripts/fetch.py`; empty for a target
    log: str  # with wildcards in braces
    local: bool = False  # whether it runs where Snakemake does, on a cluster as well


def rules_of(root: Path) -> dict[str, Rule]:
    """Rules of the workflow of a project by their names, in the order of files and lines."""
    texts = [file.read_text("utf-8") for file in sorted((root / "workflow/rules").glob("*.smk"))]
    rules = {name: _read(body) for text in texts for name, body in _RULE.findall(text)}
    for word in (word for text in texts for word in TAIL.findall(text)):
        for name in CALLS:
            if having(name, [word]) and f"{word}_{name}" not in rules:
                rules[f"{word}_{name}"] = Rule(
                    call_of_step(word, name),
                    "workflow/scripts/step.py",
                    f"data/logs/{word}/{name}.log",
                )
    return rules


def _read(body: str) -> Rule:
    call, script, log = (p.search(body) for p in (_CALL, _SCRIPT, _LOG))
    return Rule(
        call[1] if call else "",
        f"workflow/{script[1]}" if script else "",
        log[1] if log else "",
        bool(_LOCAL.search(body)),
    )
