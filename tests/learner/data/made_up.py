"""What several test files of this folder use."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: Four rows: a number, a category (one is missing), a class.
ROWS = "5,red,a\n1,blue,b\n3,,a\n2,red,b\n"

#: What stands nowhere by right: of other kinds, out of range, too large, empty, nested.
WILD = (
    *(None, True, 0, -1, 10**30, float("nan"), float("inf"), "", "x", "<b>"),
    *([], [0], [-5], ["x"], [[1]], {}, {"a": "b"}, {"0": 1}, {"a": {"b": [1]}}),
)


def sha256(data):
    """SHA-256 of text or bytes, in hexadecimal digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def places(value, place=()):
    """Places of all values in nested mappings and lists."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*place, key)
            yield from places(inner, (*place, key))
