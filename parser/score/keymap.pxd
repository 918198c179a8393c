"""An open addressing table from 64-bit feature keys to 32-bit references: linear probing, no deletion.

A cell is 12 bytes, so that key and reference nearly always lie in one cache line. Key 0 marks an empty cell and
reference 0 stands for "no row": looking up key 0 gives 0.
"""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint32_t, uint64_t

from parser.common cimport feat_t

cdef enum:
    NO_ROW = 0


cdef extern from "parser/score/vector.h":
    void PREFETCH "ARCSPEED_PREFETCH"(const void* address) noexcept nogil


cdef packed struct KeyCell:
    feat_t key              # 0: empty cell
    uint32_t value          # NO_ROW in empty cells


cdef struct KeyMap:
    KeyCell* cells          # owned by the Pool given to keymap_init
    uint64_t mask           # number of cells - 1; the number is a power of two
    uint64_t filled         # cells in use, at most 2/3 of all
    int32_t shift           # 64 - log2(number of cells)


cdef int keymap_init(Pool mem, KeyMap* map, uint64_t n_keys) except -1
cdef int keymap_reserve(Pool mem, KeyMap* map, uint64_t n_more) except -1 nogil
cdef uint64_t keymap_insert(KeyMap* map, feat_t key) noexcept nogil   # call keymap_reserve first; key is not 0


cdef inline uint64_t keymap_home(const KeyMap* map, feat_t key) noexcept nogil:
    # Fibonacci hashing (Knuth 1998, vol. 3, 6.4): harmless on good keys, spreads bad ones
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> map.shift


cdef inline uint64_t keymap_cell(const KeyMap* map, feat_t key) noexcept nogil:
    """The cell of key, or the empty cell where its probe ends."""
    cdef uint64_t cell = keymap_home(map, key)
    while map.cells[cell].key != key and map.cells[cell].key != 0:
        cell = (cell + 1) & map.mask
    return cell


cdef inline uint32_t keymap_get(const KeyMap* map, feat_t key) noexcept nogil:
    return map.cells[keymap_cell(map, key)].value
