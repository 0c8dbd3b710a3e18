"""The tests of the compiled cores under AddressSanitizer and UBSan: `make test-asan`.

    python ci/sanitizers.py                                      all of what follows
    python ci/sanitizers.py tests/learner/tree/test_gates.py -x  these tests, arguments of pytest

Compiles the cores with both sanitizers in `build/asan`, beside the installed package, which stays
as it is. Asks whether every core there is instrumented and whether faults on purpose
(`tests/faults.pyx`) are found; then runs the tests of the rooms that have a core. The first finding
of a process is printed and ends it, which fails the test that it was at.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "asan"
ENVIRONMENT = BUILD / "env"

SOURCES = tuple(sorted((ROOT / "src" / "hedgerow").glob("*/*.pyx")))
#: Tests of the rooms with a core, and of the one whose learners are settings of theirs.
TESTS = tuple(
    f"tests/learner/{room}" for room in sorted({s.parent.name for s in SOURCES} | {"missing"})
)
#: Draws trees that are spoilt at one place: 14,400 here, 800 in `make test`. Most are refused when
#: they are read; 2,500 go through every method.
UNSOUND = "tests/learner/tree/test_tree_unsound.py"

SETTINGS = {
    # Blocks of Python's own allocator lie side by side: nothing between them would be touched.
    "PYTHONMALLOC": "malloc",
    # The interpreter frees little when it ends; tests/learner/tree/test_arena.py counts what
    # cores keep.
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}
#: What is written below Python goes to the screen, and the sanitizer has the signals.
PYTEST = ("-m", "pytest", "--capture=sys", "-p", "no:faulthandler", "-p", "no:cacheprovider")
PROCESSES = ("--numprocesses", "auto", "--dist", "worksteal")

#: Faults on purpose, and what a sanitizer says of each.
FAULTS = {
    "read_beyond(numpy.zeros(8))": "heap-buffer-overflow",
    "write_beyond(8)": "heap-buffer-overflow",
    "read_after_resizing(8)": "heap-use-after-free",
    "add(2**31 - 1, 1)": "signed integer overflow",
    "shift(40)": "shift exponent",
    "cast(1e300)": "outside the range of representable values",
}


def libraries() -> str:
    """What is loaded before the interpreter, which knows of no sanitizer: both of them, and C++,
    whose exceptions they watch."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    found = []
    for name in ("libasan.so", "libubsan.so", "libstdc++.so"):
        asked = [*compiler, f"-print-file-name={name}"]
        path = Path(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
        if not path.is_absolute():  # the name alone: there is none
            sys.exit(
                f"`make test-asan` needs GCC with its sanitizers, and `{' '.join(compiler)}` has "
                f"no {name}; name another one: make CC=gcc test-asan"
            )
        found.append(str(path))
    return " ".join(found)


def build() -> Path:
    """The package with instrumented cores, in an environment that has all else from this one.

    Returns
    -------
    Path
        Where packages are in that environment.
    """
    venv.create(ENVIRONMENT, clear=True)
    there = sysconfig.get_path("platlib", vars={"base": ENVIRONMENT, "platbase": ENVIRONMENT})
    # The .pth files of this environment are not read there: one would bring the installed package.
    Path(there, "shared.pth").write_text(sysconfig.get_path("platlib") + "\n", encoding="utf-8")
    core = BUILD / "core"
    settings = {
        "sanitized": "true",
        "buildtype": "debugoptimized",
        "b_sanitize": "address,undefined",
        # Not in `undefined`, and the cores find places in tables by such casts.
        "c_args": "-fsanitize=float-cast-overflow -fno-omit-frame-pointer",
        "python.platlibdir": there,
        "python.purelibdir": there,
    }
    again = ["--reconfigure"] if (core / "build.ninja").exists() else []
    for step in (
        ["setup", core, *again, *(f"-D{name}={value}" for name, value in settings.items())],
        ["compile", "-C", core],
        ["install", "-C", core],
    ):
        done = subprocess.run(["meson", *step], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"meson {step[0]} failed\n{done.stdout}{done.stderr}")
    return Path(there)


def variables() -> dict[str, str]:
    """What the interpreter of that environment is called with."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {k: v for k, v in os.environ.items() if k not in hidden}
    return {**kept, **SETTINGS, "LD_PRELOAD": libraries()}


def watched(*arguments: str, **more) -> subprocess.CompletedProcess:
    """Call the interpreter of that environment."""
    command = [ENVIRONMENT / "bin" / "python", *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables(), text=True, **more)


def check(packages: Path) -> None:
    """End unless every core is instrumented and each fault is found.

    A core loads `__asan_init` of the sanitizer's library, and names the handlers of UBSan.
    """
    cores = sorted((packages / "hedgerow").glob("*/*.so"))
    for core in cores:
        code = core.read_bytes()
        if b"__asan_init" not in code or b"__ubsan_handle" not in code:
            sys.exit(f"{core.name} is compiled without the sanitizers")
    if {core.name.partition(".")[0] for core in cores} != {source.stem for source in SOURCES}:
        sys.exit(f"there are other cores than those of src/hedgerow: {', '.join(map(str, cores))}")
    for fault, words in FAULTS.items():
        done = watched("-c", f"import faults, numpy; faults.{fault}", capture_output=True)
        if done.returncode == 0 or words not in done.stderr:
            sys.exit(f"faults.{fault} was not found\n{done.stdout}{done.stderr}")


def main(given: list[str]) -> int:
    """Build, check, run."""
    started = time.monotonic()
    libraries()
    print("Building hedgerow with AddressSanitizer and UBSan", flush=True)
    check(build())
    print(f"{len(FAULTS)} faults on purpose are found", flush=True)
    runs = (
        [given]
        if given
        else [
            [*PROCESSES, "--effort", "longer", UNSOUND],
            [*PROCESSES, *TESTS, f"--ignore={UNSOUND}"],
        ]
    )
    failed = [watched(*PYTEST, *arguments).returncode != 0 for arguments in runs]
    print(f"{time.monotonic() - started:.0f} s", flush=True)
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
