"""Jobs of an experiment made again under other settings, in one process: other analyses of a paper.

An analysis changes settings of one experiment (`hedgerow_study.reporting.analytic_choices`). What a
job reads of settings is declared at its function, so that it is known which jobs an analysis
touches: those whose settings it changes, and those that read what such a job makes. They are run
again, in a folder of their own; all else is read where the run has left it. So an analysis that
changes how trees are evaluated reads the trees that are there.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hedgerow.errors import ConfigError
from hedgerow.files import read_parquet, read_yaml, write_bytes, write_parquet, write_text
from hedgerow_study.experiments.plan import sections
from hedgerow_study.reporting.analytic_choices import (
    HERE,
    PREFIX,
    SOURCE,
    Alternative,
    Choices,
    Run,
    among,
    contains,
    left_out,
    pairs_of,
    products_of,
    read_choices,
    runs_needed,
    runs_of,
    set_beside,
    settings_of,
    singles_of,
)
from hedgerow_study.reporting.claim_specification import SOURCE as CLAIMS
from hedgerow_study.workflow.jobs.digest import digest_of
from hedgerow_study.workflow.jobs.frame import absence, job
from hedgerow_study.workflow.jobs.parts import ENGINE, packed, unpacked
from hedgerow_study.workflow.jobs.steps import declarations, perform, section_of
from hedgerow_study.workflow.running.snakemake_patches import maker_of_file

if TYPE_CHECKING:
    import pandas as pd

#: Printed cells beside measured ones.
COMPARISON = "reports/comparison.parquet"
#: What was run for the analyses of one data set.
RUNS = "data/results/analytic_choices/runs/{dataset}/{word}.tar.xz"


@dataclass(frozen=True)
class FunctionJob:
    """A job that runs a function of an experiment."""

    rule: str
    wildcards: Mapping[str, str]
    inputs: Mapping[str, Any]  # paths by the names of the rule's inputs, one or a list
    outputs: Mapping[str, str]  # those that have names
    paths: list[str]  # all outputs, in their order
    params: Mapping[str, Any]  # as `hedgerow_study.workflow.jobs.steps.step` gives them

    @property
    def read(self) -> list[str]:
        """Paths of all inputs."""
        inputs = self.inputs.values()
        return [p for paths in inputs for p in ([paths] if isinstance(paths, str) else paths)]


def upstream(workflow: Any, targets: Iterable[str]) -> list[FunctionJob]:
    """Jobs on the way to files, each after those that it reads from.

    Returns: without the jobs that fetch and tidy data: they know no settings of an experiment.
    """
    maker: dict[str, FunctionJob | None] = {}
    order: list[FunctionJob] = []

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


def maker_of(workflow: Any, path: str) -> FunctionJob | None:
    """The job that makes a file; None where no function of an experiment does."""
    maker = maker_of_file(workflow, path)
    if maker is None or "call" not in maker[-1]:
        return None
    rule, wildcards, inputs, outputs, params = maker
    return FunctionJob(
        rule,
        wildcards,
        {k: str(v) if isinstance(v, str) else list(map(str, v)) for k, v in inputs.items()},
        {k: str(v) for k, v in outputs.items()},
        list(map(str, outputs)),
        params,
    )


class _Named(dict):
    """Files or settings of a job, by name and in their order, as Snakemake gives them."""

    def __init__(self, named: Mapping[str, Any], listed: Sequence[str] = ()):
        super().__init__(named)
        self._listed = list(listed)

    def __iter__(self):
        return iter(self._listed)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def changed_params(job: FunctionJob, section: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The `params` of a job where settings of a section have other values.

    settings: What the job does not declare leaves it as it is.
    """
    call = job.params["call"]
    params = dict(job.params)
    places = {"plan"} if section_of(call.partition(".")[0]) == section else set()
    for declared in declarations(call):
        places |= {
            name for name, (plan_section, *_) in declared.plans.items() if plan_section == section
        }
    for place in places & set(params):
        before = params[place]
        params[place] = before | {k: v for k, v in settings.items() if k in before}
    return params


