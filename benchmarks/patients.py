"""A clinician's own table of 100,000 patients and 40 columns, from CSV to folder, on two cores.

    python benchmarks/patients.py             100,000 patients
    python benchmarks/patients.py 10000       what `make bench` runs, as its part `patients`

The goal is a minute, permutations apart. The patients are synthetic. Cox models are timed against
lifelines in turn, as in `bench.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from bench import alternately

N = 100_000
GOAL = 60.0  # seconds
ADJUSTED = [f"v{k}" for k in range(1, 8)]  # as many covariates as thesis table 6.3


def synthetic(n: int) -> pd.DataFrame:
    """Patients with 33 numbers, 4 categories, a treatment, time and event."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        np.round(random.normal(50.0, 10.0, (n, 33)), 2), columns=[f"v{k}" for k in range(33)]
    )
    for k in range(4):
        table[f"c{k}"] = random.choice(["a", "b", "c"], n)
    hazard = 0.05 * np.exp(0.03 * (table["v0"] - 50.0) + 0.5 * (table["c0"] == "a"))
    death, end = random.exponential(1.0 / hazard), random.uniform(0.0, 16.0, n)
    years = np.round(np.minimum(death, end), 4)
    treated = np.round(np.minimum(random.uniform(0.0, 1.0, n), 0.9 * years), 4)
    table["treated"] = np.where(random.uniform(size=n) < 0.3, treated, np.nan)
    return table.assign(years=years, event=(death <= end).astype(int))


def whole(table: pd.DataFrame) -> None:
    """The command, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "patients.csv"
        table.to_csv(path, index=False)
        command = [sys.executable, "-m", "hedgerow.cli", "survival", str(path), "--quiet"]
        command += ["--time", "years", "--event", "event", "--intervention", "treated"]
        command += ["--adjust", ",".join(ADJUSTED), "--out", str(Path(folder) / "sheet")]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        spent = time.perf_counter() - start
        megabytes = path.stat().st_size / 1e6
    print(
        f"  {len(table):,} x {table.shape[1]} ({megabytes:.0f} MB), tree of depth 4, "
        f"{len(ADJUSTED)} covariates, treated and untreated: {spent:.1f} s"
        + (f"   (goal {GOAL:.0f})" if len(table) == N else "")
    )


def models(table: pd.DataFrame) -> None:
    """A Cox model of an indicator, and one with covariates, against lifelines."""
    from lifelines import CoxPHFitter
    from lifelines.statistics import proportional_hazard_test

    from hedgerow.survival.cox import cox

    def theirs(frame, of, time, died, confidence):
        data = frame.assign(time=time, died=died)
        model = CoxPHFitter(alpha=1.0 - confidence).fit(data, "time", "died")
        proportional_hazard_test(model, data)
        return model.hazard_ratios_[of]

    years, died = table["years"].to_numpy(), table["event"].to_numpy() == 1
    indicator = pd.DataFrame({"leaf": table["c0"] == "a"})
    for name, frame in (("alone", indicator), ("7 covariates", indicator.join(table[ADJUSTED]))):
        given = (frame.astype(float), "leaf", years, died, 0.95)
        one, other = alternately(lambda g=given: cox(*g), lambda g=given: theirs(*g), 1)
        print(
            f"  Cox model of {len(frame):,} patients, {name}: {one:.2f} s   lifelines {other:.1f} s"
            f"   ratio {one / other:.3f}"
        )


def main() -> None:
    """Run it for as many patients as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patients", nargs="?", type=int, default=N, help="default: %(default)s")
    n = parser.parse_args().patients
    if n < 1_000:
        parser.error(f"{n} patients are too few to time; give at least 1000")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:2]))
    print("patients: `hedgerow survival` on two cores")
    made = synthetic(n)
    whole(made)
    models(made)


if __name__ == "__main__":
    main()
