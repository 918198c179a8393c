"""A file that appears under its name whole, or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from parser.model.layout import ModelFileError


@contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A stream into a temporary file beside `path`; on leaving, the file is on disk and has its name.

    Processes that have the old file mapped keep its pages: it is replaced, never written to. ModelFileError where
    writing fails; then, and on any other exception, an old file of that name is as it was.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        fd, partial = create_beside(target)
        try:
            with open(fd, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(partial, target)
        except BaseException:
            partial.unlink()
            raise
        sync_folder(target.parent)
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be written: {error.strerror or error}") from None


def create_beside(target: Path) -> tuple[int, Path]:
    """(file descriptor, path) of a new file, with the permissions of the file that it is to replace."""
    mode = None
    if target.exists():
        mode = target.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            raise ModelFileError(f"{target}: is {kind}, expected a file name to write to")
    i = -1
    while True:
        i += 1
        partial = target.with_name(f".arcspeed-{os.getpid()}-{i}.part")
        try:
            fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
        if mode is not None:
            os.fchmod(fd, stat.S_IMODE(mode))
        return fd, partial


def sync_folder(folder: Path) -> None:
    """Makes the new name itself durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