def rerun_jobs(
    jobs: Iterable[FunctionJob],
    section: str,
    settings: Mapping[str, Any],
    store: Path,
    given: Mapping[str, Path] | None = None,
    without: Iterable[str] = (),
) -> dict[str, Path]:
    """Run those of some jobs whose results settings change, but for what was made before.

    Returns: where all lies that came out otherwise, by its place below the project; without what
        was given.
    """
    files, replaced, without = dict(given or {}), {}, set(without)

    def place(path: str) -> str:
        return str(files.get(path, path))

    def placed(paths: str | Sequence[str]) -> str | list[str]:
        if isinstance(paths, str):
            return place(paths)
        return [place(path) for path in paths if path not in without]

    for one in jobs:
        params = changed_params(one, section, settings)
        if params == dict(one.params) and without.union(files).isdisjoint(one.read):
            continue
        inputs = {name: placed(paths) for name, paths in one.inputs.items()}
        of = json.dumps([one.rule, one.wildcards, params, inputs], sort_keys=True, default=str)
        folder = store / hashlib.sha256(of.encode()).hexdigest()[:32]
        outputs = {path: folder / path for path in one.paths}
        if not folder.is_dir():
            for path in outputs.values():
                path.parent.mkdir(parents=True, exist_ok=True)
            perform(
                SimpleNamespace(
                    rule=one.rule,
                    wildcards=SimpleNamespace(**one.wildcards),
                    input=_Named(inputs, placed(one.read)),
                    output=_Named(
                        {name: str(outputs[path]) for name, path in one.outputs.items()},
                        [str(path) for path in outputs.values()],
                    ),
                    params=_Named(params),
                )
            )
        # What comes out as it was touches nothing below it.
        changed = {path: file for path, file in outputs.items() if not _same(file, Path(path))}
        for path in outputs:
            files.pop(path, None)
        files |= changed
        replaced |= changed
    return replaced


def _same(file: Path, here: Path) -> bool:
    return here.is_file() and filecmp.cmp(file, here, shallow=False)


# ----------------------------------------------------------------------------- for the rules


class Read:
    """An experiment, as analyses need it: jobs of each data set, and those in which sets meet.

    singles: choices outside of all products are read too, alone and in pairs; that takes trees of
        their own.
    nearest: the numbers of analyses are set beside what is printed; that takes all tables.
    """

    def __init__(
        self,
        workflow,
        config,
        experiment: str,
        choices: Choices,
        singles: bool = False,
        nearest: bool = False,
    ):
        self.experiment = experiment
        self.datasets = list(config[experiment]["datasets"])
        self.repeats = int(config[experiment].get(choices.repeats, 0))
        self.choices = choices = among(choices, self.datasets, config[experiment])
        self.claims = f"data/results/{experiment}/claims.parquet"
        jobs = upstream(workflow, [self.claims])
        self.comparison = _comparison_jobs(workflow, experiment, jobs) if nearest else []
        self._within = [one for one in jobs if "dataset" in one.wildcards]
        self.meets = [one for one in jobs if "dataset" not in one.wildcards]
        self.analyses = products_of(choices)
        if singles:
            self.analyses += [*singles_of(choices), *pairs_of(choices)]
        self._is_compared = set_beside(self.analyses, choices) if nearest else []
        self._methods = config[experiment].get("methods", ())
        self._of_rows = {
            (name, other)
            for name, choice in choices.choices.items()
            for other, alternative in choice.otherwise.items()
            if self._changes_rows(name, other, alternative)
        }
        self.runs = runs_needed(self.analyses, choices, self._of_rows, self._methods)

    def _changes_rows(self, name: str, other: str, alternative: Alternative) -> bool:
        def touched(jobs: Iterable[FunctionJob]) -> bool:
            given = self.experiment, alternative.settings
            return any(changed_params(one, *given) != dict(one.params) for one in jobs)

        # All data sets have the same jobs.
        if touched(self.jobs(self.datasets[0])):
            return True
        if not (touched(self.meets) or alternative.without):
            raise ConfigError(
                f"{SOURCE}: `{self.experiment}.choices.{name}`: `{other}` changes nothing",
                remedy="name settings that are read before claims are judged",
            )
        return False

    def jobs(self, dataset: str) -> list[FunctionJob]:
        """Jobs of a data set, in an order in which they can run."""
        return [one for one in self._within if one.wildcards["dataset"] == dataset]

    def read(self, dataset: str) -> list[str]:
        """Files that these jobs read and make, but for running times."""
        jobs = self.jobs(dataset)
        paths = [path for one in jobs for path in (*one.read, *one.paths)]
        return [path for path in dict.fromkeys(paths) if not path.startswith("data/jobs/")]

    def kept(self, dataset: str) -> list[str]:
        """Files of a data set that are read where data sets meet."""
        outputs = {path for one in self.jobs(dataset) for path in one.paths}
        return sorted(outputs.intersection(self.judged_from))

    def settings(self, run: Run) -> dict[str, Any]:
        """Settings of a run: those of its alternatives, and its methods beside the baseline."""
        settings = settings_of(run.taken, self.choices)
        if run.methods and self._methods:
            baseline = sections()[self.experiment].settings()["methods"].contains
            wanted = {baseline, *run.methods}
            settings["methods"] = [method for method in self._methods if method in wanted]
        return settings

    def _number(self, run: Run) -> int:
        return next(n for n, other in enumerate(self.runs) if contains(other, run))

    def run_params(self, dataset: str) -> dict[str, Any]:
        """`params` of the job that runs what the analyses of a data set need."""
        jobs = self.jobs(dataset)
        return {
            "section": self.experiment,
            "jobs": [vars(one) for one in jobs],
            "kept": self.kept(dataset),
            "runs": [self.settings(run) for run in self.runs],
            "code": _code(jobs),
        }

    @property
    def judged_from(self) -> list[str]:
        """Files that the jobs in which data sets meet read."""
        meeting = [*self.meets, *self.comparison]
        paths = dict.fromkeys(path for one in meeting for path in one.read)
        return [*paths, *([COMPARISON] if self.comparison else ())]

    def judge_params(self, dataset: str | None = None) -> dict[str, Any]:
        """`params` of the job that judges the claims of each analysis, over all data sets."""
        return {
            "code": _code([*self.meets, *self.comparison]),
            "section": self.experiment,
            "judged": self.claims,
            "cells": COMPARISON if self.comparison else "",
            "comparison": [vars(one) for one in self.comparison],
            "choices": list(self.choices.choices),
            "repeats": self.repeats,
            "n_runs": len(self.runs),
            "jobs": [vars(one) for one in self.meets],
            "kept": {dataset: self.kept(dataset) for dataset in self.datasets},
            "analyses": [
                {
                    "id": choice.id,
                    "taken": dict(choice.taken),
                    "claims": list(choice.claims),
                    "comparison": bool(self.comparison) and self._is_compared[number],
                    "methods": list(choice.methods),
                    "settings": settings_of(choice.taken.items(), self.choices),
                    "without": left_out(choice, self.choices),
                    "runs": [
                        [self._number(run), list(run.methods)]
                        for run in runs_of(choice, self.choices, self._of_rows, self._methods)
                    ],
                }
                for number, choice in enumerate(self.analyses)
            ],
        }


