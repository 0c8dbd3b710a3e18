"""What a change of the configuration makes again where everything has run, and nothing else."""

from __future__ import annotations

import pytest
import yaml
from throwaway import SMOKE

pytestmark = pytest.mark.runs

# What follows from what, rule by rule: the flow of the design.
PAGE = {"report", "crate", "manifest"}
REPORTED = {"soft_tables", "soft_figures", "soft_claims", "soft_page", *PAGE}
SCORES = {"soft_scores_tables", "soft_scores_figures", "soft_scores_page"}
AFTER_ROWS = {"soft_statistics", "soft_scores_statistics", *SCORES, *REPORTED}
SWEEP_REPORTED = {
    "soft_sweep_tables",
    "soft_sweep_figures",
    "soft_sweep_claims",
    "soft_sweep_page",
    *PAGE,
}
AFTER_SWEEP_NOISE = {"soft_sweep_grow", "soft_sweep_evaluate", *SWEEP_REPORTED}
ILLUSTRATION_REPORTED = {
    "soft_illustration_data",
    "soft_illustration_tables",
    "soft_illustration_figures",
    "soft_illustration_page",
    *PAGE,
}
BEYOND_REPORTED = {
    "soft_beyond_tables",
    "soft_beyond_figures",
    "soft_beyond_claims",
    "soft_beyond_page",
    *PAGE,
}
BEYOND_TESTED = {"soft_beyond_statistics", *BEYOND_REPORTED}
AFTER_BEYOND = {"soft_beyond_numeric", "soft_beyond_categories", *BEYOND_TESTED}
SEARCH_REPORTED = {"search_tables", "search_claims", "search_figures", "search_page", *PAGE}
AFTER_SEARCH = {
    "search_run",
    "search_merge",
    "search_running_times",
    "search_statistics",
    *SEARCH_REPORTED,
}
SEARCH_BEYOND_REPORTED = {
    "search_beyond_tables",
    "search_beyond_figures",
    "search_beyond_claims",
    "search_beyond_running_times",
    "search_beyond_page",
    *PAGE,
}
AFTER_SEARCH_BEYOND = {"search_beyond_statistics", *SEARCH_BEYOND_REPORTED}
STRUCTURE_REPORTED = {
    "structure_tables",
    "structure_claims",
    "structure_figures",
    "structure_page",
    *PAGE,
}
AFTER_DISTANCES = {"structure_cluster", "structure_statistics", *STRUCTURE_REPORTED}
AFTER_FORESTS = {"structure_compare", *AFTER_DISTANCES}
SURVIVAL_REPORTED = {
    "survival_sheet",
    "survival_tables",
    "survival_claims",
    "survival_figures",
    "survival_page",
    *PAGE,
}
STRUCTURE_BEYOND_REPORTED = {
    "structure_beyond_tables",
    "structure_beyond_figures",
    "structure_beyond_claims",
    "structure_beyond_page",
    *PAGE,
}
AFTER_STRUCTURE_BEYOND = {
    "structure_beyond_run",
    "structure_beyond_statistics",
    *STRUCTURE_BEYOND_REPORTED,
}
SURVIVAL_BEYOND_REPORTED = {
    "survival_beyond_tables",
    "survival_beyond_claims",
    "survival_beyond_figures",
    "survival_beyond_page",
    *PAGE,
}
AFTER_SURVIVAL_BEYOND = {"survival_beyond_statistics", *SURVIVAL_BEYOND_REPORTED}
CONFIDENCE_REPORTED = {
    "confidence_tables",
    "confidence_claims",
    "confidence_figures",
    "confidence_page",
    *PAGE,
}
AFTER_CONFIDENCE = {"confidence_statistics", *CONFIDENCE_REPORTED}
AFTER_CONFIDENCE_BEYOND = {
    "confidence_beyond_statistics",
    "confidence_beyond_tables",
    "confidence_beyond_claims",
    "confidence_beyond_figures",
    "confidence_beyond_page",
    *PAGE,
}
EVIDENTIAL_REPORTED = {
    "evidential_tables",
    "evidential_claims",
    "evidential_figures",
    "evidential_page",
    *PAGE,
}
AFTER_EVIDENTIAL = {"evidential_learn", "evidential_statistics", *EVIDENTIAL_REPORTED}
EVIDENTIAL_BEYOND_REPORTED = {
    "evidential_beyond_tables",
    "evidential_beyond_claims",
    "evidential_beyond_figures",
    "evidential_beyond_page",
    *PAGE,
}
AFTER_EVIDENTIAL_BEYOND = {
    "evidential_beyond_run",
    "evidential_beyond_statistics",
    *EVIDENTIAL_BEYOND_REPORTED,
}
MISSING_REPORTED = {
    "missing_tables",
    "missing_claims",
    "missing_readings",
    "missing_figures",
    "missing_page",
    *PAGE,
}
AFTER_MISSING = {"missing_learn", "missing_statistics", *MISSING_REPORTED}
MISSING_BEYOND_REPORTED = {
    "missing_beyond_tables",
    "missing_beyond_claims",
    "missing_beyond_figures",
    "missing_beyond_page",
    *PAGE,
}
AFTER_MISSING_BEYOND = {"missing_beyond_statistics", *MISSING_BEYOND_REPORTED}
#: No claim depends on how a configuration is called.
CLAIMS = {
    "soft_claims",
    "soft_sweep_claims",
    "soft_beyond_claims",
    "search_claims",
    "search_beyond_claims",
    "structure_claims",
    "structure_beyond_claims",
    "survival_claims",
    "survival_beyond_claims",
    "confidence_claims",
    "confidence_beyond_claims",
    "evidential_claims",
    "evidential_beyond_claims",
    "missing_claims",
    "missing_readings",
    "missing_beyond_claims",
}
AFTER_TREES = {"soft_prune", "soft_evaluate", *AFTER_ROWS}
AFTER_LEARNING = {"soft_running_times", *AFTER_TREES}
AFTER_NOISE = {"soft_learn", *AFTER_LEARNING}


