"""How long the tests of each file took, and in which order files are tested.

`make test` keeps the seconds of each file in `tests/.durations.json`, which is not tracked. What
takes longest comes first, so that no process waits for another one in the end.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from hedgerow.files import write_text

FILE = Path(__file__).with_name(".durations.json")
#: Files that come first where nothing was measured: a fresh clone.
FIRST = (
    "test_workflow_runs",
    "test_workflow_reference",
    "test_workflow_absent",
    "test_workflow_example",
    "test_workflow_plan",
    "test_workflow_reruns",
    "test_workflow_edits",
    "test_diverse_trees",
    "test_structure",
)
#: Of files that share the run of the smoke configuration one process makes it and the others wait:
#: so many other files stand between the first of them and the next.
BETWEEN = 4


def in_order(
    files: Collection[str], seconds: Mapping[str, float], sharing: Collection[str] = ()
) -> list[str]:
    """Files as they are to be tested.

    Parameters
    ----------
    files : collection of str
        As they were collected: paths from the root of the project.
    seconds : mapping
        File -> what it took. One that is not here is new and comes first; if there is none at all,
        those of `FIRST` do.
    sharing : collection of str
        Files that share the run of the smoke configuration.
    """
    if not seconds:
        places = {name: place for place, name in enumerate(FIRST)}
        return sorted(files, key=lambda file: places.get(Path(file).stem, len(FIRST)))
    slowest = sorted(files, key=lambda file: -seconds.get(file, math.inf))
    first = [file for file in slowest if file in sharing][:1]
    between = [file for file in slowest if file not in sharing][:BETWEEN]
    head = dict.fromkeys(first + between) if first else {}
    return [*head, *(file for file in slowest if file not in head)]


def read() -> dict[str, float]:
    """Seconds of each file; nothing where they were not kept, or cannot be read."""
    try:
        kept = json.loads(FILE.read_text(encoding="utf-8"))
        return {str(file): float(seconds) for file, seconds in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


class Durations:
    """A plugin of pytest that adds up and keeps them."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report) -> None:
        """Of set-up, call and tear-down; where a run is shared, set-up is mostly waiting for it."""
        if not (report.when == "setup" and getattr(report, "shares_run", False)):
            self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self, session, exitstatus) -> None:
        """After a run that was not broken off."""
        if exitstatus in (0, 1) and self.seconds:
            root = Path(session.config.rootpath)
            kept = {file: took for file, took in read().items() if (root / file).is_file()}
            kept |= {file: round(took, 2) for file, took in self.seconds.items()}
            write_text(FILE, json.dumps(kept, indent=1, sort_keys=True) + "\n")
