"""Curves of reliability: how they are found, and that parsers use them."""

from dataclasses import replace

import numpy as np
import pytest

import parser
from parser import Parser
from parser.cli.app import run
from parser.evaluate.calibration import bins_of, expected_error
from parser.model import ModelFileError
from parser.search.session import Session
from parser.train.data import read_treebank
from parser.train.reliability import POINTS, ascending, curve, judged, reliable
from parser.treebank import Reader
from parser.treebank.generate import generate


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reliability")
    for name, n, seed in (("train", 60, 1), ("dev", 300, 2), ("test", 300, 3), ("tiny", 5, 4)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder


@pytest.fixture(scope="module")
def model(files):
    return Parser.train(files / "train.conllu", files / "dev.conllu", epochs=2)


def test_numbers_that_do_not_fall():
    """The isotonic regression of y at i is the largest over j <= i of the smallest mean of y[j:k] over k > i."""
    rng = np.random.default_rng(1)
    for n in range(1, 9):
        y, w = rng.random(n), rng.integers(1, 5, n)

        def mean(j, k, y=y, w=w):
            return np.average(y[j:k], weights=w[j:k])

        slow = [max(min(mean(j, k) for k in range(i + 1, n + 1)) for j in range(i + 1)) for i in range(n)]
        assert np.allclose(ascending(y, w), slow)


def test_a_curve_says_how_many_are_right():
    rng = np.random.default_rng(2)
    p = rng.random(200_000).astype(np.float32)
    p[:1000] = 1
    right = rng.random(len(p)) < np.where(p == 1, 0.8, 0.5 * p + 0.1)
    points = curve(p, right)
    assert points.dtype == np.float32
    assert len(points) == 2 * (POINTS + 1)
    x, y = points[:POINTS], points[POINTS + 1 : -1]
    assert np.allclose(y, 0.5 * x + 0.1, atol=0.02)
    assert points[-1] == pytest.approx(0.8, abs=0.05)
    assert curve(p[1000:], right[1000:])[-1] == pytest.approx(y[-1]), "nothing was certain: as the likeliest"


@pytest.mark.parametrize("p", [np.ones(50, np.float32), np.full(50, 0.7, np.float32), np.float32([0.2, 1, 0.9])])
def test_curves_of_few_numbers_can_be_used(p):
    points = curve(p, np.arange(len(p)) % 2 == 0)
    assert len(points) == 2 * (POINTS + 1)
    assert np.isfinite(points).all()


def test_probabilities_are_shares_of_right_arcs(model, files):
    """On sentences that had no part in it."""
    test = read_treebank([str(files / "test.conllu")])
    raw, found = judged(model, test, None), judged(model, test, model.reliability)
    assert np.array_equal(raw.label_right, found.label_right)
    assert (found.label <= found.head).all()
    for before, after, right in ((raw.head, found.head, raw.head_right), (raw.label, found.label, raw.label_right)):
        was, now = expected_error(bins_of(before, right)), expected_error(bins_of(after, right))
        assert now < 4
        assert now < was / 2
    doubted = raw.head < 1
    order = np.argsort(raw.head[doubted])
    assert (np.diff(found.head[doubted][order]) >= 0).all(), "a likelier head stays so"


def test_every_way_of_parsing_gives_them(model, files):
    """And the trees are those of a parser without."""
    plain = replace(model, reliability=None)
    for batch in Reader(files / "test.conllu").batches():
        found, raw = model.parse_rows(batch, scores=True), plain.parse_rows(batch, scores=True)
        assert np.array_equal(found.heads, raw.heads)
        assert np.array_equal(found.labels, raw.labels)
        expected = model.reliability.applied(raw.arcs, raw.labelled)
        assert np.array_equal((found.arcs, found.labelled), expected)
        sentences, at = list(batch)[:40], 0
        trees = [model.parse(sentence, scores=True) for sentence in sentences]
        assert model.parse_batch(sentences, scores=True, threads=2) == trees
        session = Session(model.sentence_parser, model.clusters, model.reliability)
        for sentence, tree in zip(sentences, trees, strict=True):
            assert tree.head_probabilities == expected[0][at : at + len(tree)].tolist()
            assert tree.label_probabilities == expected[1][at : at + len(tree)].tolist()
            columns = {name: list(sentence.column(name)) for name in ("form", "upos", "xpos", "feats", "lemma")}
            assert session.parse(columns, True).arcs.tolist() == tree.head_probabilities
            at += len(tree)
        assert model.parse_rows(batch).arcs is None


@pytest.mark.parametrize("slim", [False, True])
def test_they_are_kept_in_the_file(model, tmp_path, slim):
    model.save(tmp_path / "m", slim=slim)
    again = parser.load(tmp_path / "m")
    for name, array in model.reliability.arrays().items():
        assert np.array_equal(again.reliability.arrays()[name], array)
    assert (tmp_path / "m").stat().st_size == model.file_size(slim=slim)
    replace(model, reliability=None).save(tmp_path / "m", slim=slim)
    assert parser.load(tmp_path / "m").reliability is None


def test_a_file_whose_curves_are_none(model, tmp_path):
    model.save(tmp_path / "m", extra_arrays={"reliability/heads": np.zeros(8, np.float32)})
    with pytest.raises(ModelFileError, match="m: is not a usable parser: reliability: not a curve"):
        parser.load(tmp_path / "m")


def test_none_without_a_development_set_that_is_large_enough(files):
    assert Parser.train(files / "train.conllu", epochs=1).reliability is None
    assert Parser.train(files / "train.conllu", files / "tiny.conllu", epochs=1).reliability is None


def test_they_are_found_again_when_weights_are_gone(model, files, tmp_path):
    dev = read_treebank([str(files / "dev.conllu")])
    small = model.shrunk(model.file_size() // 2)
    assert small.reliability is model.reliability
    again = reliable(small, dev)
    assert again.file_size() == small.file_size()
    assert not np.array_equal(again.reliability.heads, model.reliability.heads)
    model.save(tmp_path / "m")
    assert reliable(small, read_treebank([str(files / "tiny.conllu")])) is small
    command = ["shrink", str(tmp_path / "m"), "-o", str(tmp_path / "s"), "--budget", str(model.file_size() // 2)]
    assert run([*command, "--dev", str(files / "dev.conllu")]) == 0
    assert not np.array_equal(parser.load(tmp_path / "s").reliability.heads, model.reliability.heads)
