"""Columns of strings in memory that belongs to somebody else: Arrow's layout, read through the buffer protocol."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from parser.feature.atoms cimport N_COLUMNS
from parser.treebank.batch cimport CellC


cdef enum IntKind:
    I8, I16, I32, I64, U8, U16, U32, U64


cdef struct IntsC:
    const void* data            # NULL: there are none
    IntKind kind
    int64_t n


cdef inline int64_t int_at(const IntsC* a, int64_t i) noexcept nogil:
    """A number of any width; uint64 beyond int64 comes out negative."""
    if a.kind == IntKind.I32:
        return (<const int32_t*>a.data)[i]
    if a.kind == IntKind.I64 or a.kind == IntKind.U64:
        return (<const int64_t*>a.data)[i]
    if a.kind == IntKind.I8:
        return (<const int8_t*>a.data)[i]
    if a.kind == IntKind.I16:
        return (<const int16_t*>a.data)[i]
    if a.kind == IntKind.U8:
        return (<const uint8_t*>a.data)[i]
    if a.kind == IntKind.U16:
        return (<const uint16_t*>a.data)[i]
    return (<const uint32_t*>a.data)[i]


cdef class Memory:
    """Holds a buffer for as long as it is used."""
    cdef Py_buffer view
    cdef bint held


cdef class Ints(Memory):
    cdef IntsC c


cdef struct StringsC:
    const char* data
    IntsC offsets               # of the strings, one more than there are
    IntsC codes                 # number of each word's string; data NULL: word i has string i
    const uint8_t* valid        # bit i: is there an i-th value? NULL: all are there
    int64_t first_bit
    int64_t n                   # words


cdef inline CellC string_at(const StringsC* s, int64_t i) noexcept nogil:
    """The i-th word's string; start is NULL where there is none. Has length 0 also where it is empty."""
    cdef CellC cell
    cdef int64_t k = i, bit = s.first_bit + i, start
    cell.start = NULL
    cell.length = 0
    if s.valid != NULL and not s.valid[bit >> 3] >> (bit & 7) & 1:
        return cell
    if s.codes.data != NULL:
        k = int_at(&s.codes, i)
        if k < 0:
            return cell
    start = int_at(&s.offsets, k)
    cell.start = s.data + start
    cell.length = <int32_t>(int_at(&s.offsets, k + 1) - start)
    return cell


cdef class Strings:
    cdef StringsC c
    cdef Memory data, valid     # hold what c points into
    cdef Ints offsets, codes

    cdef int check(self, int64_t n_bytes, int64_t n_strings) except -1
    cdef int64_t split_character(self, int64_t n_strings, int64_t end) noexcept nogil
    cdef int64_t wrong_code(self, int64_t n_strings) noexcept nogil


@cython.final
cdef class Words:
    """The columns of the words of sentences, checked once and then read by any number of threads."""
    cdef StringsC columns[N_COLUMNS]
    cdef bint given[N_COLUMNS]
    cdef list owners
    cdef Ints offsets           # of the sentences
    cdef readonly int64_t n_sentences
    cdef readonly int64_t first     # the first sentence's first word
    cdef readonly int64_t n_words

    cdef int check(self, int64_t number) except -1
    cdef int64_t descent(self) noexcept nogil
    cdef int64_t empty_form(self) noexcept nogil
    # Writes the cells of n words, [word * N_COLUMNS + column], length 0 where nothing is known.
    cdef void gather(self, int64_t first, int32_t n, CellC* cells) noexcept nogil

    cdef inline int64_t end_of(self, int64_t sentence) noexcept nogil:
        """Where among the results the word behind the sentence's last one stands."""
        return int_at(&self.offsets.c, sentence + 1) - self.first


# The cells of one column of a sentence given as a list or tuple of str, which keeps them alive.
cdef int cells_of(object strings, int32_t column, int32_t n, CellC* cells) except -1
