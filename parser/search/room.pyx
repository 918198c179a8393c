"""Memory for one sentence that did not come in a batch: grows, never shrinks."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from parser.common cimport label_t
from parser.feature.atoms cimport N_COLUMNS
from parser.treebank.batch cimport CellC
from parser.treebank.pseudo_restore cimport RESTORE_SCRATCH


cdef class Room:
    def __cinit__(self):
        self.cells = NULL
        self.n = 0

    def __dealloc__(self):
        free(self.cells)

    cdef int reserve(self, int32_t n) except -1 nogil:
        cdef size_t room = 2 * <size_t>n + 64
        cdef size_t numbers = sizeof(int32_t) + sizeof(label_t) + 2 * sizeof(float) + RESTORE_SCRATCH * sizeof(int32_t)
        if n < self.n:
            return 0
        free(self.cells)
        self.n = 0
        self.cells = <CellC*>malloc(room * (N_COLUMNS * sizeof(CellC) + numbers))
        if self.cells == NULL:
            with gil:
                raise MemoryError(f"no memory for a sentence of {n} words")
        self.n = <int32_t>room
        self.tree.heads = <int32_t*>(self.cells + room * N_COLUMNS)
        self.tree.labels = <label_t*>(self.tree.heads + room)
        self.tree.arcs = <float*>(self.tree.labels + room)
        self.tree.labelled = self.tree.arcs + room
        self.scratch = <int32_t*>(self.tree.labelled + room)
        return 0
