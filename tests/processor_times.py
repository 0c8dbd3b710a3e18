"""What the tests of each file cost, and in which order files are tested.

`tests/processor_time.csv` has the seconds of each file, of its processes together: it says where
tests are dear, and does not count waiting. What costs most comes first, so that no process waits
for another one in the end. `python -m pytest --write-times` measures, which `make test` does not.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from hedgerow.files import write_text

FILE = Path(__file__).with_name("processor_time.csv")
#: Of files that share the run of the smoke configuration one process makes it and the others wait:
#: so many other files stand between the first of them and the next.
BETWEEN = 4


def in_order(
    files: Collection[str], seconds: Mapping[str, float], sharing: Collection[str] = ()
) -> list[str]:
    """Files as they are to be tested; one that was never measured comes first.

    sharing : those that share the run of the smoke configuration
    """
    dearest = sorted(files, key=lambda file: -seconds.get(file, math.inf))
    first = [file for file in dearest if file in sharing][:1]
    between = [file for file in dearest if file not in sharing][:BETWEEN]
    head = dict.fromkeys(first + between) if first else {}
    return [*head, *(file for file in dearest if file not in head)]


def read() -> dict[str, float]:
    """Seconds of each file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {line["file"]: float(line["seconds"]) for line in csv.DictReader(file)}


def used() -> float:
    """Processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


class Times:
    """A plugin of pytest that adds up and writes."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report) -> None:
        """Of set-up, call and tear-down."""
        self.seconds[report.nodeid.partition("::")[0]] += report.processor_time

    def pytest_sessionfinish(self, session, exitstatus) -> None:
        """After a run that was not broken off: what was not tested stays, what is gone goes."""
        if exitstatus in (0, 1):
            root = Path(session.config.rootpath)
            kept = {file: took for file, took in read().items() if (root / file).is_file()}
            kept |= {file: round(took, 1) for file, took in self.seconds.items()}
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(
                [("file", "seconds"), *sorted(kept.items())]
            )
            write_text(FILE, text.getvalue())
