"""Write the tables of R's answers in this folder: `python tests/survival/make_reference.py`.

R needs the packages survival and cmprsk, and HEDGEROW_MIRROR names a mirror of the data sets.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
from cohorts import RULES, Cohort, cohorts, competing, on_the_mirror

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


def main() -> None:
    """Ask all scripts."""
    ask("reference.R", cohorts(), "reference.csv")
    with tempfile.TemporaryDirectory() as folder:
        real = {name: on_the_mirror(name, Path(folder)) for name in RULES}
    ask("competing.R", competing() | real, "competing.csv")


if __name__ == "__main__":
    main()
