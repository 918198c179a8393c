"""Easy-first (Goldberg & Elhadad 2010): the system over list states, for a search and a learner.

A candidate is a pair of neighbours in the list, named by its left word, and a direction: LEFT makes the left one a
dependent of the right one, RIGHT the reverse. How many there are changes with the state, so there are no action ids;
per pair the order is LEFT with label 0, 1, ... < RIGHT with label 0, 1, ... This header is stable.
"""

from libc.stdint cimport int32_t

from parser.common cimport cost_t, label_t
from parser.transition.gold cimport GoldC
from parser.transition.list_state cimport ListC


cdef class EasyFirst:
    cdef readonly str name
    cdef readonly int32_t place         # ROOT_FIRST or ROOT_NONE
    cdef readonly bint single_root
    cdef readonly int32_t n_labels
    cdef readonly label_t root_label    # for the last word where there is no ROOT; -1: not needed

    # `s` has list_bytes(n).
    cdef void init(self, ListC* s, int32_t n) noexcept nogil
    cdef bint is_final(self, const ListC* s) noexcept nogil
    # head and dep are neighbours in the list, in either order
    cdef bint is_legal(self, const ListC* s, int32_t head, int32_t dep) noexcept nogil
    cdef void apply(self, ListC* s, int32_t head, int32_t dep, label_t label) noexcept nogil
    # Rise of the loss, labels apart. With a label: add label_weight if (head, dep) is gold and the label is not.
    cdef cost_t cost(self, const ListC* s, const GoldC* g, int32_t head, int32_t dep) noexcept nogil
    # The same for the whole list at once: to_right[d] is the cost of d under its right neighbour, to_left[d] under its
    # left one, ILLEGAL where that is not legal; n + 1 entries each, only those of words in the list are written.
    cdef void costs(self, const ListC* s, const GoldC* g, cost_t* to_left, cost_t* to_right) noexcept nogil
    # The incomplete oracle (Goldberg & Elhadad 2010): a gold arc whose dependent has all of its own.
    cdef bint is_correct(self, const ListC* s, const GoldC* g, int32_t head, int32_t dep) noexcept nogil
    # Loss of word d's gold arc: 0 if it is built or can still be, else what is lost.
    cdef cost_t word_loss(self, const ListC* s, const GoldC* g, int32_t d) noexcept nogil
    cdef cost_t best_loss(self, const ListC* s, const GoldC* g) noexcept nogil
    cdef void finish(self, const ListC* s, int32_t* heads, label_t* labels) noexcept nogil
