"""Metrics, tuning, calibration and significance tests: what every experiment measures with."""

from hedgerow.evaluation.calibration import Calibration, calibrate_confidence
from hedgerow.evaluation.metrics import accuracy, baseline, brier, macro_f1, standardised
from hedgerow.evaluation.significance import TestResult, holm, wilcoxon
from hedgerow.evaluation.tuning import best_factor

__all__ = [
    "Calibration",
    "TestResult",
    "accuracy",
    "baseline",
    "best_factor",
    "brier",
    "calibrate_confidence",
    "holm",
    "macro_f1",
    "standardised",
    "wilcoxon",
]
