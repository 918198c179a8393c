"""Sums of the list at hand; see easy_memory.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from parser.compiled.memory cimport LINE, Memory, MemoryC, aligned, refs_of


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil


cdef enum:
    SUMS_A_WORD = 16        # that a long sentence may make
    MOST_BITS = 19          # as in memory.pyx


cdef class EasyMemory(Memory):
    def __cinit__(self):
        self.memory = self.of_word_memory = NULL
        self.bytes = 0
        memset(&self.list, 0, sizeof(ListMemoryC))

    def __init__(self, owner, int32_t width, int32_t most_keys, int32_t n_slots, int32_t n_refs, int32_t n_values,
                 int32_t n_sums):
        """As Memory; keys of a step, and sums of a shape or shares of an element."""
        cdef ListMemoryC* list = &self.list
        cdef size_t n = most_keys + 9
        Memory.__init__(self, owner, width, most_keys, most_keys + 1, n_slots, n_refs, n_values)
        self.c.ways = EASY_WAYS
        list.values = <uint64_t*>aligned(n_sums * sizeof(uint64_t))
        list.keys, list.found = <uint64_t*>aligned(n * sizeof(uint64_t)), <uint64_t*>aligned(n * sizeof(uint64_t))
        list.homes = <const easy_bucket**>aligned(n * sizeof(void*))
        list.owners = <int32_t*>aligned(n * sizeof(int32_t))

    def __dealloc__(self):
        cdef ListMemoryC* list = &self.list
        for memory in (<size_t>self.memory, <size_t>self.of_word_memory, <size_t>list.values, <size_t>list.keys,
                       <size_t>list.found, <size_t>list.homes, <size_t>list.owners):
            free(<void*>memory)

    cdef void remember_all(self, const void* buckets, int32_t bits) noexcept nogil:
        cdef const easy_bucket* bucket = <const easy_bucket*>buckets
        cdef size_t i
        cdef int32_t k
        for i in range(<size_t>1 << bits):
            for k in range(EASY_WAYS):
                if bucket[i].key[k] != 0:
                    remember(&self.c, bucket[i].key[k], bucket[i].row[k])

    cdef int begin_sentence(self, int32_t n) except -1 nogil:
        cdef ListMemoryC* list = &self.list
        cdef void* grown
        self.make_room(n)
        if n >= list.n_of_word:
            grown = realloc(self.of_word_memory, (2 * <size_t>n + 2) * sizeof(void*))
            if grown == NULL:
                with gil:
                    raise MemoryError(f"no memory for a sentence of {n} words")
            self.of_word_memory = grown
            list.of_word, list.n_of_word = <uint64_t**>grown + 1, 2 * n + 1
        (list.of_word - 1)[0], list.of_word[0] = self.c.none, self.c.root
        return 0

    cdef int begin_list(self, int32_t n) except -1 nogil:
        """Everything is to be made; no pair has a score."""
        cdef ListMemoryC* list = &self.list
        cdef int32_t i, slots = n + 2 * PADS + 1
        list.n_slots, list.n_tops = slots, (slots + 15) // 16 * 16
        list.n_blocks = (slots + BLOCK - 1) // BLOCK
        self.reserve_slots(<size_t>list.n_blocks * BLOCK)
        while (2 * (self.c.remembered + SUMS_A_WORD * <int64_t>n) > <int64_t>EASY_WAYS << (64 - self.c.places.shift)
               and 64 - self.c.places.shift < MOST_BITS):
            self.grow_buckets()
        list.lost = self.c.has_wide_rows
        for i in range(slots):
            list.element[i].left, list.element[i].right = i - 1, i + 1
            list.element[i].stale_plain = list.element[i].stale_rich = <uint32_t>-1
        list.element[0].left, list.element[slots - 1].right = 0, slots - 1
        for i in range(list.n_tops):
            list.top[i] = NO_PAIR
        for i in range((list.n_blocks + 15) // 16 * 16):
            list.block_top[i] = NO_PAIR
        return 0

    cdef int reserve_slots(self, size_t slots) except -1 nogil:
        cdef ListMemoryC* list = &self.list
        cdef size_t lines = self.n_lines * EASY_LANES * sizeof(int16_t)
        cdef size_t one = (lines + (self.n_rows + self.n_rich) * sizeof(uint64_t) + sizeof(ElementC)
                           + self.n_shapes * sizeof(CountC) + 3 * sizeof(int32_t))
        cdef char* at
        if slots * one <= self.bytes:
            return 0
        free(self.memory)
        self.memory, self.bytes = NULL, 0
        if posix_memalign(&self.memory, LINE, (slots + slots // 4) * one + 24 * LINE) != 0:
            self.memory = NULL
            with gil:
                raise MemoryError(f"no memory for a list of {slots} words")
        slots += slots // 4
        self.bytes = slots * one
        at = <char*>self.memory
        list.lines = <int16_t*>take(&at, slots * lines)
        list.rows = <uint64_t*>take(&at, slots * self.n_rows * sizeof(uint64_t))
        list.counts = <CountC*>take(&at, slots * self.n_shapes * sizeof(CountC))
        list.own = <uint64_t*>take(&at, slots * self.n_rich * sizeof(uint64_t))
        list.element = <ElementC*>take(&at, slots * sizeof(ElementC))
        list.top = <int32_t*>take(&at, slots * 4)
        list.pick = <int32_t*>take(&at, slots * 4)
        list.block_top = <int32_t*>take(&at, slots // BLOCK * 4 + LINE)
        return 0


cdef inline void* take(char** at, size_t bytes) noexcept nogil:
    cdef void* start = at[0]
    at[0] += (bytes + LINE - 1) // LINE * LINE
    return start


cdef void forget_rows(ListMemoryC* list) noexcept nogil:
    cdef MemoryC* m = list.m
    cdef int32_t i
    cdef size_t bytes = (m.words.values_at - m.words.refs_at) * sizeof(uint64_t)
    memset(m.places.buckets, 0, sizeof(easy_bucket) << (64 - m.places.shift))
    m.remembered = 0
    m.used = 1
    memset(refs_of(m, m.root), 0, bytes)
    for i in range(m.words.n):
        memset(refs_of(m, m.words.records + <size_t>i * m.words.length), 0, bytes)
    list.lost = True


cdef inline easy_bucket* neighbour(const MemoryC* m, const easy_bucket* bucket) noexcept nogil:
    return <easy_bucket*>m.places.buckets + ((bucket - <easy_bucket*>m.places.buckets) ^ 1)


cdef void remember(MemoryC* m, uint64_t key, uint64_t row) noexcept nogil:
    """In an empty place of its bucket or of that bucket's neighbour, else in place of another."""
    cdef easy_bucket* home = easy_home(&m.places, key)
    cdef easy_bucket* bucket = home
    cdef int32_t way = place_of(home, 0)
    if way < 0:
        bucket = neighbour(m, home)
        way = place_of(bucket, 0)
    if way < 0:
        bucket, way = home, <int32_t>(key >> 17 & (EASY_WAYS - 1))
    m.remembered += bucket.key[way] == 0
    bucket.key[way], bucket.row[way] = key, row


cdef uint64_t look_up(const MemoryC* m, uint64_t key) noexcept nogil:
    cdef const easy_bucket* bucket = easy_home(&m.places, key)
    cdef int32_t way = place_of(bucket, key)
    if way < 0 and place_of(bucket, 0) < 0:
        bucket = neighbour(m, bucket)
        way = place_of(bucket, key)
    return bucket.row[way] if way >= 0 else 0


cdef inline int32_t place_of(const easy_bucket* bucket, uint64_t key) noexcept nogil:
    """0: the first that is empty."""
    cdef int32_t i
    for i in range(EASY_WAYS):
        if bucket.key[i] == key:
            return i
    return -1
