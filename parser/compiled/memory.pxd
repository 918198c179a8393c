"""What a session remembers: sums of rows under 64-bit keys, which it shares with others (sums.pxd), and a record for
every distinct word it has met.

A cache: forgetting changes nothing but speed. One thread at a time.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.copies cimport CopiesC
from parser.compiled.flat cimport kernel_code, kernel_plan, kernel_program, kernel_programs, kernel_work
from parser.compiled.sums cimport ARENA_LINES, LINE, Store, SumsC
from parser.score.keymap cimport PREFETCH

cdef enum:
    MOST_FETCHED = 48       # records
    ROW_LIMIT = 0x7FFE      # numbers of 16 bits stay within +-ROW_LIMIT; -32768 marks what is not legal

cdef extern from "parser/compiled/kernel.h":
    enum:
        KERNEL_LANES
        KERNEL_HEAD
        HEAD_LINES "(KERNEL_HEAD / KERNEL_LANES)"
        NEAR_LINES "(KERNEL_HEAD / KERNEL_LANES + 1)"   # of the head and the near line
        KERNEL_COLUMNS
        KERNEL_NEAR_BOUND
        KERNEL_QUARTERS
        KERNEL_FAR_BOUND
        KERNEL_BOUND
        KERNEL_PARTS
        KERNEL_UNKNOWN
        ROW_OF_ZEROS "(2 * KERNEL_HEAD)"                # of sums that are 0 in all columns
        FIRST_LINE "(2 * KERNEL_HEAD / KERNEL_LANES)"   # of those behind it
        KERNEL_WAYS
        REF_BITS "KERNEL_REF_BITS"
        KEY_BITS "KERNEL_KEY_BITS"
        N_KERNEL_SETS
    ctypedef struct kernel_bucket:
        uint64_t way[8]
    ctypedef struct kernel_rows:
        const int16_t** row[3]
        int32_t n[3]
    ctypedef struct kernel_filter:
        const uint64_t* words
        int64_t shift
    ctypedef struct kernel_places:
        kernel_filter filter
        int64_t shift
        kernel_bucket* buckets
        char* arena
    ctypedef struct kernel_range:
        int32_t least
        int32_t most
    ctypedef struct kernel_chances:
        int32_t top
        float all
        float of_move
        int32_t in_doubt
    ctypedef struct kernel_doubt:
        int16_t least
        int16_t most
    ctypedef struct kernel_coder:
        int (*open)(kernel_code* code) noexcept nogil
        void (*close)(kernel_code* code) noexcept nogil
        bint (*begin)(kernel_code* code) noexcept nogil
        bint (*make)(kernel_code* code, kernel_program* program) noexcept nogil
        const void* (*make_look)(kernel_code* code, const kernel_plan* plan) noexcept nogil
        bint (*end)(kernel_code* code) noexcept nogil
    ctypedef struct kernel_set:
        const char* name
        int (*usable)() noexcept nogil
        void (*look)(const kernel_plan* plan, const kernel_programs* programs, kernel_work* work) noexcept nogil
        void (*find)(const kernel_plan* plan, const kernel_places* places, kernel_work* work) noexcept nogil
        void (*score)(const kernel_plan* plan, kernel_programs* programs, const kernel_places* places,
                      kernel_work** works, int32_t n) noexcept nogil
        void (*best)(const kernel_plan* plan, const kernel_places* places, kernel_work* work) noexcept nogil
        int32_t (*best_behind)(const kernel_rows* rows, int32_t line, int32_t end, const int16_t* mask,
                               const int16_t* rank, int32_t top, int32_t first) noexcept nogil
        int32_t (*best_of_all)(const kernel_rows* rows, int32_t lines, const int16_t* mask, const int16_t* rank,
                               int16_t* out) noexcept nogil
        void (*ask_behind)(const kernel_places* places, kernel_work* work, int32_t lines) noexcept nogil
        kernel_chances (*chances)(const kernel_plan* plan, const kernel_places* places, const kernel_work* work,
                                  int32_t lines, const int16_t* of_move, float unit, kernel_doubt doubt,
                                  int16_t* score) noexcept nogil
        int32_t (*filter)(const kernel_filter* filter, uint64_t* key, int32_t* owner, int32_t n) noexcept nogil
        kernel_range (*pack)(const int32_t* number, int32_t n, int16_t* out) noexcept nogil
        uint32_t (*which)(const kernel_bucket* bucket, uint64_t told) noexcept nogil
        const kernel_coder* coder
    uint64_t kernel_mix(uint64_t key) noexcept nogil
    uint64_t kernel_unmix(uint64_t key) noexcept nogil
    kernel_bucket* kernel_home(const kernel_places* places, uint64_t key) noexcept nogil
    uint64_t kernel_told(uint64_t key) noexcept nogil
    uint64_t kernel_key(const kernel_places* places, uint64_t told, uint64_t home) noexcept nogil
    uint32_t kernel_row(uint64_t way) noexcept nogil
    uint32_t kernel_row_if(uint64_t way, uint64_t told) noexcept nogil
    int32_t kernel_lowest_bit(uint32_t bits) noexcept nogil
    void kernel_put_near_bounds(int16_t* row) noexcept nogil
    const kernel_set* kernel_sets


cdef struct WordC:
    uint64_t key            # 0: empty
    uint64_t place          # number of the record


cdef struct RecordsC:       # of words; a record: the numbers of its slots, references, and the values it was made of
    WordC* table            # open addressing
    uint64_t* records
    int32_t length          # 64-bit numbers of a record
    int32_t refs_at         # where the references start
    int32_t values_at       # where the values start
    int32_t bits            # log2 of the places in the table; at most half of them are used
    int32_t n               # records
    int32_t room


cdef struct MemoryC:
    const kernel_set* kernels
    kernel_places places
    SumsC* shared           # where the places' arena and buckets come from
    int32_t user            # which of their users this is
    int32_t ways            # of a bucket
    uint64_t fresh          # keys that were put there and are not counted yet
    bint shares             # do others use them, too?
    uint32_t used           # of the lines of the arena that this session has taken last: the first that is free,
    uint32_t end            # and the first behind them
    uint32_t spare_line     # where rows for sums that find no room begin
    int32_t spare           # rows of these that the state at hand has taken
    RecordsC words
    CopiesC copies
    uint64_t* none          # the record of the missing word,
    uint64_t* root          # and of ROOT
    int32_t* scores
    int32_t* found          # the sum being made
    int16_t* sums           # of 16 bits
    const int16_t** lists   # of rows to be added up, one for each part,
    int32_t listed          # with room for so many
    int64_t made            # how often a sum was not known,
    int64_t met             # how often a word was new,
    int64_t full            # how often more than the head was needed,
    int64_t wide            # and how often more than 16 bits


# Zeroed memory at a multiple of LINE; free() it.
cdef void* aligned(size_t bytes) except NULL


cdef class Memory:
    cdef MemoryC c
    cdef object owner       # the engine it was made for
    cdef Store store        # that the sums come from

    # Room for a sentence of n words, all of which may be new. Nobody may hold a record or a row.
    cdef int make_room(self, int32_t n) except -1 nogil
    cdef int grow_records(self, int32_t n) except -1 nogil
    cdef int grow_table(self, int32_t n) except -1 nogil
    cdef int grow_buckets(self) except -1 nogil
    # Remembers again what stands in 2 ** bits buckets.
    cdef void remember_all(self, const void* buckets, uint32_t bits) noexcept nogil
    cdef bint fill_larger_table(self) noexcept nogil
    cdef void begin_sums(self) noexcept nogil
    # Forgets all, sums included; what others share with this session they keep.
    cdef int forget_all(self) except -1 nogil


cdef inline const feat_t* values_of(const MemoryC* m, const uint64_t* record) noexcept nogil:
    return record + m.words.values_at


cdef inline uint64_t* refs_of(const MemoryC* m, const uint64_t* record) noexcept nogil:
    return <uint64_t*>record + m.words.refs_at


cdef inline uint32_t line_of(uint32_t row) noexcept nogil:
    return row // LINE


cdef inline int32_t lane_of(int32_t column) noexcept nogil:
    """Where the number of a column stands in a row: behind the bounds, if not in the head."""
    return column if column < KERNEL_COLUMNS else column + KERNEL_HEAD - KERNEL_COLUMNS


cdef inline int32_t part_of(int32_t lane) noexcept nogil:
    """Of a row: 0 head, 1 near line, 2 far lines."""
    return (lane >= KERNEL_HEAD) + (lane >= KERNEL_HEAD + KERNEL_LANES)


cdef inline int32_t lines_up_to(int32_t part, int32_t width) noexcept nogil:
    """Of a row that has no part behind that one."""
    return width // KERNEL_LANES if part == 2 else HEAD_LINES + part


cdef inline bint is_kept(uint32_t row) noexcept nogil:
    """Does the row stay? Else it is a spare one."""
    return line_of(row) < ARENA_LINES


cdef inline uint32_t bits_of(const MemoryC* m) noexcept nogil:
    """log2 of the buckets."""
    return <uint32_t>(64 - m.places.shift)


cdef inline const int16_t* row_at(const MemoryC* m, uint32_t row) noexcept nogil:
    return <const int16_t*>(m.places.arena + row)


cdef inline void fetch_records(const MemoryC* m, uint64_t* const* of_word, int32_t n) noexcept nogil:
    """Has the records of the first words on the way before they are needed."""
    cdef int32_t i, k, n_lines = (m.words.values_at + 7) // 8
    for i in range(1, (n if n < MOST_FETCHED else MOST_FETCHED) + 1):
        for k in range(n_lines):
            PREFETCH(of_word[i] + 8 * k)


cdef inline uint64_t home_of_word(const MemoryC* m, uint64_t key) noexcept nogil:
    return kernel_mix(key) >> (64 - m.words.bits)


cdef inline void fetch_word(const MemoryC* m, uint64_t key) noexcept nogil:
    """Has on its way what find_record reads first."""
    PREFETCH(&m.words.table[home_of_word(m, key)])


cdef inline uint64_t* find_record(const MemoryC* m, uint64_t key) noexcept nogil:
    """The record of a word, NULL: it is new."""
    cdef uint64_t at = home_of_word(m, key)
    while m.words.table[at].key != 0:
        if m.words.table[at].key == key:
            return m.words.records + <size_t>m.words.table[at].place * m.words.length
        at = (at + 1) & ((<uint64_t>1 << m.words.bits) - 1)
    return NULL


cdef inline kernel_bucket* neighbour(const MemoryC* m, const kernel_bucket* bucket) noexcept nogil:
    return m.places.buckets + ((bucket - m.places.buckets) ^ 1)


# So many keys are in the buckets, about.
cdef uint64_t n_remembered(const MemoryC* m) noexcept nogil
# One more is.
cdef void count_fresh(MemoryC* m) noexcept nogil
# Room for so many lines behind those used; False: there is none.
cdef bint take_lines(MemoryC* m, uint32_t lines) noexcept nogil
# What is remembered under a key (mixed), in its own bucket or the one beside it; 0: nothing.
cdef uint32_t look_up(const MemoryC* m, uint64_t key) noexcept nogil
# The same of a key that is known not to be in its own bucket.
cdef uint32_t look_beside(const MemoryC* m, uint64_t key) noexcept nogil
# Is there room for a sentence of n words, all of which may be new, as things are?
cdef bint has_room_for(const MemoryC* m, int32_t n) noexcept nogil
# An empty place for a new word; the references are 0.
cdef uint64_t* new_record(MemoryC* m, uint64_t key) noexcept nogil
# Puts a reference under a key (mixed), perhaps in place of another.
cdef void remember(MemoryC* m, uint64_t key, uint32_t row) noexcept nogil
# Writes a sum, m.found, under a key (mixed) and gives the reference; where there is no room, a spare row is taken.
cdef uint32_t keep_sum(MemoryC* m, uint64_t key, int32_t width) noexcept nogil
# The same in two steps: where it is to be written, with all its parts; what it turns out not to need is the next one's.
cdef uint32_t place_for(MemoryC* m, int32_t width) noexcept nogil
# And when it has been: with the range of the numbers of each part, 0 to 0 where there are none.
cdef void keep_row(MemoryC* m, uint64_t key, uint32_t row, int32_t width, const kernel_range* parts) noexcept nogil
