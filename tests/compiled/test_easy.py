"""Easy-first's engine against the plain way: all scores of all pairs, the best of each, and every choice."""

import numpy as np
import pytest
from made_corpus import made_text, read
from made_weights import no_weights, random_weights

from parser.compiled.compile import compile_model, from_arrays
from parser.compiled.easy_parser import CompiledEasyParser
from parser.compiled.engine import kernel_names
from parser.compiled.roles import role_layout
from parser.feature.atoms import Atomizer
from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.feature.templates import parse_templates
from parser.learn.perceptron import Perceptron
from parser.score.linear import LinearModel
from parser.search.corpus import Corpus
from parser.search.easy import EasyParser, EasyTrainer
from parser.search.options import TrainOptions
from parser.search.rng import Random
from parser.search.session import Session
from parser.transition import get_system
from parser.treebank import Reader

# conditions on words, tags and distances, every function, relatives of relatives, distances that skip, all six places
ODD = """if(p0,adp) p1.w p2.p; if(p1,cc) p1.t p0.t; if(p-1,adp) dist(p0,p2) p0.p; if(p2,cc) p0.L p0.l.L
p0.l.r.w p1.l.h.p; dist(p-2,p3); dist(p0,p2,3) p1.p; dist(p0,p0.l) p0.p; p-2.w; p3.f
p-2.p p-1.p p0.p p1.p p2.p p3.p; p0.l2.w p1.r2.L; leaf(p0) p1.p; leaf(p3); span(p-1) span(p2)
valency(p0,right,2) valency(p1,left) p2.w; labelset(p1,right) p0.p p0.r.L
shape(p0) suffix(p0,3) prefix(p1,1); feat(p0,Number) feat(p1,Number); feat(p1,Number) feat(p2,Number)
lower(p1); p0.w p1.w p2.w dist(p0,p1) valency(p0,left) labelset(p0,left) p0.l.L p3.w; p-1.p p-1.l.p
p0.p p0.l.p; p0.m p1.m"""
ONE = "p0.w p1.w"
ROOMY = "{p-2,p-1,p0,p1,p2,p3}.p; {p-2,p-1,p0,p1,p2,p3}.{l,r,l2,r2,h}.p; p0.{l.l,r.r,l.r}.p; p-2.l.p p3.r.p"  # 39 nodes
# 20 nodes, but far more if every template is moved to the front
NEAR = "{p0.l,p0.r,p0.l.l,p0.l.r,p0.r.l,p0.r.r,p0.l.l2,p0.r.l2}.p"
FAR = "{p1.l2,p1.r2,p1.l2.l,p1.l2.r,p1.r2.l,p1.r2.r,p1.l2.l2,p1.r2.l2}.p"
SPREAD = f"{NEAR}; {FAR}; {{p-1,p-2}}.p {NEAR}; {{p0,p-1}}.p {FAR}; p0.w p1.w; p-1.p p0.p"


@pytest.fixture(scope="module")
def trained():
    """Weights by (root, templates, options), learned once."""
    known = {}

    def train(root="first", templates=None, **options):
        key = (root, templates, tuple(sorted(options.items())))
        if key not in known:
            batches, labels = read(made_text(40))
            system = get_system("easy-first", labels=[*labels, "never"], root=root, **options)
            known[key] = system, *weights_of(system, set_of(templates), batches)
        return known[key]

    return train


def set_of(templates):
    try:
        return named_set(templates or "easyfirst")
    except ValueError:
        return parse_templates(templates, "t")


def weights_of(system, templates, batches):
    extractor = Extractor(templates, "xpos")
    corpus = Corpus(extractor, system.labels)
    for batch in batches:
        corpus.add_batch(batch)
    learner = Perceptron(2 * len(system.labels))
    trainer = EasyTrainer(system, extractor, learner, TrainOptions())
    for epoch in range(1, 3):
        trainer.train(corpus, Random(1).order(len(corpus)), epoch, Random(1))
    return templates, learner.finalise()


def compiled(system, templates, weights, kernel=""):
    return CompiledEasyParser(system, compile_model(weights, templates, "xpos", system), kernel)


def check_all(parser, text, room=None):
    """All sentences of a text; gives the number of pairs, and what the memory counted."""
    batches, _ = read(text)
    atomizer, session = Atomizer(parser.extractor.plan), Session(parser)
    if room is not None:
        session.work.own.limit(room)
    pairs = 0
    for batch in batches:
        for k in range(len(batch)):
            found, wrong = parser.differences(atomizer.batch_sentence(batch, k), session.work)
            assert wrong == []
            pairs += found
    assert pairs > 100
    return pairs, session.work.own.counts()


@pytest.mark.parametrize("kernel", kernel_names())
@pytest.mark.parametrize("features", ["easyfirst", "easyfirst-zn11", "rich-easyfirst", ODD])
def test_the_engine_sums_what_the_templates_say(trained, features, kernel):
    check_all(compiled(*trained("first", features), kernel), made_text(8) + made_text(8, seed=9))


