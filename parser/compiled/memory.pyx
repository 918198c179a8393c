"""Remembered sums and words; see memory.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset


from parser.compiled.copies cimport forget_copies, make_copies, should_have_room


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil

cdef extern from "parser/score/pages.h":
    void* pages_malloc(size_t n) noexcept nogil

cdef enum:
    FIRST_BITS = 12             # of the buckets; at most
    MOST_BITS = 19              # so many: 32 MiB
    ARENA_BYTES = 1 << 27       # 128 MiB, touched as needed; behind them spare rows,
    MOST_BYTES = 0xFFFFFFFF     # and of all together 32 bits tell the place
    MOST_RECORDS = 1 << 16      # before all words are forgotten


cdef void* aligned(size_t bytes) except NULL:
    """Zeroed memory at a multiple of LINE."""
    cdef void* memory = NULL
    bytes = (max(bytes, <size_t>1) + LINE - 1) // LINE * LINE
    if posix_memalign(&memory, LINE, bytes) != 0:
        raise MemoryError(f"no memory for {bytes} bytes")
    memset(memory, 0, bytes)
    return memory


cdef void* large(size_t bytes) except NULL:
    """Memory that is read at random, at a multiple of LINE; pages cost nothing until touched. free() it."""
    cdef void* memory = pages_malloc(max(bytes, <size_t>1 << 21))
    if <size_t>memory % LINE != 0:      # where there are no huge pages
        free(memory)
        memory = NULL
        posix_memalign(&memory, LINE, bytes)
    if memory == NULL:
        raise MemoryError(f"no memory for {bytes} bytes")
    return memory


cdef kernel_bucket* empty_buckets(int32_t bits) except NULL:
    cdef void* memory = large(sizeof(kernel_bucket) << bits)
    memset(memory, 0, sizeof(kernel_bucket) << bits)
    return <kernel_bucket*>memory


cdef class Memory:
    def __cinit__(self):
        memset(&self.c, 0, sizeof(MemoryC))

    def __init__(self, owner, int32_t width, int32_t most_lookups, int32_t n_spare, int32_t n_slots, int32_t n_refs,
                 int32_t n_values):
        """Of an engine: columns of a long row; lookups of a state in all; rows that may be in use and find no room;
        slots, references and values of a record, in numbers of 64 bits."""
        cdef MemoryC* m = &self.c
        cdef size_t n_rows, row = width * sizeof(int16_t), spare = n_spare * row
        self.owner = owner
        m.places.buckets = empty_buckets(FIRST_BITS)
        m.places.shift, m.ways = 64 - FIRST_BITS, KERNEL_WAYS
        if ARENA_BYTES + spare > MOST_BYTES:
            raise ValueError(f"{width} columns are too many for the {n_spare} rows that a state may need")
        m.n_lines = ARENA_BYTES // LINE
        m.used = FIRST_LINE
        m.places.arena = <char*>large(ARENA_BYTES + spare)
        memset(m.places.arena, 0, FIRST_LINE * LINE)
        m.scores, m.found = <int32_t*>aligned(2 * row), <int32_t*>aligned(2 * row)
        m.sums = <int16_t*>aligned(row)
        n_rows = most_lookups + 2       # and the bias; a place more is written
        m.lists, m.listed = <const int16_t**>aligned(KERNEL_PARTS * n_rows * sizeof(void*)), <int32_t>n_rows
        self.make_records(n_slots, n_refs, n_values)

    def make_records(self, int32_t n_slots, int32_t n_refs, int32_t n_values):
        cdef RecordsC* words = &self.c.words
        words.refs_at, words.values_at = n_slots, n_slots + n_refs
        words.length = (words.values_at + n_values + 7) // 8 * 8
        self.c.none = <uint64_t*>aligned(2 * <size_t>words.length * sizeof(uint64_t))
        self.c.root = self.c.none + words.length
        self.grow_records(1 << 10)
        self.grow_table(1 << 10)
        make_copies(&self.c.copies, 1 << 10)

    def __dealloc__(self):
        cdef MemoryC* m = &self.c
        for memory in (<size_t>m.places.buckets, <size_t>m.places.arena, <size_t>m.words.records,
                       <size_t>m.scores, <size_t>m.found, <size_t>m.sums, <size_t>m.lists,
                       <size_t>m.none, <size_t>m.words.table, <size_t>m.copies.places):
            free(<void*><size_t>memory)

    def counts(self):
        """What the cache did so far."""
        return {"made": self.c.made, "met": self.c.met, "full": self.c.full, "wide": self.c.wide,
                "copies": self.c.copies.n, "words": self.c.words.n, "arena": self.c.used, "room": self.c.n_lines}

    def forget(self):
        """As if nothing had been parsed."""
        forget_all(&self.c)

    def limit(self, uint32_t lines):
        """Makes do with so many lines of the arena: for tests of what happens when it is full."""
        self.forget()
        self.c.n_lines = min(max(lines, <uint32_t>FIRST_LINE), self.c.n_lines)

    cdef int make_room(self, int32_t n) except -1 nogil:
        cdef MemoryC* m = &self.c
        if is_nearly_full(m) or m.words.n + n > MOST_RECORDS:
            forget_all(m)
        while should_grow(m):
            self.grow_buckets()
        if m.words.n + n > m.words.room:
            self.grow_records(m.words.n + n)
        if 2 * (m.words.n + n) > <int64_t>1 << m.words.bits:
            self.grow_table(m.words.n + n)
        if should_have_room(&m.copies):
            make_copies(&m.copies, <int32_t>m.copies.n)
        return 0

    cdef int grow_records(self, int32_t n) except -1 nogil:
        """Room for n records at least. They move: nobody may hold one."""
        cdef RecordsC* words = &self.c.words
        cdef size_t record = words.length * sizeof(uint64_t)
        cdef void* grown
        with gil:
            grown = large(2 * n * record)
        if words.n > 0:
            memcpy(grown, words.records, words.n * record)
        free(words.records)
        words.records, words.room = <uint64_t*>grown, 2 * n
        return 0

    cdef int grow_table(self, int32_t n) except -1 nogil:
        """A table of which n words fill a quarter at most."""
        cdef RecordsC* words = &self.c.words
        cdef RecordsC old = words[0]
        cdef WordC* grown
        cdef int32_t bits = words.bits
        cdef uint64_t i
        while <int64_t>1 << bits < 4 * <int64_t>n:
            bits += 1
        with gil:
            grown = <WordC*>large(sizeof(WordC) << bits)
        memset(grown, 0, sizeof(WordC) << bits)
        words.table, words.bits = grown, bits
        if old.table != NULL:
            for i in range(<uint64_t>1 << old.bits):
                if old.table[i].key != 0:
                    put_record(words, old.table[i])
        free(old.table)
        return 0

    cdef int grow_buckets(self) except -1 nogil:
        """Twice as many, so that about a quarter of the places is used."""
        cdef MemoryC* m = &self.c
        cdef kernel_bucket* old = m.places.buckets
        cdef int32_t before = 64 - m.places.shift, bits = min(before + 1, MOST_BITS)
        with gil:
            m.places.buckets = empty_buckets(bits)
        m.places.shift = 64 - bits
        m.remembered = 0
        self.remember_all(old, before)
        free(old)
        return 0

    cdef void remember_all(self, const void* buckets, int32_t bits) noexcept nogil:
        """The bits of a key that do not stand there are those that its bucket and the one beside it have in common."""
        cdef const kernel_bucket* bucket = <const kernel_bucket*>buckets
        cdef size_t i
        cdef int32_t k
        cdef uint64_t above, way
        for i in range(<size_t>1 << bits):
            above = <uint64_t>i << (64 - bits) >> KEY_BITS << KEY_BITS
            for k in range(KERNEL_WAYS):
                way = bucket[i].way[k]
                if way != 0:
                    remember(&self.c, above | way >> REF_BITS << REF_BITS >> (64 - KEY_BITS), kernel_row(way))


cdef bint has_room_for(const MemoryC* m, int32_t n) noexcept nogil:
    return not (is_nearly_full(m) or should_grow(m) or m.words.n + n > min(m.words.room, MOST_RECORDS)
                or 2 * (m.words.n + n) > <int64_t>1 << m.words.bits or should_have_room(&m.copies))


cdef inline bint is_nearly_full(const MemoryC* m) noexcept nogil:
    """Are so many rows remembered that those of the next sentences may find no room?"""
    return m.used > m.n_lines - m.n_lines // 16


cdef inline bint should_grow(const MemoryC* m) noexcept nogil:
    """Are so many of the places for keys taken that keys would soon take those of others?"""
    return (m.remembered > (<int64_t>1 << (64 - m.places.shift)) * m.ways // 2
            and 64 - m.places.shift < MOST_BITS)


cdef void forget_all(MemoryC* m) noexcept nogil:
    memset(m.places.buckets, 0, sizeof(kernel_bucket) << (64 - m.places.shift))
    m.remembered = 0
    memset(m.words.table, 0, sizeof(WordC) << m.words.bits)
    m.used, m.words.n = FIRST_LINE, 0
    forget_copies(&m.copies)
    memset(refs_of(m, m.none), 0, (m.words.values_at - m.words.refs_at) * sizeof(uint64_t))
    memset(refs_of(m, m.root), 0, (m.words.values_at - m.words.refs_at) * sizeof(uint64_t))


cdef inline void put_record(RecordsC* words, WordC word) noexcept nogil:
    cdef uint64_t at = kernel_mix(word.key) >> (64 - words.bits)
    while words.table[at].key != 0:
        at = (at + 1) & ((<uint64_t>1 << words.bits) - 1)
    words.table[at] = word


cdef uint64_t* new_record(MemoryC* m, uint64_t key) noexcept nogil:
    cdef uint64_t* record = m.words.records + <size_t>m.words.n * m.words.length
    put_record(&m.words, WordC(key, <uint64_t>m.words.n))
    m.words.n += 1
    m.met += 1
    memset(refs_of(m, record), 0, (m.words.values_at - m.words.refs_at) * sizeof(uint64_t))
    return record


cdef uint32_t keep_sum(MemoryC* m, uint64_t key, int32_t width) noexcept nogil:
    cdef uint32_t row = place_for(m, width)
    cdef kernel_range parts[KERNEL_PARTS]
    cdef int16_t* out = <int16_t*>(m.places.arena + row)
    cdef const int32_t* behind = m.found + KERNEL_COLUMNS
    cdef int32_t near = min(width - KERNEL_HEAD, <int32_t>KERNEL_LANES)
    parts[0] = m.kernels.pack(m.found, KERNEL_HEAD, out)    # some numbers are in this and the next, which does no harm
    parts[1] = m.kernels.pack(behind, near, out + KERNEL_HEAD)
    parts[2] = m.kernels.pack(behind + near, width - KERNEL_HEAD - near, out + KERNEL_HEAD + near)
    if is_zero(parts[0]) and is_zero(parts[1]) and is_zero(parts[2]):
        remember(m, key, ROW_OF_ZEROS)
        return ROW_OF_ZEROS
    keep_row(m, key, row, width, parts)
    return row


cdef uint32_t place_for(const MemoryC* m, int32_t width) noexcept nogil:
    cdef uint32_t lines = width // KERNEL_LANES
    return LINE * (m.used if m.used + lines <= m.n_lines else m.n_lines + m.spare * lines)


cdef void keep_row(MemoryC* m, uint64_t key, uint32_t row, int32_t width, const kernel_range* parts) noexcept nogil:
    cdef int16_t* out = <int16_t*>(m.places.arena + row)
    cdef int32_t most = max(max(parts[0].most, parts[1].most), parts[2].most)
    cdef int32_t least = min(min(parts[0].least, parts[1].least), parts[2].least)
    out[KERNEL_NEAR_BOUND], out[KERNEL_FAR_BOUND] = bound_of(parts[1]), bound_of(parts[2])
    out[KERNEL_BOUND] = min(most, <int32_t>0x7FFF)
    m.has_wide_rows |= max(most, -least) > ROW_LIMIT
    if line_of(row) < m.n_lines:
        m.used += lines_up_to(2 if out[KERNEL_FAR_BOUND] else 1 if out[KERNEL_NEAR_BOUND] else 0, width)
        remember(m, key, row)
    else:
        m.spare += 1


cdef inline bint is_zero(kernel_range part) noexcept nogil:
    return part.least == 0 and part.most == 0


cdef inline int16_t bound_of(kernel_range part) noexcept nogil:
    return <int16_t>(0 if is_zero(part) else min(max(part.most, <int32_t>1), <int32_t>0x7FFF))


cdef void remember(MemoryC* m, uint64_t key, uint32_t row) noexcept nogil:
    """In an empty place of its bucket or of that bucket's neighbour, else in place of another."""
    cdef kernel_bucket* home = kernel_home(&m.places, key)
    cdef kernel_bucket* bucket = home
    cdef uint32_t empty = m.kernels.which(home, 0)
    cdef int32_t way
    if empty == 0:
        bucket = neighbour(m, home)
        empty = m.kernels.which(bucket, 0)
    if empty != 0:
        way = kernel_lowest_bit(empty)
    else:
        bucket, way = home, <int32_t>((key >> 17) % KERNEL_WAYS)
    m.remembered += bucket.way[way] == 0
    bucket.way[way] = kernel_told(key) >> REF_BITS << REF_BITS | line_of(row)


cdef uint32_t look_up(const MemoryC* m, uint64_t key) noexcept nogil:
    cdef const kernel_bucket* bucket = kernel_home(&m.places, key)
    cdef uint64_t told = kernel_told(key)
    cdef uint32_t which = m.kernels.which(bucket, told)
    if which == 0 and m.kernels.which(bucket, 0) == 0:      # full
        bucket = neighbour(m, bucket)
        which = m.kernels.which(bucket, told)
    return kernel_row(bucket.way[kernel_lowest_bit(which)]) if which != 0 else 0
