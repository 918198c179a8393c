"""Batches -> treebank text: as they were, with new trees, or in another format.

Rows are copied from the bytes that were read. With new trees only HEAD and DEPREL are replaced, and what would describe
the old tree is left out: DEPS becomes `_` unless kept on request, probabilities of an earlier parse go from MISC.
"""

from cpython.buffer cimport PyBUF_READ
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memchr, memcpy, strncmp

import numpy as np

from parser.common cimport CHECK
from parser.treebank.batch cimport (
    HAS_EXTRA_ROWS, SCAN_CHANCE, Batch, BatchC, CellC, Sentence, SentenceC, cell_of_line,
)
from parser.treebank.tree cimport TreeCheck, TreeProblem, tree_check

from parser.treebank import layout as layouts
from parser.treebank import tree
from parser.treebank.errors import TreebankError


cdef enum:
    FLUSH_AT = 1 << 19
    SHORTEST = 11           # rest of a row that can hold a probability: tab, `HeadProb=`, newline
    MOST_COLUMNS = 16


cdef int output_reserve(OutputC* out, size_t more) except -1 nogil:
    """Room for `more` bytes behind what is there."""
    cdef size_t wanted = out.length + more
    cdef void* grown
    if wanted > out.capacity:
        wanted = wanted + wanted // 2
        grown = realloc(out.data, wanted + OUTPUT_PADDING)
        if grown == NULL:
            with gil:
                raise MemoryError(f"cannot allocate {wanted} bytes of output")
        out.data = <char*>grown
        out.capacity = wanted
    return 0


cdef inline char* copy_lines(char* to, const BatchC* b, uint32_t first, uint32_t end) noexcept nogil:
    """Whole lines, newlines included."""
    cdef size_t length = b.index.line[end] - b.index.line[first]
    memcpy(to, b.text + b.index.line[first], length)
    return to + length


cdef enum:
    SPELT = 256


cdef struct NumberC:        # how a number is written, up to three digits
    char[4] digits
    int32_t length


cdef NumberC[SPELT] spelt


cdef int spell() except -1:
    cdef int32_t value
    for value in range(SPELT):
        digits = b"%d" % value
        memcpy(spelt[value].digits, <const char*>digits, len(digits))
        spelt[value].length = <int32_t>len(digits)
    return 0


spell()


cdef inline char* write_number(char* to, int32_t value) noexcept nogil:
    """A head or a word number, 0 or more; anything below is written as `_`."""
    if 0 <= value < SPELT:  # without a loop that ends where nobody can foresee
        memcpy(to, spelt[value].digits, 4)
        return to + spelt[value].length
    return write_digits(to, value)


cdef char* write_digits(char* to, int32_t value) noexcept nogil:
    cdef char digits[16]
    cdef int32_t n = 0
    if value < 0:
        return copy_char(to, c"_")
    while True:
        n += 1
        digits[16 - n] = c"0" + value % 10
        value //= 10
        if value == 0:
            break
    memcpy(to, digits + 16 - n, n)
    return to + n


cdef struct ColumnsC:
    int32_t head
    int32_t deprel
    int32_t deps            # -1: the format has none, or it is to be kept
    int32_t misc            # -1: the format has none, or nothing in it needs a look
    bint chances            # probabilities go into MISC


cdef inline char* write_row(char* to, const BatchC* b, uint32_t line, const ColumnsC* columns, int32_t head,
                            CellC label) noexcept nogil:
    """A word row with HEAD and DEPREL replaced; everything before, between and behind is copied."""
    cdef const uint32_t* tab = b.index.tab + b.index.tab0[line]
    cdef const char* start = b.text + b.index.line[line]
    cdef size_t rest
    to = copy_row(to, start, b.text + tab[columns.head - 1] + 1 - start)
    to = write_number(to, head)
    start = b.text + tab[columns.head]
    to = copy_cell(to, start, b.text + tab[columns.deprel - 1] + 1 - start)
    to = copy_cell(to, label.start, label.length)
    start = b.text + tab[columns.deprel]
    if columns.deps >= 0:
        to = copy_cell(to, start, b.text + tab[columns.deps - 1] + 1 - start)
        to = copy_char(to, c"_")
        start = b.text + tab[columns.deps]
    rest = b.text + b.index.line[line + 1] - start
    if columns.misc < 0 or (rest < SHORTEST and not columns.chances):
        return copy_cell(to, start, rest)
    return copy_misc(to, start, cell_of_line(b, line, columns.misc), columns.chances)


