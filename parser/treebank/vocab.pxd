from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy
from preshed.maps cimport PreshMap

from parser.common cimport id_t


cdef struct TextC:
    const char* start       # in an arena block owned by the table's Pool
    int32_t length


# Direct-mapped memo of the strings met last: most cells of a treebank are tags, labels and frequent words. The first
# and the last 8 bytes (of up to 8 bytes: all of them, zero-padded, twice) decide for up to 16 bytes; the middle of
# longer strings is compared with the table's own copy.
cdef struct MemoC:
    uint64_t head
    uint64_t tail
    int32_t length
    id_t id


cdef class StringTable:
    cdef Pool mem                    # owns texts, arena blocks and the memo
    cdef PreshMap ids                # 64-bit murmur hash of the string -> id, as a pointer-sized integer
    cdef TextC* texts                # by id; the first FIRST_ID entries are the reserved ids
    cdef int32_t n
    cdef int32_t capacity
    cdef char* block                 # current arena block
    cdef int32_t block_left
    cdef MemoC* memo                 # MEMO entries
    cdef readonly bint frozen
    cdef readonly str name

    cdef id_t find(self, const char* text, int32_t length) noexcept nogil
    cdef id_t intern(self, const char* text, int32_t length) except -1 nogil
    cdef id_t intern_new(self, const char* text, int32_t length, MemoC ends) except -1 nogil
    cdef id_t insert(self, const char* text, int32_t length, uint64_t key) except -1
    cdef int keep_text(self, const char* text, int32_t length) except -1


cdef uint64_t string_key(const char* text, int32_t length) noexcept nogil


cdef enum:
    MEMO = 1 << 13


cdef inline MemoC string_ends(const char* text, int32_t length) noexcept nogil:
    """The memo key of a string of which no byte beyond its end may be read."""
    cdef MemoC ends
    ends.head = 0
    memcpy(&ends.head, text, length if length < 8 else 8)
    ends.tail = ends.head
    if length > 8:
        memcpy(&ends.tail, text + length - 8, 8)
    ends.length = length
    ends.id = 0
    return ends


cdef inline MemoC cell_ends(const char* text, int32_t length) noexcept nogil:
    """The same where 8 bytes may be read from `text` on whatever its length (cells of a batch)."""
    # no branches: the lengths of words follow no pattern that a processor could guess
    cdef MemoC ends
    cdef int32_t beyond = length - 8 if length > 8 else 0
    # cells have at least one byte, so the shift is below 64
    cdef uint64_t mask = ~<uint64_t>0 >> (64 - 8 * (length if length < 8 else 8))
    memcpy(&ends.head, text, 8)
    memcpy(&ends.tail, text + beyond, 8)
    ends.head &= mask
    ends.tail &= mask
    ends.length = length
    ends.id = 0
    return ends


cdef inline MemoC* memo_entry(MemoC* memo, MemoC ends) noexcept nogil:
    return &memo[((ends.head ^ (ends.tail << 7 | ends.tail >> 57)) * <uint64_t>0x9E3779B97F4A7C15 + ends.length) >> 51]


cdef inline bint middle_equal(const char* a, const char* b, int32_t length) noexcept nogil:
    """Are bytes 8 to length - 8 equal, eight at a time? The last eight may reach into the tails, which are equal."""
    cdef int32_t i = 8
    cdef uint64_t x, y
    while i < length - 8:
        memcpy(&x, a + i, 8)
        memcpy(&y, b + i, 8)
        if x != y:
            return False
        i += 8
    return True


cdef inline bint memo_holds(const MemoC* entry, MemoC ends, const TextC* texts, const char* text) noexcept nogil:
    """Is the string in this entry? Entry id 0 is none. Bytes 8 to length - 8 are compared where there are any."""
    return (entry.head == ends.head and entry.tail == ends.tail and entry.length == ends.length and entry.id != 0
            and middle_equal(texts[entry.id].start, text, ends.length))


cdef inline id_t intern_cell(StringTable table, const char* text, int32_t length) except -1 nogil:
    """StringTable.intern for a cell of a batch, the fast way: 8 bytes may be read from `text` on."""
    cdef MemoC ends = cell_ends(text, length)
    cdef const MemoC* entry = memo_entry(table.memo, ends)
    if memo_holds(entry, ends, table.texts, text):
        return entry.id
    return table.intern_new(text, length, ends)
