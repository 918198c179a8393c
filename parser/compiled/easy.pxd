"""The engine of easy-first: scores of pairs of neighbours from sums of list elements; see roles.py.

`EasyEngine` is the plan of a model and read-only; an EasyMemory belongs to one session. Every remembered sum was made
by the plain way of scoring, template by template.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t

from parser.compiled.easy_flat cimport KeysC, ShapeC
from parser.compiled.easy_memory cimport CountC, EasyMemory, ElementC, ListMemoryC
from parser.compiled.easy_pairs cimport EasyPairs
from parser.compiled.easy_rows cimport SceneC
from parser.compiled.memory cimport kernel_filter
from parser.transition.list_state cimport ListC


cdef struct TaskC:          # a shape's sum at an element, being made
    const ShapeC* shape
    const KeysC* rich       # by the dependents that there are
    CountC* count
    uint64_t* rows
    int32_t slot
    int32_t first_key
    int32_t n_plain         # keys of remembered sums
    int32_t n_rich
    int32_t n_known         # rows that the word's record knows
    bint plain              # is the plain part made, too?


cdef struct KeysToFindC:    # of all tasks at once: in the memory's `keys`, those of single templates behind the others
    int32_t n
    int32_t n_asked


cdef class EasyEngine(EasyPairs):
    cdef kernel_filter filter
    cdef bint single_root

    cpdef EasyMemory new_memory(self)

    # Every pair of a sentence whose words are in the memory is scored; begin_list was called.
    cdef void start(self, ListMemoryC* list, const ListC* s) noexcept nogil
    # The slot of the left element of the best pair; its column is in `pick`.
    cdef int32_t choose(self, ListMemoryC* list, const ListC* s) noexcept nogil
    # After `dep` became a dependent of its neighbour `head` (slots): scores what has changed. Gives the pairs that were
    # looked at, at most 7, in `changed`.
    cdef int32_t attached(self, ListMemoryC* list, const ListC* s, int32_t head, int32_t dep,
                          int32_t* changed) noexcept nogil
    cdef bint is_legal(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil

    cdef void refresh(self, ListMemoryC* list, const ListC* s, const int32_t* pairs, int32_t n) noexcept nogil
    cdef void score_pair(self, ListMemoryC* list, const ListC* s, int32_t left, const int16_t** lines) noexcept nogil
    cdef void look_around(self, const ListMemoryC* list, const ListC* s, int32_t slot, SceneC* scene) noexcept nogil
    cdef void renew(self, ListMemoryC* list, const ListC* s, int32_t slot) noexcept nogil
    cdef void begin(self, ListMemoryC* list, const ListC* s, TaskC* task, const int32_t* window, int32_t number,
                    KeysToFindC* to_find, int32_t tag) noexcept nogil
    cdef int32_t known_rows(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot) noexcept nogil
    cdef uint64_t fill_ref(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                           int32_t i) noexcept nogil
    cdef void write_keys(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, const KeysC* k,
                         const ElementC** e, KeysToFindC* to_find, int32_t tag) noexcept nogil
    cdef void add_across(self, const ListMemoryC* list, const ListC* s, const KeysC* k, const ElementC** at,
                         uint64_t* total) noexcept nogil
    cdef void ask(self, ListMemoryC* list, const KeysC* k, const ElementC** e, int32_t n_places, const uint64_t* total,
                  KeysToFindC* to_find, int32_t tag) noexcept nogil
    cdef void find_rows(self, ListMemoryC* list, const ListC* s, const TaskC* tasks,
                        KeysToFindC* to_find) noexcept nogil
    cdef void hand_out(self, ListMemoryC* list, TaskC* tasks, int32_t n_tasks,
                       const KeysToFindC* to_find) noexcept nogil
    cdef void add_rows(self, ListMemoryC* list, const TaskC* task) noexcept nogil
    cdef void make_rows(self, ListMemoryC* list, const ListC* s, const TaskC* tasks,
                        const KeysToFindC* to_find) noexcept nogil
    cdef uint64_t row_of(self, ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot, int32_t owner,
                         uint64_t key) noexcept nogil
