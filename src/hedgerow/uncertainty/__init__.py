"""Uncertain measurements: noise models, soft trees, PLT and UDT."""

from hedgerow.tree.gates import NoiseGate, ThresholdGate, resolve_noise
from hedgerow.uncertainty.noise import EmpiricalNoise
from hedgerow.uncertainty.plt import piecewise_thresholds

__all__ = [
    "EmpiricalNoise",
    "NoiseGate",
    "ThresholdGate",
    "piecewise_thresholds",
    "resolve_noise",
]
