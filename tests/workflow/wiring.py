"""What Snakemake has to plan, told by the experiments' words, rules and settings.

An experiment that keeps these habits stands in no list of a test:

- its rules are called `<word>_<name>`; what is shown of it is made by those called `tables`,
  `figures`, `claims` and `page`;
- a rule whose log names a `{dataset}` runs on those of `datasets`, or of the list that bears its
  name, as `optimum_datasets` that of `search_beyond_optimum`;
- one whose log names a `{chunk}` counts to the first of `COUNTS` that the section has, or to the
  splits that bear its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from throwaway import ROOT

from hedgerow.experiments import WORDS
from hedgerow.files import read_yaml
from hedgerow.workflow.steps import section_of

#: What is repeated in an experiment.
COUNTS = ("n_permutations", "n_forests", "n_repeats", "n_splits")
#: Rules that count something else.
COUNTED = {"confidence_size": "n_divisions"}
#: Rules whose results another experiment reads too, which may have data sets of its own.
SHARED = {"soft_noise": "soft_beyond", "soft_calibrate": "soft_beyond"}
#: Lists of data sets that have divisions of their own, and read none of those results.
APART = {"set_datasets"}
#: Experiments without a list of data sets.
FIXED = {"soft_illustration": {"synthetic_lvef"}}
#: Letters by which a list bears the name of a rule: `categorical_datasets`, `..._categories`. Of
#: `set_datasets`, `..._sets`, there are fewer.
STEM = 7


def rules_in(name: str) -> dict[str, str]:
    """Text of every rule of a file below workflow/rules, by its name."""
    text = (ROOT / f"workflow/rules/{name}.smk").read_text("utf-8")
    parts = re.split(r"^rule ", text, flags=re.MULTILINE)[1:]
    return {part.partition(":")[0]: part for part in parts}


#: Text of every rule, by experiment and name.
RULES = {word: rules_in(word) for word in WORDS}
#: Rules that stand above the experiments and run once.
ABOVE = [*rules_in("audit"), *rules_in("report")]


def sections(configuration: str) -> dict[str, dict[str, Any]]:
    """Settings of a configuration of the project, by section."""
    default = read_yaml(ROOT / "config/default.yaml")
    own = read_yaml(ROOT / f"config/{configuration}.yaml")
    found = {name: value for name, value in default.items() if isinstance(value, dict)}
    return {name: {**value, **own.get(name, {})} for name, value in found.items()}


def _bearing(name: str, keys: Iterable[str], otherwise: str) -> str:
    """Of the keys the one that bears the name of a rule."""
    first = {key: key.partition("_")[0][:STEM] for key in keys if not key.startswith("n_")}
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
    for rule, text in RULES[word].items():
        name = rule.removeprefix(f"{word}_")
        log = re.search(r'^    log:\n +"(.+)",$', text, re.MULTILINE)[1]
        n = 1
        if "{word}" in log:
            sizes = [len(given[other]["datasets"]) for other in section["of"]]
            n = sum(sizes) if "{dataset}" in log else len(sizes)
        elif "{dataset}" in log:
            lists = [key for key in section if key.endswith("_datasets")]
            chosen = set(section[_bearing(name, lists, "datasets")])
            if rule in SHARED and not alone:
                chosen |= sets_of(SHARED[rule], configuration, APART)
            n = len(chosen)
        if "{chunk}" in log:
            counted = COUNTED.get(rule) or next(key for key in COUNTS if key in section)
            splits = [key for key in section if key.endswith("_splits")]
            n *= -(-section[_bearing(name, splits, counted)] // section["chunk"])
        found[rule] = n
    return found


#: Rules that show something beside the four kinds.
SHOWN_TOO = {
    "soft_illustration": {"data"},
    "search_beyond": {"running_times"},
    "survival": {"sheet"},
    "missing": {"readings"},
}
#: Rules that make something of all data sets that a page does not show as it is.
KEPT = ("statistics", "by_factor", "timed_claims")
#: Rules of which readings make jobs again.
READ_AGAIN = {
    *("soft_noise", "soft_calibrate", "soft_learn", "soft_prune", "soft_evaluate"),
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
    kept = {f"{word}_{name}" for name in KEPT} & RULES[word].keys()
    return {*(f"{word}_{step}" for step in steps), *kept, *reported(word)}
