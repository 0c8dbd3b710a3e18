"""What is out of date and why, in words: what Snakemake would run, and which changes make it so."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError, InputError
from hedgerow_study.audit.checkout import is_own_checkout
from hedgerow_study.audit.verify import (
    DEFAULT,
    changed_packages,
    diff_settings,
    settings_files,
    settings_now,
)
from hedgerow_study.reporting.checkout import is_workflow
from hedgerow_study.workflow.planning.changed_outputs import Changed, changed_outputs
from hedgerow_study.workflow.planning.graph import ORDER, experiment_of, planned
from hedgerow_study.workflow.references.recorded import recorded

#: Kinds of reasons, in the order in which a job that has several is counted, with their words.
KINDS = {
    "data": "data changed",
    "configuration": "settings changed",
    "code": "code changed",
    "environment": "the software environment changed",
    "altered": "files are not as the run left them",
    "stopped": "a run was stopped while it made them",
    "missing": "files are missing",
    "other": "Snakemake says so",
}
#: Cause of what tells the state of the checkout: pages, crate.
CHECKOUT = "files that are not as in the commit"
#: Causes that a line names.
MOST = 3
_DIGEST = re.compile(r"'[0-9a-f]{64}'")


@dataclass(frozen=True)
class Stale:
    """Results of one experiment that are out of date for one kind of reason.

    Attributes
    ----------
    experiment : str
        Its word; `data` for fetching and tidying, `report` for what is made of all experiments.
    kind : str
        One of `KINDS`.
    jobs : list of str
        Ids of what would run.
    causes : list of str
        What changed, or where.
    """

    experiment: str
    kind: str
    jobs: list[str]
    causes: list[str]

    def line(self) -> str:
        """One sentence."""
        n = len(self.jobs)
        more = [f"{len(self.causes) - MOST} more"] if len(self.causes) > MOST else []
        named = ", ".join([*self.causes[:MOST], *more]) or "`snakemake --dry-run` tells more"
        are = "1 job is" if n == 1 else f"{n} jobs are"
        return f"{self.experiment}: {are} out of date, {KINDS[self.kind]}: {named}"


@dataclass
class Status:
    """What is out of date.

    Attributes
    ----------
    files : list of str
        The settings that were asked for.
    stale : list of Stale
    n_jobs : int
        Of the whole run.
    packages : list of str
        Versions that are not those of the last run, a sentence each.
    nothing_yet : bool
        Whether no run has ended here.
    absent : list of str
        Data sets that no source had in the last run.
    """

    files: list[str]
    n_jobs: int
    stale: list[Stale] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    nothing_yet: bool = False
    absent: list[str] = field(default_factory=list)

    @property
    def up_to_date(self) -> bool:
        """Whether nothing is out of date."""
        return not self.stale and not self.packages

    def lines(self) -> list[str]:
        """What to tell the user, a line for each experiment and kind of reason."""
        settings = " and ".join(self.files)
        if self.nothing_yet and self.stale:
            n = len({job for one in self.stale for job in one.jobs})
            return [f"No run has ended here yet: {n} of {self.n_jobs} jobs are to do ({settings})."]
        lines = [one.line() for one in self.stale]
        if self.packages:
            listed = " ".join([*self.packages[:MOST], *["..."][: len(self.packages) > MOST]])
            lines.append(
                f"all: made with {len(self.packages)} other package versions, the software "
                f"environment changed: {listed} Snakemake reruns nothing for it; "
                "`snakemake --forceall` does."
            )
        if self.stale:
            n = len({job for one in self.stale for job in one.jobs})
            lines.append(f"{n} of {self.n_jobs} jobs need to be rerun ({settings}).")
        elif not self.packages:
            lines.append(f"All {self.n_jobs} jobs are up to date ({settings}).")
        if self.absent:
            lines.append(
                f"Absent: {', '.join(self.absent)}; `make reproduce RETRY_ABSENT=1` asks again."
            )
        return lines


def status(
    root: Path | str = ".", configfiles: Sequence[str] | None = None, trust: bool = False
) -> Status:
    """Ask Snakemake what it would run, and say why.

    root: Nothing in it is written.
    """
    root = Path(root)
    if not (root / DEFAULT).is_file():
        raise DataError(
            f"{root} is no hedgerow project: it has no {DEFAULT}",
            remedy="name the folder that holds the Snakefile",
        )
    if not trust and not is_own_checkout(root):
        raise InputError(
            f"`hedgerow status` runs code of {root}, which is not the checkout that hedgerow runs "
            "from",
            remedy="read its Snakefile and workflow/, then give --trust",
        )
    manifest = recorded(root).manifest or {}
    given = manifest.get("given", {}) if configfiles is None else {}
    if configfiles is not None:
        given = {"files": [str(Path(file).resolve()) for file in configfiles]}
    files = settings_files(given)
    now = settings_now(root, files, given)
    plan = planned(root, files[1:], given.get("command_line"))
    changed = [name for name, *_ in diff_settings(manifest.get("configuration", now), now)]
    causes = _causes(plan, root, changed)
    return Status(
        files=[DEFAULT, *(configfiles or files[1:])],
        n_jobs=len(plan),
        stale=_grouped(plan, causes),
        packages=changed_packages(manifest) if "packages" in manifest else [],
        nothing_yet=not manifest,
        absent=manifest.get("absent", []),
    )


def _causes(
    plan: Mapping[str, Mapping], root: Path, changed: Sequence[str]
) -> dict[str, set[tuple[str, str]]]:
    """Causes, pairs of kind and words, by the id of each job that would run."""
    files = changed_outputs(root)
    job_outputs = {path for job in plan.values() for path in job["outputs"]}
    causes = {
        id: _own_causes(job, changed, files, job_outputs) for id, job in plan.items() if job["runs"]
    }
    before = {id: list(job["after"]) for id, job in plan.items() if job["runs"]}
    return {id: _all_causes(id, causes, before) for id in causes}


def _read(path: str) -> tuple[str, str]:
    """Cause of a file that was read and has changed."""
    return ("code" if is_workflow(path) else "data"), path


def _all_causes(id: str, causes: Mapping, before: Mapping) -> set[tuple[str, str]]:
    """Causes of a job and of all jobs that make it run."""
    pending, collected, done = [id], set(), set()
    while pending:
        one = pending.pop()
        if one in done:
            continue
        done.add(one)
        collected |= causes.get(one, set())
        pending += before.get(one, ())
    return collected


def _own_causes(
    job: Mapping, changed: Sequence[str], files: Changed, job_outputs: Set[str]
) -> set[tuple[str, str]]:
    """Causes that are a job's own; of inputs that another job makes, they are that job's."""
    why, outputs = job["why"], set(job["outputs"])
    causes = {_read(path) for path in why.get("data", ())}
    causes |= {("missing", path) for path in why.get("missing", ())}
    if "incomplete" in why:
        causes |= {("altered", path) for path in outputs & files.outputs}
        inputs = {path for output in outputs & files.inputs.keys() for path in files.inputs[output]}
        causes |= {_read(path) for path in inputs - job_outputs}
        causes |= {("missing", path) for path in inputs & outputs}
        if not outputs & files.stale:
            causes |= {("stopped", path) for path in why["incomplete"]}
    if "script" in why:
        causes.add(("code", f"the script of {job['rule']}"))
    if "environment" in why:
        causes.add(("environment", "environment.yml"))
    if "params" in why:
        causes |= _parameter_causes(job, changed, **why["params"])
    if "inputs" in why and not causes:
        causes |= {("configuration", f"{job['rule']} reads other files")}
    return causes


def _parameter_causes(
    job: Mapping, changed: Sequence[str], before: Sequence[str], now: Sequence[str]
) -> set[tuple[str, str]]:
    """Causes from parameters that are not what they were, as Snakemake writes them down."""
    causes = set()
    if repr(job["code"]) in now:
        causes.add(("code", job["rule"]))
    digests = [text for text in now if _DIGEST.fullmatch(text) and text != repr(job["code"])]
    if digests and job["rule"] in ("fetch", "tidy"):
        causes.add(("data", "an entry of the registry"))
    if digests and job["rule"] == "crate":
        causes.add(("code", CHECKOUT))
    mappings = [[_mapping(text) for text in texts] for texts in (before, now)]
    then, today = ([one for one in some if one is not None] for some in mappings)
    for mine in today:
        if job["rule"] == "report" and "said" in mine:
            causes.add(("code", CHECKOUT))
            continue
        # The keys that they share identify the mapping.
        theirs = max(then, key=lambda one: len(one.keys() & mine.keys()), default={})
        for name, was, value in diff_settings(theirs, mine):
            causes.add(
                (
                    "configuration",
                    f"{_full_name(name, changed)} is {_short(value)}, was {_short(was)}",
                )
            )
    others = [t for t in now if not _DIGEST.fullmatch(t) and _mapping(t) is None]
    if others and not causes:
        causes.add(("configuration", f"{job['rule']} has other parameters"))
    return causes


def _full_name(name: str, changed: Sequence[str]) -> str:
    """The full name of a setting, where only one of that name has changed since the last run."""
    plain = name.strip("`")
    matches = [full for full in changed if full.strip("`").split(".")[1:] == plain.split(".")]
    return matches[0] if len(matches) == 1 else name


def _mapping(text: str) -> dict | None:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, dict) else None


def _short(value: Any, most: int = 40) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = "not there" if type(value) is object else text
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _grouped(plan: Mapping[str, Mapping], causes: Mapping[str, set]) -> list[Stale]:
    """Jobs by experiment and kind of reason, in the order of the report."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for id, job_causes in causes.items():
        kinds = [kind for kind in KINDS if any(kind == one for one, _ in job_causes)] or ["other"]
        groups[experiment_of(plan[id]["rule"]), kinds[0]].append(id)
    return [
        Stale(word, kind, sorted(ids), _words(kind, ids, causes))
        for (word, kind), ids in sorted(
            groups.items(),
            key=lambda item: (ORDER.index(item[0][0]), list(KINDS).index(item[0][1])),
        )
    ]


def _words(kind: str, ids: Iterable[str], causes: Mapping[str, set]) -> list[str]:
    return sorted({words for id in ids for one, words in causes[id] if one == kind})
