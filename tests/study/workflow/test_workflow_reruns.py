"""What a change of the configuration makes again where everything has run, and nothing else."""

from __future__ import annotations

import pytest
import yaml
from throwaway import SMOKE
from wiring import LOGS, PAGE, READ_AGAIN, Sections, after, not_run_yet, reported, sections

from hedgerow_study.experiments import WORDS
from hedgerow_study.experiments.audit.comparison import SOURCES
from hedgerow_study.workflow.jobs.steps import having

pytestmark = pytest.mark.runs

# What follows from what, beside tests and what is shown of an experiment (`after`).
AFTER_ROWS = after("soft")
AFTER_NOISE = after("soft", "learn", "running_times", "prune", "evaluate", "merge") | AFTER_ROWS
AFTER_SWEEP_NOISE = after("soft_sweep", "grow", "evaluate", "merge")
AFTER_BEYOND = after("noise_models", "numeric")
AFTER_SEARCH = after("search", "run", "merge", "running_times")
DISTANCES = {"structure_compare", "structure_resample"}
AFTER_DISTANCES = after("structure", "cluster")
AFTER_STRUCTURE_BEYOND = after("diverse_trees", "run")
AFTER_CHOICES = after("analytic_choices", "run", "judge")
#: No claim depends on how a configuration is called.
CLAIMS = {*(f"{word}_claims" for word in having("claims")), "missing_interpretations"}
COMPARISON = {"comparison", "comparison_figure"}
#: Rules whose tables hold what the papers print; data of two experiments are private.
PRIVATE = {"soft_illustration", "survival"}
COMPARED = {f"{word}_tables" for word in {s.experiment for s in SOURCES.values()} - PRIVATE}


def audited(rerun: set[str]) -> set[str]:
    """What stands above the experiments and follows from some rules."""
    found = {"claims"} if rerun & (CLAIMS - {"missing_interpretations"}) else set()
    found |= AFTER_CHOICES if rerun & READ_AGAIN else set()
    return found | (COMPARISON if rerun & COMPARED else set())


