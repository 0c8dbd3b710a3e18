"""The frame of a workflow script: log, errors in one line, whole files or none."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from hedgerow.errors import HedgerowError

logger = logging.getLogger("hedgerow")


@contextlib.contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run the body of a script with its log file, and turn an error into one line.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives a script; `rule` and `log` are read.

    Notes
    -----
    The log file gets the package's messages and, after an error, the traceback; the screen gets
    one line. The exit code is 1 after an error. What the user can mend (`HedgerowError`) is shown
    as it is, anything else with its type and a pointer to the log.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(log, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    except Exception as error:
        logger.error("%s failed\n%s", snakemake.rule, traceback.format_exc())
        line = " ".join(str(error).split())
        if not isinstance(error, HedgerowError):
            line = f"{type(error).__name__}: {line}; the traceback is in {log}"
        print(f"{snakemake.rule}: {line}", file=sys.stderr)
        raise SystemExit(1) from None
    finally:
        root.removeHandler(handler)
        handler.close()


class Declared:
    """A plan that shows only the settings that the rule declares in its `params`.

    A function that reads another setting gets an error instead of a default: otherwise a change of
    that setting would not rerun the job.

    Parameters
    ----------
    plan : object
        A plan, such as `hedgerow.experiments.soft.SoftPlan`.
    names : iterable of str
        Settings that may be read.
    """

    def __init__(self, plan: Any, names):
        self.__plan = plan
        self.__names = frozenset(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self.__names:
            return getattr(self.__plan, name)
        raise AttributeError(
            f"the job reads the setting `{name}`, which its rule does not declare in `params`"
        )


def declared_plan(
    plan_class: Any, declared: Mapping[str, Any], datasets: Sequence[str] | None = None
) -> Any:
    """The plan of a job, which shows only what its rule declares.

    Parameters
    ----------
    plan_class : class
        With `from_config(section, seed, configuration_name)`, such as `SoftPlan`.
    declared : mapping
        Settings from the rule's `params`.
    datasets : sequence of str, optional
        Data sets of the job; by default those that are declared.

    Returns
    -------
    Declared
    """
    section = {k: v for k, v in declared.items() if k not in ("seed", "configuration")}
    if datasets is not None:
        section["datasets"] = list(datasets)
    plan = plan_class.from_config(
        section,
        declared.get("seed", 0),
        declared.get("configuration", ""),
    )
    return Declared(plan, {*declared, "datasets"})


# ------------------------------------------------------------------------------ whole files


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a path beside the target; rename it into place when the body has succeeded.

    Parameters
    ----------
    path : path
        The target; its folder is made.

    Yields
    ------
    path
        A new file in the same folder with the same suffix, removed when the body fails.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.stem}-", suffix=f".part{path.suffix}"
    )
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        with open(beside, "rb") as file:
            os.fsync(file.fileno())
        # mkstemp makes private files; give the one that stays the usual permissions.
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(0o666 & ~mask)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole, UTF-8 with plain line feeds."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file whole, keys sorted."""
    write_text(path, json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_parquet(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table whole; the same table gives the same bytes."""
    with written_whole(path) as beside:
        frame.to_parquet(beside, index=False, compression="zstd")


def write_csv(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table whole, floats so that they can be read back as they were."""
    with written_whole(path) as beside:
        frame.to_csv(beside, index=False, lineterminator="\n")


def read_each(inputs: Any, *names: str) -> dict[str, pd.DataFrame]:
    """Read the parquet inputs of these names."""
    return {name: pd.read_parquet(getattr(inputs, name)) for name in names}


def write_each(outputs: Any, frames: Mapping[str, pd.DataFrame], write: Callable) -> None:
    """Write the tables of a job to its outputs of the same names.

    Raises
    ------
    KeyError
        If names of tables and outputs are not the same.
    """
    paths = dict(outputs.items())
    if set(paths) != set(frames):
        raise KeyError(f"outputs {sorted(paths)} and tables {sorted(frames)} do not match")
    for name, path in paths.items():
        write(path, frames[name])
