"""The comparison with other parsers: formats there and back, command lines, what is measured anew, tables."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

REASON = "the benchmarks are beside the tests only in a checkout"
peers = pytest.importorskip("peers", reason=REASON)
measure = pytest.importorskip("peers_lib.measure", reason=REASON)
systems = pytest.importorskip("peers_lib.systems", reason=REASON)
table = pytest.importorskip("peers_lib.table", reason=REASON)
conllu = pytest.importorskip("peers_lib.conllu", reason=REASON)
jars = pytest.importorskip("peers_lib.with_jars", reason=REASON)
with_spacy = pytest.importorskip("peers_lib.with_spacy", reason=REASON)
vw = pytest.importorskip("peers_lib.with_vw", reason=REASON)
worker = pytest.importorskip("peers_lib.worker", reason=REASON)

TEXT = """\
# sent_id = 1
1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_
1\tIt\tit\tPRON\tPRP\tCase=Nom\t3\tnsubj\t_\t_
2\t's\tbe\tAUX\tVBZ\t_\t3\tcop\t_\t_
2.1\tso\t_\t_\t_\t_\t_\t_\t_\t_
3\tA : B\t_\tPROPN\t_\t_\t0\troot\t_\tX=Y
4\t|\t_\tPUNCT\t|\t_\t3\tpunct\t_\t_

1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\t_

