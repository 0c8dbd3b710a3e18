"""Leaves of a tree as risk groups (thesis, chapter 6): labels, survival inside leaves."""

from hedgerow.survival.analysis import RiskGroups, risk_groups, thesis_tree
from hedgerow.survival.gray import GrayTest, gray_test
from hedgerow.survival.groups import compare_groups
from hedgerow.survival.labels import HorizonLabels, censoring_weights, horizon_labels
from hedgerow.survival.leaves import FixedGroups, leaf_numbers, leaf_survival
from hedgerow.survival.logrank import LogRank, OneByOne, logrank, logrank_one_by_one
from hedgerow.survival.performance import Brier, brier_score, performance
from hedgerow.survival.permutation import permutation_test, permuted_separation, separation
from hedgerow.survival.population import expected_survival
from hedgerow.survival.propensity import Propensity, propensity_weights
from hedgerow.survival.restricted import RestrictedMean, restricted_mean
from hedgerow.survival.scores import (
    BrierScores,
    TimeDependentAUC,
    concordance,
    group_survival,
    integrated_brier_score,
    time_dependent_auc,
)
from hedgerow.survival.validation import BootstrapValidation, bootstrap_validation

__all__ = [
    "BootstrapValidation",
    "Brier",
    "BrierScores",
    "FixedGroups",
    "GrayTest",
    "HorizonLabels",
    "LogRank",
    "OneByOne",
    "Propensity",
    "RestrictedMean",
    "RiskGroups",
    "TimeDependentAUC",
    "bootstrap_validation",
    "brier_score",
    "censoring_weights",
    "compare_groups",
    "concordance",
    "expected_survival",
    "gray_test",
    "group_survival",
    "horizon_labels",
    "integrated_brier_score",
    "leaf_numbers",
    "leaf_survival",
    "logrank",
    "logrank_one_by_one",
    "performance",
    "permutation_test",
    "permuted_separation",
    "propensity_weights",
    "restricted_mean",
    "risk_groups",
    "separation",
    "thesis_tree",
    "time_dependent_auc",
]
