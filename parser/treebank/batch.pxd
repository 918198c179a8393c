"""A block of sentences as flat arrays. Owner of everything here: the Batch object that the struct is part of."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from parser.common cimport id_t
from parser.treebank.vocab cimport StringTable


cdef extern from "parser/treebank/scan.h":
    enum:
        SCAN_NUL, SCAN_CR, SCAN_NON_ASCII, SCAN_EMPTY_CELL, SCAN_CHANCE, SCAN_PADDING
    ctypedef struct scan_index:
        uint32_t lines
        uint32_t tabs
        uint32_t line_capacity
        uint32_t tab_capacity
        uint32_t* line
        uint32_t* tab0
        uint32_t* tab
        uint32_t done
        uint32_t flags
    void scan_reset(scan_index* x) noexcept nogil
    size_t utf8_valid_prefix(const char* text, size_t n) noexcept nogil
    uint32_t drop_cr_before_lf(char* text, uint32_t length) noexcept nogil


cdef enum SentenceMark:
    HAS_EXTRA_ROWS = 1      # multiword rows or empty nodes among the words
    UNPARSED = 2            # HEAD is `_` throughout


cdef struct SentenceC:
    uint32_t first_word     # index into the batch's words; the next sentence's first_word ends it
    uint32_t first_line     # comments included
    uint32_t end_line       # the blank line behind the last row
    uint32_t marks


cdef struct CellC:
    const char* start
    int32_t length


cdef struct BatchC:
    char* text              # the file's bytes, LF line ends; SCAN_PADDING bytes more may be read
    uint32_t length         # bytes in `text`; those behind used_lines belong to the next batch
    uint32_t capacity
    scan_index index        # where lines and tabs are
    uint32_t used_lines     # lines that belong to this batch's sentences
    uint64_t line_number    # 0-based number in the file of the batch's first line
    uint64_t sentence_number  # 0-based number in the file of the batch's first sentence
    SentenceC* sentences    # n_sentences + 1, the last one marks the end
    uint32_t n_sentences
    uint32_t sentence_capacity
    uint32_t* word_line     # line of each word
    int32_t* heads          # -1: none
    uint32_t n_words
    uint32_t word_capacity
    int32_t* scratch        # for checks of trees
    uint32_t scratch_capacity


cdef class Batch:
    cdef BatchC c
    cdef readonly object layout
    cdef readonly str file
    cdef dict ids           # column name -> numpy array of ids
    cdef object __weakref__

    cdef int intern_column(self, str field, StringTable table) except -1

    cdef int reserve_text(self, uint32_t capacity) except -1
    cdef int reserve_index(self, uint32_t lines, uint32_t tabs) except -1
    cdef int reserve_words(self, uint32_t words, uint32_t sentences) except -1
    cdef int reserve_scratch(self, uint32_t n) except -1


cdef class Sentence:
    cdef readonly Batch batch
    cdef readonly Py_ssize_t index

    cdef SentenceC* c(self) noexcept


cdef inline CellC cell_of_line(const BatchC* b, uint32_t line, int32_t column) noexcept nogil:
    """Column 0.. of a row with at least that many tabs."""
    cdef const uint32_t* tab = b.index.tab + b.index.tab0[line]
    cdef CellC cell
    cdef uint32_t start = b.index.line[line] if column == 0 else tab[column - 1] + 1
    cdef bint is_last = b.index.tab0[line] + column == b.index.tab0[line + 1]
    cell.start = b.text + start
    cell.length = <int32_t>((b.index.line[line + 1] - 1 if is_last else tab[column]) - start)
    return cell


cdef inline CellC inner_cell(const BatchC* b, uint32_t word, int32_t column) noexcept nogil:
    """A word's column that is neither the first nor the last: in every format all columns with a meaning but MISC."""
    cdef const uint32_t* tab = b.index.tab + b.index.tab0[b.word_line[word]] + column - 1
    cdef CellC cell
    cell.start = b.text + tab[0] + 1
    cell.length = <int32_t>(tab[1] - tab[0] - 1)
    return cell
