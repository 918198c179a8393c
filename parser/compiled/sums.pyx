"""Sums that sessions share; see sums.pxd."""

from cpython.pythread cimport (WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
                               PyThread_release_lock)
from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil

cdef extern from "parser/score/pages.h":
    void* pages_malloc(size_t n) noexcept nogil

cdef enum:
    MOST_BYTES = 0xFFFFFFFF     # 32 bits tell the place of a row


cdef void* large_or_null(size_t bytes) noexcept nogil:
    cdef void* memory = pages_malloc(max(bytes, <size_t>1 << 21))
    if <size_t>memory % LINE != 0:      # where there are no huge pages
        free(memory)
        memory = NULL
        if posix_memalign(&memory, LINE, bytes) != 0:
            return NULL
    return memory


cdef void* empty_buckets(uint32_t bits) noexcept nogil:
    cdef void* memory = large_or_null(<size_t>LINE << bits)
    if memory != NULL:
        memset(memory, 0, <size_t>LINE << bits)
    return memory


cdef class Store:
    def __cinit__(self):
        self.current, self.lock = NULL, NULL

    def __init__(self, size_t spare_bytes, uint32_t first_line, int32_t bound_at=0, int16_t bound=0):
        """spare_bytes: of a user's rows that find no room in the arena; a multiple of LINE."""
        cdef size_t room = (MOST_BYTES - <size_t>ARENA_LINES * LINE) // max(spare_bytes, <size_t>1)
        if room < 1:
            raise ValueError(f"no room for the {spare_bytes:,} bytes of rows that a state may need")
        self.spare_bytes, self.first_line, self.bound_at, self.bound = spare_bytes, first_line, bound_at, bound
        self.most_users = <int32_t>min(room, <size_t>MOST_USERS)
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError("no memory for a lock")

    def __dealloc__(self):
        # every user holds the Store, so that none is left
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef void acquire(self) noexcept nogil:
        PyThread_acquire_lock(self.lock, WAIT_LOCK)

    cdef void release(self) noexcept nogil:
        PyThread_release_lock(self.lock)

    cdef SumsC* join(self, int32_t* user) except NULL nogil:
        cdef SumsC* found
        self.acquire()
        found = self.open_place(NULL, user)
        self.release()
        if found == NULL:
            with gil:
                raise MemoryError("no memory for remembered sums")
        return found

    cdef void leave(self, SumsC* sums, int32_t user) noexcept nogil:
        self.acquire()
        self.close_place(sums, user)
        self.release()

    cdef SumsC* renew(self, SumsC* sums, int32_t* user) except NULL nogil:
        cdef SumsC* found = sums
        cdef int32_t before = user[0]
        self.acquire()
        if self.is_alone(sums) and (self.current == sums or self.current == NULL):
            self.current = sums
            self.clear(sums)
        else:
            found = self.open_place(sums, user)
            if found != NULL:
                self.close_place(sums, before)
        self.release()
        if found == NULL:
            with gil:
                raise MemoryError("no memory for remembered sums")
        return found

    cdef bint is_alone(self, const SumsC* sums) noexcept nogil:
        return sums.users & (sums.users - 1) == 0

    cdef int32_t n_users(self, const SumsC* sums) noexcept nogil:
        cdef uint64_t users
        cdef int32_t n = 0
        self.acquire()
        users = sums.users
        self.release()
        while users:
            users &= users - 1
            n += 1
        return n

    cdef uint32_t spare_line(self, int32_t user) noexcept nogil:
        return <uint32_t>(ARENA_LINES + user * (self.spare_bytes // LINE))

    cdef SumsC* open_place(self, const SumsC* full, int32_t* user) noexcept nogil:
        """Of the sums at hand; of new ones where these are `full`, or have no place left."""
        cdef uint64_t every = (<uint64_t>-1) >> (64 - self.most_users)
        cdef int32_t k = 0
        if self.current == NULL or self.current == full or self.current.users == every:
            self.current = self.new_sums()
            if self.current == NULL:
                return NULL
        while self.current.users >> k & 1:
            k += 1
        self.current.users |= <uint64_t>1 << k
        user[0] = k
        return self.current

    cdef void close_place(self, SumsC* sums, int32_t user) noexcept nogil:
        cdef int32_t bits
        sums.users &= ~(<uint64_t>1 << user)
        if sums.users != 0:
            return
        if self.current == sums:
            self.current = NULL
        for bits in range(MOST_BITS + 1):
            free(sums.tables[bits])
        free(sums.arena)
        free(sums)

    cdef SumsC* new_sums(self) noexcept nogil:
        cdef SumsC* sums = <SumsC*>calloc(1, sizeof(SumsC))
        if sums == NULL:
            return NULL
        sums.arena = <char*>large_or_null(<size_t>ARENA_LINES * LINE + self.most_users * self.spare_bytes)
        sums.tables[FIRST_BITS] = empty_buckets(FIRST_BITS)
        if sums.arena == NULL or sums.tables[FIRST_BITS] == NULL:
            free(sums.arena)
            free(sums.tables[FIRST_BITS])
            free(sums)
            return NULL
        sums.n_lines, sums.bits, sums.taken = ARENA_LINES, FIRST_BITS, self.first_line
        memset(sums.arena, 0, self.first_line * LINE)
        (<int16_t*>sums.arena)[self.bound_at] = self.bound
        return sums

    cdef void clear(self, SumsC* sums) noexcept nogil:
        """Of one user."""
        memset(sums.tables[sums.bits], 0, <size_t>LINE << sums.bits)
        sums.taken, sums.remembered, sums.has_wide_rows = self.first_line, 0, 0
