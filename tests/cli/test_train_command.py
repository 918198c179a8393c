"""train, parse, info, calibrate and evaluate --model, as a user runs them."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from plain_conllu import read_plain

from parser.cli.app import run
from parser.model.file import ModelFile
from parser.train import data
from parser.treebank.generate import generate

FAST = ["--features", "zn11", "--epochs", "3", "--quiet"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    for name, n, seed in (("train", 150, 1), ("dev", 40, 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder


@pytest.fixture(scope="module")
def model(files):
    path = files / "m.model"
    arguments = ["train", files / "train.conllu", "--dev", files / "dev.conllu", "-o", path, "--learner", "adagrad-rda"]
    assert run([*map(str, arguments), *FAST, "--licence", "CC0"]) == 0
    return path


def test_train_tells_epoch_by_epoch(files, tmp_path, capsys):
    arguments = ["train", str(files / "train.conllu"), "--dev", str(files / "dev.conllu")]
    assert run([*arguments, "-o", str(tmp_path / "x.model"), "--features", "zn11", "--epochs", "2"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0].startswith("150 sentences, ")
    assert [line.split()[0] for line in lines[2:4]] == ["1", "2"]
    assert re.fullmatch(r"LAS dev \d+\.\d\d in floating point, \d+\.\d\d as integers, with which it parses", lines[4])
    assert lines[5].startswith(f"arcspeed: wrote {tmp_path / 'x.model'} (")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.model", "x.model.last", "x.model.log"]
    log = [json.loads(line) for line in (tmp_path / "x.model.log").read_text().splitlines()]
    assert [line["event"] for line in log] == ["start", "epoch", "epoch"]
    assert log[2]["dev"]["las"] > 50


def test_one_of_a_kind_is_not_told_as_many(tmp_path, capsys):
    (tmp_path / "t.conllu").write_text("1\tMi\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "set.txt").write_text("s0.w\n")
    arguments = [
        "train",
        str(tmp_path / "t.conllu"),
        "-o",
        str(tmp_path / "m"),
        "--features",
        str(tmp_path / "set.txt"),
    ]
    assert run([*arguments, "--epochs", "1"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "1 sentence, 1 word, 1 label, 1 template"
    assert run(["info", str(tmp_path / "m")]) == 0
    told = capsys.readouterr().out
    assert "set.txt, 1 template\n" in told
    assert "t.conllu: 1 sentence, 1 word\n" in told


def test_options_of_another_learner_are_refused_from_a_file_too(files, tmp_path, capsys):
    (tmp_path / "c.toml").write_text('[learner]\nname = "perceptron"\nmargin = 50\n')
    arguments = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), "--config", str(tmp_path / "c.toml")]
    assert run([*arguments, "--learner", "adagrad-rda"]) == 2
    told = "learner.margin is no option of the adagrad-rda learner\n"
    assert capsys.readouterr().err == f"arcspeed: error: {told}"


@pytest.mark.parametrize(
    ("by_set", "flag", "told"),
    [
        ("epochs=2", ["--epochs", "1"], "--epochs 1 and --set train.epochs"),
        ("system=arc-hybrid", ["--system", "arc-eager"], "--system arc-eager and --set system.name"),
        ("p=0.5", ["--p", "0.9"], "--p 0.9 and --set explore.p"),
    ],
)
def test_an_option_with_two_values_is_refused(files, tmp_path, capsys, by_set, flag, told):
    shared = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), "-q"]
    for arguments in ([*flag, "--set", by_set], ["--set", by_set, *flag]):
        assert run([*shared, *arguments]) == 2
        assert capsys.readouterr().err == f"arcspeed: error: {told}: expected one of them, or one value\n"
    assert run([*shared, "--epochs", "1", "--set", "epochs=2", "--set", "train.epochs=1"]) == 0


def test_a_budget_is_kept_and_what_it_costs_is_told(files, tmp_path, capsys):
    shared = ["train", str(files / "train.conllu"), "--dev", str(files / "dev.conllu"), "--features", "zn11"]
    shared += ["--epochs", "2", "--slim"]
    assert run([*shared, "-o", str(tmp_path / "whole")]) == 0
    whole, _ = (tmp_path / "whole").stat().st_size, capsys.readouterr()
    assert run([*shared, "-o", str(tmp_path / "large"), "--budget", "1GB"]) == 0
    assert re.search(r"\nwithin 1000\.00 MB: \d\.\d\d MB, nothing left out\n", capsys.readouterr().err)
    assert (tmp_path / "large").read_bytes() == (tmp_path / "whole").read_bytes()
    assert run([*shared, "-o", str(tmp_path / "small"), "--budget", f"{whole // 2}"]) == 0
    told = r"\nwithin \d\.\d\d MB: LAS dev \S+ -> \S+, [\d,]+ -> [\d,]+ rows, [\d,]+ -> [\d,]+ weights, \S+ -> \S+ MB\n"
    assert re.search(told, capsys.readouterr().err)
    assert 0.45 * whole < (tmp_path / "small").stat().st_size <= whole // 2
    assert run([*shared, "-o", str(tmp_path / "none"), "--budget", "1kB"]) == 2
    told = capsys.readouterr().err
    assert "a budget of 1,000 bytes: without any weights" in told
    assert "epoch" not in told, "before training, not after"
    assert run([*shared, "-o", str(tmp_path / "none"), "--budget", "much"]) == 2
    assert "'much' is no size" in capsys.readouterr().err


def test_a_finished_model_is_shrunk(files, model, tmp_path, capsys):
    half, small = model.stat().st_size // 2, tmp_path / "small"
    assert run(["shrink", str(model), "-o", str(small), "--budget", f"{half}", "--dev", str(files / "dev.conllu")]) == 0
    assert re.match(r"within \d\.\d\d MB: LAS dev \S+ -> \S+, [\d,]+ -> ", capsys.readouterr().err)
    assert small.stat().st_size <= half
    assert run(["shrink", str(small), "-o", str(tmp_path / "slim"), "--budget", f"{half}", "--slim"]) == 0
    assert capsys.readouterr().err.endswith(" MB, nothing left out\n")
    assert run(["shrink", str(tmp_path / "slim"), "-o", str(tmp_path / "x"), "--budget", "1MB"]) == 1
    assert "slim model has no weights to be made smaller" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(files, tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        arguments = ["train", str(files / "train.conllu"), "-o", str(tmp_path / name), *FAST, "--slim", "--seed", seed]
        assert run(arguments) == 0
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c
    assert not (tmp_path / "a.last").exists()


@pytest.mark.parametrize("keep_after", [1, 2, 3])  # before, when and after it is stopped
@pytest.mark.parametrize("learner", ["perceptron", "passive-aggressive", "adagrad-rda", "regression"])
def test_resuming_gives_the_model_of_an_uninterrupted_run(files, tmp_path, learner, keep_after):
    shared = ["train", str(files / "train.conllu"), "--dev", str(files / "dev.conllu"), "--features", "zn11", "-q"]
    shared += ["--learner", learner, "--set", "keep=0.5", "--set", f"keep_after={keep_after}"]
    assert run([*shared, "-o", str(tmp_path / "whole"), "--epochs", "4"]) == 0
    assert run([*shared, "-o", str(tmp_path / "parts"), "--epochs", "2"]) == 0
    assert run([*shared, "-o", str(tmp_path / "parts"), "--epochs", "4", "--resume"]) == 0
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()
    events = [json.loads(line)["event"] for line in (tmp_path / "parts.log").read_text().splitlines()]
    assert [event for event in events if event != "start"].index("rows") == keep_after
    assert sorted(events) == ["epoch"] * 4 + ["rows", "start"]


def test_resuming_an_ensemble(files, tmp_path, capsys):
    """Seeds that are done stay as they are, so the number of epochs does, too."""
    shared = ["train", str(files / "train.conllu"), "--features", "zn11", "-q", "--ensemble", "2", "--resume"]
    shared += ["-o", str(tmp_path / "m"), "--epochs"]
    assert run([option for option in [*shared, "2"] if option != "--resume"]) == 0
    before = (tmp_path / "m").read_bytes()
    assert run([*shared, "2"]) == 0
    assert (tmp_path / "m").read_bytes() == before
    assert run([*shared, "4"]) == 2
    assert "a seed is done after 2 epochs, so none can have 4" in capsys.readouterr().err


def test_resuming_another_training_is_refused(files, tmp_path, capsys):
    shared = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), *FAST]
    assert run([*shared, "--resume"]) == 1
    assert "there is no such file to resume from" in capsys.readouterr().err
    assert run(shared) == 0
    assert run([*shared, "--resume", "--seed", "5"]) == 2
    assert "was trained with train.seed = 1, not 5" in capsys.readouterr().err
    assert run(["train", str(files / "dev.conllu"), *shared[2:], "--resume"]) == 2
    assert "was trained on other data" in capsys.readouterr().err
    assert run([*shared, "--resume", "--epochs", "1"]) == 2
    assert "epochs behind it, expected at least as many in all" in capsys.readouterr().err


def test_options_that_only_one_of_two_runs_has_are_compared_too(files, tmp_path, capsys):
    """lambda follows from the data where it is not given, so the one run has none."""
    shared = ["train", str(files / "train.conllu"), "--learner", "adagrad-rda", *FAST, "-o"]
    for model, first, then, told in (
        (tmp_path / "with", ["--set", "lambda=0.01"], [], "0.01, not default"),
        (tmp_path / "without", [], ["--set", "lambda=0.01"], "default, not 0.01"),
    ):
        assert run([*shared, str(model), *first]) == 0
        assert run([*shared, str(model), *then, "--resume"]) == 2
        assert capsys.readouterr().err.endswith(f".last: was trained with learner.lambda = {told}\n")
        assert run([*shared, str(model), *first, "--resume"]) == 0


def test_resuming_with_the_same_data_under_other_names(files, tmp_path, capsys):
    (tmp_path / "t.conllu").write_bytes((files / "train.conllu").read_bytes())
    (tmp_path / "d.conllu").write_bytes((files / "dev.conllu").read_bytes())
    shared = ["-o", str(tmp_path / "m"), *FAST]
    assert run(["train", str(files / "train.conllu"), "--dev", str(files / "dev.conllu"), *shared]) == 0
    t, d = str(tmp_path / "t.conllu"), str(tmp_path / "d.conllu")
    assert run(["train", t, "--dev", d, *shared, "--resume"]) == 0
    capsys.readouterr()
    for arguments in ([t, "--dev", t], [t], [t, d, "--dev", d]):
        assert run(["train", *arguments, *shared, "--resume"]) == 2
        assert capsys.readouterr().err.endswith("m.last: was trained on other data\n")


@pytest.mark.parametrize("train", ["-", "pipe"])
def test_what_comes_through_a_pipe_is_known_again(files, tmp_path, monkeypatch, capsys, train):
    """It cannot be read a second time, so its digest is that of the sentences."""
    text = (files / "train.conllu").read_text()
    others = [text.replace("\tnsubj\t", "\tobj\t"), text.replace("\tla\t", "\tle\t")]
    train = train if train == "-" else str(tmp_path / train)
    shared = ["train", train, "--format", "conllu", "-o", str(tmp_path / "m"), *FAST]
    for more in ([], ["--resume"]):
        give(text, train, monkeypatch)
        assert run([*shared, *more]) == 0
    for other in others:
        assert other != text
        give(other, train, monkeypatch)
        assert run([*shared, "--resume"]) == 2
        assert capsys.readouterr().err.endswith("m.last: was trained on other data\n")


def test_labels_in_another_order_are_not_resumed_with(files, tmp_path, monkeypatch, capsys):
    shared = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), *FAST]
    assert run(shared) == 0
    by_frequency = data.labels_by_frequency
    monkeypatch.setattr(data, "labels_by_frequency", lambda treebank: by_frequency(treebank)[::-1])
    assert run([*shared, "--resume"]) == 2
    assert capsys.readouterr().err.endswith("m.last: was trained with other labels, or in another order\n")


def give(text, where, monkeypatch):
    """On standard input, or to the one who opens a named pipe."""
    if where == "-":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return
    if not os.path.exists(where):
        os.mkfifo(where)
    threading.Thread(target=lambda: Path(where).write_text(text), daemon=True).start()


def test_resuming_with_a_changed_file_of_templates_or_clusters_is_refused(files, tmp_path, capsys):
    templates, clusters = tmp_path / "t.txt", tmp_path / "c.txt"
    templates.write_text("s0.p n0.p\ncluster(s0) n0.p\n")
    clusters.write_text("01\tla\n")
    shared = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), "--features", str(templates), "-q"]
    shared += ["--clusters", str(clusters), "--epochs"]
    assert run([*shared, "1"]) == 0
    assert run([*shared, "2", "--resume"]) == 0
    clusters.write_text("01\tla\n10\tha\n")
    assert run([*shared, "3", "--resume"]) == 2
    assert capsys.readouterr().err.endswith(f"m.last: was trained with other clusters than those in {clusters}\n")
    clusters.write_text("01\tla\n")
    templates.write_text("s0.p n0.p\ncluster(s0) n0.p\ns0.w\n")
    assert run([*shared, "3", "--resume"]) == 2
    assert capsys.readouterr().err.endswith(f"m.last: was trained with other templates than those in {templates}\n")


NONPROJECTIVE = "".join(
    f"{i}\tw{i}\t_\tNOUN\tNN\t_\t{head}\t{label}\t_\t_\n"
    for i, (head, label) in enumerate([(3, "det"), (4, "obj"), (0, "root"), (3, "obj")], 1)
)


def test_a_development_set_without_projective_trees(files, model, tmp_path, capsys):
    """It cannot say how sure decisions are, and is good enough for all else."""
    dev = tmp_path / "np.conllu"
    dev.write_text(f"{NONPROJECTIVE}\n")
    why = f"{dev}: no sentence on which probabilities can be judged, expected projective trees with one root word"
    shared = ["train", str(files / "train.conllu"), "--dev", str(dev), "--features", "zn11", "--epochs", "1"]
    assert run([*shared, "-o", str(tmp_path / "m")]) == 0
    assert f"\n{why}: scores are not made probabilities\n" in capsys.readouterr().err
    assert run([*shared, "-o", str(tmp_path / "n"), "--learner", "adagrad-rda"]) == 0
    assert why not in capsys.readouterr().err, "its scores are probabilities as they are"
    assert run(["calibrate", str(model), str(dev)]) == 1
    assert capsys.readouterr().err == f"arcspeed: error: {why}\n"
    arguments = ["shrink", str(tmp_path / "m"), "-o", str(tmp_path / "s"), "--dev", str(dev), "--budget", "40kB"]
    assert run([*arguments, "--slim"]) == 0
    assert capsys.readouterr().err.startswith(f"{why}: probabilities are not made right again\n")


TEMPLATES = "s0.w\nn0.w\ns0.p n0.p\ncluster(s0) n0.p\ncluster(n0)\n"


def test_what_is_read_is_not_written_over(files, model, tmp_path, monkeypatch, capsys):
    """Neither by the output nor by what stands beside it, whatever it is that was read."""
    pytest.importorskip("matplotlib", reason="draws: runs with the plot extra")
    monkeypatch.chdir(tmp_path)
    for name in ("t.conllu", "in.log", "e.2.log", "e.3.log", "dv.last", "gold.svg", "o.conllu.partial.conllu"):
        (tmp_path / name).write_bytes((files / "dev.conllu").read_bytes())
    (tmp_path / "linked.conllu").symlink_to(files / "dev.conllu")
    for name in ("own.model", "model.svg"):
        (tmp_path / name).write_bytes(model.read_bytes())
    (tmp_path / "f.txt").write_text(TEMPLATES)
    (tmp_path / "c.txt").write_text("01\tla\n")
    (tmp_path / "c.toml").write_text("[train]\nepochs = 1\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    conllu = ["--format", "conllu"]
    for arguments in (
        ["train", "t.conllu", "-o", "t.conllu"],
        ["train", "t.conllu", "-o", "./t.conllu", "--resume"],
        ["train", "t.conllu", "--dev", "linked.conllu", "-o", "linked.conllu"],
        ["train", "in.log", "-o", "in", *conllu],
        ["train", "t.conllu", "e.3.log", "-o", "e", "--ensemble", "3", *conllu],
        ["train", "t.conllu", "--dev", "dv.last", "-o", "dv", *conllu],
        ["train", "dv.last", "-o", "dv", "--slim", *conllu],
        ["train", "t.conllu", "--features", "f.txt", "--clusters", "c.txt", "-o", "f.txt"],
        ["train", "t.conllu", "--features", "f.txt", "--clusters", "c.txt", "-o", "c.txt"],
        ["train", "t.conllu", "--config", "c.toml", "-o", "c.toml"],
        ["parse", "own.model", "t.conllu", "-o", "own.model"],
        ["parse", "own.model", "t.conllu", "-o", "t.conllu"],
        ["parse", "own.model", "o.conllu.partial.conllu", "-o", "o.conllu"],
        ["convert", "o.conllu.partial.conllu", "o.conllu"],
        ["shrink", "own.model", "-o", "own.model", "--budget", "1MB"],
        ["shrink", "own.model", "--dev", "t.conllu", "-o", "t.conllu", "--budget", "1MB"],
        ["calibrate", "own.model", "gold.svg", "--plot", "gold.svg", *conllu],
        ["calibrate", "model.svg", "t.conllu", "--plot", "model.svg"],
    ):
        assert run(arguments) == 2, arguments
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("is both input and output, expected two files")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before, arguments


def test_a_set_of_templates_is_no_file_even_if_one_has_its_name(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lite").write_text("an earlier model")
    arguments = ["train", str(files / "train.conllu"), "-o", "lite", "--features", "lite", "--epochs", "1", "-q"]
    assert run(arguments) == 0


@pytest.mark.parametrize("name", ["", "-", ".", "..", "/", "a/", "a/.", "/no/such/folder/"])
def test_outputs_that_are_no_names_of_files(files, model, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    for arguments in (["train", str(files / "train.conllu")], ["shrink", str(model), "--budget", "1MB"]):
        assert run([*arguments, "-o", name]) == 2
        assert capsys.readouterr().err == (
            f"arcspeed: error: --output {name!r}: expected the name of a file to write\n"
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "a/", "a.gz/"])
def test_trees_are_not_written_where_no_file_is_named(files, model, tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    for arguments in (["parse", str(model), str(files / "dev.conllu"), "-o"], ["convert", str(files / "dev.conllu")]):
        assert run([*arguments, name]) == 1
        expected = f"arcspeed: error: {name!r}: is not the name of a file, expected one to write to\n"
        assert capsys.readouterr().err == expected
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("told_by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_leaves_a_usable_parser(files, tmp_path, told_by):
    path = tmp_path / "m.model"
    process = endless_training(files, path)
    process.send_signal(told_by)
    message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert f"interrupted: saving the best parser so far in {path} ...\n" in message
    assert f"arcspeed: interrupted; {path} holds the best parser so far" in message
    assert "Traceback" not in message
    assert run(["parse", str(path), str(files / "dev.conllu"), "-o", str(tmp_path / "out.conllu")]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_impatient_ctrl_c_does_not_cost_the_parser(files, tmp_path):
    """Again and again until it ends: all but the first are ignored."""
    path = tmp_path / "m.model"
    process = endless_training(files, path)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    message = process.communicate()[1].decode()
    assert process.returncode == 130
    assert f"arcspeed: interrupted; {path} holds the best parser so far" in message
    assert "Traceback" not in message
    assert run(["parse", str(path), str(files / "dev.conllu"), "-o", str(tmp_path / "out.conllu")]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_leaves_a_usable_parser_though_nobody_hears_of_it(files, tmp_path):
    """As in `train ... 2>&1 | tee log`: Ctrl-C ends tee, too, and what is said then has no reader."""
    path = tmp_path / "m.model"
    process = endless_training(files, path)
    process.stderr.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert run(["parse", str(path), str(files / "dev.conllu"), "-o", str(tmp_path / "out.conllu")]) == 0


@pytest.mark.parametrize("ends_at", ["pipe", "/dev/full"])
def test_training_goes_on_when_nobody_hears_of_it(files, tmp_path, ends_at):
    """As in `train ... 2>&1 | head -1`, or with a log on a full disk."""
    reader, pipe = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "parser", "train", files / "train.conllu", "-o", tmp_path / "m", *FAST[:-1]]
    with open(pipe if ends_at == "pipe" else ends_at, "wb") as heard:
        assert subprocess.run([*map(str, command)], stderr=heard, check=False).returncode == 0
    assert run(["info", str(tmp_path / "m")]) == 0


def test_a_file_name_may_have_any_bytes(files, tmp_path):
    path = os.fsencode(tmp_path) + b"/t\xff.conllu"
    with open(path, "wb") as stream:
        stream.write((files / "train.conllu").read_bytes())
    assert run(["train", os.fsdecode(path), "-o", str(tmp_path / "m"), *FAST]) == 0
    for name in ("m", "m.last", "m.log"):
        assert "t\ufffd.conllu".encode() in (tmp_path / name).read_bytes()


def endless_training(files, path):
    """A process that is in its third epoch or later."""
    command = [sys.executable, "-m", "parser", "train", files / "train.conllu", "--dev", files / "dev.conllu"]
    process = subprocess.Popen(
        [*map(str, command), "-o", str(path), "--features", "zn11", "--epochs", "100000"],
        stderr=subprocess.PIPE,
        preexec_fn=interruptible,
    )
    deadline = time.time() + 60
    while time.time() < deadline and (not path.with_name("m.model.log").exists() or epochs_in(path) < 2):
        time.sleep(0.05)
    return process


def interruptible():
    """A test run started in the background, or by nohup, may ignore signals, and its children would inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def epochs_in(path):
    return path.with_name("m.model.log").read_text().count('"event": "epoch"')


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_in_the_first_epoch_of_a_second_run_leaves_the_first(files, tmp_path):
    path, log = tmp_path / "m.model", tmp_path / "m.model.log"
    command = ["train", str(files / "train.conllu"), "-o", str(path), "--features", "zn11", "--epochs", "1"]
    assert run(command) == 0
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    program = (
        "import parser.cli.app as app, parser.cli.train as train, sys\n"
        "train.TerminalDisplay.ticked = lambda *_: train.stop_once()\n"
        "sys.exit(app.run(sys.argv[1:]))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=False)
    assert answer.returncode == 130
    assert answer.stderr.splitlines()[-2:] == [
        f"arcspeed: interrupted; {path} is as it was before",
        f"arcspeed: {path}.last is still the earlier run's: with --resume that one is gone on with",
    ]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert run([*command[:-1], "2", "--resume"]) == 0
    assert log.read_text().count('"event": "epoch"') == 2


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_while_the_program_is_being_loaded_says_nothing():
    program = (
        "import os, signal, sys, parser.cli; sys.argv[1:] = ['info', 'x']\n"
        "parser.cli.require_compiled_modules = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "parser.cli.main()\n"
    )
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, check=False, preexec_fn=interruptible)
    assert (answer.returncode, answer.stdout, answer.stderr) == (-signal.SIGINT, b"", b"")


