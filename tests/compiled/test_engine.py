"""The engine against the plain way: every column's sum and every choice, in every state of every sentence."""

import io
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from made_corpus import SYSTEMS, made_text, read
from made_parser import columns_of, compiled, features_met
from made_weights import random_weights, weights_of

from parser.compiled.compile import actions_of, compile_model, from_arrays, label_frequency
from parser.compiled.engine import HEAD_COLUMNS, kernel_names
from parser.compiled.parser import CompiledParser
from parser.compiled.quantise import FINER, Quantised, largest_sum, plain_sums, quantise
from parser.compiled.table import build_table
from parser.feature.atoms import Atomizer
from parser.feature.attributes import COLUMNS
from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.feature.strings import Strings, Words
from parser.feature.templates import TemplateError, parse_templates
from parser.score.linear import LinearModel
from parser.score.weights import Weights
from parser.search.greedy import GreedyParser
from parser.search.session import Parses, Session
from parser.transition import get_system
from parser.treebank import Reader
from parser.treebank.pseudo_restore import Restorer

WIDE = 16  # nodes of which one register takes all, so that values are made many at a time (plan.h)
FIRST_PLACES = 4096 * 8 // 2  # keys of a new session's buckets before there must be more (memory.pyx)

STACK = [name for name in SYSTEMS if not name.startswith("easy")]
# conditions (of words that the key tells, and of others), every function, relatives of relatives, distances inside a
# chunk, a set without a bias-only chunk
ODD = """if(n0,adp) s0.w; if(s0,adp) n1.w; if(n1,cc) s0.p n0.p
if(s0,adp) s0.w n0.p; if(n0,cc) n0.t s0.t; s0.l.r.w s0.h.l2.p; dist(s0,s1); dist(n0,n1,coarse) n0.p; s3.w; n3.f
leaf(s0) s0.p; leaf(n0); valency(s0,right,2) valency(s1,left) n0.w; labelset(s1,right) s0.L; s0.m s1.m n0.m n1.m s2.p
shape(s0) suffix(s0,3) prefix(n0,1); feat(s0,Number) feat(n0,Number); lower(n0) n0.l.L; s0.r2.L s0.h.h.w dist(s0,n0,3)
s0.w n0.w s1.w dist(s0,n0) valency(s0,left) labelset(s0,left) s0.L n1.w"""

# more nodes than fit into one register
MANY = (
    ODD
    + """
s1.l.w s1.r.p; s1.l2.L; s1.h.L s2.r.L; n0.l2.l.p; n1.l.w n2.p; s2.l.p s3.L; s0.r.r.w; s0.l2.l2.p s1.r2.L; n2.w s3.p
dist(s2,n2) s1.p; valency(s2,right) labelset(n0,left) leaf(s1)"""
)


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        assert (a is None and b is None) or np.array_equal(a, b)


def actions_of_all(parser, text):
    session = Session(parser)
    sentences = (columns_of(sentence) for batch in read(text)[0] for sentence in batch)
    return [step["action"] for columns in sentences for step in session.trace(columns)]


def check_all(parser, text):
    """All sentences of a text, one of them new to the model's words."""
    batches, _ = read(text)
    atomizer = Atomizer(parser.extractor.plan)
    states = 0
    session = Session(parser)
    for batch in batches:
        for k in range(len(batch)):
            found, wrong = parser.differences(atomizer.batch_sentence(batch, k), session.work)
            assert wrong == []
            states += found
    assert states > 100


@pytest.mark.parametrize("name", STACK)
def test_the_engine_sums_what_the_templates_say(trained, name):
    check_all(compiled(*trained(name)), made_text(15) + made_text(15, seed=9))


@pytest.mark.parametrize("features", ["rich", "fast", "lite", "l2s-program"])
def test_other_sets(trained, features):
    text = named_set(features).text
    check_all(compiled(*trained("eager", text)), made_text(6) + made_text(6, seed=9))


