"""The graph of a run, as Snakemake plans it: which job makes a file, from what, why it reruns.

The manifest gets its jobs from here while Snakemake plans (`Graph`), an audit later (`planned`), so
that both speak of the same graph. It follows from configuration and code alone: neither cores nor
what is on disk, nor a run that was stopped, changes it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hedgerow.errors import ConfigError
from hedgerow.files import read_yaml, write_text
from hedgerow.texts import plain
from hedgerow_study.experiments import WORDS
from hedgerow_study.workflow.jobs.digest import settings_of_job
from hedgerow_study.workflow.jobs.frame import written_by
from hedgerow_study.workflow.running.isolated import run_python
from hedgerow_study.workflow.running.snakemake_patches import (
    command_line_settings,
    jobs_above,
    planned_workflow,
    reasons_of_jobs,
    recorded_inputs,
)

MANIFEST_RULE = "manifest"
#: How the call of a step that judges claims ends.
CLAIMS = ".claims:claims"
#: Options that Snakemake takes unasked.
PROFILE = Path("profiles/default/config.yaml")
#: What each job of a plan says, and in which kind.
JOB_FIELDS = {
    "rule": str,
    "inputs": list,
    "outputs": list,
    "runs": bool,
    "after": list,
    "why": dict,
}
#: What a rule belongs to, in the order of the report: an experiment, or what all of them share.
ORDER = ("data", *WORDS, "report")


class Graph:
    """Jobs on the way to the manifest, for the `params` of its rule.

    They are looked up when Snakemake asks for the parameters, which it does when all are planned.
    """

    def __init__(self, workflow: Any):
        self._workflow = workflow

    def digest(self, wildcards: Any) -> str:
        """SHA-256 over `jobs`: where any of them changes, the manifest is rewritten."""
        return hashlib.sha256(json.dumps(self._jobs, sort_keys=True).encode()).hexdigest()

    def jobs(self, wildcards: Any, input: Any) -> dict[str, dict[str, Any]]:
        """Each job by its id (`described`). Snakemake does not record what depends on `input`."""
        return self._jobs

    @functools.cached_property
    def _jobs(self) -> dict[str, dict[str, Any]]:
        jobs = {}
        for job in jobs_above(self._workflow, MANIFEST_RULE):
            jobs |= described(job)
        return dict(sorted(jobs.items()))


def described(job: Any) -> dict[str, dict[str, Any]]:
    """A job of Snakemake's under its id, `<rule>:<wildcards>`.

    Its `rule`, `inputs` and `outputs` (paths, sorted), and two SHA-256: `settings`
    (`hedgerow_study.workflow.jobs.digest.settings_of_job`), `code` over the code that it reaches.
    """
    wildcards = ",".join(map(str, job.wildcards_dict.values()))
    return {
        f"{job.rule.name}:{wildcards}" if wildcards else job.rule.name: {
            "rule": job.rule.name,
            # The crate reads the pages that are no outputs of Snakemake's.
            "inputs": sorted({*map(str, job.input), *job.params.get("site", ())}),
            "outputs": sorted(written_by(job)),
            "code": job.params.get("code"),
            "settings": settings_of_job(job.params),
        }
    }


def experiment_of(rule: str) -> str:
    """The experiment of a rule, `data` or `report`."""
    if rule in ("fetch", "tidy"):
        return "data"
    words = [word for word in WORDS if rule == word or rule.startswith(f"{word}_")]
    return max(words, key=len, default="report")


def given(workflow: Any) -> dict[str, Any]:
    """Where the configuration of a run came from.

    Returns: `files`, the default first, relative to the project (by name where they lie elsewhere),
        and `command_line`, the settings of `--config`.
    """
    here = Path.cwd()
    files = []
    for file in map(Path, workflow.configfiles):
        absolute = (here / file).resolve()
        inside = absolute.is_relative_to(here)
        files.append(absolute.relative_to(here).as_posix() if inside else absolute.name)
    default = [file for file in files if file == "config/default.yaml"]
    others = [file for file in files if file != "config/default.yaml"]
    return {"files": default + others, "command_line": command_line_settings(workflow)}


# ------------------------------------------------------------------------------- planned later


def planned(
    root: Path | str,
    configfiles: Sequence[str | Path] = (),
    settings: Mapping | None = None,
) -> dict[str, dict[str, Any]]:
    """What Snakemake would run, with its reasons; no job is run.

    The Snakefile is code, and so is all that it includes or imports: it runs in a process of its
    own, which imports nothing else from the folder.

    Returns: each job up to the manifest by its id, as `described`, and `why`: reasons that are its
        own, by kind, none where the job is up to date; `after`: ids of jobs that run before it and
        make it run; `runs`: whether it would run; of a job that makes tables or judges
        claims `asks`: its `input`, `output` and `params` by their names.
    """
    request = {"files": list(map(str, configfiles)), "settings": dict(settings or {})}
    done = _asked(json.dumps(request), root)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise ConfigError(
            f"Snakemake cannot plan this project: {plain(lines[-1]) if lines else 'no message'}",
            remedy="call `snakemake --dry-run` there, which tells more",
        )
    return _answer(done.stdout)


def planned_again(root: Path | str, manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """As `planned`, with the settings that a manifest has, whatever their files say now."""
    import yaml

    with TemporaryDirectory(prefix="hedgerow-plan-") as folder:
        settings = Path(folder) / "recorded.yaml"
        write_text(settings, yaml.safe_dump(manifest["configuration"]))
        return planned(root, [settings])


def _answer(text: str) -> dict[str, dict[str, Any]]:
    """The plan that a process printed last. Its Snakefile may have printed what it likes."""
    try:
        plan = json.loads((text.splitlines() or [""])[-1])
        fine = all(isinstance(job[k], t) for job in plan.values() for k, t in JOB_FIELDS.items())
        fine = fine and all({"code", "settings"} <= job.keys() for job in plan.values())
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        fine = False
    if not fine:
        raise ConfigError(
            "the workflow of this project answers with something else than a plan",
            remedy="call `snakemake --dry-run` there, which tells more",
        )
    return plan


def _asked(request: str, root: Path | str) -> subprocess.CompletedProcess:
    """The answer of a process of its own: Snakemake changes the logging of the one it is in.

    It starts in an empty folder and goes to that of the project when all is imported.
    """
    with TemporaryDirectory(prefix="hedgerow-plan-") as empty:
        return run_python(_command(request, Path(root).resolve()), empty)


def _command(request: str, folder: Path) -> list[str]:
    return ["-m", "hedgerow_study.workflow.planning.graph", request, str(folder)]


def _plan(files: Iterable[str], settings: Mapping) -> dict[str, dict[str, Any]]:
    """The body of the process that `planned` starts, in the folder of the project."""
    options = read_yaml(PROFILE) if PROFILE.is_file() else None
    plan = {}
    with planned_workflow(files, settings, options) as workflow:
        jobs = list(reasons_of_jobs(workflow))
        described_jobs = {job: described(job) for job, _, _ in jobs}
        ids = {job: next(iter(one)) for job, one in described_jobs.items()}
        for job, before, reason in jobs:
            updated = set(map(str, reason.updated_input_run)) if reason else set()
            plan[ids[job]] = {
                **described_jobs[job][ids[job]],
                "runs": reason is not None,
                "after": sorted(
                    ids[j] for j, files in before.items() if j in ids and updated & files
                ),
                "why": _reasons(reason, job, workflow) if reason else {},
            }
            call = str(job.params.get("call", ""))
            tables = any(path.startswith("reports/tables/") for path in map(str, job.output))
            if tables or call.endswith(CLAIMS):
                plan[ids[job]]["asks"] = {
                    part: {name: _plain(value) for name, value in getattr(job, part).items()}
                    for part in ("input", "output", "params")
                }
    return dict(sorted(plan.items()))


def _plain(value: Any) -> Any:
    """Paths and settings of Snakemake's as JSON has them."""
    return json.loads(json.dumps(value, default=str))


