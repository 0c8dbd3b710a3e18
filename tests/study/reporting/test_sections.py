"""Every section of the report, whole and where no data set could be had, from made-up inputs.

`inputs` of `test_<word>_report` gives what all jobs of an experiment read, by the names of their
parameters. What is particular to a section is asked there.
"""

import importlib
import re

import pytest
from shown import ROOT, made_by, page_of, section_of, shown_by

from hedgerow_study.experiments import WORDS, module_of
from hedgerow_study.workflow.jobs.steps import declared_by
from hedgerow_study.workflow.planning.records import records_of_rules

pytestmark = pytest.mark.slow

#: Tables that stand under other ids, one for each of their parts, or in their file only.
APART = {
    *("soft_combined", "soft_scores", "soft_ranks", "soft_sweep", "soft_sweep_ranges"),
    *("search_splits", "structure_examples", "structure_closeness", "missing_levels"),
    "analytic_choices_points",
}
#: Experiments of which nothing is made where no data set could be had: what merges needs a frame.
NEVER_EMPTY = {"noise_models", "diverse_trees", "survival_baselines", "confidence"}


def whole(word):
    """Inputs of all jobs of an experiment."""
    return importlib.import_module(f"test_{word}_report").inputs()


def lists_of(word):
    """Frames of all data sets, one by one, that the first job over all of them reads."""
    if "{" in records_of_rules(ROOT).get(f"{word}_statistics", "{dataset}"):
        return []
    parameters = {
        d.name: d.parameters for d in declared_by(word) if d.module.endswith("statistics")
    }
    merged = parameters.get("merged", {})
    return [name for name, kind in merged.items() if kind == "Sequence[pd.DataFrame]"]


def empty(word):
    """Inputs of jobs where no source answered for any data set."""
    merge = importlib.import_module(module_of(f"{word}.statistics")).merged
    merged = made_by(merge, **{**whole(word), **dict.fromkeys(lists_of(word), ())})
    measured = {name: frame for name, frame in merged.items() if name != "statistics"}
    return {**whole(word), **merged, "measured": measured}


CASES = [(word, whole) for word in WORDS]
CASES += [(word, empty) for word in WORDS if lists_of(word) and word not in NEVER_EMPTY]


@pytest.mark.parametrize(("word", "of"), CASES, ids=[f"{w}-{of.__name__}" for w, of in CASES])
def test_a_section_holds_all_that_is_made_in_the_order_of_its_contents(word, of, tmp_path):
    section = section_of(word, tmp_path, **of(word))
    text = page_of(section)
    for name in shown_by(word):
        assert text.count(f'id="{name}"') == (name not in APART), name
        assert f"id <code>{name}</code> · rule" in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    parts = re.findall(r'<section id="([^"]+)" aria-labelledby', section.markup)
    assert [anchor for anchor, _ in section.contents] == parts
    assert not re.search(r">\s*(nan|None|inf)\s*<", text)
