"""Batch: a block of sentences as flat arrays; Sentence: a handle on one of them, made only when Python asks.

The bytes of the file stay as they were read; words are rows of them. A column of a word is found through the positions
of the tabs, so any cell can be shown or written back without having been copied.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

import numpy as np

from parser.common cimport MISSING, id_t
from parser.treebank.vocab cimport StringTable, intern_cell


cdef int grow(void** block, size_t bytes_wanted) except -1:
    cdef void* grown = realloc(block[0], bytes_wanted)
    if grown == NULL:
        raise MemoryError(f"cannot allocate {bytes_wanted} bytes for a batch of sentences")
    block[0] = grown
    return 0


cdef class Batch:
    """A block of sentences; `Reader.fill` fills it, again and again if wanted.

    file: where it comes from; layout: its format.
    """

    def __cinit__(self):
        memset(&self.c, 0, sizeof(self.c))
        self.reserve_words(256, 64)
        self.ids = {}

    def __dealloc__(self):
        free(self.c.text)
        free(self.c.index.line)
        free(self.c.index.tab0)
        free(self.c.index.tab)
        free(self.c.sentences)
        free(self.c.word_line)
        free(self.c.heads)
        free(self.c.scratch)

    cdef int reserve_text(self, uint32_t capacity) except -1:
        if capacity > self.c.capacity:
            grow(<void**>&self.c.text, <size_t>capacity + SCAN_PADDING)
            self.c.capacity = capacity
        return 0

    cdef int reserve_index(self, uint32_t lines, uint32_t tabs) except -1:
        cdef scan_index* x = &self.c.index
        if lines > x.line_capacity:
            grow(<void**>&x.line, lines * sizeof(uint32_t))
            grow(<void**>&x.tab0, lines * sizeof(uint32_t))
            x.line_capacity = lines
        if tabs > x.tab_capacity:
            grow(<void**>&x.tab, tabs * sizeof(uint32_t))
            x.tab_capacity = tabs
        return 0

    cdef int reserve_words(self, uint32_t words, uint32_t sentences) except -1:
        if words > self.c.word_capacity:
            grow(<void**>&self.c.word_line, words * sizeof(uint32_t))
            grow(<void**>&self.c.heads, words * sizeof(int32_t))
            self.c.word_capacity = words
        if sentences + 1 > self.c.sentence_capacity:
            grow(<void**>&self.c.sentences, (sentences + 1) * sizeof(SentenceC))
            self.c.sentence_capacity = sentences + 1
        return 0

    cdef int reserve_scratch(self, uint32_t n) except -1:
        if n > self.c.scratch_capacity:
            grow(<void**>&self.c.scratch, n * sizeof(int32_t))
            self.c.scratch_capacity = n
        return 0

    def __len__(self):
        """Number of sentences."""
        return self.c.n_sentences

    @property
    def n_words(self):
        """Number of words of all sentences."""
        return self.c.n_words

    @property
    def heads(self):
        """Head of every word (int32): 1-based within its sentence, 0 ROOT, -1 none. A copy."""
        array = np.empty(self.c.n_words, dtype=np.int32)
        cdef int32_t[::1] view = array
        cdef uint32_t w
        for w in range(self.c.n_words):
            view[w] = self.c.heads[w]
        return array

    @property
    def offsets(self):
        """Index of each sentence's first word, and the number of words last (int64, len(batch) + 1)."""
        array = np.empty(self.c.n_sentences + 1, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef uint32_t k
        for k in range(self.c.n_sentences + 1):
            view[k] = self.c.sentences[k].first_word
        return array

    def column_bytes(self, str field not None):
        """A column as Arrow lays out strings: (characters in UTF-8 behind each other, where each cell starts).

        The offsets (int32) are one more than the words. Cells are `_` where the format lacks the column.
        """
        cdef int32_t column = self.layout.column(field)
        cdef uint32_t w
        cdef CellC cell
        cdef char* out
        offsets = np.zeros(self.c.n_words + 1, np.int32)
        cdef int32_t[::1] ends = offsets
        with nogil:
            for w in range(self.c.n_words):
                cell = cell_or_underscore(&self.c, w, column)
                ends[w + 1] = ends[w] + cell.length
        data = bytearray(ends[self.c.n_words])
        out = PyByteArray_AS_STRING(data)
        with nogil:
            for w in range(self.c.n_words):
                cell = cell_or_underscore(&self.c, w, column)
                memcpy(out + ends[w], cell.start, cell.length)
        return data, offsets

    def has_values(self, str field not None):
        """Has any word anything but `_` there? Looks no further than the first that has."""
        cdef int32_t column = self.layout.column(field)
        cdef uint32_t w
        if column < 0:
            return False
        for w in range(self.c.n_words):
            if not is_underscore(cell_of_line(&self.c, self.c.word_line[w], column)):
                return True
        return False

    def column_ids(self, str field not None):
        """The ids of a column of strings (int32, one a word), as interned by the reader."""
        if field not in self.ids:
            raise KeyError(f"column {field!r} was not interned: name it in the reader's `intern`")
        return self.ids[field]

    cdef int intern_column(self, str field, StringTable table) except -1:
        """Fills the ids of one column. `_` is missing, but for FORM, and for LEMMA where the form is `_` too."""
        cdef int32_t column = self.layout.column(field)
        array = np.empty(self.c.n_words, dtype=np.int32)
        self.ids[field] = array
        if column < 0 or self.c.n_words == 0:
            array.fill(MISSING)
            return 0
        cdef int32_t[::1] view = array
        cdef id_t* out = &view[0]
        cdef int32_t form = self.layout.column("form")
        cdef bint is_form = field == "form"
        cdef bint is_lemma = field == "lemma"
        cdef uint32_t w
        cdef CellC cell
        with nogil:
            for w in range(self.c.n_words):
                cell = inner_cell(&self.c, w, column)
                if cell.length == 1 and cell.start[0] == c"_" and not is_form:
                    if not is_lemma or not is_underscore(inner_cell(&self.c, w, form)):
                        out[w] = MISSING
                        continue
                out[w] = intern_cell(table, cell.start, cell.length)
        return 0

    def intern(self, vocab, fields):
        """Fills the ids of the named columns from the vocab's tables."""
        self.ids = {}
        for field in fields:
            self.intern_column(field, vocab[field])

    def __getitem__(self, Py_ssize_t k):
        if k < 0:
            k += self.c.n_sentences
        if not 0 <= k < self.c.n_sentences:
            raise IndexError(f"sentence {k} of a batch of {self.c.n_sentences}")
        return Sentence(self, k)

    def __iter__(self):
        for k in range(self.c.n_sentences):
            yield Sentence(self, k)


cdef inline bint is_underscore(CellC cell) noexcept nogil:
    return cell.length == 1 and cell.start[0] == c"_"


cdef inline CellC cell_or_underscore(const BatchC* b, uint32_t word, int32_t column) noexcept nogil:
    cdef CellC cell
    if column >= 0:
        return cell_of_line(b, b.word_line[word], column)
    cell.start, cell.length = "_", 1
    return cell


cdef class Sentence:
    """One sentence of a batch: strings are decoded and arrays cut out only when asked for.

    batch: the one that it is part of, index: its number there. A batch that is filled anew has other sentences.
    """

    def __init__(self, Batch batch not None, Py_ssize_t index):
        self.batch = batch
        self.index = index

    cdef SentenceC* c(self) noexcept:
        return &self.batch.c.sentences[self.index]

    def __len__(self):
        """Number of words; multiword rows and empty nodes do not count."""
        return self.c()[1].first_word - self.c().first_word

    @property
    def line(self):
        """1-based line of the file where the sentence starts, comments included."""
        return self.batch.c.line_number + self.c().first_line + 1

    @property
    def number(self):
        """1-based number of the sentence in the file, among those that were read."""
        return self.batch.c.sentence_number + self.index + 1

    @property
    def text(self):
        """The rows as in the file, without the blank line behind them."""
        cdef const uint32_t* line = self.batch.c.index.line
        cdef uint32_t start = line[self.c().first_line], end = line[self.c().end_line]
        return self.batch.c.text[start:end].decode()

    def rows(self):
        """The sentence's lines as lists of cells, comments as lists of one."""
        return [[row] if row.startswith("#") else row.split("\t") for row in self.text.removesuffix("\n").split("\n")]

    def column(self, str field not None):
        """A column of the words as a list of strings (`_` where the format lacks the column)."""
        cdef int32_t column = self.batch.layout.column(field)
        if column < 0:
            return ["_"] * len(self)
        cdef uint32_t w
        cdef CellC cell
        found = []
        for w in range(self.c().first_word, self.c()[1].first_word):
            cell = cell_of_line(&self.batch.c, self.batch.c.word_line[w], column)
            found.append(cell.start[:cell.length].decode())
        return found

    @property
    def words(self):
        """The forms."""
        return self.column("form")

    @property
    def labels(self):
        """The labels, `_` where there is none."""
        return self.column("deprel")

    @property
    def heads(self):
        """Heads of the words (int32): 0 ROOT, -1 none."""
        array = np.empty(len(self), dtype=np.int32)
        cdef int32_t[::1] view = array
        cdef uint32_t first = self.c().first_word
        cdef Py_ssize_t i
        for i in range(array.size):
            view[i] = self.batch.c.heads[first + i]
        return array

    def ids(self, str field not None):
        """A view of the ids of one interned column."""
        return self.batch.column_ids(field)[self.c().first_word:self.c()[1].first_word]

    @property
    def is_parsed(self):
        """False where HEAD is `_` throughout."""
        return not self.c().marks & UNPARSED

    @property
    def comments(self):
        """Lines that start with `#`, as they are."""
        cdef const BatchC* b = &self.batch.c
        cdef const char* start
        cdef uint32_t line = self.c().first_line
        found = []
        while line < self.c().end_line and b.text[b.index.line[line]] == c"#":
            start = b.text + b.index.line[line]
            found.append(start[:b.index.line[line + 1] - 1 - b.index.line[line]].decode())
            line += 1
        return found

    @property
    def name(self):
        """The `sent_id` comment, or `sentence N` where there is none."""
        for comment in self.comments:
            key, equals, value = comment[1:].partition("=")
            if equals and key.strip() == "sent_id":
                return value.strip()
        return f"sentence {self.number}"

    @property
    def multiwords(self):
        """Multiword rows as (first word, last word, form)."""
        if not self.c().marks & HAS_EXTRA_ROWS:
            return []
        found = []
        for row in self.rows():
            first, dash, last = row[0].partition("-")
            if dash and not row[0].startswith("#"):
                found.append((int(first), int(last), row[1]))
        return found

    @property
    def empty_nodes(self):
        """Empty nodes as (word they stand behind, number, form)."""
        if not self.c().marks & HAS_EXTRA_ROWS:
            return []
        found = []
        for row in self.rows():
            word, dot, node = row[0].partition(".")
            if dot and not row[0].startswith("#"):
                found.append((int(word), int(node), row[1]))
        return found

    def __repr__(self):
        return f"<Sentence {self.name}: {' '.join(self.words)}>"
