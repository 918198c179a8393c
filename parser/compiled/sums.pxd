"""What all sessions of a parser remember together: rows, and the keys under which they are found.

A session takes lines of the arena piece by piece and writes its rows there; then it puts their keys into the table.
Rows never change after that, so others need no lock to read them; and a key that two sessions write at once, or that is
lost while the table grows, is made again: all that can go wrong is time. The lock is for coming, going and growing.
"""

from cpython.pythread cimport PyThread_type_lock
from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

cdef enum:
    LINE = 64                       # bytes: what a processor fetches at once, and the alignment of rows
    FIRST_BITS = 12                 # log2 of the buckets; at most
    MOST_BITS = 19                  # so many: 32 MiB
    ARENA_LINES = 1 << 21           # 128 MiB, touched as needed; behind them spare rows
    MOST_USERS = 64

cdef extern from "parser/compiled/shared.h":
    uint32_t shared_get_32(const uint32_t* at) noexcept nogil
    void shared_put_32(uint32_t* at, uint32_t value) noexcept nogil
    uint64_t shared_get_64(const uint64_t* at) noexcept nogil
    void shared_put_64(uint64_t* at, uint64_t value) noexcept nogil
    void shared_add_64(uint64_t* at, uint64_t more) noexcept nogil
    bint shared_add_32_if(uint32_t* at, uint32_t before, uint32_t more) noexcept nogil


cdef struct SumsC:
    char* arena                     # lines of rows; does not move
    void* tables[MOST_BITS + 1]     # of buckets, by bits; smaller ones may still be read by somebody
    uint64_t users                  # under the lock: a bit each, which tells their spare rows
    uint32_t n_lines                # of the arena that may be used
    # shared, see shared.h:
    uint32_t taken                  # the first line that nobody has
    uint32_t bits                   # of the table at hand
    uint32_t has_wide_rows          # numbers of a sum left 16 bits: its row cannot be used
    uint64_t remembered             # keys in the table


cdef class Store:
    cdef SumsC* current             # of those who come next; NULL: there are none
    cdef PyThread_type_lock lock    # waited for without the GIL
    cdef size_t spare_bytes         # of each user
    cdef uint32_t first_line        # of the arena that may be taken; those before it have zeros, but for
    cdef int16_t bound              # a number of the first row,
    cdef int32_t bound_at           # which stands there
    cdef int32_t most_users

    # Sums to share, and which user one is; leave them at the end.
    cdef SumsC* join(self, int32_t* user) except NULL nogil
    cdef void leave(self, SumsC* sums, int32_t user) noexcept nogil
    # Sums with nothing in them to go on with: the same if nobody else uses them, or those that others have begun.
    cdef SumsC* renew(self, SumsC* sums, int32_t* user) except NULL nogil
    # The line where a user's spare rows begin.
    cdef uint32_t spare_line(self, int32_t user) noexcept nogil
    cdef int32_t n_users(self, const SumsC* sums) noexcept nogil
    cdef void acquire(self) noexcept nogil
    cdef void release(self) noexcept nogil

    # Under the lock:
    cdef bint is_alone(self, const SumsC* sums) noexcept nogil
    cdef SumsC* open_place(self, const SumsC* full, int32_t* user) noexcept nogil
    cdef void close_place(self, SumsC* sums, int32_t user) noexcept nogil
    cdef SumsC* new_sums(self) noexcept nogil
    cdef void clear(self, SumsC* sums) noexcept nogil


# Memory that is read at random, at a multiple of LINE; pages cost nothing until touched. free() it. NULL: none is left.
cdef void* large_or_null(size_t bytes) noexcept nogil
# Empty buckets; NULL: there is no memory.
cdef void* empty_buckets(uint32_t bits) noexcept nogil
