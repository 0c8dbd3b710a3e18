"""Uncertain measurements: noise models, soft trees, PLT and UDT."""

from hedgerow.tree.gates import (
    CategoryGate,
    CategoryNoise,
    NoiseGate,
    RelativeNoise,
    ThresholdGate,
    resolve_noise,
)
from hedgerow.uncertainty.curves import GainCurve, gain_curve
from hedgerow.uncertainty.noise import EmpiricalNoise, ShapedNoise
from hedgerow.uncertainty.plt import piecewise_thresholds

__all__ = [
    "CategoryGate",
    "CategoryNoise",
    "EmpiricalNoise",
    "GainCurve",
    "NoiseGate",
    "RelativeNoise",
    "ShapedNoise",
    "ThresholdGate",
    "gain_curve",
    "piecewise_thresholds",
    "resolve_noise",
]
