"""Write tests/survival/reference.csv: `python tests/survival/make_reference.py`, where R is."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
from cohorts import cohorts

HERE = Path(__file__).parent


def main() -> None:
    """Give each cohort to reference.R and put its answers one below the other."""
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for name, cohort in cohorts().items():
            given, answer = Path(folder, f"{name}.csv"), Path(folder, f"{name}_answer.csv")
            follow_up = {"time": cohort.time, "event": cohort.event, "leaf": cohort.leaf}
            # Seventeen digits give back the same float.
            frame = pd.DataFrame(follow_up).join(cohort.covariates.reset_index(drop=True))
            frame.to_csv(given, index=False, float_format="%.17g")
            subprocess.run(["Rscript", HERE / "reference.R", given, answer], check=True)
            answers.append(pd.read_csv(answer, dtype=str).assign(cohort=name))
    table = pd.concat(answers)[["cohort", "leaf", "name", "value"]]
    table.to_csv(HERE / "reference.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
