"""Noise models behind soft gates, resolved for the variables of one training set.

A gate asks only one thing of a noise model: the probability that the error is below d, its
distribution function.  Factors become normal models with sigma = u |mean| (thesis 3.2.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from hedgerow.errors import InputError

WINDOW = 6.0  # omega, thesis 3.3.2
STEP = 0.1  # delta, thesis 3.3.2
CLIP_TOLERANCE = 1e-9  # of sigma; as in _gates.pxd


@dataclass(frozen=True)
class NoiseGate:
    """Noise of each variable, as a gate reads it.

    Attributes
    ----------
    sigma : (m,) float64
        Scale of each variable's noise in its own unit; 0: no noise, a hard gate.
    window : float
        Full width of the window in units of sigma; beyond half of it the distribution function
        is cut to 0 and 1.
    models : dict
        Variable -> object with ``cdf(d)``, for noise that is not normal: the probability that
        the true value exceeds the measured one by at most d, in the variable's unit.
    """

    sigma: np.ndarray
    window: float = WINDOW
    models: dict[int, Any] = field(default_factory=dict)

    @cached_property
    def center(self) -> np.ndarray:
        """(m,) float64: centre of each variable's noise, about which its window is cut."""
        center = np.zeros(len(self.sigma))
        for variable, model in self.models.items():
            center[variable] = center_of(model)
        return center

    @property
    def half_window(self) -> float:
        """Half the window, in units of sigma."""
        return self.window / 2.0

    def share(self, variable: int, center: float, x: np.ndarray) -> np.ndarray:
        """Share of each value that goes left of `center` (thesis, equation 3.9)."""
        distance = np.asarray(center - x, dtype=np.float64)
        sigma = self.sigma[variable]
        if sigma <= 0:
            return (distance > 0).astype(np.float64)
        model = self.models.get(variable)
        share = stats.norm.cdf(distance / sigma) if model is None else model.cdf(distance)
        share = np.clip(np.asarray(share, dtype=np.float64), 0.0, 1.0)
        edge = (self.half_window - CLIP_TOLERANCE) * sigma
        distance = distance - self.center[variable]
        return np.where(distance >= edge, 1.0, np.where(distance <= -edge, 0.0, share))

    def callables(self) -> dict | None:
        """Variable -> ``f(center, x)`` for the compiled core; None when all noise is normal."""
        if not self.models:
            return None

        def bind(variable):
            return lambda center, x: self.share(variable, center, x)

        return {variable: bind(variable) for variable in self.models}

    def to_dict(self) -> dict:
        """A form that JSON can hold; models must be frozen scipy distributions."""
        models = {}
        for variable, model in self.models.items():
            if not hasattr(model, "dist"):
                raise InputError(
                    f"the noise model {model!r} of variable {variable} cannot be written to JSON",
                    remedy="use a frozen scipy.stats distribution, or pickle the tree",
                )
            models[str(variable)] = {
                "distribution": model.dist.name,
                "args": [float(a) for a in model.args],
                "kwds": {k: float(v) for k, v in sorted(model.kwds.items())},
            }
        return {
            "sigma": [float(s) for s in self.sigma],
            "window": float(self.window),
            "models": models,
        }

    @classmethod
    def from_dict(cls, form: dict) -> NoiseGate:
        """The gate that `to_dict` wrote."""
        models = {
            int(variable): getattr(stats, m["distribution"])(*m["args"], **m["kwds"])
            for variable, m in form["models"].items()
        }
        return cls(np.asarray(form["sigma"], dtype=np.float64), form["window"], models)


def _quantile(model: Any, p: float) -> float:
    """Where the distribution function of a model reaches p, by bisection."""
    low, high = -1.0, 1.0
    for _ in range(1100):
        if float(model.cdf(low)) <= p:
            break
        low *= 2.0
    for _ in range(1100):
        if float(model.cdf(high)) >= p:
            break
        high *= 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if float(model.cdf(middle)) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _moment(model: Any, name: str) -> float | None:
    """``model.mean()`` or ``model.std()`` where the model has a finite one."""
    if not hasattr(model, name):
        return None
    value = getattr(model, name)
    value = float(value() if callable(value) else value)
    return value if math.isfinite(value) else None