cdef const char* HEAD_PROB = "HeadProb="
cdef const char* LABEL_PROB = "LabelProb="


cdef inline bint is_chance(const char* item) noexcept nogil:
    if item[0] == c"H":
        return strncmp(item, HEAD_PROB, 9) == 0
    return item[0] == c"L" and strncmp(item, LABEL_PROB, 10) == 0


cdef bint has_chances(CellC misc) noexcept nogil:
    """Are there probabilities of an earlier parse? They say nothing of a new tree."""
    cdef const char* item = misc.start
    cdef const char* end = misc.start + misc.length
    while item != NULL and end - item >= 9:
        if is_chance(item):
            return True
        item = <const char*>memchr(item, c"|", end - item)
        if item != NULL:
            item += 1
    return False


cdef char* copy_misc(char* to, const char* start, CellC misc, bint more) noexcept nogil:
    """What is left of a row, without the probabilities of an earlier parse; with a bar behind the items of MISC if more
    follows, else with the end of the line."""
    cdef char* before
    to = copy_cell(to, start, misc.start - start)
    if not more and not has_chances(misc):
        return copy_cell(to, misc.start, misc.length + 1)
    before = to
    if misc.length != 1 or misc.start[0] != c"_":
        to = copy_other_items(to, misc)
    if more:
        return to
    if to > before:
        to -= 1
    else:
        to = copy_char(to, c"_")
    return copy_char(to, c"\n")


cdef char* copy_other_items(char* to, CellC misc) noexcept nogil:
    cdef int32_t start = 0, end
    while start < misc.length:
        end = start
        while end < misc.length and misc.start[end] != c"|":
            end += 1
        if not is_chance(misc.start + start):
            to = copy_cell(to, misc.start + start, end - start)
            to = copy_char(to, c"|")
        start = end + 1
    return to


