"""The recipe of the image: what it says is there, and it installs as `make setup` does."""

from __future__ import annotations

import re

import container
import pytest

ROOT = container.ROOT
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_recipe_can_be_read_and_starts_from_what_the_test_can_make():
    recipe = container.read()
    assert recipe["bootstrap"] == "docker"
    assert container.SUITE.match(recipe["from"])


def test_the_image_gets_what_the_build_reads():
    copied = {source for source, _ in container.copies(container.read())}
    assert {"meson.build", "meson.options", "pyproject.toml", "src/hedgerow"} <= copied
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'readme = "README\.md"', project) and "README.md" in copied
    installed = re.findall(r"-r (\S+)", container.read()["post"])
    assert installed == ["requirements-build.lock", "requirements.lock"]
    assert copied >= set(installed)


def test_the_locks_are_installed_as_make_setup_does():
    """Every package with its hash, and what comes as source built by what the lock names."""
    options = re.search(r"^PIP_LOCKED := \$\(PIP\) (.*)$", MAKEFILE, re.MULTILINE)[1]
    assert options == "--require-hashes --no-build-isolation --use-pep517"
    lines = [line.split() for line in container.read()["post"].splitlines() if " -r " in line]
    assert all("--require-hashes" in line for line in lines)
    assert {"--no-build-isolation", "--use-pep517"} <= set(lines[-1])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("%labels", "%lables", "%lables is unknown"),
        ("%help", "%test\n%help", "%test is unknown or stands twice"),
        ("%runscript\n    exec", "    exec", "runscript is lacking"),
        ("    LICENSE /opt", "    LICENCE /opt", "LICENCE of %files is not there"),
        ("LICENSE /opt/", "LICENSE opt/", "does not begin with /"),
    ],
)
def test_a_fault_is_named(tmp_path, old, new, said):
    text = container.RECIPE.read_text(encoding="utf-8")
    assert old in text
    spoilt = tmp_path / "spoilt.def"
    spoilt.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        container.read(spoilt)


def test_manifests_differ_in_parts_and_in_packages():
    one = {"python": "3.11.2", "platform": "Linux", "packages": {"numpy": "2.4", "pip": "23.0"}}
    two = {**one, "python": "3.11.7", "packages": {"numpy": "2.4", "pip": "23.2"}}
    assert container.differing(one, one) == set()
    assert container.differing(one, two) == {"python", "pip"} <= container.OF_PYTHON
    assert container.differing(one, {**one, "packages": {"numpy": "2.4"}}) == {"pip"}
    assert container.differing(one, {**one, "platform": "macOS", "seeds": 1}) == {
        "platform",
        "seeds",
    }
