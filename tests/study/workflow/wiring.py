"""What Snakemake has to plan, told by the experiments' words, rules and settings.

An experiment that keeps these habits stands in no list of a test:

- its rules are called `<word>_<name>`; what is shown of it is made by those called `tables`,
  `figures`, `claims` and `page`;
- a rule whose log names a `{dataset}` runs on those of `datasets`, or on what bears its name, as
  `people_dataset` that of `uncertainty_benchmark_people`;
- one whose log names a `{chunk}` counts to the first of `COUNTS` that the section has; in
  chunks of `chunk`, or of what `CUT_BY` names, and the rest one by one.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from throwaway import ROOT

from hedgerow.files import read_yaml
from hedgerow_study.experiments import WORDS
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.jobs.steps import section_of
from hedgerow_study.workflow.planning.profile import CUT_BY
from hedgerow_study.workflow.settings.config import chunks

#: What is repeated in an experiment.
COUNTS = ("n_permutations", "n_repeats")
#: Rules that count something else.
COUNTED = {
    "confidence_size": "n_curve_repeats",
    "uncertainty_benchmark_people": "n_people",
    "survival_learn": "n_repeats",
}
#: Rules whose results another experiment reads too, which may have data sets of its own.
SHARED = {"soft_noise": "noise_models", "soft_calibrate": "noise_models"}
#: Experiments that run the repeats of another one, in its chunks.
REPEATS_OF = {"soft_sweep": "soft"}
#: Experiments without a list of data sets.
FIXED = {"soft_illustration": {"synthetic_lvef"}}


#: Where every rule writes its log.
LOGS = {name: rule.log for name, rule in rules_of(ROOT).items() if rule.log}


def rules_in(folder: str) -> list[str]:
    """Rules that log in a folder: those of an experiment, or what stands above all of them."""
    return [name for name, log in LOGS.items() if Path(log).parts[2] == folder]


#: Rules of each experiment.
RULES = {word: rules_in(word) for word in WORDS}
#: Rules that stand above the experiments and run once.
ABOVE = [*rules_in("audit"), "report", "crate", "manifest"]


Sections = dict[str, dict[str, Any]]


def sections(configuration: str) -> Sections:
    """Settings of a configuration of the project, by section."""
    default = read_yaml(ROOT / "config/default.yaml")
    own = read_yaml(ROOT / f"config/{configuration}.yaml")
    found = {name: value for name, value in default.items() if isinstance(value, dict)}
    return {name: {**value, **own.get(name, {})} for name, value in found.items()}


def _bearing(name: str, keys: Iterable[str], otherwise: str) -> str:
    """Of the keys the one that bears the name of a rule."""
    first = {key: key.partition("_")[0] for key in keys if not key.startswith("n_")}
    return next((key for key, word in first.items() if name.startswith(word)), otherwise)


def sets_of(word: str, configuration: str, but: Collection[str] = ()) -> set[str]:
    """All data sets of an experiment, but those of some lists."""
    section = sections(configuration).get(section_of(word), {})
    if "of" in section:
        return set().union(*(sets_of(other, configuration) for other in section["of"]))
    lists = [section[key] for key in section if key.endswith("datasets") and key not in but]
    single = {section[key] for key in section if key.endswith("_dataset")}
    return single.union(FIXED.get(word, ()), *lists)


def n_jobs(word: str, configuration: str, alone: bool = False) -> dict[str, int]:
    """How many jobs each rule of an experiment has, with what others read of it or alone."""
    found = {}
    given = sections(configuration)
    section = given.get(section_of(word), {})
    for rule in RULES[word]:
        n = 1
        if "{word}" in LOGS[rule]:
            sizes = [len(given[other]["datasets"]) for other in section["of"]]
            n = sum(sizes) if "{dataset}" in LOGS[rule] else len(sizes)
        elif "{dataset}" in LOGS[rule]:
            n = len(jobs_of(word, rule, given, alone))
        found[rule] = n
    return found


def jobs_of(word: str, rule: str, given: Sections, alone: bool = False) -> set[tuple[str, str]]:
    """Data sets and chunks of the jobs of a rule that has one for each data set."""
    lists = [key for key in given[word] if key.endswith(("_datasets", "_dataset"))]
    chosen = given[word][_bearing(rule.removeprefix(f"{word}_"), lists, "datasets")]
    chosen = [chosen] if isinstance(chosen, str) else chosen
    found = set(itertools.product(chosen, _chunks(word, rule, given)))
    if rule in SHARED and not alone:
        other = given[SHARED[rule]]
        found |= set(itertools.product(other["datasets"], _chunks(SHARED[rule], rule, given)))
    return found


def _chunks(word: str, rule: str, given: Sections) -> list[str]:
    """Chunks in which a rule runs the repeats of an experiment; one without a name otherwise."""
    if "{chunk}" not in LOGS[rule]:
        return [""]
    section = given[REPEATS_OF.get(word, word)]
    size = section[CUT_BY.get(rule, "chunk")]
    counted = COUNTED.get(rule) or next(key for key in COUNTS if key in section)
    return chunks(section[counted], size)


def not_run_yet(before: Sections, after: Sections) -> dict[str, int]:
    """How many chunks each rule has under some settings that it has not under others."""
    found = {
        rule: len(jobs_of(word, rule, after) - jobs_of(word, rule, before))
        for word, rules in RULES.items()
        for rule in rules
        if "{chunk}" in LOGS[rule]
    }
    return {rule: n for rule, n in found.items() if n}


#: Rules that show something beside the four kinds.
SHOWN_TOO = {
    "soft_illustration": {"data"},
    "survival": {"sheet"},
    "missing": {"interpretations"},
}
#: Rules that make something of all data sets that a page does not show as it is.
KEPT = ("statistics", "by_uncertainty", "timed_claims")
#: Rules of which analyses make jobs again.
READ_AGAIN = {
    *("soft_noise", "soft_calibrate", "soft_learn", "soft_prune", "soft_evaluate", "soft_merge"),
    *("structure_learn", "structure_compare", "structure_cluster", "structure_resample"),
    "structure_statistics",
}
#: The site, and what is made of it.
PAGE = {"report", "crate", "manifest"}


def reported(word: str) -> set[str]:
    """Rules that show what an experiment found, and the page."""
    kinds = {"tables", "figures", "claims", "page", *SHOWN_TOO.get(word, ())}
    return {rule for rule in RULES[word] if rule.removeprefix(f"{word}_") in kinds} | PAGE


def after(word: str, *steps: str) -> set[str]:
    """Rules that run after these steps of an experiment: tests and what is shown of them."""
    kept = {f"{word}_{name}" for name in KEPT} & {*RULES[word]}
    return {*(f"{word}_{step}" for step in steps), *kept, *reported(word)}
