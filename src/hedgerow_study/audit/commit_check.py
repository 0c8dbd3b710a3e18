"""The code of a run: the commit that its manifest names, and the files that lie here now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow_study.audit.checkout import is_own_checkout
from hedgerow_study.audit.findings import Check
from hedgerow_study.reporting.checkout import (
    Checkout,
    checksums_reached,
    commit_of,
    git,
    unlike_commit,
)

#: How many names a sentence holds.
MOST = 5


def check_code(
    root: Path, manifest: Mapping[str, Any], allow_changes: bool, repository: Path | None
) -> list[Check]:
    """Whether the run was made by a commit, and whether what lies here is that commit.

    repository: the auditor's own, which has the commit or not. The folder's is not asked: its
    objects come from the sender, and its settings name programs, which git runs.

    Returns: `commit`: of the run; `tracked files`: code, workflow, settings, published figures and
        results at paper scale.
    """
    code = manifest["code"]
    if "files" not in code:
        message = "The manifest is of an earlier version and names no files of code."
        return [Check("commit", None, [message])]
    then, now = Checkout.from_dict(code), checksums_reached(root)
    unlike = None
    if repository is not None and then.commit is not None:
        unlike = unlike_commit(root, then.commit, repository)
    # What differs from the commit, and is said neither by the manifest nor by its checksums.
    hidden = None
    if unlike is not None:
        hidden = {
            path: how
            for path, how in unlike.items()
            if then.changed.get(path) != how and then.files.get(path) == now.get(path)
        }
    here = None if repository is None else commit_of(repository)
    commit = _commit_check(then, allow_changes, hidden)
    if commit.holds and here != then.commit and not is_own_checkout(root):
        commit.messages.append(f"Your checkout, whose code reruns the jobs, is at {here}.")
    tracked = _tracked_files_check(then, now, hidden)
    if tracked.holds and hidden is not None and here != then.commit and is_own_checkout(root):
        n = git(root, "rev-list", "--count", f"{then.commit}..HEAD")
        tracked.messages.append(f"{n} later commits changed nothing that a run reaches.")
    return [commit, tracked]


def _commit_check(then: Checkout, allow_changes: bool, hidden: Mapping[str, str] | None) -> Check:
    """hidden: None where no repository of the reader's has the commit."""
    lines = [then.sentence()] if then.sentence() else []
    lines += [f"{names(paths)} {how}." for how, paths in _by_kind(then.changed)]
    if then.changed and allow_changes:
        lines.append("The manifest holds the lines that differ (`code`, `diff`): read them.")
    elif then.changed:
        lines.append(
            "Commit the changes and call `make reproduce`, or allow them (--allow-changes)."
        )
    if hidden:
        lines.append(f"It is not commit {then.commit}: see tracked files.")
    elif then.commit is not None and hidden is None:
        lines.append(f"Your repository does not have commit {then.commit}: fetch it.")
    holds = not hidden and (allow_changes or not then.changed)
    unknown = then.commit is None or hidden is None
    lines = lines or [f"{then.commit}, as it was committed."]
    return Check("commit", None if holds and unknown else holds, lines)


def _tracked_files_check(
    then: Checkout, now: Mapping[str, str], hidden: Mapping[str, str] | None
) -> Check:
    """What lies here, beside the checksums in the manifest and beside the commit itself."""
    lines = _differing_files(then.files, now, "not what the run was made with")
    if hidden is None:
        silent = "no commit was recorded" if then.commit is None else "its commit is not known here"
        fine = f"Those of the run, {len(now)} by their checksums; {silent}."
        return Check("tracked files", not lines, lines or [fine])
    lines += [f"{names(paths)}: {how} since commit {then.commit[:12]}, which the manifest does not "
             "say." for how, paths in _by_kind(hidden)]  # fmt: skip
    fine = f"All {len(now)} are those of commit {then.commit[:12]}"
    fine += ", but for the changes." if then.changed else "."
    return Check("tracked files", not lines, lines or [fine])


def _differing_files(then: Mapping[str, str], now: Mapping[str, str], words: str) -> list[str]:
    changed = sorted(path for path in then.keys() & now.keys() if then[path] != now[path])
    parts = [(changed, f"{words}"), (sorted(then.keys() - now.keys()), "gone since the run")]
    parts.append((sorted(now.keys() - then.keys()), "new since the run"))
    return [f"{names(paths)}: {how}." for paths, how in parts if paths]


def _by_kind(changed: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    kinds = dict.fromkeys(changed.values())
    return [(kind, [path for path, how in changed.items() if how == kind]) for kind in kinds]


def names(paths: Iterable[str]) -> str:
    """The first of some names, and how many more there are."""
    paths = list(paths)
    if len(paths) <= MOST:
        return ", ".join(paths)
    return f"{', '.join(paths[:MOST])} and {len(paths) - MOST} more"
