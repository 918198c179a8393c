"""The model file: what is written comes back, equal content gives equal bytes, everything else gives one line."""

import json
import os
import stat
import struct
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parser.model import ModelFile, ModelFileError, check_output, write_model
from parser.model.layout import ALIGNMENT, HEAD, INCOMPLETE, MAGIC, NAME, TYPES, VERSION
from parser.score.pieces import Pieces

DATA = {"config": {"b": [1, 2.5, None, True], "a": {"x": "é\n"}}, "templates": "s0.w n0.p\n"}
STRINGS = {"labels": ["root", "nsubj", "", "見る"], "vocab/form": [], "vocab/tags": ["N"]}


def arrays() -> dict[str, np.ndarray]:
    return {
        "weights/keys": np.arange(1, 100, dtype=np.uint64) << 50,
        "weights/weights": np.linspace(-1, 1, 7, dtype=np.float32),
        "grid": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
        "none": np.empty((0, 3), np.float64),
        "one": np.array(7, np.int8),
    }


@pytest.fixture
def path(tmp_path):
    write_model(tmp_path / "m.arc", data=DATA, strings=STRINGS, arrays=arrays())
    return tmp_path / "m.arc"


def check_equal(file: ModelFile) -> None:
    assert {name: file.data(name) for name in DATA} == DATA
    assert {name: file.strings(name) for name in STRINGS} == STRINGS
    for name, array in arrays().items():
        found = file.array(name)
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert found.tobytes() == array.tobytes()


