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
    AT_ONCE = 64            # bytes that `put_row` copies at once, whatever is asked for


# New trees of consecutive words. Owner: the caller.
cdef struct TreesC:
    const int32_t* heads
    const int32_t* labels           # ids into names
    const CellC* names              # each padded for `put`
    int32_t n_names
    const float* head_chances       # NULL: no probabilities
    const float* label_chances


cdef int output_reserve(OutputC* out, size_t more) except -1 nogil


cdef inline void put(OutputC* out, const char* text, size_t length) noexcept nogil:
    """Appends bytes from a batch's text, 16 at a time: both sides are padded. Reserve first."""
    cdef size_t done = 16
    cdef char* to = out.data + out.length
    memcpy(to, text, 16)        # most cells, without a branch that depends on their length
    if length > 256:
        memcpy(to, text, length)
    else:
        while done < length:
            memcpy(to + done, text + done, 16)
            done += 16
    out.length += length


cdef inline void put_row(OutputC* out, const char* text, size_t length) noexcept nogil:
    """The same for a longer piece: AT_ONCE bytes, which mostly are enough."""
    cdef char* to = out.data + out.length
    memcpy(to, text, AT_ONCE)
    if length > AT_ONCE:
        memcpy(to + AT_ONCE, text + AT_ONCE, length - AT_ONCE)
    out.length += length


cdef inline void put_char(OutputC* out, char c) noexcept nogil:
    out.data[out.length] = c
    out.length += 1


cdef class Writer:
    cdef OutputC out
    cdef readonly object stream
    cdef readonly object layout
    cdef readonly bint keep_deps
    cdef readonly dict dropped      # what the target format has no place for: kind of row -> how many

    cdef int write_same(self, Batch batch, uint32_t first, uint32_t last) except -1
    cdef int write_with(self, Batch batch, uint32_t first, uint32_t last, heads, labels, label_names,
                        probabilities) except -1
    cdef int write_trees(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1
    cdef int write_converted(self, Batch batch, uint32_t first, uint32_t last, const TreesC* trees) except -1
    cdef int find_sources(self, layout, int32_t* source) except -1
    cdef int put_columns(self, const BatchC* b, uint32_t line, const int32_t* source, const TreesC* trees,
                         uint32_t i) except -1
