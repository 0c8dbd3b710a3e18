"""The record of the run that the site shows (`run.js`), beside the manifest.

No manifest lists it, because it holds times. It is a script that a browser runs: an edit of it
could write anything over the pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.files import read_text
from hedgerow_study.audit.findings import DIFFERS, IDENTICAL, File
from hedgerow_study.workflow.showing.record import (
    FACTS,
    RECORD,
    as_script,
    graph,
    recorded_facts,
    rules_above,
)


def check_shown(root: Path, manifest: Mapping[str, Any], digest: str) -> list[File]:
    """The verdict of the record; nothing where there is none.

    What follows from the manifest has to be what it says: commit, Python, machine, digest and the
    drawing of the graph. The rest is the word of the machine that ran it: its command, its times.
    """
    if not (root / RECORD).is_file():
        return []
    try:
        text = read_text(root / RECORD)
    except DataError:
        text = ""
    why = _fault(text, manifest, digest)
    return [File(RECORD.as_posix(), DIFFERS if why else IDENTICAL, "record", why)]


def _fault(text: str, manifest: Mapping[str, Any], digest: str) -> str:
    """What is not as the manifest says; empty if nothing."""
    try:
        content = json.loads(text.removeprefix("window.RUN = ").removesuffix(";\n"))
        facts = {name: value for name, value in content["facts"]}
        # The same text again: nothing but the data stands in the file.
        if text != as_script(content) or list(content) != ["facts", "times", "graph"]:
            return "it holds more than the record of a run"
        times = [[str(rule), *map(float, numbers)] for rule, *numbers in content["times"]]
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return "it is no record of a run"
    if tuple(facts) != FACTS or not all(isinstance(value, str) for value in facts.values()):
        return "it has other facts than the record of a run"
    for name, value in recorded_facts(manifest, digest).items():
        if not facts[name].startswith(value):
            return f"{name} is {facts[name]!r}, {value!r} by the manifest"
    above = rules_above(manifest["jobs"])
    if any(len(row) != 5 or row[0] not in above for row in times):
        return "it has times of other rules than those of the manifest"
    try:
        drawn = graph(above, content["times"])
    except RecursionError:
        drawn = None  # jobs of the manifest that come from each other
    if content["graph"] != drawn:
        return "its graph is not that of the manifest's jobs"
    return ""
