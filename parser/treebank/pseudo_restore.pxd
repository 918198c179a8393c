"""From pseudo-projective trees back to non-projective ones, on label ids and without the GIL."""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint8_t

from parser.common cimport label_t


cdef enum:
    RESTORE_SCRATCH = 4     # times (n + 1) int32: what `restore` needs for n words
    NOT_LIFTED = -1         # values of LabelCode.wanted that are no label
    LOST_HEAD_UNNAMED = -2  # encoding `path`


cdef struct LabelCode:      # what an encoded label says; one per label, owned by the Restorer's Pool
    label_t plain
    label_t wanted          # plain label of the head that was lost, or one of the above
    uint8_t on_path


cdef struct Children:       # of every node 0..n, ascending; lives in the caller's scratch
    int32_t* first          # -1: none
    int32_t* next           # the next child of the same head, -1: none


cdef class Restorer:
    """Read-only once made: any number of threads may use it."""
    cdef Pool mem
    cdef LabelCode* codes
    cdef readonly list names            # encoded labels, by id
    cdef readonly int32_t n_labels
    cdef readonly bint has_paths        # some label is marked as on a path
    cdef readonly bint has_lifted       # some label is marked as lifted

    # Heads must be a tree; labels are ids or -1. Changes both in place and returns the number of arcs moved.
    cdef int32_t restore(self, int32_t* heads, label_t* labels, int32_t n, int32_t* scratch) noexcept nogil
    cdef int32_t find_head(self, const Children* below, const label_t* labels, int32_t word, int32_t above,
                           int32_t* queue) noexcept nogil
    cdef int32_t search(self, const Children* below, const label_t* labels, int32_t word, int32_t above, label_t wanted,
                        bint along_path, int32_t* queue) noexcept nogil
    cdef bint is_target(self, const Children* below, const label_t* labels, int32_t word, label_t wanted) noexcept nogil
    cdef bint is_on_path(self, label_t label) noexcept nogil
