"""Greedy training and parsing against their slow twins, and the properties that the algorithms promise."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import slow_search
from made_corpus import SYSTEMS, made_text, n_actions, read, setting

from parser.feature.extract import Extractor
from parser.feature.library import named_set
from parser.learn.adagrad_rda import AdaGradRDA
from parser.learn.passive_aggressive import PassiveAggressive
from parser.learn.perceptron import Perceptron
from parser.score.linear import LinearModel
from parser.search.corpus import Corpus
from parser.search.easy import EasyParser, EasyTrainer
from parser.search.greedy import GreedyParser, GreedyTrainer
from parser.search.options import PRESETS, DivergedError, Exploration, OptionError, TrainOptions
from parser.search.rng import Random
from parser.search.session import Session
from parser.transition import get_system
from parser.treebank import Reader

LEARNERS = {
    "perceptron": lambda n: Perceptron(n),
    "margin": lambda n: Perceptron(n, margin=20),
    "passive-aggressive": lambda n: PassiveAggressive(n),
    "adagrad": lambda n: AdaGradRDA(n, n_tokens=200, alpha=0.1),
}
# few enough for the slow twins; every kind of value
SMALL = """s0.wp; n0.wp; s0.p n0.p; s1.p s0.p; s0.w n0.w; s0.l.L; s0.r.L s0.p; n0.l.L; s0.p n0.p dist(s0,n0)
n1.p n0.p; s0.h.p"""
SMALL_PAIRS = """p0.wp; p1.wp; p0.p p1.p; p-1.p p0.p p1.p; p0.p p1.p p2.p; p0.l.L p0.p; p1.r.L p1.p; p-2.w; p3.w
span(p0) span(p1)"""
STACK = [name for name in SYSTEMS if not name.startswith("easy")]
EASY = [name for name in SYSTEMS if name.startswith("easy")]


def trainer_of(system):
    return EasyTrainer if system.name == "easy-first" else GreedyTrainer


def parser_of(system):
    return EasyParser if system.name == "easy-first" else GreedyParser


def same(one, other):
    one, other = one.dump(), other.dump()
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def trained(system, extractor, corpus, *, epochs=3, seed=1, options=None, learner="perceptron"):
    made = LEARNERS[learner](n_actions(system))
    options = options or TrainOptions()
    trainer = trainer_of(system)(system, extractor, made, options)
    rng = Random(seed)
    for iteration in range(1, epochs + 1):
        trainer.train(corpus, rng.order(len(corpus)), iteration, rng)
    return made


# Twins

POLICIES = {
    "static": TrainOptions("static", PRESETS["none"]),
    "nondeterministic": TrainOptions("nondeterministic", PRESETS["none"]),
    "ambiguity": TrainOptions("dynamic", PRESETS["ambiguity"]),
    "explore-2012": TrainOptions("dynamic", Exploration("errors", 1, 0.5, "random")),
    "explore-2013": TrainOptions("dynamic", Exploration("errors", 1, 0.9, "best")),
    "always": TrainOptions("dynamic", Exploration("errors", 0, 1.0, "best")),
    "sample": TrainOptions("dynamic", Exploration("sample", 1)),
}


def check_twin(name, policy, learner, n=6, epochs=3, **options):
    system, extractor, corpus = setting(name, made_text(n), SMALL, **options)
    fast, slow = LEARNERS[learner](n_actions(system)), LEARNERS[learner](n_actions(system))
    trainer = GreedyTrainer(system, extractor, fast, POLICIES[policy])
    one, other = Random(3), Random(3)
    for iteration in range(1, epochs + 1):
        for k in range(len(corpus)):
            path = trainer.train_path(corpus, k, iteration, one)
            assert path == slow_search.train_sentence(
                system, extractor, slow, POLICIES[policy], corpus.example(k), corpus.rows(k), iteration, other
            )
    assert one.state == other.state
    assert fast.updates > 0
    assert same(fast, slow)


@pytest.mark.parametrize(
    ("name", "steps"), [("eager", {"alpha": 1e38}), ("eager", {"rho": 1e-40}), ("easy", {"alpha": 1e38})]
)
def test_scores_that_are_not_finite_are_an_error(name, steps):
    system, extractor, corpus = setting(name, made_text(30))
    learner = AdaGradRDA(n_actions(system), n_tokens=200, **steps)
    options = TrainOptions("dynamic", PRESETS["sample"], update="logistic")
    trainer, rng = trainer_of(system)(system, extractor, learner, options), Random(1)
    with pytest.raises(DivergedError, match="not finite: its steps are too large, or their ridge too small"):
        trainer.train(corpus, np.tile(rng.order(len(corpus)), 5), 1, rng)


@pytest.mark.parametrize("name", STACK)
def test_following_every_error_visits_the_parsers_own_path(name):
    """k=0, p=1: in every state what the weights as they are then would do (Goldberg & Nivre 2012, algorithm 3)."""
    system, extractor, corpus = setting(name, made_text(5), SMALL)
    fast, slow = (LEARNERS["perceptron"](n_actions(system)) for _ in range(2))
    trainer, rng, wrong = GreedyTrainer(system, extractor, fast, POLICIES["always"]), Random(1), 0
    for k in [*range(len(corpus)), *range(len(corpus))]:
        n, heads, labels = corpus.example(k)
        gold = system.gold(heads, [system.labels[label] for label in labels])
        state = system.initial(n)
        for action in trainer.train_path(corpus, k, 1, rng):
            legal = state.cursor.actions()
            if len(legal) > 1:
                keys = extractor.keys(state.cursor.raw(), corpus.rows(k))
                zero = slow_search.zero_actions(state, gold, "dynamic")
                assert action == slow_search.argmax(slow.scores(keys), legal)
                slow.visit(keys, legal, zero)
                wrong += action not in zero
            else:
                slow.count_state()
            slow_search.take(state, action)
        assert state.is_final()
    assert wrong > 10


@pytest.mark.parametrize("name", STACK)
@pytest.mark.parametrize("policy", ["static", "explore-2013", "sample"])
def test_training_twin_of_every_system(name, policy):
    check_twin(name, policy, "perceptron")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("standard", {"root_label_only": True}),
        ("standard", {"single_root": True, "left_arc": "late"}),
        ("eager", {"single_root": True}),
        ("eager-first", {"attach_aware": True}),
        ("hybrid", {"single_root": True}),
    ],
)
@pytest.mark.parametrize("policy", ["static", "always", "sample"])
def test_training_twin_with_options_of_systems(name, options, policy):
    check_twin(name, policy, "adagrad", **options)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_training_twin_of_every_policy_and_learner(policy, learner):
    check_twin("eager", policy, learner, n=4)


@pytest.mark.parametrize("name", EASY)
@pytest.mark.parametrize("policy", ["static", "explore-2012", "always"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_easy_first_training_twin(name, policy, learner):
    """The agenda scores again only what changed; the twin everything, every time."""
    system, extractor, corpus = setting(name, made_text(5), SMALL_PAIRS)
    # without l1: kept scores are then exact (see parser.search.easy)
    make = (lambda n: AdaGradRDA(n, l1=0, alpha=0.1)) if learner == "adagrad" else LEARNERS[learner]
    fast, slow = make(n_actions(system)), make(n_actions(system))
    trainer = EasyTrainer(system, extractor, fast, POLICIES[policy])
    one, other = Random(3), Random(3)
    for iteration in range(1, 4):
        trainer.train(corpus, np.arange(len(corpus)), iteration, one)
        for k in range(len(corpus)):
            slow_search.train_easy(
                system, extractor, slow, POLICIES[policy], corpus.example(k), corpus.rows(k), iteration, other
            )
    assert one.state == other.state
    slow.updates = fast.updates  # add() is counted per call by some learners, per state by the search
    assert same(fast, slow)


@pytest.mark.parametrize("exploration", ["none", "sample"])
def test_easy_first_logistic_twin(exploration):
    options = TrainOptions("dynamic", PRESETS[exploration], update="logistic")
    system, extractor, corpus = setting("easy", made_text(4), SMALL_PAIRS)
    fast, slow = (AdaGradRDA(n_actions(system), n_tokens=200, alpha=0.1, compact=False) for _ in range(2))
    trainer = EasyTrainer(system, extractor, fast, options)
    one, other = Random(3), Random(3)
    for k in range(len(corpus)):
        trainer.train_sentence(corpus, k, 1, one)
        slow_search.train_easy(system, extractor, slow, options, corpus.example(k), corpus.rows(k), 1, other)
    assert one.state == other.state
    fast, slow = fast.dump(), slow.dump()
    assert np.array_equal(fast["keys"], slow["keys"])
    assert np.allclose(fast["hot"], slow["hot"], atol=1e-4)
    assert abs(fast["hot"]).max() > 0.1


def test_easy_first_learns_where_all_that_is_correct_is_far_below_the_best():
    """With steps so large that exp(correct - best) is 0: gradients stay numbers, and the loss is the distance."""
    options = TrainOptions("dynamic", PRESETS["none"], update="logistic")
    system, extractor, corpus = setting("easy", made_text(30))
    learner = AdaGradRDA(n_actions(system), n_tokens=200, alpha=100)
    trainer, rng, largest = EasyTrainer(system, extractor, learner, options), Random(1), 0
    for k in range(len(corpus)):
        learner.loss, before = 0.0, trainer.states
        trainer.train_sentence(corpus, k, 1, rng)
        largest = max(largest, learner.loss / (trainer.states - before))
    assert 745 < largest < np.inf, "the natural logarithm of the smallest double is -745"
    assert np.isfinite(learner.finalise().weights).all()


def test_easy_first_counts_updates_by_state_whatever_the_pairs():
    options = TrainOptions("dynamic", PRESETS["none"], update="logistic")
    system, extractor, corpus = setting("easy", made_text(30))
    learner = AdaGradRDA(n_actions(system), n_tokens=200, quiet=0)
    trainer = EasyTrainer(system, extractor, learner, options)
    trainer.train(corpus, np.arange(len(corpus)), 1, Random(1))
    assert learner.updates == trainer.states, "with quiet=0 every state changes something"


@pytest.mark.parametrize("name", SYSTEMS)
def test_parsing_twin(name):
    small = SMALL_PAIRS if name in EASY else SMALL
    system, extractor, corpus = setting(name, made_text(25), small)
    model = LinearModel(trained(system, extractor, corpus, learner="adagrad", epochs=2).finalise())
    session = Session(parser_of(system)(system, extractor, model))
    other_words = setting(name, made_text(12, seed=5), small)[2]
    slow = slow_search.parse_easy if name in EASY else slow_search.parse
    batches, _ = read(made_text(12, seed=5))
    test = Corpus(extractor, corpus.label_names)
    for batch in batches:
        test.add_batch(batch)
    assert len(test) == len(other_words)
    found = session.parse_corpus(test, scores=True)
    offsets = test.offsets
    for k in range(len(test)):
        here = slice(offsets[k], offsets[k + 1])
        heads, tags, arcs, labelled = slow(system, extractor, model, test.length(k), test.rows(k))
        assert found.heads[here].tolist() == heads
        assert found.labels[here].tolist() == tags
        assert np.allclose(found.arcs[here], arcs, atol=1e-5)
        assert np.allclose(found.labelled[here], labelled, atol=1e-5)
    plain = session.parse_corpus(test)
    assert np.array_equal(plain.heads, found.heads)
    assert plain.arcs is None


# Promises


@pytest.mark.parametrize("name", STACK)
@pytest.mark.parametrize("exploration", ["none", "ambiguity"])
def test_zero_cost_paths_lead_to_the_gold_tree(name, exploration):
    """Also: all configurations visited without exploration have a loss of 0 still to come."""
    system, extractor, corpus = setting(name, made_text(100, seed=2), SMALL)
    options = TrainOptions("dynamic", PRESETS[exploration])
    trainer = GreedyTrainer(system, extractor, Perceptron(n_actions(system)), options)
    rng = Random(1)
    for k in range(len(corpus)):
        n, heads, labels = corpus.example(k)
        state = system.initial(n)
        gold = system.gold(heads, [system.labels[label] for label in labels])
        for action in trainer.train_path(corpus, k, 1, rng):
            assert k > 10 or gold.best_loss(state) == 0
            slow_search.take(state, action)
        assert state.is_final()
        assert state.cursor.tree() == (heads, labels)


def test_sampling_without_weights_is_uniform_over_labelled_actions():
    """The second action of arc-eager with ROOT last, over 6000 sentences: SHIFT, LEFT:* and RIGHT:*."""
    system, extractor, corpus = setting("eager", made_text(3), SMALL)
    frozen = AdaGradRDA(n_actions(system), l1=1e9)
    trainer = GreedyTrainer(system, extractor, frozen, TrainOptions("dynamic", PRESETS["sample"]))
    rng = Random(11)
    counts = np.zeros(n_actions(system))
    for _ in range(6000):
        counts[trainer.train_path(corpus, 0, 1, rng)[1]] += 1
    legal = system.initial(corpus.length(0))
    legal.apply("SHIFT")
    actions = legal.cursor.actions()
    assert set(np.flatnonzero(counts)) == set(actions)
    expected = 6000 / len(actions)
    chi_square = ((counts[actions] - expected) ** 2 / expected).sum()
    assert chi_square < len(actions) - 1 + 5 * (2 * len(actions)) ** 0.5


def test_exploration_begins_after_iteration_k():
    system, extractor, corpus = setting("eager", made_text(20), SMALL)
    options = TrainOptions("dynamic", Exploration("errors", 2, 1.0, "best"))

    def leaves_gold(iteration):
        trainer = GreedyTrainer(system, extractor, Perceptron(n_actions(system)), options)
        lost = 0
        for k in range(len(corpus)):
            n, heads, labels = corpus.example(k)
            state = system.initial(n)
            for action in trainer.train_path(corpus, k, iteration, Random(1)):
                slow_search.take(state, action)
            lost += state.cursor.tree() != (heads, labels)
        return lost

    assert leaves_gold(1) == leaves_gold(2) == 0
    assert leaves_gold(3) > 10


CONVERGES = [
    (name, oracle, learner)
    for name in SYSTEMS
    for oracle in ("static", "dynamic")
    for learner in ("perceptron", "adagrad")
]


@pytest.mark.parametrize(("name", "oracle", "learner"), CONVERGES)
def test_every_system_and_learner_can_learn_fifty_sentences_by_heart(name, oracle, learner):
    system, extractor, corpus = setting(name, made_text(50))
    update = "logistic" if learner == "adagrad" else "perceptron"
    options = TrainOptions(oracle, PRESETS["none" if oracle == "static" else "goldberg-nivre-2013"], update=update)
    weights = trained(system, extractor, corpus, epochs=15, options=options, learner=learner).finalise()
    found = Session(parser_of(system)(system, extractor, LinearModel(weights))).parse_corpus(corpus)
    heads = np.concatenate([corpus.example(k)[1] for k in range(len(corpus))])
    assert (found.heads == heads).mean() >= 0.995


def test_a_learner_that_never_learns_does_not_stop_easy_first():
    """After 100 updates in one configuration the correct attachment is made (Goldberg & Elhadad 2010 would go on)."""
    system, extractor, corpus = setting("easy", made_text(3), SMALL_PAIRS)
    trainer = EasyTrainer(
        system, extractor, AdaGradRDA(n_actions(system), l1=1e9), TrainOptions("static", PRESETS["none"])
    )
    trainer.train_sentence(corpus, 0, 1, Random(1))
    assert trainer.errors > 100
    assert trainer.errors % 100 == 0
    assert trainer.states == trainer.errors + corpus.length(0) - trainer.errors // 100


@pytest.mark.parametrize("name", ["eager", "standard", "hybrid-none", "easy"])
def test_without_labels(name):
    """One label, and gold trees that have none: moves alone are learned."""
    kind, root, features = SYSTEMS[name]
    system = get_system(kind, labels=["_"], root=root, root_label="_")
    extractor = Extractor(named_set(features), "xpos")
    corpus = Corpus(extractor, ["_"])
    for batch in read(made_text(30))[0]:
        corpus.add_batch(batch)
    assert set(corpus.example(0)[2]) == {-1}
    weights = trained(system, extractor, corpus, epochs=12, options=TrainOptions(labelled=False)).finalise()
    found = Session(parser_of(system)(system, extractor, LinearModel(weights))).parse_corpus(corpus)
    assert (found.heads == np.concatenate([corpus.example(k)[1] for k in range(len(corpus))])).mean() > 0.99


def test_one_parser_many_threads():
    system, extractor, corpus = setting("eager", made_text(200))
    parser = GreedyParser(system, extractor, LinearModel(trained(system, extractor, corpus, epochs=2).finalise()))
    alone = Session(parser).parse_corpus(corpus, scores=True)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: Session(parser).parse_corpus(corpus, scores=True), range(16)))
    assert all(np.array_equal(one, other) for found in together for one, other in zip(alone, found, strict=True))


@pytest.mark.parametrize("name", ["eager", "standard", "easy"])
def test_same_seed_same_weights(name):
    runs = [trained(*setting(name, made_text(30)), seed=seed) for seed in (1, 1, 2)]
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])


def test_random_stream_goes_on_from_its_state():
    one, other = Random(5), Random(6)
    one.order(10)
    other.state = one.state
    assert [one.unit() for _ in range(5)] == [other.unit() for _ in range(5)]
    assert sorted(Random(1).order(100)) == list(range(100))
    assert Random(1).order(100).tolist() != list(range(100))
    with pytest.raises(ValueError, match="cannot be 0, 0"):
        one.state = 0, 0


def test_counts_of_states():
    """Arc-eager with ROOT last takes exactly two moves a word, whatever is explored; each is a step of averaging."""
    system, extractor, corpus = setting("eager", made_text(30))
    learner = Perceptron(n_actions(system))
    trainer = GreedyTrainer(system, extractor, learner, TrainOptions())
    rng = Random(1)
    for iteration in (1, 2):
        trainer.train(corpus, rng.order(len(corpus)), iteration, rng)
    assert trainer.states == learner.steps == 2 * 2 * corpus.n_words
    assert 2 * len(corpus) <= trainer.forced < trainer.states
    assert 0 < trainer.errors < trainer.states


# Decisions, for calibration


@pytest.mark.parametrize("name", ["eager", "standard", "hybrid", "easy"])
def test_decisions(name):
    system, extractor, corpus = setting(name, made_text(60))
    model = LinearModel(trained(system, extractor, corpus, learner="adagrad").finalise())
    test = Corpus(extractor, corpus.label_names)
    for batch in read(made_text(40, seed=9))[0]:
        test.add_batch(batch)
    session = Session(parser_of(system)(system, extractor, model))
    found = session.judge(test)
    moves = {"eager": 2 * test.n_words, "easy": test.n_words, "standard": 2 * test.n_words + len(test)}
    assert len(found.p) == len(found.correct) == len(found.forced) == moves.get(name, moves["standard"])
    assert ((found.p > 0) & (found.p <= 1)).all()
    assert (found.p[found.forced] == 1).all()
    assert found.correct[found.forced].all()
    assert 0.5 < found.correct.mean() < 1
    assert found.p[found.correct].mean() > found.p[~found.correct].mean()


# Steps, for explanations


@pytest.mark.parametrize("name", ["eager", "easy"])
def test_trace(name):
    system, extractor, corpus = setting(name, made_text(40))
    model = LinearModel(trained(system, extractor, corpus).finalise())
    session = Session(parser_of(system)(system, extractor, model))
    sentence = next(iter(read(made_text(1, seed=3))[0][0]))
    columns = {field: sentence.column(field) for field in ("form", "upos", "xpos")}
    steps = session.trace(columns)
    assert len(steps) == (2 * len(sentence) if name == "eager" else len(sentence))
    assert steps[0]["heads"] == [-1] * len(sentence)
    for step in steps:
        assert abs(sum(step["probabilities"]) - 1) < 1e-4
        chosen = (step["pair"], step["action"]) if name == "easy" else step["action"]
        place = step["legal"].index(chosen)
        assert step["probabilities"][place] == max(step["probabilities"])
        assert step["scores"][place] == max(step["scores"])
        assert model.scores(step["features"])[step["action"]] == step["scores"][place]
    assert session.trace({"form": []}) == []


# Parsing from Python


def test_batches_corpora_and_lists_give_the_same_trees():
    text = made_text(40, seed=4)
    system, extractor, corpus = setting("eager", text)
    session = Session(GreedyParser(system, extractor, LinearModel(trained(system, extractor, corpus).finalise())))
    by_corpus = session.parse_corpus(corpus, scores=True)
    (batch,) = Reader(io.BytesIO(text.encode()), format="conllu").batches()
    by_batch = session.parse_batch(batch, scores=True)
    assert all(np.array_equal(one, other) for one, other in zip(by_corpus, by_batch, strict=True))
    start = 0
    for sentence in batch:
        one = session.parse({field: sentence.column(field) for field in ("form", "upos", "xpos")})
        assert one.heads.tolist() == by_batch.heads[start : start + len(sentence)].tolist()
        start += len(sentence)


@pytest.mark.parametrize("name", SYSTEMS)
def test_short_and_unknown_sentences(name):
    system, extractor, corpus = setting(name, made_text(30))
    parser = parser_of(system)(system, extractor, LinearModel(trained(system, extractor, corpus).finalise()))
    session = Session(parser)
    assert session.parse({"form": ["Wort"]}).heads.tolist() == [0]
    assert session.parse({"form": []}).heads.tolist() == []
    found = session.parse({"form": ["völlig", "unbekannte", "Wörter", "ohne", "Tags"]}, scores=True)
    assert found.heads.min() == 0
    assert found.heads.max() <= 5
    assert (found.labels >= 0).all()
    assert ((found.labelled > 0) & (found.labelled <= found.arcs + 1e-6) & (found.arcs <= 1)).all()


def test_a_long_sentence():
    system, extractor, corpus = setting("eager", made_text(30))
    parser = GreedyParser(system, extractor, LinearModel(trained(system, extractor, corpus).finalise()))
    found = Session(parser).parse({"form": ["la", "hundo"] * 5000})
    assert len(found.heads) == 10_000
    assert (found.heads >= 0).all()


# Faults


def test_faults():
    system, extractor, corpus = setting("eager", made_text(5))
    rng = Random(1)
    trainer = GreedyTrainer(system, extractor, Perceptron(n_actions(system)), TrainOptions())
    corpus.add({"form": list("abcd"), "xpos": list("ABCD")}, heads=[3, 4, 0, 3], labels=["root"] * 4)
    with pytest.raises(ValueError, match="sentence 5: the tree is not projective"):
        trainer.train_sentence(corpus, 5, 1, rng)
    corpus.add({"form": list("ab")}, heads=[2, 1], labels=["root"] * 2)
    with pytest.raises(ValueError, match="sentence 6: the heads are not a tree"):
        trainer.train_sentence(corpus, 6, 1, rng)
    with pytest.raises(IndexError, match="sentence 7 of a corpus of 7"):
        trainer.train_sentence(corpus, 7, 1, rng)
    corpus.add({"form": ["a"]}, heads=[0], labels=["nonsense"])
    with pytest.raises(ValueError, match="sentence 7: a word's label is not among the corpus' labels"):
        trainer.train_sentence(corpus, 7, 1, rng)
    other = setting("eager", made_text(5))
    with pytest.raises(ValueError, match="made with another extractor"):
        trainer.train_sentence(other[2], 0, 1, rng)
    session = Session(GreedyParser(system, extractor, LinearModel(Perceptron(n_actions(system)).finalise())))
    with pytest.raises(ValueError, match="made with another extractor"):
        session.parse_corpus(other[2])
    with pytest.raises(ValueError, match="the weights are for 5"):
        GreedyTrainer(system, extractor, Perceptron(5), TrainOptions())
    easy, pairs, _ = setting("easy", made_text(5))
    with pytest.raises(ValueError, match="'easyfirst' is made for easy-first, not for arc-eager"):
        GreedyTrainer(system, pairs, Perceptron(n_actions(system)), TrainOptions())
    with pytest.raises(ValueError, match="'zn11' is made for systems with a stack, not easy-first"):
        EasyTrainer(easy, extractor, Perceptron(n_actions(easy)), TrainOptions())
    with pytest.raises(ValueError, match="easy-first is not a system with a stack"):
        GreedyTrainer(easy, pairs, Perceptron(n_actions(easy)), TrainOptions())
    with pytest.raises(ValueError, match="arc-eager is not easy-first"):
        EasyTrainer(system, pairs, Perceptron(n_actions(easy)), TrainOptions())
    with pytest.raises(OptionError, match="'sample' needs update='logistic'"):
        EasyTrainer(easy, pairs, Perceptron(n_actions(easy)), TrainOptions("dynamic", PRESETS["sample"]))
