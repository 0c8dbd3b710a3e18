"""Reruns jobs in a copy of the project that holds their inputs and nothing else."""

from __future__ import annotations

import math
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.errors import InputError
from hedgerow.files import write_text
from hedgerow.texts import did_you_mean
from hedgerow_study.reporting.checkout import REACHED
from hedgerow_study.reporting.manifest import TIMES
from hedgerow_study.workflow.running.isolated import copy, copy_workflow, run_copy

#: The bytes of a download are compared with the registry's checksum; it needs a network.
NOT_RERUN = {"fetch"}
#: What jobs read of a checkout; all else a run has fetched or made.
TRACKED = tuple(f"{part}/" for part in (*REACHED, "docs"))
#: What a job leaves beside its results for those that show them.
SHOWN = {"claims.parquet", "section.json"}


_PAGE = re.compile("reports/html/.+/")


def draw_jobs(
    manifest: Mapping[str, Any], n: int, seed: int, without: Iterable[str] = ()
) -> list[str]:
    """Ids of `n` jobs of a manifest, or of all, if there are fewer; downloads are left out.

    So are those `without` which the draw is to be: they are rerun in any case.
    """
    jobs = sorted(set(rerunnable(manifest)) - set(without))
    return sorted(random.Random(seed).sample(jobs, min(n, len(jobs))))


def rerunnable(manifest: Mapping[str, Any]) -> list[str]:
    """Ids of all jobs that can be rerun."""
    return sorted(id for id, job in manifest["jobs"].items() if job["rule"] not in NOT_RERUN)


def jobs_named(manifest: Mapping[str, Any], name: str) -> list[str]:
    """Ids of the jobs that a name means: of a rule, of a job, or of a file that one makes."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    path = name.removeprefix("./")
    ids = [id for id, job in jobs.items() if name in (id, job["rule"])]
    if not ids and path in made_by:
        ids = [made_by[path]]
    if not ids:
        names = [*jobs, *sorted({job["rule"] for job in jobs.values()}), *made_by]
        raise InputError(
            f"--rerun: the run has no rule, job or file called {name!r}",
            remedy=did_you_mean(
                name, names, "give a number, or a name from `jobs` in reports/manifest.json", most=3
            ),
        )
    downloads = [id for id in ids if jobs[id]["rule"] in NOT_RERUN]
    if downloads:
        raise InputError(
            f"--rerun: {downloads[0]} is a download, which is not rerun",
            remedy="the registry's checksums hold its bytes: `hedgerow data check`",
        )
    return sorted(ids)


def cheap_jobs(manifest: Mapping[str, Any]) -> list[str]:
    """Ids of the jobs that only show what others have computed: tables, figures, claims, pages.

    A job is one if all that it makes lies in `reports`, or is the verdicts or the page of an
    experiment. Its cost is not taken from its record: no manifest lists the record, and somebody
    who edits it could have a job left out.
    """

    def shows(path: str) -> bool:
        return path.startswith("reports/") or Path(path).name in SHOWN

    jobs = manifest["jobs"]
    return [id for id in rerunnable(manifest) if all(map(shows, jobs[id]["outputs"]))]


def dataset_job_ids(manifest: Mapping[str, Any]) -> list[str]:
    """Ids of the jobs that read raw files and compare their rows with the registry's."""
    return [id for id in rerunnable(manifest) if manifest["jobs"][id]["rule"] == "tidy"]


def chance(n_jobs: int, n_drawn: int, n_altered: int = 1) -> float:
    """Chance that a draw without return holds one of some altered jobs at least.

    >>> chance(444, 5)
    0.0112...
    """
    if n_altered > n_jobs:
        raise ValueError("more jobs are altered than there are")
    missed = math.comb(n_jobs - n_altered, n_drawn) / math.comb(n_jobs, n_drawn)
    return 1 - missed


def with_parents(manifest: Mapping[str, Any], ids: Iterable[str]) -> list[str]:
    """Jobs, and all that they come from, downloads among them."""
    jobs, made_by, collected = manifest["jobs"], manifest["made_by"], {}
    pending = list(ids)
    while pending:
        id = pending.pop()
        if id not in collected:
            collected[id] = None
            pending += [made_by[path] for path in jobs[id]["inputs"] if path in made_by]
    return sorted(collected)


