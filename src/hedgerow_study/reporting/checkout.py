"""The checkout that a run is made from: its commit, its files, and what differs from the commit.

A run of changed code or changed bounds looks like any other one: each digest in its manifest is
that of the changed code. What a run reaches in its folder is therefore compared with the commit.
Git is asked what the commit holds and nothing else; the files are compared here, so that no
setting of git (an index that assumes files unchanged, a list of ignored files) hides one.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.files import read_json

#: What a run may reach of its folder, beside data that it fetches and what it makes. No result
#: depends on the rest: documents, tests, benchmarks.
REACHED = (
    *("CITATION.cff", "Snakefile", "config", "data/published", "data/reference"),
    *("environment.yml", "meson.build", "meson.options", "profiles", "pyproject.toml"),
    *("requirements.lock", "requirements-build.lock", "src", "workflow"),
)
#: What of it Snakemake runs.
WORKFLOW = ("Snakefile", "profiles", "workflow")
#: Made, though tracked: `hedgerow reference` writes it.
RESULTS = "data/reference"
#: What tools leave beside the files that they read; nothing reads it but them.
LEFT_FOLDERS = {"__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
LEFT_ENDS = (".pyc", ".pyo", ".swp", "~", ".DS_Store")
#: How a file differs from the commit.
CHANGED, NEW, GONE = "changed", "new", "gone"
#: Characters of the difference that are kept.
MOST_CHARACTERS = 200_000
#: Files that the pages name.
NAMED = 8
#: Names a file that holds the state of another folder: a copy in which a job is rerun stands
#: for the checkout that it was copied from.
VARIABLE = "HEDGEROW_CHECKOUT"


@dataclass(frozen=True)
class Checkout:
    """State of a checkout, as far as a run reaches it.

    Attributes
    ----------
    commit : str or None
        The last commit that changed any of it: later ones changed documents and tests only. None
        where git cannot say.
    date : str or None
        Day of the commit, such as 2026-11-23.
    files : dict
        SHA-256 of each file, by its path.
    changed : dict
        `changed`, `new` or `gone`, by the path of each file that is not as in the commit.
    diff : list of str
        Lines of `git diff` between the commit and the files that it holds, at most
        `MOST_CHARACTERS`; a last line says what was cut.
    """

    commit: str | None = None
    date: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    diff: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool | None:
        """Whether all files are as in the commit; None without one."""
        return None if self.commit is None else not self.changed

    def digest(self) -> str:
        """SHA-256 over commit and files."""
        text = json.dumps([self.commit, self.files], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """All of it, for the manifest."""
        return {**asdict(self), "clean": self.clean}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Checkout:
        """The state that a manifest holds."""
        names = ("commit", "date", "files", "changed", "diff")
        return cls(**{name: content[name] for name in names if name in content})

    def sentence(self) -> str:
        """What every reader of the results has to know; empty where all is as in the commit."""
        if self.commit is None:
            return "Made outside of a git repository: no commit says from which code and settings."
        if not self.changed:
            return ""
        n = len(self.changed)
        differ = "1 file differs" if n == 1 else f"{n} files differ"
        return f"Made by a changed checkout: {differ} from commit {self.commit[:12]}."


def checkout(root: Path | str) -> Checkout:
    """State of the checkout in a folder.

    Returns: without a commit where the folder is no repository of its own, or git is not there.
    """
    if VARIABLE in os.environ:
        return Checkout.from_dict(read_json(os.environ[VARIABLE]))
    root = Path(root)
    contents = {path: (root / path).read_bytes() for path in reached_files(root)}
    files = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
    commit = commit_of(root)
    if commit is None:
        return Checkout(files=files)
    changed = _unlike(contents, committed(root, commit) or {})
    return Checkout(
        commit,
        git(root, "show", "--no-patch", "--format=%cs", commit),
        files,
        changed,
        _difference(root, commit) if changed else [],
    )


def reached_files(root: Path) -> list[str]:
    """Paths of all files that a run may reach, sorted; what tools leave beside them is none."""
    paths = []
    for part in REACHED:
        if (root / part).is_file():
            paths.append(part)
        for folder, folders, names in os.walk(root / part):
            folders[:] = [
                f for f in folders if f not in LEFT_FOLDERS and not f.endswith(".egg-info")
            ]
            place = Path(folder).relative_to(root)
            # `.part`: a file that is being written (hedgerow.files).
            kept_names = (n for n in names if not n.endswith(LEFT_ENDS) and ".part" not in n)
            paths += [(place / name).as_posix() for name in kept_names]
    return sorted(path for path in paths if os.path.isfile(os.path.join(root, path)))


def checksums_reached(root: Path) -> dict[str, str]:
    """SHA-256 of all files that a run may reach, by path. Git is not asked."""
    checksums = {}
    for path in reached_files(root):
        with (root / path).open("rb") as file:
            checksums[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return checksums


def is_workflow(path: str) -> bool:
    """Whether a file is one of the workflow: Snakemake runs it, and no other checksum holds it."""
    return Path(path).parts[0] in WORKFLOW


def commit_of(root: Path) -> str | None:
    """The last commit that changed what a run reaches; None where git cannot say."""
    top = git(root, "rev-parse", "--show-toplevel")
    # A copy that lies inside another repository has no state of its own.
    if top is None or Path(top).resolve() != Path(root).resolve():
        return None
    last = git(root, "log", "-1", "--format=%H", "HEAD", "--", *REACHED)
    return last or git(root, "rev-parse", "HEAD")


def committed(root: Path, commit: str) -> dict[str, str] | None:
    """Ids of the contents that a commit holds of what a run reaches, by path; None without it."""
    listed = git(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *REACHED)
    if listed is None:
        return None
    # Each is "<mode> <kind> <id>\t<path>".
    entries = (entry.split("\t", 1) for entry in listed.split("\0") if entry)
    return {path: about.split()[2] for about, path in entries}


def unlike_commit(root: Path, commit: str, repository: Path) -> dict[str, str] | None:
    """How files are unlike those of a commit, by path; None where the repository lacks it."""
    ids = committed(repository, commit)
    if ids is None:
        return None
    return _unlike({path: (root / path).read_bytes() for path in reached_files(root)}, ids)


def _unlike(contents: Mapping[str, bytes], ids: Mapping[str, str]) -> dict[str, str]:
    differences = dict.fromkeys(ids.keys() - contents.keys(), GONE)
    differences |= dict.fromkeys(contents.keys() - ids.keys(), NEW)
    for path in contents.keys() & ids.keys():
        if _id(contents[path], ids[path]) != ids[path]:
            differences[path] = CHANGED
    return dict(sorted(differences.items()))


def _id(content: bytes, like: str) -> str:
    """Name that git gives to a content, in the kind of another one (SHA-1, or SHA-256)."""
    kind = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return kind(b"blob %d\0" % len(content) + content).hexdigest()


def _difference(root: Path, commit: str) -> list[str]:
    """Lines of the difference, the same whatever the user's settings of git say."""
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index")
    form = ("--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--diff-algorithm=myers")
    lines = (git(root, "diff", *plain, *form, commit, "--", *REACHED) or "").split("\n")
    kept, left = [], MOST_CHARACTERS
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            more = sum(len(one) + 1 for one in lines[len(kept) :])
            return [*kept, f"CUT: {more} more characters; `files` has the SHA-256 of each file."]
        kept.append(line)
    return kept


