"""Reruns jobs and compares their outputs: cheap jobs, drawn jobs and named jobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow_study.audit.commit_check import names
from hedgerow_study.audit.findings import CLOSE, DIFFERS, IDENTICAL, Check, File, Findings
from hedgerow_study.audit.rerun import (
    chance,
    cheap_jobs,
    dataset_job_ids,
    draw_jobs,
    is_time,
    jobs_named,
    rerun_in_copy,
    rerunnable,
    with_parents,
)
from hedgerow_study.audit.tables import difference, is_table
from hedgerow_study.reporting.manifest import checksum

#: Number of altered jobs for which the chance of a sample is reported, next to a single one.
SEVERAL_ALTERED = 10


def parse_rerun(rerun: int | str | Sequence[int | str]) -> tuple[int, list[str]]:
    """How many jobs are to be drawn, and the names of others."""
    every = list(rerun) if isinstance(rerun, list | tuple) else [rerun]
    asked = [one for one in every if isinstance(one, str) and not one.isdecimal()]
    return sum(
        int(one) if isinstance(one, str) else one for one in every if one not in asked
    ), asked


def check_by_rerun(
    root: Path,
    checkout: Path,
    manifest: Mapping[str, Any],
    findings: Findings,
    rerun: int | str | Sequence[int | str],
    seed: int,
    with_cheap: bool,
    cores: int,
    tolerance: float,
    tell: Callable[..., None],
) -> None:
    """Rerun jobs in copies, and write the results into the findings.

    checkout: whose workflow makes them.
    """
    n_drawn, asked = parse_rerun(rerun)
    chosen = list(dict.fromkeys(id for name in asked for id in jobs_named(manifest, name)))
    verdicts, n_jobs = {file.path: file for file in findings.files}, len(rerunnable(manifest))

    def rerun_and_compare(
        check: str, task: str, ids: list[str], summary: list[str], chained: bool = True
    ) -> None:
        tell(task, 0, len(ids))
        rerun_jobs = rerun_in_copy(root, checkout, manifest, ids, cores, chained=chained)
        failed = _compare(root, manifest, rerun_jobs, verdicts, tolerance, tell)
        findings.checks.append(Check(check, not failed, failed or summary))

    if with_cheap:
        dataset_jobs = dataset_job_ids(manifest)
        rows = "read from the raw files: rows and types are those of the registry"
        summary = [f"{len(dataset_jobs)}, {rows}."]
        rerun_and_compare("data sets", "data sets are read again", dataset_jobs, summary)
        report_jobs, left_out = _with_recorded_inputs(manifest, cheap_jobs(manifest), verdicts)
        findings.cheap = [*dataset_jobs, *report_jobs]
        summary = [f"{len(report_jobs)} of {n_jobs} jobs: tables, figures, verdicts, pages."]
        if left_out:
            summary.append(
                f"Not rerun, because their inputs are not as recorded: {names(left_out)}."
            )
        rerun_and_compare("cheap jobs", "rerunning cheap jobs", report_jobs, summary)
    sample = draw_jobs(manifest, n_drawn, seed, {*findings.cheap, *chosen}) if n_drawn else []
    every: list[str] = []
    if n_drawn:
        findings.seed = seed
    findings.rerun_jobs = [*chosen, *sample]
    if chosen:
        rerun_and_compare(
            "rerun", "rerunning jobs", chosen, [f"{names(chosen)}, as asked for."], False
        )
    if sample:
        every = sorted({*with_parents(manifest, sample)} & {*rerunnable(manifest)})
        n_open = len(set(rerunnable(manifest)) - {*findings.cheap, *chosen})
        summary = _sample_summary(len(sample), len(every), n_open, seed)
        rerun_and_compare("drawn jobs", "rerunning drawn jobs from raw files", every, summary)
    rest = n_jobs - len({*findings.cheap, *chosen, *every})
    if rest:
        summary = [
            f"{rest} of {n_jobs} jobs: their rows are as recorded. --rerun N makes some of them."
        ]
        findings.checks.append(Check("jobs not rerun", None, summary))
    findings.files = list(verdicts.values())


def _sample_summary(n: int, n_rerun: int, n_jobs: int, seed: int) -> list[str]:
    """What a sample can find."""
    message = f"{n} of {n_jobs} jobs, drawn with seed {seed} and made with all that they come from "
    message += f"({n_rerun} in all), find one altered output with a chance of"
    some = min(SEVERAL_ALTERED, n_jobs)
    return [
        f"{message} {100 * chance(n_jobs, n):.1f} % or more, one of {some} with "
        f"{100 * chance(n_jobs, n, some):.1f} % or more."
    ]


def _with_recorded_inputs(
    manifest: Mapping[str, Any], ids: Iterable[str], verdicts: Mapping[str, File]
) -> tuple[list[str], list[str]]:
    """Jobs whose inputs are as recorded, and those that read something else, however far up.

    What comes from an altered file differs, and says nothing that the file does not say itself.
    """
    jobs, left_out = manifest["jobs"], set()
    ids = list(ids)
    bad = {path for path, file in verdicts.items() if file.verdict != IDENTICAL}
    while True:
        more = {id for id in ids if id not in left_out and bad & set(jobs[id]["inputs"])}
        if not more:
            return [id for id in ids if id not in left_out], sorted(left_out)
        left_out |= more
        bad |= {path for id in more for path in jobs[id]["outputs"]}


def _compare(
    root: Path,
    manifest: Mapping[str, Any],
    rerun_jobs: Iterable[tuple[str, Path, str | None]],
    verdicts: dict[str, File],
    tolerance: float,
    tell: Callable[..., None],
) -> list[str]:
    """Change the verdicts of files that come out with other bytes; give what failed."""
    recorded_of = {**manifest["outputs"], **manifest["between"]}
    failed = []
    for id, folder, failure in rerun_jobs:
        tell(id, 1)
        if failure:
            failed.append(f"{id}: {failure}.")
            continue
        for path in manifest["jobs"][id]["outputs"]:
            before = verdicts.get(path)
            if is_time(path) or before is None or checksum(folder / path) == recorded_of.get(path):
                continue
            verdict, why = compare_files(root / path, folder / path, tolerance)
            read = [verdicts[p] for p in manifest["jobs"][id]["inputs"] if p in verdicts]
            why += "".join(
                f" (from {f.path}, which {f.verdict})" for f in read if f.verdict == DIFFERS
            )
            # A file that is altered in place keeps that verdict.
            if before.verdict == IDENTICAL:
                verdicts[path] = File(path, verdict, before.kind, why)
    return failed


def compare_files(here: Path, rerun: Path, tolerance: float) -> tuple[str, str]:
    """Verdict of a file that came out with other bytes."""
    if not is_table(here) or not here.is_file():
        return DIFFERS, "the rerun gave other bytes"
    largest = difference(here, rerun)
    if largest <= tolerance:
        return CLOSE, f"in the rerun its numbers differ by {largest:.1e} at most, relatively"
    if largest == math.inf:
        return DIFFERS, "in the rerun it differs in more than numbers"
    return DIFFERS, f"in the rerun its numbers differ by up to {largest:.1e}, relatively"