def error_of(path, **options) -> str:
    """The message for a file that cannot be read, which must be one line that starts with its name."""
    with pytest.raises(ModelFileError) as caught:
        read_all(path, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def read_all(path, **options) -> ModelFile:
    file = ModelFile(path, **options)
    file.contents()
    return file


# What is written comes back


def test_round_trip(path):
    for verify in (False, True):
        check_equal(ModelFile(path, verify=verify))


def test_sections_are_in_the_file_as_the_directory_says(path):
    """Read with nothing but struct and json."""
    content = path.read_bytes()
    magic, version, zero, length, total, _, rest = HEAD.unpack_from(content)
    assert (magic, version, zero, total, rest) == (MAGIC, VERSION, 0, len(content), bytes(16))
    sections = json.loads(content[HEAD.size : HEAD.size + length])
    assert [section["name"] for section in sections] == sorted([*DATA, *STRINGS, *arrays()])
    for section in sections:
        start, end = section["offset"], section["offset"] + section["length"]
        assert start % ALIGNMENT == 0
        if section["kind"] == "array":
            array = arrays()[section["name"]]
            assert content[start:end] == array.tobytes()
            assert (section["type"], section["shape"]) == (array.dtype.str, list(array.shape))
        if section["kind"] == "data":
            assert json.loads(content[start:end]) == DATA[section["name"]]
        if section["kind"] == "strings":
            (n,) = struct.unpack_from("<I", content, start)
            offsets = struct.unpack_from(f"<{n + 1}I", content, start + 4)
            text = content[start + 4 * (n + 2) : end]
            assert [text[a:b].decode() for a, b in pairwise(offsets)] == STRINGS[section["name"]]
    assert not any(content[HEAD.size + length : sections[0]["offset"]])


def test_arrays_are_read_only_aligned_views_of_one_map(path):
    file = ModelFile(path)
    whole = file._bytes
    for name in arrays():
        array = file.array(name)
        assert not array.flags.writeable
        assert not array.flags.owndata
        assert array.ctypes.data % ALIGNMENT == 0
        assert whole.ctypes.data <= array.ctypes.data <= whole.ctypes.data + len(whole)
    with pytest.raises(ValueError, match="read-only"):
        file.array("grid")[0] = 1


def test_arrays_outlive_the_file_object_and_the_file(path):
    array = ModelFile(path).array("weights/keys")
    path.unlink()
    assert array.tobytes() == arrays()["weights/keys"].tobytes()


def test_arrays_by_prefix(path):
    assert sorted(ModelFile(path).arrays("weights")) == ["keys", "weights"]
    assert ModelFile(path).arrays("weight") == {}


def test_packed_strings_are_views(path):
    offsets, text = ModelFile(path).packed_strings("labels")
    assert offsets.tolist() == [0, 4, 9, 9, 15]
    assert text.tobytes().decode() == "rootnsubj見る"
    assert not offsets.flags.writeable
    assert not text.flags.writeable


def test_what_comes_in_pieces_is_stored_as_if_whole(tmp_path):
    whole = np.arange(1000, dtype=np.int32)
    pieces = Pieces(np.int32, 1000, 500, 7, lambda start, end: whole[2 * start : 2 * end])
    assert np.array_equal(pieces.whole(), whole)
    for name, array in (("whole", whole), ("pieces", pieces)):
        write_model(tmp_path / name, arrays={"a": np.zeros(3), "x/y": array, "z": np.ones(2)})
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    assert np.array_equal(ModelFile(tmp_path / "pieces", verify=True).array("x/y"), whole)


def test_pieces_that_are_not_what_they_say(tmp_path):
    with pytest.raises(ValueError, match="section 'x': 20 bytes, expected 40"):
        write_model(tmp_path / "m", arrays={"x": Pieces(np.int32, 10, 5, 5, lambda *_: np.zeros(5, np.int32))})
    assert not list(tmp_path.iterdir())


def test_contents_without_some_sections(path, tmp_path):
    slim = tmp_path / "slim.arc"
    write_model(slim, **ModelFile(path).contents(without=("weights", "labels", "non")))
    file = ModelFile(slim, verify=True)
    assert set(ModelFile(path).sections) - set(file.sections) == {"weights/keys", "weights/weights", "labels"}
    assert file.data("config") == DATA["config"]


def test_a_file_may_be_written_again_in_its_own_place(path):
    before = path.read_bytes()
    write_model(path, **ModelFile(path).contents())
    assert path.read_bytes() == before


def test_no_sections(tmp_path):
    write_model(tmp_path / "m.arc")
    assert ModelFile(tmp_path / "m.arc", verify=True).sections == {}


def test_big_endian_and_strided_arrays_are_stored_alike(tmp_path):
    array = np.arange(10, dtype=np.int32)
    write_model(tmp_path / "a", arrays={"x": array})
    write_model(tmp_path / "b", arrays={"x": array.astype(">i4")})
    write_model(tmp_path / "c", arrays={"x": np.repeat(array, 2)[::2]})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


names = st.from_regex(NAME, fullmatch=True).filter(lambda name: len(name) < 50)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("aé見\n\0"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=50)
@given(
    st.dictionaries(names, json_values, max_size=3),
    st.dictionaries(names, st.lists(st.text(max_size=5), max_size=6), max_size=3),
    st.dictionaries(names, st.sampled_from(TYPES).flatmap(lambda t: st.binary().map(lambda b: (t, b))), max_size=3),
)
def test_any_content_comes_back_and_gives_the_same_bytes_in_any_order(tmp_path_factory, data, strings, raw):
    folder = tmp_path_factory.getbasetemp()
    data = {f"d/{name}": value for name, value in data.items()}
    strings = {f"s/{name}": value for name, value in strings.items()}
    arrays = {f"a/{name}": np.frombuffer(b[: len(b) // 8 * 8], t) for name, (t, b) in raw.items()}
    write_model(folder / "a", data=data, strings=strings, arrays=arrays)
    file = ModelFile(folder / "a", verify=True)
    assert {name: file.data(name) for name in data} == data
    assert {name: file.strings(name) for name in strings} == strings
    for name, array in arrays.items():
        assert file.array(name).dtype == array.dtype
        assert file.array(name).tobytes() == array.tobytes()
    backwards = [dict(reversed(group.items())) for group in (data, strings, arrays)]
    write_model(folder / "b", data=backwards[0], strings=backwards[1], arrays=backwards[2])
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": {"x": (1, 2)}}, "JSON does not give the same value back"),
        ({"data": {"x": {1: 2}}}, "JSON does not give the same value back"),
        ({"data": {"x": float("nan")}}, "not JSON compliant"),
        ({"data": {"x": {1, 2}}}, "cannot be said in JSON"),
        ({"data": {"x": "\ud800"}}, "surrogates not allowed"),
        ({"strings": {"x": ["\ud800"]}}, "surrogates not allowed"),
        ({"arrays": {"x": np.array([True])}}, "an array of bool cannot be stored"),
        ({"arrays": {"x": np.array(["a"])}}, "cannot be stored"),
        ({"arrays": {"x": np.array([object()])}}, "cannot be stored"),
        ({"data": {"x": 1}, "strings": {"x": []}}, "section 'x' is given twice"),
        ({"data": {"a b": 1}}, "section 'a b': expected ASCII"),
        ({"data": {"a//b": 1}}, "section 'a//b': expected ASCII"),
    ],
)
def test_content_that_cannot_be_stored(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        write_model(tmp_path / "m.arc", **content)
    assert list(tmp_path.iterdir()) == []


# Files that are no models


def test_missing_empty_directory_and_device(tmp_path):
    assert error_of(tmp_path / "nowhere") == "cannot be read: No such file or directory"
    assert error_of(tmp_path) == "is a directory, expected a model"
    assert error_of("/dev/null") == "is not a regular file, expected a model"
    (tmp_path / "empty").touch()
    assert error_of(tmp_path / "empty") == "is empty, expected a model"


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert error_of(tmp_path / "pipe") == "is not a regular file, expected a model"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything: runs as an ordinary user")
def test_an_unreadable_file(path):
    path.chmod(0)
    assert error_of(path) == "cannot be read: Permission denied"


@pytest.mark.parametrize("content", [b"a", b"# text = no model\n" * 10, bytes(200), b"\x80\x04 a pickle" * 20])
def test_a_foreign_file(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    if content == b"a":
        assert error_of(tmp_path / "m") == "is cut off after 1 bytes"
    else:
        assert error_of(tmp_path / "m") == "is not an arcspeed model"


def changed(path, start, new: bytes):
    content = bytearray(path.read_bytes())
    content[start : start + len(new)] = new
    path.write_bytes(content)
    return path


def test_versions(path):
    newer = changed(path, 16, struct.pack("<I", VERSION + 1))
    assert error_of(newer) == "has format version 2, newer than the one this arcspeed reads (1)"
    older = changed(path, 16, struct.pack("<I", 0))
    assert error_of(older) == "has format version 0, older than the one this arcspeed reads (1)"


def test_an_interrupted_file(path):
    assert "was never written to its end" in error_of(changed(path, 0, INCOMPLETE))


def test_every_truncation_is_told(path):
    content = path.read_bytes()
    for length in reversed(range(1, len(content))):
        os.truncate(path, length)
        message = error_of(path)
        assert message.startswith("is cut off"), (length, message)
    path.write_bytes(content + b"\0")
    assert error_of(path) == "has 1 bytes too many behind its end"


def test_every_altered_byte_is_told(path):
    """A flipped bit in any byte, the zeros between the sections included."""
    content = path.read_bytes()
    with open(path, "r+b", buffering=0) as stream:
        for i in range(len(content)):
            os.pwrite(stream.fileno(), bytes([content[i] ^ (1 << i % 8)]), i)
            assert error_of(path, verify=True)
            assert error_of(path)
            os.pwrite(stream.fileno(), content[i : i + 1], i)
    check_equal(ModelFile(path))


def test_only_the_damaged_section_is_lost(path):
    offset = ModelFile(path).sections["grid"].offset
    changed(path, offset, b"\xff")
    file = ModelFile(path)
    assert file.strings("labels") == STRINGS["labels"]
    with pytest.raises(ModelFileError, match="is damaged: the checksum of section 'grid' is wrong"):
        file.array("grid")
    assert error_of(path, verify=True) == "is damaged: the checksum of section 'grid' is wrong"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "m.arc"
    write_model(path, data=DATA, strings=STRINGS, arrays=arrays())
    return path.read_bytes()


@given(data=st.data())
@settings(max_examples=300)
def test_random_damage_gives_an_error_or_an_equal_model(tmp_path_factory, whole, data):
    path = tmp_path_factory.getbasetemp() / "damaged"
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        i = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["set", "cut", "insert", "delete"])):
            case "set":
                content[i] = data.draw(st.integers(0, 255))
            case "cut":
                del content[i + 1 :]
            case "insert":
                content[i:i] = data.draw(st.binary(min_size=1, max_size=70))
            case "delete":
                del content[i : i + data.draw(st.integers(1, 70))]
        if not content:
            break
    path.write_bytes(content)
    try:
        file = read_all(path)
    except ModelFileError:
        return
    check_equal(file)


# Looking for what is not there


def test_missing_sections_and_wrong_kinds(path):
    file = ModelFile(path)
    assert "grid" in file
    assert "grind" not in file
    for find, name in ((file.array, "labels"), (file.data, "grid"), (file.strings, "config"), (file.array, "?")):
        with pytest.raises(ModelFileError, match=f"has no [a-z]+ '{name}'".replace("?", r"\?")):
            find(name)


# Writing


def test_the_output_is_checked_beforehand(tmp_path):
    check_output(tmp_path / "new.arc")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ModelFileError, match="is a directory, expected a file name to write to"):
        check_output(tmp_path)
    with pytest.raises(ModelFileError, match="cannot be written: No such file or directory"):
        check_output(tmp_path / "nowhere" / "m.arc")
    with pytest.raises(ModelFileError, match="is not a regular file"):
        check_output("/dev/null")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: runs as an ordinary user")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ModelFileError, match="cannot be written: Permission denied"):
        check_output(tmp_path / "m.arc")
    with pytest.raises(ModelFileError, match="cannot be written: Permission denied"):
        write_model(tmp_path / "m.arc")
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("exception", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(path, monkeypatch, exception):
    before = path.read_bytes()

    def fail(_):
        raise exception

    monkeypatch.setattr(os, "fsync", fail)
    expected = ModelFileError if isinstance(exception, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_model(path, data={"x": 1})
    if expected is ModelFileError:
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["m.arc"]


def test_what_lies_on_the_disk_before_the_end_is_marked_as_incomplete(path, monkeypatch):
    """At the first sync everything is there but the magic."""
    seen = []
    sync = os.fsync

    def look(fd):
        if stat.S_ISREG(os.fstat(fd).st_mode):
            with open(f"/proc/self/fd/{fd}", "rb") as stream:
                seen.append(stream.read())
        sync(fd)

    monkeypatch.setattr(os, "fsync", look)
    write_model(path, data=DATA, strings=STRINGS, arrays=arrays())
    content = path.read_bytes()
    assert seen == [INCOMPLETE + content[16:], content]


def test_a_mapped_model_survives_its_replacement(path):
    old = ModelFile(path)
    write_model(path, data={"new": 1})
    check_equal(old)
    assert ModelFile(path).data("new") == 1


def test_a_killed_writer_leaves_no_trace_under_the_name(path):
    before = path.read_bytes()
    program = (
        "import os, sys; from parser.model import write_model\n"
        "os.replace = lambda *_: os._exit(9)\n"
        "write_model(sys.argv[1], data={'x': 1})\n"
    )
    assert subprocess.run([sys.executable, "-c", program, path], check=False).returncode == 9
    assert path.read_bytes() == before
    write_model(path, data={"x": 1})  # the leftover of the dead process is in nobody's way
    assert ModelFile(path).data("x") == 1


def test_links_and_permissions_stay(path):
    path.chmod(0o640)
    link = path.with_name("link")
    link.symlink_to(path)
    write_model(link, data={"x": 1})
    assert link.is_symlink()
    assert ModelFile(path).data("x") == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_files_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_model(tmp_path / "m.arc")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "m.arc").stat().st_mode) == 0o640
