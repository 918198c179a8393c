"""Treebank text -> batches of flat arrays, in bounded memory.

The reader takes blocks of bytes, finds lines and tabs (scan.h), and walks over the rows once: numbers, heads and
everything that can be wrong are checked here. Sentences are never split: what stands behind the last blank line of a
block waits for the next one.
"""

from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, memset

from parser.common cimport CHECK
from parser.treebank.batch cimport (
    HAS_EXTRA_ROWS, SCAN_CR, SCAN_EMPTY_CELL, SCAN_NON_ASCII, SCAN_NUL, SCAN_PADDING, UNPARSED, Batch, BatchC, CellC,
    SentenceC, cell_of_line, drop_cr_before_lf, scan_index, scan_reset, utf8_valid_prefix,
)
from parser.treebank.tree cimport TreeCheck, TreeProblem, tree_check

import io
import os

from parser.treebank import layout as layouts
from parser.treebank import tree
from parser.treebank.errors import TreebankError
from parser.treebank.plain import PLAIN_FORMATS, RowStream
from parser.treebank.stream import decompression_errors, display_name, open_input
from parser.treebank.vocab import COLUMNS, Vocab

DEFAULT_BLOCK = 1 << 19
LONGEST = (1 << 31) - 1     # bytes of one sentence with what stands before it in its block
BOM = b"\xef\xbb\xbf"

cdef extern from "parser/treebank/scan_fast.h":
    enum:
        N_SCANS
    ctypedef struct scan_variant:
        const char* name
        int (*usable)() noexcept nogil
        int (*scan)(scan_index* x, const char* text, uint32_t length) noexcept nogil
    const scan_variant* SCANS


cdef enum Fault:
    NONE = 0
    COLUMN_COUNT
    EMPTY_CELL
    ID
    NO_MARKS
    RANGE
    RANGE_END
    EMPTY_NODE
    HEAD
    MIXED_HEADS
    TREE
    COMMENT
    NO_WORDS
    UTF8
    NUL
    CR


cdef struct FaultC:
    Fault kind
    uint32_t line
    int32_t words           # words of the sentence before the fault
    int32_t detail          # what the message of this kind needs
    TreeCheck check


cdef struct RulesC:
    int32_t head_column
    int32_t tabs            # of a row: exactly, or at least if `open_ended`
    bint open_ended
    bint marks              # ranges and empty nodes belong to the format
    bint read_heads
    bint one_root           # several roots are a fault
    bint look_closer        # the scan saw bytes that may be wrong: check each row for them


# where the walk over a batch's rows stands, with the sentence it is in
cdef struct RowsC:
    uint32_t line
    int32_t words           # words of the current sentence so far
    int32_t range_end       # last word of the latest multiword row
    int32_t node            # number of the latest empty node behind the current word
    int32_t headless        # words whose HEAD is `_`
    uint32_t several_roots  # sentences with several roots met so far


cdef inline int32_t number(const char* s, int32_t length) noexcept nogil:
    """Digits without a leading zero as a number, -1 for anything else (or more than nine digits)."""
    cdef int32_t i, value = 0
    if length < 1 or length > 9 or (s[0] == c"0" and length > 1):
        return -1
    for i in range(length):
        if s[i] < c"0" or s[i] > c"9":
            return -1
        value = 10 * value + (s[i] - c"0")
    return value


cdef enum:
    MARKED = 256


cdef struct MarkC:          # how the row of a word begins: its number and the tab, where that is up to four bytes
    uint32_t text
    uint32_t mask           # of the bytes that are meant


cdef MarkC[MARKED] marks


cdef int write_marks() except -1:
    cdef char[4] text, mask
    cdef int32_t word
    for word in range(1, MARKED):
        beginning = b"%d\t" % word
        memset(text, 0, 4)
        memset(mask, 0, 4)
        memcpy(text, <const char*>beginning, len(beginning))
        memset(mask, 0xFF, len(beginning))
        memcpy(&marks[word].text, text, 4)
        memcpy(&marks[word].mask, mask, 4)
    return 0


write_marks()


cdef inline bint is_row_of(const char* start, int32_t length, int32_t word) noexcept nogil:
    """Does a row, whose first cell has that length, begin with a word's number?"""
    cdef uint32_t text
    if word < MARKED:       # one comparison, and no loop over digits
        memcpy(&text, start, 4)
        return text & marks[word].mask == marks[word].text
    return number(start, length) == word


