"""The record of a run for the site: what differs from run to run, and stands in no checksum.

`write_record` makes ``reports/html/assets/run.js`` when a run has ended: commit, command, machine,
times of the rules, and a drawing of their graph. The pages of the site read it where it is.
"""

from __future__ import annotations

import datetime
import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.files import read_json, write_text
from hedgerow_study.workflow.planning.graph import ORDER, experiment_of
from hedgerow_study.workflow.planning.records import last_line, number, records_of_rules
from hedgerow_study.workflow.run import command
from hedgerow_study.workflow.running.progress import duration

RECORD = Path("reports/html/assets/run.js")
MANIFEST = Path("reports/manifest.json")

#: Names of what the overview tells, in its order.
FACTS = (
    *("Commit", "Command", "Ended", "Last run took", "Data fetched", "Machine", "Python"),
    "Manifest, SHA-256",
)
#: Measures of the drawing, in pixels.
BOX, GAP, LINE, NAME = (104, 26), 34, 34, 150


def write_record(root: Path | str = ".") -> None:
    """Write the record of the run that has just ended, in the process that ran it.

    root: Without a site and a manifest in it nothing is written.
    """
    root = Path(root)
    if not (root / RECORD).parent.is_dir() or not (root / MANIFEST).is_file():
        return
    manifest = read_json(root / MANIFEST)
    above = rules_above(manifest["jobs"])
    times = times_of_rules(root, above)
    content = {"facts": facts(root, manifest), "times": times, "graph": graph(above, times)}
    write_text(root / RECORD, as_script(content))


def as_script(content: Mapping[str, Any]) -> str:
    """A record as the pages load it."""
    text = json.dumps(content, ensure_ascii=False, indent=1).replace("</", r"<\/")
    return f"window.RUN = {text};\n"


def rules_above(jobs: Mapping[str, Mapping[str, Any]]) -> dict[str, set[str]]:
    """The rules whose files each rule reads, from the jobs of the manifest."""
    makers = {path: job["rule"] for job in jobs.values() for path in job["outputs"]}
    above: dict[str, set[str]] = {}
    for job in jobs.values():
        rules = {makers[path] for path in job["inputs"] if path in makers}
        above.setdefault(job["rule"], set()).update(rules - {job["rule"]})
    return above


def facts(root: Path, manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values for the overview, from the manifest and from this process."""
    import psutil

    now = datetime.datetime.now().astimezone()
    started = psutil.Process().create_time()
    memory = psutil.virtual_memory().total / 2**30
    fixed = recorded_facts(manifest, hashlib.sha256((root / MANIFEST).read_bytes()).hexdigest())
    fetched = [p.stat().st_mtime for p in (root / "data/raw").glob("*/source.json")]
    days = sorted(datetime.date.fromtimestamp(t).isoformat() for t in fetched)
    values = {
        **fixed,
        "Command": command(),
        "Ended": now.strftime("%Y-%m-%d %H:%M %Z"),
        "Last run took": duration(now.timestamp() - started),
        "Data fetched": " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "–",
        "Machine": f"{fixed['Machine']}, {os.cpu_count()} cores, {memory:.0f} GiB",
    }
    return [(name, values[name]) for name in FACTS]


def recorded_facts(manifest: Mapping[str, Any], digest: str) -> dict[str, str]:
    """Facts that follow from a manifest and its SHA-256, or begin as it says."""
    code = manifest["code"]
    tree = {True: "clean", False: "with changes", None: "state unknown"}[code["clean"]]
    return {
        "Commit": f"{code['commit'][:12]}, {tree}" if code["commit"] else "no repository",
        "Machine": manifest["platform"],
        "Python": manifest["python"],
        "Manifest, SHA-256": digest,
    }


def times_of_rules(root: Path, rules: Iterable[str]) -> list[list[str | float]]:
    """What the jobs of each rule took when they last ran: sum, longest, largest memory."""
    records = records_of_rules(root)
    rows = []
    for rule in sorted(set(rules) & records.keys()):
        jobs = list(map(last_line, root.glob(re.sub(r"\{\w+\}", "*", records[rule]))))
        seconds, memory = ([number(job[name]) for job in jobs] for name in ("s", "max_rss"))
        if jobs:
            line = [round(sum(seconds), 1), round(max(seconds), 1), round(max(memory))]
            rows.append([rule, len(jobs), *line])
    return sorted(rows, key=lambda row: (-row[2], row[0]))


# --------------------------------------------------------------------------------- the drawing


def graph(above: Mapping[str, set[str]], times: Sequence[Sequence]) -> str:
    """The graph of the rules as SVG: an experiment per line, from left to right what follows."""
    depth = _depths(above)
    cells: dict[tuple[str, int], list[str]] = {}
    for rule in sorted(above):
        cells.setdefault((experiment_of(rule), depth[rule]), []).append(rule)
    heights = {
        line: max(
            (len(rules) for (experiment, _), rules in cells.items() if experiment == line),
            default=0,
        )
        for line in ORDER
    }
    places, top = {}, 10
    tops = {}
    for line in ORDER:
        tops[line] = top
        for (experiment, column), rules in cells.items():
            if experiment == line:
                for i, rule in enumerate(rules):
                    places[rule] = (NAME + column * (BOX[0] + GAP), top + i * LINE)
        top += heights[line] * LINE + (10 if heights[line] else 0)
    width = NAME + (max(depth.values(), default=0) + 1) * (BOX[0] + GAP)
    seconds = {row[0]: row[2] for row in times}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" '
        f'viewBox="0 0 {width} {top}" role="img" aria-label="Graph of the rules" '
        'font-family="inherit" font-size="11" fill="currentColor">'
    ]
    for rule in sorted(above):
        for parent in sorted(above[rule]):
            if parent in places:
                parts.append(_edge(places[parent], places[rule]))
    for line in ORDER:
        if heights[line]:
            parts.append(
                f'<text x="4" y="{tops[line] + 17}" font-weight="600">{html.escape(line)}</text>'
            )
    for rule, (x, y) in sorted(places.items()):
        name = rule.removeprefix(f"{experiment_of(rule)}_")
        took = f"{seconds[rule]:.0f} s" if rule in seconds else ""
        parts.append(
            f"<g><title>{html.escape(rule)}: {took or 'no record'}</title>"
            f'<rect x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="3" '
            'fill="var(--wash)" stroke="var(--muted)"/>'
            f'<text x="{x + 5}" y="{y + 17}">{html.escape(name[:14])}</text>'
            f'<text x="{x + BOX[0] - 4}" y="{y + 17}" text-anchor="end" '
            f'fill="var(--muted)">{took}</text></g>'
        )
    return "".join([*parts, "</svg>"])


def _depths(above: Mapping[str, set[str]]) -> dict[str, int]:
    """Length of the longest way from a rule without parents."""
    depths: dict[str, int] = {}

    def of(rule: str) -> int:
        if rule not in depths:
            parents = [of(p) for p in above.get(rule, ()) if p in above]
            depths[rule] = 1 + max(parents, default=-1)
        return depths[rule]

    for rule in above:
        of(rule)
    return depths


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    x0, y0 = start[0] + BOX[0], start[1] + BOX[1] / 2
    x1, y1 = end[0], end[1] + BOX[1] / 2
    middle = (x0 + x1) / 2
    return (
        f'<path d="M{x0} {y0:g}C{middle:g} {y0:g} {middle:g} {y1:g} {x1} {y1:g}" fill="none" '
        'stroke="currentColor" stroke-opacity=".25"/>'
    )