def _comparison_jobs(
    workflow: Any, experiment: str, before: Sequence[FunctionJob]
) -> list[FunctionJob]:
    """Jobs that set numbers of an experiment beside what is printed, after those of its claims."""
    comparison = maker_of(workflow, COMPARISON)
    if comparison is None:
        raise LookupError(f"no rule makes {COMPARISON}; its file stands above that of the analyses")
    makers = {path: maker_of(workflow, path) for path in comparison.inputs["tables"]}
    call = f"{experiment}.tables"
    paths = [path for path, one in makers.items() if one is not None and one.params["call"] == call]
    if not paths:
        return []
    jobs = [one for one in upstream(workflow, paths) if one not in before]
    alone = replace(
        comparison,
        inputs={**comparison.inputs, "tables": paths},
        params={**comparison.params, "experiments": [experiment]},
    )
    return [*jobs, alone]


def _code(jobs: Iterable[FunctionJob]) -> str:
    """Digest of the code of some jobs: where that changes, their analyses are recomputed."""
    codes = sorted({one.params["code"] for one in jobs})
    return hashlib.sha256("".join(codes).encode()).hexdigest()


class Multiverse:
    """Analyses of all experiments that are read: inputs and `params` for the rules."""

    def __init__(self, workflow: Any, config: Mapping[str, Any]):
        section = config["analytic_choices"]
        choices = read_choices(read_yaml(SOURCE))
        words = config["experiments"]
        self.words = [w for w in section["of"] if w in words and "analytic_choices" in words]
        self._read = {
            word: Read(
                workflow, config, word, choices[word], section["singles"], section["nearest"]
            )
            for word in self.words
        }

    def files(self, wildcards: Any) -> list[str]:
        """What the analyses of a data set are made of."""
        return self._read[wildcards.word].read(wildcards.dataset)

    def runs(self, wildcards: Any) -> list[str]:
        """What was run for the analyses of an experiment."""
        return self.runs_of(wildcards.word)

    def runs_of(self, word: str) -> list[str]:
        """As `runs`."""
        return [RUNS.format(word=word, dataset=name) for name in self._read[word].datasets]

    def rows(self, wildcards: Any) -> list[str]:
        """What claims of an experiment are judged from, of the analysis as here."""
        return self._read[wildcards.word].judged_from

    @property
    def datasets(self) -> list[str]:
        """All data sets, sorted."""
        return sorted({name for read in self._read.values() for name in read.datasets})

    def params(self, work: str) -> dict[str, Any]:
        """`params` of the rule whose script calls `run` or `judge`."""

        def given(wildcards: Any) -> dict[str, Any]:
            of_one = getattr(self._read[wildcards.word], f"{work}_params")
            return of_one(getattr(wildcards, "dataset", None))

        return {"work": work, "given": given, "code": digest_of(*ENGINE.values())}


# ------------------------------------------------------------------------------- the jobs


