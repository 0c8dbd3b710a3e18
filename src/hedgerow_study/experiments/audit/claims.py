"""Every claim of the papers and every question of our own, judged, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hedgerow.errors import ConfigError
from hedgerow_study.experiments import module_of
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.analytic_choices import word_of
from hedgerow_study.reporting.claim_specification import (
    NOT_TESTABLE,
    SOURCE,
    TOO_LITTLE,
    Claim,
    OfRows,
    specified,
    suggestion,
)
from hedgerow_study.reporting.claims import (
    COLUMNS,
    HANGS_ON,
    from_reference,
    judge,
    with_statements,
)

#: Before the names of columns that tell of tracked results at the scale of the papers.
SCALE = "paper_scale_"
#: What became of a claim in all analyses of its paper, by the column of `analytic_choices`.
ROBUSTNESS_COLUMNS = {
    "analyses_word": "word",
    "analyses_n": "n_analyses",
    "analyses_reproduced": "reproduced",
    "analyses_decides": "decides",
}
#: Of reports/claims.csv.
ORDER = [
    "claim",
    "paper",
    "section",
    "experiment",
    "statement",
    "published_value",
    "measured",
    "estimate",
    "low",
    "high",
    "interval_of",
    "verdict",
    "lacking",
    "n_datasets",
    "hangs_on",
    "n_left_out",
    "paper_scale_verdict",
    "paper_scale_measured",
    "paper_scale_lacking",
    "paper_scale_n_datasets",
    "paper_scale_hangs_on",
    "paper_scale_n_left_out",
    *ROBUSTNESS_COLUMNS,
    *(f"{SCALE}{name}" for name in ROBUSTNESS_COLUMNS),
    "shown",
    "rule",
    "code",
]


@step()
def all_claims(
    judged: Sequence[pd.DataFrame],
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
    reference: Frames,
    experiments: Sequence[str],
    ids: Sequence[str],
    analyses: Sequence[pd.DataFrame],
    tracked_analyses: Sequence[pd.DataFrame],
) -> pd.DataFrame:
    """All claims of data/published/claims.csv, then our own, whatever the configuration runs.

    Returns: columns as in `ORDER`. paper and section are empty for questions of our own; estimate,
    low, high and interval_of as in `hedgerow_study.reporting.claims.judge`, hangs_on and n_left_out
    as in `hedgerow_study.reporting.claims.hanging`; analyses_word (reproduced in all, in
    some, in none), analyses_n, analyses_reproduced (the share of these) and analyses_decides (a
    choice) are empty where a claim was not read in other ways, with `SCALE` before them those of
    the tracked results; shown lists tables and figures with blanks between them. A claim of an
    experiment that does not run is inconclusive.
    """
    claims = specified(specification)
    statements = statements.fillna("")
    _check(claims, statements, ids)
    verdicts = pd.concat([*judged, _not_run(claims, experiments)], ignore_index=True)
    verdicts = verdicts.reindex(columns=[*COLUMNS, *HANGS_ON])
    verdicts = verdicts.fillna({"hangs_on": "", "n_left_out": 0}).astype({"n_left_out": int})
    verdicts = with_statements(verdicts, claims, statements).set_index("claim")
    papers = statements.set_index("claim_id")
    at_scale = _at_scale(reference)
    read, read_at_scale = _robustness_of(analyses), _robustness_of(tracked_analyses, SCALE)
    questions = [name for name, claim in claims.items() if claim.statement]
    lines = []
    for name in [*papers.index, *questions]:
        claim, word = claims[name], claims[name].experiment
        of_paper = papers.loc[name] if name in papers.index else {"paper": "", "section": ""}
        lines.append(
            {
                **verdicts.loc[name],
                "claim": name,
                "paper": of_paper["paper"],
                "section": of_paper["section"],
                "experiment": word,
                **at_scale.get(name, {}),
                **read.get(name, {}),
                **read_at_scale.get(name, {}),
                "shown": " ".join(shown_of(claim)),
                "rule": f"{word}_claims",
                "code": f"{module_of(word)}.claims:claims",
            }
        )
    return pd.DataFrame(lines, columns=ORDER)


def _robustness_of(
    robustness: Sequence[pd.DataFrame], prefix: str = ""
) -> dict[str, dict[str, Any]]:
    """What became of each claim that has a verdict in an analysis, by claim."""
    texts = {"n_analyses": "{:d}", "reproduced": "{:.4g}"}
    return {
        row["claim"]: {
            f"{prefix}{name}": texts.get(of, "{}").format(row[of])
            for name, of in ROBUSTNESS_COLUMNS.items()
        }
        | {f"{prefix}analyses_word": word_of(row["reproduced"], row["n_analyses"])}
        for frame in robustness
        for row in from_reference(frame).fillna({"decides": ""}).to_dict("records")
        if row["n_analyses"]
    }


def shown_of(claim: Claim) -> tuple[str, ...]:
    """Tables and figures that hold the numbers of a claim: its own, else those of its frames."""
    if claim.shown:
        return claim.shown
    frames = dict.fromkeys(m.of for m in claim.measures.values() if isinstance(m, OfRows))
    return tuple(dict.fromkeys(i for frame in frames for i in claim.frames_shown.get(frame, ())))


def _check(claims: Mapping[str, Claim], published: pd.DataFrame, ids: Sequence[str]) -> None:
    for name in published["claim_id"]:
        if name not in claims:
            raise ConfigError(f"{SOURCE}: `{name}` is not bound", remedy="give it an entry")
    for name, claim in claims.items():
        shown = shown_of(claim)
        if not shown:
            raise ConfigError(
                f"{SOURCE}: `{name}` names no table or figure",
                remedy=f"list them in `shown` of `{name}`, or by frame in that of its experiment",
            )
        for identifier in shown:
            if identifier not in ids:
                raise ConfigError(
                    f"{SOURCE}: `{name}` is shown in `{identifier}`, which is no table or figure",
                    remedy=suggestion(identifier, ids),
                )


def _not_run(claims: Mapping[str, Claim], experiments: Sequence[str]) -> pd.DataFrame:
    """Claims of the experiments that do not run, judged on nothing."""
    out = {name: claim for name, claim in claims.items() if claim.experiment not in experiments}
    frame = judge(out, {})
    why = [f"the configuration does not run {out[name].experiment}" for name in frame["claim"]]
    # What cannot be tested at all says so in any configuration.
    open_ = frame["verdict"] != NOT_TESTABLE
    return frame.assign(
        verdict=frame["verdict"].where(~open_, TOO_LITTLE),
        lacking=frame["lacking"].where(~open_, pd.Series(why, index=frame.index, dtype=object)),
    )


def _at_scale(reference: Frames) -> dict[str, dict[str, str]]:
    """Verdicts of the tracked results at the scale of the papers, by claim."""
    return {
        row["claim"]: {
            f"{SCALE}{column}": str(row.get(column, "")).removesuffix(".0")
            for column in ("verdict", "measured", "lacking", "n_datasets", *HANGS_ON)
        }
        for frame in reference.values()
        for row in from_reference(frame.fillna("")).to_dict("records")
    }
