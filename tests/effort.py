"""How many random tables the tests draw: fewer while writing, all in the long run.

What is covered by construction (criteria, gates, policies) stays parametrised, with fewer draws of
each. They are the first of the long run: a table that fails has the same number in both.
"""

from __future__ import annotations

import math

from hypothesis import HealthCheck, settings

#: Share of the draws of `--effort long`; `longer` is for `make test-asan`, which wants many of the
#: few trees that are changed and usable.
SHARES = {"quick": 0.05, "usual": 0.2, "long": 1.0, "longer": 3.6}
#: Chosen by the option `--effort` before tests are collected.
chosen = "usual"


def share(n: int, least: int = 2) -> int:
    """How many of n draws are made."""
    return max(min(n, least), math.ceil(n * SHARES[chosen]))


def draws(n: int, first: int = 0, least: int = 2) -> range:
    """Seeds of random tables: the first of n."""
    return range(first, first + share(n, least))


def examples(n: int, **more) -> settings:
    """Hypothesis: how many examples a property is tried on."""
    return settings(
        max_examples=share(n, least=5),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        **more,
    )
