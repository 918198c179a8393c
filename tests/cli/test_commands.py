"""The command line as a user meets it: output, exit codes, one line for every error, silence on closed pipes."""

import gzip
import json
import os
import subprocess
import sys
import time

import pytest
import samples

from parser.cli.app import run
from parser.treebank.generate import generate


def arcspeed(*arguments, **options):
    """A process of its own, as from a shell."""
    return subprocess.run(
        [sys.executable, "-m", "parser", *map(str, arguments)], capture_output=True, check=False, timeout=120, **options
    )


@pytest.fixture
def treebank(tmp_path):
    (tmp_path / "train.conllu").write_text("".join(generate(60, 1)))
    (tmp_path / "dev.conllu").write_text("".join(generate(20, 2)))
    return tmp_path


def test_version_and_help():
    from parser import __version__

    for option in ("--version", "-V"):
        answer = arcspeed(option)
        assert (answer.returncode, answer.stdout.decode()) == (0, f"arcspeed {__version__}\n")
    answer = arcspeed("--help")
    assert answer.returncode == 0
    for command in (b"check", b"convert", b"demo", b"evaluate"):
        assert command in answer.stdout


def test_version_answers_at_once():
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        arcspeed("--version")
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.25


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads as Linux tells them: runs there")
def test_numpy_starts_no_threads():
    code = "import os, parser.cli; parser.cli.keep_numpy_single(); import numpy; print(os.listdir('/proc/self/task'))"
    clean = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=clean)
    assert answer.stdout.count(b",") == 0