@pytest.mark.parametrize("root", ["first", "none"])
@pytest.mark.parametrize(
    "features",
    [
        "valency(p2,left) p1.p; p1.p p2.l.p",
        "p1.p valency(p2,right); p1.p p2.r.p",
        "p0.p labelset(p-1,right); p0.p p-1.r.p",
    ],
)
def test_an_element_without_dependents_is_not_a_missing_one(trained, root, features):
    check_all(compiled(*trained(root, features)), made_text(8) + made_text(8, seed=9))


@pytest.mark.parametrize("features", [ONE, ROOMY, SPREAD], ids=["one", "roomy", "spread"])
def test_other_sets(trained, features):
    check_all(compiled(*trained("first", features)), made_text(6) + made_text(6, seed=9))


@pytest.mark.parametrize("features", ["easyfirst", "easyfirst-zn11", "rich-easyfirst", ODD])
@pytest.mark.parametrize(("root", "options"), [("none", {}), ("first", {"single_root": True})])
def test_other_roots(trained, root, options, features):
    check_all(compiled(*trained(root, features, **options)), made_text(8) + made_text(8, seed=9))


@pytest.mark.parametrize("n_labels", [1, 31, 32, 300])
def test_other_numbers_of_labels(n_labels):
    """Nothing behind the head, just the head full, a column behind it, more than 256; weights of random actions."""
    rng = np.random.default_rng(1)
    system = get_system("easy-first", labels=[f"l{i}" for i in range(n_labels)])
    batches, _ = read(made_text(6))
    templates = named_set("easyfirst")
    silent = Session(EasyParser(system, Extractor(templates, "xpos"), LinearModel(no_weights(2 * n_labels))))
    keys = set()
    for sentence in batches[0]:
        columns = {name: list(sentence.column(name)) for name in ("form", "upos", "xpos")}
        keys |= {key for step in silent.trace(columns) for key in step["features"]}
    weights = random_weights(rng, sorted(keys), 2 * n_labels)
    _, counts = check_all(compiled(system, templates, weights), made_text(6))
    assert (counts["full"] > 0) == (n_labels > 31)


def test_every_instruction_set_gives_the_same(trained):
    found = {}
    batches, _ = read(made_text(30, seed=5))
    for kernel in kernel_names():
        parser = compiled(*trained(), kernel)
        assert parser.engine.kernel == kernel
        found[kernel] = [Session(parser).parse_batch(batch, scores=scores) for scores in (0, 1) for batch in batches]
    assert "plain" in found
    for parses in found.values():
        for one, other in zip(parses, found["plain"], strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_instruction_set_that_is_not_there(trained):
    with pytest.raises(ValueError, match="no code for 'z80' here, expected one of plain"):
        compiled(*trained(), "z80")


def test_trees_and_probabilities_are_close_to_those_of_the_float_weights(trained):
    system, templates, weights = trained()
    plain = Session(EasyParser(system, Extractor(templates, "xpos"), LinearModel(weights)))
    fast = Session(compiled(system, templates, weights))
    batches, _ = read(made_text(60, seed=7))
    for batch in batches:
        one, other = plain.parse_batch(batch, scores=True), fast.parse_batch(batch, scores=True)
        same = (one.heads == other.heads) & (one.labels == other.labels)
        assert same.mean() > 0.97
        # a wrong word changes what comes later, so only most are close
        assert np.quantile(np.abs(one.labelled - other.labelled)[same], 0.9) < 0.3


@pytest.mark.parametrize("root", ["first", "none"])
def test_with_and_without_probabilities_the_same_trees(trained, root):
    session = Session(compiled(*trained(root)))
    for batch in read(made_text(40, seed=6))[0]:
        one, other = session.parse_batch(batch), session.parse_batch(batch, scores=True)
        assert np.array_equal(one.heads, other.heads)
        assert np.array_equal(one.labels, other.labels)
        assert np.all(other.labelled <= other.arcs + 1e-6)


@pytest.mark.parametrize("root", ["first", "none"])
def test_what_is_judged_and_traced_is_what_is_parsed(trained, root):
    """The trace adds up template by template, and gives the same trees and probabilities."""
    parser = compiled(*trained(root))
    session = Session(parser)
    for sentence in read(made_text(10, seed=3))[0][0]:
        columns = {name: list(sentence.column(name)) for name in ("form", "upos", "xpos")}
        steps, found = session.trace(columns), session.parse(columns, True)
        heads = steps[-1]["heads"]
        assert [h for h in heads if h >= 0] == [h for h, known in zip(found.heads, heads, strict=True) if known >= 0]
        chosen = []
        for step in steps:
            legal = step["legal"].index((step["pair"], step["action"]))
            chosen.append(step["probabilities"][legal])
        assert sorted(chosen) == pytest.approx(sorted(found.labelled)[: len(chosen)], abs=1e-5)


def test_a_session_remembers_and_forgetting_changes_nothing(trained):
    batches, _ = read(made_text(40, seed=11))
    session = Session(compiled(*trained()))
    first = [session.parse_batch(batch) for batch in batches]
    before = session.work.own.counts()
    again = [session.parse_batch(batch) for batch in batches]
    after = session.work.own.counts()
    assert after["made"] - before["made"] < before["made"] / 10  # nearly all is remembered
    session.work.own.forget()
    third = [session.parse_batch(batch) for batch in batches]
    for parses in (again, third):
        for a, b in zip(first, parses, strict=True):
            assert np.array_equal(a.heads, b.heads)
            assert np.array_equal(a.labels, b.labels)


@pytest.mark.parametrize("room", [None, 40])
@pytest.mark.parametrize("kernel", kernel_names())
def test_sentences_side_by_side_are_parsed_as_if_alone(trained, kernel, room):
    """Of all lengths, so that lanes come free at different times, and where rows are forgotten in their midst."""
    parser = compiled(*trained(), kernel)
    together, alone = Session(parser), Session(parser)
    if room is not None:
        together.work.own.limit(room)
    for batch in read(made_text(60, seed=13))[0]:
        found = together.parse_batch(batch)
        heads, labels = [], []
        for sentence in batch:
            columns = {name: list(sentence.column(name)) for name in ("form", "upos", "xpos")}
            parses = alone.parse(columns)
            heads.extend(parses.heads)
            labels.extend(parses.labels)
        assert np.array_equal(found.heads, heads)
        assert np.array_equal(found.labels, labels)


@pytest.mark.parametrize("room", [1, 40, 2000])
def test_a_memory_that_is_too_small(trained, room):
    """Rows are forgotten in the middle of sentences, and scores are what they were."""
    check_all(compiled(*trained("first", "easyfirst-zn11")), made_text(6, seed=11), room)


@pytest.mark.parametrize(("finer", "all_of_them"), [(24, False), (1200, True)])
def test_sums_that_leave_16_bits(trained, monkeypatch, finer, all_of_them):
    """Weights so finely rounded that many pairs, or even sums of one lookup, need more: 32 bits, and exactly."""
    monkeypatch.setattr("parser.compiled.quantise.FINER", finer)
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 0)
    for kernel in kernel_names():
        pairs, counts = check_all(compiled(*trained(), kernel), made_text(4, seed=2))
        assert counts["wide"] > pairs / 10 if all_of_them else 10 < counts["wide"] < pairs


