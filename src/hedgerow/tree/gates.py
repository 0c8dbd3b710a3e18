"""Noise models behind soft gates, resolved for the variables of one training set.

A gate asks only one thing of a noise model: the probability that the error is below d, its
distribution function.  Factors become normal models with sigma = u |mean| (thesis 3.2.1).  A
model with a true attribute `relative` is one of the relative error d / |x| instead: its noise
grows with the measured value x, and a value of 0 has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import special

from hedgerow.checks import LARGEST, check_number
from hedgerow.errors import InputError
from hedgerow.tree import validation
from hedgerow.tree._gates import clip_tolerance

CLIP_TOLERANCE = clip_tolerance  # as the core has it
#: Where the gates of STP and SE are centred, and where a value on the centre goes.
GATES_AT = ("threshold", "midpoint", "ties_right")
WINDOW = 6.0  # omega, thesis 3.3.2
STEP = 0.1  # delta, thesis 3.3.2
WIDEST = 1e9  # window, in sigma: nothing is cut long before
FINEST = 1e-6  # window and step, in sigma
NARROWEST = 1e-12  # pdf, as a share of the range: its points are numbers of their own

#: Distributions of scipy.stats that a tree in JSON may name, continuous ones first. What a file
#: names is called: nothing else is. Left out are five that integrate for seconds or minutes, the
#: two of Kolmogorov and Smirnov that take a second for three instances, and the two hypergeometric
#: ones whose C++ code ends the process for some parameters.
DISTRIBUTIONS = frozenset(
    """
    alpha anglit arcsine argus beta betaprime bradford burr burr12 cauchy chi chi2 cosine
    crystalball dgamma dweibull erlang expon exponnorm exponpow exponweib f fatiguelife fisk
    foldcauchy foldnorm gamma gausshyper genexpon genextreme gengamma genhalflogistic genhyperbolic
    geninvgauss genlogistic gennorm genpareto gibrat gompertz gumbel_l gumbel_r halfcauchy
    halfgennorm halflogistic halfnorm hypsecant invgamma invgauss invweibull irwinhall jf_skew_t
    johnsonsb johnsonsu kappa3 kstwobign landau laplace laplace_asymmetric levy
    levy_l loggamma logistic loglaplace lognorm loguniform lomax maxwell mielke moyal nakagami ncf
    nct ncx2 norm norminvgauss pareto pearson3 powerlaw powerlognorm powernorm rayleigh rdist
    reciprocal rel_breitwigner rice semicircular skewcauchy skewnorm t trapezoid
    triang truncexpon truncnorm truncpareto truncweibull_min tukeylambda uniform vonmises
    wald weibull_max weibull_min wrapcauchy
    bernoulli betabinom betanbinom binom boltzmann dlaplace geom hypergeom logser nbinom
    nhypergeom planck poisson randint skellam yulesimon
    zipf zipfian
    """.split()  # noqa: SIM905 - a list of strings would take a hundred lines
)
MOST_ARGUMENTS = 8
#: Largest size of what shapes a distribution in JSON. Some add up, or integrate, for as long as
#: their parameters say, so that a short file could hold its reader for minutes.
LARGEST_SHAPE = 1e6
LARGEST_SHAPES = {
    "betabinom": 1e3,
    "gausshyper": 1e2,
    "genexpon": 1e2,
    "hypergeom": 1e5,
    "irwinhall": 100.0,
    "nct": 1e3,
    "nhypergeom": 1e3,
    "zipfian": 1e4,
    **dict.fromkeys(("loguniform", "randint", "reciprocal"), 1e12),  # ends, in the variable's unit
}
SLACK = 1e-9  # of probabilities: numerical integration leaves as much
N_PROBES = 241  # at which a noise model is looked at before it is used


@dataclass(frozen=True)
class NoiseGate:
    """Noise of each variable, as a gate reads it.

    Attributes
    ----------
    sigma : (m,) float64
        Scale of each variable's noise in its own unit, or as a share of |x| where the model is
        relative; 0: no noise, a hard gate.
    window : float
        Full width of the window in units of sigma; beyond half of it the distribution function
        is cut to 0 and 1.
    models : dict
        Variable -> object with ``cdf(d)``, for noise that is not normal: the probability that
        the true value exceeds the measured one by at most d, in the variable's unit, or by at
        most d |x| where the object has a true attribute ``relative``.
    conditioned : bool
        Uncertain values (UDT), errors that are drawn once: each value is a distribution that ends
        at the window, and what a test divides is the part of it that the tests above left over.
    ties_right : bool
        A value on the centre of a gate goes right whole, as in the hard test, in the place of being
        divided; not read where the gate is conditioned.
    """

    kind: ClassVar[str] = "noise"
    sigma: np.ndarray
    window: float = WINDOW
    models: dict[int, Any] = field(default_factory=dict)
    conditioned: bool = False
    ties_right: bool = False

    @property
    def soft(self) -> bool:
        """Whether it can divide an instance whose value is known."""
        return bool((np.asarray(self.sigma) > 0).any())

    @cached_property
    def center(self) -> np.ndarray:
        """(m,) float64: centre of each variable's noise, about which its window is cut."""
        center = np.zeros(len(self.sigma))
        for variable, model in self.models.items():
            center[variable] = center_of(model)
        return center

    @cached_property
    def relative(self) -> frozenset[int]:
        """Variables whose noise is a share of the measured value."""
        return frozenset(j for j, m in self.models.items() if getattr(m, "relative", False))

    @property
    def by_row(self) -> bool:
        """Whether a variable has another error in each row of one table."""
        return any(isinstance(model, RowNoise) for model in self.models.values())

    @cached_property
    def shift(self) -> np.ndarray:
        """(m,) float64: `center` in the variable's unit, 0 where that depends on the value."""
        shift = self.center.copy()
        shift[list(self.relative)] = 0.0
        return shift

    @property
    def half_window(self) -> float:
        """Half the window, in units of sigma."""
        return self.window / 2.0

    def at(self, gate_at: str) -> NoiseGate:
        """The gate as it treats a value on its centre, by a word of `GATES_AT`."""
        return replace(self, ties_right=True) if gate_at == "ties_right" else self

    def share(
        self,
        variable: int,
        center: float,
        x: np.ndarray,
        lower: float = -math.inf,
        upper: float = math.inf,
        rows: np.ndarray | None = None,
    ) -> np.ndarray:
        """Share of each value that goes left of `center` (thesis, equation 3.9).

        lower, upper: between which values the tests above put the variable; read by
        conditioned gates only (Tsang et al. 2011).
        rows: numbers of the rows of x, where these are not all; read by `RowNoise` only.
        """
        if self.conditioned and self.sigma[variable] > 0:
            x = np.asarray(x, dtype=np.float64)
            below, above, at = (self._ended(variable, t, x, rows) for t in (lower, upper, center))
            mass = above - below
            share = np.divide(at - below, mass, out=np.zeros_like(x), where=mass > 0)
            return np.where(mass > 0, np.clip(share, 0.0, 1.0), x < center)
        return self._below(variable, center, x, rows)

    def _ended(self, variable: int, t: float, x: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """Distribution function of each value at t, constant beyond the window."""
        model = self.models.get(variable)
        if model is not None and not isinstance(model, RowNoise):
            return self._below(variable, t, x, rows)
        units = (t - x) / self.sigma[variable] if model is None else model.measured(t - x, rows)
        return special.ndtr(np.clip(units, -self.half_window, self.half_window))

    def _below(
        self, variable: int, center: float, x: np.ndarray, rows: np.ndarray | None
    ) -> np.ndarray:
        """Probability that each true value is below `center`, whatever was tested before."""
        distance = np.asarray(center - x, dtype=np.float64)
        sigma = self.sigma[variable]
        if sigma <= 0:
            return (distance > 0).astype(np.float64)
        if variable in self.relative:
            distance = _relative(distance, x)
        model = self.models.get(variable)
        if isinstance(model, RowNoise):
            # In units of each row's own error, whose distribution is then the same for all.
            distance, sigma, model = model.measured(distance, rows), 1.0, None
        with np.errstate(over="ignore"):  # endless distances have a share as well
            share = (
                special.ndtr(distance / sigma)
                if model is None
                else model_probabilities(model, distance)
            )
            edge = (self.half_window - CLIP_TOLERANCE) * sigma
        share = np.clip(share, 0.0, 1.0)
        if self.ties_right:
            share = np.where(distance == 0, 0.0, share)
        distance = distance - self.center[variable]
        return np.where(distance >= edge, 1.0, np.where(distance <= -edge, 0.0, share))

    def callables(self) -> dict | None:
        """What the compiled core asks at its gates; None when all noise is normal by a factor.

        Variable -> ``f(center, x)``, or the numbers of a model that the core works out itself
        (see ``_gates.pxd``), which is ten times faster and the same within rounding.
        """
        if not self.models:
            return None

        def bind(variable):
            family = _compiled_family(self.models[variable])
            if family is None:
                return lambda center, x, rows=None: self.share(variable, center, x, rows=rows)
            kind, loc, scale = family
            sigma, center = float(self.sigma[variable]), float(self.center[variable])
            return kind, variable in self.relative, loc, scale, sigma, center, self.half_window

        return {variable: bind(variable) for variable in self.models}

    def to_dict(self) -> dict:
        """A form that JSON can hold; models must be frozen scipy distributions."""
        models = {}
        for variable, model in self.models.items():
            try:
                form = {
                    "distribution": model.dist.name,
                    "args": [float(a) for a in model.args],
                    "kwds": {k: float(v) for k, v in sorted(model.kwds.items())},
                }
                _distribution_of(form)
            except (AttributeError, TypeError, ValueError):
                raise InputError(
                    f"the noise model {model!r} of variable {variable} cannot be written to JSON",
                    remedy="use a frozen scipy.stats distribution, or pickle the tree",
                ) from None
            if getattr(model, "relative", False):
                form["relative"] = True
            models[str(variable)] = form
        return {
            "sigma": [float(s) for s in self.sigma],
            "window": float(self.window),
            "models": models,
            "conditioned": self.conditioned,
            **({"ties_right": True} if self.ties_right else {}),
        }

    @classmethod
    def from_dict(cls, form: dict) -> NoiseGate:
        """The gate that `to_dict` wrote."""
        validation.check_keys(
            form, "sigma", "window", "models", optional=("conditioned", "ties_right")
        )
        models = {}
        for variable, m in form["models"].items():
            model = _distribution_of(
                {name: value for name, value in m.items() if name != "relative"}
            )
            models[int(variable)] = RelativeNoise(model) if m.get("relative", False) else model
        sigma = np.asarray(form["sigma"], dtype=np.float64)
        flags = (form.get(name, False) for name in ("conditioned", "ties_right"))
        return cls(sigma, form["window"], models, *flags)

    def check(self, tree: Any) -> None:
        """Refuse noise that does not fit a tree (`sound.check_gate`)."""
        n = len(validation.check_lengths("sigma of a gate", self.sigma))
        tested = int(tree.feature.max())
        if n <= tested:
            raise InputError(
                f"the gate has noise for {n} variables and the tree tests variable {tested}",
                remedy="give a sigma for each variable, 0 where there is no noise",
            )
        if not (validation.is_number(self.window) and self.window > 0):
            raise InputError(f"the window of a gate is {self.window!r}", remedy="give a number")
        for name in ("conditioned", "ties_right"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InputError(
                    f"`{name}` of a gate is {getattr(self, name)!r}", remedy="give True or False"
                )
        for variable, model in self.models.items():
            if not 0 <= variable < n or not callable(getattr(model, "cdf", None)):
                raise InputError(
                    f"the gate has the noise model {model!r} for variable {variable!r}",
                    remedy="give an object with cdf(d) for a variable by its number",
                )


def _distribution_of(form: dict) -> Any:
    """The distribution that a form names; nothing else of scipy is called."""
    from scipy import stats

    validation.check_keys(form, "distribution", "args", "kwds")
    name, arguments, named = form["distribution"], form["args"], form["kwds"]
    is_listed = isinstance(name, str) and name in DISTRIBUTIONS
    family = getattr(stats, name, None) if is_listed else None
    numbers = [*arguments, *named.values()]
    if (
        family is None
        or not isinstance(arguments, list)
        or len(numbers) > MOST_ARGUMENTS
        or not all(map(validation.is_number, numbers))
    ):
        raise InputError(
            f"a gate of a tree has the noise model {name!r}, or arguments that are no numbers",
            remedy="name a distribution of scipy.stats",
        )
    shapes, _, _ = family._parse_args(*arguments, **named)
    largest = LARGEST_SHAPES.get(name, LARGEST_SHAPE)
    if any(abs(shape) > largest for shape in shapes):
        raise InputError(
            f"a gate of a tree has the noise model {name!r} of {max(map(abs, shapes)):g}",
            remedy=f"give parameters of at most {largest:g} in size",
        )
    model = family(*arguments, **named)
    check_model(model, "a gate of a tree")
    return model


@dataclass(frozen=True)
class ThresholdGate:
    """Piecewise-linear thresholds (PLT, Quinlan 1993): a soft gate for each test of one tree.

    Attributes
    ----------
    lower, upper : (n_nodes,) float64
        Where the share that goes left starts to fall from 1, and where it reaches 0; it is .5 at
        the threshold, also where a bound lies on it. NaN at leaves and at tests on categories.
    """

    kind: ClassVar[str] = "threshold"
    lower: np.ndarray
    upper: np.ndarray

    @property
    def soft(self) -> bool:
        """As that of `NoiseGate`."""
        return bool((np.asarray(self.lower) <= np.asarray(self.upper)).any())

    def share(self, node: int, threshold: float, x: np.ndarray) -> np.ndarray:
        """Share of each value that the test of a node sends left."""
        x = np.asarray(x, dtype=np.float64)
        lower, upper = self.lower[node], self.upper[node]
        with np.errstate(divide="ignore", invalid="ignore"):
            rising = 1.0 - 0.5 * (x - lower) / (threshold - lower)
            falling = 0.5 * (upper - x) / (upper - threshold)
        places = [x == threshold, x <= lower, x >= upper, x < threshold]
        return np.select(places, [0.5, 1.0, 0.0, rising], falling)

    def to_dict(self) -> dict:
        """A form that JSON can hold."""
        return {
            name: [None if math.isnan(v) else float(v) for v in getattr(self, name)]
            for name in ("lower", "upper")
        }

    @classmethod
    def from_dict(cls, form: dict) -> ThresholdGate:
        """The gate that `to_dict` wrote."""
        validation.check_keys(form, "lower", "upper")
        lower, upper = (
            np.array([math.nan if v is None else v for v in form[name]], dtype=np.float64)
            for name in ("lower", "upper")
        )
        return cls(lower, upper)

    def check(self, tree: Any) -> None:
        """Refuse bounds of another tree (`sound.check_gate`)."""
        for bound in (self.lower, self.upper):
            if np.shape(bound) != (tree.n_nodes,):
                raise InputError(
                    f"the gate has thresholds for {np.size(bound)} nodes and the tree has "
                    f"{tree.n_nodes}",
                    remedy="give the gate that was made for this tree",
                )
        lower, upper = np.asarray(self.lower), np.asarray(self.upper)
        with np.errstate(invalid="ignore", over="ignore"):
            # Without bounds (NaN) a test is hard.
            outside = (lower > tree.threshold) | (upper < tree.threshold) | np.isinf(upper - lower)
        if outside.any() or np.isinf(lower).any() or np.isinf(upper).any():
            raise InputError(
                "bounds of the gate do not lie on both sides of the threshold",
                remedy="give the gate that was made for this tree",
            )


@dataclass(frozen=True)
class CategoryGate:
    """Uncertain categories: a gate at tests on categories; tests on numbers are hard.

    Attributes
    ----------
    given : dict of int to (k, k) float64
        Variable -> probability of each true category (column) where a category stands in the
        data (row).

    Raises
    ------
    InputError
        A table that is not square, or a row that is no distribution.
    """

    kind: ClassVar[str] = "category"
    given: dict[int, np.ndarray]

    def __post_init__(self):
        for variable, table in self.given.items():
            table = np.asarray(table, dtype=np.float64)
            if (
                table.ndim != 2
                or table.shape[0] != table.shape[1]
                or not (table >= 0).all()
                or not np.allclose(table.sum(axis=1), 1.0, atol=1e-9)
            ):
                raise InputError(
                    f"the probabilities of true categories of variable {variable} are no "
                    "distributions",
                    remedy="give a square table with a row for each category observed, of "
                    "numbers of 0 or more that add up to 1",
                )

    @property
    def variables(self) -> tuple[int, ...]:
        """Variables whose categories are uncertain."""
        return tuple(self.given)

    @property
    def soft(self) -> bool:
        """As that of `NoiseGate`; a table that renames categories divides none."""
        tables = map(np.asarray, self.given.values())
        return any(((table > 0) & (table < 1)).any() for table in tables)

    def share(self, variable: int, subset: np.ndarray) -> np.ndarray:
        """Share that a test sends left, by the category that stands in the data.

        subset : (n_categories,) bool, categories that the test sends left; those beyond the
        table are certain.
        """
        table = np.asarray(self.given[variable], dtype=np.float64)
        k = _check_n_categories(variable, len(table), subset)
        share = subset.astype(np.float64)
        share[:k] = np.clip(table[:, subset[:k]].sum(axis=1), 0.0, 1.0)
        return share

    def to_dict(self) -> dict:
        """A form that JSON can hold."""
        return {"given": {str(j): np.asarray(p).tolist() for j, p in self.given.items()}}

    @classmethod
    def from_dict(cls, form: dict) -> CategoryGate:
        """The gate that `to_dict` wrote."""
        validation.check_keys(form, "given")
        return cls({int(j): np.array(p, dtype=np.float64) for j, p in form["given"].items()})

    def check(self, tree: Any) -> None:
        """Refuse tables for more categories than a tree has (`sound.check_gate`)."""
        _check_categories({variable: len(table) for variable, table in self.given.items()}, tree)


@dataclass(frozen=True)
class CategoryNoise:
    """Categories replaced at random: a gate at tests on categories; tests on numbers are hard.

    A category was replaced, with probability p, by a draw from the distribution of its variable.
    Given the category v that stands in the data, the true one is v with probability 1 - p, and
    otherwise distributed as if nothing were known, because the draw does not depend on what it
    replaced. The share that a test sends left is (1 - p) [v in S_L] + p P(S_L).

    Attributes
    ----------
    shares : dict of int to (n_categories,) float array
        Distribution of each categorical variable, as `hedgerow.data.category_shares` gives it.
    probability : float in [0, 1]
        Chance that a category was replaced.

    Raises
    ------
    InputError
        A probability outside [0, 1].
    """

    kind: ClassVar[str] = "replacement"
    shares: dict[int, np.ndarray]
    probability: float

    def __post_init__(self):
        check_number("probability of replacement", self.probability, 0.0, 1.0)

    @property
    def variables(self) -> tuple[int, ...]:
        """Variables whose categories are uncertain."""
        return tuple(self.shares)

    @property
    def soft(self) -> bool:
        """As that of `NoiseGate`."""
        return self.probability > 0 and len(self.shares) > 0

    def share(self, variable: int, subset: np.ndarray) -> np.ndarray:
        """As that of `CategoryGate`."""
        shares = np.asarray(self.shares[variable], dtype=np.float64)
        k = _check_n_categories(variable, len(shares), subset)
        left = float(shares[subset[:k]].sum())
        hard = subset.astype(np.float64)
        return np.clip((1 - self.probability) * hard + self.probability * left, 0.0, 1.0)

    def to_dict(self) -> dict:
        """A form that JSON can hold."""
        shares = {str(j): [float(s) for s in p] for j, p in self.shares.items()}
        return {"shares": shares, "probability": float(self.probability)}

    @classmethod
    def from_dict(cls, form: dict) -> CategoryNoise:
        """The gate that `to_dict` wrote."""
        validation.check_keys(form, "shares", "probability")
        shares = {int(j): np.array(p, dtype=np.float64) for j, p in form["shares"].items()}
        return cls(shares, form["probability"])

    def check(self, tree: Any) -> None:
        """Refuse distributions over more categories than a tree has (`sound.check_gate`)."""
        for variable, shares in self.shares.items():
            values = validation.check_lengths(f"the distribution of variable {variable}", shares)
            if values.sum() > 1 + 1e-9:
                raise InputError(
                    f"the shares of variable {variable}'s categories add up to {values.sum():g}",
                    remedy="give a distribution",
                )
        _check_categories({variable: len(p) for variable, p in self.shares.items()}, tree)


def _check_n_categories(variable: int, k: int, subset: np.ndarray) -> int:
    """k, the number of categories that a gate knows, where the tree knows as many."""
    if k > len(subset):
        raise InputError(
            f"the gate knows {k} categories of variable {variable} and the tree {len(subset)}",
            remedy="give the probabilities of the categories that the tree was grown with",
        )
    return k


def _check_categories(n_categories: dict[int, int], tree: Any) -> None:
    tested = set(tree.feature[tree.is_categorical()].tolist())
    for variable, k in n_categories.items():
        if variable < 0:
            raise InputError(
                f"the gate is for variable {variable}", remedy="count variables from 0"
            )
        if variable in tested:
            _check_n_categories(variable, k, tree.categories_left[0])


AnyGate = NoiseGate | ThresholdGate | CategoryGate | CategoryNoise
#: Gates of a finished tree by the word that stands for them in JSON and in the core.
GATES = {gate.kind: gate for gate in (NoiseGate, ThresholdGate, CategoryGate, CategoryNoise)}


def gate_to_dict(gate: AnyGate | None) -> dict | None:
    """A gate as JSON can hold it, with its kind."""
    if gate is None:
        return None
    return {"kind": gate.kind, **gate.to_dict()}


def gate_from_dict(form: dict | None) -> AnyGate | None:
    """The gate that `gate_to_dict` wrote."""
    if form is None:
        return None
    fields = dict(form)
    kind = fields.pop("kind", "noise")
    if not isinstance(kind, str) or kind not in GATES:
        raise InputError(
            f"the tree has a gate of kind {kind!r}",
            remedy=f"this version knows {', '.join(GATES)}; read it with a later one",
        )
    return GATES[kind].from_dict(fields)


def check_noise(gate: Any, n_variables: int, name: str) -> NoiseGate:
    """A gate that is noise on each of so many variables: of any other the core reads too far."""
    if not isinstance(gate, NoiseGate):
        raise InputError(
            f"{name} is a {type(gate).__name__}, a gate of finished trees",
            remedy="give it to their predict_proba; trees are grown and pruned with noise on "
            "numbers",
        )
    shape = np.shape(gate.sigma)
    if shape != (n_variables,):
        raise InputError(
            f"{name} has noise for {' x '.join(map(str, shape)) or 1} variables and the data have "
            f"{n_variables}",
            remedy="give a sigma for each variable, 0 where there is no noise",
        )
    if not (validation.is_number(gate.window) and 0 < gate.window <= WIDEST):
        raise InputError(
            f"the window of {name} is {gate.window!r}",
            remedy=f"give a number above 0 and at most {WIDEST:g}",
        )
    return gate


def spread_of(width: Any, ranges: np.ndarray) -> NoiseGate:
    """The pdf of each variable's values from its width (UDT, Tsang et al. 2011)."""
    try:
        widths = np.asarray(width, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        widths = np.array(math.nan)
    if widths.ndim and widths.shape != ranges.shape:
        raise InputError(
            f"width has {widths.size} entries for {len(ranges)} variables",
            remedy="give one width, or one for each variable",
        )
    if not ((widths == 0) | (widths >= NARROWEST) & (widths <= LARGEST)).all():
        raise InputError(
            f"width is {width!r}",
            remedy="give a share of the variable's range: 0, or a number of at least "
            f"{NARROWEST:g} and at most {LARGEST:g}",
        )
    sigma = widths / 4.0 * ranges
    # The inverse of what is less than a normal number is infinite.
    sigma = np.where(sigma < np.finfo(np.float64).tiny, 0.0, sigma)
    return NoiseGate(sigma, window=4.0, conditioned=True)


class RelativeNoise:
    """Noise in proportion to the measured value, such as that of an instrument good to 5 %.

    Parameters
    ----------
    model : noise model
        Of the relative error, (true - measured) / |measured|: an object with ``cdf(d)``, such as
        ``scipy.stats.norm(scale=0.05)``. A value of 0 has no noise.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from hedgerow.uncertainty import RelativeNoise
    >>> float(RelativeNoise(norm(scale=0.05)).std())
    0.05
    """

    relative = True

    def __init__(self, model: Any):
        self.model = model

    def __getattr__(self, name: str) -> Any:
        # cdf and whatever else the model has: mean, std, and the parameters of a frozen one.
        if name == "model" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.model, name)

    def __repr__(self) -> str:
        return f"RelativeNoise({self.model!r})"


class RowNoise:
    """Normal noise of a variable with a standard deviation for each row of one table.

    Parameters
    ----------
    sd : (n,) float64
        In the variable's unit; 0: the row is exact.
    """

    def __init__(self, sd: np.ndarray):
        self.sd = np.ascontiguousarray(sd, dtype=np.float64)

    @property
    def typical(self) -> float:
        """Root mean square of the rows' standard deviations, same unit."""
        largest = self.sd.max(initial=0.0)
        if not largest > 0:
            return 0.0
        return float(largest * np.sqrt(np.mean((self.sd / largest) ** 2)))

    def measured(self, distance: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """Distances in units of each row's standard deviation, endless where that is 0.

        distance : (n, ...) float64; rows : (n,) int, numbers of its rows; None: all of them.
        """
        sd = self.sd if rows is None else self.sd[rows]
        if len(sd) != len(distance):
            raise InputError(
                f"errors are given by row for {len(sd)} rows, and the data have {len(distance)}",
                remedy="give one standard deviation for each row",
            )
        sd = sd.reshape(-1, *[1] * (distance.ndim - 1))
        endless = np.where(distance > 0, np.inf, -np.inf)
        with np.errstate(over="ignore"):
            units = np.divide(distance, sd, out=endless, where=sd > 0)
        return np.where(np.isnan(distance), np.nan, units)

    def mean(self) -> float:
        """0, as every error is centred."""
        return 0.0

    def cdf(self, d: np.ndarray) -> np.ndarray:
        """P(error <= d), (n,), of one distance for each row."""
        return special.ndtr(self.measured(np.asarray(d, dtype=np.float64), None))

    def __repr__(self) -> str:
        return f"RowNoise({len(self.sd)} rows)"


def _relative(distance: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Distances as shares of |x|; at x = 0 endless ones, so that the gate is hard."""
    size = np.abs(np.asarray(x, dtype=np.float64))
    endless = np.where(distance > 0, np.inf, -np.inf)
    share = np.divide(distance, size, out=endless, where=size > 0)
    return np.where(np.isnan(size), np.nan, share)


#: Families that the core evaluates itself, in the order of its constants in _gates.pxd.
_FAMILIES = ("norm", "uniform", "laplace", "t")


def _compiled_family(model: Any) -> tuple[int, float, float] | None:
    """Kind, location and scale of a frozen distribution that the core knows, or None."""
    name = getattr(getattr(model, "dist", None), "name", None)
    if name not in _FAMILIES:
        return None
    shape, loc, scale = model.dist._parse_args(*model.args, **model.kwds)
    if name == "t" and shape != (3,):
        return None  # only three degrees of freedom have a closed form there
    return _FAMILIES.index(name), float(loc), float(scale)


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


def model_probabilities(model: Any, distance: np.ndarray, name: str = "a gate") -> np.ndarray:
    """Probabilities that a noise model gives, of the shape of the distances; NaN at NaN."""
    with np.errstate(over="ignore"):  # endless distances have a share as well
        given = model.cdf(distance.copy())  # which may be changed there
    try:
        share = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        share = None
    if share is None or share.shape != distance.shape:
        shape = "no numbers" if share is None else f"shape {share.shape}"
        raise _no_distribution(
            name, model, f"gives {shape} for distances of shape {distance.shape}"
        )
    probabilities = share[~np.isnan(distance)]
    if not ((probabilities >= -SLACK) & (probabilities <= 1 + SLACK)).all():
        wrong = probabilities[~((probabilities >= -SLACK) & (probabilities <= 1 + SLACK))][0]
        raise _no_distribution(name, model, f"gives {wrong:g}")
    return share


def _no_distribution(name: str, model: Any, why: str) -> InputError:
    return InputError(
        f"{name} holds the noise model {model!r}, whose cdf(d) {why}",
        remedy="give a distribution function, which rises from 0 to 1",
    )


def check_model(model: Any, name: str) -> float:
    """Refuse a noise model whose ``cdf`` is no distribution function.

    Returns: its scale (`scale_of`).
    """
    points = np.array([-1e300, -1e6, -1.0, -1e-3, 0.0, 1e-3, 1.0, 1e6, 1e300])
    values = model_probabilities(model, points, name)
    if not (
        (np.diff(values) >= -SLACK).all() and abs(values[0]) < 1e-6 and abs(values[-1] - 1) < 1e-6
    ):
        why = f"is {values[0]:g} far below and {values[-1]:g} far above 0"
        raise _no_distribution(name, model, why)
    scale, center = scale_of(model), center_of(model)
    around = center + scale * np.linspace(-WINDOW, WINDOW, N_PROBES)
    falls = np.flatnonzero(np.diff(model_probabilities(model, around, name)) < -SLACK)
    if len(falls):
        raise _no_distribution(
            name, model, f"falls between {around[falls[0]]:g} and the next value"
        )
    return scale


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
    spec : None, float, array of floats, noise model, sequence of floats and models, or NoiseGate
        A factor u stands for a normal model with sigma = u |mean|; a model is any object with
        ``cdf(d)``, the distribution function of the error d in the variable's unit. A gate is
        returned as it is.
    means : (m,) float64
        Weighted training means, or what else factors are to be multiplied by.
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
        A factor below 0 or above 1e150, a window that is not above 0 or above 1e9, a wrong number
        of entries, an object without ``cdf``, a gate that `check_noise` refuses.
    """
    if spec is None:
        return None
    if isinstance(spec, AnyGate):
        return check_noise(spec, len(means), name)
    check_number("window", window, 0.0, WIDEST)
    if window == 0:
        raise InputError("window is 0", remedy="give a number above 0")
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
                checked[id(entry)] = check_model(entry, name)
            sigma[j] = checked[id(entry)]
            if sigma[j] > 0:
                models[j] = entry
            continue
        if isinstance(entry, (bool, np.bool_)):
            raise InputError(f"{name} is {entry!r}", remedy="give an uncertainty factor, or None")
        try:
            factor = float(entry)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{name} is {entry!r}, neither a number nor an object with cdf(d)",
                remedy="give an uncertainty factor, or a frozen scipy.stats distribution",
            ) from None
        if not 0 <= factor <= LARGEST:
            raise InputError(
                f"{name} has the factor {factor!r}",
                remedy=f"give a finite factor of 0 or more and at most {LARGEST:g}",
            )
        sigma[j] = factor * abs(means[j])
    return NoiseGate(sigma, float(window), models)
