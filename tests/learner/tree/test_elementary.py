"""The core's own exp, log, pow, atan and erfc, beside the same to 60 digits or more."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hedgerow.tree import _elementary

ROOT = Path(__file__).resolve().parents[3]
RANDOM = np.random.default_rng(8)
N = 20_000
#: Function, its arguments, its reference in numbers of 64 bits and more, and the units in the
#: last place that it may be wrong by; numpy's long doubles tell half a unit of a double from more.
CASES = {
    "exp of small": ("exp", RANDOM.uniform(-1, 1, N), np.exp, 1),
    "exp of any": ("exp", RANDOM.uniform(-708, 709, N), np.exp, 1),
    "log near 1": ("log", RANDOM.uniform(0.5, 2, N), np.log, 1),
    "log of any": ("log", np.exp(RANDOM.uniform(-700, 700, N)), np.log, 1),
    "log of subnormal": ("log", RANDOM.uniform(1, 9, N) * 1e-310, np.log, 1),
    "atan of small": ("atan", RANDOM.uniform(-1, 1, N), np.arctan, 3),
    "atan of any": ("atan", 10 ** RANDOM.uniform(-9, 9, N), np.arctan, 3),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_of_the_last_place(case):
    name, x, reference, places = CASES[case]
    if np.finfo(np.longdouble).nmant <= np.finfo(np.float64).nmant:
        pytest.skip("long doubles are doubles here")
    found, exact = _elementary.values(name, x), reference(x.astype(np.longdouble))
    unit = np.spacing(np.abs(exact).astype(np.float64))
    assert np.abs((found - exact) / unit).max() < places


def test_powers_that_are_whole_are_exact():
    """Progressive widening asks whether a power has passed a whole number."""
    n = np.arange(1.0, 20_000)
    assert (_elementary.values("pow", n**2, np.full(len(n), 0.5)) == n).all()
    assert (_elementary.values("pow", n, np.full(len(n), 2.0)) == n**2).all()
    assert (_elementary.values("pow", n, np.ones(len(n))) == n).all()
    for exponent in (0.1, 0.25, 0.3, 0.5, 0.7):
        powers = _elementary.values("pow", n, np.full(len(n), exponent)).astype(int)
        # The largest whole k with k^(1 / exponent) <= n, by whole numbers.
        share = Fraction(exponent).limit_denominator(100)
        for base, power in zip(n[::97].astype(int).tolist(), powers[::97].tolist(), strict=True):
            bound = base**share.numerator
            assert power**share.denominator <= bound < (power + 1) ** share.denominator


@pytest.mark.parametrize("low,high", [(-6, 1), (0.9, 1.1), (1, 6), (6, 26)])
def test_erfc_is_right_in_the_tail_as_well(low, high):
    x = RANDOM.uniform(low, high, 4000)
    # The C library's, since scipy's is wrong by 6e-14 in the tail.
    expected = np.array([math.erfc(value) for value in x])
    np.testing.assert_allclose(_elementary.values("erfc", x), expected, rtol=1e-14)


def test_ends():
    infinity = math.inf
    ends = np.array([-infinity, infinity, math.nan, 0.0])
    for name, expected in {
        "exp": [0.0, infinity, math.nan, 1.0],
        "log": [math.nan, infinity, math.nan, -infinity],
        "atan": [-math.pi / 2, math.pi / 2, math.nan, 0.0],
        "erfc": [2.0, 0.0, math.nan, 1.0],
    }.items():
        np.testing.assert_array_equal(_elementary.values(name, ends), expected)
    found = _elementary.values("exp", [-746.0, -745.0, 709.7, 710.0])
    expected = [0.0, math.exp(-745.0), math.exp(709.7), infinity]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    assert _elementary.values("pow", [0.0, 0.0], [0.5, 0.0]).tolist() == [0.0, 1.0]


def test_the_core_asks_no_function_of_the_c_library_whose_last_bit_is_free():
    """Gates, their tables and searches did: another libm gave other trees in the last bit."""
    free = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot"}
    free |= {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "atanh"}
    free |= {"erf", "erfc", "tgamma", "lgamma"}
    for file in sorted((ROOT / "src/hedgerow").rglob("*")):
        if file.suffix not in (".pyx", ".pxd", ".h"):
            continue
        text = file.read_text(encoding="utf-8")
        heads = [line for line in text.splitlines() if "libc.math cimport" in line]
        words = {word.strip(" ,") for line in heads for word in line.split()}
        assert not words & free, file.name
        if file.suffix == ".h":
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert not set(re.findall(r"\b(\w+)\(", code)) & free, file.name
