"""The form of the code and of the rules."""

from __future__ import annotations

import re

import pytest
from throwaway import ROOT, Project


def test_formatting_of_the_workflow():
    done = Project(ROOT).python("-m", "snakefmt", "--check", "Snakefile", "workflow")
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff():
    done = Project(ROOT).python("-m", "ruff", "check", "--no-cache", str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr


RULES = {
    part.partition(":")[0]: part
    for file in (ROOT / "workflow/rules").glob("*.smk")
    for part in re.split(r"^rule ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_says_everything_about_its_jobs(rule):
    text = RULES[rule]
    for directive in ("output", "log", "conda", "message", "script"):
        assert f"\n    {directive}:\n" in text, f"{rule} has no {directive}"
    assert '"../../environment.yml"' in text
    assert '    log:\n        "data/logs/' in text  # the job's record stands beside it
    assert not re.search(r"\blambda\b|\n    run:|^ *(for|checkpoint)\b.*:$", text, re.MULTILINE)
