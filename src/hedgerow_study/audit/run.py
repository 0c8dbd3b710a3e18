"""A run in some folder, as the workflow of one's own checkout reads it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from hedgerow.errors import DataError, InputError
from hedgerow_study.audit.checkout import CLONE, NO_CHECKOUT, local_checkout
from hedgerow_study.audit.rerun import TRACKED
from hedgerow_study.workflow.jobs.steps import Arguments
from hedgerow_study.workflow.planning.graph import planned_again
from hedgerow_study.workflow.references.recorded import recorded


class Run:
    """The jobs of a run, with what each reads.

    Parameters
    ----------
    root : path
        Folder of the run.
    checkout : path, optional
        Whose workflow says which files a job reads, and whose settings and published figures it
        gets; by default that of the package in use.
    manifest : mapping, optional
        Of the run; by default the one that lies there.

    Raises
    ------
    DataError
        If no whole run lies there.
    InputError
        If the package in use lies in no checkout.
    """

    def __init__(
        self,
        root: Path | str,
        checkout: Path | None = None,
        manifest: Mapping[str, Any] | None = None,
    ):
        self.root = Path(root)
        local = local_checkout() if checkout is None else checkout
        if local is None:
            raise InputError(NO_CHECKOUT, remedy=CLONE)
        manifest = recorded(self.root).manifest if manifest is None else manifest
        if manifest is None or "jobs" not in manifest:
            raise DataError(f"{self.root} holds no run", remedy="call `make reproduce`")
        self.checkout = local
        #: Jobs whose functions make tables or judge claims, by id.
        self.jobs = {id: job for id, job in planned_again(local, manifest).items() if "asks" in job}
        self._arguments: dict[str, Arguments] = {}

    @contextlib.contextmanager
    def in_run_folder(self) -> Iterator[None]:
        """A folder to read in: what a run fetched and made, beside tracked files of one's own."""
        with contextlib.ExitStack() as stack:
            place = self.root
            if self.checkout.resolve() != self.root.resolve():
                place = Path(stack.enter_context(TemporaryDirectory(prefix="hedgerow-run-")))
                (place / "data").mkdir()
                for tracked in {path.removesuffix("/") for path in TRACKED}:
                    (place / tracked).symlink_to((self.checkout / tracked).resolve())
                for written in (
                    "reports",
                    *(f"data/{p.name}" for p in (self.root / "data").iterdir()),
                ):
                    if not (place / written).is_symlink():
                        (place / written).symlink_to((self.root / written).resolve())
            stack.enter_context(contextlib.chdir(place))
            yield

    def arguments(self, id: str) -> Arguments:
        """What a job reads; to be asked for where it is `in_run_folder`."""
        if id not in self._arguments:
            asks = self.jobs[id]["asks"]
            self._arguments[id] = Arguments(SimpleNamespace(wildcards=None, **asks))
        return self._arguments[id]