def run(snakemake: Any) -> None:
    """Run what the analyses of one data set need, and keep its rows (the script of the rule)."""
    with job(snakemake), TemporaryDirectory(prefix="hedgerow-analyses-") as name:
        params, root, files = SimpleNamespace(**snakemake.params.given), Path(name), []
        jobs = [FunctionJob(**one) for one in params.jobs]
        for number, settings in enumerate(params.runs):
            replaced = rerun_jobs(jobs, params.section, settings, root / "made")
            for path in params.kept:
                files.append(f"{_folder(number)}/{path}")
                write_bytes(root / files[-1], replaced.get(path, Path(path)).read_bytes())
        write_bytes(snakemake.output[0], packed(root, files))


def _folder(number: int) -> str:
    """Where the files of a run lie in the archive of a data set."""
    return f"{number:03d}"


def judge(snakemake: Any) -> None:
    """Judge the claims of each analysis (the script of the rule).

    Writes one row per analysis and claim: `analysis`, its id; by choice the alternative; `repeats`
    of each data set; and the columns of the table of claims. Beside it one row per analysis and
    printed cell of the experiment that has a number, `analysis` and the columns of the comparison;
    no row where that is not asked.
    """
    import pandas as pd

    with job(snakemake), TemporaryDirectory(prefix="hedgerow-analyses-") as name:
        params, folder = SimpleNamespace(**snakemake.params.given), Path(name)
        kept = {d: paths for d, paths in params.kept.items() if absence(paths[0]) is None}
        for path in map(Path, snakemake.input.runs):
            kept_paths = kept.get(path.parent.name, ())
            wanted = [f"{_folder(n)}/{p}" for n in range(params.n_runs) for p in kept_paths]
            for place, content in (unpacked(path, wanted) if kept_paths else {}).items():
                write_bytes(folder / place, content)
        judged = [_judged(choice, params, kept, folder) for choice in params.analyses]
        for path, frames in zip(snakemake.output, zip(*judged, strict=True), strict=True):
            nonempty = [frame for frame in frames if frame is not None]
            frame = pd.concat(nonempty, ignore_index=True) if nonempty else pd.DataFrame()
            write_parquet(path, frame)


def _judged(
    choice: Mapping[str, Any], params: Any, kept: Mapping[str, Sequence[str]], folder: Path
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Claims and printed cells of one analysis, with the runs of all analyses in a folder."""
    with TemporaryDirectory(prefix="analysis-", dir=folder) as name:
        scratch = Path(name)
        # Only its own: a claim is judged without each data set in turn, which takes its time.
        given = {CLAIMS: scratch / CLAIMS}
        write_text(given[CLAIMS], _only(params.section, choice["claims"]))
        for path in (path for paths in kept.values() for path in paths):
            if choice["runs"]:
                given[path] = scratch / path
                write_parquet(given[path], _put_together(path, folder, choice["runs"]))
        without = [path for d in choice["without"] for path in kept.get(d, ())]
        jobs = [*params.jobs, *(params.comparison if choice["comparison"] else ())]
        replaced = rerun_jobs(
            [FunctionJob(**one) for one in jobs],
            *(params.section, choice["settings"], scratch / "made", given, without),
        )
        frame = read_parquet(replaced.get(params.judged, params.judged))
        cells = None
        if choice["comparison"]:
            cells = read_parquet(replaced.get(params.cells, params.cells))
            measured = cells["experiment"].eq(params.section) & cells["measured"].notna()
            if choice["methods"]:
                measured &= cells["method"].isin(["", *choice["methods"]])
            cells = cells[measured].assign(analysis=choice["id"])
    taken = {f"{PREFIX}{name}": choice["taken"].get(name, HERE) for name in params.choices}
    frame = frame[frame["claim"].isin(choice["claims"])].assign(analysis=choice["id"], **taken)
    frame = frame.assign(repeats=params.repeats)
    first = ["analysis", *taken, "claim", "repeats"]
    return frame[[*first, *(column for column in frame if column not in first)]], cells


def _only(section: str, claims: Sequence[str]) -> str:
    """config/claims.yaml with some claims of one experiment."""
    import yaml

    content = read_yaml(CLAIMS)
    section_claims = content["claims"][section]
    asked = {name: claim for name, claim in section_claims["claims"].items() if name in claims}
    content["claims"] = {section: section_claims | {"claims": asked}}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def _put_together(path: str, folder: Path, runs: Sequence[Sequence]) -> pd.DataFrame:
    """Rows of an analysis: as here, but for methods of which one of its runs has rows."""
    import pandas as pd

    frame = read_parquet(path)
    for number, methods in runs:
        other = read_parquet(folder / _folder(number) / path)
        if methods and "method" in frame:
            rest = frame[~frame["method"].isin(methods)]
            other = pd.concat([rest, other[other["method"].isin(methods)]], ignore_index=True)
        frame = other
    return frame
