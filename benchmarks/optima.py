"""Fewest errors of trees of depth 2 and 3 on ten data sets, as another solver finds them.

    pip install pycontree==1.0.8
    python benchmarks/optima.py

Writes `tests/learner/optimal/optima.csv`, against which `test_gap.py` there holds ours. The solver
is ConTree (Brita, van der Linden, Demirovic 2025), under the MIT licence; nothing of hedgerow
needs it.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from bench import OPTIMAL_SETS, public

from hedgerow.files import write_csv

FILE = Path(__file__).resolve().parents[1] / "tests/learner/optimal" / "optima.csv"
LONGEST = 600.0  # seconds for a proof


def main() -> None:
    from pycontree import ConTree

    rows = []
    for key in OPTIMAL_SETS:
        found = public(key)
        if found is None:
            raise SystemExit(f"{key}: no source answers")
        X, y = found[0].to_numpy(float), np.unique(found[1], return_inverse=True)[1]
        for depth in (2, 3):
            model = ConTree(max_depth=depth, time_limit=LONGEST).fit(X, y.astype(np.int32))
            errors = int(np.sum(model.predict(X) != y))
            rows.append((key, depth, errors, f"pycontree {version('pycontree')}"))
            print(f"{key} depth {depth}: {errors} errors", flush=True)
    write_csv(FILE, pd.DataFrame(rows, columns=["dataset", "depth", "errors", "solver"]))


if __name__ == "__main__":
    main()