COMPARISON = {"comparison", "comparison_figure"}
#: Rules whose tables hold what the papers print.
COMPARED = {"soft_tables", "search_tables", "structure_tables"}
COMPARED |= {"confidence_tables", "evidential_tables", "missing_tables"}


def audited(rerun: set[str]) -> set[str]:
    """What stands above the experiments and follows from some rules."""
    found = {"claims"} if rerun & (CLAIMS - {"missing_readings"}) else set()
    return found | (COMPARISON if rerun & COMPARED else set())


@pytest.mark.parametrize(
    ("setting", "rerun"),
    [
        ("soft: {factors: [0.1, 0.2]}", AFTER_NOISE),
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
        ("soft_beyond: {noise_factors: [0.1]}", AFTER_BEYOND - {"soft_beyond_categories"}),
        ("soft_beyond: {category_noise: [0.4]}", AFTER_BEYOND - {"soft_beyond_numeric"}),
        ("soft: {chunk: 2}", AFTER_NOISE),
        ("search_beyond: {depths: [2]}", {"search_beyond_optimum", *AFTER_SEARCH_BEYOND}),
        ("search_beyond: {widening: [0.3]}", {"search_beyond_selection", *AFTER_SEARCH_BEYOND}),
        ("search_beyond: {grid: [1, 10]}", {"search_beyond_anytime", *AFTER_SEARCH_BEYOND}),
        (
            "structure: {n_trees: 30}",
            {"structure_learn", *AFTER_FORESTS, *AFTER_STRUCTURE_BEYOND},
        ),
        ("structure: {correlated_above: 0.9}", AFTER_FORESTS | AFTER_STRUCTURE_BEYOND),
        ("structure: {n_clusters: 3}", AFTER_DISTANCES | AFTER_STRUCTURE_BEYOND),
        ("structure_beyond: {factor: 0.2}", AFTER_STRUCTURE_BEYOND),
        (
            "structure_beyond: {patterns_depth: 2}",
            {"structure_beyond_forest", *STRUCTURE_BEYOND_REPORTED} - CLAIMS,
        ),
        (
            "survival: {n_permutations: 5}",
            {"survival_permute", "survival_statistics", *SURVIVAL_REPORTED} - {"survival_sheet"},
        ),
        (
            "survival_beyond: {n_repeats: 6}",
            {"survival_beyond_measurement", *AFTER_SURVIVAL_BEYOND},
        ),
        ("survival_beyond: {penalty: 1}", {"survival_beyond_scores", *AFTER_SURVIVAL_BEYOND}),
        (
            "survival_beyond: {n_bootstrap: 4}",
            {"survival_beyond_stability", *AFTER_SURVIVAL_BEYOND},
        ),
        (
            "survival: {n_bootstrap: 30}",
            {"survival_describe", "survival_statistics", *SURVIVAL_REPORTED} - {"survival_sheet"},
        ),
        ("structure: {n_bootstrap: 30}", {"structure_statistics", *STRUCTURE_REPORTED}),
        ("confidence: {n_trees: 4}", {"confidence_validate", *AFTER_CONFIDENCE}),
        ("confidence: {shares: [0.3]}", {"confidence_size", *AFTER_CONFIDENCE}),
        ("confidence: {affected: relative}", AFTER_CONFIDENCE),
        (
            "confidence: {tree: unpruned}",
            {
                *("confidence_size", "confidence_beyond_run", "confidence_beyond_categories"),
                *AFTER_CONFIDENCE,
                *AFTER_CONFIDENCE_BEYOND,
            },
        ),
        ("evidential: {min_gain: 0.1}", AFTER_EVIDENTIAL | AFTER_EVIDENTIAL_BEYOND),
        ("evidential_beyond: {n_draws: 3}", AFTER_EVIDENTIAL_BEYOND),
        ("evidential: {chunk: 1}", AFTER_EVIDENTIAL),
        ("missing: {n_neighbors: 3}", AFTER_MISSING),
        ("missing_beyond: {noise: [0.3]}", {"missing_beyond_run", *AFTER_MISSING_BEYOND}),
        (
            "missing_beyond: {n_neighbors: 3}",
            {"missing_beyond_run", "missing_beyond_natural", *AFTER_MISSING_BEYOND},
        ),
        ("confidence_beyond: {m: 5}", {"confidence_beyond_run", *AFTER_CONFIDENCE_BEYOND}),
        ("soft_sweep: {factor: 0.2}", AFTER_SWEEP_NOISE),
        ("soft_sweep: {confidences: [0, 0.5, 1]}", AFTER_SWEEP_NOISE - {"soft_sweep_grow"}),
        ("soft_illustration: {factor: 0.2}", {"soft_illustration_results", *ILLUSTRATION_REPORTED}),
        ("search: {n_iterations: 100}", AFTER_SEARCH),
        (
            "search: {alphas: [0.01]}",
            {"search_beyond_anytime", *AFTER_SEARCH_BEYOND, *AFTER_SEARCH},
        ),
        ("search: {property_folds: 3}", {"search_properties", *SEARCH_REPORTED}),
        ("experiments: [soft, soft_scores]", {"claims", *COMPARISON, *PAGE}),
    ],
)
def test_a_changed_setting_reruns_what_depends_on_it(smoke, setting, rerun):
    planned = smoke.planned(*smoke.settings(setting))
    assert set(planned) == rerun | audited(rerun)