cdef inline bint is_blank(const BatchC* b, uint32_t line) noexcept nogil:
    """An empty line, or one of nothing but white space."""
    cdef uint32_t i
    for i in range(b.index.line[line], b.index.line[line + 1] - 1):
        if b.text[i] != c" " and b.text[i] != c"\t" and b.text[i] != c"\r":
            return False
    return True


cdef Fault close_look(const BatchC* b, uint32_t line, int32_t* detail) noexcept nogil:
    """Byte-level faults of one row: only called where the scan has seen something suspicious in the block."""
    cdef const char* text = b.text + b.index.line[line]
    cdef size_t length = b.index.line[line + 1] - 1 - b.index.line[line]
    cdef size_t valid = utf8_valid_prefix(text, length)
    cdef int32_t column
    if memchr(text, 0, length) != NULL:
        return NUL
    if valid < length:
        detail[0] = <unsigned char>text[valid]
        return UTF8
    if memchr(text, c"\r", length) != NULL:
        return CR
    if length and text[0] != c"#":
        for column in range(<int32_t>(b.index.tab0[line + 1] - b.index.tab0[line]) + 1):
            if cell_of_line(b, line, column).length == 0:
                detail[0] = column
                return EMPTY_CELL
    return NONE


cdef Fault read_extra_row(const RulesC* rules, RowsC* rows, CellC cell) noexcept nogil:
    """A multiword row `3-4` stands before word 3 and overlaps no other; an empty node `5.1` stands behind word 5."""
    cdef const char* dash = <const char*>memchr(cell.start, c"-", cell.length)
    cdef const char* dot = <const char*>memchr(cell.start, c".", cell.length)
    cdef const char* mark = dash if dash != NULL else dot
    if mark == NULL:
        return ID
    cdef int32_t first_length = <int32_t>(mark - cell.start)
    cdef int32_t first = number(cell.start, first_length)
    cdef int32_t last = number(mark + 1, cell.length - first_length - 1)
    if first < 0 or last < 0:
        return ID
    if not rules.marks:
        return NO_MARKS
    if dash != NULL:
        if first != rows.words + 1 or last <= first or rows.range_end >= first:
            return RANGE
        rows.range_end = last
        return NONE
    if first != rows.words or last != rows.node + 1:
        return EMPTY_NODE
    rows.node = last
    return NONE


cdef inline Fault read_row(BatchC* b, const RulesC* rules, RowsC* rows, SentenceC* sentence) noexcept nogil:
    """One row that is neither blank nor a comment."""
    cdef uint32_t line = rows.line
    cdef const uint32_t* tab = b.index.tab + b.index.tab0[line]
    cdef int32_t tabs = <int32_t>(b.index.tab0[line + 1] - b.index.tab0[line])
    cdef const char* start = b.text + b.index.line[line]
    cdef int32_t length, head
    cdef Fault fault
    if tabs != rules.tabs and (tabs < rules.tabs or not rules.open_ended):
        return COLUMN_COUNT
    if not is_row_of(start, <int32_t>(b.text + tab[0] - start), rows.words + 1):
        fault = read_extra_row(rules, rows, cell_of_line(b, line, 0))
        sentence.marks |= HAS_EXTRA_ROWS
        return fault
    cdef uint32_t word = sentence.first_word + rows.words
    b.word_line[word] = line
    rows.words += 1
    rows.node = 0
    head = -1
    if rules.read_heads:
        start = b.text + tab[rules.head_column - 1] + 1
        length = <int32_t>(b.text + tab[rules.head_column] - start)
        head = number(start, length)
        if head < 0:
            if length != 1 or start[0] != c"_":
                return HEAD
            rows.headless += 1
    b.heads[word] = head
    return NONE