def rerun_in_copy(
    root: Path,
    checkout: Path,
    manifest: Mapping[str, Any],
    ids: Sequence[str],
    cores: int = 1,
    chained: bool = False,
) -> Iterator[tuple[str, Path, str | None]]:
    """Rerun jobs in copies that hold their inputs, and know no job that makes these.

    checkout: whose workflow, settings and published figures they get; from the root what a run
    made.

    id: of a job.
    folder: with what it made; removed when the next one is asked for.
    failure: why it could not be rerun.
    """
    import yaml

    jobs = manifest["jobs"]
    configuration = yaml.safe_dump(dict(manifest["configuration"]))
    for group in [list(ids)] if chained else independent_groups(manifest, ids):
        rerun_paths = {path for id in group for path in jobs[id]["outputs"]} if chained else set()
        with tempfile.TemporaryDirectory(prefix="hedgerow-verify-") as name:
            folder, failures = Path(name) / "project", {}
            copy_workflow(checkout, folder)
            write_text(folder / "config/redone.yaml", configuration)
            for id in group:
                missing = _copy_inputs(root, checkout, folder, manifest["jobs"][id], rerun_paths)
                if missing:
                    failures[id] = f"{missing[0]}, which its job reads, is missing"
            ready = [id for id in group if id not in failures]
            errors = _run(folder, manifest, ready, cores) if ready else {}
            for id in group:
                if id not in failures and not all(_exists(folder / p) for p in jobs[id]["outputs"]):
                    failures[id] = errors.get(jobs[id]["rule"]) or errors.get("", "it did not run")
                yield id, folder, failures.get(id)


def _exists(file: Path) -> bool:
    """Whether a job has made a file; a link could lead to one of the reader's own."""
    return file.is_file() and not file.is_symlink()


def independent_groups(manifest: Mapping[str, Any], ids: Sequence[str]) -> list[list[str]]:
    """Cut jobs into few groups in which nothing comes from another one, however far.

    Planning takes seconds whatever is planned, so that a run for each rule would take minutes. And
    a rule that names the output of another one (`rules.<name>.output`) has Snakemake look at that
    one too: Snakemake would rerun it as well, after what it comes from.
    """
    jobs = manifest["jobs"]
    above = _ancestor_rules(manifest)
    groups: list[dict[str, list[str]]] = []
    for id in ids:
        rule = jobs[id]["rule"]
        for group in groups:
            if rule in group or not any(
                rule in above[other] or other in above[rule] for other in group
            ):
                group.setdefault(rule, []).append(id)
                break
        else:
            groups.append({rule: [id]})
    return [[id for members in group.values() for id in members] for group in groups]


def _ancestor_rules(manifest: Mapping[str, Any]) -> dict[str, set[str]]:
    """All rules that the files of a rule come from."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    next_above: dict[str, set[str]] = {job["rule"]: set() for job in jobs.values()}
    for job in jobs.values():
        makers = {jobs[made_by[path]]["rule"] for path in job["inputs"] if path in made_by}
        next_above[job["rule"]] |= makers - {job["rule"]}
    ancestors = {}
    for rule in next_above:
        pending, ancestors[rule] = list(next_above[rule]), set()
        while pending:
            one = pending.pop()
            if one not in ancestors[rule]:
                ancestors[rule].add(one)
                pending += next_above[one]
    return ancestors


def _copy_inputs(
    root: Path, checkout: Path, folder: Path, job: Mapping, rerun_paths: set[str]
) -> list[str]:
    """Copy the inputs of a job that no other job reruns; give those that are missing."""
    inputs = [path for path in job["inputs"] if path not in rerun_paths]
    for path in inputs:
        if not (folder / path).is_file():
            copy((checkout if path.startswith(TRACKED) else root) / path, folder / path)
    return [path for path in inputs if not (folder / path).is_file()]


def _run(folder: Path, manifest: Mapping, ids: Sequence[str], cores: int) -> dict[str, str]:
    """Run jobs; of other rules this run knows nothing.

    Gives what a rule says on failing, and under an empty name what Snakemake does.
    """
    rules = sorted({manifest["jobs"][id]["rule"] for id in ids})
    written = [path for id in ids for path in manifest["jobs"][id]["outputs"]]
    # Pages in folders of the site are no outputs of Snakemake's; their job writes them as well.
    outputs = [path for path in written if not _PAGE.match(path)]
    command = [f"--cores={cores}", "--keep-going"]
    command += ["--configfile", "config/redone.yaml", "--allowed-rules", *rules]
    done = run_copy(folder, manifest["code"], command, outputs)
    if not done.returncode:
        return {}
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    errors = {
        rule: line for line in reversed(lines) for rule in rules if line.startswith(f"{rule}: ")
    }
    return {"": lines[-1] if lines else "Snakemake failed", **errors}


def is_time(path: str) -> bool:
    """Whether a file holds running times, which differ from run to run."""
    return path.startswith(TIMES)