def test_parse_changes_trees_only(files, model, tmp_path):
    out = tmp_path / "out.conllu"
    assert run(["parse", str(model), str(files / "dev.conllu"), "-o", str(out)]) == 0
    gold, parsed = read_plain((files / "dev.conllu").read_text()), read_plain(out.read_text())
    for a, b in zip(gold, parsed, strict=True):
        assert a.comments == b.comments
        assert [row[:6] + row[8:] for row in a.rows] == [row[:6] + row[8:] for row in b.rows]
        assert b.heads.count(0) == 1
    answer = subprocess.run(
        [sys.executable, "-m", "parser", "parse", model],
        input=(files / "dev.conllu").read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    assert answer.stdout == out.read_bytes()


def test_parse_with_scores(files, model, tmp_path):
    once, twice, plain, without = (tmp_path / f"{name}.conllu" for name in ("once", "twice", "plain", "without"))
    assert run(["parse", str(model), str(files / "dev.conllu"), "-o", str(once), "--scores"]) == 0
    assert run(["parse", str(model), str(once), "-o", str(twice), "--scores"]) == 0
    assert run(["parse", str(model), str(files / "dev.conllu"), "-o", str(plain)]) == 0
    assert run(["parse", str(model), str(once), "-o", str(without)]) == 0
    assert once.read_bytes() == twice.read_bytes(), "old probabilities are replaced, not repeated"
    assert without.read_bytes() == plain.read_bytes(), "nor do they stay beside new trees"
    for sentence in read_plain(once.read_text()):
        for cell in sentence.column(9):
            head, label = (float(item.partition("=")[2]) for item in cell.split("|"))
            assert 0 < label <= head <= 1


def test_info(model, capsys):
    assert run(["info", str(model)]) == 0
    out = capsys.readouterr().out
    for text in ("zn11, 72 templates", "CC0", "train.conllu: 150 sentences", 'name = "adagrad-rda"'):
        assert text in out
    assert run(["info", "--features", str(model)]) == 0
    assert "s0.p n0.p\n" in capsys.readouterr().out
    assert run(["info", "--json", str(model)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["config"]["train"]["epochs"] == 3
    assert facts["labels"][0] in {"punct", "nsubj", "det"}
    assert facts["probabilities"] == ("arcs" if "how many arcs are right" in out else "decisions")


def test_the_templates_as_json(model, capsys):
    assert run(["info", "--features", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert run(["info", "--features", "--json", str(model)]) == 0
    assert json.loads(capsys.readouterr().out) == lines


@pytest.mark.parametrize("section", ["weights/weights", "weights/keys", "compiled/rows"])
@pytest.mark.parametrize("command", ["info", "parse", "evaluate", "calibrate", "shrink"])
def test_every_command_reads_every_byte(files, model, tmp_path, capsys, command, section):
    """Also of weights, which parsing does not ask for."""
    content, altered, dev = bytearray(model.read_bytes()), str(tmp_path / "altered"), str(files / "dev.conllu")
    where = ModelFile(model).sections[section]
    content[where.offset + where.length // 2] ^= 1
    (tmp_path / "altered").write_bytes(content)
    arguments = {
        "info": [altered],
        "parse": [altered, dev],
        "evaluate": [dev, "--model", altered],
        "calibrate": [altered, dev],
        "shrink": [altered, "-o", str(tmp_path / "small"), "--budget", "1GB"],
    }
    assert run([command, *arguments[command]]) == 1
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.endswith(f"altered: is damaged: the checksum of section {section!r} is wrong")
    assert told.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["altered"]


def test_training_options_that_cannot_be(files, tmp_path, capsys):
    shared = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m")]
    assert run([*shared, "--patience", "2"]) == 2
    assert "train.patience: expected a development set" in capsys.readouterr().err
    (tmp_path / "set.txt").write_text(TEMPLATES)
    assert run([*shared, "--features", str(tmp_path / "set.txt"), "--clusters", str(tmp_path / "none")]) == 1
    assert str(tmp_path / "none") in capsys.readouterr().err


@pytest.mark.parametrize("ensemble", [1, 2])
@pytest.mark.parametrize("with_dev", [False, True])
@pytest.mark.parametrize("slim", [False, True])
def test_the_least_budget_is_told_before_training_and_is_enough(files, tmp_path, capsys, slim, with_dev, ensemble):
    (tmp_path / "set.txt").write_text(TEMPLATES)
    (tmp_path / "clusters.txt").write_text("".join(f"{k:b}\tword{k}\n" for k in range(500)))
    (tmp_path / "dev.conllu").write_text("".join(generate(120, 7)))  # enough for curves
    options = ["--slim"] * slim
    train = ["train", str(files / "train.conllu"), "-q", "--epochs", "1", "--ensemble", str(ensemble)]
    train += ["--features", str(tmp_path / "set.txt"), "--clusters", str(tmp_path / "clusters.txt")]
    train += ["--dev", str(tmp_path / "dev.conllu")] * with_dev
    whole, small = str(tmp_path / "whole"), str(tmp_path / "small")

    def least(command):
        assert run(command) == 2
        told = re.fullmatch(r".*: without any weights the model takes (?:up to )?([\d,]+)\n", capsys.readouterr().err)
        return int(told[1].replace(",", ""))

    before = least([*train, "-o", small, *options, "--budget", "1kB"])
    assert least([*train, "-o", small, *options, "--budget", str(before - 1)]) == before
    assert not (tmp_path / "small").exists()
    assert run([*train, "-o", whole]) == 0
    assert 0 <= before - least(["shrink", whole, "-o", small, *options, "--budget", "1kB"]) <= 128
    assert run([*train, "-o", small, *options, "--budget", str(before)]) == 0
    assert 0.95 * before < (tmp_path / "small").stat().st_size <= before


@pytest.mark.parametrize("column", ["xpos", "upos"])
def test_features_that_find_nothing_to_read_are_refused(files, tmp_path, monkeypatch, capsys, column):
    monkeypatch.chdir(tmp_path)
    place = 3 if column == "upos" else 4
    rows = [line.split("\t") for line in (files / "train.conllu").read_text().split("\n")]
    without = ["\t".join([*row[:place], "_", *row[place + 1 :]] if len(row) == 10 else row) for row in rows]
    (tmp_path / "t.conllu").write_text("\n".join(without))
    (tmp_path / "set.txt").write_text(TEMPLATES)
    (tmp_path / "clusters.txt").write_text("01\tla\n")
    shared = ["train", "t.conllu", "-o", "m", "--epochs", "1", "-q"]
    for options, message in (
        (["--features", "set.txt"], "features 'set.txt' ask for clusters, expected a file of them by --clusters"),
        (["--clusters", "clusters.txt"], "features 'rich-standard' have no cluster(...), expected no --clusters"),
        (["--pos", column], f"features.pos = {column!r}: t.conllu: no word has any {column.upper()}"),
    ):
        assert run([*shared, *options]) == 2
        assert capsys.readouterr().err == f"arcspeed: error: {message}\n"
    assert not (tmp_path / "m").exists()
    assert run([*shared, "--features", "set.txt", "--clusters", "clusters.txt"]) == 0
    assert run(["train", "t.conllu", "-o", "n", "--epochs", "1", "-q", "--features", "lite"]) == 0


def test_calibrate_counts_every_decision(files, model, capsys):
    assert run(["calibrate", "--json", str(model), str(files / "dev.conllu")]) == 0
    found = json.loads(capsys.readouterr().out)
    words = sum(len(s.words) for s in read_plain((files / "dev.conllu").read_text()))
    assert found["decisions"] == 2 * words == sum(b["count"] for b in found["bins"])
    for arcs in ("heads", "labels"):
        assert found[arcs]["decisions"] == words == sum(b["count"] for b in found[arcs]["bins"])
    assert run(["calibrate", str(model), str(files / "dev.conllu")]) == 0
    assert capsys.readouterr().out.count("Expected calibration error") == 3


def test_probabilities_that_were_not_counted(files, model, tmp_path, capsys):
    """Without a development set there is nothing to count, and with a small one (that of `model`) too little."""
    plain, counted = tmp_path / "plain", tmp_path / "counted"
    large = tmp_path / "large.conllu"
    large.write_text("".join(generate(200, 3)))
    assert run(["train", str(files / "train.conllu"), "-o", str(plain), *FAST]) == 0
    assert run(["train", str(files / "train.conllu"), "-o", str(counted), "--dev", str(large), *FAST]) == 0
    for path, is_counted in ((plain, False), (model, False), (counted, True)):
        capsys.readouterr()
        run(["parse", str(path), str(large), "-o", str(tmp_path / "out.conllu"), "--scores"])
        assert ("too high for arcs" in capsys.readouterr().err) is not is_counted
        run(["info", str(path)])
        assert ("say how many arcs are right" in capsys.readouterr().out) is is_counted


def test_evaluate_with_a_model(files, model, tmp_path, capsys):
    out = tmp_path / "out.conllu"
    run(["parse", str(model), str(files / "dev.conllu"), "-o", str(out)])
    assert run(["evaluate", "--json", str(files / "dev.conllu"), str(out), "--model", str(model)]) == 0
    first, second = json.loads(capsys.readouterr().out)["evaluations"]
    assert first["with_punctuation"] == second["with_punctuation"]
    assert run(["evaluate", str(files / "dev.conllu")]) == 2
    assert "nothing to score" in capsys.readouterr().err
    assert run(["evaluate", "-", "--model", str(model)]) == 2
    assert "standard input cannot be read twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--features", "nonsense"], 2, "unknown feature set 'nonsense'"),
        (["--learner", "percepton"], 2, "did you mean 'perceptron'?"),
        (["--set", "learner.margn=3"], 2, "did you mean 'margin'?"),
        (["--system", "easy-first", "--root", "last"], 2, "easy-first has ROOT first or none"),
        (["--oracle", "static", "--explore", "goldberg-nivre-2013"], 2, "static oracle"),
        (["--set", "min_updates=99999999999"], 2, "learner.min_updates = 99999999999, expected 0 to 2147483647"),
        (["--set", "margin=1e39"], 2, "learner.margin = 1e+39, expected 0 to 1000000"),
        (["--learner", "adagrad-rda", "--set", "rho=1e-40"], 2, "learner.rho = 1e-40, expected 1e-06 to 1000000"),
        (["--learner", "adagrad-rda", "--set", "alpha=1e38"], 2, "learner.alpha = 1e+38, expected 1e-06 to 1000000"),
        (["--learner", "adagrad-rda", "--set", "lambda=1e39"], 2, "learner.lambda = 1e+39, expected 0 to 1000000"),
        (["--learner", "adagrad-rda", "--set", "birth=2"], 2, "learner.birth = 2.0, expected 0 to 1"),
        (["--learner", "passive-aggressive", "--set", "cap=1e39"], 2, "learner.cap = 1e+39, expected 1e-06 to 1000000"),
        (["--k", "99999999999999"], 2, "explore.k = 99999999999999, expected 0 to 1073741824"),
        (["--epochs", "99999999999"], 2, "train.epochs = 99999999999, expected 1 to 2147483647"),
        (["--ensemble", "1001"], 2, "train.ensemble = 1001, expected 1 to 1000"),
        (["--set", "min_marked=99999999999"], 2, "trees.min_marked = 99999999999, expected 1 to 2147483647"),
        (["--config", "no-such.toml"], 2, "no-such.toml: cannot be read"),
        (["-o", "/no/such/folder/m"], 1, "cannot be written"),
    ],
)
def test_wrong_options_are_told_before_any_work(files, tmp_path, capsys, arguments, code, message):
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "m")]
    start = time.perf_counter()
    assert run(["train", str(files / "train.conllu"), *output, *arguments]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("arcspeed: error: ")
    assert message in line
    assert time.perf_counter() - start < 5


def test_options_from_a_file_and_on_top_of_it(files, tmp_path, capsys):
    config = tmp_path / "c.toml"
    config.write_text('[features]\nname = "zn11"\n[train]\nepochs = 2\nseed = 7\n')
    arguments = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), "--config", str(config), "-q"]
    assert run([*arguments, "--epochs", "1"]) == 0
    run(["info", "--json", str(tmp_path / "m")])
    options = json.loads(capsys.readouterr().out)["config"]
    assert (options["features"]["name"], options["train"]["epochs"], options["train"]["seed"]) == ("zn11", 1, 7)