@pytest.mark.parametrize("kernel", kernel_names())
@pytest.mark.parametrize("name", ["eager", "eager-first", "standard", "hybrid-none"])
def test_odd_templates(trained, name, kernel):
    parser = compiled(*trained(name, ODD), kernel)
    assert len(parser.extractor.plan.nodes) <= WIDE
    check_all(parser, made_text(10) + made_text(10, seed=9))


@pytest.mark.parametrize("name", ["eager", "standard"])
def test_more_nodes_than_fit_into_a_register(trained, name):
    parser = compiled(*trained(name, MANY))
    assert len(parser.extractor.plan.nodes) > WIDE
    check_all(parser, made_text(10) + made_text(10, seed=9))


def test_distances_that_differ_in_their_steps_alone(trained):
    """10 and more are one in both; 5 and 6, 7 to 9 are one in the second."""
    text = "s0.w n0.w dist(s0,n0,coarse); s0.w n0.w dist(s0,n0,10); s0.p dist(s0,n0,coarse); n0.p dist(s0,n0)"
    for kernel in kernel_names():
        check_all(compiled(*trained("eager", text), kernel), made_text(15) + made_text(15, seed=9))


def test_arcs_of_root_with_a_label_of_their_own(trained):
    options = {"root_label": "root", "root_label_only": True}
    check_all(compiled(*trained("standard", **options)), made_text(10) + made_text(10, seed=9))


@pytest.mark.parametrize("n_labels", [1, 28, 29, 32, 44, 45, 300])
def test_other_numbers_of_labels(n_labels):
    """Rows with a near line and far ones, and those that just need none; more than 256 columns take two bytes each.

    Weights of random actions fill all columns.
    """
    system = get_system("arc-eager", labels=[f"l{i}" for i in range(n_labels)])
    templates = named_set("zn11")
    keys = sorted(features_met(system, templates, made_text(8)))
    weights = random_weights(np.random.default_rng(1), keys, system.core.n_actions)
    check_all(compiled(system, templates, weights), made_text(8))


@pytest.mark.parametrize("place", [0, 7, 8, 15, 16, 23, 24, 31, 32, 40])
def test_one_column_behind_the_head_that_wins(place):
    """Of the columns there it alone has a chance in most states: if its own bound were too low, nobody would look.

    Those before it have a larger weight, of a feature that is met once.
    """
    system, text = get_system("arc-eager", labels=[f"l{i}" for i in range(60)]), made_text(40)
    templates = parse_templates("s0.w; n0.w; s0.p n0.p", "three")
    met = features_met(system, templates, text)
    seldom = [key for key, n in met.items() if n == 1]
    often = [key for key, n in met.most_common() if n < met.total() / 8][
        :8
    ]  # but not the bias, which is met everywhere
    by_label = [0, 1] + [first + label for label in range(60) for first in (2, 62)]  # those with frequent labels first
    head, behind = by_label[:HEAD_COLUMNS], by_label[HEAD_COLUMNS:]
    rng = np.random.default_rng(place)
    weights = {(key, action): rng.uniform(0.5, 1) for key in met for action in head}
    weights |= dict.fromkeys(zip(seldom, behind[:place], strict=False), 6)
    weights |= dict.fromkeys([(key, behind[place]) for key in often], 5)
    parser = compiled(system, templates, weights_of(weights, system.core.n_actions))
    assert parser.compiled.actions.tolist()[HEAD_COLUMNS + place] == behind[place]
    check_all(parser, text)
    assert actions_of_all(parser, text).count(behind[place]) >= 5


