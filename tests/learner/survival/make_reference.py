"""Write the tables of R's answers in this folder.

    python tests/learner/survival/make_reference.py

With names of tables, `... adjusted.csv`, these alone are asked again.

R needs the packages survival and cmprsk, and HEDGEROW_MIRROR names a mirror of the data sets. The
call of each quantity goes to calls.csv, beside those that make what it reads (`own`, `curve`, ...).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from cohorts import (
    LANDMARKS,
    OF_THE_ARCHIVE,
    OF_THE_MIRROR,
    RULES,
    TABLE_YEARS,
    TIMES,
    YEARS,
    Cohort,
    adjusted,
    cohorts,
    competing,
    gompertz_table,
    late,
    of_lifelines,
    of_the_registry,
    people,
    treated,
)

HERE = Path(__file__).parent


def ask(script: str, asked: dict[str, Cohort], answer: str, at: dict[str, tuple]) -> pd.DataFrame:
    """Give cohorts and times to a script of R, put its answers in one table; its calls."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder, "calls.csv")
        for name, cohort in asked.items():
            given, out = Path(folder, f"{name}.csv"), Path(folder, f"{name}_answer.csv")
            follow_up = {"time": cohort.time, "event": cohort.event, "leaf": cohort.leaf}
            # Seventeen digits give back the same float.
            frame = pd.DataFrame(follow_up).join(cohort.covariates.reset_index(drop=True))
            frame.to_csv(given, index=False, float_format="%.17g")
            arguments = [given, out, calls, *map(str, at[name])]
            subprocess.run(["Rscript", script, *arguments], check=True, cwd=HERE)
            answers.append(pd.read_csv(out, dtype=str).assign(cohort=name))
        made = pd.read_csv(calls).assign(table=answer)[["table", "name", "call"]]
    table = pd.concat(answers)[["cohort", "leaf", "name", "value"]]
    table.to_csv(HERE / answer, index=False, lineterminator="\n")
    return made


def ask_population() -> None:
    """Survival of the population that the made-up life table describes."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        table, given, out = (Path(folder, f"{name}.csv") for name in ("table", "given", "answer"))
        gompertz_table(TABLE_YEARS).to_csv(table, index=False, float_format="%.17g")
        for name, patients in people().items():
            patients.to_csv(given, index=False, float_format="%.17g")
            arguments = [table, given, out, *map(str, YEARS)]
            subprocess.run(["Rscript", HERE / "population.R", *arguments], check=True)
            answers.append(pd.read_csv(out, dtype=str).assign(cohort=name))
    pd.concat(answers)[["cohort", "leaf", "years", "at", "value"]].to_csv(
        HERE / "population.csv", index=False, lineterminator="\n"
    )


def main(wanted: list[str]) -> None:
    """Ask all scripts, or those of some tables."""
    with tempfile.TemporaryDirectory() as folder:
        known = {
            name: of_the_registry(name, Path(folder, name))
            for name in OF_THE_ARCHIVE | OF_THE_MIRROR | RULES
        }
        of_treatment = {name: treated(name, Path(folder, "treated")) for name in LANDMARKS}
        with_covariates = {name: adjusted(name, Path(folder, "treated")) for name in LANDMARKS}
    one = cohorts() | of_lifelines()
    one |= {name: known[name] for name in OF_THE_ARCHIVE | OF_THE_MIRROR}
    several = competing() | {name: known[name] for name in RULES}
    nothing: dict[str, tuple] = dict.fromkeys([*one, *several], ())
    horizons = {name: (TIMES[name][1],) for name in late()}
    asked = {
        "reference.csv": ("reference.R", one, TIMES),
        "competing.csv": ("competing.R", several, TIMES),
        "treated.csv": ("treated.R", of_treatment, LANDMARKS),
        "adjusted.csv": ("adjusted.R", with_covariates, nothing),
        "entry.csv": ("entry.R", late(), horizons),
        "means.csv": ("means.R", late(), horizons),
    }
    file = HERE / "calls.csv"
    before = pd.read_csv(file)
    calls = [
        ask(script, own, table, at)
        if not wanted or table in wanted
        else before[before["table"] == table]
        for table, (script, own, at) in asked.items()
    ]
    pd.concat(calls).to_csv(file, index=False, lineterminator="\n")
    if not wanted or "population.csv" in wanted:
        ask_population()


if __name__ == "__main__":
    main(sys.argv[1:])
