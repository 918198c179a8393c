from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy

from parser.treebank.batch cimport Batch, BatchC, CellC


# Bytes on their way to a stream. Owner: the Writer that the struct is part of.
cdef struct OutputC:
    char* data              # OUTPUT_PADDING bytes more may be written than `capacity`
    size_t length
    size_t capacity


cdef enum:
    OUTPUT_PADDING = 128
    A_CELL = 32             # bytes that are copied at once, whatever is asked for: of a cell,
    A_ROW = 64              # and of most of a row


# New trees of consecutive words. Owner: the caller.
cdef struct TreesC:
    const int32_t* heads
    const int32_t* labels           # ids into names
    const CellC* names              # each padded, see below
    int32_t n_names
    const float* head_chances       # NULL: no probabilities
    const float* label_chances


cdef int output_reserve(OutputC* out, size_t more) except -1 nogil


# What follows writes to a place and gives the place behind it, which a loop keeps in a register. Reserve first. Both
# sides are padded; no branch depends on a usual length, since lengths follow no pattern that a processor could foresee.

cdef inline char* copy_cell(char* to, const char* text, size_t length) noexcept nogil:
    memcpy(to, text, A_CELL)
    if length > A_CELL:
        memcpy(to + A_CELL, text + A_CELL, length - A_CELL)
    return to + length


cdef inline char* copy_row(char* to, const char* text, size_t length) noexcept nogil:
    memcpy(to, text, A_ROW)
    if length > A_ROW:
        memcpy(to + A_ROW, text + A_ROW, length - A_ROW)
    return to + length


cdef inline char* copy_char(char* to, char c) noexcept nogil:
    to[0] = c
    return to + 1


cdef inline char* end_of(OutputC* out) noexcept nogil:
    return out.data + out.length


cdef inline void set_end(OutputC* out, const char* end) noexcept nogil:
    out.length = end - out.data


cdef class Writer:
    cdef OutputC out
    cdef readonly object stream
    cdef readonly object layout
    cdef readonly bint keep_deps
    cdef readonly bint check
    cdef readonly bint hold
    cdef readonly dict dropped      # what the target format has no place for: kind of row -> how many

    cdef int write_same(self, Batch batch, uint32_t first, uint32_t last) except -1
    cdef int write_with(self, Batch batch, uint32_t first, uint32_t last, heads, labels, label_names,
                        probabilities) except -1
    cdef int write_trees(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1
    cdef int write_converted(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1
    cdef int find_sources(self, layout, int32_t* source) except -1
    cdef char* write_columns(self, char* to, const BatchC* b, uint32_t line, const int32_t* source,
                             const TreesC* trees, uint32_t i) except NULL