@pytest.mark.parametrize(
    ("setting", "rerun"),
    [
        ("soft: {uncertainties: [0.1, 0.2]}", AFTER_NOISE),
        (
            "soft: {noise_factors: [0, 0.1, 0.2]}",
            {"soft_noise", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        (
            "soft: {n_folds: 4}",
            {"soft_noise", "soft_calibrate", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        ("soft: {target_leaves: [10, 5]}", {"soft_calibrate", *AFTER_NOISE, *AFTER_BEYOND}),
        (
            "soft: {step: 0.2}",
            {"soft_calibrate", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        ("noise_models: {noise_factors: [0.1]}", AFTER_BEYOND),
        ("soft: {chunk: 2}", {"soft_noise", *AFTER_NOISE, *AFTER_SWEEP_NOISE}),
        ("optimality_gap: {noise: [0.3]}", after("optimality_gap", "run")),
        ("optimality_gap: {max_nodes: 100}", after("optimality_gap", "run")),
        ("uncertainty_benchmark: {n_settings: 2}", after("uncertainty_benchmark", "run", "rule")),
        ("uncertainty_benchmark: {max_nodes: 40}", after("uncertainty_benchmark", "run", "rule")),
        (
            "structure: {n_trees: 30}",
            {"structure_learn", *DISTANCES, *AFTER_DISTANCES, *AFTER_STRUCTURE_BEYOND},
        ),
        (
            "structure: {correlated_above: 0.9}",
            {*DISTANCES, *AFTER_DISTANCES, *AFTER_STRUCTURE_BEYOND},
        ),
        ("structure: {n_clusters: 3}", AFTER_DISTANCES | AFTER_STRUCTURE_BEYOND),
        ("diverse_trees: {n_bagged: 7}", AFTER_STRUCTURE_BEYOND),
        (
            "survival: {n_permutations: 5}",
            after("survival", "permute") - {"survival_sheet"},
        ),
        ("survival_baselines: {penalty: 1}", after("survival_baselines", "scores")),
        (
            "survival: {n_bootstrap: 30}",
            after("survival", "describe") - {"survival_sheet"},
        ),
        ("structure: {n_bootstrap: 30}", {"structure_resample", *after("structure")}),
        ("confidence: {n_trees: 4}", after("confidence", "validate")),
        ("confidence: {shares: [0.3]}", after("confidence", "size")),
        ("confidence: {affected: relative}", after("confidence")),
        ("confidence: {tree: unpruned}", after("confidence") - {"confidence_statistics"}),
        ("evidential: {min_gain: 0.1}", after("evidential", "learn")),
        ("evidential: {chunk: 2}", after("evidential", "learn")),
        ("missing: {n_neighbors: 3}", after("missing", "learn")),
        ("soft_sweep: {uncertainty: 0.2}", AFTER_SWEEP_NOISE),
        ("soft_sweep: {confidences: [0, 0.5, 1]}", after("soft_sweep", "evaluate", "merge")),
        ("soft_illustration: {uncertainty: 0.2}", after("soft_illustration", "results")),
        ("search: {n_iterations: 100}", AFTER_SEARCH),
        ("search: {alphas: [0.01]}", AFTER_SEARCH),
        ("search: {property_folds: 3}", {"search_properties", *reported("search")}),
        ("experiments: [soft]", {"claims", *COMPARISON, *PAGE}),
    ],
)
def test_a_changed_setting_reruns_what_depends_on_it(smoke, setting, rerun):
    planned = smoke.planned(*smoke.settings(setting))
    assert set(planned) == rerun | audited(rerun)


def counted(word: str, key: str, more: int) -> Sections:
    """The smoke configuration with more repeats of an experiment."""
    section = GIVEN[word]
    return GIVEN | {word: section | {key: section[key] + more}}


GIVEN = sections("smoke")
#: Settings that count repeats which are run in chunks.
COUNTS = [
    (word, key)
    for word, section in GIVEN.items()
    for key, value in section.items()
    if type(value) is int and key not in ("chunk", "repeat_chunk")
    if not_run_yet(GIVEN, counted(word, key, 1))
]
#: Rules that put chunks of a data set together.
MERGE = {"soft_merge", "soft_sweep_merge", "search_merge"}
MERGE |= {"structure_statistics", "survival_statistics", "analytic_choices_run"}
#: What follows for a cohort: its patients are in one file, of all chunks.
MERGE |= {"survival_merge", "survival_describe", "survival_sheet"}


@pytest.mark.parametrize("more", [1, -1])
@pytest.mark.parametrize(("word", "key"), COUNTS)
def test_another_number_of_repeats_runs_new_ones_only(smoke, word, key, more):
    """From two repeats to three, all noise was drawn and all trees were learnt again: the
    noise of a data set was one step, the last chunk bore the number of its last repeat, and
    some chunks hung on how many there are."""
    size = GIVEN[word]["repeat_chunk" if (word, key) == ("survival", "n_repeats") else "chunk"]
    after = counted(word, key, more * size if more < 0 else more)
    if after[word][key] < 1:
        pytest.skip("there is one repeat")
    planned = smoke.planned(*smoke.settings(f"{word}: {{{key}: {after[word][key]}}}"))
    assert {rule: n for rule, n in planned.items() if "{chunk}" in LOGS.get(rule, "")} == (
        not_run_yet(GIVEN, after)
    )
    assert more > 0 or not not_run_yet(GIVEN, after)
    assert {rule for rule in planned if "{dataset}" in LOGS.get(rule, "")} <= (
        MERGE | PAGE | not_run_yet(GIVEN, after).keys()
    )


def test_a_new_name_of_the_configuration_makes_the_report_only(smoke):
    """Captions state the name; so tables and figures are made again, with the same numbers."""
    shown = set().union(*map(reported, WORDS))
    planned = set(smoke.planned(*SMOKE, "--config", "configuration=mine"))
    rerun = shown - {"soft_illustration_data"} - CLAIMS
    assert planned == rerun | audited(rerun)


def test_another_mirror_makes_no_result_again(smoke):
    assert set(smoke.planned(*SMOKE, "--config", "mirror=somewhere")) == {"crate", "manifest"}


def test_another_data_set_leaves_the_others_alone(smoke):
    planned = smoke.planned(*smoke.settings("soft: {datasets: [haberman, bupa, wine, pima]}"))
    after = AFTER_ROWS | audited({"soft_evaluate", *AFTER_ROWS})
    per_set = {rule: n for rule, n in planned.items() if rule not in after}
    assert per_set == {
        "fetch": 1,
        "tidy": 1,
        "soft_noise": 2,
        "soft_calibrate": 1,
        "soft_learn": 2,
        "soft_running_times": 1,
        "soft_prune": 2,
        "soft_evaluate": 2,
        "soft_merge": 1,
    }
    assert set(planned) - set(per_set) == after


def test_another_data_set_of_the_search_leaves_the_others_alone(smoke):
    planned = smoke.planned(
        *smoke.settings("search: {datasets: [wdbc, synthetic_search_4, synthetic_search_3]}")
    )
    after = AFTER_SEARCH | audited(AFTER_SEARCH)
    assert {rule: n for rule, n in planned.items() if rule not in after} == {
        "fetch": 1,
        "tidy": 1,
        "search_properties": 1,
    }
    assert (planned["search_run"], planned["search_merge"]) == (2, 1)


def test_a_note_in_the_registry_makes_no_result_again(smoke):
    registry = smoke.path / "config/datasets.yaml"
    text = registry.read_text()
    content = yaml.safe_load(text)
    content["datasets"]["wine"]["note"] = "A remark."
    try:
        registry.write_text(yaml.safe_dump(content, sort_keys=False))
        assert set(smoke.planned(*SMOKE)) == PAGE, "the page of the data set shows it"
    finally:
        registry.write_text(text)