def test_every_instruction_set_gives_the_same(trained):
    found = {}
    batches, _ = read(made_text(30, seed=5))
    for kernel in kernel_names():
        parser = compiled(*trained("eager"), kernel)
        assert parser.engine.kernel == kernel
        found[kernel] = [Session(parser).parse_batch(batch, scores=True) for batch in batches]
    assert "plain" in found
    for parses in found.values():
        for one, other in zip(parses, found["plain"], strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_instruction_set_that_is_not_there(trained):
    with pytest.raises(ValueError, match="no code for 'z80' here, expected one of plain"):
        compiled(*trained("eager"), "z80")


def test_trees_and_probabilities_are_close_to_those_of_the_float_weights(trained):
    system, templates, weights = trained("eager")
    plain = Session(GreedyParser(system, Extractor(templates, "xpos"), LinearModel(weights)))
    fast = Session(compiled(system, templates, weights))
    batches, _ = read(made_text(60, seed=7))
    for batch in batches:
        one, other = plain.parse_batch(batch, scores=True), fast.parse_batch(batch, scores=True)
        same = (one.heads == other.heads) & (one.labels == other.labels)
        assert same.mean() > 0.97
        # a wrong word changes what comes later, so only most are close
        assert np.quantile(np.abs(one.labelled - other.labelled)[same], 0.9) < 0.3


def test_what_is_judged_and_traced_is_what_is_parsed(trained):
    parser = compiled(*trained("hybrid"))
    batches, _ = read(made_text(10, seed=3))
    session = Session(parser)
    for sentence in batches[0]:
        columns = columns_of(sentence)
        steps, found = session.trace(columns), session.parse(columns, True)
        heads = steps[-1]["heads"]
        assert [h for h in heads if h >= 0] == [h for h, known in zip(found.heads, heads, strict=True) if known >= 0]
        free = [step for step in steps if not step["forced"]]
        assert all(
            max(step["probabilities"]) == pytest.approx(step["probabilities"][step["legal"].index(step["action"])])
            for step in free
        )


def test_a_session_remembers_and_forgetting_changes_nothing(trained):
    parser = compiled(*trained("eager"))
    batches, _ = read(made_text(40, seed=11))
    session = Session(parser)
    first = [session.parse_batch(batch) for batch in batches]
    before = session.work.own.memory.counts()
    again = [session.parse_batch(batch) for batch in batches]
    after = session.work.own.memory.counts()
    assert after["made"] - before["made"] < before["made"] / 10  # nearly all is remembered
    session.work.own.memory.forget()
    assert session.work.own.memory.counts()["words"] == 0
    third = [session.parse_batch(batch) for batch in batches]
    for parses in (again, third):
        assert all(
            np.array_equal(a.heads, b.heads) and np.array_equal(a.labels, b.labels)
            for a, b in zip(first, parses, strict=True)
        )


def test_words_are_known_again_wherever_their_cells_stand(trained):
    parser = compiled(*trained("eager"))
    cells = ["w" * n for n in range(1, 60)] + ["aaaaaaaa" * 3, "aaaaaaaab" * 2, "é", "見る", "\U0001f600é" * 5]
    rows = [f"1\t{form}\t{form[:3]}\tX\t{form[-9:]}\t_\t0\troot\t_\t_\n\n" for form in cells]
    batches, _ = read("".join(rows))
    session = Session(parser)
    first = [session.parse_batch(batch) for batch in batches]
    met = session.work.own.counts()["met"]
    assert met == len(cells)
    columns = {name: Strings.of([s.column(name)[0] for b in batches for s in b]) for name in COLUMNS}
    words = Words(columns, np.arange(len(cells) + 1))
    again = Parses(np.empty(len(cells), np.int32), np.empty(len(cells), np.int32), None, None)
    session.parse_columns(words, 0, len(cells), again, Restorer([]))
    assert session.work.own.counts()["met"] == met
    assert np.array_equal(np.concatenate([parses.labels for parses in first]), again.labels)


def test_keys_that_move_when_there_are_more_of_them_are_found_again(trained):
    """Their upper bits are told by the bucket where they stand, and by the one beside it."""
    parser = compiled(*trained("eager"))
    batches, _ = read(made_text(2000, seed=12))
    session = Session(parser)
    for batch in batches:
        session.parse_batch(batch)
    before = session.work.own.memory.counts()
    assert before["made"] > FIRST_PLACES  # so there are twice as many buckets now
    for batch in batches:
        session.parse_batch(batch)
    after = session.work.own.memory.counts()
    assert after["made"] - before["made"] < before["made"] / 100


def test_a_row_of_a_single_template_is_copied_once_for_all_its_keys(trained):
    """All features have the same two weights; sums of several features have rows of their own."""
    system, templates, weights = trained("eager", "s0.w n0.w; s0.w; n0.w; s0.p n0.p")
    n = weights.n_rows
    same = replace(
        weights,
        offsets=2 * np.arange(n + 1, dtype=np.int64),
        actions=np.tile(np.array([0, 3], np.uint16), n),
        weights=np.tile(np.array([1, -2], np.float32), n),
    )
    parser = compiled(system, templates, same)
    check_all(parser, made_text(15, seed=9))
    session = Session(parser)
    session.parse_batch(read(made_text(15, seed=9))[0][0])
    counts = session.work.own.memory.counts()
    assert counts["made"] > 100
    assert counts["copies"] == 1


def test_what_the_missing_word_refers_to_is_forgotten_too(trained):
    """n1's relatives may be there where it is missing: its own sum is then asked of the record of no word."""
    text = "n2.Lw; n1.r.r.mL if(s3.r.l,cc); valency(n1,right,4) dist(n1.r2,s3.l2,coarse) n2.l.mu"
    parser = compiled(*trained("eager-first", text))
    batches, _ = read(made_text(15))
    atomizer, session = Atomizer(parser.extractor.plan), Session(parser)
    sentences = [atomizer.batch_sentence(batch, k) for batch in batches for k in range(len(batch))]
    for again in (sentences, sentences[::-1], sentences):
        assert all(parser.differences(sentence, session.work)[1] == [] for sentence in again)
        session.work.own.memory.forget()


def test_more_things_of_a_word_than_one_key_can_have(trained):
    """Templates of one word are joined, but no more than the tables of words take."""
    names = " ".join(f"feat(s0,{name});" for name in "ABCDEFGHI")
    check_all(compiled(*trained("eager", f"{names} s0.p n0.p; suffix(s0,1); prefix(s0,1)")), made_text(10))
    with pytest.raises(TemplateError, match="asks 9 things of a word, at most 8"):
        trained("eager", names.replace(";", "") + " n0.p")


def parse_with_little(trained, limit, scores):
    """Two sessions, the second with what `limit` leaves it, parse the same; gives both."""
    parser = compiled(*trained("eager"))
    session, small = Session(parser), Session(parser)
    limit(small.work.own)
    for batch in read(made_text(20, seed=11))[0]:
        assert_same(session.parse_batch(batch, scores=scores), small.parse_batch(batch, scores=scores))
    return session, small


@pytest.mark.parametrize("most", [1, 7])
def test_programs_that_are_forgotten_are_made_again(trained, most):
    session, small = parse_with_little(trained, lambda scratch: scratch.programs.limit(most), scores=False)
    met = len(session.work.own.programs)
    assert met > 20
    assert len(small.work.own.programs) < met
    assert small.work.own.programs.made > met == session.work.own.programs.made


@pytest.mark.parametrize(
    ("name", "features", "lanes"), [("eager", "zn11", 8), ("standard", "rich-standard", 7), ("eager", "rich", 6)]
)
def test_more_sentences_are_parsed_side_by_side_where_less_is_looked_up(trained, name, features, lanes):
    templates = (resources.files("parser.feature") / "sets" / f"{features}.txt").read_text(encoding="utf-8")
    assert Session(compiled(*trained(name, templates))).work.own.n_lanes == lanes


@pytest.mark.parametrize("scores", [False, True])
def test_sentences_side_by_side_are_parsed_as_one_by_one(trained, scores):
    """Of all lengths, so that lanes come free at different times."""
    parser = compiled(*trained("eager"))
    batch = read(made_text(60, seed=14))[0][0]
    together, alone = Session(parser), Session(parser)
    lengths = {len(batch[k].words) for k in range(len(batch))}
    assert len(lengths) > 5
    for _ in range(2):
        found = together.parse_batch(batch, scores=scores)
        at = 0
        for k in range(len(batch)):
            one = alone.parse(columns_of(batch[k]), scores=scores)
            for many, single in zip(found, one, strict=True):
                if single is not None:
                    assert np.array_equal(many[at : at + len(single)], single)
            at += len(batch[k].words)


@pytest.mark.parametrize("room", [1, 8, 40])
def test_a_memory_that_is_too_small(trained, room):
    session, small = parse_with_little(trained, lambda scratch: scratch.memory.limit(room), scores=True)
    assert small.work.own.counts()["made"] > session.work.own.counts()["made"]


@pytest.mark.parametrize(("finer", "all_of_them"), [(5, False), (200, True)])
def test_sums_that_leave_16_bits(trained, monkeypatch, finer, all_of_them):
    """Weights so finely rounded that many states, or even sums of one lookup, need more: 32 bits, and exactly."""
    monkeypatch.setattr("parser.compiled.quantise.FINER", finer)
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 0)
    system, templates, weights = trained("eager")
    for kernel in kernel_names():
        parser = compiled(system, templates, weights, kernel)
        atomizer, session = Atomizer(parser.extractor.plan), Session(parser)
        states = 0
        for batch in read(made_text(6, seed=2))[0]:
            for k in range(len(batch)):
                found, wrong = parser.differences(atomizer.batch_sentence(batch, k), session.work)
                assert wrong == []
                states += found
        wide = session.work.own.memory.counts()["wide"]
        assert wide == 2 * states if all_of_them else 10 < wide < 2 * states


