"""Sums of the list at hand; see easy_memory.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from parser.compiled.memory cimport (FIRST_LINE, LINE, Memory, MemoryC, aligned, bits_of, count_fresh, has_room_for,
                                     n_remembered, refs_of)
from parser.compiled.sums cimport MOST_BITS, Store, shared_get_32, shared_put_64
from parser.transition.list_state cimport LinkC, ListC, list_bytes
from parser.transition.node cimport NodeC


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil


cdef enum:
    SUMS_A_WORD = 16        # that a long sentence may make
    WINDOW = 6              # as in easy_flat.pxd


cdef class EasyMemory(Memory):
    def __cinit__(self):
        self.lanes = NULL
        self.n_busy = 0
        memset(&self.step, 0, sizeof(easy_step))

    def __init__(self, owner, int32_t width, flat, int32_t n_slots, int32_t n_values, int32_t n_sums):
        """As Memory; flat: the plan. n_sums: shares of an element, at most."""
        cdef int32_t seen = LANES * (AT_ONCE + WINDOW - 1), n_lines = flat.n_sources + EASY_SPARE, i, k
        cdef size_t n = seen * <size_t>flat.most_keys + 2 * EASY_EIGHT      # whole eights are written
        cdef easy_step* step = &self.step
        cdef ListMemoryC* list
        Memory.__init__(self, owner, Store(n * width * sizeof(int16_t), FIRST_LINE), width, <int32_t>n, n_slots,
                        flat.n_refs, n_values, shares=False)
        self.c.ways = EASY_WAYS
        self.n_rows, self.n_shapes, self.n_rich = flat.n_rows, flat.n_shapes, flat.n_rich
        step.part = <easy_part*>aligned(2 * seen * flat.n_shapes * sizeof(easy_part))
        step.share = <const uint64_t**>aligned(seen * flat.most_shares * sizeof(void*))
        step.key, step.row = <uint64_t*>aligned(n * sizeof(uint64_t)), <uint64_t*>aligned(n * sizeof(uint64_t))
        step.home = <const easy_bucket**>aligned(n * sizeof(void*))
        step.owner = <int32_t*>aligned(n * sizeof(int32_t))
        step.asked = <uint64_t*>aligned(n * sizeof(uint64_t))
        step.asked_owner = <int32_t*>aligned(n * sizeof(int32_t))
        step.sum = <uint64_t*>aligned((flat.most_sums + 1) * sizeof(uint64_t))
        self.lanes = <ListMemoryC*>aligned(LANES * sizeof(ListMemoryC))
        for i in range(LANES):
            self.busy[i] = list = &self.lanes[i]
            list.m = &self.c
            list.values = <uint64_t*>aligned(n_sums * sizeof(uint64_t))
            list.pair[0].source = <uint64_t*>aligned(2 * AT_ONCE * n_lines * sizeof(uint64_t))
            for k in range(AT_ONCE):
                list.pair[k].source = list.pair[0].source + 2 * k * n_lines
                list.pair[k].wide = list.pair[k].source + n_lines

    def __dealloc__(self):
        cdef ListMemoryC* list
        cdef easy_step* step = &self.step
        cdef int32_t i
        for memory in (<size_t>step.part, <size_t>step.share, <size_t>step.key, <size_t>step.row, <size_t>step.home,
                       <size_t>step.owner, <size_t>step.asked, <size_t>step.asked_owner, <size_t>step.sum):
            free(<void*><size_t>memory)
        for i in range(LANES if self.lanes != NULL else 0):
            list = &self.lanes[i]
            for memory in (<size_t>list.memory, <size_t>list.of_word_memory, <size_t>list.values,
                           <size_t>list.pair[0].source):
                free(<void*><size_t>memory)
        free(self.lanes)

    cdef void remember_all(self, const void* buckets, uint32_t bits) noexcept nogil:
        cdef const easy_bucket* bucket = <const easy_bucket*>buckets
        cdef size_t i
        cdef int32_t k
        for i in range(<size_t>1 << bits):
            for k in range(EASY_WAYS):
                if bucket[i].key[k] != 0:
                    remember(&self.c, bucket[i].key[k], bucket[i].row[k])

    cdef ListMemoryC* begin(self, int32_t n) except NULL nogil:
        cdef ListMemoryC* list = self.busy[self.n_busy]
        cdef void* grown
        if self.n_busy == 0:
            self.make_room(n)
        if n >= list.n_of_word:
            grown = realloc(list.of_word_memory, (2 * <size_t>n + 2) * sizeof(void*))
            if grown == NULL:
                with gil:
                    raise MemoryError(f"no memory for a sentence of {n} words")
            list.of_word_memory = grown
            list.of_word, list.n_of_word = <uint64_t**>grown + 1, 2 * n + 1
        (list.of_word - 1)[0], list.of_word[0] = self.c.none, self.c.root
        return list

    cdef bint has_room(self, int32_t n) noexcept nogil:
        return self.n_busy < LANES and has_room_for(&self.c, n)

    cdef void occupy(self) noexcept nogil:
        self.n_busy += 1

    cdef void leave(self, int32_t i) noexcept nogil:
        self.n_busy -= 1
        self.busy[i], self.busy[self.n_busy] = self.busy[self.n_busy], self.busy[i]

    cdef void leave_all(self) noexcept nogil:
        self.n_busy = 0

    cdef int begin_list(self, ListMemoryC* list, int32_t n) except -1 nogil:
        cdef int32_t i, slots = n + 2 * PADS + 1
        list.n_slots, list.n_tops = slots, (slots + 15) // 16 * 16
        list.n_blocks = (slots + BLOCK - 1) // BLOCK
        self.reserve_slots(list, <size_t>list.n_blocks * BLOCK)
        while (2 * (n_remembered(&self.c) + SUMS_A_WORD * <uint64_t>n) > <uint64_t>EASY_WAYS << bits_of(&self.c)
               and bits_of(&self.c) < MOST_BITS):
            self.grow_buckets()
        list.lost = shared_get_32(&self.c.shared.has_wide_rows)
        for i in range(slots):
            list.element[i].left, list.element[i].right = i - 1, i + 1
            list.element[i].stale_plain = list.element[i].stale_rich = <uint32_t>-1
        list.element[0].left, list.element[slots - 1].right = 0, slots - 1
        for i in range(list.n_tops):
            list.top[i] = NO_PAIR
        for i in range((list.n_blocks + 15) // 16 * 16):
            list.block_top[i] = NO_PAIR
        return 0

    cdef int reserve_slots(self, ListMemoryC* list, size_t slots) except -1 nogil:
        cdef size_t one = ((self.n_rows + self.n_rich) * sizeof(uint64_t) + sizeof(ElementC) + sizeof(NodeC)
                           + sizeof(LinkC) + self.n_shapes * sizeof(easy_count) + 3 * sizeof(int32_t))
        cdef char* at
        if slots * one <= list.bytes:
            return 0
        free(list.memory)
        list.memory, list.bytes = NULL, 0
        if posix_memalign(&list.memory, LINE, (slots + slots // 4) * one + 32 * LINE) != 0:
            list.memory = NULL
            with gil:
                raise MemoryError(f"no memory for a list of {slots} words")
        slots += slots // 4
        list.bytes = slots * one
        at = <char*>list.memory
        list.rows = <uint64_t*>take(&at, slots * self.n_rows * sizeof(uint64_t))
        list.counts = <easy_count*>take(&at, slots * self.n_shapes * sizeof(easy_count))
        list.own = <uint64_t*>take(&at, slots * self.n_rich * sizeof(uint64_t))
        list.element = <ElementC*>take(&at, slots * sizeof(ElementC))
        list.top = <int32_t*>take(&at, slots * 4)
        list.pick = <int32_t*>take(&at, slots * 4)
        list.block_top = <int32_t*>take(&at, slots // BLOCK * 4 + LINE)
        list.s = <ListC*>take(&at, list_bytes(<int32_t>slots))
        return 0

    cdef void forget_rows(self) noexcept nogil:
        cdef MemoryC* m = &self.c
        cdef ListMemoryC* list
        cdef int32_t i, k
        cdef size_t bytes = (m.words.values_at - m.words.refs_at) * sizeof(uint64_t)
        memset(m.places.buckets, 0, sizeof(easy_bucket) << bits_of(m))
        shared_put_64(&m.shared.remembered, 0)
        m.used, m.fresh = FIRST_LINE, 0
        memset(refs_of(m, m.none), 0, bytes)
        memset(refs_of(m, m.root), 0, bytes)
        for i in range(m.words.n):
            memset(refs_of(m, m.words.records + <size_t>i * m.words.length), 0, bytes)
        for i in range(self.n_busy):
            list = self.busy[i]
            list.lost = True
            for k in range(list.n_slots):
                list.element[k].stale_plain = list.element[k].stale_rich = <uint32_t>-1


cdef inline void* take(char** at, size_t bytes) noexcept nogil:
    cdef void* start = at[0]
    at[0] += (bytes + LINE - 1) // LINE * LINE
    return start


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
    if bucket.key[way] == 0:
        count_fresh(m)
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
