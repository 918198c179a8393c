"""The parser as a user has it: loaded or trained, parsing words, sentences, batches and files, and explaining itself.

A Parser is immutable; any number of threads may use one. Each call takes a session (working memory) of its own. What is
computed when it is first asked for comes out the same in every thread, if several ask at once.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from parser.arrays import ParsedArrays, as_strings, parse_words, require_threads, require_whole, words_of
from parser.assemble import Assembly
from parser.compiled.compile import MOST_COLUMNS, Compiled, compile_model, from_arrays
from parser.compiled.easy_parser import CompiledEasyParser
from parser.compiled.parser import CompiledParser
from parser.config import Config, ConfigError
from parser.feature.strings import Strings, Words
from parser.feature.templates import TemplateError, parse_templates
from parser.model.file import ModelFile, model_size, write_model
from parser.model.layout import ModelFileError
from parser.model.weights import packed_weights, unpacked_weights, validate_weights
from parser.parallel import worked_batches
from parser.score.reliability import Reliability
from parser.score.weights import Weights
from parser.search.base import SentenceParser
from parser.search.session import Parses, Session
from parser.treebank import Batch, Reader, Sentence, TreebankError, open_output, partial_name, refuse_same_file
from parser.treebank.tree_writer import tree_writer
from parser.treebank.writer import Labels

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

    from parser.evaluate.corpus import Corpus
    from parser.score.pieces import Pieces
    from parser.train.session import Display

    Array = Buffer | np.ndarray  # Python's type checkers know arrays as buffers from 3.12 on only
    Column = Strings | tuple[Array | int | None, ...]
    Path = str | os.PathLike[str]
    AnySentence = Sentence | Sequence[str] | tuple[Sequence[str], Sequence[str]] | Mapping[str, Sequence[str]]

__all__ = ["FileReport", "ParsedArrays", "Parser", "Strings", "Tree"]

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
BATCH = 1 << 14  # sentences that parse_batch turns into arrays at a time


@dataclass(frozen=True)
class Tree:
    """One parsed sentence: heads are 1-based, 0 is ROOT. Probabilities, if asked for: how many such arcs are right."""

    words: list[str]
    heads: list[int]
    labels: list[str]
    head_probabilities: list[float] | None = None  # of the head
    label_probabilities: list[float] | None = None  # of head and label together

    def arcs(self) -> list[tuple[int, str, int]]:
        """(head, label, dependent) of every word."""
        return [(head, label, i) for i, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), 1)]

    def __len__(self) -> int:
        return len(self.words)


class Progress(Protocol):
    """Who hears how far a file is parsed."""

    def advance(self, words: int) -> None:
        """So many more words are done."""


@dataclass(frozen=True)
class FileReport:
    """What came of parsing a file."""

    sentences: int
    words: int
    skipped: int  # faulty sentences that were left out
    faults: list[TreebankError]  # the first of their errors
    dropped: dict[str, int]  # rows that the output's format has no place for: comments, multiwords, empty_nodes
    untagged: bool  # no word of it has a tag, and the model looks at tags


@dataclass(frozen=True)
class Parser:
    """A trained parser: `parser.load(path)` or `Parser.train(files)` gives one. Any number of threads may use it.

    labels: the names of the labels by number; provenance: where and how it was trained.
    """

    assembly: Assembly
    _weights: "Weights | Callable[[], Weights] | None"
    provenance: dict = field(default_factory=dict)  # where and how it was trained
    clusters: dict[str, str] | None = None
    stored: Compiled | None = None  # the compiled weights, where they are there already
    known_size: dict[str, int] | None = None  # likewise
    reliability: Reliability | None = None  # how often arcs of a probability are right
    _idle: list[Session] = field(default_factory=list, init=False, repr=False, compare=False)  # see _session

    # Making, saving, loading

    @classmethod
    def train(
        cls,
        train: "Path | Iterable[Path]",
        dev: "Path | Iterable[Path] | None" = None,
        *,
        config: "Config | Path | Mapping[str, object] | None" = None,
        licence: str = "",
        display: "Display | None" = None,
        **options: object,
    ) -> "Parser":
        """A parser for a treebank: file names in, a Parser out. Options as in `arcspeed train`: epochs=15, seed=1, ...

        `config`: a Config, the name of a TOML file, or its tables as a dict; options win.
        `licence` is that of the data, to be noted in the model.
        `display` (a parser.train.session.Display) hears how it goes. TreebankError, ConfigError where data or options
        are at fault.
        """
        from parser.train.session import train_parser

        overrides = [f"{key}={value}" for key, value in options.items()]
        files = [train] if isinstance(train, str | os.PathLike) else list(train)
        if not files:
            raise ValueError("no files to train on")
        return train_parser(
            files,
            [] if dev is None else [dev] if isinstance(dev, str | os.PathLike) else list(dev),
            Config.of(config).with_overrides(overrides),
            licence=licence,
            display=display,
        )

    def save(
        self,
        path: str | os.PathLike,
        *,
        slim: bool = False,
        compiled: bool = True,
        extra_data: Mapping[str, object] | None = None,
        extra_arrays: "Mapping[str, np.ndarray | Pieces] | None" = None,
    ) -> None:
        """One file; what was there is replaced when the new one is complete. The same parser gives the same bytes.

        slim: only the tables that parsing needs.
        compiled: with these tables; without them loading makes them anew.
        """
        content = self._content(slim, compiled)
        content["data"] |= extra_data or {}
        content["arrays"] |= extra_arrays or {}
        write_model(path, **content)

    def file_size(self, *, slim: bool = False) -> int:
        """How many bytes `save` would write."""
        return model_size(**self._content(slim, True))

    def shrunk(self, n_bytes: int, *, slim: bool = False) -> "Parser":
        """The parser itself if its file has at most so many bytes, else one that fits: without the weights that are
        missed least. A slim model has nothing to choose from: ModelFileError."""
        from parser.train.shrink import shrunk

        require_whole("n_bytes", n_bytes)
        self.require_weights("be made smaller")
        return shrunk(self, n_bytes, slim)

    def _content(self, slim: bool, compiled: bool) -> dict[str, dict]:
        clusters = self.clusters or {}
        fast = self.compiled if compiled or slim else None
        weights, curves = None if slim else self.weights, self.reliability
        return {
            "data": {
                "config": self.assembly.config.tables(),
                "parser": {
                    "root_label": self.assembly.root_label,
                    "single_root": self.assembly.single_root,
                    "one_root_label": self.assembly.one_root_label,
                    "pos": self.assembly.pos,
                    "n_actions": self.assembly.n_actions,
                    "size": self.size,
                },
                "templates": {"name": self.assembly.templates.name, "text": self.assembly.templates.text},
                "provenance": self.provenance,
                **({"compiled/scale": fast.scale} if fast else {}),
            },
            "strings": {
                "labels": self.assembly.labels,
                "clusters/forms": list(clusters),
                "clusters/names": list(clusters.values()),
            },
            "arrays": {
                **({f"weights/{name}": array for name, array in packed_weights(weights).items()} if weights else {}),
                **({f"compiled/{name}": array for name, array in fast.arrays().items()} if fast else {}),
                **({f"reliability/{name}": array for name, array in curves.arrays().items()} if curves else {}),
            },
        }

    @classmethod
    def load(cls, path: str | os.PathLike, *, verify: bool = False) -> "Parser":
        """The parser in a file; ModelFileError (one clear line) where it cannot be used.

        verify: with a look at every byte, also of what parsing does without (30 MB take 4 to 8 ms).
        """
        return parser_in(ModelFile(path, verify=verify))

    # Parsing

    @cached_property
    def weights(self) -> Weights | None:
        """The weights in floating point, to be explained by. None in a slim model, which parses without.

        Those of a file are read and checked when they are first asked for; ModelFileError where they are damaged.
        """
        return self._weights() if callable(self._weights) else self._weights

    @property
    def is_slim(self) -> bool:
        """Has it only what parsing needs?"""
        return self._weights is None

    def require_weights(self, purpose: str) -> None:
        """ModelFileError for a slim model."""
        if self.is_slim:
            raise ModelFileError(f"a slim model has no weights to {purpose}: train without --slim")

    @cached_property
    def size(self) -> dict[str, int]:
        """Number of feature values with weights (rows), and of weights."""
        return self.known_size or {"rows": self.weights.n_rows, "weights": self.weights.n_weights}

    @property
    def labels(self) -> tuple[str, ...]:
        """Label names by id; the parser gives those of the treebank, which come first."""
        return self.assembly.labels

    @cached_property
    def tag_column(self) -> str | None:
        """The column that it takes for tags, xpos or upos; None where its features look at no tags."""
        pos = self.assembly.pos
        return pos if pos in self.assembly.templates.columns(pos) else None

    @cached_property
    def compiled(self) -> Compiled:
        """The weights as parsing uses them."""
        of = self.assembly
        return self.stored or compile_model(self.weights, of.templates, of.pos, of.system, of.under_root)

    @cached_property
    def sentence_parser(self) -> SentenceParser:
        """What parses one sentence: its decisions are those of `compiled`."""
        kind = CompiledEasyParser if self.assembly.is_easy_first else CompiledParser
        if kind is CompiledParser and len(self.compiled.actions) > MOST_COLUMNS:
            raise ModelFileError(
                f"{len(self.compiled.actions):,} actions have weights, expected at most {MOST_COLUMNS:,}"
            )
        try:
            return kind(self.assembly.system, self.compiled)
        except ValueError as error:  # a plan that is too large; training begins with a look whether there is one
            raise TemplateError(f"features {self.assembly.templates.name!r}: {error}") from None

    def _session(self) -> Session:
        """An idle session or a new one; list.pop is atomic, so threads never share one."""
        try:
            return self._idle.pop()
        except IndexError:
            return Session(self.sentence_parser, self.clusters, self.reliability)

    def parse(
        self,
        words: Sequence[str] | Sentence | Mapping[str, Sequence[str]],
        tags: Sequence[str] | None = None,
        *,
        scores: bool = False,
        **columns: Sequence[str],
    ) -> Tree:
        """The tree of one sentence. `tags` fills the column that the model takes for tags; upos=, xpos=, feats=,
        lemma= name columns, as in CoNLL-U. Columns that are not given are `_`. In place of the words may stand all of
        them: a Sentence that a Reader gave, or a dict of columns: {"form": [...], "upos": [...]}."""
        given = sentence_columns(words, tags, columns, self.assembly.pos)
        session = self._session()
        cells = tuple(map(given.get, COLUMNS))
        try:
            heads, labels, arcs, labelled = session.parse_strings(cells, self.assembly.restorer, scores)
        except (TypeError, ValueError):  # the words are at fault: the session is as good as before
            self._idle.append(session)
            raise
        self._idle.append(session)
        return Tree(given["form"], heads, [self.labels[i] for i in labels], arcs, labelled)

    def parse_batch(self, sentences: "Iterable[AnySentence]", *, scores: bool = False, threads: int = 1) -> list[Tree]:
        """Trees of many sentences, in order, without the GIL while they are parsed.

        A sentence is a list of words, a pair (words, tags), a dict of columns: {"form": [...], "upos": [...]}, or one
        that a Reader gave. The trees are the same for any number of threads.
        """
        given = [as_columns(sentence, self.assembly.pos) for sentence in sentences]
        trees: list[Tree] = []
        for start in range(0, len(given), BATCH):
            some = given[start : start + BATCH]
            trees += as_trees(some, self.labels, parse_words(self, words_of(some, start), scores, threads))
        return trees

    def parse_arrays(
        self,
        forms: "Column",
        tags: "Column | None",
        offsets: "Array",
        *,
        lemma: "Column | None" = None,
        upos: "Column | None" = None,
        xpos: "Column | None" = None,
        feats: "Column | None" = None,
        scores: bool = False,
        threads: int = 1,
    ) -> ParsedArrays:
        """Trees of many sentences whose words are in arrays, which are read where they are and not copied.

        forms, tags, lemma, upos, xpos, feats: a column each, as Strings or as a tuple of the arguments of Strings:
        (data, offsets) or (data, offsets, codes). `tags` is the column that the model takes for tags; None, and
        columns that are not given, say nothing. A word that has no value says `_`.
        offsets: whole numbers, one more than there are sentences: the position of each one's first word in the
        columns, and where the last one ends. A part of them parses a part of the sentences.

        Anything with the buffer protocol will do, read-only included; nothing may write to it meanwhile. The GIL is
        not held. The results start with the first sentence's first word, and are the same for any number of threads.
        """
        given = {"form": forms, "lemma": lemma, "upos": upos, "xpos": xpos, "feats": feats}
        if tags is not None:
            if given[self.assembly.pos] is not None:
                raise ValueError(f"column {self.assembly.pos!r} is given twice: it is what the model takes for tags")
            given[self.assembly.pos] = tags
        columns = {name: as_strings(values, name) for name, values in given.items() if values is not None}
        return parse_words(self, Words(columns, offsets), scores, threads)

    def parse_table(
        self,
        table: "pa.Table | pa.RecordBatch",
        *,
        columns: Mapping[str, str] | None = None,
        scores: bool = False,
        threads: int = 1,
        dictionary: bool = False,
    ) -> "pa.Table":
        """A pyarrow Table (or RecordBatch) of sentences with their trees; needs the extra `arrow`.

        A row is a sentence. Columns form, upos, xpos, feats and lemma are lists of strings, of which the words and what
        the model takes for tags must be there; `columns` tells their names where they are others:
        {"form": "tokens", "xpos": "tags"}. What is null says nothing; a sentence that is null has no tree.
        New columns, or in place of the old ones: head, lists of int32, 1-based, 0 is ROOT; deprel, lists of strings,
        with `dictionary` dictionary-encoded; with `scores` head_probability and label_probability, lists of float32.
        """
        from parser.arrow import TableParser

        return TableParser(self, columns or {}, scores, threads, dictionary).parse_table(table)

    def parse_batches(
        self,
        batches: "Iterable[pa.RecordBatch]",
        *,
        columns: Mapping[str, str] | None = None,
        scores: bool = False,
        threads: int = 1,
        dictionary: bool = False,
    ) -> "Iterator[pa.RecordBatch]":
        """The record batches with trees, one by one as they are asked for: see parse_table."""
        from parser.arrow import TableParser

        return TableParser(self, columns or {}, scores, threads, dictionary).parse_batches(batches)

    def parse_piece(self, words: Words, first: int, end: int, into: Parses) -> None:
        """Parses sentences `first` to `end` of words into arrays for all of them: what a thread does."""
        session = self._session()
        session.parse_columns(words, first, end, into, self.assembly.restorer)
        self._idle.append(session)

    def parse_rows(self, batch: Batch, scores: bool = False) -> Parses:
        """Heads, label ids (of `labels`) and probabilities of all words of a reader's batch, as arrays."""
        session = self._session()
        found = session.parse_batch(batch, scores)
        self._idle.append(session)
        self.assembly.restorer.decode_all(found.heads, found.labels, batch.offsets)
        return found

    def parse_file(
        self,
        source: str | os.PathLike,
        target: str | os.PathLike,
        *,
        format: str = "auto",
        to: str = "auto",
        scores: bool = False,
        on_error: str = "stop",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "FileReport":
        """Parses a file into another; `-` is standard input or output.

        format: conllu, conllx, conll09, auto; text, vertical (pre-tokenized, see parser.treebank.plain). to: conllu,
        conllx, conll09, jsonl, parquet, or auto: by the target's name, else as the source. The output is the same for
        any number of threads, and has the target's name when it is complete.
        """
        require_threads(threads)
        refuse_same_file([source], target, partial_name(target))
        with (
            Reader(
                source,
                format=format,
                intern=(),
                heads="ignore",
                on_error=on_error,
                tags=self.assembly.pos,
                may_be_empty=True,
            ) as reader,
            open_output(target) as stream,
            tree_writer(stream, to, str(target), scores) as writer,
        ):
            names, tagged = Labels(self.labels), self.tag_column is None

            def work(batch: Batch) -> object:
                found = self.parse_rows(batch, scores)
                chances = (found.arcs, found.labelled) if scores else None
                return writer.prepare(batch, found.heads, found.labels, names, chances)

            for batch, prepared in worked_batches(reader, work, threads):
                writer.put(prepared)
                tagged = tagged or batch.has_values(self.tag_column)
                if progress is not None:
                    progress.advance(batch.n_words)
        untagged = reader.n_words > 0 and not tagged
        return FileReport(reader.n_sentences, reader.n_words, reader.skipped, reader.faults, writer.dropped, untagged)

    # Judging and explaining

    def evaluate(self, path: str | os.PathLike, *, format: str = "auto", punctuation: str = "auto") -> dict:
        """Scores on a gold file as plain numbers: see parser.evaluate.report.as_dict."""
        from parser.evaluate.load import read_corpus
        from parser.evaluate.report import as_dict, evaluate

        gold, _ = read_corpus(str(path), format)
        if punctuation == "auto":
            punctuation = "ud" if "PUNCT" in gold.upos.strings else "unicode"
        return as_dict(evaluate(gold, self.parse_corpus(gold, str(path), format), punctuation))

    def parse_corpus(self, gold: "Corpus", path: str, format: str = "auto", source: str = "parser") -> "Corpus":
        """The corpus read from that file, with this parser's trees: what evaluation compares it with."""
        from parser.evaluate.load import with_trees

        heads, labels = [], []
        with Reader(path, format=format, intern=(), heads="ignore") as reader:
            for batch in reader.batches():
                found = self.parse_rows(batch)
                heads.append(found.heads)
                labels.append(found.labels)
        return with_trees(gold, np.concatenate(heads), np.concatenate(labels), self.labels, source)

    def explain(
        self,
        words: Sequence[str] | Sentence | Mapping[str, Sequence[str]],
        tags: Sequence[str] | None = None,
        *,
        top: int = 8,
        **columns: Sequence[str],
    ) -> list[dict]:
        """The steps of parsing a sentence: stack, buffer, legal moves with probabilities, the features that spoke
        loudest for the move that was taken. The sentence is given as to `parse`.

        top: how many moves and how many features of each step are told, the first of them. Mostly many more moves are
        legal, one for each label and direction: their probabilities add up to 1 where all are told.
        """
        from parser.explain import explain_steps

        self.require_weights("explain itself with")
        given = sentence_columns(words, tags, columns, self.assembly.pos)
        self.parse(given)  # what it raises for words that are none
        nothing = [""] * len(given["form"])
        return explain_steps(self, {name: given.get(name, nothing) for name in COLUMNS}, top)

    def __reduce__(self):
        raise TypeError("a Parser is not pickled: save it, and load the file in every process (they share its pages)")

    def __repr__(self) -> str:
        config = self.assembly.config
        return (
            f"<Parser {config.system.name}, {config.learner.name}, features {self.assembly.templates.name}, "
            f"{len(self.assembly.labels)} labels, {self.size['weights']:,} weights>"
        )


def sentence_columns(words, tags, columns, pos: str) -> dict[str, list[str]]:
    """The columns that are given, each a list with a string for every word; of a Sentence all."""
    if type(words) is not list and isinstance(words, Sentence | Mapping):
        if tags is not None or columns:
            kind = type(words).__name__
            raise TypeError(f"a {kind} has its columns with it, expected no tags and no columns besides")
        if isinstance(words, Sentence):
            return {name: words.column(name) for name in COLUMNS}
        columns = dict(words)
        if "form" not in columns:
            raise ValueError("column 'form' is missing, expected the words")
        words = columns.pop("form")
    if isinstance(words, str):
        raise TypeError(f"{words[:40]!r}: expected a list of words, not a str")
    given = {"form": listed(words, "words")}
    for name, values in columns.items():
        if name not in COLUMNS[1:] or (name == pos and tags is not None):
            raise ValueError(f"column {name!r} is not one of upos, xpos, feats, lemma, or is given twice")
        given[name] = listed(values, f"values of {name}")
    if tags is not None:
        given[pos] = listed(tags, "tags")
    for name, values in given.items():
        if len(values) != len(given["form"]):
            raise ValueError(f"{len(given['form'])} words but {len(values)} values of {name}")
    return given


def listed(values, what: str) -> list[str]:
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{type(values).__name__}: expected a list of {what}") from None


def as_columns(sentence, pos: str) -> dict[str, list[str]]:
    """One sentence of `parse_batch` as columns."""
    if isinstance(sentence, tuple) and len(sentence) == 2 and not isinstance(sentence[0], str):
        return sentence_columns(sentence[0], sentence[1], {}, pos)
    return sentence_columns(sentence, None, {}, pos)


def as_trees(given: list[dict], names: Sequence[str], found: ParsedArrays) -> Iterator[Tree]:
    """Parses of many sentences as one Tree each."""
    heads, labels = found.heads.tolist(), [names[i] for i in found.labels.tolist()]
    arcs, labelled = (None, None) if found.scores is None else found.scores.tolist()
    start = 0
    for columns in given:
        end = start + len(columns["form"])
        chances = (None, None) if arcs is None else (arcs[start:end], labelled[start:end])
        yield Tree(columns["form"], heads[start:end], labels[start:end], *chances)
        start = end


def parser_in(file: ModelFile) -> Parser:
    """The parser of an open model file: all that parsing needs is checked now, the weights when they are asked for."""
    with usable(file):
        about, templates = file.data("parser"), file.data("templates")
        assembly = Assembly(
            Config.from_tables(file.data("config"), file.path),
            parse_templates(templates["text"], templates["name"]),
            tuple(file.strings("labels")),
            about["root_label"],
            bool(about["single_root"]),
            about["pos"],
            bool(about.get("one_root_label", False)),
        )
        fast = stored_tables(file, assembly)
        clusters = dict(zip(file.strings("clusters/forms"), file.strings("clusters/names"), strict=True)) or None
        if assembly.n_actions != about["n_actions"]:
            raise ModelFileError(f"{about['n_actions']} actions, but its labels make {assembly.n_actions}")
        weights = None
        if fast is None:
            weights = stored_weights(file, assembly.n_actions)
        elif "weights/keys" in file:
            weights = partial(stored_weights, file, assembly.n_actions)
        curves = file.arrays("reliability")
        reliability = Reliability(**curves) if curves else None
        return Parser(assembly, weights, file.data("provenance"), clusters, fast, about["size"], reliability)


def stored_tables(file: ModelFile, assembly: Assembly) -> Compiled | None:
    if "compiled/scale" not in file:
        return None
    scale, arrays = file.data("compiled/scale"), file.arrays("compiled")
    return from_arrays(arrays, scale, assembly.templates, assembly.pos, assembly.system, assembly.under_root)


def stored_weights(file: ModelFile, n_actions: int) -> Weights:
    with usable(file):
        return validate_weights(unpacked_weights(file.arrays("weights")), n_actions)


@contextmanager
def usable(file: ModelFile) -> Iterator[None]:
    """Whatever is wrong with what stands in the file is a ModelFileError that names it."""
    try:
        yield
    except ModelFileError as error:
        text = str(error)
        raise ModelFileError(text if text.startswith(file.path) else f"{file.path}: {text}") from None
    except (KeyError, TypeError, ConfigError, TemplateError, TreebankError, ValueError) as error:
        raise ModelFileError(f"{file.path}: is not a usable parser: {error}") from None