cdef Fault end_sentence(BatchC* b, const RulesC* rules, RowsC* rows, SentenceC* sentence, FaultC* found) noexcept nogil:
    """Checks that need the whole sentence: ranges that end inside it, and heads that make a tree."""
    cdef int32_t n = rows.words, k
    cdef int32_t* heads = b.heads + sentence.first_word
    if n == 0:
        return NO_WORDS
    if rows.range_end > n:
        found.detail = rows.range_end
        return RANGE_END
    if not rules.read_heads:
        return NONE
    if rows.headless:
        if rows.headless < n:
            for k in range(n):
                if heads[k] < 0:
                    found.line = b.word_line[sentence.first_word + k]
                    return MIXED_HEADS
        sentence.marks |= UNPARSED
        return NONE
    found.check = tree_check(heads, n, b.scratch)
    if found.check.problem == TreeProblem.OK:
        return NONE
    if found.check.problem == TreeProblem.SEVERAL_ROOTS:
        rows.several_roots += 1
        if not rules.one_root:
            return NONE
    if found.check.word:
        found.line = b.word_line[sentence.first_word + found.check.word - 1]
        found.detail = heads[found.check.word - 1]
    return TREE


cdef void start_sentence(BatchC* b, RowsC* rows) noexcept nogil:
    cdef SentenceC* sentence = &b.sentences[b.n_sentences]
    sentence.first_word = b.n_words
    sentence.first_line = rows.line
    sentence.marks = 0
    rows.words = rows.range_end = rows.node = rows.headless = 0


cdef bint read_rows(BatchC* b, const RulesC* rules, RowsC* rows, FaultC* found) noexcept nogil:
    """Walks on over the batch's rows. Returns True at a fault, with the faulty sentence left out and `rows.line` behind
    it, so that the walk can go on; False at the end."""
    cdef SentenceC* sentence
    cdef Fault fault
    cdef uint32_t start
    while rows.line < b.used_lines:
        if is_blank(b, rows.line):
            rows.line += 1
            continue
        start_sentence(b, rows)
        sentence = &b.sentences[b.n_sentences]
        fault = NONE
        while rows.line < b.used_lines:
            start = b.index.line[rows.line]
            if b.text[start] <= c" " and is_blank(b, rows.line):
                break
            found.line = rows.line
            if rules.look_closer:
                fault = close_look(b, rows.line, &found.detail)
            if fault == NONE:
                if b.text[start] != c"#":
                    fault = read_row(b, rules, rows, sentence)
                elif rows.words or rows.range_end or sentence.marks:
                    fault = COMMENT
            if fault != NONE:
                break
            rows.line += 1
        if fault == NONE:
            sentence.end_line = rows.line
            found.line = rows.line - 1
            fault = end_sentence(b, rules, rows, sentence, found)
        if fault != NONE:
            found.kind = fault
            found.words = rows.words
            while rows.line < b.used_lines and not is_blank(b, rows.line):
                rows.line += 1
            return True
        b.n_words += rows.words
        b.n_sentences += 1
    return False


