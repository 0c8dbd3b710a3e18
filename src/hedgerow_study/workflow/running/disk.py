"""Where the disk is full: an error message that the user can act on."""

from __future__ import annotations

import errno
import os
import re
import shutil

from hedgerow.errors import HedgerowError

#: What stops a file from growing, by the system's number of the error.
FULL = {
    errno.ENOSPC: "no space is left on the disk",
    errno.EFBIG: "the largest size of a file is reached",
}
if hasattr(errno, "EDQUOT"):
    FULL[errno.EDQUOT] = "the quota of disk space is used up"

_NUMBER = re.compile(r"\[[Ee]rrno (\d+)\]")


class NoRoomError(HedgerowError):
    """A file cannot be written for lack of room."""


def no_room(error: BaseException | str) -> NoRoomError | None:
    """The error that a user can mend, where another one says that there is no room."""
    if isinstance(error, str):
        numbers = [int(number) for number in _NUMBER.findall(error)]
        return next((_no_room_error(number) for number in numbers if number in FULL), None)
    while error is not None:
        number = getattr(error, "errno", None)
        if number in FULL:
            return _no_room_error(number, getattr(error, "filename", None))
        error = error.__cause__ or error.__context__
    return None


def _no_room_error(number: int, file: object = None) -> NoRoomError:
    place = os.fsdecode(file) if isinstance(file, str | bytes | os.PathLike) else os.getcwd()
    if number == errno.EFBIG:
        message, remedy = f"{FULL[number]} in {place}", "raise the limit (`ulimit -f unlimited`)"
    else:
        free = shutil.disk_usage(os.getcwd()).free / 2**20
        message, remedy = f"{FULL[number]} of {place} ({free:.0f} MiB free)", "make room"
    return NoRoomError(message, remedy=f"{remedy}, and the same command goes on from here")
