"""`arcspeed parse` at its borders: folders that are resumed, Parquet, packed files, full disks, closed pipes."""

import gzip
import io
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest
from plain_conllu import read_plain

from parser import Parser
from parser.cli.app import run
from parser.treebank import Reader, TreebankError, open_input, open_output
from parser.treebank.generate import generate

PACKINGS = ["", ".gz", ".xz", ".zst"]


def test_links_and_pipes_are_written_to_and_not_replaced(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    with open_output(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with open_output(tmp_path / "pipe") as stream:
        stream.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "target"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parse")
    text = "".join(generate(150, 1))
    (folder / "train.conllu").write_text(text)
    (folder / "long.conllu").write_text("".join(generate(6000, 3)))
    (folder / "in").mkdir()
    for number in range(5):
        (folder / "in" / f"{number}.conllu").write_text("".join(generate(40 + number, 10 + number)))
    for name, epochs in (("m.model", 2), ("other.model", 1)):
        Parser.train(folder / "train.conllu", features="zn11", epochs=epochs, learner="adagrad-rda").save(folder / name)
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return str(folder / "m.model")


def parse(*arguments):
    return run(["parse", *map(str, arguments)])


def process(*arguments, **options):
    command = [sys.executable, "-m", "parser", "parse", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "arcspeed-run.json"}


def one_line(capsys):
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("arcspeed: error: ")


# Folders


def test_a_folder_gives_the_files_that_single_calls_give(folder, model, tmp_path):
    (folder / "in" / ".hidden").write_text("no treebank")
    (folder / "in" / "9.conllu.partial.conllu").write_text("of an interrupted run")
    assert parse(model, folder / "in", "-o", tmp_path / "out", "--threads", 2) == 0
    for number in range(5):
        assert parse(model, folder / "in" / f"{number}.conllu", "-o", tmp_path / "one") == 0
        assert (tmp_path / "one").read_bytes() == (tmp_path / "out" / f"{number}.conllu").read_bytes()
    assert len(contents(tmp_path / "out")) == 5
    files = [folder / "in" / "3.conllu", folder / "in" / "1.conllu"]
    (tmp_path / "two").mkdir()
    assert parse(model, *files, "-o", tmp_path / "two", "--to", "jsonl") == 0
    assert sorted(contents(tmp_path / "two")) == ["1.jsonl", "3.jsonl"]


def test_resuming_writes_what_is_missing_and_nothing_else(folder, model, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = (model, folder / "in", "-o", out, "--resume")
    assert parse(*arguments) == 0, "there is nothing to resume yet: it begins"
    whole, times = contents(out), {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    (out / "3.conllu").rename(out / "3.conllu.partial.conllu")
    (out / "1.conllu").write_text("left alone, whatever is in it")
    os.utime(out / "1.conllu", ns=(times["1.conllu"],) * 2)
    capsys.readouterr()
    assert parse(*arguments) == 0
    assert capsys.readouterr().err == "arcspeed: 4 of 5 files were done\n"
    assert (out / "1.conllu").read_text() == "left alone, whatever is in it"
    assert contents(out) == {**whole, "1.conllu": b"left alone, whatever is in it"}
    changed = {path.name for path in out.iterdir() if path.stat().st_mtime_ns != times[path.name]}
    assert changed == {"3.conllu"}


def test_a_killed_run_goes_on_where_it_was(folder, model, tmp_path):
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    many = 50  # so that it is not done before this process, perhaps of a busy machine, has seen its second file
    for number in range(many):
        os.link(folder / "long.conllu", source / f"{number:02}.conllu")
    running = process(model, source, "-o", out)
    deadline = time.time() + 60
    while time.time() < deadline and not (out / "01.conllu").exists():
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    done = [name for name in contents(out) if ".partial" not in name]
    assert 2 <= len(done) < many
    assert all(name.endswith(".partial.conllu") for name in contents(out) if name not in done)
    times = {name: (out / name).stat().st_mtime_ns for name in done}
    assert parse(model, source, "-o", out, "--resume") == 0
    assert {name: (out / name).stat().st_mtime_ns for name in done} == times
    assert parse(model, folder / "long.conllu", "-o", tmp_path / "whole") == 0
    assert contents(out) == dict.fromkeys([f"{k:02}.conllu" for k in range(many)], (tmp_path / "whole").read_bytes())


def test_only_the_same_run_is_resumed(folder, model, tmp_path, capsys):
    out = tmp_path / "out"
    assert parse(model, folder / "in", "-o", out) == 0
    capsys.readouterr()
    for arguments, message in (
        ([model], "holds what an earlier run wrote; --resume goes on with it"),
        ([folder / "other.model", "--resume"], "was begun with another model: --resume goes on with the same alone"),
        ([model, "--resume", "--scores"], "was begun with scores False, not True: "),
        ([model, "--resume", "--on-error", "skip"], "was begun with on_error stop, not skip: "),
    ):
        assert parse(arguments[0], folder / "in", "-o", out, *arguments[1:]) == 2
        assert one_line(capsys).startswith(f"{out}: {message}")
    assert parse(model, folder / "in", "-o", out, "--resume", "--threads", "3") == 0
    (out / "arcspeed-run.json").write_text("{")
    capsys.readouterr()
    assert parse(model, folder / "in", "-o", out, "--resume") == 1
    assert one_line(capsys).startswith(f"{out / 'arcspeed-run.json'}: is not a note of an earlier run")


def test_folders_that_cannot_be(folder, model, tmp_path, capsys):
    packed = tmp_path / "0.conllu.gz"
    packed.write_bytes(gzip.compress((folder / "in" / "0.conllu").read_bytes()))
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "0.conllu").write_text("mine")
    for arguments, code, message in (
        ([folder / "in"], 2, "several files are parsed into a folder: name it by --output"),
        ([folder / "in" / "0.conllu", "--resume"], 2, "--resume goes on with a folder: name several files"),
        ([folder / "in", "-", "-o", tmp_path / "x"], 2, "standard input is no shard"),
        ([folder / "in", "-o", folder / "in"], 2, f"{folder / 'in'} is both input and output"),
        ([tmp_path / "empty", "-o", tmp_path / "x"], 2, "no files to parse: the folder has none"),
        (
            [packed, folder / "in" / "0.conllu", "-o", tmp_path / "x", "--to", "parquet"], 2,
            f"{packed} and {folder / 'in' / '0.conllu'} would both become {tmp_path / 'x' / '0.parquet'}",
        ),
        ([folder / "in", "-o", tmp_path / "full"], 2, f"{tmp_path / 'full' / '0.conllu'}: exists already"),
        ([folder / "in", "-o", packed], 1, f"{packed}: cannot be written: "),
    ):  # fmt: skip
        assert parse(model, *arguments) == code
        assert one_line(capsys).startswith(message)
    assert not (tmp_path / "x").exists()
    assert (tmp_path / "full" / "0.conllu").read_text() == "mine"


def test_a_fault_in_one_file_leaves_the_finished_ones(folder, model, tmp_path, capsys):
    source, out = tmp_path / "in", tmp_path / "out"
    shutil.copytree(folder / "in", source)
    with open(source / "2.conllu", "a") as stream:
        stream.write("1\tbroken\n")
    assert parse(model, source, "-o", out) == 1
    assert one_line(capsys).startswith(f"{source / '2.conllu'}:")
    assert sorted(contents(out)) == ["0.conllu", "1.conllu"]
    shutil.copy(folder / "in" / "2.conllu", source)
    assert parse(model, source, "-o", out, "--resume") == 0
    assert len(contents(out)) == 5


@pytest.mark.parametrize(
    ("name", "format", "to", "target"),
    [
        ("a.conllu.gz", "auto", "auto", "a.conllu.gz"),
        ("a.conllu.gz", "auto", "jsonl", "a.jsonl.gz"),
        ("a.conllu.zst", "auto", "parquet", "a.parquet"),
        ("a.txt.xz", "text", "auto", "a.conllu.xz"),
        ("a.b", "vertical", "conllx", "a.b.conllx"),
        ("part-00017", "auto", "jsonl", "part-00017.jsonl"),
    ],
)
def test_names_of_outputs(name, format, to, target):
    from parser.shards import target_name

    assert target_name(name, format, to) == target


# Packed files, faults, full disks, closed pipes


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_files_in_and_out(folder, model, tmp_path, packing):
    source, target = tmp_path / f"in.conllu{packing}", tmp_path / f"out.conllu{packing}"
    with open_output(source) as stream:
        stream.write((folder / "in" / "0.conllu").read_bytes())
    assert parse(model, source, "-o", target) == 0
    assert parse(model, folder / "in" / "0.conllu", "-o", tmp_path / "plain") == 0
    with open_input(target) as stream:
        assert stream.read() == (tmp_path / "plain").read_bytes()
    if packing:
        assert target.read_bytes() != (tmp_path / "plain").read_bytes()


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_packed_file_that_is_cut_off(folder, model, tmp_path, capsys, packing, threads):
    source, target = tmp_path / f"in.conllu{packing}", tmp_path / "out.conllu"
    with open_output(source) as stream:
        stream.write((folder / "long.conllu").read_bytes())
    content = source.read_bytes()
    source.write_bytes(content[: len(content) * 3 // 4])
    target.write_text("old")
    assert parse(model, source, "-o", target, "--threads", threads) == 1
    message = one_line(capsys)
    assert message.startswith(f"{source}:")
    assert ": cannot be read on: " in message
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [source.name, "out.conllu"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full: runs on Linux")
@pytest.mark.parametrize("options", [["--to", "conllu"], ["--to", "jsonl"], ["--to", "parquet"], ["--threads", "3"]])
def test_standard_output_on_a_full_disk(folder, model, options):
    if "parquet" in options:
        pytest.importorskip("pyarrow", reason="needs pyarrow: runs with the extra `arrow`")
    with open("/dev/full", "wb") as full:
        running = process(model, folder / "long.conllu", *options, stdout=full)
        (line,) = running.communicate()[1].decode().splitlines()
    assert running.returncode == 1
    assert line == "arcspeed: error: <stdout>: cannot be written: No space left on device"


@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz", "out.jsonl", "out.conllu.zst", "out.parquet"])
def test_a_file_that_does_not_fit_on_the_disk(folder, model, tmp_path, name):
    """The limit on the size of files stands for a disk that is full."""
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs pyarrow: runs with the extra `arrow`")
    (tmp_path / name).write_text("old")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    running = process(model, folder / "long.conllu", "-o", tmp_path / name, preexec_fn=limit)
    (line,) = running.communicate()[1].decode().splitlines()
    assert running.returncode == 1
    assert line == f"arcspeed: error: {tmp_path / name}: cannot be written: File too large"
    assert (tmp_path / name).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("closed", "told", "code"),
    [
        (">&-", b"arcspeed: error: <stdout>: cannot be written: Bad file descriptor\n", 1),
        ("<&-", b"arcspeed: error: <stdin>:1: cannot be read on: [Errno 9] Bad file descriptor\n", 1),
        ("2>&-", b"", 0),
        (">&- 2>&- <&-", b"", 1),
    ],
)
def test_closed_streams_are_told_in_a_line_or_in_silence(folder, model, closed, told, code):
    command = f'exec "$0" -m parser parse "$1" - --format conllu {closed}'
    with open(folder / "in" / "0.conllu", "rb") as source:
        answer = subprocess.run(
            ["sh", "-c", command, sys.executable, model], stdin=source, capture_output=True, check=False
        )
    assert (answer.returncode, answer.stderr) == (code, told)
    assert bool(answer.stdout) is (code == 0)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_closed_pipe_ends_in_silence(folder, model, threads):
    running = process(model, folder / "long.conllu", "--threads", threads, stdout=subprocess.PIPE)
    head = running.stdout.read(100)
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    running.wait()
    assert head.startswith(b"# sent_id")


def test_a_bar_with_words_a_second_on_a_terminal(folder, model, tmp_path):
    mine, terminal = pty.openpty()
    command = [sys.executable, "-m", "parser", "parse", model, str(folder / "long.conllu"), "-o", str(tmp_path / "out")]
    running = subprocess.Popen(command, stderr=terminal, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"})
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(mine, 1000)
        except OSError:  # how Linux tells that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(mine)
    assert running.wait() == 0
    assert b"words/s" in shown


@pytest.mark.parametrize("packing", PACKINGS[1:])
@pytest.mark.parametrize("format", ["conllu", "text"])
def test_what_stands_before_a_cut_is_parsed(folder, model, tmp_path, packing, format):
    """The line that is told is the first that could not be read."""
    text = (folder / "long.conllu").read_text()
    if format == "text":
        text = "".join(" ".join(f"{row[1]}_{row[4]}" for row in s.words) + "\n" for s in read_plain(text))
    whole, cut = tmp_path / f"whole{packing}", tmp_path / f"cut{packing}"
    with open_output(whole) as stream:
        stream.write(text.encode())
    content = whole.read_bytes()
    cut.write_bytes(content[: len(content) * 3 // 4])
    every, _ = process(model, whole, "--format", format, stdout=subprocess.PIPE).communicate()
    running = process(model, cut, "--format", format, stdout=subprocess.PIPE)
    some, message = running.communicate()
    assert running.returncode == 1
    assert every.startswith(some)
    assert len(some) > len(every) // 2
    line = int(re.search(r":(\d+): cannot be read on: ", message.decode())[1])
    before = text.split("\n")[: line - 1]
    assert len(read_plain(some.decode())) == (before.count("") if format == "conllu" else len(before))


# Nothing to parse


@pytest.mark.parametrize("content", [b"", b"\n \n\n"])
@pytest.mark.parametrize("format", ["auto", "conll09", "text", "vertical"])
@pytest.mark.parametrize("to", ["auto", "jsonl"])
def test_nothing_is_parsed_to_nothing(model, tmp_path, capsys, content, format, to):
    (tmp_path / "in").write_bytes(content)
    out = tmp_path / "out"
    assert run(["parse", model, str(tmp_path / "in"), "-o", str(out), "--format", format, "--to", to]) == 0
    assert (out.read_bytes(), capsys.readouterr().err) == (b"", "")
    running = process(model, "--format", format, "--to", to, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert running.communicate(content) == (b"", b"")
    assert running.returncode == 0


def test_an_empty_file_in_a_folder_does_not_stop_the_run(folder, model, tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(folder / "in" / "1.conllu", tmp_path / "in")
    (tmp_path / "in" / "00.conllu").touch()
    (tmp_path / "in" / "01.conllu").write_text("# only a comment\n\n")
    arguments = ["parse", model, str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--on-error", "skip"]
    assert run(arguments) == 1, "a comment without words is a sentence left out"
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "out").iterdir()}
    assert sorted(sizes) == ["00.conllu", "01.conllu", "1.conllu", "arcspeed-run.json"]
    assert {name for name, size in sizes.items() if not size} == {"00.conllu", "01.conllu"}


# Tags


def without_tags(text):
    rows = (line.split("\t") for line in text.split("\n"))
    return "\n".join("\t".join([*row[:4], "_", *row[5:]] if len(row) == 10 else row) for row in rows)


WORDS = "la domo dormas\n" * 3


@pytest.mark.parametrize(
    ("text", "format", "remedy"),
    [
        (WORDS, "text", "write word_TAG, from the first line on"),
        ("la\ndomo\n\n", "vertical", "write token TAB tag"),
        (without_tags("".join(generate(3000, 5))), "conllu", "fill the column, or train with --pos upos"),
    ],
)
@pytest.mark.parametrize("threads", ["1", "2"])
def test_input_without_tags_is_warned_of_once(model, tmp_path, capsys, text, format, remedy, threads):
    (tmp_path / "in").write_text(text)
    arguments = ["parse", model, str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--format", format]
    assert run([*arguments, "--threads", threads]) == 0
    told = f"no word has XPOS, which {model} takes for tags: expect wrong trees; {remedy}\n"
    assert capsys.readouterr().err == f"arcspeed: warning: {tmp_path}/in: {told}"


def test_files_without_tags_are_counted(folder, model, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for name in ("0.conllu", "1.conllu", "2.conllu"):
        text = (folder / "in" / name).read_text()
        (tmp_path / "in" / name).write_text(text if name == "1.conllu" else without_tags(text))
    assert run(["parse", model, str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"arcspeed: warning: {tmp_path}/out: 2 files: no word has XPOS, ")


def test_one_tag_is_enough_not_to_warn(folder, model, tmp_path, capsys):
    text = (folder / "in" / "0.conllu").read_text()
    (tmp_path / "in.conllu").write_text(without_tags("".join(generate(3000, 5))) + text)
    assert run(["parse", model, str(tmp_path / "in.conllu"), "-o", str(tmp_path / "out.conllu")]) == 0
    assert capsys.readouterr().err == ""


def test_words_alone_are_enough_for_features_of_words(folder, tmp_path, capsys):
    (tmp_path / "set.txt").write_text("s0.w n0.w\n")
    Parser.train(folder / "train.conllu", features=str(tmp_path / "set.txt"), epochs=1).save(tmp_path / "m")
    (tmp_path / "in.txt").write_text(WORDS)
    run(["parse", str(tmp_path / "m"), str(tmp_path / "in.txt"), "-o", str(tmp_path / "out"), "--format", "text"])
    assert capsys.readouterr().err == ""


def test_gold_without_tags_is_warned_of(folder, model, tmp_path, capsys):
    (tmp_path / "gold.conllu").write_text(without_tags((folder / "in" / "0.conllu").read_text()))
    assert run(["evaluate", str(tmp_path / "gold.conllu"), "--model", model]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"arcspeed: warning: {tmp_path}/gold.conllu: no word has XPOS, which {model} takes for tags")


# Parquet


def test_parquet_has_the_words_and_trees(folder, model, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: runs with the extra `arrow`")
    source = folder / "in" / "2.conllu"
    assert parse(model, source, "-o", tmp_path / "out.parquet", "--scores") == 0
    assert parse(model, source, "-o", tmp_path / "out.conllu") == 0
    table = pq.read_table(tmp_path / "out.parquet")
    with Reader(tmp_path / "out.conllu") as reader:
        for row, sentence in zip(table.to_pylist(), reader, strict=True):
            assert (row["sent_id"], row["form"]) == (sentence.name, sentence.words)
            assert (row["head"], row["deprel"]) == (sentence.heads.tolist(), sentence.labels)
            for name in ("lemma", "upos", "xpos", "feats"):
                assert [cell or "_" for cell in row[name]] == sentence.column(name)
            assert all(0 < p <= q <= 1 for p, q in zip(row["label_probability"], row["head_probability"], strict=True))
    loaded = Parser.load(model)
    assert loaded.parse_table(table.drop_columns(["head", "deprel"]))["head"] == table["head"]


def test_parquet_to_a_pipe_and_in_row_groups(folder, model, tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: runs with the extra `arrow`")
    from parser.treebank import parquet

    with open(tmp_path / "piped", "wb") as out:
        running = process(model, folder / "long.conllu", "--to", "parquet", "--threads", 2, stdout=out)
        assert running.communicate()[1] == b""
    monkeypatch.setattr(parquet, "GROUP", 10_000)
    assert parse(model, folder / "long.conllu", "-o", tmp_path / "grouped.parquet") == 0
    assert pq.ParquetFile(tmp_path / "grouped.parquet").num_row_groups > 3
    assert pq.read_table(tmp_path / "piped").equals(pq.read_table(tmp_path / "grouped.parquet"))


@pytest.mark.parametrize("options", [[], ["--scores"]])
def test_parquet_without_sentences(folder, model, tmp_path, options):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: runs with the extra `arrow`")
    (tmp_path / "bad.conllu").write_text("1\tbroken\n")
    assert parse(model, folder / "in" / "0.conllu", "-o", tmp_path / "some.parquet", *options) == 0
    assert parse(model, tmp_path / "bad.conllu", "-o", tmp_path / "none.parquet", "--on-error", "skip", *options) == 1
    found = pq.read_table(tmp_path / "none.parquet")
    assert found.num_rows == 0
    assert found.schema == pq.read_table(tmp_path / "some.parquet").schema
    with open(tmp_path / "piped", "wb") as out:
        process(model, tmp_path / "bad.conllu", "--to", "parquet", *options, stdout=out).communicate()
    assert pq.read_table(tmp_path / "piped") == found


def test_a_fault_leaves_no_parquet_file_but_a_valid_stream(folder, model, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: runs with the extra `arrow`")
    source = tmp_path / "bad.conllu"
    source.write_text((folder / "long.conllu").read_text() + "1\tbroken\n")
    assert parse(model, source, "-o", tmp_path / "out.parquet") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.conllu"]
    with open(tmp_path / "piped", "wb") as out:
        process(model, source, "--to", "parquet", stdout=out).communicate()
    assert pq.read_table(tmp_path / "piped").num_rows == 6000


@pytest.mark.parametrize("to", ["conllx", "conll09"])
def test_scores_in_a_format_without_room_are_a_fault_of_the_call(folder, model, tmp_path, capsys, to):
    arguments = ["parse", model, str(folder / "in" / "0.conllu"), "-o", str(tmp_path / "out"), "--to", to, "--scores"]
    assert run(arguments) == 2
    assert "probabilities have no place in CoNLL-" in capsys.readouterr().err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow_says_what_is_missing(folder, model, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "parser.treebank.parquet", raising=False)
    assert parse(model, folder / "in" / "0.conllu", "-o", tmp_path / "x.parquet") == 2
    assert one_line(capsys) == "tables and Parquet need pyarrow: pip install 'arcspeed[arrow]'"
    assert list(tmp_path.iterdir()) == []


def test_json_lines_are_what_was_written_before_a_fault(folder, model):
    source = (folder / "in" / "0.conllu").read_text() + "1\tbroken\n"
    running = process(model, "--to", "jsonl", "--format", "conllu", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, error = running.communicate(source.encode())
    assert running.returncode == 1
    assert error.decode().endswith(": 2 columns, expected 10 columns\n")
    found = [json.loads(line) for line in out.decode().splitlines()]
    assert [line["words"] for line in found] == [
        s.column(1) for s in read_plain((folder / "in" / "0.conllu").read_text())
    ]


def test_parquet_is_not_packed_again(folder, model, tmp_path, capsys):
    for name in ("x.parquet.gz", "x.gz"):
        to = [] if "parquet" in name else ["--to", "parquet"]
        assert run(["parse", str(model), str(folder / "train.conllu"), "-o", str(tmp_path / name), *to]) == 2
        assert "Parquet packs for itself" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_convert_writes_conll_alone(folder, tmp_path, capsys, name):
    assert run(["convert", str(folder / "train.conllu"), str(tmp_path / name)]) == 2
    assert "convert writes CoNLL formats" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", ["auto", "conllu"])
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.jsonl", b'\xef\xbb\xbf{"words": ["a"]}\n', "JSON lines"),
        ("a.jsonl.gz", gzip.compress(b'\n {"words": ["a"]}\n'), "JSON lines"),
        ("a.json", b'{\n"a": 1}\n', "JSON"),
        ("a.conllu", b'{"words": ["a"]}\n' * 50, "JSON lines"),
        ("a.parquet", b"PAR1\x15\x04\x15\n\n\x00\xffPAR1", "Parquet"),
        ("a.bin", b"PAR1\x15\x04\x15\n\n\x00\xffPAR1", "Parquet"),
    ],
)
def test_what_is_only_written_is_told_by_its_name(model, tmp_path, capsys, name, content, kind, format):
    source, given = tmp_path / name, ["--format", format]
    kind = "JSON lines" if kind == "JSON" and format != "auto" else kind  # the beginning alone says so
    source.write_bytes(content)
    for command in (
        ["parse", model, str(source), *given],
        ["parse", model, str(source), "--on-error", "skip", *given],
        ["check", str(source), *given],
        ["convert", str(source), "-", *given],
        ["evaluate", str(source), str(source), *given],
    ):
        assert run(command) == 1
        told = (
            f"{source}: this is {kind}, which arcspeed writes but does not read, expected CoNLL-U, CoNLL-X, CoNLL-2009"
        )
        assert capsys.readouterr() == ("", f"arcspeed: error: {told}\n")


def test_the_name_says_nothing_where_the_format_is_named(tmp_path):
    (tmp_path / "a.json").write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")
    assert [sentence.words for sentence in Reader(tmp_path / "a.json", format="conllu")] == [["a"]]
    with pytest.raises(TreebankError, match="this is JSON, which arcspeed writes but does not read"):
        list(Reader(tmp_path / "a.json"))
    (tmp_path / "b.json").write_text("{ a }\n")
    assert [sentence.words for sentence in Reader(tmp_path / "b.json", format="text")] == [["{", "a", "}"]]
    assert list(Reader(io.BytesIO(b""), may_be_empty=True)) == []