cdef class Reader:
    """Reads a treebank file once: `for sentence in Reader(path)`, or batches of flat arrays for programs.

    path       a file name, `-` for standard input, `.gz`, `.xz`, `.zst` unpacked on the way; or an open binary stream
    format     conllu, conllx, conll09 or auto (by the file's name, else by its first rows); text, vertical:
               pre-tokenized text without trees (parser.treebank.plain), whose tags go where `tags` says
    vocab      a Vocab that gives the ids (a new one by default), `intern` names the columns that get ids
    heads      check: HEAD must give a tree (or be `_` throughout); ignore: HEAD is not looked at
    roots      what several roots in a sentence are: error, warn (counted in `several_roots`) or ignore
    on_error   stop: the first fault raises TreebankError; skip: the sentence is left out, counted and listed
    may_be_empty  an input without any sentence is no fault

    Meanwhile: file (its name), layout (the format; None until the first block was read, with auto), columns (those that
    get ids), n_sentences, n_words, several_roots, skipped, faults (the first of the errors of skipped sentences),
    never_waits (it is a file, of which nobody has to send anything first).
    """
    cdef readonly str file
    cdef readonly object vocab
    cdef readonly object layout          # None until the first block has been seen, with format="auto"
    cdef readonly tuple columns
    cdef readonly str roots
    cdef readonly uint64_t skipped       # sentences left out because of faults
    cdef readonly list faults            # the first of their messages
    cdef readonly uint64_t n_sentences
    cdef readonly uint64_t n_words
    cdef readonly uint64_t several_roots
    cdef readonly bint never_waits       # is it a file, so that nobody has to send anything first?
    cdef object stream
    cdef object readinto
    cdef tuple read_errors
    cdef object pending                  # a fault met behind good sentences: raised by the next fill
    cdef bytes carry                     # bytes behind the last whole sentence
    cdef uint64_t line_number
    cdef uint32_t block
    cdef bint at_end
    cdef bint at_start
    cdef bint seen                       # the file's beginning, by which other formats are known
    cdef bint skip
    cdef bint may_be_empty
    cdef bint closed
    cdef RulesC rules

    def __init__(self, path, format="auto", vocab=None, intern=COLUMNS, heads="check", roots="warn",
                 on_error="stop", block_size=DEFAULT_BLOCK, tags="both", may_be_empty=False):
        expect("heads", heads, ("check", "ignore"))
        expect("roots", roots, ("error", "warn", "ignore"))
        expect("on_error", on_error, ("stop", "skip"))
        self.columns = tuple(intern)
        self.vocab = Vocab(self.columns) if vocab is None else vocab
        self.roots = roots
        self.skip = on_error == "skip"
        self.may_be_empty = may_be_empty
        self.rules.read_heads = heads == "check"
        self.rules.one_root = roots == "error"
        self.block = max(64, block_size)
        self.carry = b""
        self.faults = []
        self.at_start = True
        if isinstance(path, io.TextIOBase):
            raise TypeError("a stream of text, expected one of bytes: open(path, 'rb')")
        if hasattr(path, "read"):
            self.stream = path
            named = getattr(path, "name", None)
            self.file = named if isinstance(named, str) else "<stream>"
        else:
            self.file = display_name(str(path))
            self.stream = open_input(path)
            self.never_waits = path != "-" and os.path.isfile(path)
        self.read_errors = decompression_errors(self.file)
        if format in PLAIN_FORMATS:
            expect("tags", tags, ("upos", "xpos", "both"))
            self.stream, format = RowStream(self.stream, self.file, format, tags), "conllu"
        # standard input is taken as it comes, so that a sentence is answered without waiting for a full block
        self.readinto = self.stream.readinto
        if self.file == "<stdin>" and hasattr(self.stream, "readinto1"):
            self.readinto = self.stream.readinto1
        if format != "auto":
            self.set_layout(layouts.find_layout(format, PLAIN_FORMATS))
        elif layouts.layout_of_path(self.file) is not None:
            self.set_layout(layouts.layout_of_path(self.file))

    cdef set_layout(self, layout):
        self.layout = layout
        self.rules.head_column = layout.column("head")
        self.rules.tabs = layout.least - 1
        self.rules.open_ended = layout.most is None
        self.rules.marks = layout.marks

    def close(self):
        """Closes the file or stream, unless it is standard input; nothing can be read any more."""
        self.closed = True
        if self.file != "<stdin>":
            self.stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        for batch in self.batches():
            yield from batch

    def batches(self):
        """New batches to the end of the file, which is then closed."""
        with self:
            batch = Batch()
            while self.fill(batch):
                yield batch
                batch = Batch()

    def fill(self, Batch batch not None):
        """Fills the batch with the next block of sentences, whatever it held before; False at the end of the file.

        An object that is filled again keeps its memory: a program that streams needs one batch.
        """
        if self.closed:
            raise TreebankError("has been read or closed already, expected a new Reader to begin anew", self.file)
        batch.c.n_sentences = 0
        while batch.c.n_sentences == 0:
            if self.pending is not None:
                error, self.pending = self.pending, None
                raise error
            if self.at_end:
                if self.n_sentences == 0 and self.skipped == 0 and not self.may_be_empty:
                    raise TreebankError("holds no sentence, expected rows of tab-separated columns", self.file)
                return False
            self.read_block(batch)
            self.read_sentences(batch)
        batch.layout = self.layout
        batch.file = self.file
        batch.intern(self.vocab, self.columns)
        return True

    cdef int read_block(self, Batch batch) except -1:
        """Text up to the last whole sentence of the next block, or of as much text as the next sentence takes."""
        cdef BatchC* b = &batch.c
        cdef uint32_t wanted = <uint32_t>len(self.carry) + self.block
        batch.reserve_text(wanted)
        memcpy(b.text, <const char*>self.carry, len(self.carry))
        b.length = <uint32_t>len(self.carry)
        self.carry = b""
        scan_restart(batch)
        while True:
            self.take_bytes(batch, wanted)
            if not self.seen and (b.length >= 4 or self.at_end):
                self.seen = True
                layouts.require_rows(b.text[:min(b.length, <uint32_t>64)], self.file, self.layout is None)
            if self.at_end and b.length and b.text[b.length - 1] != c"\n":
                batch.reserve_text(b.length + 1)
                b.text[b.length] = b"\n"
                b.length += 1
            scan_on(batch)
            if b.index.flags & SCAN_CR:
                b.length = drop_cr_before_lf(b.text, b.length)
                scan_restart(batch)
                scan_on(batch)
            b.used_lines = b.index.lines if self.at_end else last_boundary(b)
            if b.used_lines or self.at_end:
                break
            if b.length >= LONGEST // 2:
                raise TreebankError("a sentence of more than 1 GB", self.file, self.line_number + 1)
            wanted = 2 * b.length
        b.line_number = self.line_number
        self.line_number += b.used_lines
        self.carry = b.text[b.index.line[b.used_lines]:b.length]
        if self.layout is None:
            self.set_layout(layouts.layout_of_text(b.text[:min(b.length, <uint32_t>(1 << 16))]))
        return 0

    cdef int take_bytes(self, Batch batch, uint32_t wanted) except -1:
        """Reads until `wanted` bytes are there; standard input gives what it has."""
        cdef BatchC* b = &batch.c
        cdef uint32_t got
        batch.reserve_text(max(wanted, b.length + 1))
        try:
            got = self.readinto(PyMemoryView_FromMemory(b.text + b.length, b.capacity - b.length, PyBUF_WRITE))
        except self.read_errors as error:
            line = self.line_number + b.text[:b.length].count(b"\n") + 1
            raise TreebankError(f"cannot be read on: {error}", self.file, line) from None
        b.length += got
        self.at_end = got == 0
        if self.at_start and b.length >= len(BOM):
            self.at_start = False
            if b.text[:len(BOM)] == BOM:
                b.length -= <uint32_t>len(BOM)
                for k in range(b.length):
                    b.text[k] = b.text[k + 3]
        return 0

    cdef int read_sentences(self, Batch batch) except -1:
        cdef BatchC* b = &batch.c
        cdef RowsC rows
        cdef FaultC found
        cdef bint faulty = True
        rows.line = rows.several_roots = 0
        b.n_sentences = b.n_words = 0
        b.sentence_number = self.n_sentences
        batch.reserve_words(b.used_lines + 1, b.used_lines + 1)
        batch.reserve_scratch(6 * (b.used_lines + 2))
        self.rules.look_closer = suspicious(b)
        while faulty:
            with nogil:
                faulty = read_rows(b, &self.rules, &rows, &found)
            if faulty:
                error = TreebankError(self.describe(b, &found), self.file, b.line_number + found.line + 1)
                if not self.skip:
                    self.pending = error
                    break
                self.skipped += 1
                if len(self.faults) < 100:
                    self.faults.append(error)
        b.sentences[b.n_sentences].first_word = b.n_words
        b.sentences[b.n_sentences].first_line = rows.line
        self.n_sentences += b.n_sentences
        self.n_words += b.n_words
        self.several_roots += rows.several_roots
        return 0

    cdef describe(self, const BatchC* b, const FaultC* found):
        """What is wrong and what was expected."""
        cdef CellC cell = cell_of_line(b, found.line, 0)
        first = cell.start[:cell.length].decode("utf-8", "replace")
        cdef int32_t tabs = <int32_t>(b.index.tab0[found.line + 1] - b.index.tab0[found.line])
        if found.kind == COLUMN_COUNT:
            hint = ", separated by tabs: this row has spaces instead" if tabs == 0 and " " in first else ""
            return f"{tabs + 1} column{'s' if tabs else ''}, expected {self.layout.expected_columns()}{hint}"
        if found.kind == EMPTY_CELL:
            return f"column {found.detail + 1} is empty, expected a value or _"
        if found.kind == ID:
            return f"ID is {first!r}, expected {found.words + 1}"
        if found.kind == NO_MARKS:
            return (f"ID is {first!r}, expected {found.words + 1}: "
                    f"{self.layout.title} has no multiword rows or empty nodes")
        if found.kind == RANGE:
            return (f"multiword range {first}: expected one that starts at the next word ({found.words + 1}), "
                    "ends behind it and overlaps no other")
        if found.kind == RANGE_END:
            return f"a multiword range ends at word {found.detail}, expected at most {found.words}"
        if found.kind == EMPTY_NODE:
            return f"empty node {first}: expected the next one behind word {found.words}"
        if found.kind == HEAD:
            cell = cell_of_line(b, found.line, self.rules.head_column)
            return f"HEAD is {cell.start[:cell.length].decode('utf-8', 'replace')!r}, expected a number or _"
        if found.kind == MIXED_HEADS:
            return "HEAD is _, expected a number as in other words of the sentence"
        if found.kind == TREE:
            return tree.MESSAGES[found.check.problem].format(
                word=found.check.word, head=found.detail, n=found.words, roots=found.check.roots)
        if found.kind == COMMENT:
            return "a comment between the words of a sentence, expected comments before the first word"
        if found.kind == NO_WORDS:
            return "a sentence without words, expected word rows behind the comments"
        if found.kind == UTF8:
            return f"byte 0x{found.detail:02X} is not valid UTF-8"
        if found.kind == NUL:
            return "a NUL byte, expected text"
        CHECK(found.kind == CR)
        return "a carriage return inside a line, expected it only before a line end"


