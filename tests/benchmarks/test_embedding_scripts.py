"""benchmarks/embedding.py, memory.py and threads.py from start to end, on a small model."""

import re
import sys

import pytest

from parser import Parser
from parser.treebank.generate import generate

REASON = "the benchmarks are beside the tests only in a checkout"
embedding = pytest.importorskip("embedding", reason=REASON)
memory = pytest.importorskip("memory", reason=REASON)
threads = pytest.importorskip("threads", reason=REASON)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    words = [f"{k}\tw{k}\t_\t_\tNN\t_\t{k - 1}\tx\t_\t_\n" for k in range(1, 21)]
    (folder / "dev.conllu").write_text("".join(generate(50, 1)) + "".join(words) + "\n")
    Parser.train(folder / "dev.conllu", features="zn11", epochs=1).save(folder / "m")
    return folder


def call(monkeypatch, script, folder, *arguments) -> None:
    monkeypatch.setattr(
        sys, "argv", [script.__name__, str(folder / "m"), "--on", str(folder / "dev.conllu"), *arguments]
    )
    script.main()


def test_embedding_subtracts_the_parse_itself(folder, monkeypatch, capsys):
    monkeypatch.setattr(embedding, "best", lambda function, *_: memory.best(function))
    call(monkeypatch, embedding, folder)
    out = capsys.readouterr().out
    itself, whole, beyond = (float(cell) for cell in re.search(r"^trees \| (.*)$", out, re.MULTILINE)[1].split("|"))
    assert beyond == pytest.approx(whole - itself, abs=0.11)
    assert re.search(r"^parse_arrays \| \d", out, re.MULTILINE)


def test_the_stream_is_the_file_over_and_over_with_new_words(folder):
    text = (folder / "dev.conllu").read_text()
    n = sum(line[:1].isdigit() for line in text.splitlines())
    made = list(memory.rounds(str(folder / "dev.conllu"), 3 * n - 1, 40))
    assert [words for _, words in made] == [n, 2 * n, 3 * n]
    for k, (found, _) in enumerate(made, 1):
        pairs = list(zip(text.splitlines(), found.decode().splitlines(), strict=True))
        changed = [(a.split("\t"), b.split("\t")) for a, b in pairs if a != b]
        assert len(changed) == n // 40
        assert all([*a[:1], a[1] + str(k), *a[2:]] == b for a, b in changed)
    assert next(memory.rounds(str(folder / "dev.conllu"), 1, 0)) == ((text.rstrip("\n") + "\n\n").encode(), n)


def test_threads_are_compared_with_the_first_number_of_them(folder, monkeypatch, capsys):
    call(monkeypatch, threads, folder, "--words", "5000", "--threads", "1", "3", "--turns", "2")
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head == "| model | into | 1 thread | 3 threads |"
    found = [re.fullmatch(r"\| m \| (.*) \| ([\d.]+) \| ([\d.]+) \(([\d.]+)\) \|", row).groups() for row in rows]
    assert [name for name, *_ in found] == ["file", "/dev/null", "new text"]
    for _, one, three, ratio in found:
        assert float(ratio) == pytest.approx(float(three) / float(one), rel=0.3)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc: runs on Linux")
def test_memory_is_told_at_every_tenth(folder, monkeypatch, capfd):
    call(monkeypatch, memory, folder, "--words", "20000")
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \| \d+ \|$", capfd.readouterr().out, re.MULTILINE)
    assert 10 <= len(rows) <= 11
    assert all(float(peak) > 10 for _, peak in rows)


def test_growth_prints_both_tables(folder, monkeypatch, capsys):
    monkeypatch.setattr(memory, "LENGTHS", (10, 100))
    monkeypatch.setattr(memory, "SIZES", (1000, 5000))
    call(monkeypatch, memory, folder, "--growth")
    rows = re.findall(r"^\| ([\d,]+) \|", capsys.readouterr().out, re.MULTILINE)
    assert rows[:2] == ["10", "100"]
    assert len(rows) == 4
