"""What several test files of this folder use."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Four rows: a number, a category (one is missing), a class.
ROWS = "5,red,a\n1,blue,b\n3,,a\n2,red,b\n"


def sha256(data):
    """SHA-256 of text or bytes, in hexadecimal digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
