"""The Parser object: the same answers on every way in, explanations, threads, errors."""

import mmap
import threading
from collections import Counter

import numpy as np
import pytest

import parser
from parser import Parser
from parser.cli.draw import draw
from parser.config import Config
from parser.errors import UserError
from parser.feature.atoms import Atomizer
from parser.feature.templates import TemplateError
from parser.model import ModelFile, write_model
from parser.model.layout import ModelFileError
from parser.search.session import Session
from parser.train.session import TrainingRun
from parser.treebank import Reader
from parser.treebank.generate import generate


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    for name, n, seed in (("train", 150, 1), ("dev", 40, 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder


@pytest.fixture(scope="module")
def model(files):
    return Parser.train(files / "train.conllu", files / "dev.conllu", features="zn11", epochs=3, learner="adagrad-rda")


def sentences(files):
    with Reader(files / "dev.conllu") as reader:
        return list(reader)


def test_words_batches_and_files_give_the_same_trees(files, model, tmp_path):
    model.parse_file(files / "dev.conllu", tmp_path / "out.conllu")
    with Reader(tmp_path / "out.conllu") as reader:
        from_file = [(s.heads.tolist(), s.labels) for s in reader]
    for sentence, expected in zip(sentences(files), from_file, strict=True):
        columns = {name: sentence.column(name) for name in ("lemma", "upos", "xpos", "feats")}
        tree = model.parse(sentence.words, **columns)
        assert (tree.heads, tree.labels) == expected
        tagged = model.parse(sentence.words, sentence.column("xpos"))
        assert (tagged.heads, tagged.labels) == expected, "zn11 reads nothing but forms and the tags"


def test_a_treebank_says_whether_words_under_root_have_one_label(files, tmp_path):
    text = (files / "train.conllu").read_text()
    other = tmp_path / "other.conllu"
    other.write_text(text.replace("\t0\troot\t", "\t0\ttop\t", 1))
    for path, one in ((files / "train.conllu", True), (other, False)):
        trained = Parser.train(path, epochs=1, features="zn11")
        trained.save(tmp_path / "m.model")
        loaded = Parser.load(tmp_path / "m.model")
        assert trained.assembly.one_root_label is loaded.assembly.one_root_label is one
        assert loaded.assembly.under_root == loaded.compiled.under_root == (loaded.labels.index("root") if one else -1)
        last = loaded.explain(["Wort"])[-1]
        assert last["action"].startswith("LEFT:")
        assert last["forced"] is one


def test_a_sentence_of_a_reader_is_taken_with_its_columns(files):
    model = Parser.train(files / "train.conllu", epochs=1)
    for sentence in sentences(files)[:10]:
        columns = {name: sentence.column(name) for name in ("lemma", "upos", "xpos", "feats")}
        assert model.parse(sentence, scores=True) == model.parse(sentence.words, **columns, scores=True)
        assert model.parse_batch([sentence, ["la"]]) == [model.parse(sentence), model.parse(["la"])]
        assert model.explain(sentence) == model.explain(sentence.words, **columns)
    for given in ({"tags": ["NN"] * len(sentence)}, {"upos": ["NN"] * len(sentence)}):
        for use in (model.parse, model.explain):
            with pytest.raises(TypeError, match="a Sentence has its columns with it"):
                use(sentence, **given)


def test_a_dict_of_columns_is_taken_as_such(files, model):
    sentence = sentences(files)[0]
    columns = {name: sentence.column(name) for name in ("lemma", "upos", "xpos", "feats")}
    given = {"form": sentence.words, **columns}
    assert model.parse(given, scores=True) == model.parse(sentence, scores=True)
    assert model.explain(given) == model.explain(sentence)
    with pytest.raises(TypeError, match="a dict has its columns with it, expected no tags"):
        model.parse(given, ["NN"] * len(sentence))
    for bad in ({"xpos": ["NN"]}, {}):
        for use in (model.parse, lambda bad: model.parse_batch([bad])):
            with pytest.raises(ValueError, match="column 'form' is missing, expected the words"):
                use(bad)


def test_all_legal_moves_are_told_on_request(files, model):
    sentence = sentences(files)[0]
    for few, every in zip(model.explain(sentence), model.explain(sentence, top=1000), strict=True):
        assert few["choices"] == every["choices"][:8]
        assert sum(p for _, p in every["choices"]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("threads", [1, 4])
def test_many_sentences_at_once(files, model, threads):
    given = sentences(files) * 30
    pairs = [(s.words, s.column("xpos")) for s in given]
    expected = [model.parse(*pair, scores=True) for pair in pairs[:40]] * 30
    assert model.parse_batch(pairs, scores=True, threads=threads) == expected
    columns = [{"form": words, "xpos": tags} for words, tags in pairs[:40]]
    assert model.parse_batch(columns, scores=True) == expected[:40]
    assert model.parse_batch([words for words, _ in pairs[:40]]) == [model.parse(words) for words, _ in pairs[:40]]
    assert model.parse_batch([]) == []


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        (["a", ""], ValueError, "word 1 is empty, expected words of at least one character"),
        (["a", "b\ud800"], ValueError, r"word 1: 'b\\ud800' is not valid Unicode"),
        (["a", 3], TypeError, "word 1: expected a str, not int"),
        ((["a", "b"], ["X", None]), TypeError, "word 1: expected a str, not NoneType"),
        ((["a", "b"], ["X"]), ValueError, "2 words but 1 values of xpos"),
        ("a b", TypeError, "'a b': expected a list of words, not a str"),
        (None, TypeError, "NoneType: expected a list of words"),
        (3, TypeError, "int: expected a list of words"),
        ({"form": ["a"], "upos": None}, TypeError, "NoneType: expected a list of values of upos"),
    ],
    ids=repr,
)
def test_sentences_that_are_none(model, bad, kind, message):
    with pytest.raises(kind, match=message):
        model.parse_batch([["fine"], bad])
    with pytest.raises(kind, match=message):
        model.parse(*(bad if isinstance(bad, tuple) else [bad]))
    with pytest.raises(kind, match=message):
        model.explain(*(bad if isinstance(bad, tuple) else [bad]))
    assert model.parse(["fine"]) == model.parse_batch([["fine"]])[0], "a fault leaves nothing behind"
    assert len(model._idle) <= 4, "and costs no working memory"


def test_numbers_that_are_none(files, model, tmp_path):
    source, target = files / "dev.conllu", tmp_path / "out.conllu"
    for use in (lambda n: model.parse_batch([["a"]], threads=n), lambda n: model.parse_file(source, target, threads=n)):
        for bad in ("2", 1.5, None):
            with pytest.raises(TypeError, match=r"^threads: .*, expected a whole number$"):
                use(bad)
        with pytest.raises(ValueError, match=r"^threads: 0, expected 1 or more$"):
            use(0)
        use(np.int64(2))
    with pytest.raises(TypeError, match=r"^n_bytes: '1MB', expected a whole number$"):
        model.shrunk("1MB")
    with pytest.raises(ValueError, match=r"^no files to train on$"):
        Parser.train([])


def test_empty_sentences_and_odd_characters(model):
    given = [[], ["a\tb", "c\nd", "\0", "\U0001f600"], [], ["x"]]
    assert model.parse_batch(given) == [model.parse(words) for words in given]
    assert model.parse([]).heads == []


def test_the_licence_of_the_data_is_noted(files):
    given = {"features": "lite", "epochs": 1}
    assert Parser.train(files / "train.conllu", licence="CC0", **given).provenance["licence"] == "CC0"
    assert Parser.train(files / "train.conllu", **given).provenance["licence"] == ""


def test_sentences_with_different_columns(model):
    given = [{"form": ["a"], "xpos": ["NN"]}, {"form": ["a", "b"]}, {"form": ["a"], "upos": ["X"], "xpos": ["NN"]}]
    assert model.parse_batch(given, scores=True) == [
        model.parse(["a"], ["NN"], scores=True), model.parse(["a", "b"], scores=True),
        model.parse(["a"], ["NN"], upos=["X"], scores=True),
    ]  # fmt: skip


def test_a_loaded_parser_is_the_one_that_was_saved(files, model, tmp_path):
    model.save(tmp_path / "m")
    again = parser.load(tmp_path / "m")
    again.save(tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    for sentence in sentences(files)[:10]:
        assert model.parse(sentence.words) == again.parse(sentence.words)
    assert again.provenance == model.provenance
    assert repr(again).startswith("<Parser arc-eager, adagrad-rda, features zn11, ")


def test_a_slim_model_parses_the_same_and_is_smaller(files, model, tmp_path):
    model.save(tmp_path / "m")
    model.save(tmp_path / "slim", slim=True)
    assert (tmp_path / "slim").stat().st_size < 0.6 * (tmp_path / "m").stat().st_size
    slim = parser.load(tmp_path / "slim")
    for sentence in sentences(files):
        assert slim.parse(sentence.words, sentence.column("xpos")) == model.parse(
            sentence.words, sentence.column("xpos")
        )
    assert slim.size == model.size
    assert repr(slim) == repr(model)
    slim.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "slim").read_bytes()
    with pytest.raises(ModelFileError, match="slim model has no weights to explain"):
        slim.explain(["a"])


def test_easy_first_has_slim_models_and_tables_too(files, tmp_path):
    model = Parser.train(files / "train.conllu", epochs=1, system="easy-first")
    for name, options in (("m", {}), ("slim", {"slim": True}), ("without", {"compiled": False})):
        model.save(tmp_path / name, **options)  # without: as models of easy-first were saved before they had tables
    assert (tmp_path / "slim").stat().st_size < 0.6 * (tmp_path / "m").stat().st_size
    slim, full, old = (parser.load(tmp_path / name) for name in ("slim", "m", "without"))
    assert [model.stored is None for model in (slim, full, old)] == [False, False, True]
    for sentence in sentences(files)[:20]:
        given = sentence.words, sentence.column("xpos")
        assert model.parse(*given) == slim.parse(*given) == full.parse(*given) == old.parse(*given)


@pytest.mark.parametrize(
    ("given", "used"), [({}, "rich-easyfirst"), ({"features": "easyfirst"}, "easyfirst")], ids=["default", "named"]
)
def test_easy_first_has_default_features_of_its_own(files, given, used):
    model = Parser.train(files / "train.conllu", epochs=1, system="easy-first", **given)
    assert f", features {used}, " in repr(model)


def test_features_of_other_systems_are_refused(files):
    with pytest.raises(UserError, match="features 'rich' do not go with easy-first"):
        Parser.train(files / "train.conllu", epochs=1, system="easy-first", features="rich")


def test_scores_are_probabilities(model):
    tree = model.parse(["la", "bropuo", "sistait", "."], ["DT", "NN", "VF", "."], scores=True)
    assert len(tree) == 4
    for head, label in zip(tree.head_probabilities, tree.label_probabilities, strict=True):
        assert 0 < label <= head <= 1
    assert [dep for _, _, dep in tree.arcs()] == [1, 2, 3, 4]


def test_one_word_and_unknown_everything(model):
    assert model.parse(["?"]).heads == [0]
    tree = model.parse(["x" * 300, "\u0000", "见"], ["never", "seen", "tags"])
    assert tree.heads.count(0) == 1
    assert len(tree.labels) == 3


def test_evaluate_equals_a_count_by_hand(files, model):
    right = total = 0
    for sentence in sentences(files):
        columns = {name: sentence.column(name) for name in ("lemma", "upos", "xpos", "feats")}
        tree = model.parse(sentence.words, **columns)
        right += sum(
            a == b and x == y
            for a, b, x, y in zip(tree.heads, sentence.heads.tolist(), tree.labels, sentence.labels, strict=True)
        )
        total += len(sentence)
    score = model.evaluate(files / "dev.conllu")["with_punctuation"]["scores"]["LAS"]
    assert (score["correct"], score["gold"]) == (right, total)


@pytest.mark.parametrize("system", ["arc-standard", "easy-first"])
def test_an_empty_cell_is_explained_as_it_is_parsed(files, tmp_path, system):
    nodes = "p0,p1" if system == "easy-first" else "s0,n0"
    (tmp_path / "set.txt").write_text(f"{{{nodes}}}.{{w,m,u,x,f}}")  # every column
    model = Parser.train(files / "train.conllu", epochs=2, system=system, features=str(tmp_path / "set.txt"))
    words = ["la", "_", "sistait", "."]
    given = {"upos": ["DET", "", "VERB", ""], "xpos": ["", "NN", "", "."], "feats": ["", "A=B", "", ""]}
    for columns in ({}, {name: [""] * 4 for name in ("upos", "xpos", "feats", "lemma")}, given):
        filled = {name: [cell or "_" for cell in cells] for name, cells in columns.items() if name != "lemma"}
        steps = model.explain(words, top=1000, **columns)
        assert steps == model.explain(words, top=1000, **filled)
        tree = model.parse(words, **columns)
        assert tree == model.parse(words, **filled)
        arcs = [step["action"].partition(":")[2].partition(" ")[0] for step in steps if ":" in step["action"]]
        assert Counter(label for head, label in zip(tree.heads, tree.labels, strict=True) if head) <= Counter(arcs)


@pytest.mark.parametrize("options", [{}, {"system": "easy-first"}], ids=["arc-eager", "easy-first"])
def test_explanations_say_what_was_done_and_why(files, options):
    features = {} if options else {"features": "zn11"}
    model = Parser.train(files / "train.conllu", epochs=2, **options, **features)
    words, tags = ["la", "bropuo", "sistait", "."], ["DT", "NN", "VF", "."]
    tree, steps = model.parse(words, tags), model.explain(words, tags, top=4)
    assert len(steps) == (4 if options else 8)
    arcs = [step["action"] for step in steps if ":" in step["action"]]
    assert sorted(arc.partition(":")[2].partition(" ")[0] for arc in arcs) == sorted(tree.labels)
    for step in steps:
        probabilities = [p for _, p in step["choices"]]
        assert probabilities == sorted(probabilities, reverse=True)
        assert step["choices"][0][0] == step["action"]
        assert len(step["features"]) <= 4
    loudest = [weight for step in steps for _, weight in step["features"]]
    assert any(weight > 0 for weight in loudest)


def test_threads_share_a_parser(files, model):
    given = [(s.words, s.column("xpos")) for s in sentences(files)]
    expected = [model.parse(*sentence) for sentence in given]
    wrong = []

    def work(start):
        for k in range(len(given) * 3):
            i = (start + k) % len(given)
            if model.parse(*given[i]) != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(7 * k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_wrong_calls_are_told(model, tmp_path):
    with pytest.raises(ValueError, match="2 words but 1 values of xpos"):
        model.parse(["a", "b"], ["X"])
    with pytest.raises(ValueError, match=r"'xpos' is not one of .* or is given twice"):
        model.parse(["a"], ["X"], xpos=["Y"])
    with pytest.raises(ValueError, match="column 'nonsense'"):
        model.parse(["a"], nonsense=["Y"])
    with pytest.raises(ModelFileError):
        parser.load(tmp_path / "missing")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        parser.nonsense  # noqa: B018


@pytest.mark.parametrize("slim", [False, True])
def test_a_damaged_model_is_refused_before_it_parses(model, tmp_path, slim):
    """Weights that parsing does without are checked when they are asked for, everything else by load."""
    path = tmp_path / "m"
    model.save(path, slim=slim)
    content = path.read_bytes()
    weights = [section for name, section in ModelFile(path).sections.items() if name.startswith("weights/")]
    assert bool(weights) != slim
    expected, late = model.parse(["la", "domo"], ["DT", "NN"]), 0
    rng = np.random.default_rng(1)
    for at in rng.integers(0, len(content), 60).tolist():
        changed = bytearray(content)
        changed[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        if any(section.offset <= at < section.end for section in weights):
            damaged, late = parser.load(path), late + 1
            with pytest.raises(ModelFileError, match=r"m: is damaged: the checksum of section 'weights/"):
                parser.load(path, verify=True)
            assert damaged.parse(["la", "domo"], ["DT", "NN"]) == expected
            for use in (lambda: damaged.weights, lambda: damaged.save(tmp_path / "n"), lambda: damaged.explain(["a"])):  # noqa: B023
                with pytest.raises(ModelFileError, match=r"m: is damaged: the checksum of section 'weights/"):
                    use()
        else:
            with pytest.raises(ModelFileError, match=r"m: [^\n]*$"):
                parser.load(path)
    assert (late > 10) != slim


def test_a_cut_off_model_is_refused_at_every_length(model, tmp_path):
    model.save(tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    for length in [*range(0, 200, 7), *range(200, len(content), len(content) // 40), len(content) - 1]:
        (tmp_path / "m").write_bytes(content[:length])
        with pytest.raises(ModelFileError, match=r"m: [^\n]*$"):
            parser.load(tmp_path / "m")


def test_loading_makes_no_plan_and_copies_no_table(model, tmp_path):
    """So it takes milliseconds, and processes share the pages: everything large is a view of the read-only map."""
    model.save(tmp_path / "m")
    loaded = parser.load(tmp_path / "m")
    tables = loaded.compiled
    assert "plan" not in vars(tables), "the plan is made by the first parse"
    assert "weights" not in vars(loaded), "weights are read when they are asked for"
    arrays = [*tables.arrays().values(), loaded.weights.keys, loaded.weights.weights]
    for array in arrays:
        assert not array.flags.writeable
        while isinstance(array.base, np.ndarray):
            array = array.base
        assert isinstance(memoryview(array.base).obj, mmap.mmap)
    loaded.parse(["a"])
    assert "plan" in vars(tables)


PAIRS = [(a, b) for a in ("s0", "s1", "s2") for b in ("n0", "n1", "n2")]
MANY_DISTANCES = "".join(f"{a}.p {b}.p dist({a},{b},{cap})\n" for a, b in PAIRS for cap in range(2, 30))
SIDES = ("l", "r", "l2", "r2")
TOO_MANY = "".join(f"s0.{a}.{b}.{c}.p\n" for a in SIDES for b in SIDES for c in SIDES)


def test_keys_that_depend_on_hundreds_of_values_of_the_tree(files, tmp_path):
    (tmp_path / "many.txt").write_text(MANY_DISTANCES)
    found = Parser.train(files / "train.conllu", features=str(tmp_path / "many.txt"), epochs=1)
    fast = found.sentence_parser
    atomizer, session = Atomizer(fast.extractor.plan), Session(fast)
    with Reader(files / "dev.conllu", intern=()) as reader:
        for batch in reader.batches():
            states = [fast.differences(atomizer.batch_sentence(batch, k), session.work) for k in range(len(batch))]
            assert all(n > 0 and wrong == [] for n, wrong in states)


def test_features_that_cannot_be_planned_are_told_in_one_line(model, tmp_path):
    """Nobody can train with them, but a file may say anything."""
    model.save(tmp_path / "m")
    contents = ModelFile(tmp_path / "m").contents()
    contents["data"]["templates"]["text"] = TOO_MANY
    write_model(tmp_path / "m", **contents)
    loaded = parser.load(tmp_path / "m")
    with pytest.raises(TemplateError, match=r"more than 40 nodes in one feature set$"):
        loaded.parse(["a", "b", "c"])


def test_features_that_cannot_be_planned_are_refused_before_training(files, tmp_path):
    (tmp_path / "many.txt").write_text(TOO_MANY)
    with pytest.raises(TemplateError, match=r"more than 40 nodes in one feature set$"):
        TrainingRun([files / "train.conllu"], [], Config().with_overrides([f"features={tmp_path / 'many.txt'}"]))


def test_drawn_trees_have_every_word_once_in_order():
    assert draw(["Mi", "vidas", "la", "domo"], [2, 0, 4, 2], ["nsubj", "root", "det", "obj"]) == [
        "  ┌─Mi  nsubj",
        "vidas  root",
        "  │ ┌─la  det",
        "  └─domo  obj",
    ]
    words = [str(i) for i in range(1, 3001)]
    lines = draw(words, [0, *range(1, 3000)], ["x"] * 3000)
    assert [line.split()[-2].lstrip("└─┌├│") for line in lines] == words