def test_a_new_name_of_the_configuration_makes_the_report_only(smoke):
    """Captions state the name; so tables and figures are made again, with the same numbers."""
    reported = {
        *REPORTED,
        *ILLUSTRATION_REPORTED,
        *SWEEP_REPORTED,
        *SCORES,
        *BEYOND_REPORTED,
        *SEARCH_REPORTED,
        *SEARCH_BEYOND_REPORTED,
        *STRUCTURE_REPORTED,
        *STRUCTURE_BEYOND_REPORTED,
        *SURVIVAL_REPORTED,
        *SURVIVAL_BEYOND_REPORTED,
        *CONFIDENCE_REPORTED,
        *(AFTER_CONFIDENCE_BEYOND - {"confidence_beyond_statistics"}),
        *EVIDENTIAL_REPORTED,
        *EVIDENTIAL_BEYOND_REPORTED,
        *MISSING_REPORTED,
        *MISSING_BEYOND_REPORTED,
    }
    planned = set(smoke.planned(*SMOKE, "--config", "configuration=mine"))
    rerun = reported - {"soft_illustration_data"} - CLAIMS
    assert planned == rerun | audited(rerun)


def test_another_mirror_makes_no_result_again(smoke):
    assert set(smoke.planned(*SMOKE, "--config", "mirror=somewhere")) == {"crate", "manifest"}


def test_another_data_set_leaves_the_others_alone(smoke):
    planned = smoke.planned(*smoke.settings("soft: {datasets: [haberman, bupa, wine, pima]}"))
    after = AFTER_ROWS | audited(AFTER_ROWS)
    per_set = {rule: n for rule, n in planned.items() if rule not in after}
    assert per_set == {
        "fetch": 1,
        "tidy": 1,
        "soft_noise": 1,
        "soft_calibrate": 1,
        "soft_learn": 2,
        "soft_running_times": 1,
        "soft_prune": 1,
        "soft_evaluate": 1,
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
