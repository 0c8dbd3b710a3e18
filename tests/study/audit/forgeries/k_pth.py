"""A file that every interpreter runs is put beside the installed packages."""

import sysconfig
from pathlib import Path

COMMAND = ("verify", "--no-cheap")
ANSWER = r"installed packages\s+no\s+No package lists \S*forged\.pth"


def forge(run):
    file = Path(sysconfig.get_path("purelib"), "forged.pth")
    file.write_text("import sys; sys.forged = True\n")
    return file.unlink
