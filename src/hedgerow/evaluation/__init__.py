"""Metrics, tuning, calibration and significance tests: what every experiment measures with."""

from hedgerow.evaluation.calibration import Calibration, calibrate_confidence
from hedgerow.evaluation.metrics import accuracy, baseline, brier, macro_f1, standardised
from hedgerow.evaluation.significance import (
    LEVEL,
    TestResult,
    critical_difference,
    friedman,
    holm,
    nemenyi,
    ranks,
    repeated_measures_anova,
    shapiro_residuals,
    share_of_largest,
    smallest_p,
    wilcoxon,
)
from hedgerow.evaluation.tuning import best_value

__all__ = [
    "LEVEL",
    "Calibration",
    "TestResult",
    "accuracy",
    "baseline",
    "best_value",
    "brier",
    "calibrate_confidence",
    "critical_difference",
    "friedman",
    "holm",
    "macro_f1",
    "nemenyi",
    "ranks",
    "repeated_measures_anova",
    "shapiro_residuals",
    "share_of_largest",
    "smallest_p",
    "standardised",
    "wilcoxon",
]
