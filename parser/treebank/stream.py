"""Opening files for reading and writing: plain, compressed by suffix, or standard input and output as `-`."""

import errno
import io
import os
import sys
from collections.abc import Iterable
from contextlib import contextmanager
from typing import BinaryIO

from parser.treebank.errors import TreebankError


def _zstd():
    """Zstandard of the standard library, or its backport for Python before 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _zstd_open(path, mode):
    return _zstd().open(path, mode)


def _gzip_open(path, mode):
    import gzip

    # level 6 is what the gzip command uses: a third of the time of Python's 9 for 1 % more bytes
    return gzip.open(path, mode) if mode == "rb" else gzip.open(path, mode, compresslevel=6)


def _xz_open(path, mode):
    import lzma

    return lzma.open(path, mode)


UNPACKED = 1 << 15  # bytes that are unpacked at a time: as many may be lost before a damaged place
KEPT = 1 << 24  # bytes of an output that stay in the system's memory, for whoever reads a small file next,
BLOCK = 1 << 20  # and of those behind them, that are written at once; both are whole pages
OPENERS = {".gz": _gzip_open, ".xz": _xz_open, ".zst": _zstd_open}


def decompression_errors(path: str) -> tuple[type[Exception], ...]:
    """What reading raises for data that is cut off or is not what its suffix says."""
    suffix = suffix_of(path)
    if suffix == ".gz":
        import zlib

        return EOFError, OSError, zlib.error
    if suffix == ".xz":
        import lzma

        return EOFError, OSError, lzma.LZMAError
    if suffix == ".zst":
        return EOFError, OSError, _zstd().ZstdError
    return (OSError,)


def display_name(path: str) -> str:
    return "<stdin>" if path == "-" else path


def suffix_of(path: str) -> str:
    return os.path.splitext(path)[1].lower()


class Unpacked(io.RawIOBase):
    """What a packed file holds; where it is damaged or cut off, the error comes when all before that has been read."""

    def __init__(self, stream: BinaryIO, errors: tuple[type[Exception], ...]) -> None:
        self.stream, self.errors = stream, errors
        self.error: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        """As much as there is room for. A single call for it all would lose what it had unpacked at an error."""
        if self.error is not None:
            raise self.error
        left, n, got = memoryview(buffer), 1, 0
        while n and got < len(left):
            try:
                n = self.stream.readinto1(left[got : got + UNPACKED])
            except self.errors as error:
                if not got:
                    raise
                self.error, n = error, 0
            got += n
        return got

    def close(self) -> None:
        self.stream.close()
        super().close()


def open_input(path: str | os.PathLike) -> BinaryIO:
    """A binary stream to read from; TreebankError where there is no such file."""
    path = os.fspath(path)
    if path == "-":
        return sys.stdin.buffer
    try:
        if os.path.isdir(path):
            raise TreebankError("is a directory, expected a file", path)
        if suffix_of(path) in OPENERS:
            return Unpacked(OPENERS[suffix_of(path)](path, "rb"), decompression_errors(path))
        return io.FileIO(path, "rb")
    except OSError as error:
        raise TreebankError(f"cannot be read: {error.strerror or error}", path) from None


@contextmanager
def open_output(path: str | os.PathLike):
    """A binary stream to write to. A file appears under its name only when everything has been written.

    Until then `.partial` is in its name; what an exception interrupts is removed. A link stays a link, and a device or
    a pipe is written to, not replaced.
    """
    path = os.fspath(path)
    if path == "-":
        try:
            yield _standard_output()
        except OSError as error:
            raise TreebankError(f"cannot be written: {error.strerror or error}", "<stdout>") from None
        return
    straight = os.path.exists(path) and not os.path.isfile(path)
    target = os.path.realpath(path)
    partial = path if straight else partial_name(path)
    try:
        if os.path.isdir(path):
            raise TreebankError("is a directory, expected a file name to write to", path)
        if not os.path.basename(path):
            raise TreebankError("is not the name of a file, expected one to write to", repr(path))
        stream = OPENERS.get(suffix_of(path), _plain_output)(partial, "wb")
    except OSError as error:
        raise TreebankError(f"cannot be written: {error.strerror or error}", path) from None
    try:
        with stream:
            yield stream
        if not straight:
            _to_disk(partial)
            os.replace(partial, target)
    except BaseException as error:
        if not straight and os.path.exists(partial):
            os.unlink(partial)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise TreebankError(f"cannot be written: {error.strerror or error}", path) from None
        raise


class SameFileError(TreebankError):
    """What is written would take the place of what is read."""

    exit_code = 2


def refuse_same_file(sources: Iterable[str | os.PathLike], *targets: str | os.PathLike) -> None:
    """SameFileError if anything that is read is also written: to be asked before anything is done."""
    sources = [source for source in map(os.fspath, sources) if source != "-" and os.path.isfile(source)]
    for target in map(os.fspath, targets):
        if target != "-" and os.path.isfile(target):
            for source in sources:
                if os.path.samefile(source, target):
                    raise SameFileError("is both input and output, expected two files", source)


def partial_name(path: str | os.PathLike) -> str:
    """What a file is called while it is being written."""
    return f"{os.path.realpath(path)}.partial{suffix_of(os.fspath(path))}"


def _to_disk(path: str) -> None:
    """After a power cut a file with its final name must not be half empty."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _standard_output() -> BinaryIO:
    """Unbuffered, so that nothing is left to fail when the process ends; a replaced sys.stdout as it is."""
    sys.stdout.flush()
    try:
        return io.FileIO(sys.stdout.fileno(), "wb", closefd=False)
    except io.UnsupportedOperation:
        return sys.stdout.buffer


