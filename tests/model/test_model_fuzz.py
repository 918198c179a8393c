"""Files whose checksums are right and whose content is not, and weights that do not fit together: never more than an
error. Meant for the sanitizer build as well."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parser.model import ModelFile, ModelFileError, validate_weights, write_model
from parser.model.checksum import checksum
from parser.model.file import place_sections
from parser.model.layout import HEAD, MAGIC, TYPES, VERSION, Section, aligned
from parser.model.weights import packed_weights, unpacked_weights
from parser.score.linear import LinearModel
from parser.score.weights import Weights, from_triples


def write_raw(path, directory: bytes, content: bytes = b"") -> None:
    """A file with any directory, all checksums of the head right."""
    start = aligned(HEAD.size + len(directory))
    fields = [MAGIC, VERSION, 0, len(directory), start + len(content), 0, bytes(16)]
    fields[5] = checksum(HEAD.pack(*fields) + directory)
    path.write_bytes((HEAD.pack(*fields) + directory).ljust(start, b"\0") + content)


def read_everything(path) -> None:
    ModelFile(path, verify=True).contents()


def row(**changes) -> dict:
    content = bytes(range(64))
    good = {"name": "x", "kind": "array", "type": "<i4", "shape": [4, 4], "offset": 256, "length": 64}
    return good | {"checksum": f"{checksum(content):016x}"} | changes


def write_rows(path, rows: list) -> None:
    directory = json.dumps(rows).encode().ljust(192)  # spaces: JSON all the same
    write_raw(path, directory, bytes(range(64)))


def test_the_row_as_it_should_be(tmp_path):
    write_rows(tmp_path / "m", [row()])
    assert ModelFile(tmp_path / "m").array("x").tobytes() == bytes(range(64))


@pytest.mark.parametrize(
    "changes",
    [
        {"length": 1 << 62},
        {"length": -64},
        {"length": 64.0},
        {"length": True},
        {"offset": 0},
        {"offset": 1 << 62},
        {"shape": [1 << 62, 4]},
        {"shape": [-4, -4]},
        {"shape": [4, 4.0]},
        {"shape": [1] * 9 + [16]},
        {"shape": 16},
        {"shape": "44"},
        {"shape": None},
        {"type": "<i8"},
        {"type": ">i4"},
        {"type": "|O"},
        {"type": "O16"},
        {"type": ["<i4"]},
        {"kind": "pickle"},
        {"kind": ["array"]},
        {"kind": "data"},
        {"name": ""},
        {"name": "../x"[::-1] + "/"},
        {"name": "a\nb"},
        {"name": 5},
        {"checksum": 5},
        {"checksum": "-5"},
        {"checksum": "x"},
        {"checksum": "f" * 17},
        {"extra": 1},
    ],
)
def test_rows_of_the_directory_that_are_refused(tmp_path, changes):
    write_rows(tmp_path / "m", [row(**changes)])
    with pytest.raises(ModelFileError, match="is damaged"):
        read_everything(tmp_path / "m")


@pytest.mark.parametrize(
    "rows", [[], {}, 5, "x", None, [5], [None], [[]], [{}], [row(), row()], [row(), row(name="y", offset=320)]]
)
def test_directories_that_are_refused(tmp_path, rows):
    write_rows(tmp_path / "m", rows)
    with pytest.raises(ModelFileError, match="is damaged"):
        read_everything(tmp_path / "m")


@pytest.mark.parametrize("text", [b"", b"[", b"\xff", b"[" * 100_000, b"[NaN]", b"[" + b"9" * 5000 + b"]", b"[] []"])
def test_directories_that_are_no_json(tmp_path, text):
    write_raw(tmp_path / "m", text)
    with pytest.raises(ModelFileError, match="its directory cannot be read"):
        read_everything(tmp_path / "m")


json_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*row()]), inner, max_size=7),
    max_leaves=12,
)


@given(st.lists(st.builds(lambda c: row() | c, st.dictionaries(st.sampled_from([*row()]), json_anything)), max_size=3))
def test_random_directories(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "directory"
    write_rows(path, rows)
    try:
        read_everything(path)
    except ModelFileError:
        return
    assert rows[0]["name"] in ModelFile(path)


def write_section(path, kind: str, content: bytes, type_: str = "", shape=()) -> None:
    """One section of any content, all checksums right."""
    head = place_sections([Section("x", kind, type_, shape, 0, len(content), checksum(content))])
    path.write_bytes((head + content).ljust(aligned(len(head) + len(content)), b"\0"))


def strings_section(n: int, offsets: list[int], text: bytes) -> bytes:
    return np.array([n, *offsets], "<u4").tobytes() + text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no room for the number of strings"),
        (b"\1\0\0\0", "no room for the number of strings"),
        (strings_section(2**32 - 1, [0], b""), "no room for the offsets"),
        (strings_section(2, [0, 1], b""), "no room for the offsets"),
        (strings_section(1, [1, 1], b"a"), "do not lead from string to string"),
        (strings_section(2, [0, 2, 1], b"a"), "do not lead from string to string"),
        (strings_section(1, [0, 2], b"a"), "do not lead from string to string"),
        (strings_section(1, [0, 0], b"a"), "do not lead from string to string"),
        (strings_section(1, [0, 1], b"\xff"), "invalid start byte"),
        (strings_section(2, [0, 1, 2], "é".encode()), "a string starts in the middle of a character"),
    ],
)
def test_strings_that_are_refused(tmp_path, content, message):
    write_section(tmp_path / "m", "strings", content)
    with pytest.raises(ModelFileError, match=f"section 'x' cannot be read: .*{message}"):
        ModelFile(tmp_path / "m").strings("x")


@given(st.binary(max_size=60), st.lists(st.integers(0, 8), max_size=5))
def test_random_strings(tmp_path_factory, text, offsets):
    path = tmp_path_factory.getbasetemp() / "strings"
    for content in (text, strings_section(len(offsets) - 1, offsets, text[:8]) if offsets else b""):
        write_section(path, "strings", content)
        try:
            strings = ModelFile(path).strings("x")
        except ModelFileError:
            continue
        n = len(strings)
        assert content[4 * (n + 2) :].decode() == "".join(strings)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"NaN", b"[" * 100_000, b'{"a":1}x'])
def test_data_that_is_refused(tmp_path, content):
    write_section(tmp_path / "m", "data", content)
    with pytest.raises(ModelFileError, match="section 'x' cannot be read"):
        ModelFile(tmp_path / "m").data("x")


@given(st.sampled_from(TYPES), st.lists(st.integers(0, 5), max_size=4), st.binary(max_size=80))
def test_arrays_of_any_shape(tmp_path_factory, type_, shape, content):
    path = tmp_path_factory.getbasetemp() / "array"
    write_section(path, "array", content, type_, tuple(shape))
    fits = len(content) == int(type_[2:]) * int(np.prod(shape, dtype=np.int64))
    try:
        array = ModelFile(path).array("x")
    except ModelFileError:
        assert not fits
    else:
        assert fits
        assert array.shape == tuple(shape)


# Weights: what C code will index by

N_ACTIONS = 7


def good_weights() -> Weights:
    keys = np.array([3, 3, 9, 9, 9, 9, 9, 9, 9, 2**63, 2**64 - 1], np.uint64)
    actions = np.array([0, 6, *range(7), 3, 4], np.uint16)
    return from_triples(N_ACTIONS, keys, actions, np.arange(1, 12, dtype=np.float32))


def test_good_weights_come_back(tmp_path):
    write_model(tmp_path / "m", arrays={f"weights/{name}": a for name, a in good_weights().arrays().items()})
    weights = validate_weights(ModelFile(tmp_path / "m").arrays("weights"), N_ACTIONS)
    expected = LinearModel(good_weights()).scores([3, 9, 2**63])
    assert LinearModel(weights).scores([3, 9, 2**63]).tolist() == expected.tolist()
    empty = from_triples(N_ACTIONS, *(good_weights().arrays()[n][:0] for n in ("keys", "actions", "weights")))
    assert LinearModel(validate_weights(empty.arrays(), N_ACTIONS)).scores([1]).tolist() == [0] * N_ACTIONS


BIG = 2**63 - 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": [0, 2, 9, 10]}, "offsets do not lead"),
        ({"offsets": [0, 2, 2, 10, 11]}, "offsets do not lead"),
        ({"offsets": [0, 9, 2, 10, 11]}, "offsets do not lead"),
        ({"offsets": [1, 2, 9, 10, 11]}, "offsets do not lead"),
        ({"offsets": [0, BIG, -BIG, -5, 11]}, "offsets do not lead"),  # all differences positive, by overflow
        ({"offsets": [0, 2, 9, 10, 10]}, "offsets do not lead"),
        ({"offsets": []}, "offsets do not lead"),
        ({"offsets": [[0, 2, 9, 10, 11]]}, "array 'offsets' is not a row of int64"),
        ({"offsets": np.array([0, 2, 9, 10, 11], np.int32)}, "array 'offsets' is not a row of int64"),
        ({"keys": [3, 3, 2**63, 2**64 - 1]}, "keys are not in ascending order"),
        ({"keys": [0, 9, 2**63, 2**64 - 1]}, "keys are not in ascending order"),
        ({"actions": [0, 7, *range(7), 3, 4]}, "action 7, but there are 7"),
        ({"actions": [6, 0, *range(7), 3, 4]}, "actions of a row are not in ascending order"),
        ({"actions": [0, 0, *range(7), 3, 4]}, "actions of a row are not in ascending order"),
        ({"actions": [0, 6, *range(7), 3]}, "rows do not add up"),
        ({"weights": [float("nan")] * 11}, "not a finite number"),
        ({"weights": [float("inf")] * 11}, "not a finite number"),
        ({"weights": [1.0] * 10}, "offsets do not lead"),
    ],
)
def test_weights_that_are_refused(changes, message):
    arrays = good_weights().arrays()
    for name, values in changes.items():
        arrays[name] = np.asarray(values, getattr(values, "dtype", arrays[name].dtype))
    with pytest.raises(ModelFileError, match=message):
        validate_weights(arrays, N_ACTIONS)


def test_missing_arrays_and_numbers_of_actions():
    arrays = good_weights().arrays()
    for n_actions in (0, -1, 65536, 7.0, "7", True):
        with pytest.raises(ModelFileError, match="actions, expected 1 to 65535"):
            validate_weights(arrays, n_actions)
    del arrays["actions"]
    with pytest.raises(ModelFileError, match="array 'actions' is missing"):
        validate_weights(arrays, N_ACTIONS)


@pytest.mark.parametrize(("n_actions", "type_"), [(N_ACTIONS, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_weights_are_packed_and_come_back(n_actions, type_):
    weights = dataclasses.replace(good_weights(), n_actions=n_actions)
    weights.actions[-1] = n_actions - 1
    packed = packed_weights(weights)
    assert packed["actions"].dtype == type_
    assert packed["counts"].tolist() == [2, 7, 1, 1]
    for arrays in (packed, weights.arrays()):  # files may have either
        again = validate_weights(unpacked_weights(arrays), n_actions)
        for name, array in weights.arrays().items():
            assert np.array_equal(getattr(again, name), array)
            assert getattr(again, name).dtype == array.dtype


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": np.array([2, 7, 1, 1], np.int64)}, "array 'counts' is not a row of uint16"),
        ({"counts": np.array([[2, 7, 1, 1]], np.uint16)}, "array 'counts' is not a row of uint16"),
        ({"counts": np.array([2, 7, 2], np.uint16)}, "offsets do not lead"),
        ({"counts": np.array([2, 7, 2, 0], np.uint16)}, "offsets do not lead"),
        ({"counts": np.array([2, 7, 1, 9], np.uint16)}, "offsets do not lead"),
        ({"actions": np.array([0, 7, *range(7), 3, 4], np.uint8)}, "action 7, but there are 7"),
        ({"actions": np.zeros(11, np.int8)}, "array 'actions' is not a row of uint16"),
    ],
)
def test_packed_weights_that_are_refused(changes, message):
    with pytest.raises(ModelFileError, match=message):
        validate_weights(unpacked_weights(packed_weights(good_weights()) | changes), N_ACTIONS)


extreme = st.sampled_from([0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 255, 2**15, 2**16 - 1, 2**31, 2**32, BIG, -BIG - 1, -1])


@given(st.data())
@settings(max_examples=300)
def test_random_weights_are_refused_or_can_be_used(data):
    arrays = {name: array.copy() for name, array in good_weights().arrays().items()}
    for _ in range(data.draw(st.integers(1, 5))):
        name = data.draw(st.sampled_from(sorted(arrays)))
        array = arrays[name]
        change = data.draw(st.sampled_from(["set", "bytes", "cut", "double"]))
        if change == "set" and array.size:
            value = np.array(data.draw(extreme)).astype(array.dtype)
            array[data.draw(st.integers(0, array.size - 1))] = value
        elif change == "bytes" and array.size:
            raw = array.view(np.uint8)
            raw[data.draw(st.integers(0, raw.size - 1))] = data.draw(st.integers(0, 255))
        elif change == "cut":
            arrays[name] = array[: data.draw(st.integers(0, array.size))].copy()
        else:
            arrays[name] = np.concatenate([array, array])
    n_actions = data.draw(st.integers(1, 8))
    try:
        weights = validate_weights(arrays, n_actions)
    except ModelFileError:
        return
    expected = np.zeros(n_actions, np.float32)
    for i in range(weights.n_rows):
        row = slice(weights.offsets[i], weights.offsets[i + 1])
        expected[weights.actions[row]] += weights.weights[row]
    with np.errstate(over="ignore"):
        assert np.array_equal(LinearModel(weights).scores(weights.keys), expected, equal_nan=True)
