"""Uncertain measurements: noise models and soft trees."""

from hedgerow.tree.gates import NoiseGate, resolve_noise
from hedgerow.uncertainty.noise import EmpiricalNoise

__all__ = ["EmpiricalNoise", "NoiseGate", "resolve_noise"]
