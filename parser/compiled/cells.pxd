"""One hash of a word's cells: the key of its record."""

from libc.stdint cimport int32_t, uint64_t

from parser.feature.atoms cimport N_COLUMNS, Atomizer
from parser.treebank.batch cimport CellC


cdef extern from "parser/compiled/cell_hash.h":
    uint64_t cell_hash(uint64_t h, const char* text, int32_t n) noexcept nogil
    uint64_t cell_hash_padded(uint64_t h, const char* text, int32_t n) noexcept nogil


cdef inline uint64_t cells_key(Atomizer atomizer, const CellC* cell) noexcept nogil:
    """Of the form always (it decides what `_` is as a lemma), and of the columns that are read."""
    cdef uint64_t key
    cdef int32_t c
    if atomizer.is_padded:
        key = cell_hash_padded(0, cell.start, cell.length)
        for c in range(1, N_COLUMNS):
            if atomizer.columns[c].width > 0:
                key = cell_hash_padded(key, cell[c].start, cell[c].length)
    else:
        key = cell_hash(0, cell.start, cell.length)
        for c in range(1, N_COLUMNS):
            if atomizer.columns[c].width > 0:
                key = cell_hash(key, cell[c].start, cell[c].length)
    return key | (key == 0)
