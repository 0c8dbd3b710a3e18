"""Write the tables of R's answers in this folder: `python tests/survival/make_reference.py`.

R needs the packages survival and cmprsk, and HEDGEROW_MIRROR names a mirror of the data sets.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
from cohorts import (
    RULES,
    TABLE_YEARS,
    YEARS,
    Cohort,
    cohorts,
    competing,
    gompertz_table,
    on_the_mirror,
    people,
)

HERE = Path(__file__).parent


def ask(script: str, asked: dict[str, Cohort], answer: str) -> None:
    """Give each cohort to a script of R and put its answers one below the other."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for name, cohort in asked.items():
            given, out = Path(folder, f"{name}.csv"), Path(folder, f"{name}_answer.csv")
            follow_up = {"time": cohort.time, "event": cohort.event, "leaf": cohort.leaf}
            # Seventeen digits give back the same float.
            frame = pd.DataFrame(follow_up).join(cohort.covariates.reset_index(drop=True))
            frame.to_csv(given, index=False, float_format="%.17g")
            subprocess.run(["Rscript", HERE / script, given, out], check=True)
            answers.append(pd.read_csv(out, dtype=str).assign(cohort=name))
    table = pd.concat(answers)[["cohort", "leaf", "name", "value"]]
    table.to_csv(HERE / answer, index=False, lineterminator="\n")


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


def main() -> None:
    """Ask all scripts."""
    ask("reference.R", cohorts(), "reference.csv")
    with tempfile.TemporaryDirectory() as folder:
        real = {name: on_the_mirror(name, Path(folder)) for name in RULES}
    ask("competing.R", competing() | real, "competing.csv")
    ask_population()


if __name__ == "__main__":
    main()