cdef inline char* write_chance(char* to, const char* key, size_t length, float p) noexcept nogil:
    """A probability with four decimals."""
    cdef uint32_t ten_thousandths = <uint32_t>(p * 10000 + 0.5)
    memcpy(to, key, length)
    to += length
    to[0] = c"0" + <char>(ten_thousandths // 10000)
    to[1] = c"."
    to[2] = c"0" + <char>(ten_thousandths // 1000 % 10)
    to[3] = c"0" + <char>(ten_thousandths // 100 % 10)
    to[4] = c"0" + <char>(ten_thousandths // 10 % 10)
    to[5] = c"0" + <char>(ten_thousandths % 10)
    return to + 6


cdef inline char* write_chances(char* to, float head, float label) noexcept nogil:
    to = write_chance(to, HEAD_PROB, 9, head)
    to = copy_char(to, c"|")
    to = write_chance(to, LABEL_PROB, 10, label)
    return copy_char(to, c"\n")


cdef char* copy_without_deps(char* to, const BatchC* b, uint32_t line, const ColumnsC* columns) noexcept nogil:
    """An empty node: its place in the old enhanced graph goes with the old tree."""
    cdef const uint32_t* tab = b.index.tab + b.index.tab0[line]
    cdef const char* start = b.text + b.index.line[line]
    to = copy_row(to, start, b.text + tab[columns.deps - 1] + 1 - start)
    to = copy_char(to, c"_")
    start = b.text + tab[columns.deps]
    return copy_cell(to, start, b.text + b.index.line[line + 1] - start)


cdef inline char* write_word(char* to, const BatchC* b, uint32_t line, const ColumnsC* columns, const TreesC* trees,
                             uint32_t i) noexcept nogil:
    """The row of the trees' i-th word."""
    to = write_row(to, b, line, columns, trees.heads[i], label_cell(trees, i))
    if columns.chances:
        to = write_chances(to, trees.head_chances[i], trees.label_chances[i])
    return to


cdef char* write_tree(char* to, const BatchC* b, uint32_t k, const ColumnsC* columns, const TreesC* trees,
                      uint32_t base) noexcept nogil:
    """A sentence with its new tree; `base` is the word with which the trees begin."""
    cdef const SentenceC* sentence = &b.sentences[k]
    cdef uint32_t word = sentence.first_word, line
    if sentence.marks & HAS_EXTRA_ROWS:
        to = write_mixed_rows(to, b, k, columns, trees, base)
    else:
        to = copy_lines(to, b, sentence.first_line, b.word_line[word])
        for line in range(b.word_line[word], sentence.end_line):
            to = write_word(to, b, line, columns, trees, word - base)
            word += 1
    return copy_char(to, c"\n")


cdef char* write_mixed_rows(char* to, const BatchC* b, uint32_t k, const ColumnsC* columns, const TreesC* trees,
                            uint32_t base) noexcept nogil:
    """The same where words, multiword rows and empty nodes follow each other, without the blank line."""
    cdef const SentenceC* sentence = &b.sentences[k]
    cdef uint32_t word = sentence.first_word, line
    for line in range(sentence.first_line, sentence.end_line):
        if word < sentence[1].first_word and b.word_line[word] == line:
            to = write_word(to, b, line, columns, trees, word - base)
            word += 1
        elif columns.deps >= 0 and is_empty_node(b, line):
            to = copy_without_deps(to, b, line, columns)
        else:
            to = copy_lines(to, b, line, line + 1)
    return to


cdef class Labels:
    """Label names as C strings behind each other, each padded for `copy_cell`."""
    cdef CellC* cells
    cdef char* text
    cdef readonly int32_t n

    def __cinit__(self, names):
        encoded = [str(name).encode() for name in names]
        for name in encoded:
            if not name or b"\t" in name or b"\n" in name:
                raise TreebankError(f"label {name.decode()!r} cannot stand in a treebank column")
        self.n = <int32_t>len(encoded)
        self.cells = <CellC*>calloc(self.n + 1, sizeof(CellC))
        self.text = <char*>calloc(sum(len(name) + OUTPUT_PADDING for name in encoded) + OUTPUT_PADDING, 1)
        if self.cells == NULL or self.text == NULL:
            raise MemoryError("cannot allocate the label names")
        cdef char* at = self.text
        for i, name in enumerate(encoded):
            memcpy(at, <const char*>name, len(name))
            self.cells[i].start = at
            self.cells[i].length = <int32_t>len(name)
            at += len(name) + OUTPUT_PADDING

    def __dealloc__(self):
        free(self.cells)
        free(self.text)

    def __iter__(self):
        for i in range(self.n):
            yield self.cells[i].start[:self.cells[i].length].decode()


cdef class Writer:
    """Writes sentences to an open binary stream; use `with Writer(stream) as writer`, or flush() at the end.

    layout     the format to write (a Layout or its name); by default that of each batch
    keep_deps  keep DEPS when trees are replaced
    check      that new heads make trees, or are -1 throughout a sentence; False for those of a parser, which do
    hold       everything until flush(); else what is much is handed over to the stream before

    dropped counts the rows that the format had no place for: comments, multiwords, empty_nodes.
    """

    def __init__(self, stream, layout=None, bint keep_deps=False, bint check=True, bint hold=False):
        self.stream = stream
        self.check, self.hold = check, hold
        self.layout = layouts.find_layout(layout) if isinstance(layout, str) else layout
        self.keep_deps = keep_deps
        self.dropped = {"comments": 0, "multiwords": 0, "empty_nodes": 0}

    def __dealloc__(self):
        free(self.out.data)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # sentences before a fault of the input are good, and who reads from a pipe shall have them
        if kind is None or issubclass(kind, TreebankError):
            self.flush()

    def flush(self):
        """Hands over everything to the stream, whole."""
        view = PyMemoryView_FromMemory(self.out.data, self.out.length, PyBUF_READ) if self.out.length else b""
        while len(view):
            view = view[self.stream.write(view):]
        self.out.length = 0

    def write(self, sentences, heads=None, labels=None, label_names=None, probabilities=None):
        """Writes a Batch or a Sentence.

        With `heads` (one a word) the trees are replaced; `labels` are then ids into `label_names`, a list of strings
        or a Labels object, -1 for none. `probabilities`, two float arrays (of the heads; of heads with labels), go into
        MISC as HeadProb and LabelProb. TreebankError, and nothing is written, where heads make no tree.
        """
        cdef Batch batch
        cdef uint32_t first = 0, last
        if isinstance(sentences, Sentence):
            batch = (<Sentence>sentences).batch
            first = (<Sentence>sentences).index
            last = first + 1
        else:
            batch = sentences
            last = batch.c.n_sentences
        if heads is not None:
            self.write_with(batch, first, last, heads, labels, label_names, probabilities)
        elif self.layout is None or self.layout is batch.layout:
            self.write_same(batch, first, last)
        else:
            self.write_converted(batch, first, last, NULL)
        if self.out.length >= FLUSH_AT and not self.hold:
            self.flush()

    cdef int write_same(self, Batch batch, uint32_t first, uint32_t last) except -1:
        cdef const BatchC* b = &batch.c
        cdef uint32_t k
        cdef SentenceC* sentence
        cdef char* to
        output_reserve(&self.out, <size_t>b.length + b.n_sentences)
        with nogil:
            to = end_of(&self.out)
            for k in range(first, last):
                sentence = &b.sentences[k]
                to = copy_char(copy_lines(to, b, sentence.first_line, sentence.end_line), c"\n")
            set_end(&self.out, to)
        return 0

    cdef int write_with(self, Batch batch, uint32_t first, uint32_t last, heads, labels, label_names,
                        probabilities) except -1:
        target = batch.layout if self.layout is None else self.layout
        if probabilities is not None and (target is not batch.layout or target.column("misc") < 0):
            raise layouts.FormatError(f"probabilities have no place in {target.title} made of {batch.layout.title}")
        cdef Labels names = label_names if isinstance(label_names, Labels) else Labels(label_names)
        cdef uint32_t n = batch.c.sentences[last].first_word - batch.c.sentences[first].first_word
        # one spare element, so that there is an address to take for no words
        cdef const int32_t[::1] head_view = padded(heads, n, "heads", np.int32)
        cdef const int32_t[::1] label_view = padded(labels, n, "labels", np.int32)
        cdef const float[::1] head_chances, label_chances
        if self.check:
            require_trees(batch, first, last, &head_view[0])
        cdef TreesC trees = TreesC(&head_view[0], &label_view[0], names.cells, names.n, NULL, NULL)
        if probabilities is not None:
            head_chances = padded(probabilities[0], n, "probabilities of heads", np.float32)
            label_chances = padded(probabilities[1], n, "probabilities of labels", np.float32)
            trees.head_chances, trees.label_chances = &head_chances[0], &label_chances[0]
        if target is not batch.layout:
            return self.write_converted(batch, first, last, &trees)
        return self.write_trees(batch, first, last, &trees)

    cdef int write_trees(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1:
        """Sentences first..last-1 with new trees, which begin with sentence `first`'s first word."""
        cdef const BatchC* b = &batch.c
        cdef ColumnsC columns
        cdef uint32_t k, base = b.sentences[first].first_word
        cdef char* to
        columns.head = batch.layout.column("head")
        columns.deprel = batch.layout.column("deprel")
        columns.deps = -1 if self.keep_deps else batch.layout.column("deps")
        columns.chances = trees.head_chances != NULL
        # the scan knows whether there can be probabilities of an earlier parse
        columns.misc = batch.layout.column("misc") if columns.chances or b.index.flags & SCAN_CHANCE else -1
        # once for all: lines as they are, and what rows can grow by
        output_reserve(&self.out, (b.sentences[last].first_word - base) * longest_growth(trees) + (last - first)
                       + b.index.line[b.sentences[last].first_line] - b.index.line[b.sentences[first].first_line])
        with nogil:
            to = end_of(&self.out)
            for k in range(first, last):
                to = write_tree(to, b, k, &columns, trees, base)
            set_end(&self.out, to)
        return 0

    cdef int write_converted(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1:
        """In another format: columns by their meaning, `_` for what the source lacks; with new trees unless NULL."""
        cdef const BatchC* b = &batch.c
        cdef SentenceC* sentence
        cdef uint32_t k, line, word = b.sentences[first].first_word
        cdef uint32_t base = word
        cdef int32_t source[MOST_COLUMNS]
        cdef bint marks = self.layout.marks
        cdef size_t longest = longest_growth(trees)
        cdef char* to
        self.find_sources(batch.layout, source)
        for k in range(first, last):
            sentence = &b.sentences[k]
            for line in range(sentence.first_line, sentence.end_line):
                output_reserve(&self.out, 2 * <size_t>(b.index.line[line + 1] - b.index.line[line]) + longest)
                to = end_of(&self.out)
                if word < b.sentences[k + 1].first_word and b.word_line[word] == line:
                    to = write_number(to, word + 1 - sentence.first_word)
                    to = self.write_columns(to, b, line, source, trees, word - base)
                    word += 1
                elif marks:
                    to = copy_lines(to, b, line, line + 1)
                else:
                    self.dropped[row_kind(b, line)] += 1
                set_end(&self.out, to)
            output_reserve(&self.out, 1)
            set_end(&self.out, copy_char(end_of(&self.out), c"\n"))
        return 0

    cdef int find_sources(self, layout, int32_t* source) except -1:
        """source[column of the target] = column of the source with that meaning, -1: none."""
        by_column = {column: field for field, column in self.layout.columns.items()}
        CHECK(<int>self.layout.least <= MOST_COLUMNS)
        for column in range(1, self.layout.least):
            source[column] = layout.column(by_column.get(column, ""))
        return 0

    cdef char* write_columns(self, char* to, const BatchC* b, uint32_t line, const int32_t* source,
                             const TreesC* trees, uint32_t i) except NULL:
        """All columns but the first, and the newline; the i-th word of the trees."""
        cdef int32_t column, head = self.layout.column("head"), deprel = self.layout.column("deprel")
        cdef int32_t deps = -1 if self.keep_deps else self.layout.column("deps")
        cdef bint spaces = self.layout.marks
        for column in range(1, <int32_t>self.layout.least):
            to = copy_char(to, c"\t")
            if trees != NULL and column == head:
                to = write_number(to, trees.heads[i])
            elif trees != NULL and column == deprel:
                to = write_converted_cell(to, label_cell(trees, i), spaces)
            elif source[column] < 0 or (trees != NULL and column == deps):
                to = copy_char(to, c"_")
            else:
                to = write_converted_cell(to, cell_of_line(b, line, source[column]), spaces)
        return copy_char(to, c"\n")


cdef size_t longest_growth(const TreesC* trees) noexcept:
    """What a row can grow by when HEAD, DEPREL and MISC are new."""
    cdef size_t longest = 128
    cdef int32_t k
    if trees != NULL:
        for k in range(trees.n_names):
            longest = max(longest, <size_t>trees.names[k].length + 128)
    return longest


cdef inline CellC label_cell(const TreesC* trees, uint32_t i) noexcept nogil:
    cdef CellC none
    if 0 <= trees.labels[i] < trees.n_names:
        return trees.names[trees.labels[i]]
    none.start, none.length = NO_LABEL, 1
    return none


cdef const char* NO_LABEL = "_\0______________________________"


cdef inline bint is_empty_node(const BatchC* b, uint32_t line) noexcept nogil:
    cdef const char* at = b.text + b.index.line[line]
    while c"0" <= at[0] <= c"9":
        at += 1
    return at[0] == c"."


cdef row_kind(const BatchC* b, uint32_t line):
    if b.text[b.index.line[line]] == c"#":
        return "comments"
    return "empty_nodes" if is_empty_node(b, line) else "multiwords"


cdef char* write_converted_cell(char* to, CellC cell, bint spaces_allowed) noexcept nogil:
    """CoNLL-X and CoNLL-2009 have no spaces inside columns: they become underscores."""
    cdef char* end = copy_cell(to, cell.start, cell.length)
    if not spaces_allowed:
        while to < end:
            if to[0] == c" ":
                to[0] = c"_"
            to += 1
    return end


cdef int require_trees(Batch batch, uint32_t first, uint32_t last, const int32_t* heads) except -1:
    """TreebankError for heads that no reader would take; they begin with sentence `first`'s first word."""
    cdef const BatchC* b = &batch.c
    cdef uint32_t k, start, base = b.sentences[first].first_word
    cdef int32_t n
    cdef TreeCheck found
    for k in range(first, last):
        start = b.sentences[k].first_word
        n = <int32_t>(b.sentences[k + 1].first_word - start)
        batch.reserve_scratch(6 * (n + 1))
        found = tree_check(heads + start - base, n, b.scratch)
        if found.problem == TreeProblem.OK or found.problem == TreeProblem.SEVERAL_ROOTS:
            continue
        if found.problem == TreeProblem.NO_HEAD and all_headless(heads + start - base, n):
            continue
        head = heads[start - base + found.word - 1] if found.word else 0
        what = tree.MESSAGES[found.problem].format(word=found.word, head=head, n=n)
        line = b.word_line[start + max(found.word, 1) - 1]
        raise TreebankError(f"new heads: {what}", batch.file, b.line_number + line + 1)
    return 0


cdef bint all_headless(const int32_t* heads, int32_t n) noexcept:
    cdef int32_t i
    for i in range(n):
        if heads[i] != -1:
            return False
    return True


def padded(values, n, name, dtype):
    array = np.asarray(values, dtype=dtype)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, expected one number for each of {n} words")
    return np.append(array, dtype(-1))
