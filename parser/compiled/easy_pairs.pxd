"""What a pair scores, where a bound does not say it: in the columns behind the head, or in all of them."""

from libc.stdint cimport int16_t, int32_t

from parser.compiled.easy_flat cimport WINDOW, ShapeC
from parser.compiled.easy_memory cimport BLOCK, ListMemoryC, easy_kernel, easy_pair
from parser.compiled.easy_rows cimport EasyRows, SceneC
from parser.compiled.memory cimport kernel_set
from parser.transition.list_state cimport ListC


cdef class EasyPairs(EasyRows):
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef const easy_kernel* easy

    cdef void settle(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef void settle_wide(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef void add_tails(self, ListMemoryC* list, const int32_t* window) noexcept nogil
    cdef int32_t fetch_tails(self, ListMemoryC* list, const int32_t* window) noexcept nogil
    # Scores of all columns of a pair, into scores of the memory.
    cdef void all_scores(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef bint sum_lines(self, ListMemoryC* list, const int32_t* window) noexcept nogil
    # Of the columns of the mask: the rank of the best, and its score; all of them into sums.
    cdef int32_t sum_head(self, ListMemoryC* list, const int32_t* window, const int16_t* mask,
                          int32_t* top) noexcept nogil
    # Finds what a pair adds up.
    cdef void gather(self, ListMemoryC* list, easy_pair* pair, const int32_t* window) noexcept nogil
    cdef void add_plain(self, ListMemoryC* list, const ListC* s, const int32_t* window) noexcept nogil
    cdef void add_kept(self, ListMemoryC* list, const int32_t* window) noexcept nogil
    cdef void look(self, const ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                   SceneC* scene) noexcept nogil


cdef inline void set_top(EasyPairs engine, ListMemoryC* list, int32_t slot, int32_t top) noexcept nogil:
    cdef int32_t first = slot // BLOCK * BLOCK
    list.top[slot] = top
    if list.n_blocks > 1:
        list.block_top[slot // BLOCK] = list.top[
            first + engine.easy.largest(list.top + first, min(<int32_t>BLOCK, list.n_tops - first))]


cdef inline void see(const ListMemoryC* list, int32_t left, int32_t* window) noexcept nogil:
    """The elements around a pair."""
    cdef int32_t i
    window[0] = list.element[list.element[left].left].left
    for i in range(1, WINDOW):
        window[i] = list.element[window[i - 1]].right
