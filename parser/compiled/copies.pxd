"""Which rows of a model's table have been copied, and where to: one copy serves every key that has the row.

In new text two of five rows are copies of others: of rare words and pairs, for which one template in many has weights.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef struct CopiesC:            # open addressing
    uint64_t* places            # where a row stands in the table, above its copy; 0: empty
    int32_t bits                # log2 of their number
    int64_t n                   # in use


# Room for n copies at first.
cdef int make_copies(CopiesC* copies, int32_t n) except -1 nogil
# The copy of a row, 0: there is none.
cdef uint32_t find_copy(const CopiesC* copies, uint32_t at) noexcept nogil
# Notes one, if there is room.
cdef void keep_copy(CopiesC* copies, uint32_t at, uint32_t row) noexcept nogil
cdef void forget_copies(CopiesC* copies) noexcept nogil


cdef inline bint should_have_room(const CopiesC* copies) noexcept nogil:
    """Is it time to make room for more? Until then there is still some."""
    return 4 * copies.n > <int64_t>1 << copies.bits


cdef inline const uint64_t* place_of_copy(const CopiesC* copies, uint32_t at) noexcept nogil:
    """Where the search for the copy of a row begins."""
    return copies.places + ((at * <uint64_t>0x9E3779B97F4A7C15) >> (64 - copies.bits))
