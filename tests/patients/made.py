"""Small made-up tables of patients, as CSV in many dialects."""

from __future__ import annotations

import numpy as np
import pandas as pd


def patients(n=240, seed=0, hazard=0.06):
    """Patients whose age and marker tell their hazard; times in years, a third treated."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "patient": [f"P{k:04d}" for k in range(n)],
            "age": random.integers(40, 90, n),
            "marker": np.round(random.normal(2.0, 0.7, n), 2),
            "sex": random.choice(["female", "male"], n),
        }
    )
    hazard = hazard * np.exp(0.04 * (table["age"] - 65) + 1.4 * (table["marker"] > 2))
    death, end = random.exponential(1.0 / hazard), random.uniform(1.0, 12.0, n)
    table["years"] = np.round(np.minimum(death, end), 3)
    table["status"] = np.where(death <= end, "dead", "alive")
    wanted = np.round(random.uniform(0.02, 0.9, n), 3)
    treated = (random.random(n) < 0.35) & (wanted < table["years"])
    table["surgery"] = np.where(treated, wanted, np.nan)
    return table


def written(path, table, **how):
    """A CSV file of it."""
    table.to_csv(path, index=False, **how)
    return path
