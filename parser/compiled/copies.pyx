"""Copies of rows; see copies.pxd."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset


cdef int make_copies(CopiesC* copies, int32_t n) except -1 nogil:
    cdef CopiesC old = copies[0]
    cdef uint64_t i
    while <int64_t>1 << copies.bits < 4 * <int64_t>n:
        copies.bits += 1
    copies.places, copies.n = <uint64_t*>calloc(<size_t>1 << copies.bits, sizeof(uint64_t)), 0
    if copies.places == NULL:
        copies[0] = old
        with gil:
            raise MemoryError(f"no memory for copies of {n} rows")
    if old.places != NULL:
        for i in range(<uint64_t>1 << old.bits):
            if old.places[i] != 0:
                keep_copy(copies, <uint32_t>(old.places[i] >> 32), <uint32_t>old.places[i])
    free(old.places)
    return 0


cdef uint32_t find_copy(const CopiesC* copies, uint32_t at) noexcept nogil:
    cdef uint64_t i = place_of_copy(copies, at) - copies.places
    while copies.places[i] != 0:
        if copies.places[i] >> 32 == at:
            return <uint32_t>copies.places[i]
        i = (i + 1) & ((<uint64_t>1 << copies.bits) - 1)
    return 0


cdef void keep_copy(CopiesC* copies, uint32_t at, uint32_t row) noexcept nogil:
    cdef uint64_t i = place_of_copy(copies, at) - copies.places
    if 2 * copies.n >= <int64_t>1 << copies.bits:
        return
    while copies.places[i] != 0:
        i = (i + 1) & ((<uint64_t>1 << copies.bits) - 1)
    copies.places[i] = <uint64_t>at << 32 | row
    copies.n += 1


cdef void forget_copies(CopiesC* copies) noexcept nogil:
    memset(copies.places, 0, sizeof(uint64_t) << copies.bits)
    copies.n = 0
