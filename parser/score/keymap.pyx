"""Growth of the key table. Lookup is inline in the header."""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint32_t, uint64_t

from parser.common cimport CHECK, feat_t


cdef int keymap_init(Pool mem, KeyMap* map, uint64_t n_keys) except -1:
    """An empty map with room for n_keys keys; mem frees its cells."""
    cdef int32_t bits = 6
    while 2 * (<uint64_t>1 << bits) < 3 * n_keys:
        bits += 1
    map.mask = (<uint64_t>1 << bits) - 1
    map.shift = 64 - bits
    map.filled = 0
    map.cells = <KeyCell*>mem.alloc(map.mask + 1, sizeof(KeyCell))
    return 0


cdef int keymap_reserve(Pool mem, KeyMap* map, uint64_t n_more) except -1 nogil:
    """Afterwards n_more new keys fit without moving any cell."""
    if 3 * (map.filled + n_more) > 2 * (map.mask + 1):
        with gil:
            keymap_grow(mem, map, map.filled + n_more)
    return 0


cdef int keymap_grow(Pool mem, KeyMap* map, uint64_t n_keys) except -1:
    cdef KeyMap larger
    keymap_init(mem, &larger, max(n_keys, map.mask + 1))
    cdef uint64_t cell
    for cell in range(map.mask + 1):
        if map.cells[cell].key != 0:
            larger.cells[keymap_insert(&larger, map.cells[cell].key)].value = map.cells[cell].value
    mem.free(map.cells)
    map[0] = larger
    return 0


cdef uint64_t keymap_insert(KeyMap* map, feat_t key) noexcept nogil:
    """The cell of key, claimed (value NO_ROW) where it was not there."""
    CHECK(key != 0)
    cdef uint64_t cell = keymap_cell(map, key)
    if map.cells[cell].key == 0:
        CHECK(3 * (map.filled + 1) <= 2 * (map.mask + 1))
        map.cells[cell].key = key
        map.filled += 1
    return cell


cdef class KeyTable:
    """The map as a Python object: for tests and the interpreter, not for loops."""
    cdef Pool mem
    cdef KeyMap map

    def __init__(self, n_keys=0):
        self.mem = Pool()
        keymap_init(self.mem, &self.map, n_keys)

    def put(self, feat_t key, uint32_t value):
        """Stores value, which is not 0, for key."""
        if key == 0:
            raise KeyError("0 is not a feature key")
        keymap_reserve(self.mem, &self.map, 1)
        self.map.cells[keymap_insert(&self.map, key)].value = value

    def get(self, feat_t key):
        """The value stored for key, 0 if there is none."""
        return keymap_get(&self.map, key)

    def __len__(self):
        return self.map.filled

    @property
    def cells(self):
        return self.map.mask + 1
