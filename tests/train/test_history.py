"""The training log, the best epoch, and when to stop."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.model import ModelFileError
from parser.train.history import History, HistoryError, best_epoch, read_log, should_stop


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([], 0),
        ([80.0], 1),
        ([80.0, 81.0], 2),
        ([81.0, 80.0], 1),
        ([80.0, 81.0, 81.0, 80.5, 81.0], 2),  # the earliest of equals
        ([None, None, None], 3),  # no dev set: the last one
    ],
)
def test_the_best_epoch(scores, best):
    assert best_epoch(scores) == best


@pytest.mark.parametrize(
    ("scores", "patience", "stops"),
    [
        ([], 1, False),
        ([80.0], 1, False),
        ([80.0, 79.0], 1, True),
        ([80.0, 80.0], 1, True),  # as good is not better
        ([80.0, 79.0], 2, False),
        ([80.0, 79.0, 79.5], 2, True),
        ([80.0, 79.0, 80.1], 2, False),
        ([80.0, 79.0, 80.1, 80.0], 2, False),
        ([80.0, 79.0, 80.1, 80.0, 80.1], 2, True),
        ([80.0, 1.0, 1.0, 1.0], 0, False),
        ([None, None, None], 1, False),
    ],
)
def test_when_to_stop(scores, patience, stops):
    assert should_stop(scores, patience) is stops


@given(st.lists(st.integers(0, 4).map(float), max_size=12), st.integers(1, 4))
def test_stopping_counts_epochs_without_a_better_one(scores, patience):
    best, waited = -1.0, 0
    for score in scores:
        waited = 0 if score > best else waited + 1
        best = max(best, score)
    assert should_stop(scores, patience) == (waited >= patience)


def test_lines_are_on_disk_as_they_are_added(tmp_path):
    path = tmp_path / "log.jsonl"
    history = History(path)
    assert path.read_text() == ""
    history.add("start", data="Übung", words=5)
    history.add_epoch(score=80.5, words_per_second=3)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"event": "start", "data": "Übung", "words": 5},
        {"event": "epoch", "epoch": 1, "score": 80.5, "words_per_second": 3},
    ]
    assert read_log(path) == history.lines


def test_the_best_is_kept_when_it_comes(tmp_path):
    history = History(tmp_path / "log.jsonl")
    assert (history.best, history.last_is_best) == (0, False)
    kept = []
    for score in (80.0, 82.0, 82.0, 81.0, 83.0):
        history.add_epoch(score=score)
        kept.append(history.last_is_best)
    assert kept == [True, True, False, False, True]
    assert history.best == 5
    assert not history.should_stop(1)


def test_without_a_dev_set_the_last_epoch_is_the_best():
    history = History()
    for n in (1, 2, 3):
        history.add_epoch(loss=1.0)
        assert history.best == n
        assert history.last_is_best
        assert not history.should_stop(1)


def test_a_new_log_replaces_an_old_one_with_its_first_epoch(tmp_path):
    path = tmp_path / "log.jsonl"
    History(path).add("start", seed=1)
    before, new = path.read_bytes(), History(path)
    assert new.lines == []
    new.add("start", seed=2)
    assert path.read_bytes() == before
    new.add_epoch(loss=1.0)
    assert read_log(path) == new.lines
    new.add_epoch(loss=0.5)
    assert [line["event"] for line in read_log(path)] == ["start", "epoch", "epoch"]


def test_epochs_with_fewer_rows_are_compared_with_one_another():
    history = History()
    for score in (80.0, 83.0, 82.5):
        history.add_epoch(score=score)
    history.add("rows", after=3, kept=4, of=10)
    assert (history.best, history.last_is_best, history.should_stop(1)) == (2, False, True)
    history.add_epoch(score=81.0)
    assert (history.best, history.last_is_best, history.should_stop(1)) == (4, True, False)
    history.add_epoch(score=81.5)
    history.add_epoch(score=81.0)
    assert (history.best, history.last_is_best) == (5, False)
    assert history.should_stop(1)
    assert not history.should_stop(2)


@pytest.mark.parametrize("torn", ["", '{"event": "ep', '{"event": "epoch", "epoch": 4, "score": 70.0}\n', "\n{}\n"])
def test_resuming_gives_the_log_of_an_uninterrupted_run(tmp_path, torn):
    path, whole = tmp_path / "log.jsonl", tmp_path / "whole.jsonl"
    for log in (History(path), History(whole)):
        log.add("start", seed=1)
        for score in (80.0, 82.0):
            log.add_epoch(score=score)
    with open(path, "a") as stream:
        stream.write('{"event": "epoch", "epoch": 3, "score": 70.0}\n' + torn)
    if torn.startswith("\n"):
        with pytest.raises(HistoryError, match=r"log.jsonl:5: is not a line of a training log"):
            History.resume(path, 2)
        return
    resumed = History.resume(path, 2)
    for log in (resumed, uninterrupted := History.resume(whole, 2)):
        log.add_epoch(score=81.0)
    assert path.read_bytes() == whole.read_bytes()
    assert resumed.lines == uninterrupted.lines == read_log(path)
    assert (resumed.best, resumed.last_is_best, resumed.should_stop(1)) == (2, False, True)


def test_resuming_from_the_start(tmp_path):
    log = History(tmp_path / "log.jsonl")
    log.add("start", seed=1)
    log.add_epoch(score=1.0)
    assert History.resume(tmp_path / "log.jsonl", 0).lines == [{"event": "start", "seed": 1}]


def test_resuming_what_is_not_there(tmp_path):
    with pytest.raises(HistoryError, match="cannot be read: No such file or directory"):
        History.resume(tmp_path / "log.jsonl", 1)
    History(tmp_path / "log.jsonl").add_epoch(score=1.0)
    with pytest.raises(HistoryError, match="has 1 epochs, expected at least 2"):
        History.resume(tmp_path / "log.jsonl", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n", ":1: is not a line"),
        ("[]\n", ":1: is not a line"),
        ('{"epoch": 1}\n', ":1: is not a line"),
        ('{"event": 1}\n', ":1: is not a line"),
        ("\xff\n", ":1: is not a line"),
        ("[" * 100_000 + "\n", ":1: is not a line"),
        ('{"event": "epoch", "epoch": 1, "score": NaN}\n', ":1: is not a line"),
        ('{"event": "epoch", "epoch": 2}\n', ":1: expected epoch 1"),
        ('{"event": "start"}\n{"event": "epoch", "epoch": 1, "score": "x"}\n', ":2: expected epoch 1"),
    ],
)
def test_logs_that_are_none(tmp_path, text, message):
    (tmp_path / "log").write_bytes(text.encode("latin-1"))
    with pytest.raises(HistoryError, match=message):
        read_log(tmp_path / "log")


def test_wrong_scores_are_refused():
    history = History()
    for score in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="is not a finite number"):
            history.add_epoch(score=score)
    history.add_epoch(score=1.0)
    with pytest.raises(ValueError, match="either all epochs have a score or none has"):
        history.add_epoch()
    assert len(history.epochs) == 1


def test_where_no_log_can_be_written(tmp_path):
    with pytest.raises(HistoryError, match="cannot be written: No such file or directory"):
        History(tmp_path / "nowhere" / "log")
    history = History(tmp_path / "log")
    history.add("start")
    history.path = tmp_path
    with pytest.raises(HistoryError, match="cannot be written: Is a directory"):
        history.add("more")
    assert len(history.lines) == 1


def test_a_log_that_cannot_be_rewritten(tmp_path, monkeypatch):
    log = History(tmp_path / "log")
    log.add_epoch(score=1.0)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(ModelFileError, match="cannot be written: No space left on device"):
        History.resume(tmp_path / "log", 1)
    assert len(read_log(tmp_path / "log")) == 1
