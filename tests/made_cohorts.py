"""A made-up cohort with a treatment, and a small draw of the simulated registry."""

from pathlib import Path

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, load_registry
from hedgerow.data.aortic_stenosis import OUTCOMES, AorticStenosisPlan, aortic_stenosis

REGISTRY = Path(__file__).parents[1] / "config/datasets.yaml"
SIMULATED = "synthetic_aortic_stenosis"
FACTS = {
    "made_up": {
        "unit": "years",
        "event": "death",
        "horizon": 4.0,
        "intervention": {"time": "treated_at"},
        "landmark": 0.5,
        "adjust_for": ["age"],
    },
    SIMULATED: load_registry(REGISTRY)[SIMULATED].cohort.to_dict(),
}


def made_up(n=300, seed=0):
    """Patients whose marker tells their hazard, some of them treated."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"age": random.normal(70.0, 8.0, n), "marker": random.normal(size=n)})
    X["noise"] = random.normal(size=n)
    death = random.exponential(5.0 * np.exp(-2.2 * (X["marker"] > 0)))
    end = random.uniform(0.5, 12.0, n)
    wanted = np.where(random.uniform(size=n) < 0.3, random.uniform(0.05, 1.0, n), np.inf)
    time = np.round(np.minimum(death, end), 3)
    X["treated_at"] = np.where(wanted < time, np.round(wanted, 3), np.nan)
    X.loc[X["treated_at"] >= time, "treated_at"] = np.nan
    y = (death <= end).astype(np.int64)
    return TidyTable(
        "made_up", X, y, ["censored", "death"], "outcome", time=time, time_name="years"
    )


def simulated(men=160, women=160):
    """A small draw of the simulated registry, as the tidy table has it."""
    plan = AorticStenosisPlan(men, women, 9.3, 1.2, 17.9, 0.03, 1)
    frame = aortic_stenosis(plan)
    y = frame.pop("outcome").map(list(OUTCOMES).index).to_numpy(np.int64)
    time = frame.pop("years").to_numpy()
    return TidyTable(SIMULATED, frame, y, list(OUTCOMES), "outcome", time=time, time_name="years")
