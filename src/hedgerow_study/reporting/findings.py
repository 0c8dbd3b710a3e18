"""What came out, in plain sentences with their numbers: config/findings.yaml, filled from claims.

A phrase in square brackets is filled twice, with the numbers at the scale of the papers and with
those of the run. Both are read from what was measured for a claim, so that a sentence and the
page of its claim cannot say two things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import ConfigError
from hedgerow.schema import read, setting

#: Columns of reports/claims.csv: what was measured, and the verdict.
RUN, PAPER = ("measured", "verdict"), ("paper_scale_measured", "paper_scale_verdict")
_PHRASE = re.compile(r"\[([^\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Finding:
    """A sentence.

    Attributes
    ----------
    text : str
    numbers : mapping of str
        By claim, the pattern whose named groups are the numbers.
    also : tuple of str
        Further claims.
    """

    text: str = setting(remedy="write a sentence with its numbers in square brackets")
    numbers: Mapping[str, str] = setting(remedy="write `claim: pattern`")
    also: tuple[str, ...] = setting((), remedy="list ids of claims")

    @property
    def claims(self) -> list[str]:
        """Ids of all claims that the sentence rests on."""
        return [*self.numbers, *self.also]


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence.

    Attributes
    ----------
    text : str
        With the numbers at the scale of the papers, or of the run where there are no others.
    here : str or None
        With those of the run, or its verdict where it has no such numbers; None for words.
    """

    text: str
    here: str | None = None


def read_findings(
    content: Any, source: str = "config/findings.yaml"
) -> dict[str, tuple[Finding, ...]]:
    """Sentences by paper, from the file as read."""
    findings_by_paper = read(content, Mapping[str, tuple[Finding, ...]], source, ConfigError)
    for finding in (one for findings in findings_by_paper.values() for one in findings):
        try:
            groups = {g for p in finding.numbers.values() for g in re.compile(p).groupindex}
        except re.error as error:
            raise ConfigError(
                f"{source}: a pattern of {', '.join(finding.numbers)} cannot be read ({error})",
                remedy="write a regular expression of Python with named groups",
            ) from None
        slots = {s for phrase in _PHRASE.findall(finding.text) for s in _SLOT.findall(phrase)}
        if slots != groups or not slots:
            odd = sorted(slots ^ groups) or ["no number at all"]
            raise ConfigError(
                f"{source}: text and patterns of {', '.join(finding.numbers)} differ in {odd[0]}",
                remedy="name a group for each {number} of the text, and use each group",
            )
    return findings_by_paper


def phrases_of(finding: Finding, claims: Mapping[str, Mapping[str, Any]]) -> list[Phrase]:
    """A sentence with its numbers.

    Returns: none where neither the references nor the run have its numbers.
    """
    paper, here = (_numbers(finding, claims, columns[0]) for columns in (PAPER, RUN))
    if paper is None and here is None:
        return []
    verdicts = [str(claims.get(id, {}).get(RUN[1], "")) for id in finding.numbers]
    phrases = []
    for n, piece in enumerate(_PHRASE.split(finding.text)):
        if n % 2 == 0:
            phrases.append(Phrase(piece))
            continue
        shown = piece.format(**(here if paper is None else paper))
        in_run = piece.format(**here) if here else next(filter(None, verdicts), "not run")
        phrases.append(Phrase(shown, in_run))
    return [phrase for phrase in phrases if phrase.text]


def _numbers(
    finding: Finding, claims: Mapping[str, Mapping[str, Any]], column: str
) -> dict[str, str] | None:
    """The numbers of a sentence by name; None where one of them is not there."""
    numbers: dict[str, str] = {}
    for id, pattern in finding.numbers.items():
        match = re.search(pattern, str(claims.get(id, {}).get(column, "")))
        if match is None:
            return None
        numbers |= match.groupdict()
    return numbers


def paragraphs(
    findings: Mapping[str, Sequence[Finding]], claims: Sequence[Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Sentences by paper for a page: `phrases` and the ids of `claims`; none without numbers."""
    rows = {row["claim"]: row for row in claims}
    by_paper = {
        paper: [
            {"phrases": phrases, "claims": [id for id in one.claims if id in rows]}
            for one in sentences
            if (phrases := phrases_of(one, rows))
        ]
        for paper, sentences in findings.items()
    }
    return {paper: sentences for paper, sentences in by_paper.items() if sentences}
