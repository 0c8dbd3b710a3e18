"""Snakemake for tests: imported once, and forked for each plan or run.

A plan spends most of its time on imports and on parsing the package for digests. Here both are done
ahead. Each request is a line of JSON, and the answer the exit code. A fork ends with its request.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import traceback

from snakemake.cli import main as snakemake_main

from hedgerow_study import workflow
from hedgerow_study.workflow.jobs import steps
from hedgerow_study.workflow.jobs.digest import STUDY, reached
from hedgerow_study.workflow.planning import graph


def parse_ahead() -> None:
    """Parse what digests reach; a file that is edited later is parsed anew."""
    for file in sorted((STUDY / "experiments").glob("*/*.py")):
        for declared in steps._module(f"{file.parent.name}.{file.stem}").values():
            reached(*steps._starts([declared]))


def plan(folder: str, arguments: list[str], out: str, err: str) -> int:
    """The exit code of Snakemake, which writes to two files."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        for stream, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder)
        if arguments[0] == "graph":  # as `graph.planned` asks for it
            graph.main(arguments[1])
        else:
            snakemake_main(arguments)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main(unchanging: bool) -> None:
    """Answer requests until there are no more. Digests of a package that is not edited are kept."""
    parse_ahead()
    if unchanging:
        workflow.digest_of = steps.digest_of = functools.cache(steps.digest_of)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(plan(**json.loads(line)), file=answers, flush=True)


if __name__ == "__main__":
    main(unchanging=sys.argv[1:] == ["unchanging"])