def scale_of(model: Any) -> float:
    """Scale of a noise model in the variable's unit.

    Its standard deviation where it has a finite one, otherwise half the distance between the
    quantiles of a normal's +-1 sigma, found on the distribution function.
    """
    std = _moment(model, "std")
    if std is not None and std >= 0:
        return std
    return (_quantile(model, 0.8413447460685429) - _quantile(model, 0.15865525393145707)) / 2.0


def center_of(model: Any) -> float:
    """Centre of a noise model: its mean where it has a finite one, otherwise its median."""
    mean = _moment(model, "mean")
    return _quantile(model, 0.5) if mean is None else mean


def check_model(model: Any, name: str) -> None:
    """Refuse a noise model whose ``cdf`` is no distribution function.

    Raises
    ------
    InputError
        It does not rise from 0 to 1.
    """
    points = np.array([-1e300, -1e6, -1.0, -1e-3, 0.0, 1e-3, 1.0, 1e6, 1e300])
    values = np.array([float(model.cdf(d)) for d in points])
    if not (
        np.isfinite(values).all()
        and (np.diff(values) >= -1e-12).all()
        and abs(values[0]) < 1e-6
        and abs(values[-1] - 1) < 1e-6
    ):
        raise InputError(
            f"{name} holds the noise model {model!r}, whose cdf(d) is {values[0]:g} far below and "
            f"{values[-1]:g} far above 0",
            remedy="give a distribution function, which rises from 0 to 1",
        )


def resolve_noise(
    spec: Any,
    means: np.ndarray,
    n_categories: np.ndarray,
    *,
    window: float = WINDOW,
    name: str = "noise",
) -> NoiseGate | None:
    """The noise of each variable from what a user may write.

    Parameters
    ----------
    spec : None, float, array of floats, noise model, or sequence of floats and models
        A factor u stands for a normal model with sigma = u |mean|; a model is any object with
        ``cdf(d)``, the distribution function of the error d in the variable's unit.
    means : (m,) float64
        Weighted training means.
    n_categories : (m,) int
        Variables with categories carry no noise.
    window : float
        Full window in units of sigma.
    name : str
        What to call the parameter in an error.

    Returns
    -------
    NoiseGate or None

    Raises
    ------
    InputError
        A factor below 0 or not finite, a wrong number of entries, an object without ``cdf``.
    """
    if spec is None:
        return None
    if isinstance(spec, NoiseGate):
        return spec
    if not (math.isfinite(window) and window > 0):
        raise InputError(f"window is {window!r}", remedy="give a number above 0")
    m = len(means)
    if isinstance(spec, np.ndarray) and spec.ndim == 0:
        spec = spec.item()
    if isinstance(spec, (Sequence, np.ndarray)) and not isinstance(spec, str):
        entries = list(spec)
        if len(entries) != m:
            raise InputError(
                f"{name} has {len(entries)} entries for {m} variables",
                remedy="give one factor or noise model, or one for each variable",
            )
    else:
        entries = [spec] * m
    sigma = np.zeros(m)
    models = {}
    checked = {}
    for j, entry in enumerate(entries):
        if entry is None or n_categories[j] > 0:
            continue
        if hasattr(entry, "cdf"):
            if id(entry) not in checked:
                check_model(entry, name)
                checked[id(entry)] = scale_of(entry)
            sigma[j] = checked[id(entry)]
            if sigma[j] > 0:
                models[j] = entry
            continue
        if isinstance(entry, (bool, np.bool_)):
            raise InputError(f"{name} is {entry!r}", remedy="give an uncertainty factor, or None")
        try:
            factor = float(entry)
        except (TypeError, ValueError):
            raise InputError(
                f"{name} is {entry!r}, neither a number nor an object with cdf(d)",
                remedy="give an uncertainty factor, or a frozen scipy.stats distribution",
            ) from None
        if not math.isfinite(factor) or factor < 0:
            raise InputError(
                f"{name} has the factor {factor!r}", remedy="give a finite factor of 0 or more"
            )
        sigma[j] = factor * abs(means[j])
    return NoiseGate(sigma, float(window), models)