def test_sums_that_fall_below_16_bits(trained, monkeypatch):
    """What is chosen needs no 32 bits where only scores that are far from the highest leave 16; all scores do."""
    monkeypatch.setattr("parser.compiled.quantise.FINER", 5)
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 0)
    system, templates, weights = trained("eager")
    numbers = np.where(weights.weights < 0, 8 * weights.weights, weights.weights)
    weights = replace(weights, weights=numbers)
    for kernel in kernel_names():
        parser = compiled(system, templates, weights, kernel)
        atomizer, session = Atomizer(parser.extractor.plan), Session(parser)
        batches = read(made_text(6, seed=2))[0]
        for batch in batches:
            session.parse_batch(batch)
        assert session.work.own.memory.counts()["wide"] == 0
        for batch in batches:
            for k in range(len(batch)):
                assert parser.differences(atomizer.batch_sentence(batch, k), session.work)[1] == []
        assert session.work.own.memory.counts()["wide"] > 10


@pytest.mark.slow
def test_real_treebanks(treebanks):
    """Every state of a development set, with a model of the training set: the best kernel and that of AVX2."""
    from parser.pipeline import Parser

    kernels = {kernel_names()[-1]} | {"avx2-code"} & set(kernel_names())
    for folder in sorted(path for path in treebanks.iterdir() if path.is_dir()):
        parser = Parser.train(folder / "train.conllu", **{"train.epochs": 1})
        for kernel in sorted(kernels):
            fast = CompiledParser(parser.assembly.system, parser.compiled, kernel)
            atomizer, session = Atomizer(fast.extractor.plan), Session(fast)
            for batch in Reader(folder / "dev.conllu", roots="ignore").batches():
                for k in range(len(batch)):
                    assert fast.differences(atomizer.batch_sentence(batch, k), session.work)[1] == []