def test_check_counts_and_compares(treebank, capsys):
    assert run(["check", str(treebank / "train.conllu"), str(treebank / "dev.conllu")]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["train.conllu", "dev.conllu"]
    assert out.splitlines()[1].split() == ["sentences", "60", "20"]
    assert "forms that do not occur in" in out


def test_check_as_json(treebank, capsys):
    assert run(["check", "--json", str(treebank / "train.conllu"), str(treebank / "dev.conllu")]) == 0
    train, dev = json.loads(capsys.readouterr().out)
    assert (train["sentences"], dev["sentences"]) == (60, 20)
    assert "compared" in dev


def test_check_lists_faulty_sentences(tmp_path, capsys):
    path = tmp_path / "bad.conllu"
    path.write_text(samples.PLAIN + samples.PLAIN.replace("\t0\troot", "\t3\troot") + samples.PLAIN)
    assert run(["check", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"{path}:10: word 2 is on a cycle of heads, expected every word to reach ROOT\n"
    assert "sentences left out because they cannot be read: 1" in captured.out


@pytest.mark.parametrize("command", [["check"], ["convert", "{}", "-"]])
def test_missing_files_give_one_line_and_exit_code_1(tmp_path, command):
    missing = tmp_path / "missing.conllu"
    words = [word.format(missing) for word in command]
    answer = arcspeed(*(words if len(words) > 1 else [*words, missing]))
    assert answer.returncode == 1
    assert answer.stderr.decode() == f"arcspeed: error: {missing}: cannot be read: No such file or directory\n"


def test_convert_through_pipes():
    answer = arcspeed("convert", "-", "-", "--format", "conllu", input=samples.ALL.replace("\n", "\r\n").encode())
    assert answer.returncode == 0
    assert answer.stdout.decode() == samples.ALL
    assert answer.stderr == b""


def test_convert_to_another_format_tells_what_it_drops(tmp_path, capsys):
    source, target = tmp_path / "a.conllu", tmp_path / "b.conllx.gz"
    source.write_text(samples.ALL)
    assert run(["convert", str(source), str(target)]) == 0
    text = gzip.decompress(target.read_bytes()).decode()
    assert text.startswith("1\tMi\tmi\tPRON")
    assert "has no place for 5 comments, 1 multiword, 3 empty nodes: left out" in capsys.readouterr().err


FULL = "1\tw\tl\tNOUN\tNN\tA=B\t0\troot\t0:root\tSpaceAfter=No\n\n"
BARE = "1\tw\tl\t_\tNN\tA=B\t0\troot\t_\t_\n\n"
ROLES = "1\tw\tl\tp\tNN\t_\t_\t_\t0\t_\troot\t_\tY\tw.01\tA0\n\n"


@pytest.mark.parametrize(
    ("text", "source", "to", "lost"),
    [
        (FULL, "conllu", "conllx", "CoNLL-X has no columns DEPS, MISC"),
        (FULL, "conllu", "conll09", "CoNLL-2009 has no columns UPOS, DEPS, MISC"),
        (BARE * 3 + BARE.replace("\t_\n", "\tx\n"), "conllu", "conllx", "CoNLL-X has no column MISC"),
        (FULL, "conllx", "conllu", "CoNLL-U has no columns PHEAD, PDEPREL"),
        (ROLES, "conll09", "conllu", "CoNLL-U has no columns PLEMMA, FILLPRED, PRED"),
        (BARE, "conllu", "conllx", None),
        (BARE, "conllu", "conll09", None),
        (FULL, "conllu", "conllu", None),
        (ROLES, "conll09", "conll09", None),
    ],
)
def test_convert_names_the_columns_that_are_lost(tmp_path, capsys, text, source, to, lost):
    path = tmp_path / f"a.{source}"
    path.write_text(text)
    assert run(["convert", str(path), str(tmp_path / "b"), "--to", to]) == 0
    told = f"arcspeed: warning: {lost}: what stood there is left out\n" if lost else ""
    assert capsys.readouterr().err == told


def test_a_failed_conversion_leaves_no_file_and_the_old_one_in_place(tmp_path, capsys):
    source, target = tmp_path / "a.conllu", tmp_path / "b.conllu"
    source.write_text(samples.ALL + "1\tbroken\n")
    target.write_text("old")
    assert run(["convert", str(source), str(target)]) == 1
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.conllu", "b.conllu"]
    assert "2 columns, expected 10 columns" in capsys.readouterr().err
    assert run(["convert", "--on-error", "skip", str(source), str(target)]) == 1
    assert target.read_text() == samples.ALL
    assert "1 faulty sentence left out" in capsys.readouterr().err


def test_convert_refuses_to_overwrite_its_input(tmp_path, capsys):
    path = tmp_path / "a.conllu"
    path.write_text(samples.ALL)
    assert run(["convert", str(path), str(path)]) == 2
    assert "is both input and output" in capsys.readouterr().err
    assert path.read_text() == samples.ALL


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full: runs on Linux")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line(tmp_path, unbuffered):
    source = tmp_path / "a.conllu"
    source.write_text("".join(generate(2000)))
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    for command in (["convert", source, "-"], ["check", source], ["-V"], ["--version"], ["--help"], ["check", "-h"]):
        with open("/dev/full", "wb") as full:
            answer = subprocess.run(
                [sys.executable, "-m", "parser", *command],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
                env=environment,
            )
        assert answer.returncode == 1
        (line,) = answer.stderr.decode().splitlines()
        assert line.startswith("arcspeed: error: <stdout>: ")
        assert line.endswith("No space left on device")


@pytest.mark.skipif(sys.platform == "win32", reason="closed pipes are signals on POSIX only")
def test_a_closed_pipe_ends_in_silence(tmp_path):
    source = tmp_path / "a.conllu"
    source.write_text("".join(generate(20_000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "parser", "convert", source, "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_demo_without_network(treebank, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("parser.cli.demo_data.PACKAGE", "no-such-package-of-arcspeed==0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert run(["demo"]) == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines()[0] == (
        "arcspeed: the Turkish Web Treebank could not be downloaded (no network?); using made-up sentences instead"
    )
    assert "made-up language" in captured.out
    assert "Trained in " in captured.out
    assert "└─.  punct" in captured.out
    assert run(["demo", "--treebank", str(treebank)]) == 0
    assert str(treebank / "train.conllu") in capsys.readouterr().out


def test_demo_wants_a_folder_with_both_files(tmp_path, capsys):
    assert run(["demo", "--treebank", str(tmp_path)]) == 1
    assert "has no train.conllu or *-train.conllu" in capsys.readouterr().err


def test_the_demo_treebank_is_split_as_its_makers_do(tmp_path):
    import zipfile

    from parser.cli.demo_data import unpack

    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("web", "wiki"):
            archive.writestr(f"data/{name}.conllu", "".join(f"# {name}{k}\n1\tw\n\n" for k in range(25)))
    unpack(wheel, tmp_path / "out")
    named = {split: (tmp_path / "out" / f"{split}.conllu").read_text() for split in ("train", "dev", "test")}
    assert [line for line in named["dev"].split("\n") if line.startswith("#")] == [
        "# web8", "# web18", "# wiki8", "# wiki18",
    ]  # fmt: skip
    assert named["test"].count("#") == 4
    assert named["train"].count("#") == 42


def test_a_wrong_download_is_refused(tmp_path, monkeypatch):
    from parser.cli import demo_data
    from parser.treebank import TreebankError

    def fake_pip(_command, **_):
        (tmp_path / "turkish.whl").write_bytes(b"something else")

    monkeypatch.setattr(demo_data.subprocess, "run", fake_pip)
    with pytest.raises(TreebankError, match="not the expected checksum"):
        demo_data.download(tmp_path)
