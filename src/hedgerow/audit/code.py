"""The code of a run: the commit that its manifest names, and the files that lie here now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.audit.findings import Check
from hedgerow.audit.trust import is_own
from hedgerow.reporting.checkout import (
    Checkout,
    checksums_reached,
    commit_of,
    git,
    unlike_commit,
)

#: How many names a sentence holds.
MOST = 5


#: Why git has no say about a folder that is not trusted.
NOT_ASKED = "git is not asked, for a repository may name programs that it runs (--trust)"


def check_code(
    root: Path, manifest: Mapping[str, Any], allow_changes: bool, ask_git: bool = True
) -> list[Check]:
    """Whether the run was made by a commit, and whether what lies here is that commit.

    ask_git: The settings of a repository name programs, which git runs.

    Returns: `commit`: of the run; `tracked files`: code, workflow, settings, published figures and
        results at paper scale.
    """
    code = manifest["code"]
    if "files" not in code:
        said = "The manifest is of an earlier version and names no files of code."
        return [Check("commit", None, [said])]
    then = Checkout.from_dict(code)
    return [_made_by(root, then, allow_changes), _lies_here(root, then, ask_git)]


def _made_by(root: Path, then: Checkout, allow_changes: bool) -> Check:
    said = [then.sentence()] if then.sentence() else [f"{then.commit}, as it was committed."]
    said += [f"{names(paths)} {how}." for how, paths in _by_kind(then.changed)]
    if then.changed and allow_changes:
        said.append("The manifest holds the lines that differ (`code`, `diff`): read them.")
    elif then.changed:
        said.append(
            "Commit the changes and call `make reproduce`, or allow them (--allow-changes)."
        )
    if not is_own(root):
        said.append("The package in use lies elsewhere: digests of jobs tell its code, no commit.")
    holds = None if then.commit is None or (then.changed and allow_changes) else not then.changed
    return Check("commit", holds, said)


def _lies_here(root: Path, then: Checkout, ask_git: bool) -> Check:
    """What lies here, beside the hashes in the manifest and beside the commit itself."""
    name, now = "tracked files", checksums_reached(root)
    said = _unlike(then.files, now, "not what the run was made with")
    here = commit_of(root) if ask_git else None
    if then.commit is None:
        fine = f"Those of the run, {len(now)} by their checksums; no commit was told."
        return Check(name, not said, said or [fine])
    if here is None:
        silent = "git cannot say what it committed" if ask_git else NOT_ASKED
        fine = f"Those of the run, {len(now)} by their checksums; {silent}."
        return Check(name, not said, said or [fine])
    unlike = unlike_commit(root, then.commit)
    if unlike is None:
        said.append(f"This repository does not have commit {then.commit}: fetch it.")
        return Check(name, False, said)
    # What the run had changed itself is told beside the commit; the manifest may not hide more.
    hidden = {path: how for path, how in unlike.items() if then.changed.get(path) != how}
    told = {
        path for path in then.files.keys() | now.keys() if then.files.get(path) != now.get(path)
    }
    hidden = {path: how for path, how in hidden.items() if path not in told}
    said += [f"{names(paths)}: {how} since commit {then.commit[:12]}, which the manifest does not "
             "say." for how, paths in _by_kind(hidden)]  # fmt: skip
    fine = f"All {len(now)} are those of commit {then.commit[:12]}"
    fine += ", but for the changes." if then.changed else "."
    if here != then.commit:
        n = git(root, "rev-list", "--count", f"{then.commit}..HEAD")
        fine += f" {n} later commits changed nothing that a run reaches." if not said else ""
    return Check(name, not said, said or [fine])


def _unlike(then: Mapping[str, str], now: Mapping[str, str], words: str) -> list[str]:
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
