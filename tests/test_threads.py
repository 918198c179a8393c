"""One model, many threads, every way in at once: each tree is the one of a single thread. And no shared state."""

import copy
import importlib
import itertools
import multiprocessing
import pickle
import random
import re
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from cython_source import statements

import parser
from parser import Parser, Strings
from parser.treebank import Reader
from parser.treebank.generate import generate

THREADS, CALLS = 8, 24
SETTINGS = {
    "arc-eager": {},
    "arc-hybrid": {"system": "arc-hybrid", "features": "zn11-hybrid", "learner": "adagrad-rda"},
    "easy-first": {"system": "easy-first"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    for name, n, seed in (("train", 120, 1), ("dev", 150, 2)):
        (folder / f"{name}.conllu").write_text("".join(generate(n, seed)))
    return folder


@pytest.fixture(scope="module")
def given(folder):
    with Reader(folder / "dev.conllu") as reader:
        return [(sentence.words, sentence.column("xpos")) for sentence in reader]


class Ways:
    """Ways to get the trees of some sentences, as (heads, labels) of each."""

    def __init__(self, model: Parser, given, folder: Path) -> None:
        self.model, self.given, self.folder = model, given, folder
        self.forms = Strings.of(word for words, _ in given for word in words)
        self.tags = Strings.of(tag for _, tags in given for tag in tags)
        self.offsets = np.cumsum([0, *(len(words) for words, _ in given)])

    def parse(self, some, _rng):
        trees = [self.model.parse(*self.given[k]) for k in some]
        return [(tree.heads, tree.labels) for tree in trees]

    def parse_batch(self, some, rng):
        trees = self.model.parse_batch([self.given[k] for k in some], scores=True, threads=rng.choice([1, 2]))
        return [(tree.heads, tree.labels) for tree in trees]

    def parse_arrays(self, some, rng):
        found = self.model.parse_arrays(
            self.forms, self.tags, self.offsets[some[0] : some[-1] + 2], threads=rng.choice([1, 3])
        )
        names = [self.model.labels[code] for code in found.labels.tolist()]
        starts = self.offsets[some[0] : some[-1] + 2] - self.offsets[some[0]]
        return [(found.heads[a:b].tolist(), names[a:b]) for a, b in itertools.pairwise(starts)]

    def parse_file(self, some, rng):
        source = self.folder / f"{threading.get_ident()}.conllu"
        source.write_text("\n".join("".join(row(i, *pair) for i, pair in enumerate(zip(*self.given[k], strict=True), 1))
                                    for k in some) + "\n")  # fmt: skip
        target = source.with_suffix(".out.conllu")
        self.model.parse_file(source, target, threads=rng.choice([1, 2]))
        with Reader(target) as reader:
            return [(sentence.heads.tolist(), sentence.labels) for sentence in reader]

    def parse_table(self, some, rng):
        import pyarrow as pa

        rows = [self.given[k] for k in some]
        table = pa.table({"form": [words for words, _ in rows], "xpos": [tags for _, tags in rows]})
        found = self.model.parse_table(table, threads=rng.choice([1, 2]))
        return list(zip(found["head"].to_pylist(), found["deprel"].to_pylist(), strict=True))


def row(number, form, tag):
    return f"{number}\t{form}\t_\t_\t{tag}\t_\t_\t_\t_\t_\n"


@pytest.fixture
def hasty():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_mixed_calls_in_eight_threads(folder, given, tmp_path, options):
    Parser.train(folder / "train.conllu", epochs=1, **options).save(tmp_path / "m")
    single = parser.load(tmp_path / "m")
    expected = [(tree.heads, tree.labels) for tree in (single.parse(*sentence) for sentence in given)]
    ways = Ways(parser.load(tmp_path / "m"), given, tmp_path)  # a new one: the threads are the first to use it
    names = ["parse", "parse_batch", "parse_arrays", "parse_file"]
    names += ["parse_table"] if find_spec("pyarrow") else []
    wrong, done, start = [], [], threading.Barrier(THREADS)

    def work(number):
        rng = random.Random(number)
        start.wait()
        for _ in range(CALLS):
            first = rng.randrange(len(given) - 20)
            some = range(first, first + rng.randrange(1, 20))
            name = rng.choice(names)
            if getattr(ways, name)(some, rng) != expected[some.start : some.stop]:
                wrong.append((number, name, some))
            done.append(name)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(done) == THREADS * CALLS, "a thread has ended with an exception"
    assert set(done) == set(names)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # threads of numpy's libraries take no locks of ours
def test_processes_share_the_file_and_not_the_object(folder, given):
    model = Parser.train(folder / "train.conllu", epochs=1, features="zn11")
    with pytest.raises(TypeError, match="a Parser is not pickled: save it, and load the file in every process"):
        pickle.dumps(model)
    expected = [model.parse(*sentence) for sentence in given[:8]]
    reading, writing = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=lambda: writing.send([model.parse(*sentence) for sentence in given[:8]])
    )
    child.start()
    assert reading.recv() == expected
    child.join()


def test_other_threads_run_while_a_batch_is_parsed(folder, given):
    """The longest time for which a thread that only sleeps was kept waiting is far below that of the parse."""
    model = Parser.train(folder / "train.conllu", epochs=1, features="zn11")
    ways = Ways(model, given * 30, folder)

    def longest_wait() -> float:
        waits, worker = [], threading.Thread(target=model.parse_arrays, args=(ways.forms, ways.tags, ways.offsets))
        start = before = time.perf_counter()
        worker.start()
        while worker.is_alive():
            time.sleep(0.001)
            now = time.perf_counter()
            waits.append(now - before)
            before = now
        return max(waits) / (before - start)

    assert min(longest_wait() for _ in range(5)) < 0.5


def mutable_globals():
    """Lists, dicts, sets and arrays of all modules of the package that are loaded."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name == "parser" or name.startswith("parser."):
            for key, value in vars(module).items():
                if isinstance(value, list | dict | set | bytearray | np.ndarray) and not key.startswith("__"):
                    found[f"{name}.{key}"] = value
    return found


def test_modules_have_no_state_that_changes(folder, given, tmp_path):
    model = Parser.train(folder / "train.conllu", folder / "dev.conllu", epochs=1, features="zn11")
    before = mutable_globals()
    kept = copy.deepcopy(before)
    assert before, "there are tables of constants"
    again = Parser.train(folder / "train.conllu", folder / "dev.conllu", epochs=1, system="arc-standard")
    for parser_ in (model, again):
        parser_.parse_batch(given, threads=2, scores=True)
        parser_.parse_file(folder / "dev.conllu", tmp_path / "out.jsonl", threads=2)
        parser_.evaluate(folder / "dev.conllu")
        parser_.explain(*given[0])
    after = mutable_globals()
    assert {name: value for name, value in after.items() if name in kept} == kept


@pytest.mark.source
def test_compiled_modules_have_no_variables_and_declare_that_they_need_no_gil(source_root):
    variable = re.compile(r"cdef (?!class |struct |enum |extern |inline |packed |union |cppclass )[^(]*$")
    sources = sorted((source_root / "parser").rglob("*.pyx"))
    assert len(sources) > 30
    found = []
    for path in sources:
        text = path.read_text()
        assert "freethreading_compatible" not in text, "directives stand in setup.py"
        for statement in statements(text):
            if statement.indent == 0 and variable.match(statement.text) and "=" in statement.text:
                found.append((path.name, statement.text))
    assert all(" const " in f" {text} " or (name == "engine.pyx" and "HOME" in text) for name, text in found), found
    assert '"freethreading_compatible": True' in (source_root / "setup.py").read_text()


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="needs Python 3.13: asks whether the GIL is off")
def test_importing_everything_leaves_the_gil_off():
    if sys._is_gil_enabled():
        pytest.skip("runs with a free-threaded Python")
    package = Path(parser.__file__).parent
    for path in package.rglob("*.so"):
        importlib.import_module(".".join(["parser", *path.relative_to(package).parts]).partition(".cpython")[0])
    assert not sys._is_gil_enabled()


def test_the_declaration_is_in_the_generated_code(source_root):
    folder = source_root / "build" / "cython-release"
    sources = sorted(folder.rglob("*.c"))
    if not sources:
        pytest.skip("reads the generated C: runs where it was made by setup.py build_ext")
    assert all("Py_MOD_GIL_NOT_USED" in path.read_text() for path in sources)