def _reasons(reason: Any, job: Any, workflow: Any) -> dict[str, Any]:
    """Reasons of a job that are its own; those of jobs before it are theirs."""
    updated = set(map(str, reason.updated_input_run))
    reasons: dict[str, Any] = {
        "missing": sorted(map(str, reason.missing_output)),
        "incomplete": sorted(map(str, job.output)) if reason.forced else [],
        "data": sorted(set(map(str, reason.updated_input)) - updated),
    }
    if reason.params_changed:
        now = set(reason.params_changed.only_new)
        # The table that a data file gives, what captions tell of local data, and the bytes of the
        # script are parameters as well.
        read = sorted(str(file) for file in job.input if str(file).endswith(".data"))
        parameters = {
            "table": ("data", read),
            "local_data": ("data", ["config/local_data.yaml"]),
            "script": ("script", True),
        }
        for name, (kind, what) in parameters.items():
            if (written := repr(job.params.get(name))) in now:
                now.discard(written)
                reasons[kind] = what
        if now:
            reasons["params"] = {
                "before": sorted(reason.params_changed.only_old),
                "now": sorted(now),
            }
    if reason.input_changed:
        reasons["inputs"] = sorted(recorded_inputs(workflow, job) ^ set(map(str, job.input)))
    reasons["environment"] = bool(reason.software_stack_changed)
    return {kind: what for kind, what in reasons.items() if what}


def main(request: str, folder: str = ".") -> None:
    """Answer `planned`, in a process of its own: print the plan in one line."""
    import snakemake.api  # noqa: F401  before the folder of somebody else is the current one

    asked = json.loads(request)
    os.chdir(folder)
    print(json.dumps(_plan(asked["files"], asked["settings"])), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
