"""The engine of easy-first: scores of pairs of neighbours from sums of list elements; see roles.py.

`EasyEngine` is the plan of a model and read-only; an EasyMemory belongs to one session. Every remembered sum was made
by the plain way of scoring, template by template.
"""

from libc.stdint cimport int32_t, uint64_t

from parser.compiled.easy_flat cimport AcrossC, KeysC, ShapeC
from parser.compiled.easy_memory cimport EasyMemory, ElementC, ListMemoryC, easy_keys, easy_pair, easy_part, easy_step
from parser.compiled.easy_pairs cimport EasyPairs
from parser.compiled.easy_rows cimport SceneC
from parser.compiled.memory cimport kernel_filter
from parser.transition.list_state cimport ListC


cdef class EasyEngine(EasyPairs):
    cdef kernel_filter filter
    cdef bint single_root
    cdef easy_keys nothing          # that a word knows all rows

    cpdef EasyMemory new_memory(self)

    # A lane's list, of which no pair has a score.
    cdef void begin(self, ListMemoryC* list) noexcept nogil
    # The next pairs of such a list are to be scored.
    cdef void go_on(self, ListMemoryC* list) noexcept nogil
    # The slot of the left element of the best pair; its column is in `pick`.
    cdef int32_t choose(self, ListMemoryC* list, const ListC* s) noexcept nogil
    # After `dep` became a dependent of its neighbour `head` (slots): the pairs that see it are to be scored.
    cdef void attached(self, ListMemoryC* list, int32_t head, int32_t dep) noexcept nogil
    # Scores the pairs of all busy lanes.
    cdef void refresh(self, EasyMemory memory) noexcept nogil
    cdef bint is_legal(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil

    cdef void begin_parts(self, ListMemoryC* list) noexcept nogil
    cdef void begin_shapes(self, EasyMemory memory, easy_step* step) noexcept nogil
    cdef void score_pair(self, ListMemoryC* list, const ListC* s, const easy_pair* pair, int32_t left) noexcept nogil
    cdef void look_around(self, const ListMemoryC* list, const ListC* s, int32_t slot, SceneC* scene) noexcept nogil
    cdef void renew(self, ListMemoryC* list, const ListC* s, int32_t slot) noexcept nogil
    cdef void begin_shape(self, ListMemoryC* list, const int32_t* window, int32_t number, bint plain,
                          easy_step* step) noexcept nogil
    cdef void begin_part(self, ListMemoryC* list, const ShapeC* shape, const KeysC* k, const ElementC** e,
                         easy_part* part, easy_step* step, int32_t plain) noexcept nogil
    cdef void begin_known(self, ListMemoryC* list, const ShapeC* shape, int32_t slot, easy_part* part,
                          easy_step* step) noexcept nogil
    cdef uint64_t fill_ref(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                           int32_t i) noexcept nogil
    cdef const uint64_t* distance(self, const ListMemoryC* list, const AcrossC* a, const ElementC** at,
                                  int32_t n) noexcept nogil
    cdef uint64_t asks_now(self, const KeysC* k, const ElementC** e, int32_t n_places) noexcept nogil
    cdef void find_rows(self, EasyMemory memory, easy_step* step) noexcept nogil
    cdef void make_rows(self, easy_step* step) noexcept nogil
    cdef uint64_t row_of(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot, int32_t owner,
                         uint64_t key) noexcept nogil
