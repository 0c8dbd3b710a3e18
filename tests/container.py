"""The recipe of the image, carried out in a bare Debian: `make test-container`.

    python tests/container.py           all of what follows
    python tests/container.py --read    the recipe is read, nothing is built

`workflow/apptainer.def` is for Apptainer, which Debian 12 does not have. What it says is done here
by hand: Debian as its debootstrap makes it, the files of `%files`, `%post` and `%test` inside by
chroot, and there the smoke configuration from a clone of the last commit, whose results are
compared byte by byte with those of another clone, in which `make setup` was called. Needs root and
Debian's debootstrap. What is not tried: Apptainer's own reading of the file, and its image.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "workflow/apptainer.def"
#: Sections that a definition file may have here, each once.
SECTIONS = ("files", "post", "environment", "test", "runscript", "labels", "help")
SUITE = re.compile(r"^debian:(\w+)-slim$")
#: Of the environment at hand: how packages are found where a mirror stands in for their index, and
#: for which processor linear algebra is chosen, on which last digits depend.
PASSED_ON = ("PIP_", "HTTP", "http", "OPENBLAS_")
#: A host behind a proxy trusts the certificates of that too, and so does the inside.
HOST_TRUSTS, TRUSTED = Path("/etc/ssl/certs/ca-certificates.crt"), "/etc/trusted.crt"
MANIFEST = "reports/manifest.json"
#: What the manifest says of Python and of what came with it, which no lock holds.
OF_PYTHON = {"python", "pip", "setuptools"}
SMOKE = "python -m hedgerow.workflow.run --cores all --configfile config/smoke.yaml --quiet all"


def read(recipe: Path = RECIPE) -> dict[str, str]:
    """Head and sections of a definition file by name; the head's fields in lower case.

    Raises
    ------
    ValueError
        If a section is unknown, given twice or lacking, or if a file of `%files` is not there.
    """
    head, *parts = re.split(r"^%", recipe.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for line in head.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, value = line.partition(":")
            found[name.strip().lower()] = value.strip()
    for part in parts:
        name, _, text = part.partition("\n")
        if name not in SECTIONS or name in found:
            raise ValueError(f"{recipe.name}: section %{name} is unknown or stands twice")
        found[name] = text
    if lacking := [name for name in ("bootstrap", "from", *SECTIONS) if name not in found]:
        raise ValueError(f"{recipe.name}: {', '.join(lacking)} is lacking")
    for source, target in copies(found):
        if not (ROOT / source).exists():
            raise ValueError(f"{recipe.name}: {source} of %files is not there")
        if not target.startswith("/"):
            raise ValueError(f"{recipe.name}: {target} of %files does not begin with /")
    return found


def copies(recipe: dict[str, str]) -> list[tuple[str, str]]:
    """What `%files` copies, from where to where."""
    return [tuple(line.split()) for line in recipe["files"].splitlines() if line.strip()]


def call(*arguments: object, **options) -> None:
    """Run a program; end where it fails."""
    if subprocess.run([str(a) for a in arguments], **options).returncode:
        sys.exit(f"{' '.join(map(str, arguments))[:200]} failed")


def inside(image: Path, script: str, folder: str = "/") -> None:
    """Run a script in a root file system, in a folder of it."""
    kept = {k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
    kept |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
    if (image / TRUSTED[1:]).is_file():
        kept |= {"PIP_CERT": TRUSTED, "SSL_CERT_FILE": TRUSTED}
    line = f"cd {folder}\n{script}"
    # As Apptainer does: processes and devices of the host; the mounts end with the command.
    mounts = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"'
    enter = f'{mounts}; exec chroot "$0" /bin/sh -e -c "$1"'
    call("unshare", "--mount", "/bin/sh", "-e", "-c", enter, image, line, env=kept)


def build(image: Path, recipe: dict[str, str]) -> None:
    """Debian, `%files`, `%post`, `%test`."""
    suite = SUITE.match(recipe["from"])[1]
    print(f"Debian {suite}, by debootstrap", flush=True)
    quiet = {"stdout": subprocess.DEVNULL}
    call("debootstrap", "--variant=minbase", suite, image, **quiet)
    if HOST_TRUSTS.is_file():
        shutil.copy(HOST_TRUSTS, image / TRUSTED[1:])
    for source, target in copies(recipe):
        to = image / target[1:]
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, to)
    print("%post", flush=True)
    inside(image, recipe["post"])
    print("%test", flush=True)
    inside(image, recipe["test"])


def smoke(image: Path, recipe: dict[str, str]) -> None:
    """The smoke configuration inside and outside: the same files."""
    clone = image / "project"
    call("git", "clone", "--quiet", ROOT, clone)
    print("The smoke configuration, inside", flush=True)
    inside(image, f"{recipe['environment']}\n{SMOKE}", "/project")
    outside = image.parent / "outside"
    call("git", "clone", "--quiet", ROOT, outside)
    print("make setup and the smoke configuration, outside", flush=True)
    # Both take data sets from the package and the locked libraries: a mirror has other files of
    # some, and the environment at hand may have more libraries.
    here = {k: v for k, v in os.environ.items() if k != "HEDGEROW_MIRROR"}
    call("make", "setup", cwd=outside, env=here)
    call(outside / ".venv/bin/python", *SMOKE.split()[1:], cwd=outside, env=here)
    one, two = (sums(folder) for folder in (clone, outside))
    if apart := sorted(name for name in {*one, *two} if one.get(name) != two.get(name)):
        sys.exit("\n".join(["these files are not the same inside and outside:", *apart]))
    print(f"{len(one)} files, the same inside and outside")
    one, two = (json.loads((f / MANIFEST).read_text(encoding="utf-8")) for f in (clone, outside))
    if more := differing(one, two) - OF_PYTHON:
        sys.exit(f"the manifests differ in {', '.join(sorted(more))}")


def differing(one: dict[str, Any], two: dict[str, Any]) -> set[str]:
    """In what two manifests differ: their parts, and of the packages the names."""
    apart = {name for name in {*one, *two} - {"packages"} if one.get(name) != two.get(name)}
    first, second = one["packages"], two["packages"]
    return apart | {name for name in {*first, *second} if first.get(name) != second.get(name)}


def sums(project: Path) -> dict[str, str]:
    """SHA-256 of each result of a run by its name, the manifest left out."""
    lines = (project / "reports/SHA256SUMS").read_text(encoding="utf-8").splitlines()
    found = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    found.pop(MANIFEST)
    return found


def main(arguments: Sequence[str]) -> None:
    """Read, and build unless told otherwise."""
    recipe = read()
    if "--read" in arguments:
        return
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("this needs root, and debootstrap: apt-get install debootstrap")
    with tempfile.TemporaryDirectory() as temporary:
        image = Path(temporary) / "image"
        build(image, recipe)
        smoke(image, recipe)


if __name__ == "__main__":
    main(sys.argv[1:])