"""
TREES = [[(2, "a"), (0, "root"), (2, "b:c"), (3, "d")], [(0, "root")]]


@pytest.fixture
def treebank_file(tmp_path) -> str:
    path = tmp_path / "some.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


# Formats


def test_words_are_read_without_ranges_and_empty_nodes(treebank_file):
    first, second = conllu.read(treebank_file)
    assert [word[conllu.FORM] for word in first] == ["It", "'s", "A : B", "|"]
    assert [conllu.tag_of(word) for word in first] == ["PRP", "VBZ", "PROPN", "|"]
    assert len(second) == 1


def test_trees_take_the_place_of_those_of_the_source(treebank_file, tmp_path):
    target = tmp_path / "out.conllu"
    conllu.write_trees(treebank_file, str(target), TREES)
    heads = [[(int(word[conllu.HEAD]), word[conllu.DEPREL]) for word in words] for words in conllu.read(str(target))]
    assert heads == TREES
    kept = [line for line in target.read_text().split("\n") if not conllu.is_word(line)]
    assert kept == [line for line in TEXT.split("\n") if not conllu.is_word(line)]
    with pytest.raises(ValueError, match="fewer words than its trees"):
        conllu.write_trees(treebank_file, str(target), [*TREES, [(0, "root")]])


def test_conllx_there_and_back(treebank_file, tmp_path):
    path = tmp_path / "x.conll"
    path.write_text(conllu.as_conllx(conllu.read(treebank_file)), encoding="utf-8")
    lines = path.read_text().split("\n")
    assert lines[2] == "3\tA_:_B\t_\tPROPN\tPROPN\t_\t0\troot\t_\t_"
    assert conllu.trees_of_conllx(str(path)) == [
        [(3, "nsubj"), (3, "cop"), (0, "root"), (3, "punct")],
        [(0, "root")],
    ]
    path.write_text(path.read_text().replace("0\troot", "0\tROOT"), encoding="utf-8")
    assert conllu.trees_of_conllx(str(path))[1] == [(0, "root")]


def test_vw_lines(treebank_file):
    sentences = conllu.read(treebank_file)
    labels = vw.label_numbers(sentences)
    assert labels == {"root": 1, "cop": 2, "nsubj": 3, "punct": 4}
    assert vw.as_vw(sentences, labels).split("\n") == [
        "3,3 |w it |p prp",
        "3,2 |w 's |p vbz",
        "0,1 |w a_COLON_b |p propn",
        "3,4 |w PIPE |p PIPE",
        "3,4 |w </s> |p </s>",  # the pseudo-word
        "",
        "0,1 |w no |p uh",
        "1,4 |w </s> |p </s>",
        "",
        "",
    ]
    assert "0,1 |w no" in vw.as_vw(sentences, {"root": 1})  # labels unknown to the model are not an error


def test_vw_predictions_become_trees(treebank_file):
    sentences = conllu.read(treebank_file)
    labels = vw.label_numbers(sentences)
    gold = [line.partition(" ")[0].replace(",", ":") for line in vw.as_vw(sentences, labels).split("\n")]
    trees = vw.read_predictions(gold, sentences, labels)
    assert trees == [[(3, "nsubj"), (3, "cop"), (0, "root"), (3, "punct")], [(0, "root")]]
    assert [vw.repair(tree) for tree in trees] == [(tree, 0) for tree in trees]


@pytest.mark.parametrize(
    ("tree", "repaired", "changes"),
    [
        ([(2, "a"), (0, "root"), (9999999, None)], [(2, "a"), (0, "root"), (2, "dep")], 1),
        ([(0, "root"), (0, "root")], [(0, "root"), (1, "root")], 1),
        ([(3, "a"), (1, "b")], [(0, "root"), (1, "b")], 1),  # the first one under the pseudo-word is the root
        ([(0, "b")], [(0, "root")], 1),
    ],
)
def test_vw_trees_are_repaired_and_counted(tree, repaired, changes):
    assert vw.repair(tree) == (repaired, changes)


# Command lines


def test_vw_arguments():
    found = vw.training_arguments("data", "model", 40, {"passes": 3, "bits": 26})
    assert found[found.index("--search") + 1] == found[found.index("--num_label") + 1] == "40"
    assert found[found.index("--passes") + 1] == "3"
    assert found[found.index("-b") + 1] == "26"


def test_malt_commands():
    found = jars.commands({"model": "there", "options": {"peer": "malt", "jar": "malt.jar"}})
    head = "java -XX:+UseSerialGC -XX:ActiveProcessorCount=1 -jar malt.jar -w there -c model"
    assert " ".join(found["train"]) == f"{head} -i there/train.conll -m learn"
    assert " ".join(found["parse"]) == f"{head} -i there/in.conll -o there/out.conll -m parse"


def test_yara_commands():
    task = {"model": "there", "options": {"peer": "yara", "jar": "y.jar", "iterations": 20, "beam": 1}}
    found = jars.commands(task)
    head = "java -XX:+UseSerialGC -XX:ActiveProcessorCount=1 -jar y.jar"
    assert " ".join(found["train"]) == (
        f"{head} train -train-file there/train.conll -dev there/dev.conll -punc there/punctuation -model there/model "
        "iter:20 beam:1 nt:1"
    )
    assert " ".join(found["parse"]) == (
        f"{head} parse_conll -input there/in.conll -out there/out.conll -model there/model_iter20 nt:1"
    )
    assert jars.model_file(task) == Path("there/model_iter20")


def test_punctuation_for_yara(treebank_file):
    assert jars.punctuation_tags(conllu.read(treebank_file)) == ["|"]


def test_jars_by_difference(two_treebanks, tmp_path, monkeypatch):
    """With programs that copy their input: the trees come back, the time is that of the additional words."""
    monkeypatch.setattr(jars, "commands", copying)
    dev = str(two_treebanks / "A-One" / "dev.conllu")
    task = {"model": str(tmp_path / "m"), "input": dev, "output": str(tmp_path / "out.conllu"), "options": {}}
    Path(task["model"]).mkdir()
    found = jars.parse(task)
    assert found["words"] == sum(map(len, conllu.read(dev)))
    assert conllu.read(task["output"]) == conllu.read(dev)


def copying(task: dict) -> dict:
    return {"parse": ["cp", f"{task['model']}/in.conll", f"{task['model']}/out.conll"]}


# Workers


def test_rounds_are_as_many_as_fill_the_time():
    made = []
    taken = worker.rounds(made.append, 0, lambda: "given")
    assert made == ["given"] * len(taken) == ["given"] * worker.LEAST_ROUNDS
    assert all(seconds >= 0 for seconds in taken)
    assert len(worker.rounds(lambda _: None, 1e9)) == worker.MOST_ROUNDS


def test_one_thread_for_numerical_libraries():
    assert worker.environment()["OMP_NUM_THREADS"] == "1"
    assert set(worker.environment().values()) == {"1"}


def test_spacy_columns():
    assert with_spacy.given("_") == ""
    assert with_spacy.given("Case=Nom") == "Case=Nom"


@pytest.mark.parametrize("module", ["ufal.udpipe", "spacy", "vowpalwabbit"])
def test_a_peer_from_end_to_end(module, two_treebanks, tmp_path):
    pytest.importorskip(module, reason=f"trains {module}: runs where it is installed")
    limits = systems.Limits(udpipe_iterations=1, spacy_steps=200, vw_passes=1)
    for system in systems.all_systems(limits):
        if system.module == module:
            if module == "vowpalwabbit":
                system = replace(system, training=system.training | {"bits": 18})  # not a gigabyte
            row = measure.measure(measure.Bench(tmp_path, {}, 0.0), system, str(two_treebanks / "A-One"))
            assert row["scores"]["uas"] > 20
            assert row["parse"] > 100


# What is run, and what is kept


def run(folder, *more: str) -> None:
    arguments = ["--only", "arcspeed-zn11", "--seconds", "0", "--store", folder / "store", "-o", folder / "out", *more]
    peers.compare(peers.options().parse_args([str(argument) for argument in arguments]))


def test_a_run_writes_the_table_and_goes_on_where_it_was(two_treebanks, tmp_path, capsys):
    run(tmp_path, two_treebanks / "A-One")
    first = json.loads((tmp_path / "out" / "peers.json").read_text())
    assert [(row["treebank"], row["system"]) for row in first] == [("A-One", "arcspeed-zn11")]
    assert first[0]["scores"]["las"] > 50
    assert min(first[0][key] for key in ("parse", "files", "train_seconds", "model_mb", "parse_mb")) > 0
    assert (tmp_path / "out" / "peers.md").read_text() in capsys.readouterr().out
    run(tmp_path, two_treebanks)
    second = json.loads((tmp_path / "out" / "peers.json").read_text())
    assert second[0] == first[0]  # nothing was timed anew
    assert [row["treebank"] for row in second] == ["A-One", "B-Two"]
    # A figure no run can have marks what is kept: two runs of so small a file may well take equally long.
    (trained,) = (tmp_path / "store" / "A-One").rglob("trained.json")
    trained.write_text(json.dumps(json.loads(trained.read_text()) | {"cpu_seconds": -1.0}))
    timed = trained.with_name("arcspeed-zn11.json")
    timed.write_text(json.dumps(json.loads(timed.read_text()) | {"parse": [-1.0]}))
    run(tmp_path, two_treebanks / "A-One", "--again", "parse")
    third = json.loads((tmp_path / "out" / "peers.json").read_text())
    assert third[0]["parse"] > 0
    assert third[0]["train_seconds"] == -1.0
    run(tmp_path, two_treebanks / "A-One", "--again", "all")
    last = json.loads((tmp_path / "out" / "peers.json").read_text())
    assert last[0]["train_seconds"] > 0
    assert last[0]["scores"] == first[0]["scores"]
    assert last[1] == second[1]


def test_figures_of_other_files_are_not_mixed_in(two_treebanks, tmp_path):
    run(tmp_path, two_treebanks / "A-One")
    record = peers.Record.read(tmp_path / "out" / "peers.json")
    row = {"treebank": "A-One", "system": "vw", "data": "others", "title": "x"}
    with pytest.raises(peers.RunError, match="has figures of other files called A-One"):
        record.put(row)


def test_a_peer_that_is_not_there_is_named_with_the_reason(two_treebanks, tmp_path):
    absent = systems.System("none-at-all", "Absent", "with_vw", "no_such_module_anywhere", {}, "about")
    bench = measure.Bench(tmp_path, {}, 0.0)
    row = measure.measure(bench, absent, str(two_treebanks / "A-One"))
    assert row["missing"] == "ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    assert "| Absent | not measured: ModuleNotFoundError" in table.table([row])
    elsewhere = measure.Bench(tmp_path, {"none": str(tmp_path / "python")}, 0.0)
    row = measure.measure(elsewhere, absent, str(two_treebanks / "A-One"))
    assert row["missing"].endswith("python: No such file or directory")


def test_a_worker_that_fails_is_named_with_its_last_line(two_treebanks, tmp_path):
    broken = systems.System("jar", "Jar", "with_jars", None, {"peer": "malt"}, "about")
    row = measure.measure(measure.Bench(tmp_path, {}, 0.0), broken, str(two_treebanks / "A-One"))
    assert row["missing"].startswith("could not train: TypeError: malt_commands() missing")


def test_old_figures_stay_where_new_ones_cannot_be_had(tmp_path):
    record = peers.Record.read(tmp_path / "peers.json")
    row = {"treebank": "A", "system": "vw", "data": "d"}
    record.put(row | {"missing": "not here"})
    record.put(row | {"parse": 1.0})
    record.put(row | {"missing": "not here either"})
    assert list(record.rows.values()) == [row | {"parse": 1.0}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "parsey"], "no system 'parsey', expected one of arcspeed-default"),
        (["--python", "vw"], "--python vw: expected NAME=PATH"),
    ],
)
def test_wrong_arguments(arguments, message, two_treebanks, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["peers.py", str(two_treebanks), *arguments])
    with pytest.raises(SystemExit) as ended:
        peers.main()
    assert message in str(ended.value.code)


def test_jars_are_systems_only_where_they_are_given():
    names = [system.name for system in systems.all_systems(systems.Limits())]
    assert names == [system.name for system in systems.all_systems(systems.Limits(), "m.jar", "y.jar")][:-2]
    chosen = peers.choose(systems.all_systems(systems.Limits()), ["udpipe", "spacy-words"])
    assert [system.name for system in chosen] == ["udpipe-greedy", "udpipe-beam", "spacy-words"]


def test_shorter_training_is_said():
    whole, less = systems.all_systems(systems.Limits()), systems.all_systems(systems.Limits(5, 400, 1))
    assert {system.reduced for system in whole} == {""}
    assert {system.reduced for system in less} == {"", "5 of 10 iterations", "400 of 20000 steps", "1 of 3 passes"}


# The table


def row_of(name: str, speed: float, **more) -> dict:
    return {
        "system": name,
        "title": name.title(),
        "treebank": "T",
        "about": "as it comes",
        "reduced": "",
        "version": "1.0",
        "date": "2026-01-01",
        "machine": "M",
        "load": 1.0,
        "scores": {"las": 80.0, "uas": 85.5, "las_no_punct": 79.0},
        "parse": speed,
        "first": speed / 2,
        "files": None,
        "train_seconds": 10.0,
        "train_mb": 100.0,
        "model_mb": 2.0,
        "parse_mb": 50.0,
        "remark": "",
        **more,
    }


def test_table_with_ratios():
    rows = [row_of("arcspeed-default", 1_000_000.0), row_of("other", 20_000.0, reduced="1 of 2 passes", model_mb=24.0)]
    lines = table.table(rows).split("\n")
    assert lines[2].startswith("| Arcspeed-Default | 80.00 | 85.50 | 79.00 | 1,000,000 | 500,000 | - | 10 | 2.0 |")
    assert lines[3] == (
        "| Other (1 of 2 passes) | 80.00 | 85.50 | 79.00 | 20,000 (0.02) | 10,000 (0.02) | - | 10 (1.0) | 24.0 (12) | "
        "100 (1.0) | 50 (1.0) |"
    )
    assert "(" not in table.table(rows[1:]).replace("(1 of 2 passes)", "")  # nothing to compare with


def test_document_names_days_machines_and_settings():
    rows = [row_of("arcspeed-default", 9.0), row_of("other", 1.0, remark="3 arcs had to be repaired")]
    text = table.document(rows, True)
    assert "2026-01-01, M. Load while measuring: 1.0 to 1.0." in text
    assert "- **Other** (1.0): as it comes; T: 3 arcs had to be repaired" in text
    assert "(peers.png)" in text
    assert "(peers.png)" not in table.document(rows, False)
    rows[1]["date"] = "2026-02-02"
    text = table.document(rows, True)
    assert "- 2026-01-01, M: Arcspeed-Default\n- 2026-02-02, M: Other\n" in text


def test_the_chart_is_drawn_where_there_is_matplotlib(tmp_path, monkeypatch):
    rows = [row_of("arcspeed-default", 9.0), row_of("other", 1.0), {"treebank": "U", "missing": "not here"}]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not peers.draw(rows, tmp_path / "peers.png")
    monkeypatch.undo()
    pytest.importorskip("matplotlib", reason="draws with matplotlib: runs where the plot extra is installed")
    assert peers.draw(rows, tmp_path / "peers.png")
    assert (tmp_path / "peers.png").read_bytes().startswith(b"\x89PNG")


def test_figures_are_of_the_best_round_and_of_the_first():
    trained = {"version": "1", "cpu_seconds": 7.5, "peak_mb": 90.0, "bytes": 2_500_000}
    parsed = {"words": 100, "parse": [0.5, 0.1, 0.2], "peak_mb": 30.0, "load": 0.5}
    found = measure.figures(trained, parsed)
    assert (found["parse"], found["first"], found["files"]) == (1000.0, 200.0, None)
    assert (found["train_seconds"], found["train_mb"], found["parse_mb"]) == (7.5, 90.0, 30.0)
    assert found["model_mb"] == 2.5
    by_difference = measure.figures(trained, {"words": 100, "files": [0.5], "peak_mb": 1.0, "load": 0.5})
    assert (by_difference["parse"], by_difference["files"]) == (None, 200.0)


@pytest.mark.parametrize(("stopped", "said"), [(True, ""), (False, "1 of 2 steps")])
def test_training_that_stopped_of_its_own_accord_is_not_called_shortened(
    stopped, said, two_treebanks, tmp_path, monkeypatch
):
    def pretend(*given) -> None:
        task = given[2]
        facts = {"peak_mb": 1.0, "cpu_seconds": 1.0, "load": 0.0, "version": "1", "bytes": 1, "stopped": stopped}
        Path(task["result"]).write_text(json.dumps(facts | {"words": 1, "parse": [1.0]}))
        if task["do"] == "parse":
            Path(task["output"]).write_bytes(Path(task["input"]).read_bytes())

    monkeypatch.setattr(measure, "run", pretend)
    short = systems.System("some", "Some", "with_some", None, {}, "about", reduced="1 of 2 steps")
    row = measure.measure(measure.Bench(tmp_path, {}, 0.0), short, str(two_treebanks / "A-One"))
    assert row["reduced"] == said
    assert row["scores"]["las"] == 100


def test_what_is_said_of_a_run():
    assert measure.remark({"steps": 400, "best_step": 200}, {}) == "scored until step 400, step 200 kept"
    assert measure.remark({}, {"repaired": 3, "words": 70}) == "3 of 70 arcs had to be repaired"
    assert peers.said({"treebank": "T", "title": "X", "missing": "why"}) == "T X: not measured: why"