# Quantising


def test_quantised_scores_fit_and_are_the_rounded_weights(trained):
    _, templates, weights = trained("eager")
    model = quantise(weights, len(templates))
    assert largest_sum(model.columns, model.values, len(templates) + 1) <= FINER * 32766
    assert np.abs(model.values.astype(int)).max() <= 32766
    dense = {
        (int(key), int(action)): weights.weights[k]
        for key, a, b in zip(weights.keys, weights.offsets, weights.offsets[1:], strict=False)
        for k, action in ((k, weights.actions[k]) for k in range(a, b))
    }
    for key in weights.keys[::50]:
        sums = plain_sums(model, np.array([key]), len(model.actions))
        for column, action in enumerate(model.actions):
            assert sums[column] == round(float(dense.get((int(key), int(action)), 0.0)) * model.scale)


def test_the_scale(monkeypatch):
    weights = Weights(
        2,
        np.array([5, 6, 7, 8], np.uint64),
        np.array([0, 1, 2, 3, 5]),
        np.array([0, 0, 0, 0, 1], np.uint16),
        np.array([3, 4, 5, 5, -2], np.float32),
    )
    model = quantise(weights, 1)  # with the bias two may fire: 5 + 5 at most, and each may be rounded up by 1/2
    assert model.scale == pytest.approx((32766 - 1) / 10)  # usual sums would be larger
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 3)
    assert quantise(weights, 3).scale == pytest.approx(32766 / (3 * 5))  # the largest row, which is one in twenty
    monkeypatch.setattr("parser.compiled.quantise.COMMON_PART", 1)
    model = quantise(weights, 3)
    assert model.scale == pytest.approx(32766 / (3 * 17 / 4))  # rows of 3, 4, 5 and 5
    monkeypatch.setattr("parser.compiled.quantise.USUAL_ROWS", 1)
    model = quantise(weights, 3)
    assert model.scale == pytest.approx(FINER * (32766 - 2) / 17)
    assert model.values.max() == round(5 * model.scale)
    assert quantise(weights, 1).scale == pytest.approx((32766 - 1) / 5)  # no weight leaves 16 bits


