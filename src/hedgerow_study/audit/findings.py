"""What an audit finds: a verdict for each file, and checks of the whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from hedgerow.texts import plain

IDENTICAL = "identical"
CLOSE = "equal within tolerance"
DIFFERS = "differs"
MISSING = "missing"
NOT_LISTED = "not listed"
VERDICTS = (IDENTICAL, CLOSE, DIFFERS, MISSING, NOT_LISTED)


@dataclass(frozen=True)
class File:
    """One file and what was found.

    Attributes
    ----------
    path : str
        Relative to what was audited.
    verdict : str
        One of `VERDICTS`.
    kind : str
        input, output, between (made on the way) or record; empty for what is not listed.
    why : str
        What speaks for another verdict than identical.
    """

    path: str
    verdict: str
    kind: str = ""
    why: str = ""


@dataclass(frozen=True)
class Check:
    """A check of the whole.

    Attributes
    ----------
    name : str
    holds : bool or None
        None where it was not checked.
    messages : list of str
        What was found, a sentence each.
    """

    name: str
    holds: bool | None
    messages: list[str] = field(default_factory=list)


@dataclass
class Findings:
    """Result of an audit.

    Attributes
    ----------
    where : str
        What was audited.
    files : list of File
    checks : list of Check
    digest : str or None
        SHA-256 of the manifest.
    rerun_jobs : list of str
        Ids of the jobs that were rerun, drawn or named.
    cheap : list of str
        Ids of the cheap jobs, which were rerun as well.
    seed : int or None
        With which they were drawn.
    unlisted_allowed : bool
        Whether files that are not listed leave the result as it is.
    """

    where: str
    files: list[File] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    digest: str | None = None
    rerun_jobs: list[str] = field(default_factory=list)
    cheap: list[str] = field(default_factory=list)
    seed: int | None = None
    unlisted_allowed: bool = False

    @property
    def holds(self) -> bool:
        """Whether every file and every check does."""
        fine = {IDENTICAL, CLOSE, *([NOT_LISTED] if self.unlisted_allowed else [])}
        whole = all(check.holds is not False for check in self.checks)
        return whole and all(file.verdict in fine for file in self.files)

    def not_checked(self) -> list[str]:
        """Names of the checks that were not made."""
        return [check.name for check in self.checks if check.holds is None]

    def counts(self) -> dict[str, int]:
        """Files by verdict, in the order of `VERDICTS`."""
        counts = Counter(file.verdict for file in self.files)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {"holds": self.holds, "counts": self.counts(), **_plain(asdict(self))}


def _plain(content: Any) -> Any:
    """As it is, but for texts: a name of a file need not be one that UTF-8 can hold."""
    if isinstance(content, dict):
        return {key: _plain(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_plain(value) for value in content]
    return plain(content) if isinstance(content, str) else content