cdef const scan_variant* scan_named(str name) except NULL:
    """The variant of that name; without one the last, which is the fastest, that this processor can run."""
    cdef const scan_variant* found = NULL
    cdef int32_t k
    for k in range(N_SCANS):
        if SCANS[k].usable() and name in ("", SCANS[k].name.decode()):
            found = &SCANS[k]
    if found == NULL:
        raise ValueError(f"scan {name!r}: this processor has {', '.join(scans())}")
    return found


cdef const scan_variant* best_scan = scan_named("")


def scans():
    """The names of the variants of the scan that this processor can run."""
    cdef int32_t k
    return [SCANS[k].name.decode() for k in range(N_SCANS) if SCANS[k].usable()]


def scanned(bytes text not None, str name not None):
    """(line starts, indices of their first tabs, tabs, flags) by the scan of that name: for tests."""
    cdef Batch batch = Batch()
    cdef scan_index* x = &batch.c.index
    cdef const scan_variant* variant = scan_named(name)
    batch.reserve_text(<uint32_t>len(text) + 1)
    memset(batch.c.text + len(text), c"\t", SCAN_PADDING)       # what must not be seen
    memcpy(batch.c.text, <const char*>text, len(text))
    batch.reserve_index(66, 65)
    scan_reset(x)
    while variant.scan(x, batch.c.text, <uint32_t>len(text)):
        batch.reserve_index(x.line_capacity + 64, x.tab_capacity + 64)
    return ([x.line[k] for k in range(x.lines + 1)], [x.tab0[k] for k in range(x.lines + 1)],
            [x.tab[k] for k in range(x.tabs)], x.flags)