def test_columns_of_what_is_likely_to_be_chosen_come_first():
    """Few large weights say more than many small ones, negative ones nothing, a frequent label more than a rare one."""
    system = get_system("arc-eager", labels=["often", "seldom"])  # SHIFT, REDUCE, then LEFT and RIGHT with both
    actions = [0] * 9 + [2, 3, 4] + [5] * 9
    values = [1.0] * 9 + [9.0, 9.0, 2.0] + [-7.0] * 9
    keys = np.arange(1, len(actions) + 1, dtype=np.uint64)
    offsets = np.arange(len(actions) + 1)
    weights = Weights(6, keys, offsets, np.array(actions, np.uint16), np.array(values, np.float32))
    frequency = label_frequency(actions_of(system))
    assert frequency.tolist() == [1, 1, 1, 0.5, 1, 0.5]
    assert quantise(weights, 3, [1], frequency=frequency).actions.tolist() == [2, 3, 0, 4, 1, 5]
    weights.weights[9] = 6.0  # 6 * 6, often: less than 9 * 9, half as often
    assert quantise(weights, 3, [1], frequency=frequency).actions.tolist() == [3, 2, 0, 4, 1, 5]


def test_columns_behind_the_head_stand_by_their_largest_weight():
    """Those in it by worth: 3 has more than 1, and that more than 0; 0 has the largest weight of the others."""
    actions, values = [0, 1, 1, 2, 3, 3, 3, 4], [4.0, 3.0, 3.0, 3.5, 5.0, 5.0, 5.0, -9.0]
    keys, offsets = np.arange(1, len(actions) + 1, dtype=np.uint64), np.arange(len(actions) + 1)
    weights = Weights(5, keys, offsets, np.array(actions, np.uint16), np.array(values, np.float32))
    assert quantise(weights, 3).actions.tolist() == [3, 1, 0, 2, 4]
    assert quantise(weights, 3, head=5).actions.tolist() == [3, 1, 0, 2, 4]
    values[3] = 4.1  # 16.81, more than 16, less than 18
    weights = Weights(5, keys, offsets, np.array(actions, np.uint16), np.array(values, np.float32))
    assert quantise(weights, 3).actions.tolist() == [3, 1, 2, 0, 4]
    assert quantise(weights, 3, head=1).actions.tolist() == [3, 2, 0, 1, 4]
    assert quantise(weights, 3, head=0).actions.tolist() == [3, 2, 0, 1, 4]


# Tables from files


