"""Runs of experiments: what decides their key, what is kept, what is run again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

runs = pytest.importorskip("runs", reason="the benchmarks are beside the tests only in a checkout")

FAST = ("features=zn11", "train.epochs=2")


def run_on(folder: Path, *options: str, seed: int = 1):
    return runs.Run(str(folder / "A-One"), (*FAST, *options), seed)


def test_key_depends_on_everything_that_decides_the_result(two_treebanks, tmp_path):
    one = run_on(two_treebanks)
    templates = tmp_path / "mine.txt"
    templates.write_text("s0.p n0.p\n", encoding="utf-8")
    others = [
        run_on(two_treebanks, "learner.margin=7"),
        run_on(two_treebanks, f"features={templates}"),
        run_on(two_treebanks, seed=2),
        replace(one, treebank=str(two_treebanks / "B-Two")),
        replace(one, scored=(1,)),
    ]
    keys = [run.key for run in (one, *others)]
    assert len(set(keys)) == len(keys)
    templates.write_text("s0.p\n", encoding="utf-8")
    assert others[1].key != keys[2]


def test_key_depends_on_the_sources_of_the_package(two_treebanks, tmp_path, monkeypatch):
    for name, text in (("__init__.py", ""), ("learner.pyx", "step = 1")):
        (tmp_path / name).write_text(text)
    one, keys = run_on(two_treebanks), []
    for text in ("step = 1", "step = 2"):
        (tmp_path / "learner.pyx").write_text(text)
        monkeypatch.setattr(runs.parser, "__file__", str(tmp_path / "__init__.py"))
        runs.package_digest.cache_clear()
        runs.file_digest.cache_clear()
        keys.append(one.key)
    runs.package_digest.cache_clear()
    assert keys[0] != keys[1]


def test_key_does_not_depend_on_how_options_are_given(two_treebanks, tmp_path):
    """A default given explicitly, and the same templates in a file, are the same run."""
    copy = tmp_path / "copy.txt"
    copy.write_text(runs.load_templates("zn11").text, encoding="utf-8")
    one = run_on(two_treebanks)
    assert run_on(two_treebanks, "system=arc-eager", "learner.margin=100", f"features={copy}").key == one.key


def test_what_is_kept_is_not_run_again(two_treebanks, tmp_path):
    store = runs.Store(tmp_path)
    one, two = run_on(two_treebanks), run_on(two_treebanks, seed=2)
    said: list[str] = []
    first = runs.run_all(store, [one], 1, said.append)
    assert len(said) == 1
    kept = json.loads(store.path(one).read_text())
    assert kept == first[one]
    store.put(one, kept | {"seconds": -1.0})  # would not survive another run
    both = runs.run_all(store, [one, two, one], 2, said.append)
    assert both[one]["seconds"] == -1.0
    assert both[two]["seed"] == 2
    assert said[1:2] == ["1 of 2 runs are done"]


def test_result_of_a_run(two_treebanks, tmp_path):
    """The dev score after an epoch is that of a training that ends there, and the same run gives the same scores."""
    longer = replace(run_on(two_treebanks), scored=(1,))
    shorter = run_on(two_treebanks, "train.epochs=1")
    found = runs.run_all(runs.Store(tmp_path), [longer, shorter], 1, lambda _: None)
    assert found[longer]["by_epoch"]["1"] == found[shorter]["scores"]
    assert found[longer]["n_weights"] > 0
    assert "calibration" not in found[longer]
    assert runs.perform(longer)["scores"] == found[longer]["scores"]


def test_calibration_counts_every_decision(two_treebanks):
    """Two moves a word with ROOT last."""
    result = runs.perform(run_on(two_treebanks, "learner=adagrad-rda"))
    words = runs.read_treebank([str(two_treebanks / "A-One" / "dev.conllu")]).n_words
    assert sum(one["count"] for one in result["calibration"]["bins"]) == 2 * words


def test_an_ensemble_is_one_run(two_treebanks):
    single, double = (runs.perform(run_on(two_treebanks, f"train.ensemble={n}")) for n in (1, 2))
    assert double["n_rows"] > single["n_rows"]


def test_finding_treebanks(two_treebanks, tmp_path, monkeypatch):
    both = [str(two_treebanks / "A-One"), str(two_treebanks / "B-Two")]
    assert runs.find_treebanks([str(two_treebanks)]) == both
    assert runs.find_treebanks([both[1]]) == both[1:]
    monkeypatch.setenv("ARCSPEED_TREEBANKS", str(two_treebanks))
    assert runs.find_treebanks([]) == both
    with pytest.raises(runs.RunError, match="holds no treebank, expected train"):
        runs.find_treebanks([str(tmp_path)])
    monkeypatch.delenv("ARCSPEED_TREEBANKS")
    with pytest.raises(runs.RunError, match="name their folders, or set ARCSPEED_TREEBANKS"):
        runs.find_treebanks([])


def test_a_damaged_result_is_named(two_treebanks, tmp_path):
    store, one = runs.Store(tmp_path), run_on(two_treebanks)
    store.path(one).write_text("{", encoding="utf-8")
    with pytest.raises(runs.RunError, match=r"A-One-.*json: is not a result of a run"):
        runs.run_all(store, [one], 1)


def test_markdown_table():
    text = runs.markdown_table(["a", "b", "c"], [["x", 1.234, None], ["y", 3, "z"]])
    assert text == "| a | b | c |\n|---|--:|--:|\n| x | 1.23 |  |\n| y | 3 | z |\n"


def test_deviation():
    assert runs.deviation([1.0, 3.0]) == pytest.approx(2**0.5)
    assert runs.deviation([1.0]) is None