def _plain_output(path, mode):
    if hasattr(os, "O_DIRECT") and (os.path.isfile(path) or not os.path.exists(path)):
        return LargeOutput(path)
    return open(path, mode, buffering=0)


class LargeOutput(io.FileIO):
    """A file that is written from beginning to end. All but its first bytes go straight to the disk (O_DIRECT).

    The system makes no copy of them in its own memory, which takes time, for pages that were never used most of all: a
    virtual machine waits for each. What others have there stays, and the disk is at work while more is made.
    """

    def __init__(self, path: str) -> None:
        self.written, self.kept = 0, KEPT
        self.blocks: Blocks | None = None
        super().__init__(path, "wb")

    def write(self, data) -> int:
        view = memoryview(data).cast("B")
        while len(view):
            n = self.put(view)
            self.written += n
            view = view[n:]
        return memoryview(data).nbytes

    def put(self, view: memoryview) -> int:
        """Takes some of it."""
        if self.kept is None or self.written < self.kept:
            return super().write(view if self.kept is None else view[: self.kept - self.written])
        if self.blocks is None:
            if not set_direct(self.fileno(), True):
                self.kept = None  # a file system that cannot
                return self.put(view)
            self.blocks = Blocks(self.fileno())
        return self.blocks.put(view)

    def tell(self) -> int:
        return self.written

    def close(self) -> None:
        try:
            if self.blocks is not None:
                blocks, self.blocks = self.blocks, None
                blocks.finish()
        finally:
            super().close()


class Blocks:
    """What goes straight to the disk: whole blocks at the start of a page. One is written while the other is filled.

    Meanwhile what the system has kept of the file goes to the disk, too, so that nobody waits for that at the end.
    """

    def __init__(self, file: int) -> None:
        import mmap  # these two only where outputs are large
        from concurrent.futures import ThreadPoolExecutor

        self.file, self.filled = file, 0
        self.blocks = [memoryview(mmap.mmap(-1, BLOCK)) for _ in range(2)]
        self.pool = ThreadPoolExecutor(2, thread_name_prefix="write")
        self.kept = self.pool.submit(os.fdatasync, file)
        self.writing = self.pool.submit(int)

    def put(self, view: memoryview) -> int:
        n = min(len(view), BLOCK - self.filled)
        self.blocks[0][self.filled : self.filled + n] = view[:n]
        self.filled += n
        if self.filled == BLOCK:
            self.writing.result()  # raises what was wrong with the other one
            self.writing = self.pool.submit(write_all, self.file, self.blocks[0])
            self.blocks.reverse()
            self.filled = 0
        return n

    def finish(self) -> None:
        """The last block is not a whole one, which takes the usual way."""
        with self.pool:
            self.writing.result()
            self.kept.result()
            set_direct(self.file, False)
            write_all(self.file, self.blocks[0][: self.filled])


def write_all(file: int, view: memoryview) -> None:
    while len(view):
        try:
            n = os.write(file, view)
        except OSError as error:
            # what a file system or a nearly full disk does not take this way it may take the other
            if error.errno != errno.EINVAL or not set_direct(file, False):
                raise
            n = 0
        view = view[n:]


def set_direct(file: int, on: bool) -> bool:
    """Bytes straight to the disk from now on, or not; False: that changes nothing, or cannot be."""
    import fcntl

    flags = fcntl.fcntl(file, fcntl.F_GETFL)
    wanted = flags | os.O_DIRECT if on else flags & ~os.O_DIRECT
    try:
        fcntl.fcntl(file, fcntl.F_SETFL, wanted)
    except OSError:
        return False
    return flags != wanted