def test_a_long_sentence(trained):
    """More pairs than one block of the search for the best."""
    parser = compiled(*trained())
    rng, words, tags = np.random.default_rng(2), [], []
    for sentence in read(made_text(35))[0][0]:
        words += sentence.words
        tags += sentence.column("xpos")
    order = rng.permutation(len(words))
    columns = {"form": [words[i] for i in order], "xpos": [tags[i] for i in order]}
    assert len(words) > 280
    _, wrong = parser.differences(Atomizer(parser.extractor.plan).sentence(columns), Session(parser).work)
    assert wrong == []


@pytest.mark.slow
def test_real_treebanks(treebanks):
    """Every state of the first sentences of a development set, with a model of the training set."""
    from parser.pipeline import Parser

    for folder in sorted(path for path in treebanks.iterdir() if path.is_dir()):
        parser = Parser.train(folder / "train.conllu", **{"system.name": "easy-first", "train.epochs": 1})
        fast = parser.sentence_parser
        atomizer, session = Atomizer(fast.extractor.plan), Session(fast)
        batch = next(Reader(folder / "dev.conllu", roots="ignore").batches())
        for k in range(min(len(batch), 200)):
            assert fast.differences(atomizer.batch_sentence(batch, k), session.work)[1] == []


# The plan


@pytest.mark.parametrize("features", ["easyfirst", "easyfirst-zn11", "rich-easyfirst", ODD, ROOMY, SPREAD])
def test_every_template_has_one_role_and_every_shape_its_places(features):
    templates = set_of(features)
    layout = role_layout(templates, "xpos")
    found = [role.rule for roles in layout.roles for role in roles]
    assert sorted(found) == list(range(len(templates)))
    assert sorted(rule for shape in layout.shapes for rule in shape.rules) == list(range(len(layout.roles)))
    assert (len(layout.roles) < len(templates)) == (features != SPREAD)


# Tables from files


def test_tables_read_back_and_damaged_ones_are_refused(trained):
    system, templates, weights = trained()
    made = compile_model(weights, templates, "xpos", system)
    again = from_arrays({k: v.copy() for k, v in made.arrays().items()}, made.scale, templates, "xpos", system)
    assert np.array_equal(again.actions, made.actions)
    lefts = np.flatnonzero(made.actions < len(system.labels))
    arrays = made.arrays() | {"actions": np.delete(made.actions, lefts)}
    with pytest.raises(ValueError, match="an action that is always needed is missing"):
        from_arrays(arrays, made.scale, templates, "xpos", system)
    arrays = made.arrays() | {"actions": made.actions + np.int32(2 * len(system.labels))}
    with pytest.raises(ValueError, match="the actions are not those of the parser"):
        from_arrays(arrays, made.scale, templates, "xpos", system)