cdef void scan_restart(Batch batch) noexcept:
    scan_reset(&batch.c.index)


cdef int scan_on(Batch batch) except -1:
    """Scans what has been added to the text; the index grows to what real treebanks need, and on demand beyond."""
    cdef BatchC* b = &batch.c
    cdef int full = 1
    if b.index.line_capacity == 0:
        batch.reserve_index(b.length // 32 + 256, b.length // 5 + 256)
        scan_reset(&b.index)
    # a partial group of 64 bytes at the old end is scanned again with what now stands behind it
    if b.index.done % 64:
        scan_reset(&b.index)
    while full:
        with nogil:
            full = best_scan.scan(&b.index, b.text, b.length)
        if full:
            batch.reserve_index(2 * b.index.line_capacity + 128, 2 * b.index.tab_capacity + 128)
    return 0


cdef uint32_t last_boundary(const BatchC* b) noexcept nogil:
    """The number of lines up to and with the last blank line; 0 if there is none."""
    cdef uint32_t line = b.index.lines
    while line > 0 and not is_blank(b, line - 1):
        line -= 1
    return line


cdef bint suspicious(const BatchC* b) noexcept nogil:
    """Has the scan seen anything for which each row must be looked at closely?"""
    cdef uint32_t flags = b.index.flags
    if flags & (SCAN_NUL | SCAN_CR | SCAN_EMPTY_CELL):
        return True
    cdef uint32_t end = b.index.line[b.used_lines]
    return flags & SCAN_NON_ASCII and utf8_valid_prefix(b.text, end) < end


def expect(option, value, choices):
    if value not in choices:
        raise ValueError(f"{option}={value!r}: expected one of {', '.join(choices)}")
