"""Numbers of `paper/paper.md`, from the tracked results at the papers' scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.experiments.answers.plan import CLEAN, EXPERIMENT
from hedgerow.files import read_csv
from hedgerow.reporting.checkout import RESULTS
from hedgerow.workflow.reproduction import AT_SCALE, judged
from hedgerow.workflow.which_method import conditions_table

if TYPE_CHECKING:
    import pandas as pd

PAGE = "paper/paper.md"
#: Conditions of `answers` that the paper shows: of each doubt one, none, and all.
CONDITIONS = (CLEAN, "error", "missing_for_a_reason", "doubtful_classes", "all")


def pages(root: Path) -> dict[str, dict[str, str]]:
    """Texts of the page by their marks; none where the tracked results are not all there."""
    folder = root / RESULTS / EXPERIMENT
    if not ((root / PAGE).is_file() and (root / AT_SCALE).is_file() and folder.is_dir()):
        return {}
    effects = read_csv(folder / "answers_effects.csv")
    gains = conditions_table(effects, CONDITIONS)
    return {PAGE: {"verdicts": verdicts_line(judged(root)), "gains": gains}}


def verdicts_line(claims: pd.DataFrame) -> str:
    """How many statements of the papers are reproduced, and how many hold under every reading."""
    n = claims["verdict"].value_counts()
    reproduced, partly, fails = (n.get(v, 0) for v in ("reproduced", "partly", "not reproduced"))
    rest = len(claims) - reproduced - partly - fails
    words = claims["word"].value_counts()
    one, none, some = (words.get(word, 0) for word in ("robust", "refuted", "fragile"))
    return (
        f"Of {len(claims)} statements {reproduced} are reproduced, {partly} in part and {fails} "
        f"not; {rest} cannot be judged on public data. Of those judged under eight readings or "
        f"more, {one} have one verdict under nine in ten, {none} are reproduced under none, and "
        f"{some} hang on a choice that nobody printed."
    )