def test_tables_read_back(trained):
    system, templates, weights = trained("eager")
    made = compile_model(weights, templates, "xpos", system)
    again = from_arrays({k: v.copy() for k, v in made.arrays().items()}, made.scale, templates, "xpos", system)
    keys = np.r_[weights.keys[::7], np.arange(1, 500, dtype=np.uint64)]
    plain = quantise(weights, len(templates), made.actions.tolist(), frequency=label_frequency(actions_of(system)))
    assert plain.actions.tolist() == made.actions.tolist()
    for key in keys:
        assert np.array_equal(again.table.sums([key]), made.table.sums([key]))
        assert np.array_equal(made.table.sums([key]), plain_sums(plain, np.array([key]), len(made.actions)))
    assert len(made.table) == len(plain.keys)


def test_damaged_tables_are_refused_or_harmless(trained):
    system, templates, weights = trained("eager", "s0.w n0.w; s0.p n0.p; n0.w")
    made = compile_model(weights, templates, "xpos", system)
    rng = np.random.default_rng(3)
    refused = 0
    text = made_text(1)
    for _ in range(300):
        arrays = {name: array.copy() for name, array in made.arrays().items()}
        name = ("buckets", "rows", "actions")[rng.integers(3)]
        raw = arrays[name].reshape(-1).view(np.uint8)
        raw[rng.integers(len(raw), size=3)] = rng.integers(256, size=3)
        try:
            parser = CompiledParser(system, from_arrays(arrays, made.scale, templates, "xpos", system))
        except ValueError:
            refused += 1
            continue
        Session(parser).parse_batch(next(Reader(io.BytesIO(text.encode()), format="conllu").batches()))
    assert 0 < refused < 300


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("buckets", lambda a: a[:, :8].copy()),
        ("buckets", lambda a: a.astype(np.int64)),
        ("rows", lambda a: a[:0]),
        ("rows", lambda a: a[:-1].copy()),
        ("rows", lambda a: np.r_[a[:3], a[4], a[3], a[5:]]),  # columns of the first row that do not ascend
        ("actions", lambda a: a[:3].copy()),
        ("actions", lambda a: np.r_[a[:-1], a[:1]]),
        ("actions", lambda a: a.astype(np.int64)),
        ("actions", lambda a: a + 1000),
    ],
)
def test_wrong_arrays(trained, name, change):
    system, templates, weights = trained("eager")
    made = compile_model(weights, templates, "xpos", system)
    with pytest.raises(ValueError, match=r"^compiled weights: "):
        from_arrays(made.arrays() | {name: change(made.arrays()[name])}, made.scale, templates, "xpos", system)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_wrong_scale(trained, scale):
    system, templates, weights = trained("eager")
    made = compile_model(weights, templates, "xpos", system)
    with pytest.raises(ValueError, match="no scale"):
        from_arrays(made.arrays(), scale, templates, "xpos", system)


def test_keys_that_no_table_can_hold_are_told():
    """Nothing hashes to such keys: they differ in a few bits of the upper half only."""
    keys = np.array([1 << 40, 2 << 40], np.uint64)
    ones = np.ones(2, np.int16)
    model = Quantised(1.0, np.zeros(1, np.int32), keys, np.arange(3), np.zeros(2, np.uint16), ones)
    with pytest.raises(ValueError, match="keys that no table can tell apart"):
        build_table(model)


KEY = 0x0123456789ABCDEF


def test_equal_rows_are_stored_once():
    def model_of(rows):
        keys = np.arange(1, len(rows) + 1, dtype=np.uint64) * np.uint64(KEY)
        columns = np.concatenate([np.arange(len(row)) for row in rows]).astype(np.uint16)
        offsets = np.cumsum([0, *map(len, rows)])
        values = np.concatenate(rows).astype(np.int16)
        return Quantised(1.0, np.arange(3, dtype=np.int32), keys, offsets, columns, values)

    rows = [[5, 6], [5], [5, 6], [300], [5], [5, 6]]
    table = build_table(model_of(rows))
    assert len(table) == len(rows)
    assert len(table.rows) == 1 + (2 + 2 * 2) + (2 + 2) + (2 + 3)
    for number, row in enumerate(rows, 1):
        assert table.sums([number * KEY]).tolist() == row + [0] * (3 - len(row))
