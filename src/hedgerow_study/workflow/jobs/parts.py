"""What a part of an experiment is: all that is made of one data set before data sets meet.

The graph of the workflow says it, so that no experiment lists anything: the jobs that bear the name
of a data set make a part, and those of their files that other jobs read are kept of it. An
experiment on one data set is cut by what its jobs are cut by, such as repeats. Analyses of an
experiment (`hedgerow_study.workflow.jobs.analytic_choices`) are cut with it: a part holds its rows
and theirs.

A part is a compressed archive of those files, as the workflow wrote them and at their places below
the project, and a manifest.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow_study.workflow.jobs.digest import PACKAGE
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.jobs.steps import code_of

#: An archive of more bytes than this is no part, nor one that needs more memory to be read.
LARGEST = 2**28
SUFFIX = ".tar.xz"
#: Rules of analyses, and the functions that they run, which belong to no experiment.
ENGINE = {
    "analytic_choices_run": "workflow.jobs.analytic_choices:run",
    "analytic_choices_judge": "workflow.jobs.analytic_choices:judge",
}


@dataclass(frozen=True)
class Part:
    """A part, as the workflow plans it."""

    name: str  # the data set, or it and what its jobs are cut by
    dataset: str
    files: tuple[str, ...]  # that are kept, by their places below the project
    jobs: tuple[str, ...]  # ids of all that make them from the table of the data set
    calls: tuple[str, ...]  # the functions of these jobs, `soft.steps:learn`


@dataclass(frozen=True)
class Cut:
    """An experiment, cut into what is made of data sets and what is made of all parts."""

    parts: Mapping[str, Part]
    rules: tuple[str, ...]  # that make tables, figures and verdicts of the parts
    calls: tuple[str, ...]  # their functions


def calls_of_rules(root: Path) -> dict[str, str]:
    """The function that each rule of an experiment names."""
    return {name: rule.call for name, rule in rules_of(root).items() if rule.call}


def cut(
    plan: Mapping[str, Mapping[str, Any]], calls: Mapping[str, str], experiment: str, of: str = ""
) -> Cut:
    """Cut an experiment where its data sets meet."""
    calls = {**calls, **ENGINE} if of else calls
    maker = {path: id for id, job in plan.items() for path in job["outputs"]}
    functions = {id: calls[job["rule"]] for id, job in plan.items() if job["rule"] in calls}
    words = {experiment, of, _word(ENGINE["analytic_choices_run"])} if of else {experiment}
    mine = {id for id, call in functions.items() if _word(call) in words}
    datasets = {_wildcards(id)[0] for id in mine if _wildcards(id)}
    cuts = not of and len(datasets) == 1 and any(len(_wildcards(id)) > 1 for id in mine)
    needed = 2 if cuts else 1
    within = {id for id in functions if len(_wildcards(id)) >= needed}
    # Its wildcard is an experiment, all of whose data sets it reads.
    within -= {id for id in within if functions[id] == ENGINE["analytic_choices_judge"]}
    meets = [id for id in mine - within if not functions[id].endswith(".page:section")]
    read: dict[str, set[str]] = {}
    # All that analyses are shown with stands in what is judged.
    for id in (id for id in meets if not of or functions[id] == ENGINE["analytic_choices_judge"]):
        for path in plan[id]["inputs"]:
            if maker.get(path) in within:
                wildcards = _wildcards(maker[path])
                name = wildcards[0] if needed == 1 else "_".join(wildcards)
                read.setdefault(name, set()).add(path)
    parts = {}
    for name, files in sorted(read.items()):
        jobs = _above(plan, maker, files, functions)
        parts[name] = Part(
            name,
            _wildcards(jobs[0])[0],
            tuple(sorted(files)),
            tuple(jobs),
            tuple(sorted({functions[id] for id in jobs})),
        )
    rules = sorted({plan[id]["rule"] for id in meets})
    return Cut(parts, tuple(rules), tuple(sorted({functions[id] for id in meets})))


def _word(call: str) -> str:
    """The folder of a function: the word of its experiment."""
    return call.partition(".")[0]


def _wildcards(id: str) -> list[str]:
    """What follows the rule in the id of a job: the data set first."""
    return [word for word in id.partition(":")[2].split(",") if word]


def _above(
    plan: Mapping[str, Mapping[str, Any]],
    maker: Mapping[str, str],
    files: Iterable[str],
    functions: Mapping[str, str],
) -> list[str]:
    """Ids of all jobs that files come from; those that read and type a data set are none."""
    pending, ids = list(files), set()
    while pending:
        id = maker.get(pending.pop())
        if id in functions and id not in ids:
            ids.add(id)
            pending += plan[id]["inputs"]
    return sorted(ids)


def digests(calls: Iterable[str], package: Path = PACKAGE) -> dict[str, str]:
    """Digest of the code that each function reaches, as its jobs carry it."""
    return {call: code_of(call, package) for call in sorted(calls)}


# ------------------------------------------------------------------------------- the archive


def packed(root: Path, files: Iterable[str]) -> bytes:
    """Files below a folder as an archive; the same bytes for the same files."""
    return archive_of({path: (root / path).read_bytes() for path in files})


def archive_of(contents: Mapping[str, bytes], preset: int = 9) -> bytes:
    """Contents by path as an archive; the same bytes for the same contents.

    `preset` is that of xz: 2 takes a fifth of the time of 6 for a sixth more bytes.
    """
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(contents.items()):
            about = tarfile.TarInfo(path)
            about.size, about.mode = len(content), 0o644
            archive.addfile(about, io.BytesIO(content))
    return lzma.compress(out.getvalue(), preset=preset)


def unpacked(path: Path, wanted: Iterable[str]) -> dict[str, bytes]:
    """The files of an archive, which are those that its manifest names."""
    contents = contents_of(path)
    if set(contents) != set(wanted):
        odd = sorted(set(contents) ^ set(wanted))
        raise DataError(
            f"{path} and its manifest do not hold the same files: {odd[0]}", remedy="make it again"
        )
    return contents


def contents_of(path: Path) -> dict[str, bytes]:
    """The files of an archive, by path; nothing is written. See `unpacked` for errors."""
    contents = {}
    try:
        reader = lzma.LZMADecompressor(memlimit=LARGEST)
        content = reader.decompress(path.read_bytes(), max_length=LARGEST)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in archive:
                # The holes of a sparse file are zeros without end, in a few bytes.
                plain = member.isreg() and not member.issparse()
                file = archive.extractfile(member) if plain else None
                if file is None:
                    raise DataError(
                        f"{path} holds {member.name}, which is no file", remedy="make it again"
                    )
                contents[member.name] = file.read()
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise DataError(f"{path} cannot be read: {error}", remedy="make it again") from error
    return contents
