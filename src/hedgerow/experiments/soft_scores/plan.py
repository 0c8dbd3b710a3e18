"""Settings and names of scores and ranks beyond the thesis."""

from __future__ import annotations

#: It works on the rows of `soft` and has no settings of its own.
SECTION = "soft"

#: Scores and whether more is better.
SCORES = {"accuracy": True, "macro_f1": True, "brier": False}

#: Fewer data sets than this are not tested: ranks of two say nothing.
FEWEST_DATASETS = 3
