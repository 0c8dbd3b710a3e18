"""Files that follow from others: `environment.yml` and the table of settings in the manual.

`python -m hedgerow.workflow.generated` says which of them are out of date, `--write` writes them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from hedgerow.experiments.plan import describe
from hedgerow.workflow.config import config_schema, walk
from hedgerow.workflow.jobs import write_text

BEGIN = "<!-- settings: made from the plans of the experiments by `make generated` -->"
END = "<!-- end of settings -->"

ENVIRONMENT = """\
# For users of conda: names and versions of requirements.lock, made from it by `make generated`.
# Python and the compiler come from conda-forge, the packages through pip. The package itself is
# installed into it afterwards: pip install --no-deps --no-build-isolation -e .
name: hedgerow
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.11
  - c-compiler
  - make
  - pip
  - pip:
"""


def locked(lock: str) -> dict[str, str]:
    """Names and versions of a file of pinned requirements, in its order."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, flags=re.MULTILINE))


def environment(lock: str) -> str:
    """Text of `environment.yml` for a text of `requirements.lock`."""
    lines = (f"      - {name}=={version}\n" for name, version in locked(lock).items())
    return ENVIRONMENT + "".join(lines)


def settings_table(schema: dict) -> str:
    """The settings of a schema as a Markdown table."""
    rows = ["| setting | takes | default | meaning |", "| --- | --- | --- | --- |"]
    for name, setting in walk(schema):
        description = " ".join(setting["description"].split()).replace("|", "\\|")
        section = "properties" in setting
        takes = "section" if section else describe(setting)
        default = "" if section else f"`{_flow(setting['default'])}`"
        rows.append(f"| `{name}` | {takes} | {default} | {description} |")
    return "\n".join(rows)


def with_settings(manual: str, schema: dict) -> str:
    """A manual with its table of settings brought up to date.

    Raises
    ------
    ValueError
        If the manual does not have the two marks between which the table stands.
    """
    head, begin, rest = manual.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the manual has no place for the settings ({BEGIN} ... {END})")
    return f"{head}{BEGIN}\n{settings_table(schema)}\n{END}{tail}"


def generated(root: Path | str = ".") -> dict[Path, str]:
    """Path and wanted text of every file that follows from others."""
    root = Path(root)
    manual = root / "config/README.md"
    schema = config_schema()
    return {
        root / "environment.yml": environment(
            (root / "requirements.lock").read_text(encoding="utf-8")
        ),
        manual: with_settings(manual.read_text(encoding="utf-8"), schema),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """List the files that are out of date, or write them."""
    arguments = sys.argv[1:] if arguments is None else arguments
    stale = []
    for path, text in generated().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if "--write" in arguments:
                write_text(path, text)
    for path in stale:
        print(f"{path}: {'written' if '--write' in arguments else 'out of date'}")
    return 0 if "--write" in arguments or not stale else 1


def _flow(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
    return text.removesuffix("...").strip()


if __name__ == "__main__":
    sys.exit(main())