def code_state(root: Path, without: Iterable[str] = (RESULTS,)) -> dict[str, Any]:
    """Commit and whether what a run reaches is as it was committed; None where git cannot say.

    Tracked results at paper scale do not count: `hedgerow reference`, which asks, makes them.
    """
    state = checkout(root)
    changed = [p for p in state.changed if not any(p.startswith(f"{one}/") for one in without)]
    return {"commit": state.commit, "clean": None if state.commit is None else not changed}


def git(root: Path, *arguments: str) -> str | None:
    """Answer of git, or None: git may be absent, and a copy need not be a repository.

    `git replace` would have it answer with another object than the one that is asked for.
    """
    command = [
        "git",
        "--no-replace-objects",
        "-C",
        str(root),
        "-c",
        "core.quotePath=false",
        *arguments,
    ]
    try:
        done = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.decode("utf-8", "replace").rstrip("\n")


class State:
    """The checkout of the folder at hand, for the `params` of rules; looked at once, when asked.

    Parameters
    ----------
    root : path, optional
    """

    def __init__(self, root: Path | str = "."):
        self._root = root
        self._state_found: Checkout | None = None

    @property
    def _state(self) -> Checkout:
        if self._state_found is None:
            self._state_found = checkout(self._root)
        return self._state_found

    def digest(self, wildcards: Any) -> str:
        """Commit and files in 64 digits: where any of them changes, manifest and crate do."""
        return self._state.digest()

    def content(self, wildcards: Any, input: Any) -> dict[str, Any]:
        """All of it. Snakemake does not record what depends on `input`."""
        return self._state.to_dict()

    def shown(self, wildcards: Any) -> dict[str, Any]:
        """What the pages tell: nothing where all is as committed; so no commit changes them."""
        state = self._state
        sentence = state.sentence()
        return {"said": sentence, "files": list(state.changed)[:NAMED]} if sentence else {}
