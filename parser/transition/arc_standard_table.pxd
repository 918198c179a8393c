from libc.stdint cimport int32_t

from parser.transition.gold cimport GoldC
from parser.transition.state cimport StateC


cdef struct View:           # the configuration one move ahead, without making the move
    int32_t front           # the buffer begins here
    int32_t shifted         # a word pushed on the stack, -1: none
    int32_t dropped         # a word taken from the stack, -1: none


# The largest number of gold arcs still to be built in a tree that can be reached; the stack is not empty. near_only:
# as far as the top of the stack and the next kept words tell.
cdef int32_t table_best(const StateC* s, GoldC* g, View view, bint single_root, bint near_only) except -1 nogil
# Would that take too long for all words? Never, if there are fewer than LONG.
cdef bint is_too_large(const StateC* s, GoldC* g, View view) except -1 nogil

cdef enum:
    LONG = 256
