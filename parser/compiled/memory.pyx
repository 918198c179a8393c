"""Remembered sums and words; see memory.pxd."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset


from parser.compiled.copies cimport forget_copies, make_copies, should_have_room
from parser.compiled.sums cimport (MOST_BITS, empty_buckets, large_or_null, shared_add_32_if, shared_add_64,
                                   shared_get_32, shared_get_64, shared_put_32, shared_put_64)


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil

cdef enum:
    PIECE = 512                 # lines that a session takes of the arena at once
    UNCOUNTED = 256             # keys that a session may put into the buckets before it says so
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
    """As large_or_null."""
    cdef void* memory = large_or_null(bytes)
    if memory == NULL:
        raise MemoryError(f"no memory for {bytes} bytes")
    return memory


@cython.no_gc_clear     # it needs its store until the end
cdef class Memory:
    def __cinit__(self):
        memset(&self.c, 0, sizeof(MemoryC))

    def __init__(self, owner, Store store not None, int32_t width, int32_t most_lookups, int32_t n_slots,
                 int32_t n_refs, int32_t n_values, *, bint shares=True):
        """Of an engine: where its sessions' sums are; columns of a long row; lookups of a state in all; slots,
        references and values of a record, in numbers of 64 bits. shares: do others use the store?"""
        cdef MemoryC* m = &self.c
        cdef size_t n_rows, row = width * sizeof(int16_t)
        self.owner, self.store = owner, store
        m.ways, m.shares = KERNEL_WAYS, shares
        m.shared = store.join(&m.user)
        self.begin_sums()
        m.scores, m.found = <int32_t*>aligned(2 * row), <int32_t*>aligned(2 * row)
        m.sums = <int16_t*>aligned(row)
        n_rows = most_lookups + 2       # and the bias; a place more is written
        m.lists, m.listed = <const int16_t**>aligned(KERNEL_PARTS * n_rows * sizeof(void*)), <int32_t>n_rows
        self.make_records(n_slots, n_refs, n_values)

    cdef void begin_sums(self) noexcept nogil:
        """Of sums that this session has not seen before."""
        cdef MemoryC* m = &self.c
        m.places.arena, m.spare_line = m.shared.arena, self.store.spare_line(m.user)
        m.used = m.end = m.fresh = 0
        use_table(m)
        take_lines(m, 1)

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
        if m.shared != NULL:
            self.store.leave(m.shared, m.user)
        for memory in (<size_t>m.words.records, <size_t>m.scores, <size_t>m.found, <size_t>m.sums,
                       <size_t>m.lists, <size_t>m.none, <size_t>m.words.table, <size_t>m.copies.places):
            free(<void*><size_t>memory)

    def counts(self):
        """What the session did so far, and how much of the arena has been taken."""
        return {"made": self.c.made, "met": self.c.met, "full": self.c.full, "wide": self.c.wide,
                "copies": self.c.copies.n, "words": self.c.words.n, "arena": shared_get_32(&self.c.shared.taken),
                "room": self.c.shared.n_lines}

    @property
    def sharing(self):
        """How many sessions share its sums, this one included."""
        return self.store.n_users(self.c.shared)

    def forget(self):
        """As if this session had parsed nothing: see Store.renew."""
        self.forget_all()

    def limit(self, uint32_t lines):
        """Makes do with so many lines of the arena: for tests of what happens when it is full."""
        self.forget_all()
        self.c.shared.n_lines = min(max(lines, <uint32_t>FIRST_LINE), <uint32_t>ARENA_LINES)
        self.forget_all()

    cdef int make_room(self, int32_t n) except -1 nogil:
        cdef MemoryC* m = &self.c
        if is_nearly_full(m):
            self.forget_all()
        if m.words.n + n > MOST_RECORDS:
            forget_words(m)
        use_table(m)
        while should_grow(m):
            self.grow_buckets()
        if m.words.n + n > m.words.room:
            self.grow_records(m.words.n + n)
        if 2 * (m.words.n + n) > <int64_t>1 << m.words.bits:
            self.grow_table(m.words.n + n)
        if should_have_room(&m.copies):
            make_copies(&m.copies, <int32_t>m.copies.n)
        return 0

    cdef int forget_all(self) except -1 nogil:
        cdef MemoryC* m = &self.c
        m.shared = self.store.renew(m.shared, &m.user)
        self.begin_sums()
        forget_words(m)
        forget_copies(&m.copies)
        memset(refs_of(m, m.none), 0, (m.words.values_at - m.words.refs_at) * sizeof(uint64_t))
        memset(refs_of(m, m.root), 0, (m.words.values_at - m.words.refs_at) * sizeof(uint64_t))
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
        """Twice as many, so that about a quarter of the places is used, unless somebody else was faster."""
        cdef MemoryC* m = &self.c
        cdef bint has_memory = True
        self.store.acquire()
        if shared_get_32(&m.shared.bits) == bits_of(m):
            has_memory = self.fill_larger_table()
        self.store.release()
        use_table(m)
        if not has_memory:
            with gil:
                raise MemoryError(f"no memory for {2 << bits_of(m):,} buckets of keys")
        return 0

    cdef bint fill_larger_table(self) noexcept nogil:
        """Others go on reading the table at hand, and may put something into it that is lost then."""
        cdef MemoryC* m = &self.c
        cdef uint32_t bits = bits_of(m)
        cdef void* old = m.shared.tables[bits]
        cdef void* grown = empty_buckets(bits + 1)
        if grown == NULL:
            return False
        m.places.buckets, m.places.shift = <kernel_bucket*>grown, 64 - <int32_t>(bits + 1)
        shared_put_64(&m.shared.remembered, 0)
        m.fresh = 0
        self.remember_all(old, bits)
        m.shared.tables[bits + 1] = grown
        shared_put_32(&m.shared.bits, bits + 1)
        if self.store.is_alone(m.shared):
            free(old)
            m.shared.tables[bits] = NULL
        return True

    cdef void remember_all(self, const void* buckets, uint32_t bits) noexcept nogil:
        """The bits of a key that do not stand there are those that its bucket and the one beside it have in common."""
        cdef const kernel_bucket* bucket = <const kernel_bucket*>buckets
        cdef size_t i
        cdef int32_t k
        cdef uint64_t above, way
        for i in range(<size_t>1 << bits):
            above = <uint64_t>i << (64 - bits) >> KEY_BITS << KEY_BITS
            for k in range(KERNEL_WAYS):
                way = shared_get_64(&bucket[i].way[k])
                if way != 0:
                    remember(&self.c, above | way >> REF_BITS << REF_BITS >> (64 - KEY_BITS), kernel_row(way))


cdef void use_table(MemoryC* m) noexcept nogil:
    """The one that is at hand now. Nobody may hold a key."""
    cdef uint32_t bits = shared_get_32(&m.shared.bits)
    m.places.buckets, m.places.shift = <kernel_bucket*>m.shared.tables[bits], 64 - <int32_t>bits


cdef bint take_lines(MemoryC* m, uint32_t lines) noexcept nogil:
    cdef SumsC* sums = m.shared
    cdef uint32_t taken, size
    while m.used + lines > m.end:
        taken = shared_get_32(&sums.taken)
        if taken + lines > sums.n_lines:
            return False
        size = sums.n_lines - taken
        if m.shares:    # small pieces where there is little room: others need some, too
            size = min(max(min(<uint32_t>PIECE, sums.n_lines // 64), lines), size)
        if not shared_add_32_if(&sums.taken, taken, size):
            continue
        if taken != m.end:
            m.used = taken
        m.end = taken + size
    return True


cdef uint64_t n_remembered(const MemoryC* m) noexcept nogil:
    return shared_get_64(&m.shared.remembered) + m.fresh


cdef void count_fresh(MemoryC* m) noexcept nogil:
    m.fresh += 1
    if m.fresh >= UNCOUNTED:
        shared_add_64(&m.shared.remembered, m.fresh)
        m.fresh = 0


cdef bint has_room_for(const MemoryC* m, int32_t n) noexcept nogil:
    return not (is_nearly_full(m) or should_grow(m) or shared_get_32(&m.shared.bits) != bits_of(m)
                or m.words.n + n > min(m.words.room, MOST_RECORDS)
                or 2 * (m.words.n + n) > <int64_t>1 << m.words.bits or should_have_room(&m.copies))


cdef inline bint is_nearly_full(const MemoryC* m) noexcept nogil:
    """Are so many rows remembered that those of the next sentences may find no room?"""
    cdef uint32_t room = m.shared.n_lines, own = m.end - min(m.used, m.end)
    return room - min(shared_get_32(&m.shared.taken), room) + own < room // 16


cdef inline bint should_grow(const MemoryC* m) noexcept nogil:
    """Are so many of the places for keys taken that keys would soon take those of others?"""
    return n_remembered(m) > (<uint64_t>m.ways << bits_of(m)) // 2 and bits_of(m) < MOST_BITS


cdef void forget_words(MemoryC* m) noexcept nogil:
    memset(m.words.table, 0, sizeof(WordC) << m.words.bits)
    m.words.n = 0


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


cdef uint32_t place_for(MemoryC* m, int32_t width) noexcept nogil:
    cdef uint32_t lines = width // KERNEL_LANES
    return LINE * (m.used if take_lines(m, lines) else m.spare_line + m.spare * lines)


cdef void keep_row(MemoryC* m, uint64_t key, uint32_t row, int32_t width, const kernel_range* parts) noexcept nogil:
    cdef int16_t* out = <int16_t*>(m.places.arena + row)
    cdef int32_t most = max(max(parts[0].most, parts[1].most), parts[2].most)
    cdef int32_t least = min(min(parts[0].least, parts[1].least), parts[2].least)
    if is_zero(parts[1]):
        memset(out + KERNEL_NEAR_BOUND, 0, KERNEL_QUARTERS * sizeof(int16_t))
    else:
        kernel_put_near_bounds(out)
    out[KERNEL_FAR_BOUND], out[KERNEL_BOUND] = bound_of(parts[2]), <int16_t>min(most, <int32_t>0x7FFF)
    if max(most, -least) > ROW_LIMIT:
        shared_put_32(&m.shared.has_wide_rows, 1)
    if is_kept(row):
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
    if bucket.way[way] == 0:
        count_fresh(m)
    shared_put_64(&bucket.way[way], kernel_told(key) >> REF_BITS << REF_BITS | line_of(row))


cdef uint32_t look_up(const MemoryC* m, uint64_t key) noexcept nogil:
    cdef uint32_t row = row_in(m, kernel_home(&m.places, key), key)
    return row if row != 0 else look_beside(m, key)


cdef uint32_t look_beside(const MemoryC* m, uint64_t key) noexcept nogil:
    cdef const kernel_bucket* bucket = kernel_home(&m.places, key)
    return row_in(m, neighbour(m, bucket), key) if m.kernels.which(bucket, 0) == 0 else 0      # full


cdef inline uint32_t row_in(const MemoryC* m, const kernel_bucket* bucket, uint64_t key) noexcept nogil:
    cdef uint64_t told = kernel_told(key)
    cdef uint32_t which = m.kernels.which(bucket, told)
    return kernel_row_if(shared_get_64(&bucket.way[kernel_lowest_bit(which)]), told) if which != 0 else 0
