"""Large outputs go straight to the disk: the same bytes, however they are cut up and whatever a file system can do."""

import errno
import os
import random

import pytest

from parser.treebank import TreebankError, open_output
from parser.treebank import stream as streams

PIECES = [b"a" * 5000, b"", b"bc" * 20_000, b"d", b"e" * 4096, bytes(range(256)) * 16, b"f" * 4095, b"g" * 100_000]


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(streams, "KEPT", 1 << 13)
    monkeypatch.setattr(streams, "BLOCK", 1 << 12)


def written(path, pieces):
    with open_output(path) as out:
        assert [out.write(memoryview(piece)) for piece in pieces] == [len(piece) for piece in pieces]
        assert out.tell() == sum(map(len, pieces))
    return path.read_bytes()


def test_all_lengths_around_whole_blocks(tmp_path):
    path = tmp_path / "out"
    assert written(path, PIECES) == b"".join(PIECES)
    rng = random.Random(1)
    for n in (0, 1, 4095, 4096, 8191, 8192, 8193, 12287, 12288, 12289, 16384, 20481):
        data = rng.randbytes(n)
        assert written(path, [data]) == data
        assert written(path, [data[:n // 3], data[n // 3 : n // 2], data[n // 2 :]]) == data  # fmt: skip
    assert not list(tmp_path.glob("*.partial*"))


def test_a_file_system_that_has_no_straight_way(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "set_direct", lambda *_: False)
    assert written(tmp_path / "out", PIECES) == b"".join(PIECES)


def test_blocks_that_are_not_taken_go_the_usual_way(tmp_path, monkeypatch):
    plain_write, refused = os.write, []

    def write(file, view):
        import fcntl

        if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_DIRECT:
            refused.append(len(view))
            raise OSError(errno.EINVAL, "no")
        return plain_write(file, view[:1000])

    monkeypatch.setattr(streams.os, "write", write)
    assert written(tmp_path / "out", PIECES) == b"".join(PIECES)
    assert len(refused) <= 1


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, monkeypatch, at_the_end):
    def write(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def fill():
        with open_output(tmp_path / "out") as out:
            out.write(b"x" * (1 << 14))
            monkeypatch.setattr(streams.os, "write", write)
            for _ in range(1 if at_the_end else 100):
                out.write(b"x" * 5000)

    with pytest.raises(TreebankError, match="out: cannot be written: No space left on device"):
        fill()
    assert not list(tmp_path.iterdir())


def test_what_is_interrupted_leaves_nothing(tmp_path):
    def begin():
        with open_output(tmp_path / "out") as out:
            out.write(b"x" * 100_000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert not list(tmp_path.iterdir())


def test_what_the_system_kept_and_cannot_be_put_on_the_disk_is_told(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    def fill():
        with open_output(tmp_path / "out") as out:
            out.write(b"x" * (1 << 15))

    monkeypatch.setattr(streams.os, "fdatasync", fail)
    with pytest.raises(TreebankError, match="out: cannot be written: Input/output error"):
        fill()
    assert not list(tmp_path.iterdir())
    assert written(tmp_path / "small", [b"x" * 100]) == b"x" * 100  # all of it is kept: nothing goes straight