def test_a_file_that_is_no_model(files, tmp_path, capsys):
    for path in (files / "dev.conllu", tmp_path / "missing", tmp_path):
        assert run(["parse", str(path), str(files / "dev.conllu")]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"arcspeed: error: {path}: ")


@pytest.mark.parametrize(
    "options",
    [
        ["--system", "arc-hybrid", "--features", "zn11-hybrid"],
        ["--system", "arc-standard", "--features", "zn11-standard", "--oracle", "static"],
        ["--system", "easy-first", "--epochs", "2"],
        ["--system", "arc-hybrid", "--root", "none", "--features", "hybrid2013", "--explore", "ambiguity"],
        ["--system", "arc-eager", "--root", "first", "--features", "l2s", "--nonprojective", "lift"],
        ["--learner", "adagrad-rda", "--explore", "sample"],
        ["--features", "lite", "--learner", "passive-aggressive", "--ensemble", "2"],
    ],
    ids=" ".join,
)
def test_every_system_and_learner_learns(files, tmp_path, capsys, options):
    model = tmp_path / "m"
    assert run(["train", str(files / "train.conllu"), "-o", str(model), "-q", "--epochs", "3", *options]) == 0
    assert run(["evaluate", "--json", str(files / "dev.conllu"), "--model", str(model)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["evaluations"]
    assert found["with_punctuation"]["scores"]["LAS"]["f1"] > 60
    assert os.path.getsize(model) > 1000


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_reliability_diagram(files, model, tmp_path, suffix):
    pytest.importorskip("matplotlib", reason="draws: runs with the plot extra")
    path = tmp_path / f"diagram.{suffix}"
    assert run(["calibrate", str(model), str(files / "dev.conllu"), "--plot", str(path)]) == 0
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")


@pytest.mark.parametrize("name", ["c.foo", "c", "."])
def test_a_diagram_that_cannot_be_drawn_is_refused_at_once(files, model, tmp_path, monkeypatch, capsys, name):
    pytest.importorskip("matplotlib", reason="draws: runs with the plot extra")
    monkeypatch.chdir(tmp_path)
    assert run(["calibrate", str(model), str(files / "dev.conllu"), "--plot", name]) == 2
    found = capsys.readouterr()
    assert f"--plot {name}: expected a file name that ends in one of" in found.err
    assert found.out == ""
    assert not list(tmp_path.iterdir())


def test_a_diagram_that_cannot_be_written_is_a_fault_of_the_file(files, model, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="draws: runs with the plot extra")
    path = tmp_path / "none" / "x.png"
    assert run(["calibrate", str(model), str(files / "dev.conllu"), "--plot", str(path)]) == 1
    assert capsys.readouterr().err == f"arcspeed: error: {path}: cannot be written: No such file or directory\n"


def test_a_diagram_without_matplotlib_says_what_is_missing(files, model, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert run(["calibrate", str(model), str(files / "dev.conllu"), "--plot", str(tmp_path / "x.png")]) == 2
    assert "--plot needs matplotlib: pip install 'arcspeed[plot]'" in capsys.readouterr().err


def test_word_clusters_from_a_file(files, tmp_path):
    """Clusters stand in the model: parsing needs no file of them."""
    clusters, templates = tmp_path / "clusters.txt", tmp_path / "set.txt"
    clusters.write_text("".join(f"{k % 2:02b}\tword{k}\n" for k in range(10)) + "11\tla\n")
    templates.write_text("s0.w\nn0.w\ns0.p n0.p\ncluster(s0) n0.p\ncluster(n0)\n")
    arguments = ["train", str(files / "train.conllu"), "-o", str(tmp_path / "m"), "--features", str(templates)]
    assert run([*arguments, "-q", "--epochs", "2", "--set", f"features.clusters={clusters}"]) == 0
    clusters.unlink()
    templates.unlink()
    assert run(["parse", str(tmp_path / "m"), str(files / "dev.conllu"), "-o", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize("threads", ["2", "5"])
def test_threads_give_the_same_output_in_order(model, tmp_path, threads):
    source = tmp_path / "many.conllu"
    source.write_text("".join(generate(6000, seed=3)))
    outputs = []
    for count in ("1", threads):
        out = tmp_path / f"out{count}"
        assert run(["parse", str(model), str(source), "-o", str(out), "--scores", "--threads", count]) == 0
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_what_stands_before_a_fault_is_parsed(model, threads):
    source = "".join(generate(3000, seed=3))
    answer = subprocess.run(
        [sys.executable, "-m", "parser", "parse", model, "--threads", threads],
        input=(source + "1\tbroken\n").encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 1
    assert answer.stderr.decode().endswith(": 2 columns, expected 10 columns\n")
    assert len(read_plain(answer.stdout.decode())) == 3000
